"""The pictures of the page "Tournament"."""

from __future__ import annotations

import numpy as np

from nysviz.figures.tournament import Title, rank_chart
from nysviz.figures.tournament_maps import Grid, set_map, win_map
from nysviz.figures.tournament_predictors import predictor_chart
from nysviz.papers.statistics import interval
from nysviz.papers.tournament.answers import correlations, times_width
from nysviz.papers.tournament.setting import PERCENTS
from nysviz.ui import page
from nysviz.ui.tournament import words
from nysviz.ui.tournament.parts import SHORT, Evidence, Question, Result, kept

PREDICTORS = {"trace": "trace of the residual", "quantization": "quantization error"}
Series = dict[str, list[tuple[float, float, float]]]


def show_ranks(found: Evidence, question: Question, result: Result) -> None:
    """Mean ranks with the critical difference."""
    if result.standing is None:
        return
    title = words.rank_title(result.standing, question)
    page.show(
        rank_chart(result.standing, SHORT, title, page.theme()), "tournament", words.alt(result, question)
    )


def show_map(found: Evidence, question: Question, result: Result) -> None:
    """Who wins where."""
    board = found.board
    grid = Grid(board.multiples, [times_width(multiple) for multiple in board.multiples], PERCENTS)
    told = {(win.multiple, win.percent): words.told(win, words.value_name(question)) for win in result.wins}
    title = words.map_title(result.wins, question, len(board.sets))
    page.show(win_map(result.wins, grid, SHORT, told, title, page.theme()), "tournament_map", title.text)


def show_third(found: Evidence, question: Question, result: Result, shown: str) -> None:
    """Ranks on each data set, or what predicts the error."""
    if shown == "sets" and result.standing is not None:
        theme = page.theme()
        strong = "bright" if theme.dark else "dark"
        title = Title(
            "Mean rank on each data set", f"by {question.by}, {words.where(question)}; {strong} is ahead"
        )
        page.show(set_map(result.standing, SHORT, title, theme), "tournament_lower", title.text)
        return
    series = kept(found, "predictors", predictors)
    names = [times_width(multiple) for multiple in found.board.multiples]
    trace, quantization = (series[name] for name in PREDICTORS.values())
    ahead = sum(a[0] > b[0] for a, b in zip(trace, quantization, strict=True))
    title = Title(
        f"The trace tells more of the error at {ahead} of {len(names)} bandwidths",
        f"rank correlation over the methods, mean of {words.sets_told(len(found.board.sets))}, 95 % "
        "intervals",
    )
    page.show(predictor_chart(names, series, title, page.theme()), "tournament_lower", title.text)


def predictors(evidence: Evidence) -> Series:
    """Mean rank correlation with the error at each bandwidth, with its interval over the data sets."""
    board = evidence.board
    found: Series = {name: [] for name in PREDICTORS.values()}
    for multiple in board.multiples:
        one = correlations(board, multiple)
        for key, name in PREDICTORS.items():
            found[name].append(interval(np.array(list(one[key].values()))))
    return found
