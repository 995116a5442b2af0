"""How fast do the eigenvalues fall, and where is the gap?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.landmarks import METHODS
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.spectrum import result, view
from nysviz.ui.spectrum.view import choose


@st.fragment
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    answer = page.answer_place()
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
            found = ask(result.approximate_eigenvalues, *one, what=what, beside=True)
            if found is not None:
                curves[method] = found
    if values is None:
        return
    reading = result.read(scene, values / scene.data.n, question.ridge)
    answer.markdown(page.unbroken(result.answer(reading)))
    with chart:
        view.draw_spectra(scene, question, reading, curves)
    if reading.gap is None:
        return
    kernel = result.default_kernel(scene)
    with bandwidths:
        if kernel is None:
            st.caption("This kernel has no bandwidth to change.")
        elif spectra := ask(result.spectra, scene.data, kernel, what="Spectra by bandwidth", beside=True):
            view.draw_bandwidths(scene, question, spectra)
    with theorems:
        distances = ask(result.distances, scene, what="Distances of 100 samples", beside=True)
        view.draw_distances(scene, reading, distances)
    table.html(result.numbers(scene, question, reading, distances))
    page.closing(
        "spectrum",
        result.python(scene, question, tuple(curves)),
        partial(result.rows, scene, question, reading, curves, distances),
    )


page.open_page("How fast do the eigenvalues fall, and where is the gap?")
live(shared_sidebar())
