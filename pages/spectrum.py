"""How fast do the eigenvalues fall, and where is the gap?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.landmarks import METHODS
from nysviz.ui import computing, page, spectrum
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    answer = page.answer_place()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        question = spectrum.choose(scene)
        table = st.empty()
    bandwidths, theorems = st.columns([0.5, 0.5], gap="medium")
    with left:
        chart, curves = st.container(), {}
        values = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K")
        for method in question.methods:
            what, one = f"{METHODS[method].label}, m = {question.m}", (scene, method, question.m)
            found = ask(spectrum.approximate_eigenvalues, *one, what=what, beside=True)
            if found is not None:
                curves[method] = found
    if values is None:
        return
    reading = spectrum.read(scene, values / scene.data.n, question.ridge)
    answer.markdown(page.unbroken(spectrum.answer(reading)))
    with chart:
        spectrum.draw_spectra(scene, question, reading, curves)
    if reading.gap is None:
        return
    kernel = spectrum.default_kernel(scene)
    with bandwidths:
        if kernel is None:
            st.caption("This kernel has no bandwidth to change.")
        elif spectra := ask(spectrum.spectra, scene.data, kernel, what="Spectra by bandwidth", beside=True):
            spectrum.draw_bandwidths(scene, question, spectra)
    with theorems:
        distances = ask(spectrum.distances, scene, what="Distances of 100 samples", beside=True)
        spectrum.draw_distances(scene, reading, distances)
    table.html(spectrum.numbers(scene, question, reading, distances))
    page.closing(
        "spectrum",
        spectrum.python(scene, question, tuple(curves)),
        partial(spectrum.rows, scene, question, reading, curves, distances),
    )


page.open_page("How fast do the eigenvalues fall, and where is the gap?")
live(shared_sidebar())
