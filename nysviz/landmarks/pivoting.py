"""Partial Cholesky factorisations of K: one factor update, several pivot rules."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks.selection import Selection, draw, residual_floor
from nysviz.loops import accept_proposals
from nysviz.matrix import KernelMatrix

# Proposals in a rejection round: few at first, more while most are accepted, fewer when hardly any is. The
# rule looks at the past only, so that the first picks do not depend on how many are asked for.
FIRST_PROPOSALS = 16
MOST_PROPOSALS = 256


class PartialCholesky:
    """The factor update that every pivoting method shares: K ≈ Fᵀ F, one row of F a pivot.

    Attributes
    ----------
    residual : (n,) array
        Diagonal of K − Fᵀ F.
    """

    def __init__(self, K: KernelMatrix, m: int) -> None:
        self.K = K
        self.rows = np.empty((m, K.n))
        self.pivots = np.empty(m, dtype=np.intp)
        self.size = 0
        self.residual = K.diagonal.copy()
        self.floor = residual_floor(K)

    def residual_rows(self, pivots: IntArray) -> FloatArray:
        """Rows of K − Fᵀ F, (b, n); b·n evaluations and O(b n t)."""
        rows = self.K.rows(pivots)
        done = self.rows[: self.size]
        rows -= done[:, pivots].T @ done
        return rows

    def add(self, pivot: int, row: FloatArray | None = None) -> FloatArray:
        """Append one pivot, whose residual row may be at hand; return its row of F, (n,)."""
        index = np.array([pivot])
        row = self.residual_rows(index)[0] if row is None else row
        self._append((row / np.sqrt(row[pivot]))[None], index)
        appended: FloatArray = self.rows[self.size - 1]
        return appended

    def add_block(self, pivots: IntArray, triangle: FloatArray) -> None:
        """Append pivots whose residual matrix has the Cholesky factor ``triangle`` (b, b)."""
        rows = solve_triangular(triangle, self.residual_rows(pivots), lower=True, check_finite=False)
        self._append(rows, pivots)

    def _append(self, rows: FloatArray, pivots: IntArray) -> None:
        stop = self.size + len(rows)
        # A chosen row is reproduced exactly: what rounding leaves there would only be noise.
        rows[:, self.pivots[: self.size]] = 0.0
        self.rows[self.size : stop] = rows
        self.pivots[self.size : stop] = pivots
        self.size = stop
        self.residual -= np.einsum("ij,ij->j", rows, rows)
        np.maximum(self.residual, 0.0, out=self.residual)
        self.residual[pivots] = 0.0

    def selection(self, m: int) -> Selection:
        """Return what was chosen, and say when it is less than was asked for."""
        return pivoted(self.rows[: self.size], self.pivots[: self.size], m)


def pivoted(rows: FloatArray, pivots: IntArray, m: int) -> Selection:
    """Selection of these pivots with the rows of F; a note when they are fewer than m."""
    notes: tuple[str, ...] = ()
    if len(pivots) < m:
        notes = (f"After {len(pivots)} of {m} pivots the residual diagonal is at rounding; it stops there.",)
    return Selection(pivots=pivots.copy(), factor=rows.T, notes=notes)


def icd(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Incomplete Cholesky with the largest residual diagonal as pivot (Fine & Scheinberg 2001).

    Deterministic. (m + 1) n kernel evaluations, O(m² n). Stops when the residual reaches rounding.
    """
    partial = PartialCholesky(K, m)
    while partial.size < m:
        pivot = int(partial.residual.argmax())
        if partial.residual[pivot] <= partial.floor:
            break
        partial.add(pivot)
    return partial.selection(m)


def rpcholesky(K: KernelMatrix, m: int, rng: np.random.Generator, form: str = "accelerated") -> Selection:
    """Randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2022): p_i ∝ residual diagonal.

    ``form="accelerated"`` draws many proposals at once and rejects (Epperly, Tropp & Webber 2024), which
    has the same distribution as ``"simple"``, one pivot after the other, and turns the work into matrix
    products. (m + 1) n kernel evaluations plus b² a round of b proposals; O(m² n).
    """
    if form not in ("accelerated", "simple"):
        raise ValueError(f"form = {form!r}; 'accelerated' or 'simple' is needed.")
    partial = PartialCholesky(K, m)
    proposals = 1 if form == "simple" else min(FIRST_PROPOSALS, K.n)
    most = 1 if form == "simple" else MOST_PROPOSALS
    while partial.size < m:
        partial.residual[partial.residual <= partial.floor] = 0.0
        if not partial.residual.any():
            break
        candidates = draw(partial.residual, rng.random(proposals))
        accepted, triangle = _rejection(partial, candidates, rng.random(proposals), m - partial.size)
        if len(accepted):
            partial.add_block(accepted, triangle)
        if 2 * len(accepted) > proposals:
            proposals = min(2 * proposals, most)
        elif 8 * len(accepted) < proposals:
            proposals = max(proposals // 2, min(FIRST_PROPOSALS, most))
    return partial.selection(m)


def _rejection(
    partial: PartialCholesky, candidates: IntArray, uniforms: FloatArray, limit: int
) -> tuple[IntArray, FloatArray]:
    """Accept or reject the candidates in turn; return those kept and their triangular factor."""
    K = partial.K
    H = K.entries(candidates, candidates)
    known = partial.rows[: partial.size, candidates]
    H -= known.T @ known
    # The diagonal that the draw was made with, so that proposals are weighed against the same numbers.
    np.fill_diagonal(H, partial.residual[candidates])
    L = np.zeros_like(H)
    kept = np.empty(len(H), dtype=np.intp)
    rank = accept_proposals(H, uniforms, partial.floor, limit, L, kept)
    kept = kept[:rank]
    return candidates[kept], L[np.ix_(kept, np.arange(rank))]
