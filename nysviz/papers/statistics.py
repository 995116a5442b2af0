"""The statistics that more than one claim uses: paired comparisons over cells, slopes, intervals."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from nysviz.blocks import FloatArray
from nysviz.papers.records import Cell, Cells
from nysviz.sweep.ranking import paired_p, significant
from nysviz.text import SUPERSCRIPTS, grouped

LEVEL = 0.95
RESAMPLES = 2_000
# Values this near to each other, in parts of the larger, differ by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Duel:
    """Two methods at one data set and m.

    Attributes
    ----------
    cell : (data, m)
    sign : int
        +1 where the first has the smaller values by more than chance, −1 where the second has, else 0.
    ratio : float
        Mean of the second over the mean of the first.
    """

    cell: Cell
    sign: int
    ratio: float


def runs(methods: Mapping[str, Mapping[int, float]], method: str) -> FloatArray:
    """Values of one method in the order of the repeats."""
    values = methods.get(method, {})
    return np.array([values[repeat] for repeat in sorted(values)], dtype=np.float64)


def duels(cells: Cells, first: str, second: str) -> list[Duel]:
    """Compare two methods wherever both have runs: Wilcoxon's signed-rank test, Holm over a data set's cells.

    Run r of one is paired with run r of the other, a method without randomness with every run. Two numbers
    without randomness differ where they are not equal up to rounding.
    """
    compared = []
    for cell, methods in cells.items():
        a, b = runs(methods, first), runs(methods, second)
        if len(a) and len(b):
            compared.append((cell, a, b))
    ps = [paired_p(a, b) for _, a, b in compared]
    sure = _sure([cell for cell, _, _ in compared], ps)
    results = []
    for (cell, a, b), p, yes in zip(compared, ps, sure, strict=True):
        gap = float(b.mean() - a.mean())
        fixed = math.isnan(p) and abs(gap) > ROUNDING * max(abs(float(a.mean())), abs(float(b.mean())))
        sign = int(np.sign(gap)) if yes or fixed else 0
        mean = float(a.mean())
        results.append(Duel(cell, sign, float(b.mean()) / mean if mean else math.inf))
    return results


def _sure(cells: Sequence[Cell], ps: Sequence[float]) -> list[bool]:
    """Which are significant, by Holm's correction within each data set."""
    of: dict[str, list[int]] = defaultdict(list)
    for i, (data, _) in enumerate(cells):
        of[data.partition("@")[0]].append(i)
    result = [False] * len(ps)
    for members in of.values():
        for i, yes in zip(members, significant([ps[i] for i in members]), strict=True):
            result[i] = yes
    return result


def shares(results: Iterable[Duel], sign: int) -> dict[str, float]:
    """Part of a data set's cells with this sign, by data set (what follows a name's @ left out)."""
    return share_of({duel.cell: duel.sign == sign for duel in results})


def won_against_all(cells: Cells, method: str, rivals: Sequence[str]) -> dict[Cell, bool]:
    """Whether a method beats each of its rivals by more than chance, by cell; Holm within each pair."""
    won: dict[Cell, bool] = {}
    for rival in rivals:
        for duel in duels(cells, method, rival):
            won[duel.cell] = won.get(duel.cell, True) and duel.sign > 0
    return won


def at_most(cells: Cells, first: str, second: str, limit: float) -> dict[Cell, bool]:
    """Whether a method's values are at most ``limit`` times another's, by cell.

    The upper end of a 95 % interval of the mean log ratio over paired runs decides: that two methods do not
    differ by more than chance does not make them equal.
    """
    result = {}
    for cell, methods in cells.items():
        a, b = runs(methods, first), runs(methods, second)
        if len(a) and len(b):
            mean, _, high = interval(np.log(a) - np.log(b))
            result[cell] = bool((mean if math.isnan(high) else high) <= math.log(limit))
    return result


def share_of(won: Mapping[Cell, bool]) -> dict[str, float]:
    """Part of the cells that are won, by data set."""
    counts: dict[str, list[bool]] = defaultdict(list)
    for (data, _), yes in won.items():
        counts[data.partition("@")[0]].append(yes)
    return {name: sum(signs) / len(signs) for name, signs in counts.items()}


def more_than_half(parts: Mapping[str, float]) -> dict[str, bool]:
    """Which parts are above one half."""
    return {name: part > 0.5 for name, part in parts.items()}


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """Slope of log y against log x by least squares; NaN with fewer than two positive points."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if a > 0 and b > 0]
    if len({a for a, _ in pairs}) < 2:
        return math.nan
    logs = np.log(np.array(pairs))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def interval(values: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Mean with its 95 % interval by Student's law; NaN ends with fewer than two values."""
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean()) if len(array) else math.nan
    if len(array) < 2:
        return mean, math.nan, math.nan
    half = (
        float(student.ppf(0.5 + LEVEL / 2, len(array) - 1)) * float(array.std(ddof=1)) / math.sqrt(len(array))
    )
    return mean, mean - half, mean + half


def spearman(x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> float:
    """Rank correlation; NaN where one of the two does not vary."""
    a, b = rankdata(x), rankdata(y)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def told(value: float, digits: int = 3) -> str:
    """Write a number with three significant digits."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-3 < abs(value) < 1e6:
        return grouped(round(value))
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text.replace("-", "\N{MINUS SIGN}")
    power = "".join(SUPERSCRIPTS[c] for c in str(int(exponent)))
    return f"{mantissa}·10{power}".replace("-", "\N{MINUS SIGN}")


def signed(value: float, digits: str = ".2f") -> str:
    """Write a number with its sign."""
    return f"{value:+{digits}}".replace("-", "\N{MINUS SIGN}")


def with_interval(values: tuple[float, float, float]) -> str:
    """Write a mean with its interval."""
    mean, low, high = values
    return told(mean) if math.isnan(low) else f"{told(mean)} ({told(low)} … {told(high)})"


def percent(part: float) -> str:
    """Write a part of one as per cent."""
    return "–" if math.isnan(part) else f"{100 * part:.0f} %"
