"""When do data-dependent bases win?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.running import follow
from nysviz.ui.two_balls import result, view
from nysviz.ui.two_balls.result import Balls
from nysviz.ui.two_balls.view import controls, own_sidebar


@st.fragment
def live(balls: Balls) -> None:
    """Eigenvectors first, then the accuracies of the table; the trials come in at last."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        m, scale = controls(balls)
        table, notes = st.empty(), st.container()
    curves, eigenvalues, points = st.columns([0.4, 0.32, 0.28], gap="small")
    question = (balls, m, scale)
    with left:
        exact = ask(result.exact, balls, what="Leading eigenvectors of K")
        if exact is None:
            return
        found = ask(result.comparisons, *question, what=f"Approximations, m = {m}")
        if found is None:
            return
        view.draw_eigenvectors(balls, found, m, scale)
    notes.caption("Columns", help=result.ABOUT)
    if note := result.shortfall(exact):
        notes.caption(note)
    with notes:
        scores = ask(result.accuracies, *question, what=f"Linear classifiers, m = {m}")
    answer.markdown(page.unbroken(result.answer(m, scale, found, scores or {})))
    table.html(result.numbers(exact, found, scores or {}))
    with eigenvalues:
        view.draw_eigenvalues(balls, found, m, scale)
    with points:
        view.draw_balls(balls)
    if scores is None:
        return
    run = result.trials(balls, scale)
    with curves:
        follow(run, lambda records, progress: view.draw_accuracy(records, scale), what="Linear classifiers")
    rows = partial(result.rows, balls, m, found, scores, run)
    page.closing("two_balls", result.python(*question), rows)


page.open_page("When do data-dependent bases win?")
live(own_sidebar())
