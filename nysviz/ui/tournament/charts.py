"""The charts of the page "Tournament"."""

from __future__ import annotations

import numpy as np

from nysviz.figures.tournament import predictor_chart, rank_chart, set_map, win_map
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.jobs import PERCENTS
from nysviz.papers.tournament.standings import Standing
from nysviz.ui import page
from nysviz.ui.tournament import text
from nysviz.ui.tournament.controls import SHORT, Question, in_sigma
from nysviz.ui.tournament.result import Result, Series


def draw_ranks(question: Question, found: Standing) -> None:
    """Draw mean ranks with the critical difference."""
    title = text.rank_title(found, question)
    page.show(rank_chart(found, SHORT, title, page.theme()), "tournament", title[0])


def draw_map(board: Board, question: Question, result: Result) -> None:
    """Draw who wins where."""
    sigmas = {multiple: in_sigma(multiple) for multiple in board.multiples}
    hovers = [text.hover(win, question) for win in result.wins]
    title = text.map_title(result.wins, question)
    figure = win_map(result.wins, sigmas, PERCENTS, SHORT, hovers, title, page.theme())
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
    trace, quantization = (np.array(values) for values in series.values())
    clear = int((trace[:, 1] > quantization[:, 2]).sum())
    title = (
        f"The trace clearly tells more of the error at {clear} of {len(sigmas)} bandwidths",
        f"rank correlation over the methods, mean of {text.in_sets(len(board.sets))}, 95 % intervals",
    )
    page.show(predictor_chart(sigmas, series, title, page.theme()), "tournament_lower", title[0])
