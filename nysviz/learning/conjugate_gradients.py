"""The system (K + μI) x = b by conjugate gradients, with a Nyström approximation as preconditioner.

K is read in blocks of rows and never held. The preconditioner is K̃ + μI, inverted by Woodbury's identity
(Díaz, Epperly, Frangella, Tropp & Webber 2023). That of Frangella, Tropp & Udell 2023 differs off the range
of K̃ alone, where it has λ_r + μ in the place of μ.
"""

import math
import time
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.sparse.linalg import LinearOperator, cg

from nysviz import memory
from nysviz.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.counts import from_one, is_finite, quoted
from nysviz.lapack.symmetric import solve_by_factor
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix
from nysviz.measures import nuclear_norm_of_diagonals
from nysviz.refusal import Refusal
from nysviz.shifted import checked_right_sides, checked_shift, shifted_cholesky

TOLERANCE = 1e-6
MOST_ITERATIONS = 1_000


@dataclass(frozen=True)
class Solution:
    """What conjugate gradients returned, and how they came to it.

    ``residuals``, (iterations + 1,), are ‖b − (K + μI) x‖ / ‖b‖ before the first iteration and after each;
    ``seconds`` those of the iterations and of the preconditioner's factorisation, without
    ``LowRank.seconds``. ``condition`` is that of the preconditioned matrix as far as the iterations show it:
    the ratio of the extreme Ritz values, which approaches it from below.
    """

    x: FloatArray
    residuals: FloatArray
    seconds: float
    condition: float
    converged: bool

    @property
    def iterations(self) -> int:
        """Products with K that were needed."""
        return len(self.residuals) - 1


def solve(
    K: KernelMatrix,
    b: FloatArray,
    shift: float,
    preconditioner: LowRank | None = None,
    *,
    tolerance: float = TOLERANCE,
    most: int = MOST_ITERATIONS,
) -> Solution:
    """Solve (K + shift·I) x = b, (n,), by preconditioned conjugate gradients (scipy.sparse.linalg.cg).

    It ends at the relative residual ``tolerance``, or after ``most`` iterations of n² kernel evaluations
    each, one block of rows held at a time. A preconditioner, an approximation of the same K, adds O(n r) to
    each and O(n r²) before the first. ValueError for a shift that is not a finite number above 0 or is lost
    in the rounding of K̃, b of another shape or not finite, a preconditioner of another n.
    """
    shift, b = checked_shift(shift), checked_right_sides(b, K.n)
    if b.ndim != 1:
        raise Refusal(f"b has the shape {b.shape}; conjugate gradients need one right side, ({K.n},).")
    if not (is_finite(tolerance) and tolerance > 0):
        raise Refusal(f"tolerance = {quoted(tolerance)}; a finite number above 0 is needed.")
    most = from_one("most", most)
    if preconditioner is not None and preconditioner.n != K.n:
        raise Refusal(f"K has {K.n} rows and the preconditioner {preconditioner.n}; both need the same X.")
    started = time.perf_counter()
    residuals, inner, curvature = [], [], []
    L = None if preconditioner is None else shifted_cholesky(preconditioner.gram(), shift)

    def multiply(p: FloatArray) -> FloatArray:
        product = K.times(p) + shift * p
        curvature.append(float(p @ product))
        return product

    def precondition(r: FloatArray) -> FloatArray:
        z = r
        if preconditioner is not None and L is not None:
            # Woodbury's identity, (K̃ + shift·I)⁻¹ r.
            z = (r - preconditioner.times(solve_by_factor(L, preconditioner.transposed_times(r)))) / shift
        residuals.append(float(np.linalg.norm(r)))
        inner.append(float(r @ z))
        return z

    with one_blas_thread():
        x, info = cg(
            LinearOperator((K.n, K.n), multiply, dtype=np.float64),
            b,
            rtol=tolerance,
            maxiter=most,
            M=LinearOperator((K.n, K.n), precondition, dtype=np.float64),
        )
        residuals.append(float(np.linalg.norm(b - K.times(x) - shift * x)))
    size = float(np.linalg.norm(b)) or 1.0
    return Solution(
        x, np.array(residuals) / size, time.perf_counter() - started, _ritz_ratio(inner, curvature), info == 0
    )


def solve_exactly(K: KernelMatrix, b: FloatArray, shift: float) -> FloatArray:
    """Solve (K + shift·I) x = b by a Cholesky factorisation; O(n³/3), n × n held. Refuses as ``solve``."""
    shift, b = checked_shift(shift), checked_right_sides(b, K.n)
    memory.checked_matrix("solve_exactly", K.n)
    with all_blas_threads():
        return solve_by_factor(shifted_cholesky(K.copy(), shift), b)


def condition_bound(K: KernelMatrix, a: LowRank, shift: float) -> float:
    """Return 1 + tr(K − K̃)/μ ≥ κ (Díaz et al. 2023, sec. 2); NaN where K − K̃ may be indefinite."""
    if not a.residual_is_psd:
        return math.nan
    return 1.0 + nuclear_norm_of_diagonals(K.diagonal, a.diagonal()) / checked_shift(shift)


def _ritz_ratio(inner: list[float], curvature: list[float]) -> float:
    """Ratio of the extreme eigenvalues of Lanczos's matrix, from rᵀM⁻¹r and pᵀAp of each iteration."""
    if not inner:
        return 1.0
    steps = np.array(inner) / np.array(curvature)
    growth = np.array(inner[1:]) / np.array(inner[:-1])
    diagonal = 1.0 / steps
    diagonal[1:] += growth / steps[:-1]
    values = eigvalsh_tridiagonal(diagonal, np.sqrt(growth) / steps[:-1])
    return float(values[-1] / values[0])
