"""How fast do the eigenvalues fall, and where is the gap?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.landmarks import METHODS
from nysviz.ui import computing, page
from nysviz.ui.asking import BESIDE_SECONDS, ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.spectrum import charts, result, text
from nysviz.ui.spectrum.controls import choose


@st.fragment
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    answer = st.empty()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        question = choose(scene)
        table = st.empty()
    bandwidths, theorems = st.columns([0.5, 0.5], gap="medium")
    with left:
        chart, curves = st.container(), {}
        values = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K")
        for method in question.methods:
            what, one = f"{METHODS[method].label}, m = {question.m}", (scene, method, question.m)
            found = ask(result.approximate_eigenvalues, *one, what=what, patience=BESIDE_SECONDS)
            if found is not None:
                curves[method] = found
    if values is None:
        return
    reading = result.read(scene, values / scene.data.n, question.ridge)
    answer.markdown(page.unbroken(text.answer(reading)))
    with chart:
        charts.draw_spectra(scene, question, reading, curves)
    if reading.gap is None:
        return
    kernel = result.default_kernel(scene)
    with bandwidths:
        if kernel is None:
            st.caption("This kernel has no bandwidth to move.")
        elif spectra := ask(result.spectra, scene.data, kernel, what="Spectra by bandwidth", beside=True):
            charts.draw_bandwidths(scene, question, spectra)
    with theorems:
        distances = ask(result.distances, scene, what="Distances of 100 samples", beside=True)
        charts.draw_distances(scene, reading, distances)
    table.html(text.numbers(scene, question, reading, distances))
    page.closing(
        text.explanation(scene, question, reading),
        text.MATHS,
        result.python(scene, question, tuple(curves)),
        text.SOURCE,
        partial(result.rows, scene, question, reading, curves, distances),
    )


page.open_page("How fast do the eigenvalues fall, and where is the gap?")
live(shared_sidebar())
