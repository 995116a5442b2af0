"""Does a good encoding make a good approximation?"""

from collections.abc import Sequence

import streamlit as st

from nysviz.papers.zhang2008.figure2 import cloud
from nysviz.sweep import Progress, Record
from nysviz.ui import page
from nysviz.ui.computing import is_exact
from nysviz.ui.quantization import parts, seen, words
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import at_rest


@st.fragment
def live(scene: Scene) -> None:
    """Points come in as runs finish; the run that was clicked, or the best one, is shown on the data."""
    answer = st.container()
    left, right = st.columns([0.6, 0.4], gap="medium")
    with right:
        choice = parts.choose(scene)
        table = st.container()
    below = st.columns(2, gap="medium")
    landmarks, deviations, close = below[0].container(), below[1].container(), st.container()
    if not choice.methods:
        left.info("Choose a method to see its runs.", icon=":material/scatter_plot:")
        return

    run = parts.start(scene, choice)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        points = cloud(records, choice.methods)
        if not len(points):
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, table, landmarks, deviations, close):
                place.empty()
            st.caption(f"{parts.counted(choice.runs)} under way.")
            return
        with page.sentences():
            told = seen.settled(scene, points)
            found = seen.findings(told)
            answer.markdown(page.unbroken(seen.answer(told, found)))
            table.html(words.numbers(found))
            which = parts.picked(scene, choice, points)
            sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
            runs = f"{parts.counted(len(points))}, m = {choice.m}{sampled}"
            parts.draw_runs(scene, choice, points, which, seen.title(told), f"{runs}; {scene.subtitle}")
            st.caption("Click a point to see its landmarks below.")
            if which is not None:
                with landmarks.container():
                    parts.draw_landmarks(scene, choice, points, which, at_rest(run))
            with deviations.container():
                parts.draw_deviations(told, seen.deviation_title(found), runs)
            with close.container():
                words.close(scene, choice, told, found)

    with left, page.sentences():
        follow(run, draw, what=parts.counted(choice.runs))


page.open_page("Does a good encoding make a good approximation?")
live(shared_sidebar())
