"""The step from columns to a factor: G = E P with P Pᵀ = W⁺."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.lapack.symmetric import cholesky, eigh
from nysviz.lapack.triangular import solve_in_place, solve_triangular

# Eigenvalues of W below this part of the largest one are rounding, and so is what a landmark adds below this
# part of its own diagonal entry.
RANK_TOLERANCE = 1e-12
# A Cholesky factor of W is used as it is while its smallest squared pivot is above this part of the largest
# diagonal entry: rounding is then amplified by less than 1e-6 in the weakest of the m directions.
SAFE_PIVOT = 1e-10
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
    """P with P Pᵀ = W⁺, and a sentence where W has lost rank.

    Parameters
    ----------
    W : (m, m) array
        Positive semidefinite up to rounding.

    Returns
    -------
    projection : (m, r) array
        Triangular, from a Cholesky factor, where that is safe; else from the eigenpairs above rounding.
    note : str
        Empty while r = m. O(m³).
    """
    L = safe_cholesky(W)
    if L is not None:
        return _inverse_transposed(L), ""
    return _spectral_projection(W)


def nystroem_factor(E: FloatArray, W: FloatArray) -> tuple[FloatArray, FloatArray, str]:
    """Factor G = E P (n, r) with G Gᵀ = E W⁺ Eᵀ, the projection P (m, r) and a note; O(n m² + m³)."""
    L = safe_cholesky(W)
    if L is not None:
        triangle = L

        def solve(rows: FloatArray, out: FloatArray) -> None:
            np.copyto(out, rows)
            solve_in_place(triangle, out.T)

        return _by_rows(E, solve, len(W)), _inverse_transposed(L), ""
    projection, note = _spectral_projection(W)
    factor = _by_rows(E, lambda rows, out: np.matmul(rows, projection, out=out), projection.shape[1])
    return factor, projection, note


def _inverse_transposed(L: FloatArray) -> FloatArray:
    """L⁻ᵀ, upper triangular."""
    return solve_triangular(L, np.eye(len(L))).T


def _by_rows(E: FloatArray, turn: Callable[[FloatArray, FloatArray], object], columns: int) -> FloatArray:
    """Turn E (n, m) into G (n, r), rows in the shared pool where that is much work."""
    n, m = E.shape
    factor = np.empty((n, columns))
    if 2.0 * n * m * columns < MUCH_WORK:
        turn(E, factor)
        return factor

    def block(start: int, stop: int) -> None:
        turn(E[start:stop], factor[start:stop])

    over_blocks(n, rows_per_block(n, m), block)
    return factor


def safe_cholesky(W: FloatArray) -> FloatArray | None:
    """Lower Cholesky factor of W, or None where rounding would be amplified too much."""
    if not len(W):
        return W
    try:
        L = cholesky(W)
    except np.linalg.LinAlgError:
        return None
    return L if np.diag(L).min() ** 2 > SAFE_PIVOT * np.diag(W).max() else None


def _spectral_projection(W: FloatArray) -> tuple[FloatArray, str]:
    values, vectors = positive_eigenpairs(W)
    note = ""
    if len(values) < len(W):
        note = (
            f"Rank {len(values)} of {len(W)} is kept: the other eigenvalues of W are below "
            f"{RANK_TOLERANCE:g} of the largest, which is rounding."
        )
    return vectors / np.sqrt(values), note
