"""Facts about data: their columns, distances between rows, and the standard bandwidths.

Apart from one pass over the rows, 500 000 rows cost as much as 5 000: distances come from a sample, and each
has an interval for the sampling error.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nysviz.advice.curve import Estimate
from nysviz.kernels import default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.rows import dense_rows
from nysviz.refusal import Refusal
from nysviz.text import three_digits

DISTANCE_ROWS = 1_500  # rows whose distances to one another are taken: their squares fill 18 MB
# A squared distance below this part of the largest is the rounding of a repeated row.
REPEATED = 1e-12
# A kernel divides by the width 2σ², at the narrow end of the pages' slider by a thousandth of it.
SMALLEST_WIDTH = 1e-290
# Oglic and Gärtner 2017, section 5: the ends of their bandwidths, and the median between them.
PERCENTILES = (1.0, 50.0, 99.0)
NORMAL_95 = 1.96  # the normal law's 97.5 % point


@dataclass(frozen=True)
class Columns:
    """Number of constant columns, range of all values, least and largest deviation of the other columns."""

    constant: int
    lowest: float
    highest: float
    spreads: tuple[float, float]


def columns(X: FloatArray) -> Columns:
    """Return ranges and spreads of the columns; O(nd)."""
    X = dense_rows(X)
    low, high = X.min(axis=0), X.max(axis=0)
    moving = high > low
    deviations = X.std(axis=0)[moving] if moving.any() else np.zeros(1)
    spreads = float(deviations.min()), float(deviations.max())
    return Columns(int((~moving).sum()), float(low.min()), float(high.max()), spreads)


def repeated_rows(X: FloatArray) -> int:
    """Count the rows that equal an earlier one, by a hash of 64 bits each; O(nd)."""
    import pandas as pd

    X = dense_rows(X)
    # Two different rows of 500 000 share a hash once in 10⁸ data sets. 0 is added for −0, which equals it.
    blocks = (pd.DataFrame(X[start : start + 10_000] + 0.0) for start in range(0, len(X), 10_000))
    hashes = [pd.util.hash_pandas_object(block, index=False).to_numpy() for block in blocks]
    return len(X) - len(np.unique(np.concatenate(hashes)))


@dataclass(frozen=True, eq=False)
class PairwiseDistances:
    """Squared distances of pairs of a sample, ascending, without the ``equal`` pairs.

    Percentiles have a 95 % interval for the sampling error.
    """

    squares: FloatArray
    equal: int
    rows: int
    n: int
    near: Estimate
    median: Estimate
    far: Estimate


def pairwise_distances(X: FloatArray, rows: int = DISTANCE_ROWS, seed: int = 0) -> PairwiseDistances:
    """Return squared distances of all pairs in a random sample of rows, with percentiles; O(rows² d).

    The intervals are Woodruff's: the share of pairs below a value is a mean over pairs of sampled rows (a
    U-statistic), its spread comes from the shares of single rows, corrected for a finite population; the
    values at the ends of the share's interval are the ends of the percentile's.
    """
    X = dense_rows(X)
    n = len(X)
    sample = X if n <= rows else X[np.random.default_rng(seed).permutation(n)[:rows]]
    # Imported late: scikit-learn is slow to import.
    from sklearn.metrics import euclidean_distances

    gaps: FloatArray = euclidean_distances(sample - sample.mean(axis=0), squared=True)
    apart = gaps > repeated_below(sample, gaps.max(initial=0.0))
    upper = ~np.tri(len(sample), dtype=bool)
    squares = np.sort(gaps[upper & apart])
    near, median, far = (_percentile(gaps, apart, squares, p, n) for p in PERCENTILES)
    equal = int(upper.sum()) - len(squares)
    return PairwiseDistances(squares, equal, len(sample), n, near, median, far)


def repeated_below(X: FloatArray, largest: float) -> float:
    """Return the squared distance up to which rows of X count as equal; ``largest`` is the largest of all."""
    # Equal rows far from the origin differ from their mean by its rounding.
    rounding = X.shape[1] * (4.0 * np.finfo(float).eps * np.abs(X).max()) ** 2
    return float(max(REPEATED * largest, rounding))


def _percentile(
    gaps: FloatArray, apart: NDArray[np.bool_], squares: FloatArray, percent: float, n: int
) -> Estimate:
    if not len(squares):
        return Estimate(0.0, 0.0, 0.0)
    value, share, s = float(np.percentile(squares, percent)), percent / 100.0, len(gaps)
    # A share among the pairs that are apart is a ratio of two means over rows; this is its linear part.
    counted = apart.sum(axis=1)
    single = ((gaps <= value) & apart).sum(axis=1) - share * counted
    spread = 2.0 * float(single.std(ddof=1)) / counted.mean() * math.sqrt((1.0 - s / n) / s)
    ends = np.clip([share - NORMAL_95 * spread, share + NORMAL_95 * spread], 0.0, 1.0)
    low, high = (float(end) for end in np.quantile(squares, ends))
    return Estimate(value, min(low, value), max(high, value))


def check_width(square: float) -> None:
    """Raise Refusal where a squared distance is too small for a bandwidth of its size."""
    if square <= SMALLEST_WIDTH:
        raise Refusal(
            f"Rows are only {three_digits(math.sqrt(square))} apart, too little for a bandwidth; give the "
            "columns in a smaller unit, so that their numbers are larger."
        )


@dataclass(frozen=True)
class Bandwidth:
    """A bandwidth that a paper calls standard, as σ in the units of the distances."""

    rule: str
    sigma: float


def standard_bandwidths(X: FloatArray, distances: PairwiseDistances) -> tuple[Bandwidth, ...]:
    """Return the default width of Zhang as σ, the median, and the wide end of Oglic's range, ascending."""
    width = default_width(dense_rows(X))
    if not (width > 0 and len(distances.squares)):
        raise Refusal("All rows are equal, or all but, so the data suggest no bandwidth; choose other data.")
    squares = {"default width": width / 2.0, "median": distances.median.value, "far end": distances.far.value}
    check_width(min(squares.values()))
    bandwidths = [Bandwidth(rule, math.sqrt(square)) for rule, square in squares.items()]
    return tuple(sorted(bandwidths, key=lambda bandwidth: bandwidth.sigma))
