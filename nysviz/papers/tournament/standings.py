"""The rows of a tournament as a board, mean ranks of its methods over data sets, and winners of cells."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nysviz.datasets import load
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.output import aligned
from nysviz.papers.records import Row
from nysviz.papers.tournament import jobs
from nysviz.sweep import run_jobs
from nysviz.sweep.ranking import Friedman, friedman, paired_p, ranked, significant

# Comparisons at equal cost use the cost of this method: it is cheap and takes any m.
REFERENCE = "rpcholesky"
MEASURE_OF = {
    "error": "relative_frobenius",
    "trace": "relative_trace",
    "quantization": "quantization",
    "seconds": "seconds",
    "evaluations": "kernel_evaluations",
}
COST_OF = {"error_at_equal_seconds": "seconds", "error_at_equal_evaluations": "kernel_evaluations"}
CRITERIA = (*MEASURE_OF, *COST_OF)


class Block(NamedTuple):
    """One data set at one bandwidth, a multiple of its default width, and m in per cent of its rows."""

    data: str
    multiple: float
    percent: float


Values = dict[Block, dict[str, float]]
CostCurve = Sequence[tuple[float, float]]


@lru_cache(maxsize=64)
def _levels(n: int) -> dict[int, float]:
    """Return the requested per cent for each number of landmarks m of n rows."""
    return {jobs.count_of(n, level): level for level in (*jobs.PERCENTS, 20, 40)}


class TournamentBoard:
    """Numbers of a tournament, recorded or live; rows of other experiments are left out."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.sizes: dict[str, tuple[int, int]] = {}
        self.repeats = 0
        # Rank correlations among runs at one m: (data, multiple, method) by predictor.
        self.within: dict[str, dict[tuple[str, float, str], float]] = defaultdict(dict)
        self._numbers: dict[str, Values] = defaultdict(lambda: defaultdict(dict))
        for row in rows:
            if row.experiment != jobs.EXPERIMENT:
                continue
            name, multiple = jobs.split_label(row.data)
            self.sizes[name] = (row.n, row.d)
            self.repeats = max(self.repeats, row.repeat + 1)
            if row.m:
                percent = _levels(row.n).get(row.m, 100.0 * row.m / row.n)
                self._numbers[row.measure][Block(name, multiple, percent)][row.method] = row.value
            else:
                self.within[row.measure][name, multiple, row.method] = row.value
        self.sets = tuple(self.sizes)
        self.multiples = tuple(sorted({block.multiple for block in self._numbers["relative_frobenius"]}))
        methods_present = {
            name for values in self._numbers.values() for by_method in values.values() for name in by_method
        }
        self.methods = tuple(name for name in jobs.CONTESTANTS if name in methods_present)

    def blocks(self) -> list[Block]:
        """Return the blocks in which methods are compared: every data set, bandwidth and m/n."""
        values = self._numbers["relative_frobenius"]
        return sorted(block for block in values if block.percent in jobs.PERCENTS)

    def number(self, block: Block, method: str, measure: str) -> float:
        """Return one number, NaN where there is none. Seconds are those at the default width."""
        if measure == "seconds":
            block = block._replace(multiple=1.0)
        return self._numbers[measure].get(block, {}).get(method, math.nan)

    def numbers(self, blocks: Sequence[Block], methods: Sequence[str], measure: str) -> FloatArray:
        """Return the numbers of one measure, (blocks, methods)."""
        return np.array([[self.number(block, name, measure) for name in methods] for block in blocks])

    def curve(self, data: str, multiple: float, method: str, cost: str) -> list[tuple[float, float]]:
        """Return cost and relative Frobenius error of a method at every m that it has run with."""
        blocks = [Block(data, multiple, percent) for percent in jobs.levels_of(method)]
        pairs = [
            (self.number(block, method, cost), self.number(block, method, "relative_frobenius"))
            for block in blocks
        ]
        return [pair for pair in pairs if not any(map(math.isnan, pair))]

    def values(self, criterion: str) -> Values:
        """Return the values to rank by, block → method; infinite where the cheapest run costs more."""
        ranking_values: Values = {}
        for (data, multiple), group in groupby(self.blocks(), key=lambda block: block[:2]):
            blocks = list(group)
            if cost := COST_OF.get(criterion):
                budgets = self.numbers(blocks, [REFERENCE], cost)[:, 0]
                curves = (self.curve(data, multiple, name, cost) for name in self.methods)
                values = np.transpose([error_at(curve, budgets) for curve in curves])
            else:
                values = self.numbers(blocks, self.methods, MEASURE_OF[criterion])
            for block, row in zip(blocks, values.tolist(), strict=True):
                pairs = zip(self.methods, row, strict=True)
                ranking_values[block] = {name: value for name, value in pairs if not math.isnan(value)}
        return {block: by_method for block, by_method in ranking_values.items() if by_method}


def pareto_front(runs: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the runs, pairs (cost, error), that no run with a smaller cost equals in error; costs ascend."""
    front: list[tuple[float, float]] = []
    for cost, error in sorted(runs):
        if not front or error < front[-1][1]:
            front.append((cost, error))
    return front


def error_at(curve: CostCurve, costs: ArrayLike) -> FloatArray:
    """Return a method's error at each cost, from runs at several m given as pairs (cost, error).

    Between two runs the logarithm of the error is linear in the logarithm of the cost. Above the most
    expensive run its error stays, since nothing better was measured; below the cheapest one the error is
    infinite. A run that costs more without being better is left out; without runs it is NaN.
    """
    front = pareto_front(curve)
    if not front:
        return np.full(np.shape(costs), math.nan)
    spent, errors = np.log(front).T
    return np.where(np.less(costs, front[0][0]), math.inf, np.exp(np.interp(np.log(costs), spent, errors)))


@dataclass(frozen=True, eq=False)
class Standing:
    """Mean ranks of the methods within each data set, ``places`` (N, k), and their Friedman test."""

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
    """Rank methods in each block, average the ranks by data set, and test; None with too few values."""
    complete = {
        block: [by_method[name] for name in methods]
        for block, by_method in values.items()
        if (not multiples or block.multiple in multiples) and (not percents or block.percent in percents)
        if all(name in by_method for name in methods)
    }
    if not complete or len(methods) < 2:
        return None
    places: dict[str, list[FloatArray]] = defaultdict(list)
    for block, ranks in zip(complete, ranked(np.array([*complete.values()])), strict=True):
        places[block.data].append(ranks)
    means = np.array([np.mean(ranks, axis=0) for ranks in places.values()])
    return Standing(tuple(places), tuple(methods), means, friedman(means, methods))


@dataclass(frozen=True)
class Win:
    """The two methods with the smallest mean ranks at one bandwidth and m/n, and whether that is ``sure``."""

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


def wins(board: TournamentBoard, criterion: str, methods: Sequence[str] = ()) -> list[Win]:
    """Return the winner of each bandwidth and m/n, over the data sets that have every method."""
    ranked_methods = tuple(methods) or board.methods
    cells: dict[tuple[float, float], list[list[float]]] = defaultdict(list)
    for block, by_method in board.values(criterion).items():
        if all(name in by_method for name in ranked_methods):
            cells[block.multiple, block.percent].append([by_method[name] for name in ranked_methods])
    results = [_win(cell, np.array(rows), ranked_methods) for cell, rows in sorted(cells.items())]
    sure = significant([win.p for win in results])
    return [replace(win, sure=yes) for win, yes in zip(results, sure, strict=True)]


def _win(cell: tuple[float, float], rows: FloatArray, methods: Sequence[str]) -> Win:
    ranks = ranked(rows)
    means = ranks.mean(axis=0)
    first, second = np.argsort(means, kind="stable")[:2]
    logs = np.log(rows[:, [first, second]].T)
    both = np.isfinite(logs).all(axis=0)
    ratio = float(np.exp(np.mean(logs[1, both] - logs[0, both]))) if both.any() else math.inf
    best = int((ranks[:, first] <= ranks.min(axis=1)).sum())
    # For a test of signs and sizes, an infinite error is worse than any finite one.
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
    arena = jobs.arena_of(load(name), seed)
    for finished in run_jobs(jobs.error_jobs(arena, repeats=repeats, seed=seed)):
        yield from finished.records
    # One at a time, so that other runs do not slow them.
    yield from jobs.seconds(arena, seed)


def table(rows: Sequence[Row]) -> str:
    """Return a text table of mean ranks by every criterion, and of the winners by error."""
    board = TournamentBoard(rows)
    standings = {criterion: standing(board.values(criterion), board.methods) for criterion in CRITERIA}
    tests = {criterion: result.test for criterion, result in standings.items() if result is not None}
    lines = [
        {"": name, **{criterion: f"{test.means[name]:.2f}" for criterion, test in tests.items()}}
        for name in board.methods
    ]
    lines.append({"": "CD 0.05", **{key: f"{test.difference:.2f}" for key, test in tests.items()}})
    lines.append({"": "p (F)", **{key: f"{test.p_f:.1g}" for key, test in tests.items()}})
    won = [
        {
            "bandwidth": name_bandwidth(win.multiple),
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
