"""Eigenvalues of the kernel matrix, exact and of a low-rank factor."""

import numpy as np

from nysviz.kernels import Kernel, KernelFunction, as_kernel
from nysviz.kernels.matrix import LANCZOS_RATIO
from nysviz.kernels.similarities import NEGATIVE
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.counts import quoted, whole
from nysviz.numerics.lanczos import leading_eigenpairs
from nysviz.numerics.lapack.symmetric import symmetric_operator
from nysviz.numerics.rows import checked_rows, checked_square
from nysviz.refusal import Refusal

# Fewest rows for which an iteration pays: for fewer, all eigenvalues take at most a third of a second.
ITERATION_ROWS = 1_500


def spectrum(
    X: FloatArray, kernel: Kernel | KernelFunction, k: int | None = None, *, K: FloatArray | None = None
) -> FloatArray:
    """Compute eigenvalues of K = k(X, X), descending.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel or callable
    k : int, optional
        How many of the largest; all n by default.
    K : (n, n) array, optional
        The matrix if it is already computed.

    Returns
    -------
    (k,) array
        Clipped at 0, but where an own function or the like gives a K that is not positive semidefinite.
        O(n³); for a small k of a large n Lanczos iterations, O(n²) a product with K, unless the values fall
        too slowly for them. n²/2 kernel evaluations and 8 n² bytes for K if it is not given, and once more
        as many bytes for the work on it.

    Raises
    ------
    ValueError
        X empty or not finite, k out of range, or K and the work on it larger than four fifths of the free
        memory.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.spectrum([[1.0, 0.0], [0.0, 2.0]], nv.Linear())
    array([4., 1.])
    """
    X = checked_rows(X)
    n, kernel = X.shape[0], as_kernel(kernel)
    count = n if k is None else whole(k)
    if count is None or not 1 <= count <= n:
        raise Refusal(
            f"k = {quoted(k)} eigenvalues of an n = {n} matrix; a whole number from 1 to {n} is needed."
        )
    if K is None:
        instead = "take fewer rows, or use nysviz.approximate(...).eigh()"
        memory.check_matrix_memory("spectrum", n, memory.call_bytes(), instead, twice=True)
    matrix: FloatArray = kernel(X) if K is None else checked_square(K, n)
    values: FloatArray | None = None
    if n >= ITERATION_ROWS and LANCZOS_RATIO * count < n and matrix.trace() > 0:
        pairs = leading_eigenpairs(symmetric_operator(matrix), count)
        values = None if pairs is None else pairs[0]
    if values is None:
        with all_blas_threads():
            # numpy's lets other threads run meanwhile; scipy's would hold up a whole server for seconds.
            every = np.linalg.eigvalsh(matrix)[::-1]
        values = np.asarray(every[:count], dtype=np.float64)
    lowest = 0.0 if kernel.is_psd else -NEGATIVE * float(np.abs(matrix.diagonal()).sum())
    return values if values[-1] < lowest else np.maximum(values, 0.0)


def factor_spectrum(factor: FloatArray) -> FloatArray:
    """Return the eigenvalues of K̃ = G Gᵀ, G (n, r), that need not be 0, descending, (min(n, r),), from 0.

    Those of the smaller of GᵀG and G Gᵀ; O(n r min(n, r)). Those below about eps times the largest are
    rounding.
    """
    if not factor.shape[1]:
        return np.empty(0)
    with one_blas_thread():
        small = factor.T @ factor if factor.shape[1] <= len(factor) else factor @ factor.T
        return gram_spectrum(small)


def gram_spectrum(gram: FloatArray) -> FloatArray:
    """Return the eigenvalues of GᵀG (r, r), descending and clipped at 0; O(r³)."""
    with one_blas_thread():
        values = np.linalg.eigvalsh(gram)[::-1]
    return np.maximum(values, 0.0)


def best_errors(eigenvalues: FloatArray, m: int) -> tuple[float, float, float]:
    """Return Frobenius, spectral and trace error of the best rank-m approximation (Eckart & Young 1936).

    All eigenvalues are needed, (n,), descending.
    """
    tail = eigenvalues[m:]
    if not len(tail):
        return 0.0, 0.0, 0.0
    return float(np.sqrt(tail @ tail)), float(tail[0]), float(tail.sum())
