"""Who wins when all are put against each other?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.papers.records import stamp
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.tournament import result, view
from nysviz.ui.tournament.view import choose, choose_lower, run_again


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right, the ranks at the left, two more pictures below."""
    answer = page.answer_place()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        question = choose()
        table = st.container()
    if len(question.methods) < result.FEWEST_METHODS:
        left.info("Choose two or more contestants on the right.", icon=":material/touch_app:")
        return
    files = stamp()
    with left:
        found = ask(result.answered, files, question, what="Ranks of the recorded tournament")
    if found is None:
        return
    record = result.evidence(files)
    answer.markdown(page.unbroken(result.answer(found, question)))
    if found.standing is not None:
        with left:
            view.draw_ranks(question, found.standing)
        table.html(result.numbers(found))
        table.caption("The test", help=result.test_line(found.standing))
        table.caption("The record", help=result.origin(record))
        st.subheader("Which to take", anchor=False)
        if best := ask(result.best_by, files, what="Ranks at equal cost"):
            st.html(result.advice(best))
        shown = choose_lower()
        if shown == "map":
            view.draw_map(record.board, question, found)
        elif shown == "sets":
            view.draw_sets(question, found.standing)
        elif series := ask(result.predictors, files, what="Rank correlations"):
            view.draw_predictors(record.board, series)
    with st.expander("Run again here"):
        run_again(scene, record.board, question)
    rows = partial(result.rows, record.board, question, found)
    page.closing("tournament", result.python(question, found), rows)


page.open_page("Who wins when all are put against each other?")
live(shared_sidebar("For “Run again here”, with the Gaussian kernel."))
