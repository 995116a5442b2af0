"""The controls and the charts of the page "Tournament"."""

from __future__ import annotations

import streamlit as st

from nysviz.figures.look import inert
from nysviz.figures.tournament import predictor_chart, rank_chart, set_map, win_map
from nysviz.papers.tournament.board import CRITERIA, Board
from nysviz.papers.tournament.jobs import CONTESTANTS, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import Standing
from nysviz.ui import address, page
from nysviz.ui.inputs import box, pills, segments, several
from nysviz.ui.tournament import result
from nysviz.ui.tournament.result import LABELS, SHORT, Question, Result, Series, in_sigma
from nysviz.ui.unkept import FORMER

LOWER = {"map": "who wins where", "sets": "each data set", "predictors": "what predicts the error"}


def choose() -> Question:
    """Draw the controls of the page."""
    note = (
        "Error is the relative Frobenius error at the same m. Where cost is held equal: the error that a "
        "method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it is last."
    )
    criterion = box("Ranked by", CRITERIA, "tournament_by", names=LABELS, help=note)
    former = {text: NAMES[name] for text, name in FORMER["tournament_methods"].items()}
    address.translate("tournament_methods", former)
    methods = several("Contestants", CONTESTANTS, "tournament_methods", CONTESTANTS, NAMES)
    address.translate("tournament_widths", FORMER["tournament_widths"])
    note = "None chosen: all of them."
    with st.popover("Bandwidth and m / n", width="stretch"):
        multiples = pills("Bandwidth (σ: the default)", MULTIPLES, "tournament_widths", in_sigma, help=note)
        percents = pills("m / n", PERCENTS, "tournament_percents", "{} %".format, help=note)
    return Question(criterion, methods, multiples, percents)


def choose_lower() -> str:
    """Choose what the second picture shows."""
    return segments("Second picture", LOWER, "tournament_third", names=LOWER, label_visibility="collapsed")


def draw_ranks(question: Question, found: Standing) -> None:
    """Draw mean ranks with the critical difference."""
    where = f"{result.in_sets(len(found.sets))}, Gaussian kernel, {question.where}"
    note = "grey: not significantly behind the first"
    title = inert(f"Mean rank by {question.by}"), inert(f"{where}; {note}")
    page.show(rank_chart(found, SHORT, title, page.theme()), "tournament", ": ".join(title))


def draw_map(board: Board, question: Question, found: Result) -> None:
    """Draw who wins where."""
    sigmas = {multiple: in_sigma(multiple) for multiple in board.multiples}
    hovers = [result.hover(win, question) for win in found.wins]
    about = f"by {question.by}, {result.in_sets(found.wins[0].sets)}; faint: not significant"
    title = "The winner at each bandwidth and m / n", inert(about)
    figure = win_map(found.wins, sigmas, PERCENTS, SHORT, hovers, title, page.theme())
    page.show(figure, "tournament_map", title[0])


def draw_sets(question: Question, found: Standing) -> None:
    """Draw the rank of every method on every data set."""
    theme = page.theme()
    strong = "bright" if theme.dark else "dark"
    title = (
        "Rank on each data set",
        f"by {question.by}, {question.where}; means over the sets are the mean ranks; {strong} is ahead",
    )
    page.show(set_map(found, SHORT, title, theme), "tournament_lower", title[0])


def draw_predictors(board: Board, series: Series) -> None:
    """Draw what predicts the error at each bandwidth."""
    sigmas = [in_sigma(multiple) for multiple in board.multiples]
    title = (
        "What predicts the error of a method?",
        f"rank correlation over the methods, mean of {result.in_sets(len(board.sets))}, 95 % intervals",
    )
    page.show(predictor_chart(sigmas, series, title, page.theme()), "tournament_lower", title[0])
