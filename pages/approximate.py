"""How good is this approximation, and where is it bad?"""

import streamlit as st

from nysviz.ui import approximate as parts
from nysviz.ui import computing, page
from nysviz.ui.controls import choose_axes, choose_method, choose_order
from nysviz.ui.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Map first, then numbers and pictures; what needs an eigen-decomposition fills in when it is there."""
    answer = st.empty()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        choice = choose_method(scene)
        table = st.empty()
        notes = st.container()
        with st.popover("Axes of the map, order of the rows", width="stretch"):
            axes = choose_axes(scene)
            by = choose_order(scene)
    *pictures, curve = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    below = st.container()
    with left, page.sentences():
        if choice.method == "svd":
            pairs = computing.eigenpairs_later(scene)
            if not page.ready(pairs):
                seconds = computing.decomposition_seconds(scene.data.n, vectors=True)
                page.wait_for(pairs, "All eigenvectors of K", seconds)
                return
        a = computing.approximation(scene, choice.method, choice.m, choice.options)
        parts.draw_map(scene, choice, a, axes)
        for note in a.notes:
            notes.caption(note)
        spectrum = computing.spectrum_later(scene)
        eigenvalues = spectrum.result() if page.ready(spectrum) else None
        measured = computing.errors_of(scene, choice.method, choice.m, choice.options)
        e = parts.quantization_of(scene, choice, a)
        table.html(parts.numbers(scene, a, measured, eigenvalues, e))
        answer.markdown(parts.answer(scene, a, measured, eigenvalues))
        below.caption(parts.draw_matrices(scene, a, by, pictures))
        with curve:
            parts.draw_spectrum(scene, choice, a, eigenvalues)
            if eigenvalues is None:
                page.wait_for(spectrum, "All eigenvalues of K", computing.decomposition_seconds(scene.data.n))
    with page.sentences():
        parts.draw_strip(scene, choice, axes)


page.open_page("How good is this approximation, and where is it bad?")
live(shared_sidebar())
