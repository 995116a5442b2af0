"""The step from columns to a factor: G = E P with P Pᵀ = W⁺."""

from collections.abc import Callable

import numpy as np

from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.lapack.symmetric import cholesky, eigh
from nysviz.lapack.triangular import solve_in_place, solve_triangular

# Eigenvalues of W below this part of the largest one are rounding. A Cholesky factor of W is used as it is
# only where none is: while tr W · tr W⁻¹, which is at least the condition number, is below 1 over this. Its
# pivots alone do not tell: in a given order all of them may be far above the smallest eigenvalue.
RANK_TOLERANCE = 1e-12
# Operations from which the rows of a factor are worth handing out.
MUCH_WORK = 2e9


def positive_eigenpairs(W: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenpairs of a positive semidefinite matrix above rounding, descending."""
    if not len(W):
        return np.empty(0), np.empty((0, 0))
    values, vectors = eigh(W)
    kept = np.flatnonzero(values > RANK_TOLERANCE * max(values[-1], 0.0))[::-1]
    return values[kept], vectors[:, kept]


def projection_of(W: FloatArray) -> tuple[FloatArray, str]:
    """P (m, r) with P Pᵀ = W⁺, and a sentence where W (m, m) has lost rank, else "".

    Triangular, from a Cholesky factor, where that is safe; else from the eigenpairs above rounding. W is
    positive semidefinite up to rounding. O(m³).
    """
    safe = safe_cholesky(W)
    return _spectral_projection(W) if safe is None else (safe[1].T, "")


def nystroem_factor(E: FloatArray, W: FloatArray) -> tuple[FloatArray, FloatArray, str]:
    """Factor G = E P (n, r) with G Gᵀ = E W⁺ Eᵀ, the projection P (m, r) and a note; O(n m² + m³)."""
    safe = safe_cholesky(W)
    if safe is not None:
        triangle, inverse = safe

        def solve(rows: FloatArray, out: FloatArray) -> None:
            np.copyto(out, rows)
            solve_in_place(triangle, out.T)

        return _by_rows(E, solve, len(W)), inverse.T, ""
    projection, note = _spectral_projection(W)
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


def safe_cholesky(W: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Lower Cholesky factor L of W and L⁻¹, or None where W is too near to a singular matrix; O(m³)."""
    if not len(W):
        return W, W
    try:
        L = cholesky(W)
    except np.linalg.LinAlgError:
        return None
    trace = float(np.trace(W))
    # A bound from below: where that is too large the inverse need not be formed.
    if not RANK_TOLERANCE * trace < float(L.diagonal().min()) ** 2:
        return None
    inverse = solve_triangular(L, np.eye(len(L)))
    # tr W⁻¹ = ‖L⁻¹‖_F².
    return (L, inverse) if RANK_TOLERANCE * trace * float(np.vdot(inverse, inverse)) < 1.0 else None


def _spectral_projection(W: FloatArray) -> tuple[FloatArray, str]:
    values, vectors = positive_eigenpairs(W)
    note = ""
    if len(values) < len(W):
        note = (
            f"Rank {len(values)} of {len(W)} is kept: no other eigenvalue of W is above "
            f"{RANK_TOLERANCE:g} of the largest, where rounding begins."
        )
    return vectors / np.sqrt(values), note
