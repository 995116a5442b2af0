"""Gaussian process regression, exact and with inducing points: evidence, its bounds and predictions.

The prior is f ~ GP(0, k) and y = f(x) + ε with ε ~ N(0, σ²). The landmarks of a method are the inducing
points (Titsias 2009): the process with them needs G alone, K̃ = G Gᵀ.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nysviz.kernels import Kernel, KernelFunction, as_kernel
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.lapack.symmetric import solve_by_factor
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.numerics.rows import checked_rows
from nysviz.numerics.shifted import checked_right_sides, shifted_cholesky
from nysviz.nystroem.approximation import checked_same
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures.exact import trace_error
from nysviz.refusal import Refusal


@dataclass(frozen=True)
class Process:
    """A Gaussian process given data.

    ``evidence`` is log p(y), or with inducing points Titsias' lower bound of it, and ``upper`` an upper bound
    (Titsias 2014; Burt, Rasmussen & van der Wilk 2019). ``trace_term`` is tr(K − K̃) / (2σ²), which the lower
    bound takes off log N(y; 0, K̃ + σ²I); ``noise`` is σ². ``posterior`` maps points (q, d) to mean and
    variance of f there, (q,) each.
    """

    evidence: float
    upper: float
    trace_term: float
    noise: float
    posterior: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def nlpd(self, X_new: FloatArray, y_new: FloatArray) -> float:
        """Return the mean of −log p(y_new | y) over points, the negative log predictive density."""
        mean, variance = self.posterior(X_new)
        variance = variance + self.noise
        return float(np.mean(np.log(2.0 * np.pi * variance) + (y_new - mean) ** 2 / variance) / 2.0)


def exact_process(X: FloatArray, y: FloatArray, kernel: Kernel | KernelFunction, noise: float) -> Process:
    """Condition the process on rows (n, d) and centred targets (n,); O(n³/3), n × n held."""
    X, noise, kernel = checked_rows(X), _checked_noise(noise), as_kernel(kernel)
    y = _checked_targets(y, len(X))
    memory.check_matrix_memory("exact_process", len(X))
    with all_blas_threads():
        L = shifted_cholesky(kernel(X), noise)
        weights = solve_by_factor(L, y)

    def posterior(X_new: FloatArray) -> tuple[FloatArray, FloatArray]:
        across = kernel(X, checked_rows(X_new, "X_new"))
        explained = solve_triangular(L, across)
        return across.T @ weights, kernel.diag(X_new) - np.einsum("ij,ij->j", explained, explained)

    evidence = _log_density(float(y @ weights), 2.0 * float(np.log(L.diagonal()).sum()), len(y))
    return Process(evidence, evidence, 0.0, noise, posterior)


def sparse_process(X: FloatArray, y: FloatArray, a: LowRank, noise: float) -> Process:
    """Condition the process whose inducing points are the approximation's landmarks; O(n r²).

    The evidence is log N(y; 0, K̃ + σ²I) − tr(K − K̃)/(2σ²) (Titsias 2009, eq. 9), its upper end the same
    density with σ² + tr(K − K̃) in the quadratic form. ValueError as ``exact_process``, and where K − K̃ is not
    positive semidefinite: random features, some mixtures, a kernel that is not.
    """
    X, noise = checked_same(X, a.kernel, a), _checked_noise(noise)
    y = _checked_targets(y, a.n)
    kernel = a.kernel
    trace_gap = trace_error(X, kernel, a)
    if math.isnan(trace_gap):
        raise Refusal(
            f"{a.method} does not leave a positive semidefinite K − K̃, so there is no bound; take uniform, "
            "and a positive semidefinite kernel."
        )
    with one_blas_thread():
        L = shifted_cholesky(a.gram(), noise)
        weights = solve_by_factor(L, a.transposed_times(y))

    def posterior(X_new: FloatArray) -> tuple[FloatArray, FloatArray]:
        Z = a.transform(X_new)
        solved = solve_triangular(L, np.ascontiguousarray(Z.T))
        variance = kernel.diag(checked_rows(X_new, "X_new")) - np.einsum("ij,ij->i", Z, Z)
        return Z @ weights, variance + noise * np.einsum("ij,ij->j", solved, solved)

    logdet, trace_term = a.logdet(noise), trace_gap / (2.0 * noise)
    lower = _log_density(float(y @ a.solve(y, noise)), logdet, a.n) - trace_term
    upper = _log_density(float(y @ a.solve(y, noise + trace_gap)), logdet, a.n)
    return Process(lower, upper, trace_term, noise, posterior)


def _log_density(quadratic: float, logdet: float, n: int) -> float:
    return -0.5 * (quadratic + logdet + n * math.log(2.0 * math.pi))


def _checked_noise(noise: float) -> float:
    if not (is_finite(noise) and noise > 0):
        raise Refusal(f"noise = {quoted(noise)}; a variance above 0 is needed.")
    return float(noise)


def _checked_targets(y: FloatArray, n: int) -> FloatArray:
    y = checked_right_sides(y, n)
    if y.ndim != 1:
        raise Refusal(f"y has the shape {y.shape}; one target a row is needed, ({n},).")
    return y
