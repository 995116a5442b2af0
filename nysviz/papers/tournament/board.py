"""The rows of a tournament as a board: a number for each data set, bandwidth, m/n, method and measure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.papers.row import Row
from nysviz.papers.tournament.jobs import (
    CONTESTANTS,
    EXPERIMENT,
    PERCENTS,
    count_of,
    levels_of,
    split_label,
)

# At whose cost methods are compared where cost is held equal: it is dear to nobody and takes any number of m.
REFERENCE = "rpcholesky"
MEASURE_OF = {
    "error": "relative_frobenius",
    "trace": "relative_trace",
    "quantization": "quantization",
    "seconds": "seconds",
    "evaluations": "kernel_evaluations",
    "error_at_equal_seconds": "relative_frobenius",
    "error_at_equal_evaluations": "relative_frobenius",
}
CRITERIA = tuple(MEASURE_OF)
COST_OF = {"error_at_equal_seconds": "seconds", "error_at_equal_evaluations": "kernel_evaluations"}


@dataclass(frozen=True, order=True)
class Block:
    """One data set at one bandwidth, a multiple of its default width, and m in per cent of its rows."""

    data: str
    multiple: float
    percent: float


Values = dict[Block, dict[str, float]]
Curve = Sequence[tuple[float, float]]


class Board:
    """Numbers of a tournament, recorded or live; rows of other experiments are left out."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(row for row in rows if row.experiment == EXPERIMENT)
        self.sizes: dict[str, tuple[int, int]] = {}
        self.repeats = 0
        # Rank correlations among runs at one m: (data, multiple, method) by predictor.
        self.within: dict[str, dict[tuple[str, float, str], float]] = defaultdict(dict)
        self._numbers: dict[str, Values] = defaultdict(lambda: defaultdict(dict))
        self._seconds: dict[tuple[str, float], dict[str, float]] = defaultdict(dict)
        for row in self.rows:
            self._add(row)
        self.sets = tuple(self.sizes)
        blocks = [block for values in self._numbers.values() for block in values]
        self.multiples = tuple(sorted({block.multiple for block in blocks}))
        there = {name for values in self._numbers.values() for of in values.values() for name in of}
        self.methods = tuple(name for name in CONTESTANTS if name in there)

    def _add(self, row: Row) -> None:
        name, multiple = split_label(row.data)
        self.sizes[name] = (row.n, row.d)
        self.repeats = max(self.repeats, row.repeat + 1)
        if not row.m:
            self.within[row.measure][name, multiple, row.method] = row.value
            return
        percent = _percent(row.n, row.m)
        if row.measure == "seconds":
            self._seconds[name, percent][row.method] = row.value
        else:
            self._numbers[row.measure][Block(name, multiple, percent)][row.method] = row.value

    def of(self, names: Collection[str]) -> Board:
        """The board of these data sets alone."""
        return Board(row for row in self.rows if split_label(row.data)[0] in names)

    def blocks(self) -> list[Block]:
        """Where the methods meet: every data set, bandwidth and m/n."""
        found = self._numbers["relative_frobenius"]
        return sorted(block for block in found if block.percent in PERCENTS)

    def number(self, block: Block, method: str, measure: str) -> float:
        """One number; NaN where there is none. Seconds are those at the default width."""
        if measure == "seconds":
            return self._seconds.get((block.data, block.percent), {}).get(method, math.nan)
        return self._numbers[measure].get(block, {}).get(method, math.nan)

    def curve(self, data: str, multiple: float, method: str, cost: str) -> list[tuple[float, float]]:
        """Cost and relative Frobenius error of a method at every m that it was taken to."""
        blocks = [Block(data, multiple, percent) for percent in levels_of(method)]
        pairs = [
            (self.number(block, method, cost), self.number(block, method, "relative_frobenius"))
            for block in blocks
        ]
        return [pair for pair in pairs if not any(map(math.isnan, pair))]

    def values(self, criterion: str) -> Values:
        """What the methods are ranked by, smaller is better: block → method → value.

        Where cost is held equal, a block's value is the error that a method has at the cost of randomly
        pivoted Cholesky with the block's m; a method whose cheapest run costs more has an infinite one.
        """
        found: Values = {}
        for block in self.blocks():
            if criterion in COST_OF:
                of = self._at_cost(block, COST_OF[criterion])
            else:
                of = {name: self.number(block, name, MEASURE_OF[criterion]) for name in self.methods}
            found[block] = {name: value for name, value in of.items() if not math.isnan(value)}
        return {block: of for block, of in found.items() if of}

    def _at_cost(self, block: Block, cost: str) -> dict[str, float]:
        budget = self.number(block, REFERENCE, cost)
        curves = {name: self.curve(block.data, block.multiple, name, cost) for name in self.methods}
        return {name: error_at(of, budget) for name, of in curves.items() if of and not math.isnan(budget)}


def error_at(curve: Curve, cost: float) -> float:
    """Error that a method has for a cost, from its runs at several m, pairs of a cost and an error.

    Between two runs the logarithm of the error is linear in the logarithm of the cost. Above the most
    expensive run its error is taken, since nothing better was measured; below the cheapest one the error is
    infinite. A run that costs more without being better is left out.
    """
    front = frontier(curve)
    if not front or cost < front[0][0]:
        return math.inf
    costs, errors = np.log(np.array(front)).T
    return float(np.exp(np.interp(math.log(cost), costs, errors)))


def frontier(curve: Curve) -> list[tuple[float, float]]:
    """Runs that are better than every cheaper one, the cheapest first."""
    best: list[tuple[float, float]] = []
    for cost, error in sorted(curve):
        if not best or error < best[-1][1]:
            best.append((cost, error))
    return best


def _percent(n: int, m: int) -> float:
    """Per cent of n rows that m landmarks stand for."""
    levels = {count_of(n, level): level for level in (*PERCENTS, 20, 40)}
    return levels[m] if m in levels else 100.0 * m / n
