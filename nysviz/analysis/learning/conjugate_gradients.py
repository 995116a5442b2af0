"""The system (K + μI) x = b by conjugate gradients, with a Nyström approximation as preconditioner.

K is read in blocks of rows and never held. The preconditioner is K̃ + μI, inverted by Woodbury's identity
(Díaz, Epperly, Frangella, Tropp & Webber 2023). That of Frangella, Tropp & Udell 2023 differs off the range
of K̃ alone, where it has λ_r + μ in the place of μ.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal

from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.counts import from_one, is_finite, quoted
from nysviz.numerics.lapack.symmetric import solve_by_factor
from nysviz.numerics.shifted import checked_right_sides, checked_shift, shifted_cholesky
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import nuclear_norm_of_diagonals
from nysviz.refusal import Refusal

TOLERANCE = 1e-6
MOST_ITERATIONS = 1_000
# The recursion for the residual starts anew from b − (K + μI) x while that falls by this factor each time.
PROGRESS = 0.5

State = Literal["converged", "iterations", "rounding", "stagnated", "indefinite"]
"""How conjugate gradients ended, see ``Solution.sentence``."""


@dataclass(frozen=True)
class Solution:
    """Solution of conjugate gradients, and the course of the iterations.

    ``residuals``, (iterations + 1,), are ‖b − (K + μI) x‖ / ‖b‖ before the first iteration and after each, by
    the recursion, but the last one by its definition; ``state`` says how they ended. ``seconds`` are those of
    the iterations and of the preconditioner's factorisation, without ``LowRank.seconds``. ``condition`` is
    that of the preconditioned matrix as far as the iterations show it: the ratio of the extreme Ritz values,
    which approaches it from below.
    """

    x: FloatArray
    residuals: FloatArray
    seconds: float
    condition: float
    state: State

    @property
    def iterations(self) -> int:
        """Number of iterations, of one product with K each."""
        return len(self.residuals) - 1

    @property
    def converged(self) -> bool:
        """Whether the last residual is at most the tolerance."""
        return self.state == "converged"

    @property
    def sentence(self) -> str:
        """The outcome, and a remedy where that is not convergence."""
        reached = f"{self.residuals[-1]:.2g}"
        sentences: dict[State, str] = {
            "converged": f"The residual is {reached} after {self.iterations} iterations.",
            "iterations": f"The residual is {reached} after {self.iterations} iterations, above the "
            "tolerance; allow more of them, or take a preconditioner with more landmarks.",
            "rounding": f"The residual stays at {reached}, since rounding allows no smaller one with this "
            "shift; take a larger tolerance or shift.",
            "stagnated": f"The residual stays at {reached}, which is more than rounding explains; take a "
            "larger shift, or a kernel whose values are more accurate.",
            "indefinite": "K with the shift is not positive definite; take a larger shift, or a kernel that "
            "is positive semidefinite.",
        }
        return sentences[self.state]


def solve(
    K: KernelMatrix,
    b: FloatArray,
    shift: float,
    preconditioner: LowRank | None = None,
    *,
    tolerance: float = TOLERANCE,
    max_iterations: int = MOST_ITERATIONS,
) -> Solution:
    """Solve (K + shift·I) x = b, (n,), by preconditioned conjugate gradients.

    It ends at the relative residual ``tolerance``, which b − (K + shift·I) x itself must have reached, or for
    another reason that ``Solution.state`` names, such as ``max_iterations``. n² kernel evaluations an
    iteration, one block of rows held at a time. A preconditioner, an approximation of the same K, adds O(n r)
    to each and O(n r²) before the first. ValueError for a shift that is not a finite number above 0 or is
    lost in the rounding of K̃, b of another shape or not finite, a preconditioner of another n.
    """
    shift, b = checked_shift(shift), checked_right_sides(b, K.n)
    if b.ndim != 1:
        raise Refusal(f"b has the shape {b.shape}; conjugate gradients need one right side, ({K.n},).")
    if not (is_finite(tolerance) and tolerance > 0):
        raise Refusal(f"tolerance = {quoted(tolerance)}; a finite number above 0 is needed.")
    max_iterations = from_one("max_iterations", max_iterations)
    if preconditioner is not None and preconditioner.n != K.n:
        raise Refusal(f"K has {K.n} rows and the preconditioner {preconditioner.n}; both need the same X.")
    started = time.perf_counter()
    L = None if preconditioner is None else shifted_cholesky(preconditioner.gram(), shift)

    def multiply(p: FloatArray) -> FloatArray:
        return K.times(p) + shift * p

    def precondition(r: FloatArray) -> FloatArray:
        if preconditioner is None or L is None:
            return r
        # Woodbury's identity, (K̃ + shift·I)⁻¹ r.
        return (r - preconditioner.times(solve_by_factor(L, preconditioner.transposed_times(r)))) / shift

    with one_blas_thread():
        x, residuals, state, condition = _iterate(multiply, precondition, b, tolerance, max_iterations)
    size = float(np.linalg.norm(b))
    if state == "stagnated" and residuals[-1] * size <= _rounding(K, shift, x):
        state = "rounding"
    return Solution(x, np.array(residuals), time.perf_counter() - started, condition, state)


def _iterate(
    multiply: Callable[[FloatArray], FloatArray],
    precondition: Callable[[FloatArray], FloatArray],
    b: FloatArray,
    tolerance: float,
    max_iterations: int,
) -> tuple[FloatArray, list[float], State, float]:
    """Run conjugate gradients; return x, the relative residuals, the state and the condition so far.

    A residual that no longer falls is called "stagnated", whatever the reason.
    """
    size = float(np.linalg.norm(b)) or 1.0
    x, r, direction = np.zeros(len(b)), b, np.zeros(len(b))
    residuals = [float(np.linalg.norm(b)) / size]
    inner: list[float] = []
    curvature: list[float] = []
    before = checked = math.inf

    def ended(state: State) -> tuple[FloatArray, list[float], State, float]:
        return x, residuals, state, _ritz_ratio(inner, curvature)

    while True:
        if residuals[-1] <= tolerance or len(residuals) > max_iterations:
            # Rounding makes the recursion drift from the true residual, which decides.
            r = b - multiply(x)
            residuals[-1] = float(np.linalg.norm(r)) / size
            if residuals[-1] <= tolerance:
                return ended("converged")
            if len(residuals) > max_iterations:
                return ended("iterations")
            if residuals[-1] > PROGRESS * checked:
                return ended("stagnated")
            # After a restart the first direction is that of the residual alone.
            checked, before = residuals[-1], math.inf
        z = precondition(r)
        product = float(r @ z)
        direction = z + product / before * direction
        image = multiply(direction)
        curved = float(direction @ image)
        if not (product > 0 and curved > 0):
            residuals[-1] = float(np.linalg.norm(b - multiply(x))) / size
            return ended("indefinite")
        x = x + product / curved * direction
        r = r - product / curved * image
        residuals.append(float(np.linalg.norm(r)) / size)
        before = product
        if math.isinf(checked):
            inner.append(product)
            curvature.append(curved)


def _rounding(K: KernelMatrix, shift: float, x: FloatArray) -> float:
    """Return the residual that rounding may leave, eps (tr K + μ) ‖x‖, since tr K ≥ ‖K‖."""
    norm = float(np.abs(K.diagonal).sum()) + shift
    return float(np.finfo(np.float64).eps) * norm * float(np.linalg.norm(x))


def solve_exactly(K: KernelMatrix, b: FloatArray, shift: float) -> FloatArray:
    """Solve (K + shift·I) x = b by a Cholesky factorisation; O(n³/3), n × n held. Refuses as ``solve``."""
    shift, b = checked_shift(shift), checked_right_sides(b, K.n)
    memory.check_matrix_memory("solve_exactly", K.n)
    with all_blas_threads():
        return solve_by_factor(shifted_cholesky(K.copy(), shift), b)


def condition_bound(K: KernelMatrix, a: LowRank, shift: float) -> float:
    """Return 1 + tr(K − K̃)/μ ≥ κ (Díaz et al. 2023, sec. 2); NaN where K − K̃ may be indefinite."""
    if not a.residual_is_psd:
        return math.nan
    return 1.0 + nuclear_norm_of_diagonals(K.diagonal, a.diagonal()) / checked_shift(shift)


def _ritz_ratio(inner: list[float], curvature: list[float]) -> float:
    """Return the ratio of the extreme Ritz values, from rᵀM⁻¹r and pᵀAp of each iteration."""
    if not inner:
        return 1.0
    steps = np.array(inner) / np.array(curvature)
    growth = np.array(inner[1:]) / np.array(inner[:-1])
    diagonal = 1.0 / steps
    diagonal[1:] += growth / steps[:-1]
    values = eigvalsh_tridiagonal(diagonal, np.sqrt(growth) / steps[:-1])
    return float(values[-1] / values[0])
