"""The errors where K is too large to be formed: estimates from sampled rows, with an interval."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from nysviz.approximation import checked_same
from nysviz.blocks import FloatArray, IntArray
from nysviz.counts import generator, quoted, whole
from nysviz.kernels import Kernel, as_kernel
from nysviz.lowrank import LowRank
from nysviz.measures.exact import ratio_of, trace_error
from nysviz.measures.rows import DIAGONAL_ROUNDING, SAMPLE_STREAM, row_sums, sums_over_columns
from nysviz.refusal import Refusal

# Rows of K − K̃ behind the estimate of a large matrix's Frobenius error, and columns from which the squared
# lengths of all rows are guessed before these rows are drawn.
SAMPLED_ROWS = 500
PILOT_COLUMNS = 50


@dataclass(frozen=True)
class SampledErrors:
    """Errors where K is too large to be formed: the Frobenius norm from sampled rows, the trace exactly.

    The trace error is NaN where K − K̃ is not positive semidefinite: for random features, for a mixture whose
    shares sum to more than 1, and where the diagonal of K̃ exceeds that of K by more than rounding.

    ``interval`` holds the ends of a 95 % confidence interval of the relative Frobenius error.
    """

    frobenius: float
    trace: float
    relative_frobenius: float
    relative_trace: float
    interval: tuple[float, float]
    rows: int


def sampled_errors(
    X: FloatArray, kernel: Kernel, a: LowRank, rows: int = SAMPLED_ROWS, seed: int = 0
) -> SampledErrors:
    """Estimate the Frobenius error from randomly chosen rows of K − K̃; the trace error is exact.

    ‖K − K̃‖² and ‖K‖² are sums over rows. A few rows may carry the first, so rows are drawn without
    replacement with unequal probabilities, see ``inclusion_probabilities``, and weighted by their inverse: s
    of the X (n, d), from 2; all rows, and exact errors, from n on. O(s n (d + r)), never an n × n matrix.
    ValueError for rows below 2 or no whole number; a seed, X or kernel as in ``approximate``.
    """
    kernel = as_kernel(kernel)
    X = checked_same(X, kernel, a)
    count = whole(rows)
    if count is None or count < 2:
        raise Refusal(f"rows = {quoted(rows)}; a whole number from 2 is needed.")
    n = a.n
    rng = generator(seed, SAMPLE_STREAM)
    columns = sums_over_columns(X, kernel, a, rng.permutation(n)[:PILOT_COLUMNS])
    entries = kernel.diag(X)
    probabilities = inclusion_probabilities(entries, np.abs(entries - a.diagonal()), *columns, min(count, n))
    sample = pareto_sample(probabilities, min(count, n), rng)
    of_k, of_rest = row_sums(X, kernel, a, sample)
    squared, low, high = ratio_with_interval(of_rest, of_k, probabilities[sample])
    trace = trace_error(X, kernel, a)
    return SampledErrors(
        frobenius=float(np.sqrt((of_rest / probabilities[sample]).sum())),
        trace=trace,
        relative_frobenius=float(np.sqrt(squared)),
        relative_trace=ratio_of(trace, float(entries.sum())),
        interval=(float(np.sqrt(low)), float(np.sqrt(high))),
        rows=len(sample),
    )


def inclusion_probabilities(
    entries: FloatArray, residuals: FloatArray, of_k: FloatArray, of_rest: FloatArray, rows: int
) -> FloatArray:
    """Return the probability of each row to be drawn, (n,), which sum to ``rows``, from 1 to n.

    Half of it is equal for all rows, and a sixth each goes in proportion to the residual diagonal |K_ii −
    K̃_ii| (``residuals``, beside the ``entries`` K_ii, (n,) each), to the squares of the residual in a few
    columns, and to how far those of K are from their mean; these two as ``sums_over_columns`` returns them.
    Rows that would have more than 1 are drawn for sure. Where R = K − K̃ is positive semidefinite, ‖R_i‖² ≤
    R_ii tr R: no row with a small diagonal entry is long. The columns find the long rows of random features,
    whose R_ii are 0.
    """
    uneven = np.abs(of_k - of_k.mean())
    # What is rounding would draw other rows on another machine.
    sizes = (
        np.where(residuals > DIAGONAL_ROUNDING * entries, residuals, 0.0),
        of_rest,
        np.where(uneven > DIAGONAL_ROUNDING * of_k.mean(), uneven, 0.0),
    )
    share = 0.5 / len(entries) + np.sum([_share(size) for size in sizes], axis=0) / 6.0
    # Imported late: it takes a fifth of the whole import, and only this needs it.
    from scipy.optimize import brentq

    factor = brentq(lambda factor: np.minimum(1.0, factor * share).sum() - rows, 0.0, 2.0 / share.min())
    return np.minimum(1.0, factor * share)


def _share(sizes: FloatArray) -> FloatArray:
    total = sizes.sum()
    return sizes / total if total > 0 else np.full(len(sizes), 1.0 / len(sizes))


def pareto_sample(probabilities: FloatArray, rows: int, rng: np.random.Generator) -> IntArray:
    """Draw exactly so many rows with these probabilities, which sum to it, by Pareto sampling (Rosén 1997).

    The probabilities hold up to O(1/rows). Row numbers, ascending, (rows,).
    """
    u = rng.random(len(probabilities))
    order = u * (1.0 - probabilities) / ((1.0 - u) * probabilities)
    return np.sort(np.argpartition(order, rows - 1)[:rows])


def ratio_with_interval(
    parts: FloatArray, wholes: FloatArray, probabilities: FloatArray
) -> tuple[float, float, float]:
    """Estimate Σ parts / Σ wholes over all rows from sampled ones, (s,), with the ends of a 95 % interval.

    The variance V is Hájek's of the linearised ratio, in which rows drawn for sure have no part. Where a few
    rows make up most of V, it is uncertain itself: hence Student's law, with Satterthwaite's degrees of
    freedom, 2 V² / var V.
    """
    s, left = len(probabilities), 1.0 - probabilities
    total = float((wholes / probabilities).sum())
    ratio = ratio_of(float((parts / probabilities).sum()), total)
    if total == 0.0 or left.sum() == 0.0:
        return ratio, ratio, ratio
    gaps = (parts - ratio * wholes) / (probabilities * total)
    squares = left * (gaps - left @ gaps / left.sum()) ** 2
    variance = squares.sum()
    # At most the s − 1 of equal weights.
    freedom = 2.0 / max(squares @ squares / variance**2 - 1.0 / s, 2.0 / (s - 1)) if variance > 0 else s - 1.0
    spread = float(stdtrit(freedom, 0.975) * np.sqrt(s / (s - 1) * variance))
    return ratio, max(0.0, ratio - spread), ratio + spread
