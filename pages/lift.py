"""What does a clever choice gain over a random one, by bandwidth and rank?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from nysviz.sweep import Progress, Record
from nysviz.ui import page
from nysviz.ui.lift import parts, pictures, words
from nysviz.ui.lift import rows as lift_rows
from nysviz.ui.lift.seen import seen
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import at_rest


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    below = st.container()
    with right, page.sentences():
        question = parts.ask(scene)
        table = st.container()
        for note in words.notes(scene, question):
            st.caption(note)
        if not question.schemes:
            left.info("Choose a method on the right.", icon=":material/touch_app:")
            return
        run = parts.run_of(question)

        def draw(records: Sequence[Record], progress: Progress) -> None:
            theme = page.theme()
            if question.view == "seconds":
                answer.markdown(page.unbroken(words.cost_answer(question, records)))
                table.html(words.cost_numbers(question, records))
                title = words.cost_title(question, records)
                page.show(pictures.draw_seconds(question, records, title, theme), "lift", title)
            else:
                answer.markdown(page.unbroken(words.answer(question, records)))
                table.html(words.numbers(question, records))
                title = words.title(question, records)
                page.show(pictures.draw_lift(question, records, title, theme), "lift", title)

        with left:
            follow(run, draw, what="Runs")
        with below:
            behind(scene, question, run.records() if at_rest(run) else ())


def behind(scene: Scene, question: parts.Question, records: Sequence[Record]) -> None:
    """The errors behind the lift, what was seen, and the source; once all runs are there, or on Stop."""
    if records and question.view != "seconds":
        pictures.show_errors(question, records)
    rows = partial(lift_rows.rows, scene, question, records)
    page.closing(seen(question, records), words.MATHS, lift_rows.python(scene, question), words.SOURCE, rows)


page.open_page("What does a clever choice gain over a random one, by bandwidth and rank?")
live(shared_sidebar("This page has the Gaussian kernel at a range of bandwidths of its own."))
