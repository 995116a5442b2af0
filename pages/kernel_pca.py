"""Does the embedding survive?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import kernel_pca, page
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_method
from nysviz.ui.downloads import with_runs
from nysviz.ui.inputs import segments
from nysviz.ui.kernel_pca import VIEWS
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(whole: Scene) -> None:
    """Embeddings first, then numbers; the curve over m and the two forms fill in when they are there."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        settings, options = st.container(), st.container()
        with settings:
            scene = kernel_pca.choose_rows(whole)
            choice = choose_method(scene, options)
        picture = segments("Picture", VIEWS, "kernel_pca_view", names=VIEWS, label_visibility="collapsed")
        table, notes = st.empty(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        exact = ask(kernel_pca.exact, scene.unseeded, what="Exact kernel PCA")
        if exact is None:
            return
        run = ask(kernel_pca.embedded, *question, what=f"{choice.label}, m = {choice.m}")
        if run is None:
            return
        left_out = kernel_pca.draw_embeddings(scene, choice, exact, run, picture)
    answer.markdown(page.unbroken(kernel_pca.answer(choice, exact, run)))
    table.html(kernel_pca.numbers(exact, run))
    notes.caption("  \n".join((*run.approximation.notes, left_out)))
    with below_right:
        forms = kernel_pca.show_forms(scene, choice, run)
    with below_left:
        curve = st.container()
        methods = kernel_pca.choose_methods(scene)
        runs = kernel_pca.curve(scene, methods) if methods else None
    if runs is not None:
        with curve:
            follow(runs, partial(kernel_pca.draw_curve, scene, exact.vectors.shape[1], methods), "Runs")
    page.closing(
        "kernel_pca",
        kernel_pca.python(scene, choice, methods, forms is not None),
        with_runs(kernel_pca.rows(scene, choice, run, forms), runs, scene.data.name),
    )


page.open_page("Does the embedding survive?")
live(shared_sidebar())
