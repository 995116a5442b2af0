"""Does a good encoding make a good approximation?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.papers.zhang2008.figure2 import cloud
from nysviz.sweep import Progress, Record
from nysviz.text import counted
from nysviz.ui import page, quantization
from nysviz.ui.computing import is_exact
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Points come in as runs finish; the run that was clicked, or the best one, is shown on the data."""
    answer = page.answer_place()
    left, right = st.columns([0.6, 0.4], gap="medium")
    with right:
        question = quantization.choose(scene)
        table = st.container()
    below = st.columns(2, gap="medium")
    landmarks, deviations, close = below[0].container(), below[1].container(), st.container()
    if not question.methods:
        left.info("Choose a method to see its runs.", icon=":material/scatter_plot:")
        return
    run, what = quantization.start(scene, question), counted(question.runs, "run")

    def draw(records: Sequence[Record], progress: Progress) -> None:
        points = quantization.settled(scene, cloud(records, question.methods))
        if not len(points):
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, table, landmarks, deviations, close):
                place.empty()
            st.caption(f"{what} under way.")
            return
        found, which = quantization.findings(points), quantization.picked(points, question.m)
        answer.markdown(page.unbroken(quantization.answer(found)))
        table.html(quantization.numbers(found))
        sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
        runs = f"{counted(len(points), 'run')}, m = {question.m}{sampled}"
        quantization.draw_runs(question, points, which, f"{runs}; {scene.subtitle}")
        st.caption("Click a point to see its landmarks below.")
        with landmarks.container():
            quantization.draw_landmarks(scene, question, points, which, at_rest(run))
        with deviations.container():
            quantization.draw_deviations(points, runs)
        with close.container():
            rows = partial(quantization.rows, scene, question, points, found)
            page.closing("quantization", quantization.python(scene, question), rows)

    with left, page.sentences():
        follow(run, draw, what=what)


page.open_page("Does a good encoding make a good approximation?")
live(shared_sidebar())
