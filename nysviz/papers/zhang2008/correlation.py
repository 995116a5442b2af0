"""How two measures of the same runs go together: rank correlation and Pearson's, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
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
        The intervals are percentiles of ``RESAMPLES`` bootstrap samples; O(r log r) each.
    """
    x, y = _settled(x), _settled(y)
    groups = np.zeros(len(x), dtype=np.intp) if groups is None else groups
    ranks = rankdata(x), rankdata(y)
    unknown = (float("nan"), float("nan"))
    if len(x) < 2:
        return Correlation(len(x), *(2 * (float("nan"), unknown)))
    spearman, pearson = float(_pearson(*ranks)), float(_pearson(x, y))
    if len(x) < FEWEST_RUNS:
        return Correlation(len(x), spearman, unknown, pearson, unknown)
    drawn = _resampled(groups, np.random.default_rng(seed))
    of_ranks = _rank_correlations(x, y, drawn)
    return Correlation(
        len(x), spearman, _interval(of_ranks), pearson, _interval(_pearson(x[drawn], y[drawn]))
    )


def within(x: FloatArray, y: FloatArray, groups: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Deviations of both measures from the mean of their group, (r,) each.

    They hold what is left of a relation once the differences between groups are taken out.
    """
    centred = []
    for values in (x, y):
        sums = np.bincount(groups, weights=values)
        means = sums / np.maximum(np.bincount(groups), 1)
        centred.append(values - means[groups])
    return centred[0], centred[1]


def _settled(values: Sequence[float] | FloatArray) -> FloatArray:
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


def _rank_correlations(x: FloatArray, y: FloatArray, drawn: NDArray[np.intp]) -> FloatArray:
    """Spearman's correlation of each bootstrap sample; NaN where one of the two does not vary.

    All samples hold the same r runs, only how often differs: counts in the order of the runs give the ranks,
    in O(r) a sample where sorting each takes O(r log r).
    """
    samples, r = drawn.shape
    places = drawn + r * np.arange(samples)[:, None]
    counts = np.bincount(places.ravel(), minlength=samples * r).reshape(samples, r).astype(np.float64)
    left, right = (_midranks(values, counts) - (r + 1) / 2 for values in (x, y))
    covariance, *squares = (np.einsum("ij,ij,ij->i", counts, a, b) for a, b in _pairs(left, right))
    sizes = np.sqrt(squares[0] * squares[1])
    result: FloatArray = np.full(samples, np.nan)
    np.divide(covariance, sizes, out=result, where=sizes > 0)
    clipped: FloatArray = np.clip(result, -1.0, 1.0)
    return clipped


def _pairs(left: FloatArray, right: FloatArray) -> tuple[tuple[FloatArray, FloatArray], ...]:
    return (left, right), (left, left), (right, right)


def _midranks(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Ranks of the runs in samples that hold each run so many times, (samples, r); equal values share one."""
    order = np.argsort(values, kind="stable")
    _, starts, inverse = np.unique(values[order], return_index=True, return_inverse=True)
    shared = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks = np.empty_like(counts)
    # Half of those that share a rank stand below its middle.
    ranks[:, order] = (np.cumsum(shared, axis=1) - shared / 2 + 0.5)[:, inverse]
    return ranks


def _resampled(groups: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Bootstrap samples of the runs, drawn with replacement within each group, (RESAMPLES, r)."""
    drawn = np.empty((RESAMPLES, len(groups)), dtype=np.intp)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        drawn[:, members] = members[rng.integers(len(members), size=(RESAMPLES, len(members)))]
    return drawn


def _interval(values: FloatArray) -> Interval:
    known = values[~np.isnan(values)]
    # Where most samples have no correlation at all, an interval from the others would mean nothing.
    if len(known) < len(values) / 2:
        return float("nan"), float("nan")
    low, high = np.percentile(known, COVERAGE)
    return float(low), float(high)
