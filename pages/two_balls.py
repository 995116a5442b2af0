"""When do data-dependent bases win?"""

from collections.abc import Sequence

import streamlit as st

from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Job, Progress, Record
from nysviz.ui import page
from nysviz.ui.running import follow, running
from nysviz.ui.two_balls import parts, pictures, words
from nysviz.ui.work.runs import Run


def trials(balls: parts.Balls, scale: str) -> Run:
    """Accuracy of all methods at every m, trial by trial; return the run."""

    def draw(records: Sequence[Record], progress: Progress) -> None:
        pictures.draw_accuracy(balls, records, scale)

    def jobs() -> Sequence[Job]:
        scales, problem = dict.fromkeys(figure1.METHODS, scale), figure1.problem_of(balls.data, balls.sigma)
        return figure1.accuracy_jobs(problem, scales, figure1.MS, figure1.TRIALS, balls.seed)

    run = running(
        ("two balls accuracy", *balls.key, scale, balls.seed, figure1.TRIALS), jobs, rows=balls.data.n
    )
    total = len(figure1.METHODS) * len(figure1.MS) * figure1.TRIALS
    follow(run, draw, what=f"{total} linear machines")
    return run


@st.fragment
def live(balls: parts.Balls) -> None:
    """Eigenvectors first, then the numbers and the answer; the trials come in at last."""
    answer = st.empty()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        m = parts.choose_count(balls)
        scale = parts.choose_scale()
        table, notes = st.empty(), st.container()
    curves, eigenvalues, points = st.columns([0.4, 0.32, 0.28], gap="small")
    with page.sentences():
        exact = parts.exact_later(balls)
        with points:
            pictures.draw_balls(balls)
        named = ((parts.NYSTROEM, ""), ("rff", scale))
        if not page.ready(exact, page.ANSWER_SECONDS):
            with left:
                page.wait_for(exact, "Leading eigenvectors of K", parts.exact_seconds(balls))
            with eigenvalues:
                known = {case: parts.pairs(balls, case[0], m, case[1]) for case in named}
                pictures.draw_eigenvalues(balls, None, known, m)
            return
        found, cases = exact.result(), parts.cases(scale)
        rows = [parts.compare(balls, found, method, m, each) for method, each in cases]
        shown = [row for row, case in zip(rows, cases, strict=True) if case in named]
        asked = [parts.accuracies_later(balls, [case], m, urgent=True) for case in named]
        with left:
            pictures.draw_eigenvectors(balls, found, shown, m)
        answer.markdown(page.unbroken(words.answer(m, {}, shown)))
        table.html(words.numbers(found, rows, {}))
        with eigenvalues:
            known = {(row.method, row.scale): row.pairs for row in shown}
            pictures.draw_eigenvalues(balls, found, known, m)
        for note in (words.shortfall(found), words.ABOUT):
            if note:
                notes.caption(note)
        for i, future in enumerate(asked):
            if not page.ready(future, parts.ANSWER_SECONDS):
                with notes:
                    seconds = parts.accuracies_seconds(balls, named[i:], m)
                    page.wait_for(future, f"Linear machines, m = {m}", seconds)
                return
        scores = {case: future.result()[0] for case, future in zip(named, asked, strict=True)}
        answer.markdown(page.unbroken(words.answer(m, scores, shown)))
        table.html(words.numbers(found, rows, scores))
        others = [case for case in cases if case not in named]
        rest = parts.accuracies_later(balls, others, m, urgent=False)
        with curves:
            run = trials(balls, scale)
        if page.ready(rest):
            scores |= dict(zip(others, rest.result(), strict=True))
            table.html(words.numbers(found, rows, scores))
        else:
            with notes:
                seconds = parts.accuracies_seconds(balls, others, m)
                page.wait_for(rest, "Accuracy of the other rows", seconds)
        words.close(balls, m, scale, found, rows, scores, run)


page.open_page("When do data-dependent bases win?")
live(parts.own_sidebar())
