"""Who wins when all are put against each other?"""

from functools import partial

import streamlit as st

from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.tournament import parts, pictures, words
from nysviz.ui.tournament import rows as tidy
from nysviz.ui.tournament.again import run_again
from nysviz.ui.tournament.follows import follows
from nysviz.ui.tournament.seen import MATHS, SOURCE, seen


@st.fragment
def live(scene: Scene, found: parts.Evidence) -> None:
    """Controls at the right, the ranks at the left, two more pictures below."""
    answer = st.container()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        question = parts.ask()
        table = st.container()
    if len(question.methods) < parts.FEWEST_METHODS:
        left.info("Choose two or more contestants on the right.", icon=":material/touch_app:")
        return
    result = parts.result_of(found, question)
    answer.markdown(page.unbroken(words.answer(result, question)))
    if result.standing is not None:
        with left:
            pictures.show_ranks(found, question, result)
        table.html(words.numbers(result, result.wins))
        table.caption(words.test_line(result.standing))
        shown = parts.ask_third()
        second, third = st.columns(2, gap="medium")
        with second:
            pictures.show_map(found, question, result)
        with third:
            pictures.show_third(found, question, result, shown)
        st.subheader("What follows for a practitioner", anchor=False)
        st.markdown(parts.kept(found, "follows", follows))
        st.caption(f"{words.origin(found)} {words.settings()}")
    run_again(scene, found, question)
    page.closing(
        seen(result, question, found.board),
        MATHS,
        tidy.python(question, result),
        SOURCE,
        partial(tidy.rows, found, question, result),
    )


page.open_page("Who wins when all are put against each other?")
chosen = shared_sidebar(
    "Data set and seed are for “Run again here” at the end of the page. The tournament has the Gaussian "
    "kernel at widths of its own."
)
with page.sentences():
    read = parts.evidence_later()
    if page.ready(read, page.ANSWER_SECONDS):
        live(chosen, read.result())
    else:
        page.wait_for(read, "Reading the recorded tournament", parts.READING_SECONDS)
