"""What the page "Tournament" shows of the record: ranks, winners, predictors, the rows of the CSV."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.papers.records import FOLDER, ORIGIN, file_of, origins, recorded_of
from nysviz.papers.statistics import interval
from nysviz.papers.tournament.answers import correlations
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.jobs import EXPERIMENT
from nysviz.papers.tournament.standings import Standing, Win, standing, wins
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured
from nysviz.ui.tournament.controls import Question

FEWEST_METHODS = 2
# Criteria by which a best method is named, each with when it counts.
BEST_BY = {
    "error": "for a given m",
    "error_at_equal_evaluations": "for given kernel evaluations",
    "error_at_equal_seconds": "for a given time",
}
# Name, time of change and size of the recorded files: their content.
Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The recorded tournament: its board, and how it was made."""

    board: Board
    origin: dict[str, object]


@dataclass(frozen=True, eq=False)
class Result:
    """What a board says to a question: ranks where it asks, and the winners everywhere."""

    standing: Standing | None
    wins: tuple[Win, ...]


def stamp() -> Stamp:
    """Name the content of the recorded files."""
    files = [file for file in (file_of(EXPERIMENT), FOLDER / ORIGIN) if file.exists()]
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@shared()
def evidence(stamp: Stamp) -> Evidence:
    """Read the recorded tournament."""
    return Evidence(Board(recorded_of(EXPERIMENT)), origins().get(EXPERIMENT, {}))


@shared()
def answered(stamp: Stamp, question: Question) -> Result:
    """Rank the recorded tournament."""
    return ranked(evidence(stamp).board, question)


def ranked(board: Board, question: Question) -> Result:
    """Rank a board as a question asks; nothing where it has fewer than two of the methods."""
    asked = tuple(name for name in board.methods if name in question.methods)
    if len(asked) < FEWEST_METHODS:
        return Result(None, ())
    found = standing(board.values(question.criterion), asked, question.multiples, question.percents)
    return Result(found, tuple(wins(board, question.criterion, asked)))


@shared()
def best_by(stamp: Stamp) -> dict[str, Standing]:
    """Rank all contestants over all bandwidths and m/n by error and by error at equal cost."""
    board = evidence(stamp).board
    found = {name: answered(stamp, Question(name, board.methods)).standing for name in BEST_BY}
    return {name: one for name, one in found.items() if one is not None}


Series = dict[str, list[tuple[float, float, float]]]


@shared()
def predictors(stamp: Stamp) -> Series:
    """Mean rank correlation with the error at each bandwidth, with its interval over the data sets."""
    board = evidence(stamp).board
    found: Series = {"trace of the residual": [], "quantization error": []}
    for multiple in board.multiples:
        of = correlations(board, multiple)
        for name, key in zip(found, ("trace", "quantization"), strict=True):
            found[name].append(interval(np.array(list(of[key].values()))))
    return found


def rows(board: Board, question: Question, result: Result) -> list[dict[str, object]]:
    """Mean ranks, the test, ranks on each data set, and the winner of each cell."""
    one, begin = result.standing, {"criterion": question.criterion}
    if one is None:
        return []
    test = one.test
    found = [
        row
        for name, mean in test.means.items()
        for row in measured({**begin, "method": name}, {"mean_rank": mean})
    ]
    found += measured(
        begin,
        {
            "friedman_chi2": test.chi2,
            "iman_davenport_f": test.f,
            "iman_davenport_p": test.p_f,
            "critical_difference": test.difference,
        },
    )
    for data, places in zip(one.sets, one.places, strict=True):
        n, d = board.sizes[data]
        for name, value in zip(one.methods, places, strict=True):
            head = {**begin, "data": data, "n": n, "d": d, "method": name}
            found += measured(head, {"rank": float(value)})
    for win in result.wins:
        head = {**begin, "width": f"{win.multiple:g}", "percent": win.percent, "method": win.first}
        values = {"winner_mean_rank": win.ranks[0], "second_over_winner": win.ratio, "winner_p": win.p}
        found += measured(head, values)
    return found


def python(question: Question, result: Result) -> str:
    """Write the script."""
    if result.standing is None:
        return "# No data set has runs of all the chosen contestants."
    return f"""from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.standings import standing, wins

board = Board(recorded_of("tournament"))  # made by: python -m nysviz record tournament
methods = {list(result.standing.methods)!r}
found = standing(board.values({question.criterion!r}), methods, {question.multiples!r}, {question.percents!r})
for method, mean in found.test.means.items():
    print(f"method={{method}} mean_rank", mean)
print("friedman_chi2", found.test.chi2)
print("iman_davenport_f", found.test.f)
print("iman_davenport_p", found.test.p_f)
print("critical_difference", found.test.difference)
for data, places in zip(found.sets, found.places):
    for method, rank in zip(found.methods, places):
        print(f"data={{data}} method={{method}} rank", rank)
for win in wins(board, {question.criterion!r}, methods):
    cell = f"width={{win.multiple:g}} percent={{win.percent}} method={{win.first}}"
    print(cell, "winner_mean_rank", win.ranks[0])
    print(cell, "second_over_winner", win.ratio)
    print(cell, "winner_p", win.p)"""
