"""Does the embedding survive?"""

import streamlit as st

from nysviz.ui import computing, page
from nysviz.ui.controls import choose_method
from nysviz.ui.downloads import with_runs
from nysviz.ui.kernel_pca import computing as embeddings
from nysviz.ui.kernel_pca import curve, parts, words
from nysviz.ui.kernel_pca import rows as numbers
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import is_stopped, stop_of
from nysviz.ui.work.runs import Run


@st.fragment
def live(whole: Scene) -> None:
    """Embeddings first, then numbers; the curve over m and the two forms fill in when they are there."""
    answer = st.empty()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        controls, options = st.container(), st.container()
        with controls:
            scene = parts.choose_rows(whole)
            choice = choose_method(scene, options)
        view = parts.choose_view()
        table, notes = st.empty(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    run = None
    with left, page.sentences():
        if is_stopped(("exact embedding", scene.key), "exact kernel PCA"):
            return
        stop = stop_of(("exact embedding", scene.key))
        computed = embeddings.exact_later(scene, stop)
        if not page.ready(computed, page.ANSWER_SECONDS):
            page.wait_for(computed, "Exact kernel PCA", embeddings.exact_seconds(scene), stop)
            return
        exact = computed.result()
        asked, what = (*scene.key, scene.seed, choice), f"{choice.label}, m = {choice.m}"
        if is_stopped(("embedding", asked), what):
            return
        stop = stop_of(("embedding", asked))
        found = embeddings.run_later(scene, choice, exact, stop)
        if not page.ready(found, page.ANSWER_SECONDS):
            seconds = computing.approximation_seconds(scene, choice.m, choice.method, choice.options)
            page.wait_for(found, what, seconds, stop)
            return
        run = found.result()
        left_out = parts.draw_embeddings(scene, choice, exact, run, view)
        answer.markdown(page.unbroken(words.answer(scene, choice, exact, run)))
        table.html(words.numbers(scene, exact, run))
        for note in (*run.approximation.notes, left_out):
            notes.caption(note)
    if run is not None:
        with below_right:
            forms = parts.show_forms(scene, choice, run)
        runs: Run | None = None
        methods: tuple[str, ...] = ()
        with below_left, page.sentences():
            runs, methods = curve.show_curve(scene, exact)
        python = numbers.python(whole, scene, choice, methods, forms)
        told = with_runs(numbers.rows(scene, choice, exact, run, forms), runs, scene.data.name)
        words.close(words.seen(exact, run, forms), choice, python, told)


page.open_page("Does the embedding survive?")
live(shared_sidebar())
