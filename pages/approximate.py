"""How good is this approximation, and where is it bad?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.landmarks import METHODS
from nysviz.ui import approximate, computing, page
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_axes, choose_method, choose_order
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Map first, then numbers and pictures; what needs an eigen-decomposition fills in when it is there."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options, looks = st.columns(2, gap="small")
        with controls:
            choice = choose_method(scene, options)
        with looks, st.popover("Axes and order", width="stretch"):
            axes = choose_axes(scene)
            by = choose_order(scene)
    *pictures, curve = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        a = ask(
            computing.approximation,
            *question,
            what=f"{choice.label}, m = {choice.m}",
            seconds=computing.seconds(*question),
        )
        if a is None:
            return
        approximate.draw_map(scene, choice, a, axes)
    for note in a.notes:
        notes.caption(note)
    approximate.draw_matrices(scene, a, by, pictures)
    with curve:
        eigenvalues = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K", beside=True)
        approximate.draw_spectrum(scene, choice, a, eigenvalues)
    outcome = ask(computing.outcome, *question, what="Errors")
    asked = (scene, choice.method, choice.options, axes)
    steps = ask(approximate.strip, *asked, what="Steps of the strip", beside=True)
    if steps is not None:
        approximate.draw_strip(scene, choice, axes, steps)
    if outcome is not None:
        table.html(approximate.numbers(scene, outcome, eigenvalues))
        answer.markdown(page.unbroken(approximate.answer(scene, outcome, eigenvalues)))
        # Random features have texts of their own.
        data_dependent = METHODS[choice.method].data_dependent
        page.closing(
            "approximate" if data_dependent else "approximate_random_features",
            approximate.python(scene, choice),
            approximate.rows(scene, choice, outcome, eigenvalues),
            a.landmarks,
        )


page.open_page("How good is this approximation, and where is it bad?")
live(shared_sidebar())
