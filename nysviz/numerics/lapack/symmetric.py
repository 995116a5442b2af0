"""Products with symmetric matrices, their Cholesky factors, inverses and eigenpairs."""

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator

from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.lapack.routines import Routine, column_major, leading, routine
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.refusal import Refusal

# With more rows the size of LAPACK's work array, 2n² + 6n + 1, exceeds a 32-bit integer.
MOST_ROWS = 32_000


def times_vector(A: FloatArray, x: FloatArray) -> FloatArray:
    """Return A x, (n,), for a symmetric (n, n) array A, while other threads run; half of A is read.

    Reading A takes twice the time of the arithmetic, so half of it takes half the time.
    """
    x = np.ascontiguousarray(x, dtype=np.float64)
    dsymv, layout = routine("dsymv"), column_major(A)
    if dsymv is None or layout is None or not x.size:
        return A @ x
    y = np.zeros(len(x))
    dsymv(b"L", len(x), 1.0, layout[0], leading(layout[0]), x, 1, 0.0, y, 1)
    return y


def symmetric_operator(A: FloatArray) -> LinearOperator:
    """Return A for Lanczos iterations."""
    return LinearOperator(A.shape, matvec=lambda x: times_vector(A, x.ravel()), dtype=np.float64)


def cholesky(A: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Return lower L with L Lᵀ = A and zeros above the diagonal, while other threads run; O(n³/3).

    One triangle of the symmetric A (n, n) is read. With ``overwrite`` the factor may take its place, where
    that is contiguous: no memory beyond it is used then. LinAlgError where A is not positive definite in
    floating point.
    """
    L = _factor(A, overwrite)
    for column in range(1, len(L)):
        L[:column, column] = 0.0
    return L


def _factor(A: FloatArray, overwrite: bool) -> FloatArray:
    """Return the Cholesky factor in the lower triangle of an array in Fortran's order, arbitrary above."""
    L = _in_fortran_order(A, overwrite)
    dpotrf = routine("dpotrf")
    if dpotrf is None or not L.size:
        L[...] = np.linalg.cholesky(L)
        return L
    info = np.zeros(1, dtype=np.intc)
    dpotrf(b"L", len(L), L, len(L), info)
    if info[0]:
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    return L


def solve_by_factor(L: FloatArray, right: FloatArray) -> FloatArray:
    """Solve L Lᵀ X = B for an (m,) or (m, c) array B; O(m² c)."""
    return solve_triangular(L, solve_triangular(L, right), transposed=True)


def inverse(A: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix, exactly symmetric; O(n³). Raises as ``cholesky``."""
    L = _factor(A, overwrite=False)
    dpotri = routine("dpotri")
    if dpotri is None or not L.size:
        lower = np.tril(linalg.lapack.dpotri(L, lower=1)[0]) if L.size else L
    else:
        info = np.zeros(1, dtype=np.intc)
        dpotri(b"L", len(L), L, len(L), info)
        if info[0]:
            raise np.linalg.LinAlgError("The matrix is singular.")
        lower = np.tril(L)
    return lower + np.tril(lower, -1).T


# Matrices that all eigenpairs of one need: the vectors, and LAPACK's work arrays.
EIGEN_COPIES = 3.0


def eigh(
    A: FloatArray, *, largest: int | None = None, overwrite: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues (k,), ascending, and orthonormal eigenvectors (n, k), as other threads run; O(n³).

    One triangle of the symmetric A (n, n) is read. All pairs take work arrays of 2n² entries, and n² for the
    vectors unless A, contiguous, may be changed (``overwrite``). Only the ``largest`` ones, 1 to n of them,
    take about a third of the time, and memory for no other n × n arrays than A. LinAlgError where the
    iteration does not converge; so it is where A is not finite.
    """
    A = _square(A)
    n = len(A)
    if largest is not None and not 1 <= largest <= n:
        raise Refusal(f"{largest} eigenpairs of a matrix of {n} rows; from 1 to {n} are needed.")
    dsyevd, dsyevr = routine("dsyevd"), routine("dsyevr")
    if largest is None and n and n <= MOST_ROWS and dsyevd is not None:
        return _all_pairs(dsyevd, _in_fortran_order(A, overwrite))
    if largest is not None and dsyevr is not None:
        return _largest_pairs(dsyevr, _in_fortran_order(A, overwrite), largest)
    values, vectors = np.linalg.eigh(A)
    return (values, vectors) if largest is None else (values[-largest:], vectors[:, -largest:])


def descending(values: FloatArray, vectors: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the first k of all pairs in reverse order, in the same memory if these are most pairs.

    ``values`` (n,) ascend and ``vectors`` (n, n) are their columns: as ``eigh`` returns them, and the
    caller's own, since they may be changed.
    """
    n = len(values)
    if 2 * k < n:
        return values[::-1][:k].copy(), vectors[:, ::-1][:, :k].copy(order="F")
    half = n // 2
    last = vectors[:, n - half :].copy(order="F")
    vectors[:, n - half :] = vectors[:, :half][:, ::-1]
    vectors[:, :half] = last[:, ::-1]
    return values[::-1][:k].copy(), vectors[:, :k]


def _square(A: FloatArray) -> FloatArray:
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise Refusal(f"A has the shape {A.shape}; a square matrix is needed.")
    return A


def _in_fortran_order(A: FloatArray, overwrite: bool) -> FloatArray:
    """Return A, or a copy of it, in Fortran's order; the transpose of a symmetric matrix is as good."""
    A = _square(A)
    A = A.T if A.flags.c_contiguous else A
    if overwrite and A.flags.f_contiguous and A.flags.writeable and A.flags.aligned:
        return A
    return np.array(A, order="F")


def _all_pairs(dsyevd: Routine, A: FloatArray) -> tuple[FloatArray, FloatArray]:
    n = len(A)
    values, info = np.empty(n), np.zeros(1, dtype=np.intc)
    work, iwork = np.empty(1), np.empty(1, dtype=np.intc)
    # With sizes of -1 it returns the sizes that it needs.
    dsyevd(b"V", b"L", n, A, n, values, work, -1, iwork, -1, info)
    work, iwork = np.empty(int(work[0])), np.empty(int(iwork[0]), dtype=np.intc)
    dsyevd(b"V", b"L", n, A, n, values, work, len(work), iwork, len(iwork), info)
    _check(info)
    return values, A


def _largest_pairs(dsyevr: Routine, A: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    n, diagonal = len(A), A.diagonal().copy()
    values, vectors = np.empty(n), np.empty((n, k), order="F")
    count, support, info = (np.zeros(size, dtype=np.intc) for size in (1, 2 * n, 1))
    work, iwork = np.empty(1), np.empty(1, dtype=np.intc)
    for asking in (True, False):
        sizes = (-1, -1) if asking else (len(work), len(iwork))
        dsyevr(
            b"V", b"I", b"L", n, A, n, 0.0, 0.0, n - k + 1, n, 0.0,
            count, values, vectors, n, support, work, sizes[0], iwork, sizes[1], info,
        )  # fmt: skip
        if asking:
            work, iwork = np.empty(int(work[0])), np.empty(int(iwork[0]), dtype=np.intc)
    _check(info)
    if count[0] < k:
        # Bisection misses some of many eigenvalues that are equal up to rounding, and returns only their
        # number. It has overwritten the lower triangle.
        np.fill_diagonal(A, diagonal)
        values, vectors = np.linalg.eigh(A, "U")
        return values[-k:], vectors[:, -k:]
    return values[:k].copy(), vectors


def _check(info: np.ndarray) -> None:
    if info[0]:
        raise np.linalg.LinAlgError("The eigenvalues did not converge.")
