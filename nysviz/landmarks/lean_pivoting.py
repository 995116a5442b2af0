"""Randomly pivoted Cholesky that holds its pivots' triangle alone and evaluates their columns again."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import BLOCK_ENTRIES, FloatArray, IntArray, over_blocks
from nysviz.landmarks.selection import Selection, exhausted, residual_floor
from nysviz.lapack.triangular import solve_triangular
from nysviz.matrix import KernelMatrix

# A block of columns is at least this wide.
LEAST_COLUMNS = 1_024


class LeanCholesky:
    """K ≈ Fᵀ F as in ``PartialCholesky``, with F = L⁻¹ K[pivots] never held: O(n + m²) memory.

    Each block of new pivots asks for the columns of all pivots so far again, (t + b) n kernel evaluations.
    The arithmetic stays O(n m²) in all, since only the new rows of F are formed from them.

    Attributes
    ----------
    residual : (n,) array
        Diagonal of K − Fᵀ F.
    """

    def __init__(self, K: KernelMatrix, m: int) -> None:
        self.K = K
        self.triangle = np.zeros((m, m))
        self.pivots = np.empty(m, dtype=np.intp)
        self.size = 0
        self.residual = K.diagonal.copy()
        self.floor = residual_floor(K)

    def known(self, candidates: IntArray) -> FloatArray:
        """F[:, candidates], (t, b); t b kernel evaluations."""
        t = self.size
        if t == 0:
            return np.empty((0, len(candidates)))
        entries = self.K.entries(self.pivots[:t], candidates)
        return solve_triangular(self.triangle[:t, :t], entries)

    def add_block(self, pivots: IntArray, triangle: FloatArray) -> None:
        """Append pivots whose residual matrix has the Cholesky factor ``triangle`` (b, b)."""
        t, stop = self.size, self.size + len(pivots)
        known = self.known(pivots)
        self.triangle[t:stop, :t] = known.T
        self.triangle[t:stop, t:stop] = triangle
        self.pivots[t:stop] = pivots
        self.size = stop
        # The last b rows of L⁻¹, by which the new rows of F follow from the columns of all pivots.
        last = np.eye(stop)[:, t:]
        mixing = solve_triangular(self.triangle[:stop, :stop], last, transposed=True).T
        fill = self.K.filling(self.pivots[:stop])

        def block(start: int, end: int) -> None:
            part = np.empty((stop, end - start))
            fill(start, part)
            rows = mixing @ part
            self.residual[start:end] -= np.einsum("ij,ij->j", rows, rows)

        over_blocks(self.K.n, max(LEAST_COLUMNS, BLOCK_ENTRIES // stop), block)
        np.maximum(self.residual, 0.0, out=self.residual)
        self.residual[self.pivots[:stop]] = 0.0

    def selection(self, m: int) -> Selection:
        """Return what was chosen, and say when it is less than was asked for."""
        notes: tuple[str, ...] = ()
        if self.size < m:
            notes = (exhausted(self.size, m),)
        return Selection(pivots=self.pivots[: self.size].copy(), notes=notes)
