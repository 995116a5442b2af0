"""The errors where K is too large to be formed: estimates from sampled rows, with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.approximation import checked_same
from nysviz.blocks import FloatArray
from nysviz.kernels import Kernel
from nysviz.lowrank import LowRank
from nysviz.measures.exact import ratio_of, trace_error
from nysviz.measures.rows import row_sums, sampled_rows

# Rows of K − K̃ behind the estimate of a large matrix's Frobenius error, and the normal law's 97.5 % point.
SAMPLED_ROWS = 500
NORMAL_95 = 1.96


@dataclass(frozen=True)
class SampledErrors:
    """Errors where K is too large to be formed: the Frobenius norm from sampled rows, the trace exactly.

    The trace error is NaN where K − K̃ is not positive semidefinite: for random features, for a mixture whose
    shares sum to more than 1, and where the diagonal of K̃ exceeds that of K by more than rounding.

    ``interval`` holds the ends of a 95 % interval of the relative Frobenius error.
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

    ‖K − K̃‖² and ‖K‖² are sums over rows, so the ratio of their means over s rows drawn without replacement
    estimates the squared relative error; its interval comes from the linearised ratio and the normal law,
    corrected for a finite population.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
    rows : int
        Sampled rows s; O(s n (d + r)), never an n × n matrix.
    seed : int
    """
    X = checked_same(X, kernel, a)
    n = X.shape[0]
    rows = min(rows, n)
    sample = sampled_rows(n, rows, seed)
    of_k, of_rest = row_sums(X, kernel, a, sample)
    trace = trace_error(X, kernel, a)
    ratio = ratio_of(float(of_rest.mean()), float(of_k.mean()))
    spread = 0.0
    if rows > 1 and of_k.mean() > 0:
        deviations = (of_rest - ratio * of_k) / of_k.mean()
        spread = float(deviations.std(ddof=1) * np.sqrt((1.0 - rows / n) / rows))
    low, high = max(0.0, ratio - NORMAL_95 * spread), ratio + NORMAL_95 * spread
    return SampledErrors(
        frobenius=float(np.sqrt(n * of_rest.mean())),
        trace=trace,
        relative_frobenius=float(np.sqrt(ratio)),
        relative_trace=ratio_of(trace, float(kernel.diag(X).sum())),
        interval=(float(np.sqrt(low)), float(np.sqrt(high))),
        rows=rows,
    )
