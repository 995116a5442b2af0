"""The n × n kernel matrix of the selectors: read by rows, formed only where a method needs all of it."""

import math
from collections.abc import Callable

import numpy as np

from nysviz.kernels import Fill, Kernel, KernelFunction, Precomputed, Rows, SingleRows, as_kernel
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import (
    BLOCK_ENTRIES,
    AnyFloatArray,
    FloatArray,
    IntArray,
    all_blas_threads,
    checkpoint_here,
    over_blocks,
    rows_per_block,
)
from nysviz.numerics.counts import WithRows
from nysviz.numerics.lanczos import leading_eigenpairs
from nysviz.numerics.lapack.symmetric import descending, eigh, symmetric_operator, times_vector
from nysviz.refusal import Refusal

# Lanczos pays while at most n / LANCZOS_RATIO eigenpairs are wanted.
LANCZOS_RATIO = 20
# LAPACK's selected eigenpairs cost less time and memory than all while they are at most n / PART_RATIO.
PART_RATIO = 5
# Smallest number of rows of a block of whole rows, however long they are.
LEAST_ROWS = 32
# Number of partial sums, each in one thread, of a product from the upper half of K.
SUMS = 8


def whole_rows_per_block(n: int) -> int:
    """Return the number of rows in a block of an n × n matrix: fewer than elsewhere where they are long."""
    return min(rows_per_block(n, n), max(LEAST_ROWS, BLOCK_ENTRIES // n))


def _ask_here() -> None:
    """Call the checkpoint of this thread's block work: the default at each request for entries."""
    checkpoint_here()()


class KernelMatrix(WithRows):
    """K = k(X, X) of rows (n, d), read on demand, with a count of the entries that were read.

    X may be sparse (scipy.sparse.csr_array) for the linear kernel. Where the matrix itself is at hand
    (``dense``) rows are copied instead of computed; the count of ``evaluations`` is the same, so a method's
    cost does not depend on what happened to be cached. ``eigen`` are eigenvalues (k,), descending, and
    eigenvectors (n, k), where they are at hand. ``checkpoint`` is called at each request for entries: an
    exception raised there stops the method that asked. A pivoted method stops once the trace of its residual
    is at most ``tolerance`` times that of K.
    """

    def __init__(
        self,
        X: FloatArray,
        kernel: Kernel | KernelFunction,
        dense: FloatArray | None = None,
        eigen: tuple[FloatArray, FloatArray] | None = None,
    ) -> None:
        self.X = X
        self.kernel = as_kernel(kernel)
        self.dense = dense
        self.eigen = eigen
        self.evaluations = 0
        self.checkpoint: Callable[[], None] = _ask_here
        self.tolerance = 0.0
        self._formed = False

    def _count(self, entries: int) -> None:
        self.checkpoint()
        # Once a method has asked for the whole matrix it holds it, and no entry costs it anything.
        if not self._formed:
            self.evaluations += entries

    def recount(self) -> "KernelMatrix":
        """Return the same matrix, with its cached parts, and a count that starts at 0."""
        fresh = KernelMatrix(self.X, self.kernel, self.dense, self.eigen)
        fresh.checkpoint = self.checkpoint
        return fresh

    @property
    def rounding(self) -> float:
        """Size up to which eigenvalues of a given K are rounding of its entries; 0 for double precision."""
        return self.kernel.rounding if isinstance(self.kernel, Precomputed) else 0.0

    @lazy_property
    def diagonal(self) -> FloatArray:
        """k(x_i, x_i), (n,); n evaluations."""
        self._count(self.n)
        if self.dense is not None:
            return self.dense.diagonal().copy()
        diagonal = self.kernel.diag(self.X)
        self.kernel.refuse_unless_finite(diagonal)
        return diagonal

    @lazy_property
    def _against_all(self) -> Rows:
        return self.kernel.against(self.X)

    def rows(self, indices: IntArray) -> FloatArray:
        """Return K[indices, :], a new (b, n) array; b·n evaluations."""
        self._count(len(indices) * self.n)
        if self.dense is not None:
            return self.dense[indices]
        return self._against_all(self.X[indices])

    @lazy_property
    def _filling(self) -> Fill:
        return self.kernel.filling(self.X)

    def filling(self, indices: IntArray) -> Callable[[int, FloatArray], object]:
        """Return ``fill(first, out)``, which writes the columns of K[indices, :] from the first on.

        b·n evaluations, counted at once.
        """
        self._count(len(indices) * self.n)
        dense = self.dense
        if dense is not None:
            return lambda first, out: np.copyto(out, dense[indices, first : first + out.shape[1]])
        points, fill = self.X[indices], self._filling
        return lambda first, out: fill(points, first, out)

    def columns(self, indices: IntArray) -> FloatArray:
        """Return K[:, indices], a new (n, b) array; b·n evaluations."""
        self._count(len(indices) * self.n)
        if self.dense is not None:
            return np.ascontiguousarray(self.dense[indices].T)
        return self.kernel.against(self.X[indices])(self.X)

    def against(self, points: FloatArray) -> FloatArray:
        """Return k(X, points), (n, m), for points that need not be rows of X; n·m evaluations."""
        self._count(points.shape[0] * self.n)
        return self.kernel.against(points)(self.X)

    def entries(self, rows: IntArray, columns: IntArray, *, computed: bool = False) -> FloatArray:
        """Return K[rows][:, columns], a new (b, c) array; b·c evaluations. Symmetric if both are one array.

        ``computed``: from the kernel even where the matrix is at hand, whose last digits may differ.
        """
        self._count(len(rows) * len(columns))
        if self.dense is not None and not computed:
            return self.dense[np.ix_(rows, columns)]
        return self.kernel(self.X[rows], None if columns is rows else self.X[columns])

    def over_rows(self, work: Callable[[int, int, FloatArray], object]) -> None:
        """Call ``work(start, stop, K[start:stop])`` for every block of rows, in the shared pool.

        n² evaluations, one block held at a time in each thread. The rows are for reading only: they may
        belong to the matrix at hand.
        """
        self._count(self.n * self.n)
        dense = self.dense
        over_blocks(
            self.n,
            whole_rows_per_block(self.n),
            lambda i, j: work(i, j, self._against_all(self.X[i:j]) if dense is None else dense[i:j]),
        )

    def times(self, right: FloatArray) -> FloatArray:
        """Return K @ right for an (n,) or (n, c) array; n² evaluations, for a vector as ``times_by_half``."""
        if right.ndim == 1:
            if self.dense is None:
                return self.times_by_half(right)
            self._count(self.n * self.n)
            return times_vector(self.dense, right)
        product = np.empty(right.shape)
        self.over_rows(lambda start, stop, rows: np.matmul(rows, right, out=product[start:stop]))
        return product

    def times_by_half(self, right: FloatArray, *, single: bool = False) -> FloatArray:
        """Do as ``times`` from the upper half of K, with eight sums of the product's size held meanwhile.

        Counted as n² evaluations, of which half are done. ``single``: in single precision and half of that
        time, where ``single_error`` is finite.
        """
        in_single = self._in_single if single else None
        if single and in_single is None:
            raise Refusal(f"The {self.kernel.label} kernel is not computed in single precision here.")
        self._count(self.n * self.n)
        dense, X, n = self.dense, self.X, self.n
        size, checkpoint = whole_rows_per_block(n), checkpoint_here()
        vectors: AnyFloatArray = right.astype(np.float32 if single else np.float64)
        sums = np.zeros((SUMS, *right.shape), vectors.dtype)

        def upper(i: int, j: int) -> AnyFloatArray:
            if dense is not None:
                return dense[i:j, i:]
            if in_single is not None:
                return in_single[0](X[i:j], i)
            rows = np.empty((j - i, n - i))
            self._filling(X[i:j], i, rows)
            return rows

        def add(first: int, last: int) -> None:
            # The same blocks in the same order, whatever thread is at work.
            for i in range(first * size, n, SUMS * size):
                checkpoint()
                j = min(n, i + size)
                rows = upper(i, j)
                sums[first, i:j] += rows @ vectors[i:]
                sums[first, j:] += rows[:, j - i :].T @ vectors[i:j]

        over_blocks(SUMS, 1, add)
        return sums.sum(axis=0, dtype=np.float64)

    def squares(self, left: FloatArray | None = None, right: FloatArray | None = None) -> FloatArray:
        """Return ‖row i‖² of K, or of K − leftᵀ right with (t, n) arrays, (n,); n² evaluations, O(n² t)."""
        lengths = np.empty(self.n)

        def block(start: int, stop: int, rows: FloatArray) -> None:
            if left is not None and right is not None:
                product = left[:, start:stop].T @ right
                rows = np.subtract(rows, product, out=product)
            lengths[start:stop] = np.einsum("ij,ij->i", rows, rows)

        self.over_rows(block)
        return lengths

    @property
    def single_error(self) -> float:
        """Size of the entries' errors in single precision; infinite where that is not available."""
        return math.inf if self._in_single is None else self._in_single[1]

    @lazy_property
    def _in_single(self) -> tuple[SingleRows, float] | None:
        return None if self.dense is not None else self.kernel.against_in_single(self.X)

    def full(self) -> FloatArray:
        """Return the whole matrix (n, n); n² evaluations, after which nothing is counted any more."""
        self._count(self.n * self.n)
        self._formed = True
        if self.dense is None:
            self.dense = self.kernel(self.X)
        return self.dense

    def copy(self) -> FloatArray:
        """Return the whole matrix as an array of the caller's own; counted as ``full``, and not kept."""
        if self.dense is not None:
            return self.full().copy()
        self._count(self.n * self.n)
        self._formed = True
        return self.kernel(self.X)

    def eigenpairs(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return the top k eigenvalues, descending, and eigenvectors (n, k); counted as n² evaluations.

        Lanczos iterations for a small part of the spectrum, else LAPACK's decomposition, O(n³): of the part
        that is asked for where that is less work than all of it.
        """
        if self.eigen is not None and len(self.eigen[0]) >= k:
            self._count(self.n * self.n)
            self._formed = True
            return self.eigen[0][:k], self.eigen[1][:, :k]
        K = self.full()
        # Lanczos fails on a matrix of zeros.
        if LANCZOS_RATIO * k < self.n and K.trace() > 0:
            pairs = leading_eigenpairs(symmetric_operator(K), k)
            if pairs is not None:
                return pairs
        with all_blas_threads():
            if PART_RATIO * k <= self.n:
                return descending(*eigh(K, largest=k), k)
            return descending(*eigh(K), k)
