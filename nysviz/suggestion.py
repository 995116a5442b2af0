"""What the data themselves suggest: how far apart the rows are, which bandwidth and how many landmarks suit.

Everything here costs the same for 500 000 rows as for 5 000, but for one pass over the rows: distances and
errors come from samples, and each number says how far the sample may have moved it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nysviz.approximation import approximate, checked_rows
from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.kernels import Kernel, default_width
from nysviz.measures import NORMAL_95

# Rows whose distances to one another are taken: their squares fill 18 MB.
DISTANCE_ROWS = 1_500
# A squared distance below this part of the largest is the rounding of a repeated row.
REPEATED = 1e-12
# Oglic and Gärtner 2017, section 5: the ends of their bandwidths, and the median between them.
PERCENTILES = (1.0, 50.0, 99.0)
# Rows among which landmarks are chosen, rows on which they are tried, and how often.
TRIAL_ROWS = 2_000
TRIALS = 5
MOST_LANDMARKS = 1_000
FIRST_LANDMARKS = 64
# Landmarks are worth their rows up to this part of them: Zhang, Tsang and Kwok 2008, figure 1, ends there.
WORTH = 0.1
# Relative trace errors that can be asked for.
TARGETS = (0.2, 0.1, 0.05, 0.02, 0.01)


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
    X = _dense(X)
    n = len(X)
    sample = X if n <= rows else X[np.random.default_rng(seed).permutation(n)[:rows]]
    gaps = _squared_gaps(sample)
    apart = gaps > REPEATED * gaps.max(initial=0.0)
    upper = ~np.tri(len(sample), dtype=bool)
    squares = np.sort(gaps[upper & apart])
    near, median, far = (_percentile(gaps, apart, squares, p, n) for p in PERCENTILES)
    equal = int(upper.sum()) - len(squares)
    return Distances(squares, equal, len(sample), n, near, median, far)


def _dense(X: FloatArray) -> FloatArray:
    if sparse.issparse(X):
        raise ValueError("The rows are sparse, and distances suit dense rows; give X.toarray() if it fits.")
    return checked_rows(X)


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


@dataclass(frozen=True)
class Columns:
    """What the columns hold.

    Attributes
    ----------
    constant : int
        Columns with one value.
    lowest, highest : float
        Of all values.
    spreads : (float, float)
        Smallest and largest standard deviation among the columns that are not constant; 0 where all are.
    """

    constant: int
    lowest: float
    highest: float
    spreads: tuple[float, float]


def columns(X: FloatArray) -> Columns:
    """Ranges and spreads of the columns; O(nd)."""
    X = _dense(X)
    low, high = X.min(axis=0), X.max(axis=0)
    moving = high > low
    spreads = (0.0, 0.0)
    if moving.any():
        found = X.std(axis=0)[moving]
        spreads = float(found.min()), float(found.max())
    return Columns(int((~moving).sum()), float(low.min()), float(high.max()), spreads)


def repeated_rows(X: FloatArray) -> int:
    """Number of rows that equal an earlier one, number by number; O(nd + n log n).

    Rows are put in the order of a 64-bit hash and neighbours are compared exactly, so a row is never counted
    wrongly; one could be missed where two different rows share a hash, once in some 10⁸ data sets of 500 000
    rows.
    """
    X = _dense(X)
    if len(X) < 2:
        return 0
    hashes = _row_hashes(X)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    suspects = np.flatnonzero(ordered[1:] == ordered[:-1])
    found = 0
    for start in range(0, len(suspects), 10_000):
        some = suspects[start : start + 10_000]
        found += int((X[order[some]] == X[order[some + 1]]).all(axis=1).sum())
    return found


def _row_hashes(X: FloatArray) -> NDArray[np.uint64]:
    """A sum over columns of mixed bits times random odd numbers, modulo 2⁶⁴."""
    rng = np.random.default_rng(0)
    factors = rng.integers(0, 2**64, X.shape[1], dtype=np.uint64) | np.uint64(1)
    hashes = np.empty(len(X), dtype=np.uint64)

    def block(start: int, stop: int) -> None:
        # 0 is added since −0 equals 0 and has other bits.
        bits = (X[start:stop] + 0.0).view(np.uint64)
        # Round numbers end in zero bits, which a product alone would leave empty (the steps of splitmix64).
        bits ^= bits >> np.uint64(30)
        bits *= np.uint64(0xBF58476D1CE4E5B9)
        bits ^= bits >> np.uint64(27)
        hashes[start:stop] = (bits * factors).sum(axis=1, dtype=np.uint64)

    over_blocks(len(X), rows_per_block(len(X), X.shape[1]), block)
    return hashes


@dataclass(frozen=True)
class Bandwidth:
    """A bandwidth that a paper calls standard, as σ in the units of the distances."""

    rule: Literal["default width", "median", "far end"]
    sigma: float


def standard_bandwidths(X: FloatArray, distances: Distances) -> tuple[Bandwidth, ...]:
    """The papers' standard choices, narrowest first.

    σ = √(width/2) of Zhang's default width, the mean squared distance to the mean; σ = √q of the median and
    of the 99th percentile of the squared distances, the middle and the wide end of Oglic's range.

    Raises
    ------
    ValueError
        When all rows are equal.
    """
    width = default_width(_dense(X))
    if not (width > 0 and len(distances.squares)):
        raise ValueError(
            "All rows are equal, or all but, so the data suggest no bandwidth; choose other data."
        )
    found = (
        Bandwidth("default width", math.sqrt(width / 2.0)),
        Bandwidth("median", math.sqrt(distances.median.value)),
        Bandwidth("far end", math.sqrt(distances.far.value)),
    )
    return tuple(sorted(found, key=lambda one: one.sigma))


@dataclass(frozen=True, eq=False)
class Trials:
    """Relative trace errors of randomly pivoted Cholesky for every number of landmarks.

    Attributes
    ----------
    errors : (trials, M + 1) array
        (tr K − tr K̃)/tr K after t = 0, …, M landmarks, a row a trial, up to where the last one reaches the
        error asked for, or to the most that were tried; estimated where ``rows < n``.
    rows, n : int
        Rows among which landmarks were chosen and on which they were tried, and all.
    """

    errors: FloatArray
    rows: int
    n: int


def trials(
    X: FloatArray,
    kernel: Kernel,
    *,
    rows: int = TRIAL_ROWS,
    repeats: int = TRIALS,
    seed: int = 0,
    most: int = MOST_LANDMARKS,
    least_error: float = TARGETS[-1],
    checkpoint: Callable[[], None] | None = None,
) -> Trials:
    """Try how many landmarks are enough, by randomly pivoted Cholesky (Chen et al. 2022).

    Up to ``rows`` rows all of them are used and the errors are exact. Above, each trial chooses its landmarks
    among so many random rows, and measures on so many others, drawn afresh from all rows, so that the mean of
    their residuals estimates that of all rows without bias.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    rows, repeats : int
    seed : int
        Of the first trial; the next has the next.
    most : int
        Landmarks that are tried at most; a trial that falls short with them is the last.
    least_error : float
        The curves end where the last trial falls to it.
    checkpoint : callable, optional
        Called between trials; an exception raised there stops them.

    Returns
    -------
    Trials
        O(repeats · rows · m (d + m)) for m landmarks tried.
    """
    X = _dense(X)
    most = min(most, rows, len(X))
    m, curves = min(FIRST_LANDMARKS, most), []
    for trial in range(repeats):
        while True:
            if checkpoint is not None:
                checkpoint()
            curve = _trial(X, kernel, rows, seed + trial, m)
            if m == most or curve[-1] <= least_error:
                break
            m = min(most, 2 * m)
        curves.append(curve)
        if curve[-1] > least_error:
            # More trials would cost most where they can no longer change the answer.
            break
    # What lies behind the end of the shortest curve that is below ``least_error`` is not asked for. One that
    # found K reproduced before its last landmark keeps its last error.
    longest = max(len(curve) for curve in curves)
    stop = min(longest, 1 + max(int((curve > least_error).sum()) for curve in curves))
    fitted = [np.pad(curve, (0, max(0, stop - len(curve))), mode="edge")[:stop] for curve in curves]
    return Trials(np.array(fitted), min(rows, len(X)), len(X))


def _trial(X: FloatArray, kernel: Kernel, rows: int, seed: int, m: int) -> FloatArray:
    """Relative trace errors after 0, 1, …, m landmarks, (m + 1,) or fewer."""
    if len(X) <= rows:
        features = approximate(X, kernel, "rpcholesky", m, seed).factor
        diagonal = kernel.diag(X)
    else:
        rng = np.random.default_rng(seed)
        chosen, checked = (X[rng.permutation(len(X))[:rows]] for _ in range(2))
        # The features of other rows come in the order of the landmarks too: the projection is a triangle.
        features = approximate(chosen, kernel, "rpcholesky", m, seed).transform(checked)
        diagonal = kernel.diag(checked)
    total = float(diagonal.sum())
    explained = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->j", features, features))])
    if not total > 0:
        return np.zeros(len(explained))
    result: FloatArray = np.maximum(1.0 - explained / total, 0.0)
    return result


@dataclass(frozen=True)
class Landmarks:
    """How many landmarks reach an error: median, least and most of the trials; None where one fell short."""

    target: float
    m: int | None
    low: int | None
    high: int | None


def enough_landmarks(found: Trials, target: float) -> Landmarks:
    """Return the smallest numbers of landmarks whose relative trace error is at most ``target``.

    Raises
    ------
    ValueError
        When the target is not between 0 and 1.
    """
    if not 0.0 < target < 1.0:
        raise ValueError(f"The error asked for is {target:g}; a number between 0 and 1 is needed.")
    reached = found.errors <= target
    firsts = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    if (firsts < 0).any():
        some = firsts[firsts >= 0]
        return Landmarks(target, None, int(some.min()) if len(some) else None, None)
    # An even number of trials has two middles; the larger one is the safer.
    middle = int(np.sort(firsts)[len(firsts) // 2])
    return Landmarks(target, middle, int(firsts.min()), int(firsts.max()))


def suggested(found: Sequence[Landmarks], n: int) -> int | None:
    """Choose among bandwidths, narrowest first, by the landmarks that each needs; None where all fall short.

    The narrowest one keeps most of what tells rows apart, and needs most landmarks. So: the narrowest that
    needs at most ``WORTH`` of the rows, or else the one that needs fewest.

    Parameters
    ----------
    found : sequence of Landmarks
        In the order of ``standard_bandwidths``, all for the same error.
    n : int
        Rows of the data.

    Returns
    -------
    int or None
        An index of ``found``.
    """
    needed = [one.m for one in found]
    for index, m in enumerate(needed):
        if m is not None and m <= WORTH * n:
            return index
    reached = [index for index, m in enumerate(needed) if m is not None]
    return min(reached, key=lambda index: needed[index] or 0) if reached else None
