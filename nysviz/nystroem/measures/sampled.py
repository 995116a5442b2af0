"""Errors where K is too large to be formed: estimates from sampled rows, with an interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from nysviz.kernels import Kernel, as_kernel
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import generator, quoted, whole
from nysviz.nystroem.approximation import checked_same
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures.exact import ROUNDING, ratio_of, trace_error
from nysviz.nystroem.measures.matrix_norms import check_entries
from nysviz.nystroem.measures.rows import DIAGONAL_ROUNDING, SAMPLE_STREAM, row_sums, sums_over_columns
from nysviz.refusal import Refusal

# Rows of K − K̃ that the Frobenius error of a large matrix is estimated from, and columns from which the
# squared lengths of all rows are guessed before these rows are drawn.
SAMPLED_ROWS = 500
PILOT_COLUMNS = 50


# With fewer degrees of freedom a few sampled rows decide, and the interval is not to be trusted.
LEAST_FREEDOM = 10.0
# Squares of entries of a positive semidefinite K exceed K_ii K_jj through rounding by this factor at most.
CAUCHY_ROUNDING = 1.0 + 1e-9
NOT_PSD = (
    "The kernel is not positive semidefinite, so its diagonal does not show which rows of K are long; "
    "measure the error on all rows."
)
FEW_ROWS = "A few of the sampled rows decide the estimate; sample more rows."


@dataclass(frozen=True)
class SampledErrors:
    """Errors where K is too large to be formed: the Frobenius norm from sampled rows, the trace exactly.

    The trace error is NaN where K − K̃ is not positive semidefinite: for random features, for a mixture whose
    shares sum to more than 1, and where the diagonal of K̃ exceeds that of K by more than rounding.

    ``interval`` holds the ends of a 95 % confidence interval of the relative Frobenius error. It is None
    where the sample cannot tell them, and ``no_interval`` says why, else it is empty.
    """

    frobenius: float
    trace: float
    relative_frobenius: float
    relative_trace: float
    interval: tuple[float, float] | None
    rows: int
    no_interval: str = ""


def sampled_errors(
    X: FloatArray, kernel: Kernel, a: LowRank, rows: int = SAMPLED_ROWS, seed: int = 0
) -> SampledErrors:
    """Estimate the Frobenius error from randomly chosen rows of K − K̃; the trace error is exact.

    ‖K − K̃‖² and ‖K‖² are sums over entries, and a few rows may carry them. Rows that dominate are taken for
    certain; as both matrices are symmetric, their columns are then known as well. Of the block that is left,
    rows are drawn without replacement with unequal probabilities, see ``inclusion_probabilities``, and
    weighted by their inverse. s of the X (n, d), from 2; all rows, and exact errors, from n on. O(s n (d +
    r)), never an n × n matrix. ValueError for rows below 2 or no whole number, or entries of K whose squares
    overflow; a seed, X or kernel as in ``approximate``.
    """
    kernel = as_kernel(kernel)
    X = checked_same(X, kernel, a)
    count = whole(rows)
    if count is None or count < 2:
        raise Refusal(f"rows = {quoted(rows)}; a whole number from 2 is needed.")
    check_entries(X, kernel)
    n, size = a.n, min(count, a.n)
    rng = generator(seed, SAMPLE_STREAM)
    order, diagonal = rng.permutation(n), kernel.diag(X)
    entries = np.abs(diagonal)
    pilot = pilot_columns(entries, order, size)
    of_k, of_rest = sums_over_columns(X, kernel, a, pilot)
    residuals = np.abs(diagonal - a.diagonal())
    probabilities, dominates = inclusion_probabilities(row_sizes(entries, residuals, of_k, of_rest), size)
    sample = pareto_sample(probabilities, size, rng)
    sample_probabilities = probabilities[sample]
    groups = np.stack([~dominates, dominates]).astype(float)
    wholes, parts = (
        combine_groups(other_sums, dominating, dominates[sample])
        for other_sums, dominating in row_sums(X, kernel, a, sample, groups)
    )
    of_chance = float(entries[probabilities < 1.0].sum())
    squared, spread, freedom = ratio_with_spread(
        parts, wholes, entries[sample], sample_probabilities, of_chance
    )
    size_of_rest = math.sqrt((parts / sample_probabilities).sum())
    no_interval, uncertain = "", 0.0
    if size < n:
        # Every entry of K − K̃ is uncertain by rounding.
        uncertain = ratio_of(ROUNDING * float(entries.sum()) * math.sqrt(squared), size_of_rest)
    if size < n and (of_k > CAUCHY_ROUNDING * entries * entries[pilot].sum()).any():
        no_interval = NOT_PSD
    elif size < n and freedom < LEAST_FREEDOM:
        no_interval = FEW_ROWS
    low, high = math.sqrt(max(0.0, squared - spread)), math.sqrt(squared + spread)
    trace = trace_error(X, kernel, a)
    return SampledErrors(
        frobenius=size_of_rest,
        trace=trace,
        relative_frobenius=math.sqrt(squared),
        relative_trace=ratio_of(trace, float(diagonal.sum())),
        interval=None if no_interval else (max(0.0, low - uncertain), high + uncertain),
        rows=size,
        no_interval=no_interval,
    )


def pilot_columns(entries: FloatArray, order: IntArray, rows: int) -> IntArray:
    """Return the first rows of a random order without those whose ``entries`` K_ii dominate.

    Beside the column of such a row the other columns would not count.
    """
    dominates = inclusion_probabilities([entries, entries**2], rows)[1]
    return order[~dominates[order]][:PILOT_COLUMNS]


def combine_groups(
    other_sums: FloatArray, dominating: FloatArray, dominates: NDArray[np.bool_]
) -> FloatArray:
    """Combine each sampled row's sums over two groups of columns of a symmetric matrix, (s,).

    A row that dominates stands for its column as well; the columns of the dominating rows are then known, so
    that the rows drawn by chance stand for the other columns alone.
    """
    return np.where(dominates, 2.0 * other_sums + dominating, other_sums)


def row_sizes(
    entries: FloatArray, residuals: FloatArray, of_k: FloatArray, of_rest: FloatArray
) -> list[FloatArray]:
    """Return proxies of the lengths of the rows of K and of R = K − K̃, (n,) each.

    That is K_ii and R_ii (``entries`` and ``residuals``) and their squares, the squares of R in a few
    columns, and how far those of K are from their median; these two as ``sums_over_columns`` returns them.
    Where R is positive semidefinite, R_ii² ≤ ‖R_i‖² ≤ R_ii tr R: no row with a small diagonal entry is long.
    The columns find the long rows of random features, whose R_ii are 0.
    """
    # Sizes that are rounding would draw other rows on another machine.
    residuals = np.where(residuals > DIAGONAL_ROUNDING * entries, residuals, 0.0)
    middle = float(np.median(of_k))
    uneven = np.abs(of_k - middle)
    uneven = np.where(uneven > DIAGONAL_ROUNDING * middle, uneven, 0.0)
    return [entries, entries**2, residuals, residuals**2, of_rest, uneven]


def inclusion_probabilities(sizes: Sequence[FloatArray], rows: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the probability of each row to be drawn, (n,), summing to ``rows``, and whether it dominates.

    Equal parts of the probability are the same for all rows and in proportion to each of the ``sizes`` (n,)
    that is not 0. A row that would have 1 or more dominates: it is taken for certain, and the sizes of the
    others are compared without it; again, until no row does, or half of the ``rows`` do.
    """
    n = len(sizes[0])
    remaining, dominates = np.stack([np.ones(n), *sizes]), np.zeros(n, dtype=bool)
    while True:
        totals, free = remaining.sum(axis=1), rows - int(dominates.sum())
        share = (remaining[totals > 0] / totals[totals > 0, None]).mean(axis=0)
        large = np.flatnonzero(free * share >= 1.0)
        large = large[np.argsort(-share[large], kind="stable")][: rows // 2 - (rows - free)]
        if not len(large):
            break
        dominates[large], remaining[:, large] = True, 0.0
    # Imported late: it takes a fifth of the whole import, and only this needs it.
    from scipy.optimize import brentq

    share = share[~dominates]
    factor = brentq(
        lambda factor: np.minimum(1.0, factor * share).sum() - free, 0.0, 2.0 * rows / share.min()
    )
    probabilities = np.ones(n)
    probabilities[~dominates] = np.minimum(1.0, factor * share)
    return probabilities, dominates


def pareto_sample(probabilities: FloatArray, rows: int, rng: np.random.Generator) -> IntArray:
    """Draw exactly ``rows`` rows by Pareto sampling (Rosén 1997); the probabilities sum to ``rows``.

    The probabilities hold up to O(1/rows). Row numbers, ascending, (rows,).
    """
    u = rng.random(len(probabilities))
    order = u * (1.0 - probabilities) / ((1.0 - u) * probabilities)
    return np.sort(np.argpartition(order, rows - 1)[:rows])


def ratio_with_spread(
    parts: FloatArray, wholes: FloatArray, entries: FloatArray, probabilities: FloatArray, of_chance: float
) -> tuple[float, float, float]:
    """Estimate Σ parts / Σ wholes over all rows from sampled ones, (s,), with half of a 95 % interval.

    The parts of rows drawn by chance are weighted by the inverse of their probability (Horvitz and Thompson
    1952), the wholes beside this by the ``entries`` K_ii, (s,), whose sum over all rows not drawn for sure is
    known (``of_chance``): a ratio estimator, since ‖K_i‖² grows with K_ii.

    The variance V is Hájek's of the linearised ratio, in which rows drawn for sure have no part. Where a few
    rows make up most of V, it is uncertain itself: hence Student's law, with Satterthwaite's degrees of
    freedom, 2 V² / var V, which come third; infinitely many where all rows are drawn for sure.
    """
    complements = 1.0 - probabilities
    by_chance = complements > 0.0
    s, weights = int(by_chance.sum()), 1.0 / probabilities[by_chance]
    weighted = float(weights @ entries[by_chance])
    mean = ratio_of(float(weights @ wholes[by_chance]), weighted)
    total = float(wholes[~by_chance].sum()) + mean * of_chance
    ratio = ratio_of(float((parts / probabilities).sum()), total)
    if total == 0.0 or s == 0:
        return ratio, 0.0, math.inf
    if s == 1:
        return ratio, math.inf, 0.0
    gaps = (parts - ratio * (wholes - mean * entries)) / (probabilities * total)
    squares = complements * (gaps - complements @ gaps / complements.sum()) ** 2
    variance = float(squares.sum())
    if variance == 0.0:
        return ratio, 0.0, s - 1.0
    squares /= variance
    # At most the s − 1 of equal weights.
    freedom = 2.0 / max(float(squares @ squares) - 1.0 / s, 2.0 / (s - 1))
    return ratio, float(stdtrit(freedom, 0.975) * np.sqrt(s / (s - 1) * variance)), freedom
