"""Norms of K and of K − K̃: of a matrix at hand, or of rows that are made in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from nysviz import memory
from nysviz.approximation import checked_rows
from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.kernels import Kernel
from nysviz.matrix import whole_rows_per_block

# Up to so many rows the residual is held as one matrix (8 n² bytes) where the memory allows; else it is
# formed in blocks.
RESIDUAL_ROWS = 8_000
# Relative accuracy asked of the Lanczos iteration for the spectral norm.
SPECTRAL_TOLERANCE = 1e-8


def are_held(matrices: int, n: int) -> bool:
    """Whether so many n × n matrices are formed at once: where not, blocks of rows, again at each use."""
    return n <= RESIDUAL_ROWS and matrices * 8 * n * n <= memory.most_bytes()


def residual(K: FloatArray, factor: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """K − G Gᵀ as a matrix, (n, n); O(n² r)."""
    n = len(K)
    R = np.empty_like(K) if out is None else out
    transposed = np.ascontiguousarray(factor.T)

    def block(start: int, stop: int) -> None:
        np.matmul(factor[start:stop], transposed, out=R[start:stop])
        np.subtract(K[start:stop], R[start:stop], out=R[start:stop])

    over_blocks(n, rows_per_block(n, n), block)
    return R


def frobenius(matrix: FloatArray) -> float:
    """Frobenius norm without a temporary copy."""
    flat = matrix.ravel(order="K")
    return float(np.sqrt(flat @ flat))


def spectral_norm(matrix: FloatArray | LinearOperator, tolerance: float = SPECTRAL_TOLERANCE) -> float:
    """Largest absolute eigenvalue of a symmetric matrix, by Lanczos from a fixed start."""
    n = matrix.shape[0]
    if n <= 2:
        dense = matrix @ np.eye(n)
        return float(np.abs(np.linalg.eigvalsh(dense)).max())
    start = np.random.default_rng(0).standard_normal(n)
    values = eigsh(matrix, k=1, which="LM", tol=tolerance, v0=start, rng=0, return_eigenvectors=False)
    return float(abs(values[0]))


@dataclass(frozen=True)
class Norms:
    """Norms of K itself, to which errors are set in relation."""

    frobenius: float
    spectral: float
    trace: float


def norms(X: FloatArray, kernel: Kernel, *, K: FloatArray | None = None) -> Norms:
    """Frobenius, spectral and trace norm of k(X, X); O(n²), in blocks of rows where K is not held."""
    X = checked_rows(X)
    trace = float(kernel.diag(X).sum())
    if K is not None or are_held(1, X.shape[0]):
        full = kernel(X) if K is None else K
        size = frobenius(full)
        return Norms(size, spectral_norm(full) if size > 0 else 0.0, trace)
    size = frobenius_in_blocks(X, kernel, None)
    return Norms(size, spectral_norm(as_operator(X, kernel, None)) if size > 0 else 0.0, trace)


def frobenius_in_blocks(X: FloatArray, kernel: Kernel, factor: FloatArray | None) -> float:
    """‖K‖_F, or ‖K − G Gᵀ‖_F, without an n × n matrix."""
    against_all = kernel.against(X)
    size = whole_rows_per_block(X.shape[0])
    sums = np.zeros(-(-X.shape[0] // size))

    def block(start: int, stop: int) -> None:
        rows = against_all(X[start:stop])
        if factor is not None:
            rows -= factor[start:stop] @ factor.T
        sums[start // size] = np.einsum("ij,ij->", rows, rows)

    over_blocks(X.shape[0], size, block)
    return float(np.sqrt(sums.sum()))


def as_operator(X: FloatArray, kernel: Kernel, factor: FloatArray | None) -> LinearOperator:
    """K, or K − G Gᵀ, as an operator that evaluates K in blocks at every product."""
    against_all = kernel.against(X)

    def product(vector: FloatArray) -> FloatArray:
        result = np.empty(X.shape[0])

        def block(start: int, stop: int) -> None:
            result[start:stop] = against_all(X[start:stop]) @ vector.ravel()

        over_blocks(X.shape[0], whole_rows_per_block(X.shape[0]), block)
        if factor is not None:
            result -= factor @ (factor.T @ vector.ravel())
        return result

    return LinearOperator((X.shape[0], X.shape[0]), matvec=product, dtype=np.float64)
