"""The factor update that all pivoting methods share, with the factor held or only its triangle."""

from collections.abc import Callable

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.selection import Selection, exhausted, residual_allowed, residual_floor
from nysviz.numerics.blocks import BLOCK_ENTRIES, FloatArray, IntArray, over_blocks
from nysviz.numerics.lapack.triangular import add_product, solve_in_place, solve_triangular
from nysviz.numerics.loops import subtract_combination

# A block of columns is at least this wide.
LEAST_COLUMNS = 1_024


class Pivots:
    """The pivots so far, with the diagonal of K less its approximation from them."""

    def __init__(self, K: KernelMatrix, m: int) -> None:
        self.K = K
        self.pivots = np.empty(m, dtype=np.intp)
        self.size = 0
        self.residual = K.diagonal.copy()
        self.floor = residual_floor(K)
        self.enough = residual_allowed(K)


class PartialCholesky(Pivots):
    """The factor update that every pivoting method shares: K ≈ Fᵀ F, one row of F a pivot.

    ``residual`` (n,) is the diagonal of K − Fᵀ F, and set to 0 once its sum is at most ``enough``: no pivot
    remains then.
    """

    def __init__(self, K: KernelMatrix, m: int) -> None:
        super().__init__(K, m)
        self.rows = np.empty((m, K.n))

    def factor_columns(self, candidates: IntArray) -> FloatArray:
        """Return F[:, candidates], (t, b)."""
        return self.rows[: self.size, candidates]

    def residual_rows(self, pivots: IntArray) -> FloatArray:
        """Return rows of K − Fᵀ F, (b, n); b·n evaluations and O(b n t)."""
        rows = np.empty((len(pivots), self.K.n))
        self._for_parts(pivots, lambda start, part: np.copyto(rows[:, start : start + part.shape[1]], part))
        return rows

    def residual_row(self, pivot: int) -> FloatArray:
        """Return one row of K − Fᵀ F, (n,), in the place of the next row of F; n evaluations and O(n t)."""
        row: FloatArray = self.rows[self.size]
        rows = self.rows[: self.size]
        pivot_column = rows[:, pivot].copy()
        fill = self.K.filling(np.array([pivot]))

        def block(start: int, stop: int) -> None:
            fill(start, row[None, start:stop])
            subtract_combination(pivot_column, rows[:, start:stop], row[start:stop])

        over_blocks(self.K.n, max(LEAST_COLUMNS, 2 * BLOCK_ENTRIES // (self.size + 1)), block)
        return row

    def add(self, pivot: int, row: FloatArray | None = None) -> FloatArray:
        """Append one pivot, whose residual row may be at hand; return its row of F, (n,)."""
        new = self.residual_row(pivot) if row is None else row
        # A user's function with few digits may make it negative although the residual diagonal is not.
        if not new[pivot] > self.floor:
            new[pivot] = self.residual[pivot]
        omega: FloatArray = np.divide(new, np.sqrt(new[pivot]), out=self.rows[self.size])
        self.residual -= omega * omega
        self._append(np.array([pivot]))
        return omega

    def add_block(self, pivots: IntArray, triangle: FloatArray) -> None:
        """Append pivots whose residual matrix has the Cholesky factor ``triangle`` (b, b)."""
        new = self.rows[self.size : self.size + len(pivots)]

        def solve(start: int, part: FloatArray) -> None:
            stop = start + part.shape[1]
            solve_in_place(triangle, part)
            self.residual[start:stop] -= np.einsum("ij,ij->j", part, part)
            new[:, start:stop] = part

        self._for_parts(pivots, solve)
        self._append(pivots)

    def _for_parts(self, pivots: IntArray, work: Callable[[int, FloatArray], None]) -> None:
        """Call ``work(start, part)`` for these rows of K − Fᵀ F, a contiguous block of columns at a time."""
        # Pages of memory touched for the first time cost as much as the arithmetic on them, so no temporary
        # is longer than a block.
        rows = self.rows[: self.size]
        pivot_columns = np.ascontiguousarray(rows[:, pivots].T)
        fill = self.K.filling(pivots)

        def block(start: int, stop: int) -> None:
            part = np.empty((len(pivots), stop - start))
            fill(start, part)
            add_product(part, pivot_columns, rows[:, start:stop], -1.0)
            work(start, part)

        # As many columns as make a block of what is read and written.
        columns = max(LEAST_COLUMNS, BLOCK_ENTRIES // (len(pivots) + len(rows)))
        over_blocks(self.K.n, columns, block)

    def _append(self, pivots: IntArray) -> None:
        """Count the new rows of F, and set the residual of their pivots to 0."""
        stop = self.size + len(pivots)
        # A chosen row is reproduced exactly: the rest there would be rounding.
        self.rows[self.size : stop, self.pivots[: self.size]] = 0.0
        self.pivots[self.size : stop] = pivots
        self.size = stop
        np.maximum(self.residual, 0.0, out=self.residual)
        self.residual[pivots] = 0.0
        if self.residual.sum() <= self.enough:
            self.residual[:] = 0.0

    def selection(self, m: int) -> Selection:
        """Return the selection, with a note if it has fewer than m pivots."""
        return pivoted(self.K, self.rows[: self.size], self.pivots[: self.size], m)


class LeanCholesky(Pivots):
    """K ≈ Fᵀ F as in ``PartialCholesky``, with F = L⁻¹ K[pivots] never held: O(n + m²) memory.

    Each block of new pivots asks for the columns of all pivots so far again, (t + b) n kernel evaluations.
    The arithmetic stays O(n m²) in all, since only the new rows of F are formed from them.
    """

    def __init__(self, K: KernelMatrix, m: int) -> None:
        super().__init__(K, m)
        self.triangle = np.zeros((m, m))

    def factor_columns(self, candidates: IntArray) -> FloatArray:
        """Return F[:, candidates], (t, b); t b kernel evaluations."""
        t = self.size
        return solve_triangular(self.triangle[:t, :t], self.K.entries(self.pivots[:t], candidates))

    def add_block(self, pivots: IntArray, triangle: FloatArray) -> None:
        """Append pivots whose residual matrix has the Cholesky factor ``triangle`` (b, b)."""
        t, stop = self.size, self.size + len(pivots)
        self.triangle[t:stop, :t] = self.factor_columns(pivots).T
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
        if self.residual.sum() <= self.enough:
            self.residual[:] = 0.0

    def selection(self, m: int) -> Selection:
        """Return the selection, with a note if it has fewer than m pivots."""
        return Selection(pivots=self.pivots[: self.size].copy(), notes=exhausted(self.K, self.size, m))


def pivoted(K: KernelMatrix, rows: FloatArray, pivots: IntArray, m: int) -> Selection:
    """Return the selection of these pivots with the rows of F, with a note if they are fewer than m."""
    return Selection(pivots=pivots.copy(), factor=rows.T, notes=exhausted(K, len(pivots), m))
