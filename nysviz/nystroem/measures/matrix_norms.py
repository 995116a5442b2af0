"""Norms of K and of K − K̃, from a matrix at hand or from rows that are made in blocks."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.numerics.lanczos import most_restarts
from nysviz.numerics.lapack.symmetric import symmetric_operator
from nysviz.refusal import Refusal

# Largest n at which the residual is held as one matrix (8 n² bytes) where the memory allows; beyond, it is
# formed in blocks.
RESIDUAL_ROWS = 8_000
# Relative accuracy asked of the Lanczos iteration for the spectral norm.
SPECTRAL_TOLERANCE = 1e-8

# Norms sum the squares of the entries of K and K − K̃, which must stay within the range of float64.
SMALLEST_ENTRY, LARGEST_ENTRY = 1e-145, 1e145


def matrix_fits(n: int) -> bool:
    """Whether an n × n matrix is formed; otherwise blocks of rows are, again at each use."""
    return n <= RESIDUAL_ROWS and 8 * n * n <= memory.most_bytes()


def residual(K: FloatArray, factor: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return K − G Gᵀ as a matrix, (n, n), new or in ``out``, which may be K itself; O(n² r)."""
    n = len(K)
    R = np.empty_like(K) if out is None else out
    transposed = np.ascontiguousarray(factor.T)

    def block(start: int, stop: int) -> None:
        # In the place of the result, unless K stands there.
        product = None if R is K else R[start:stop]
        np.subtract(K[start:stop], np.matmul(factor[start:stop], transposed, out=product), out=R[start:stop])

    over_blocks(n, rows_per_block(n, n), block)
    return R


def frobenius(matrix: FloatArray) -> float:
    """Return the Frobenius norm without a temporary copy."""
    flat = matrix.ravel(order="K")
    return float(np.sqrt(flat @ flat))


def spectral_norm(matrix: FloatArray | LinearOperator, tolerance: float = SPECTRAL_TOLERANCE) -> float:
    """Return the largest absolute eigenvalue of a symmetric matrix, by Lanczos from a fixed start.

    Where its eigenvalues are so nearly equal that this does not converge, by LAPACK, O(n³); ValueError where
    the matrix is an operator, whose entries are not at hand.
    """
    n = matrix.shape[0]
    if n <= 2:
        dense = matrix @ np.eye(n)
        return float(np.abs(np.linalg.eigvalsh(dense)).max())
    start = np.random.default_rng(0).standard_normal(n)
    operator = symmetric_operator(matrix) if isinstance(matrix, np.ndarray) else matrix
    try:
        values = eigsh(
            operator,
            k=1,
            which="LM",
            tol=tolerance,
            v0=start,
            rng=0,
            maxiter=most_restarts(n, 1),
            return_eigenvectors=False,
        )
    except ArpackError:
        if operator is matrix:
            raise Refusal(
                f"The spectral norm is not found to a relative {tolerance:g}, since the largest eigenvalues "
                "are nearly equal; give a larger tolerance."
            ) from None
        values = np.linalg.eigvalsh(matrix)
    return float(np.abs(values).max())


@dataclass(frozen=True)
class Norms:
    """Norms of K, by which relative errors are divided.

    ``trace`` is tr K, which is the nuclear norm only if K is positive semidefinite; ``errors`` replaces it
    otherwise.
    """

    frobenius: float
    spectral: float
    trace: float


def norms(X: FloatArray, kernel: Kernel, *, K: FloatArray | None = None) -> Norms:
    """Return the Frobenius and spectral norm and the trace of k(X, X); O(n²), in blocks if K is not held.

    ValueError for entries of K whose squares overflow, or are rounded to 0.
    """
    check_entries(X, kernel)
    trace = float(kernel.diag(X).sum())
    matrix = KernelMatrix(X, kernel, dense=kernel(X) if K is None and matrix_fits(X.shape[0]) else K)
    size = frobenius_in_blocks(matrix)
    return Norms(size, spectral_norm(as_operator(matrix)) if size > 0 else 0.0, trace)


def check_entries(X: FloatArray, kernel: Kernel) -> None:
    """Raise Refusal where squares of the kernel's entries overflow or are rounded to 0.

    Only the diagonal is checked: it holds the largest entry of a positive semidefinite K.
    """
    with np.errstate(over="ignore"):
        largest = float(kernel.diag(X).max())
    # What is not finite the kernel itself refuses.
    if LARGEST_ENTRY <= largest < np.inf:
        raise Refusal(
            f"The {kernel.label} kernel of these rows reaches {largest:.3g}, whose square overflows; change "
            "the unit of the columns."
        )
    # Rows of zeros alone have a matrix of zeros, which is exact.
    if largest < SMALLEST_ENTRY and kernel.is_psd and abs(X).max() > 0:
        raise Refusal(
            f"The {kernel.label} kernel of these rows is {largest:.3g} at most, whose square is rounded to "
            "0; change the unit of the columns."
        )


def frobenius_in_blocks(K: KernelMatrix, factor: FloatArray | None = None) -> float:
    """Return ‖K‖_F, or ‖K − G Gᵀ‖_F, without another n × n matrix."""
    transposed = None if factor is None else factor.T
    return float(np.sqrt(K.squares(transposed, transposed).sum()))


def as_operator(K: KernelMatrix, factor: FloatArray | None = None) -> LinearOperator:
    """Return K, or K − G Gᵀ, as an operator that reads the rows of K in blocks at every product."""

    def product(vector: FloatArray) -> FloatArray:
        result = K.times(vector.ravel())
        return result if factor is None else result - factor @ (factor.T @ vector.ravel())

    return LinearOperator((K.n, K.n), matvec=product, dtype=np.float64)
