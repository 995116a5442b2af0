"""Statistics shared by the claims: paired comparisons over cells, slopes, intervals."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from nysviz.analysis.learning.feature_trial import half_width
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.claim import ClaimOutcome, TooFewRunsError, make_outcome, tally
from nysviz.papers.labels import by_method, data_label, method_label
from nysviz.papers.records import Cell, Cells, Records, set_of
from nysviz.sweep.ranking import LEVEL, paired_p, significant
from nysviz.text import counted, percent, signed, three_digits

ROUNDING = 1e-9  # values whose relative difference is below this differ by rounding
AS_GOOD = 1.1  # errors up to this multiple of another's are "as good"


def both_runs(cells: Cells, first: str, second: str) -> dict[Cell, tuple[FloatArray, FloatArray]]:
    """Return the values of two methods in each cell where both have runs."""
    return {
        cell: (runs[first], runs[second]) for cell, runs in cells.items() if first in runs and second in runs
    }


def duels(cells: Cells, first: str, second: str) -> dict[Cell, int]:
    """Compare two methods wherever both have runs: Wilcoxon's signed-rank test, Holm over a data set's cells.

    +1 where the first has significantly smaller values, −1 where the second has, else 0. Run r of one is
    paired with run r of the other, a method without randomness with every run. Two numbers without
    randomness differ where they are not equal up to rounding. ``TooFewRunsError`` where all runs of a data
    set could agree and still be significant in no cell.
    """
    pairs = both_runs(cells, first, second)
    are_random = any(name not in METHODS or METHODS[name].random for name in (first, second))
    comparisons = {cell: _compare_runs(a.tobytes(), b.tobytes()) for cell, (a, b) in pairs.items()}
    sure: dict[Cell, bool] = {}
    for name in {set_of(data): None for data, _ in pairs}:
        members = [cell for cell in pairs if set_of(cell[0]) == name]
        if are_random:
            _check_repeats(name, [pairs[cell] for cell in members], first, second)
        sure |= zip(members, significant([comparisons[cell][0] for cell in members]), strict=True)
    signs = {}
    for cell, (p, ours, theirs) in comparisons.items():
        gap, largest = theirs - ours, max(abs(ours), abs(theirs))
        differ = sure[cell] or (math.isnan(p) and abs(gap) > ROUNDING * largest)
        signs[cell] = int(np.sign(gap)) if differ else 0
    return signs


def _check_repeats(
    data: str, pairs: Sequence[tuple[FloatArray, FloatArray]], first: str, second: str
) -> None:
    """Raise where the smallest possible p in a cell is above the first limit of Holm's correction."""
    repeats = max(max(len(a), len(b)) for a, b in pairs)
    # With r pairs, all of one sign, the signed-rank test has p = 2/2^r.
    repeats_needed = math.ceil(math.log2(2 * len(pairs) / LEVEL))
    if repeats >= repeats_needed:
        return
    text = (
        f"{counted(repeats, 'repeat')} on {data_label(data)}, where {repeats_needed} are needed for a "
        f"significant difference in any of {counted(len(pairs), 'cell')}"
    )
    if all((runs > 0).all() for pair in pairs for runs in pair):
        # The interval of a single ratio, over the runs of all cells, needs no correction.
        run_count = min((len(runs) for pair in pairs for runs in pair if len(runs) > 1), default=1)
        logs = np.mean([np.log(a[:run_count]) - np.log(b[:run_count]) for a, b in pairs], axis=0)
        ratio, low, high = (three_digits(math.exp(value)) for value in interval(np.atleast_1d(logs)))
        text += f"; {method_label(first)} has {ratio} times the value of {method_label(second)}"
        text += f", 95 % interval {low} … {high}" if run_count > 1 else ""
    raise TooFewRunsError(text)


@lru_cache(4_096)
def _compare_runs(first: bytes, second: bytes) -> tuple[float, float, float]:
    """Return p and both means of two methods' runs; cached, since the choices of data repeat comparisons."""
    a, b = np.frombuffer(first), np.frombuffer(second)
    return paired_p(a, b), float(a.mean()), float(b.mean())


def ahead_and_behind(signs: Mapping[Cell, int]) -> str:
    """Write how many cells of ``duels`` are better and worse."""
    ahead, behind = (list(signs.values()).count(sign) for sign in (1, -1))
    return f"significantly better in {ahead}, worse in {behind} of {len(signs)} cells"


def by_set(signs: Mapping[Cell, int]) -> dict[str, str]:
    """Write how many of each data set's cells are better and worse."""
    better, worse = shares(signs, 1), shares(signs, -1)
    return {name: f"better at {percent(better[name])}, worse at {percent(worse[name])}" for name in better}


def shares(signs: Mapping[Cell, int], sign: int) -> dict[str, float]:
    """Return the share of cells with this sign, by data set."""
    return share_of({cell: cell_sign == sign for cell, cell_sign in signs.items()})


def share_of(won: Mapping[Cell, bool]) -> dict[str, float]:
    """Return the share of the cells that are won, by data set."""
    wins_by_set: dict[str, list[bool]] = defaultdict(list)
    for (data, _), yes in won.items():
        wins_by_set[set_of(data)].append(yes)
    return {name: sum(wins) / len(wins) for name, wins in wins_by_set.items()}


def more_than_half(set_shares: Mapping[str, float]) -> dict[str, bool]:
    """Return which shares are above one half."""
    return {name: share > 0.5 for name, share in set_shares.items()}


def in_all(holds: Mapping[Cell, bool]) -> dict[str, bool]:
    """Return whether it holds in every cell, by data set."""
    return {name: share == 1.0 for name, share in share_of(holds).items()}


def against_all(
    cells: Cells, method: str, rivals: Sequence[str]
) -> tuple[dict[str, bool], str, dict[str, str]]:
    """Return whether a method beats each rival in most cells, by data set, with statistic and numbers."""
    won: dict[Cell, bool] = {}
    for rival in rivals:
        for cell, sign in duels(cells, method, rival).items():
            won[cell] = won.get(cell, True) and sign > 0
    share = percent(float(np.mean(list(won.values()))))
    statistic = f"significantly better than all three in {share} of {len(won)} cells"
    numbers = {name: f"better at {percent(part)} of the cells" for name, part in share_of(won).items()}
    return more_than_half(share_of(won)), statistic, numbers


def at_most(cells: Cells, first: str, second: str, limit: float) -> dict[Cell, bool]:
    """Return by cell whether the 95 % interval of the mean log ratio ends at or below log ``limit``."""
    logs = {cell: np.log(a) - np.log(b) for cell, (a, b) in both_runs(cells, first, second).items()}
    return {cell: upper_end(values) <= math.log(limit) for cell, values in logs.items()}


def runs(records: Records, measure: str, method: str) -> dict[Cell, FloatArray]:
    """Return the values of a measure of one method, by cell."""
    cells = records.where(measure=measure, method=method).cells()
    return {cell: values[method] for cell, values in cells.items()}


def means(records: Records, measure: str, method: str) -> dict[Cell, float]:
    """Return the mean of a measure of one method, by cell."""
    return {cell: float(values.mean()) for cell, values in runs(records, measure, method).items()}


def ratios(records: Records, measure: str, first: str, second: str) -> dict[Cell, float]:
    """Return the geometric mean of one method over that of another, by cell."""
    pairs = both_runs(records.where(measure=measure).cells(), first, second)
    return {cell: math.exp(np.log(a).mean() - np.log(b).mean()) for cell, (a, b) in pairs.items()}


def in_cells(values: Mapping[Cell, float], template: str = "{}") -> dict[str, str]:
    """Write a number for each cell."""
    return {f"{data}, m = {m}": template.format(three_digits(value)) for (data, m), value in values.items()}


def methods_in_cells(cells: Cells, methods: Sequence[str], template: str = "{}") -> dict[str, str]:
    """Write the methods' means in each cell that has the first of them."""
    return {
        f"{data}, m = {m}": template.format(
            by_method({name: float(cell_values[name].mean()) for name in methods if name in cell_values})
        )
        for (data, m), cell_values in cells.items()
        if methods[0] in cell_values
    }


def within_bounds(
    values: Mapping[Cell, float],
    bounds: Mapping[Cell, float],
    quantity: str,
    more: str = "",
    name: str = "bound",
) -> ClaimOutcome:
    """Return the outcome of a bound, or what ``name`` says, on a ratio in every cell on every set."""
    hold = {cell: value <= bounds[cell] for cell, value in values.items()}
    loose = span(bounds[cell] / value for cell, value in values.items())
    numbers = {
        f"{data}, m = {m}": f"{three_digits(value)} times the best, {name} {three_digits(bounds[data, m])}"
        for (data, m), value in values.items()
    }
    return make_outcome(
        in_all(hold),
        f"{quantity} {span(values.values())} times the best, within the {name} in {tally(hold, 'cells')}; "
        f"the {name} {loose} times as large{more}",
        numbers,
    )


def slope(x: Iterable[float], y: Iterable[float]) -> float:
    """Return the least-squares slope of log y against log x; NaN with fewer than two positive points."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if a > 0 and b > 0]
    if len({a for a, _ in pairs}) < 2:
        return math.nan
    logs = np.log(np.array(pairs))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def interval(values: Sequence[float] | FloatArray) -> tuple[float, float, float]:
    """Return the mean with its 95 % Student interval; its ends are NaN with fewer than two values."""
    mean, half = float(np.mean(values)) if len(values) else math.nan, half_width(np.asarray(values, float))
    return mean, mean - half, mean + half


def upper_end(values: Sequence[float] | FloatArray) -> float:
    """Return the upper end of the 95 % interval of the mean; a single value itself."""
    mean, _, high = interval(values)
    return mean if math.isnan(high) else high


def spearman(x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray) -> float:
    """Return the rank correlation; NaN where one of the two does not vary."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    from scipy.stats import spearmanr

    return float(spearmanr(x, y).statistic)


def with_interval(values: tuple[float, float, float]) -> str:
    """Write a mean with its interval."""
    mean, low, high = map(signed, values)
    return mean if math.isnan(values[1]) else f"{mean} ({low} … {high})"


def span(values: Iterable[float]) -> str:
    """Write the smallest and the largest of several values, a dash for none."""
    values = list(values)
    return f"{signed(min(values))} to {signed(max(values))}" if values else "–"
