"""The system (K̃ + shift·I) x = b: what it is made of, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray
from nysviz.counts import is_finite, seen
from nysviz.lapack.symmetric import cholesky
from nysviz.rows import as_numbers

# A shift below this part of the norm of K̃ is refused. Rounding makes errors of at most some 35 eps ‖K̃‖/shift
# in the solution (seen for b an eigenvector of the largest eigenvalue, n from 30 to 4 000): two digits are
# right.
LEAST_SHIFT = 1e4 * float(np.finfo(np.float64).eps)


def checked_shift(shift: Any) -> float:
    """Return the shift as a float, or raise one sentence where it is no finite number above 0."""
    if not (is_finite(shift) and shift > 0):
        raise ValueError(f"shift = {seen(shift)}; a finite number above 0 is needed: K̃ alone is singular.")
    return float(shift)


def checked_right_sides(b: Any, n: int) -> FloatArray:
    """Return b (n,) or (n, c) as float64, or raise one sentence that says what is wrong with it."""
    if sparse.issparse(b):
        raise ValueError("b is sparse, and the solution would not be; give b.toarray().")
    sides = as_numbers(b, "b")
    if sides.ndim not in (1, 2) or sides.shape[0] != n:
        raise ValueError(f"b has the shape {sides.shape}; ({n},) or ({n}, c) is needed, a value a row of X.")
    if not np.isfinite(sides).all():
        bad = int((~np.isfinite(sides)).sum())
        raise ValueError(
            f"b holds NaN or infinity in {bad} of {sides.size} places; remove or fill them first."
        )
    return sides


def shifted_cholesky(square: FloatArray, shift: float) -> FloatArray:
    """Cholesky factor of ``square`` + shift·I, in the place of the square.

    Parameters
    ----------
    square : (r, r) array
        Symmetric and positive semidefinite, with the nonzero eigenvalues of K̃.
    shift : float
        Above 0.

    Raises
    ------
    ValueError
        The shift is so small beside the square that rounding leaves less than two digits of a solution.
    """
    try:
        if shift <= LEAST_SHIFT * _norm(square):
            raise np.linalg.LinAlgError
        square[np.diag_indices_from(square)] += shift
        return cholesky(square, overwrite=True)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"The shift {shift:g} is lost in the rounding of K̃, which is too large beside it; take a "
            "larger shift (1/C of an LS-SVM), or rescale the data."
        ) from None


def _norm(square: FloatArray) -> float:
    """Frobenius norm, without a temporary copy, and without overflow of the squares; O(r²)."""
    # The largest entry of a positive semidefinite matrix stands on its diagonal.
    largest = float(square.diagonal().max(initial=0.0))
    if not largest > 0:
        return 0.0
    total = 0.0
    for row in square:
        scaled = row / largest
        total += float(scaled @ scaled)
    return largest * float(np.sqrt(total))
