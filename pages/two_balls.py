"""When do data-dependent bases win?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, two_balls
from nysviz.ui.asking import ask
from nysviz.ui.running import follow
from nysviz.ui.two_balls import Balls


@st.fragment
def live(balls: Balls) -> None:
    """Eigenvectors first, then the accuracies of the table; the trials come in at last."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        m, scale = two_balls.controls(balls)
        table, notes = st.empty(), st.container()
    curves, eigenvalues, points = st.columns([0.4, 0.32, 0.28], gap="small")
    question = (balls, m, scale)
    with left:
        exact = ask(two_balls.exact, balls, what="Leading eigenvectors of K")
        if exact is None:
            return
        found = ask(two_balls.comparisons, *question, what=f"Approximations, m = {m}")
        if found is None:
            return
        two_balls.draw_eigenvectors(balls, found, m, scale)
    notes.caption("Columns", help=two_balls.ABOUT)
    if note := two_balls.shortfall(exact):
        notes.caption(note)
    with notes:
        scores = ask(two_balls.accuracies, *question, what=f"Linear classifiers, m = {m}")
    answer.markdown(page.unbroken(two_balls.answer(m, scale, found, scores or {})))
    table.html(two_balls.numbers(exact, found, scores or {}))
    with eigenvalues:
        two_balls.draw_eigenvalues(balls, found, m, scale)
    with points:
        two_balls.draw_balls(balls)
    if scores is None:
        return
    run = two_balls.trials(balls, scale)
    with curves:
        follow(
            run, lambda records, progress: two_balls.draw_accuracy(records, scale), what="Linear classifiers"
        )
    rows = partial(two_balls.rows, balls, m, found, scores, run)
    page.closing("two_balls", two_balls.python(*question), rows)


page.open_page("When do data-dependent bases win?")
live(two_balls.own_sidebar())
