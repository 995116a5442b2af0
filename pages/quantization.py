"""Does a good encoding make a good approximation?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.papers.zhang2008.figure2 import cloud
from nysviz.sweep import Progress, Record
from nysviz.text import counted
from nysviz.ui import page
from nysviz.ui.computing import is_exact
from nysviz.ui.quantization import result, view
from nysviz.ui.quantization.view import choose
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Points come in as runs finish; the run that was clicked, or the best one, is shown on the data."""
    answer = page.answer_place()
    left, right = st.columns([0.6, 0.4], gap="medium")
    with right:
        question = choose(scene)
        table = st.container()
    below = st.columns(2, gap="medium")
    landmarks, deviations, close = below[0].container(), below[1].container(), st.container()
    if not question.methods:
        left.info("Choose a method to see its runs.", icon=":material/scatter_plot:")
        return
    run, what = result.start(scene, question), counted(question.runs, "run")

    def draw(records: Sequence[Record], progress: Progress) -> None:
        points = result.settled(scene, cloud(records, question.methods))
        if not len(points):
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, table, landmarks, deviations, close):
                place.empty()
            st.caption(f"{what} under way.")
            return
        found, which = result.findings(points), view.picked(points, question.m)
        answer.markdown(page.unbroken(result.answer(found)))
        table.html(result.numbers(found))
        sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
        runs = f"{counted(len(points), 'run')}, m = {question.m}{sampled}"
        view.draw_runs(question, points, which, found, f"{runs}; {scene.subtitle}")
        st.caption("Click a point to see its landmarks below.")
        with landmarks.container():
            view.draw_landmarks(scene, question, points, which, at_rest(run))
        with deviations.container():
            view.draw_deviations(points, found, runs)
        with close.container():
            rows = partial(result.rows, scene, question, points, found)
            page.closing("quantization", result.python(scene, question), rows)

    with left, page.sentences():
        follow(run, draw, what=what)


page.open_page("Does a good encoding make a good approximation?")
live(shared_sidebar())
