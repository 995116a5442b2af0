"""Does the embedding survive?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_method
from nysviz.ui.downloads import with_runs
from nysviz.ui.kernel_pca import charts, controls, result, text
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(whole: Scene) -> None:
    """Embeddings first, then numbers; the curve over m and the two forms fill in when they are there."""
    answer = st.empty()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        settings, options = st.container(), st.container()
        with settings:
            scene = controls.choose_rows(whole)
            choice = choose_method(scene, options)
        view = controls.choose_view()
        table, notes = st.empty(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        exact = ask(result.exact, scene.unseeded, what="Exact kernel PCA")
        if exact is None:
            return
        run = ask(result.embedded, *question, what=f"{choice.label}, m = {choice.m}")
        if run is None:
            return
        left_out = charts.draw_embeddings(scene, choice, exact, run, view)
    answer.markdown(page.unbroken(text.answer(scene, choice, exact, run)))
    table.html(text.numbers(exact, run))
    notes.caption("  \n".join((*run.approximation.notes, left_out)))
    with below_right:
        forms = charts.show_forms(scene, choice, run)
    with below_left:
        picture = st.container()
        methods = controls.choose_methods(scene)
        runs = result.curve(scene, methods) if methods else None
    if runs is not None:
        with picture:
            follow(runs, partial(charts.draw_curve, scene, exact.vectors.shape[1], methods), "Runs")
    page.closing(
        text.EXPLANATION,
        text.MATHS,
        result.python(scene, choice, methods, forms is not None),
        text.source(choice),
        with_runs(result.rows(scene, choice, run, forms), runs, scene.data.name),
    )


page.open_page("Does the embedding survive?")
live(shared_sidebar())
