"""Leave-one-out error estimates for randomly drawn columns."""

from dataclasses import dataclass

import numpy as np

from nysviz.landmarks.nystroem import positive_eigenpairs
from nysviz.numerics.blocks import one_blas_thread
from nysviz.numerics.counts import quoted
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures.exact import ratio_of
from nysviz.refusal import Refusal

# A landmark is spanned by the others where W W⁺ differs from I at its entry by more than this.
SPANNED = 1e-8


@dataclass(frozen=True)
class LeaveOneOut:
    """Leave-one-out estimates of a Nyström approximation, from its m columns alone.

    ``frobenius`` estimates ‖K − K̃‖_F: its square is unbiased for the squared error with one landmark fewer.
    ``relative_frobenius`` is the same over an estimate of ‖K‖_F from the landmarks' columns, ``jackknife``
    how much K̃ varies with the draw, √(E‖K̃ − E K̃‖_F²).
    """

    frobenius: float
    relative_frobenius: float
    jackknife: float


def leave_one_out(a: LowRank) -> LeaveOneOut:
    """Estimate the error of a Nyström approximation by leaving out each landmark (Epperly & Tropp 2024).

    Without landmark j the approximation is K̃₍ⱼ₎ = K̃ − gⱼgⱼᵀ/(W⁻¹)ⱼⱼ with gⱼ = E W⁻¹eⱼ, and the column of K
    that it has not seen is wrong by gⱼ/(W⁻¹)ⱼⱼ. Neither asks for an entry of K: it is a guess from the m
    columns that were drawn, where ``errors`` looks at all n.

    Parameters
    ----------
    a : LowRank
        From ``uniform``, or from a method that draws rows independently, with replacement: ``diagonal``,
        ``column_norm``, ``leverage`` and ``leverage_approx``. Only there is a landmark that was left out a
        random row for the others, and the estimate holds.

    Returns
    -------
    LeaveOneOut
        O(n r² + m² r). The paper's theorem on the jackknife, which is at least the variance on average, is
        for independent draws; ``uniform`` draws without replacement.

    Raises
    ------
    ValueError
        Landmarks chosen otherwise (k-means, pivoting, determinantal sampling, a mixture), random features,
        the best rank m, a truncated approximation, or a kernel seen not to be positive semidefinite.

    References
    ----------
    E. N. Epperly and J. A. Tropp. Efficient error and variance estimation for randomized matrix computations.
    SIAM Journal on Scientific Computing 46, 2024.

    Examples
    --------
    >>> import nysviz as nv
    >>> a = nv.approximate(nv.load("iris").X, nv.Gaussian(1.0), "uniform", 20)
    >>> 0.0 < nv.leave_one_out(a).relative_frobenius < 0.5
    True
    """
    if not isinstance(a, LowRank):
        raise Refusal(f"{quoted(a)} is no approximation; give what nysviz.approximate returns.")
    if a.landmarks is None or a.pivots is None or (a.method != "uniform" and a.weights is None):
        raise Refusal(
            f"{a.method} does not draw its landmarks independently, so leaving one out does not tell the "
            "error; take uniform, diagonal, column_norm or leverage, or "
            "nysviz.nystroem.measures.sampled_errors."
        )
    if a.is_indefinite:
        raise Refusal(
            "The kernel is not positive semidefinite, or has too few digits, so leaving a landmark out does "
            "not tell the error; take nysviz.errors or nysviz.nystroem.measures.sampled_errors."
        )
    n, m, P = a.n, len(a.pivots), a.projection
    _, first, counts = np.unique(a.pivots, return_index=True, return_counts=True)
    is_independent = np.zeros(m, dtype=bool)
    is_independent[first[counts == 1]] = True
    if a.rank < len(first):
        values, vectors = positive_eigenpairs(a.kernel(a.landmarks[first]))
        if len(values) != a.rank:
            raise Refusal(
                f"The approximation was truncated to rank {a.rank} of {len(values)}; estimate its error "
                "before."
            )
        is_independent[first] &= np.einsum("ij,ij->i", vectors, vectors) > 1.0 - SPANNED
    # A landmark that the others span changes nothing when it is left out.
    inverse = np.where(is_independent, np.einsum("ij,ij->i", P, P), np.inf)
    with one_blas_thread():
        S = a.gram()
        scaled = P / np.sqrt(inverse)[:, None]
        # Inner products of the vectors u_j with K̃₍ⱼ₎ = K̃ − u_j u_jᵀ.
        inner = scaled @ S @ scaled.T
        pivot_rows = a.take(a.pivots)
        columns = np.einsum("ij,ij->i", pivot_rows @ S, pivot_rows)
    lengths = inner.diagonal()
    # The left-out row is one of the n − m + 1 that the others are not, or drawn with probability 1/(m w²).
    of_rest, of_k = ((n - m + 1) / m, n / m) if a.weights is None else (a.weights**2, a.weights**2)
    error, size = np.sqrt(np.sum(of_rest * lengths / inverse)), np.sqrt(np.sum(of_k * columns))
    variance = np.sum(lengths**2) - np.sum(inner**2) / m
    return LeaveOneOut(float(error), ratio_of(float(error), float(size)), float(np.sqrt(max(0.0, variance))))
