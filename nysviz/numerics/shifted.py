"""The system (K̃ + shift·I) x = b: checks of its parts, factorisation and refinement."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.lapack.symmetric import cholesky
from nysviz.numerics.rows import as_numbers
from nysviz.refusal import Refusal

# A shift below the first part of the trace of K̃ leaves less than two digits of a solution, for which some
# 2 eps ‖K̃‖/shift are uncertain; from the second part on it leaves six without refinement.
LEAST_SHIFT, WELL_CONDITIONED = 256 * float(np.finfo(np.float64).eps), 1e-6
# A solution is refined until a step changes it by less than REFINED of its norm, in at most STEPS steps; it
# is returned where the last step changed it by less than TWO_DIGITS.
REFINED, STEPS, TWO_DIGITS = 1e-6, 5, 0.01


def checked_shift(shift: Any) -> float:
    """Return the shift as a float, or raise Refusal for one that is not a finite number above 0."""
    if not (is_finite(shift) and shift > 0):
        raise Refusal(f"shift = {quoted(shift)}; a finite number above 0 is needed: K̃ alone is singular.")
    return float(shift)


def checked_right_sides(b: Any, n: int) -> FloatArray:
    """Return b (n,) or (n, c) as float64, or raise Refusal."""
    if sparse.issparse(b):
        raise Refusal("b is sparse, and the solution would not be; give b.toarray().")
    sides = as_numbers(b, "b")
    if sides.ndim not in (1, 2) or sides.shape[0] != n:
        raise Refusal(f"b has the shape {sides.shape}; ({n},) or ({n}, c) is needed, a value a row of X.")
    if not np.isfinite(sides).all():
        bad = int((~np.isfinite(sides)).sum())
        raise Refusal(f"b holds NaN or infinity in {bad} of {sides.size} places; remove or fill them first.")
    return sides


def solve_refined(
    solve: Callable[[FloatArray], FloatArray],
    multiply: Callable[[FloatArray], FloatArray],
    b: FloatArray,
    shift: float,
) -> FloatArray:
    """Solve (K̃ + shift·I) x = b by a solver that rounding disturbs, with iterative refinement.

    ``solve`` returns an approximate solution for a right side of the shape of ``b``, (n,) or (n, c),
    ``multiply`` K̃ x. ValueError where the refinement does not settle: rounding leaves less than two digits
    of x.
    """
    x = solve(b)
    for _ in range(STEPS):
        step = solve(b - multiply(x) - shift * x)
        x = x + step
        changed, norm = np.linalg.norm(step, axis=0), np.linalg.norm(x, axis=0)
        if (changed <= REFINED * norm).all():
            break
    if not (changed <= TWO_DIGITS * norm).all():
        raise lost_shift(shift)
    return x


def shifted_cholesky(square: FloatArray, shift: float) -> FloatArray:
    """Return the Cholesky factor of ``square`` + shift·I, which overwrites the square.

    ``square`` is (r, r), symmetric and positive semidefinite, with the nonzero eigenvalues of K̃. ValueError
    if the shift is lost in its rounding, or below the size of a negative eigenvalue.
    """
    if shift <= LEAST_SHIFT * float(np.trace(square)):
        raise lost_shift(shift)
    square[np.diag_indices_from(square)] += shift
    try:
        return cholesky(square, overwrite=True)
    except np.linalg.LinAlgError:
        raise Refusal(
            f"The matrix with the shift {shift:g} is not positive definite; take a larger shift (1/C of an "
            "LS-SVM, the noise of a process), or a kernel that is positive semidefinite."
        ) from None


def lost_shift(shift: float) -> ValueError:
    """Return the refusal of a shift that is lost in rounding."""
    return Refusal(
        f"The shift {shift:g} is lost in the rounding of K̃, which is too large beside it; take a larger "
        "shift (1/C of an LS-SVM), or rescale the data."
    )
