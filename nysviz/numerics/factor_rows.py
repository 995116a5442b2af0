"""The factor of an approximation that is too large to be held: made again, a block of rows at a time."""

from collections.abc import Callable
from functools import partial

import numpy as np

from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray, checkpoint_here, over_blocks, rows_per_block
from nysviz.numerics.lapack.symmetric import cholesky, eigh
from nysviz.numerics.lapack.triangular import solve_triangular

# Lanes in which sums over blocks are taken, each in the order of its rows: the same on every machine.
LANES = 4
# From WIDE_COLUMNS columns on, the squares (8 MB) are not summed in lanes, but from blocks of WIDE_ENTRIES
# entries (16 MB) in panels.
WIDE_COLUMNS, WIDE_ENTRIES, PANEL_COLUMNS = 1_000, 2**21, 256
# Parts in which such a block is made, and fewest rows of a part.
PARTS, LEAST_ROWS = 16, 32
# Eigenvalues of K̃ below this part of the largest one are lost in the rounding of GᵀG.
GRAM_TOLERANCE = 1e-13


class FactorRows:
    """A factor G (n, r) that is not held: ``features`` maps rows (b, d) of X to rows (b, r) of G.

    ``inner`` is the number of columns of the intermediate array.
    """

    def __init__(
        self, X: FloatArray, features: Callable[[FloatArray], FloatArray], columns: int, inner: int
    ) -> None:
        self.X = X
        self.features = features
        self.shape = (int(X.shape[0]), columns)
        self.block_rows = rows_per_block(self.shape[0], max(1, columns, inner))

    @classmethod
    def of_array(cls, G: FloatArray, inner: int = 1) -> "FactorRows":
        """Wrap a held factor (n, r), to work with it in blocks of rows."""
        return cls(G, lambda rows: rows, G.shape[1], inner)

    def whole(self) -> FloatArray:
        """Return G as a new array."""
        return self.features(self.X)

    def take(self, rows: IntArray) -> FloatArray:
        """Return G[rows]."""
        return self.features(self.X[rows])

    def less(self, mean: FloatArray) -> "FactorRows":
        """Return the same rows with ``mean`` (r,) subtracted from each."""
        features = self.features

        def moved(X: FloatArray) -> FloatArray:
            rows = features(X)
            rows -= mean
            return rows

        shifted = FactorRows(self.X, moved, self.shape[1], 1)
        shifted.block_rows = self.block_rows
        return shifted

    def over(self, work: Callable[[int, int, FloatArray], object]) -> None:
        """Call ``work(start, stop, G[start:stop])`` for every block of rows, in the shared pool."""
        over_blocks(self.shape[0], self.block_rows, lambda i, j: work(i, j, self.features(self.X[i:j])))

    def total(self, work: Callable[[int, int, FloatArray], FloatArray]) -> FloatArray:
        """Return the sum of ``work(start, stop, G[start:stop])`` over all blocks of rows."""
        n, size = self.shape[0], self.block_rows
        return total_over_blocks(n, size, lambda i, j: work(i, j, self.features(self.X[i:j])))

    def gram(self, turn: FloatArray | None = None) -> FloatArray:
        """Return TᵀT of the rows T = G turn, or GᵀG, (r, r); O(n r²)."""
        width = self.shape[1] if turn is None else turn.shape[1]
        if width < WIDE_COLUMNS:

            def product(start: int, stop: int, G: FloatArray) -> FloatArray:
                T = G if turn is None else G @ turn
                return T.T @ T

            return self.total(product)
        # Wide rows are taken many at a time, and the threads share the square: it is held only once.
        total = np.zeros((width, width))
        many = max(self.block_rows, WIDE_ENTRIES // width)
        for first in range(0, self.shape[0], many):
            T = self._turned(first, min(self.shape[0], first + many), turn, width)
            over_blocks(width, PANEL_COLUMNS, partial(_add_panel, total, T))
        for column in range(1, width):
            total[:column, column] = total[column, :column]
        return total

    def _turned(self, first: int, last: int, turn: FloatArray | None, width: int) -> FloatArray:
        """Return G[first:last], times ``turn`` where there is one."""
        T = np.empty((last - first, width))

        def block(start: int, stop: int) -> None:
            G = self.features(self.X[first + start : first + stop])
            T[start:stop] = G if turn is None else G @ turn

        over_blocks(len(T), max(LEAST_ROWS, min(self.block_rows, len(T) // PARTS)), block)
        return T

    def times(self, right: FloatArray) -> FloatArray:
        """Return G @ right."""
        product = np.empty((self.shape[0], *right.shape[1:]))
        self.over(lambda start, stop, G: np.matmul(G, right, out=product[start:stop]))
        return product

    def transposed_times(self, left: FloatArray) -> FloatArray:
        """Return Gᵀ @ left."""
        return self.total(lambda start, stop, G: G.T @ left[start:stop])

    @lazy_property
    def diagonal(self) -> FloatArray:
        """Squared lengths of the rows, (n,), computed once."""
        squares = np.empty(self.shape[0])
        self.over(lambda start, stop, G: np.einsum("ij,ij->i", G, G, out=squares[start:stop]))
        return squares

    def eigenturn(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return eigenvalues of G Gᵀ, descending, and T (r, k) with eigenvectors G T; two passes over G.

        The eigenvectors of GᵀG nearly diagonalise the problem; a second product, of G turned and scaled by
        them, corrects what squaring has lost (Rayleigh–Ritz on an orthonormalised basis). The values are
        right to about 1e-15 of the largest; pairs below ``GRAM_TOLERANCE`` of it are left out.
        """
        values, vectors = eigh(self.gram(), overwrite=True)
        significant = np.flatnonzero(values > GRAM_TOLERANCE * max(values[-1], 0.0))[::-1]
        values = values[significant]
        turn = vectors[:, significant] / np.sqrt(values)

        # G T = Q Sᵀ with Q orthonormal, and K̃ = G T Λ (G T)ᵀ = Q (Sᵀ Λ S) Qᵀ on the kept directions.
        S = cholesky(self.gram(turn), overwrite=True)
        ritz, inside = eigh(S.T @ (values[:, None] * S), overwrite=True)
        back = solve_triangular(S, inside[:, ::-1][:, :k], transposed=True)
        return ritz[::-1][:k], turn @ back


def _add_panel(total: FloatArray, T: FloatArray, start: int, stop: int) -> None:
    total[start:stop, :stop] += T[:, start:stop].T @ T[:, :stop]


def total_over_blocks(n: int, size: int, work: Callable[[int, int], FloatArray]) -> FloatArray:
    """Return the sum of ``work(start, stop)`` over blocks of ``size`` of n rows, in the shared pool.

    The arrays are of one shape and the caller's own. Only as many as there are lanes are held at a time, and
    the order of the additions depends on n and the size alone.
    """
    sums: list[FloatArray | None] = [None] * LANES
    checkpoint = checkpoint_here()

    def lane(first: int, _: int) -> None:
        for start in range(first * size, n, LANES * size):
            checkpoint()
            part = work(start, min(n, start + size))
            before = sums[first]
            sums[first] = part if before is None else np.add(before, part, out=before)

    over_blocks(LANES, 1, lane)
    return np.asarray(sum(part for part in sums if part is not None))
