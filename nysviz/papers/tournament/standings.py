"""Who stands where in the tournament: ranks over data sets, winners by bandwidth and m/n, and its rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.datasets import load
from nysviz.papers.output import aligned
from nysviz.papers.row import Row
from nysviz.papers.tournament.board import CRITERIA, Board, Values
from nysviz.papers.tournament.jobs import arena_of, cost_job, error_jobs
from nysviz.sweep import run_jobs
from nysviz.sweep.friedman import Friedman, friedman, ranked
from nysviz.sweep.ranking import paired_p, significant


@dataclass(frozen=True, eq=False)
class Standing:
    """The methods over the data sets, by one criterion.

    ``sets`` are the N data sets on which every method has a value, and ``places``, (N, k), the mean rank of a
    method within each, over its bandwidths and m/n. The test takes the data sets as independent units, each
    with the ranks of its places.
    """

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    places: FloatArray
    test: Friedman


def standing(
    values: Values,
    methods: Sequence[str],
    multiples: Collection[float] = (),
    percents: Collection[float] = (),
) -> Standing | None:
    """Rank methods within each block, average within each data set, and test over the data sets.

    The blocks of one data set share its points and are not independent: as units of their own they would
    make any difference significant. So each data set has one vote: the order of its mean ranks. Without
    multiples or percents all blocks count. None where no data set has a value of every method, or there are
    fewer than two methods.
    """
    places: dict[str, list[FloatArray]] = defaultdict(list)
    for block, of in values.items():
        asked = (not multiples or block.multiple in multiples) and (not percents or block.percent in percents)
        if asked and all(name in of for name in methods):
            places[block.data].append(ranked(np.array([[of[name] for name in methods]]))[0])
    if not places or len(methods) < 2:
        return None
    means = np.array([np.mean(of, axis=0) for of in places.values()])
    return Standing(tuple(places), tuple(methods), means, friedman(means, methods))


@dataclass(frozen=True)
class Win:
    """The two methods with the smallest mean ranks at one bandwidth and m/n.

    ``ratio`` is the value of the second over that of the first, the geometric mean over the data sets where
    both are finite, and ``best`` the number of sets on which the first has the smallest value, alone or with
    others. ``p`` is that of a two-sided Wilcoxon signed-rank test over the sets of the logarithms of both,
    NaN for fewer than two, and ``sure`` whether it is below 0.05 after Holm's correction over all cells.
    """

    multiple: float
    percent: float
    first: str
    second: str
    ranks: tuple[float, float]
    ratio: float
    best: int
    sets: int
    p: float
    sure: bool


def wins(board: Board, criterion: str, methods: Sequence[str] = ()) -> list[Win]:
    """Return the winner of each bandwidth and m/n, over the data sets that have every method."""
    asked = tuple(methods) or board.methods
    cells: dict[tuple[float, float], list[list[float]]] = defaultdict(list)
    for block, of in board.values(criterion).items():
        if all(name in of for name in asked):
            cells[block.multiple, block.percent].append([of[name] for name in asked])
    found = [_win(cell, np.array(rows), asked) for cell, rows in sorted(cells.items())]
    sure = significant([win.p for win in found])
    return [replace(win, sure=yes) for win, yes in zip(found, sure, strict=True)]


def _win(cell: tuple[float, float], rows: FloatArray, methods: Sequence[str]) -> Win:
    ranks = ranked(rows)
    means = ranks.mean(axis=0)
    first, second = np.argsort(means, kind="stable")[:2]
    logs = np.log(rows[:, [first, second]].T)
    both = np.isfinite(logs).all(axis=0)
    ratio = float(np.exp(np.mean(logs[1, both] - logs[0, both]))) if both.any() else math.inf
    best = int((ranks[:, first] <= ranks.min(axis=1)).sum())
    # For a test of signs and sizes, what cannot be had is worse than anything that can.
    finite = logs[np.isfinite(logs)]
    logs[~np.isfinite(logs)] = finite.max() + np.ptp(finite) + 1.0 if finite.size else 0.0
    p = paired_p(logs[0], logs[1]) if len(rows) > 1 else math.nan
    places = float(means[first]), float(means[second])
    return Win(*cell, methods[first], methods[second], places, ratio, best, len(rows), p, sure=False)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the rows of a data set: errors at five bandwidths, and seconds at the default width.

    ``data`` of a row is the name and the multiple of the default width, ``digits@width=0.25``. A row is a
    mean over the repeats, and its ``repeat`` the number of the last of them. The measures are errors,
    kernel_evaluations and seconds, and with m = 0, for all m together, within_quantization and within_trace:
    rank correlations over the repeats of one method with its Frobenius error.
    """
    arena = arena_of(load(name), seed)
    for finished in run_jobs(error_jobs(arena, repeats=repeats, seed=seed)):
        yield from finished.records
    # Alone, so that nothing slows what is being timed.
    with ThreadPoolExecutor(1) as alone:
        for finished in run_jobs([cost_job(arena, seed=seed)], alone):
            yield from finished.records


def table(rows: Sequence[Row]) -> str:
    """Mean ranks by every criterion with their critical difference, and the winners by error."""
    board = Board(rows)
    found = {criterion: standing(board.values(criterion), board.methods) for criterion in CRITERIA}
    tests = {criterion: one.test for criterion, one in found.items() if one is not None}
    lines = [
        {"": name, **{criterion: f"{test.means[name]:.2f}" for criterion, test in tests.items()}}
        for name in board.methods
    ]
    lines.append({"": "CD 0.05", **{key: f"{test.difference:.2f}" for key, test in tests.items()}})
    lines.append({"": "p (F)", **{key: f"{test.p_f:.1g}" for key, test in tests.items()}})
    won = [
        {
            "× default width": f"{win.multiple:.4g}",
            "m/n, %": f"{win.percent:g}",
            "smallest mean rank": win.first + "*" * win.sure,
            "second": win.second,
            "its error, times": f"{win.ratio:.3g}",
        }
        for win in wins(board, "error")
    ]
    return (
        f"Mean ranks, 1 is the best; data sets, a vote each: {len(board.sets)}\n{aligned(lines)}\n\n"
        f"Winners by error (* significant, Wilcoxon over data sets, Holm)\n{aligned(won)}"
    )
