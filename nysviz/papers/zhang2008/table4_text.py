"""The rows of zhang-table4 as text: measured beside printed, with the tests of the paper's statements."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from nysviz.blocks import FloatArray
from nysviz.papers.published import table as published
from nysviz.papers.row import Row
from nysviz.papers.statistics import interval

EXPERIMENT = "zhang-table4"
EXACT = "exact"
MEASURES = ("test_error", "test_error_restricted")
KERNEL_NAMES = {"test_error": "exact test kernel", "test_error_restricted": "restricted test kernel"}
COLUMNS = (EXACT, "svd", "kmeans", "uniform", "column_norm", "icd")
RIVALS = ("uniform", "column_norm", "icd")
# Column of the printed table, and the pairs' data set.
PRINTED = {EXACT: "lssvm"}
PRINTED_DATA = "usps"
# The paper's confidence for m = 0.05 n, and for m = 0.1 n on seven pairs.
CONFIDENCE = {0.05: 0.995, 0.1: 0.975}
# Errors in per cent that are nearer to each other are one and the same.
ROUNDING = 1e-9

Cells = dict[str, FloatArray]


def confidence_smaller(ours: FloatArray, theirs: FloatArray) -> float:
    """Confidence, 0 to 1, that the mean behind ``ours`` is the smaller one: a one-sided Welch t-test.

    Parameters
    ----------
    ours : (r,) array
        At least two values.
    theirs : (s,) array
        A single value is a number without randomness, and the test is that of one sample. Where nothing
        varies on either side, equal means give 0.5, others 0 or 1. NaN with fewer than two values of ours.
    """
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if len(ours) < 2 or len(theirs) < 1:
        return math.nan
    gap = float(ours.mean() - theirs.mean())
    # Squared standard errors of both means, and their degrees of freedom.
    errors = [_squared_error(values) for values in (ours, theirs)]
    total = sum(errors)
    if total == 0:
        return 0.5 if abs(gap) < ROUNDING else float(gap < 0)
    freedom = total**2 / sum(
        error**2 / (len(values) - 1)
        for error, values in zip(errors, (ours, theirs), strict=True)
        if error > 0
    )
    return float(student.cdf(-gap / math.sqrt(total), freedom))


def _squared_error(values: FloatArray) -> float:
    # Equal values count as such whatever their mean is rounded to.
    if len(values) < 2 or np.ptp(values) < ROUNDING:
        return 0.0
    return float(values.var(ddof=1)) / len(values)


def ratio_of(row: Row) -> float:
    """The m/n of the paper that a row belongs to."""
    return min(CONFIDENCE, key=lambda ratio: abs(row.m / row.n - ratio))


def collected(rows: Sequence[Row], measure: str) -> dict[float, dict[tuple[str, int], Cells]]:
    """Values by m/n, then by data set with its number of training rows, then by method."""
    values: dict[float, dict[tuple[str, int], dict[str, list[float]]]] = {
        ratio: defaultdict(lambda: defaultdict(list)) for ratio in CONFIDENCE
    }
    for row in rows:
        if row.measure == measure:
            for ratio in CONFIDENCE if row.method == EXACT else (ratio_of(row),):
                values[ratio][row.data, row.n][row.method].append(row.value)
    return {
        ratio: {
            pair: {method: np.array(found) for method, found in cells.items()} for pair, cells in of.items()
        }
        for ratio, of in values.items()
    }


def table(rows: Sequence[Row]) -> str:
    """Text table of measured and printed test errors in per cent, by m/n and test kernel.

    Printed numbers stand below measured ones for the same data only, the pairs of USPS; for other data a
    line says that there is nothing to compare with.
    """
    rows = list(rows)
    parts = []
    for measure in MEASURES:
        for ratio, pairs in collected(rows, measure).items():
            if pairs:
                parts += _block(measure, ratio, pairs)
    names = {row.data.split(" ", 1)[0] for row in rows}
    if others := sorted(names - {PRINTED_DATA}):
        parts.append(
            f"The paper prints errors for pairs of USPS digits alone, so nothing printed stands beside "
            f"{', '.join(others)}. Their rows are parted at random, half of each class for the test."
        )
    parts.append(
        "Means ± standard deviations over the repeats, in per cent of the test rows; m is rounded to the "
        "nearest whole number, which the paper leaves open. The last columns are "
        "the confidence (%) that k-means has the smaller mean error: a one-sided Welch t-test, against icd, "
        "which has no randomness, with one sample."
    )
    return "\n".join(parts)


def _block(measure: str, ratio: float, pairs: dict[tuple[str, int], Cells]) -> list[str]:
    head = f"{'pair':<22}{'n':>6}" + "".join(f"{name:>14}" for name in COLUMNS)
    lines = [
        f"LS-SVM test error (%), m = {ratio:g} n, {KERNEL_NAMES[measure]}",
        head + "".join(f"{'< ' + rival:>14}" for rival in RIVALS),
    ]
    sure: dict[str, int] = dict.fromkeys(RIVALS, 0)
    for (name, n), cells in pairs.items():
        trust = {
            rival: confidence_smaller(cells["kmeans"], cells[rival])
            for rival in RIVALS
            if "kmeans" in cells and rival in cells
        }
        for rival, value in trust.items():
            sure[rival] += value >= CONFIDENCE[ratio]
        line = f"{name:<22}{n:>6}" + "".join(f"{_cell(cells.get(column)):>14}" for column in COLUMNS)
        lines.append(line + "".join(f"{_per_cent(trust.get(rival)):>14}" for rival in RIVALS))
        if printed := _printed(name, ratio):
            lines.append(f"{'  printed':<28}" + "".join(f"{printed[column]:>14}" for column in COLUMNS))
    against = ", ".join(f"{rival} on {count}" for rival, count in sure.items())
    level = f"{100 * CONFIDENCE[ratio]:g} %"
    lines.append(f"k-means better with at least {level} confidence, of {len(pairs)} pairs: {against}")
    for method in ("kmeans", "svd"):
        gaps = [
            float(cells[method].mean() - cells[EXACT].mean())
            for cells in pairs.values()
            if method in cells and EXACT in cells
        ]
        lines += [f"{method} minus exact, mean over pairs: {_interval(gaps)}"] if len(gaps) > 1 else []
    printed_gaps = [
        float(row["svd"]) - float(row[PRINTED[EXACT]])
        for row in published("zhang2008_table4")
        if float(row["ratio"]) == ratio
    ]
    lines.append(f"svd minus exact, printed (USPS): {_interval(printed_gaps)}")
    return [*lines, ""]


def _interval(gaps: Sequence[float]) -> str:
    """Mean with its 95 % interval, by Student's law over the pairs."""
    mean, low, high = interval(gaps)
    return f"{mean:+.2f} (95 % interval {low:+.2f} to {high:+.2f})"


def _cell(values: FloatArray | None) -> str:
    if values is None:
        return "–"
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{values.mean():.2f} ± {values.std(ddof=1):.2f}"


def _per_cent(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{100 * value:.2f}"


def _printed(name: str, ratio: float) -> dict[str, str] | None:
    """The paper's row for this pair, or None for other data."""
    data, _, pair = name.partition(" ")
    if data != PRINTED_DATA:
        return None
    for row in published("zhang2008_table4"):
        if row["pair"] == pair and float(row["ratio"]) == ratio:
            cells = {}
            for column in COLUMNS:
                mean, spread = row[PRINTED.get(column, column)], row.get(f"{column}_std")
                cells[column] = f"{mean} ± {spread}" if spread else mean
            return cells
    return None
