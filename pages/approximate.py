"""How good is this approximation, and where is it bad?"""

import streamlit as st

from nysviz.ui import computing, page
from nysviz.ui.approximate import parts, words
from nysviz.ui.controls import choose_axes, choose_method, choose_order
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import is_stopped, stop_of


@st.fragment
def live(scene: Scene) -> None:
    """Map first, then numbers and pictures; what needs an eigen-decomposition fills in when it is there."""
    answer = st.empty()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options, view = st.columns(2, gap="small")
        with controls:
            choice = choose_method(scene, options)
        with view, st.popover("Axes and order", width="stretch"):
            axes = choose_axes(scene)
            by = choose_order(scene)
    *pictures, curve = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    below = st.container()
    settings = (scene, choice.method, choice.m, choice.options)
    outcome = None
    with left, page.sentences():
        if choice.method == "svd":
            pairs = computing.eigenpairs_later(scene)
            if not page.ready(pairs, page.ANSWER_SECONDS):
                seconds = computing.decomposition_seconds(scene.data.n, vectors=True)
                page.wait_for(pairs, "All eigenvectors of K", seconds)
                return
        asked, what = (*scene.key, scene.seed, *settings[1:]), f"{choice.label}, m = {choice.m}"
        if is_stopped(("approximation", asked), what):
            return
        stop = stop_of(("approximation", asked))
        found = computing.approximation_later(*settings, stop)
        if not page.ready(found, page.ANSWER_SECONDS):
            seconds = computing.approximation_seconds(scene, choice.m, choice.method, choice.options)
            page.wait_for(found, what, seconds, stop)
            return
        a = found.result()
        parts.draw_map(scene, choice, a, axes)
        for note in a.notes:
            notes.caption(note)
        measuring = None
        if not is_stopped(("errors", asked), "the errors"):
            stop = stop_of(("errors", asked))
            measuring = computing.outcome_later(*settings, stop)
        below.caption(parts.draw_matrices(scene, a, by, pictures))
        spectrum = computing.spectrum_later(scene)
        eigenvalues = spectrum.result() if page.ready(spectrum) else None
        with curve:
            parts.draw_spectrum(scene, choice, a, eigenvalues)
            if eigenvalues is None:
                seconds = computing.decomposition_seconds(scene.data.n)
                page.wait_for(spectrum, "All eigenvalues of K", seconds)
        if measuring is not None:
            if not page.ready(measuring, page.ANSWER_SECONDS):
                page.wait_for(measuring, "Errors", computing.error_seconds(scene, choice.m), stop)
                return
            outcome = measuring.result()
            table.html(words.numbers(scene, outcome, eigenvalues))
            answer.markdown(page.unbroken(words.answer(scene, outcome, eigenvalues)))
    with page.sentences():
        parts.draw_strip(scene, choice, axes)
    if outcome is not None:
        words.close(scene, choice, outcome, eigenvalues)


page.open_page("How good is this approximation, and where is it bad?")
live(shared_sidebar())
