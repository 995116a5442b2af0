"""What does a clever choice gain over a random one, by bandwidth and rank?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.sweep import Progress, Record
from nysviz.ui import page
from nysviz.ui.lift import result, view
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    below = st.container()
    with right, page.sentences():
        question = view.choose(scene)
        table = st.container()
        if not question.schemes:
            left.info("Choose a method on the right.", icon=":material/touch_app:")
            return
        run = result.run_of(question)
        over = run.done
        if more := result.going_on(question, run.records()) if over else ():
            run = result.run_of(question, more)

        def draw(records: Sequence[Record], progress: Progress) -> None:
            found = result.measured_by(question, records)
            if question.view == "seconds":
                said, numbers = result.costs_answer(question, found)
                view.draw_seconds(question, found)
            else:
                said, numbers = result.lift_answer(question, found)
                view.draw_lift(question, found)
            answer.markdown(page.unbroken(said))
            table.html(numbers)

        with left:
            follow(run, draw, what="Runs")
        if run.done and not over:
            # It was over while it was drawn: those that have more repeats are next.
            st.rerun()
        with below:
            if at_rest(run) and question.view != "seconds":
                view.draw_behind(question, result.measured_by(question, run.records()))
            script = result.python(scene, question, more)
            page.closing("lift", script, partial(result.rows, scene, question, run))


page.open_page("What does a clever choice gain over a random one, by bandwidth and rank?")
live(shared_sidebar("The Gaussian kernel at a range of bandwidths."))
