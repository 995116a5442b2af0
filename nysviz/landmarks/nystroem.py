"""The step from columns to a factor: G = E P with P Pᵀ = W⁺."""

from collections.abc import Callable

import numpy as np

from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.numerics.lapack.symmetric import cholesky, eigh
from nysviz.numerics.lapack.triangular import solve_in_place, solve_triangular
from nysviz.shortfall import Note, Shortfall

# Eigenvalues of W below this part of the largest one are rounding. A Cholesky factor of W is used only if no
# eigenvalue is rounding: while tr W · tr W⁻¹, which is at least the condition number, is below 1 over this.
# Its pivots alone do not show it: all of them may be far above the smallest eigenvalue.
RANK_TOLERANCE = 1e-12
# Fewest operations for which the rows of a factor are computed in the shared pool.
MUCH_WORK = 2e9


def positive_eigenpairs(W: FloatArray, rounding: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return the eigenpairs of a positive semidefinite matrix above rounding, descending.

    ``rounding`` is that of its entries if they have fewer digits than double precision, as in
    ``KernelMatrix.rounding``.
    """
    if not len(W):
        return np.empty(0), np.empty((0, 0))
    values, vectors = eigh(W)
    significant = np.flatnonzero(values > max(RANK_TOLERANCE * values[-1], rounding, 0.0))[::-1]
    return values[significant], vectors[:, significant]


def projection_of(W: FloatArray, rounding: float = 0.0) -> tuple[FloatArray, str]:
    """Return P (m, r) with P Pᵀ = W⁺, and a sentence where W (m, m) has lost rank, else "".

    Triangular, from a Cholesky factor, where that is safe; else from the eigenpairs above ``rounding``, as in
    ``positive_eigenpairs``. O(m³).
    """
    safe = safe_cholesky(W, rounding)
    return _spectral_projection(W, rounding) if safe is None else (safe[1].T, "")


def nystroem_factor(
    E: FloatArray, W: FloatArray, rounding: float = 0.0
) -> tuple[FloatArray, FloatArray, str]:
    """Return G = E P (n, r) with G Gᵀ = E W⁺ Eᵀ, the projection P (m, r) and a note; O(n m² + m³)."""
    safe = safe_cholesky(W, rounding)
    if safe is not None:
        triangle, inverse = safe

        def solve(rows: FloatArray, out: FloatArray) -> None:
            np.copyto(out, rows)
            solve_in_place(triangle, out.T)

        return _by_rows(E, solve, len(W)), inverse.T, ""
    projection, note = _spectral_projection(W, rounding)
    factor = _by_rows(E, lambda rows, out: np.matmul(rows, projection, out=out), projection.shape[1])
    return factor, projection, note


def _by_rows(E: FloatArray, turn: Callable[[FloatArray, FloatArray], object], columns: int) -> FloatArray:
    """Turn E (n, m) into G (n, r), rows in the shared pool where that is much work."""
    n, m = E.shape
    factor = np.empty((n, columns))
    if 2.0 * n * m * columns < MUCH_WORK:
        turn(E, factor)
        return factor
    over_blocks(n, rows_per_block(n, m), lambda i, j: turn(E[i:j], factor[i:j]))
    return factor


def safe_cholesky(W: FloatArray, rounding: float = 0.0) -> tuple[FloatArray, FloatArray] | None:
    """Return the lower Cholesky factor L of W and L⁻¹, or None where W is nearly singular; O(m³)."""
    if not len(W):
        return W, W
    try:
        L = cholesky(W)
    except np.linalg.LinAlgError:
        return None
    tolerance = max(RANK_TOLERANCE * float(np.trace(W)), rounding)
    # A necessary condition, which may save forming the inverse.
    if not tolerance < float(L.diagonal().min()) ** 2:
        return None
    inverse = solve_triangular(L, np.eye(len(L)))
    # tr W⁻¹ = ‖L⁻¹‖_F².
    return (L, inverse) if tolerance * float(np.vdot(inverse, inverse)) < 1.0 else None


def _spectral_projection(W: FloatArray, rounding: float) -> tuple[FloatArray, str]:
    lengths = np.ones(len(W))
    if len(W) and not rounding and W.diagonal().max() > 0:
        # With one length for all landmarks: beside long ones, as with the linear kernel, the span of short
        # ones would be below the tolerance. Another inverse of a singular W gives the same E W⁺ Eᵀ.
        squares = W.diagonal() / W.diagonal().max()
        lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
    values, vectors = positive_eigenpairs(W / np.outer(lengths, lengths), rounding)
    note: str = ""
    if len(values) < len(W):
        is_given = len(values) and rounding > RANK_TOLERANCE * values[0]
        limit = f"{rounding:.1g}" if is_given else f"{RANK_TOLERANCE:g} of the largest"
        reason = "the rounding of the entries of K" if is_given else "where rounding begins"
        sentence = (
            f"Rank {len(values)} of {len(W)} is kept: no other eigenvalue of W is above {limit}, {reason}."
        )
        note = Note(sentence, Shortfall.RANK_LOST)
    return vectors / np.sqrt(values) / lengths[:, None], note
