"""How two measures of the same runs go together: rank correlation and Pearson's, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from nysviz.blocks import FloatArray

# Bootstrap samples behind an interval of 95 %, and the fewest runs that have one.
RESAMPLES = 2_000
FEWEST_RUNS = 5
COVERAGE = (2.5, 97.5)
# A spread below this part of the values themselves is rounding: nothing can go together with it.
ROUNDING = 1e-12

Interval = tuple[float, float]
UNKNOWN = (float("nan"), float("nan"))


@dataclass(frozen=True)
class Correlation:
    """Correlations with 95 % intervals; NaN where there are too few runs or one measure does not vary."""

    runs: int
    spearman: float
    spearman_interval: Interval
    pearson: float
    pearson_interval: Interval


def correlation(
    x: FloatArray, y: FloatArray, groups: NDArray[np.intp] | None = None, *, seed: int = 0
) -> Correlation:
    """Correlate two measures of the same runs.

    Parameters
    ----------
    x, y : (r,) arrays
    groups : (r,) int array, optional
        A method's number for each run. Bootstrap samples are drawn within each group: how many runs a method
        has is not left to chance.
    seed : int
        Of the bootstrap samples.

    Returns
    -------
    Correlation
        The intervals are percentiles of ``RESAMPLES`` bootstrap samples; O(r) each.
    """
    x, y = _settled(x), _settled(y)
    if len(x) < 2:
        return Correlation(len(x), UNKNOWN[0], UNKNOWN, UNKNOWN[0], UNKNOWN)
    spearman, pearson = float(_pearson(rankdata(x), rankdata(y))), float(_pearson(x, y))
    if len(x) < FEWEST_RUNS:
        return Correlation(len(x), spearman, UNKNOWN, pearson, UNKNOWN)
    drawn = _resampled(np.zeros(len(x), dtype=np.intp) if groups is None else groups, seed)
    of_ranks = _interval(_pearson(_ranks(x, drawn), _ranks(y, drawn)))
    return Correlation(len(x), spearman, of_ranks, pearson, _interval(_pearson(x[drawn], y[drawn])))


def within(x: FloatArray, y: FloatArray, groups: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Deviations of both measures from the mean of their group, (r,) each.

    They hold what is left of a relation once the differences between groups are taken out.
    """
    counts = np.maximum(np.bincount(groups), 1)
    means = [np.bincount(groups, weights=values) / counts for values in (x, y)]
    return x - means[0][groups], y - means[1][groups]


def _settled(values: FloatArray) -> FloatArray:
    """Values that differ by rounding only, as equal ones."""
    array = np.asarray(values, dtype=np.float64)
    if array.size and np.ptp(array) <= ROUNDING * np.abs(array).max():
        return np.full(array.shape, array[0])
    return array


def _pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson correlation along the last axis, NaN where one of the two does not vary."""
    # Divided by the largest value first, so that squares neither overflow nor vanish.
    left, right = (_scaled(values - values.mean(axis=-1, keepdims=True)) for values in (x, y))
    sizes = np.sqrt((left**2).sum(axis=-1) * (right**2).sum(axis=-1))
    result = np.full(sizes.shape, np.nan)
    np.divide((left * right).sum(axis=-1), sizes, out=result, where=sizes > 0)
    return np.clip(result, -1.0, 1.0)


def _scaled(values: FloatArray) -> FloatArray:
    largest = np.abs(values).max(axis=-1, keepdims=True)
    return values / np.where(largest > 0, largest, 1.0)


def _resampled(groups: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """Bootstrap samples of the runs, drawn with replacement within each group, (RESAMPLES, r)."""
    rng = np.random.default_rng(seed)
    drawn = np.empty((RESAMPLES, len(groups)), dtype=np.intp)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        drawn[:, members] = members[rng.integers(len(members), size=(RESAMPLES, len(members)))]
    return drawn


def _ranks(values: FloatArray, drawn: NDArray[np.intp]) -> FloatArray:
    """Ranks within each bootstrap sample, equal values sharing one, (samples, r).

    Counted, since all samples hold values of the same runs: sorting each takes several times as long.
    """
    level = np.unique(values, return_inverse=True)[1][drawn]
    samples, levels = len(drawn), int(level.max()) + 1
    places = level + levels * np.arange(samples)[:, None]
    counts = np.bincount(places.ravel(), minlength=samples * levels).reshape(samples, levels)
    # Half of those that share a rank stand below its middle.
    middle: FloatArray = np.cumsum(counts, axis=1) - counts / 2 + 0.5
    return np.take_along_axis(middle, level, axis=1)


def _interval(values: FloatArray) -> Interval:
    known = values[~np.isnan(values)]
    # Where most samples have no correlation at all, an interval from the others would mean nothing.
    if len(known) < len(values) / 2:
        return UNKNOWN
    low, high = np.percentile(known, COVERAGE)
    return float(low), float(high)
