"""How far apart the rows are, from a sample of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nysviz.advice.dense_rows import dense_rows
from nysviz.blocks import FloatArray, over_blocks, rows_per_block

# Rows whose distances to one another are taken: their squares fill 18 MB.
DISTANCE_ROWS = 1_500
# A squared distance below this part of the largest is the rounding of a repeated row.
REPEATED = 1e-12
# Oglic and Gärtner 2017, section 5: the ends of their bandwidths, and the median between them.
PERCENTILES = (1.0, 50.0, 99.0)
# The normal law's 97.5 % point.
NORMAL_95 = 1.96


@dataclass(frozen=True)
class Percentile:
    """A percentile of the squared distances and the 95 % interval that the sample leaves it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared distances between the rows of a sample.

    Attributes
    ----------
    squares : (p,) array
        ‖x_i − x_j‖² of the pairs of different rows, ascending; empty where all rows are equal.
    equal : int
        Pairs of equal rows, which ``squares`` leaves out: their number would hide the percentiles.
    rows, n : int
        Sampled rows, and all.
    near, median, far : Percentile
        The 1st, 50th and 99th percentile.
    """

    squares: FloatArray
    equal: int
    rows: int
    n: int
    near: Percentile
    median: Percentile
    far: Percentile


def pairwise_distances(X: FloatArray, rows: int = DISTANCE_ROWS, seed: int = 0) -> Distances:
    """Squared distances of all pairs in a random sample of the rows, with their percentiles.

    The intervals are Woodruff's: the share of pairs below a value is a mean over pairs of sampled rows (a
    U-statistic), its spread comes from the shares that the single rows have, corrected for a finite
    population, and is carried over to the values at the ends of the shares' interval.

    Parameters
    ----------
    X : (n, d) array
    rows : int
        Rows that are sampled where there are more.
    seed : int
        Of the sample.

    Returns
    -------
    Distances
        O(rows² d).

    Raises
    ------
    ValueError
        X empty, sparse or not finite.
    """
    X = dense_rows(X)
    n = len(X)
    sample = X if n <= rows else X[np.random.default_rng(seed).permutation(n)[:rows]]
    gaps = _squared_gaps(sample)
    apart = gaps > repeated_below(sample, gaps.max(initial=0.0))
    upper = ~np.tri(len(sample), dtype=bool)
    squares = np.sort(gaps[upper & apart])
    near, median, far = (_percentile(gaps, apart, squares, p, n) for p in PERCENTILES)
    equal = int(upper.sum()) - len(squares)
    return Distances(squares, equal, len(sample), n, near, median, far)


def repeated_below(X: FloatArray, largest: float) -> float:
    """Squared distance up to which two rows of X count as equal; ``largest`` is that of the farthest."""
    # Equal rows far from the origin differ from their mean by its rounding.
    rounding = X.shape[1] * (4.0 * np.finfo(float).eps * np.abs(X).max()) ** 2
    return float(max(REPEATED * largest, rounding))


def _squared_gaps(X: FloatArray) -> FloatArray:
    """‖x_i − x_j‖² as a matrix (s, s)."""
    moved = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", moved, moved)
    gaps = np.empty((len(X), len(X)))

    def block(start: int, stop: int) -> None:
        part = gaps[start:stop]
        np.matmul(moved[start:stop], moved.T, out=part)
        part *= -2.0
        part += squares
        part += squares[start:stop, None]
        np.maximum(part, 0.0, out=part)

    over_blocks(len(X), rows_per_block(len(X), len(X)), block)
    np.fill_diagonal(gaps, 0.0)
    return gaps


def _percentile(
    gaps: FloatArray, apart: NDArray[np.bool_], squares: FloatArray, percent: float, n: int
) -> Percentile:
    if not len(squares):
        return Percentile(0.0, 0.0, 0.0)
    value, share, s = float(np.percentile(squares, percent)), percent / 100.0, len(gaps)
    # A share among the pairs that are apart is a ratio of two means over rows; this is its linear part.
    counted = apart.sum(axis=1)
    single = ((gaps <= value) & apart).sum(axis=1) - share * counted
    spread = 0.0
    if s > 1:
        spread = 2.0 * float(single.std(ddof=1)) / counted.mean() * math.sqrt((1.0 - s / n) / s)
    ends = np.clip([share - NORMAL_95 * spread, share + NORMAL_95 * spread], 0.0, 1.0)
    low, high = (float(end) for end in np.quantile(squares, ends))
    return Percentile(value, min(low, value), max(high, value))
