"""Who wins when all are put against each other?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.papers.records import stamp
from nysviz.ui import page, tournament
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right, the ranks at the left, two more pictures below."""
    answer = page.answer_place()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        question = tournament.choose()
        table = st.container()
    if len(question.methods) < 2:
        left.info("Choose two or more contestants on the right.", icon=":material/touch_app:")
        return
    files = stamp()
    with left:
        found = ask(tournament.answered, files, question, what="Ranks of the recorded tournament")
    if found is None:
        return
    record = tournament.recorded(files)
    answer.markdown(page.unbroken(tournament.answer(found, question)))
    if found.standing is not None:
        with left:
            tournament.draw_ranks(question, found.standing)
        table.html(tournament.numbers(found))
        table.caption("The test", help=tournament.test_line(found.standing))
        table.caption("The record", help=tournament.origin(record))
        st.subheader("Which to take", anchor=False)
        if best := ask(tournament.best_by, files, what="Ranks at equal cost"):
            st.markdown(tournament.advice(best))
        tournament.draw_lower(files, record, question, found, found.standing)
    with st.expander("Run again here"):
        tournament.run_again(scene, record, question)
    rows = partial(tournament.rows, record, question, found)
    page.closing("tournament", tournament.python(question, found), rows)


page.open_page("Who wins when all are put against each other?")
live(shared_sidebar("For “Run again here”, with the Gaussian kernel."))
