"""How far K̃ is from K: Frobenius, spectral and trace errors, their curves, and the quantization error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from nysviz.approximation import approximate, checked_count, checked_method, checked_rows, nested_factor
from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.kernels import Kernel
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix

# Up to so many rows the residual is held as one matrix (8 n² bytes); above, it is formed in blocks.
RESIDUAL_ROWS = 8_000
# Relative accuracy asked of the Lanczos iteration for the spectral norm.
SPECTRAL_TOLERANCE = 1e-8
# Below this relative error the identity for ‖K − G Gᵀ‖² has lost half of its digits to cancellation.
CANCELLATION = 1e-5
# Relative residuals below this are rounding; a Lanczos iteration has nothing to find there.
ROUNDING = 1e-15


@dataclass(frozen=True)
class Errors:
    """Norms of K − K̃, absolute and relative to the same norm of K.

    ``trace`` is the nuclear norm, tr K − tr K̃, since K − K̃ is positive semidefinite for every method.
    """

    frobenius: float
    spectral: float
    trace: float
    relative_frobenius: float
    relative_spectral: float
    relative_trace: float


def residual_diagonal(X: FloatArray, kernel: Kernel, a: LowRank) -> FloatArray:
    """K_ii − K̃_ii for every row, (n,), clipped at 0; O(n r) and n evaluations."""
    return np.maximum(kernel.diag(X) - a.diagonal(), 0.0)


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
    values = eigsh(matrix, k=1, which="LM", tol=tolerance, v0=start, return_eigenvectors=False)
    return float(abs(values[0]))


def errors(X: FloatArray, kernel: Kernel, a: LowRank, *, K: FloatArray | None = None) -> Errors:
    """Exact errors of an approximation.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
        From the same X and kernel.
    K : (n, n) array, optional
        The kernel matrix where it is at hand.

    Returns
    -------
    Errors
        O(n² r). Up to ``RESIDUAL_ROWS`` rows two n × n matrices are held; above, rows in blocks, and each of
        some 20 to 60 Lanczos steps evaluates the kernel matrix again.
    """
    X = checked_rows(X)
    if len(X) != len(a.factor):
        raise ValueError(
            f"X has {len(X)} rows and the approximation {len(a.factor)}; give the same X to both."
        )
    diagonal = kernel.diag(X)
    trace = float(np.maximum(diagonal - a.diagonal(), 0.0).sum())
    if len(X) <= RESIDUAL_ROWS:
        full = kernel(X) if K is None else K
        rest = residual(full, a.factor)
        of_k, of_rest = frobenius(full), frobenius(rest)
        norm_k: FloatArray | LinearOperator = full
        norm_rest: FloatArray | LinearOperator = rest
    else:
        of_k, of_rest = _frobenius_in_blocks(X, kernel, a.factor)
        norm_k = _operator(X, kernel, None)
        norm_rest = _operator(X, kernel, a.factor)
    total = float(diagonal.sum())
    spectral_k = spectral_norm(norm_k) if of_k > 0 else 0.0
    spectral = spectral_norm(norm_rest) if of_rest > ROUNDING * of_k else of_rest
    return Errors(
        frobenius=of_rest,
        spectral=spectral,
        trace=trace,
        relative_frobenius=_ratio(of_rest, of_k),
        relative_spectral=_ratio(spectral, spectral_k),
        relative_trace=_ratio(trace, total),
    )


def _ratio(part: float, whole: float) -> float:
    # A kernel matrix of zeros (the linear kernel on zero rows) is approximated exactly.
    return part / whole if whole > 0 else 0.0


def _frobenius_in_blocks(X: FloatArray, kernel: Kernel, factor: FloatArray) -> tuple[float, float]:
    """‖K‖_F and ‖K − G Gᵀ‖_F without an n × n matrix."""
    against_all = kernel.against(X)
    size = rows_per_block(len(X), len(X))
    sums = np.zeros((-(-len(X) // size), 2))

    def block(start: int, stop: int) -> None:
        rows = against_all(X[start:stop])
        sums[start // size, 0] = np.einsum("ij,ij->", rows, rows)
        rows -= factor[start:stop] @ factor.T
        sums[start // size, 1] = np.einsum("ij,ij->", rows, rows)

    over_blocks(len(X), size, block)
    of_k, of_rest = np.sqrt(sums.sum(axis=0))
    return float(of_k), float(of_rest)


def _operator(X: FloatArray, kernel: Kernel, factor: FloatArray | None) -> LinearOperator:
    """K, or K − G Gᵀ, as an operator that evaluates K in blocks at every product."""
    against_all = kernel.against(X)

    def product(vector: FloatArray) -> FloatArray:
        result = np.empty(len(X))

        def block(start: int, stop: int) -> None:
            result[start:stop] = against_all(X[start:stop]) @ vector.ravel()

        over_blocks(len(X), rows_per_block(len(X), len(X)), block)
        if factor is not None:
            result -= factor @ (factor.T @ vector.ravel())
        return result

    return LinearOperator((len(X), len(X)), matvec=product, dtype=np.float64)


def error_curve(
    X: FloatArray,
    kernel: Kernel,
    method: str,
    ms: Sequence[int],
    seed: int = 0,
    *,
    matrix: KernelMatrix | None = None,
    **options: object,
) -> FloatArray:
    """Frobenius errors ‖K − K̃‖_F for several numbers of landmarks.

    A nested method is run once, for the largest m, and its errors at every m come from one product K G; any
    other method is run once for each m.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    method : str
    ms : sequence of int
        Each from 1 to n, in any order.
    seed : int
    matrix : KernelMatrix, optional
        The same K with its entries or eigenpairs at hand.

    Returns
    -------
    (len(ms),) array
    """
    X = checked_rows(X)
    entry = checked_method(method, options)
    for m in ms:
        checked_count(m, len(X))
    K = KernelMatrix(X, kernel) if matrix is None else matrix
    if not len(ms):
        return np.empty(0)
    if not entry.nested:
        full = K.full()
        runs = (approximate(X, kernel, method, m, seed, matrix=K, **options) for m in ms)
        return np.array([frobenius(residual(full, a.factor)) for a in runs])
    selection = entry.select(K, max(ms), np.random.default_rng(seed), **options)
    factor, columns = nested_factor(K, selection)
    # A method that stopped early has nothing to add: its last approximation stands for every larger m.
    picks = np.minimum(np.asarray(ms), len(columns))
    ranks = (
        np.where(picks > 0, columns[np.maximum(picks, 1) - 1], 0) if len(columns) else np.zeros_like(picks)
    )
    return nested_errors(K.full(), factor)[ranks]


def nested_errors(K: FloatArray, factor: FloatArray) -> FloatArray:
    """‖K − G_t G_tᵀ‖_F for the first t = 0, 1, …, r columns of the factor.

    From ‖K‖² − 2 Σ_{s≤t} (Gᵀ K G)_ss + Σ_{s,u≤t} (GᵀG)_su², one product K G in all; where that cancels, the
    residual is formed, updated from one t to the next.

    Parameters
    ----------
    K : (n, n) array
    factor : (n, r) array

    Returns
    -------
    (r + 1,) array; O(n² r).
    """
    total = frobenius(K) ** 2
    r = factor.shape[1]
    if r == 0:
        return np.array([np.sqrt(total)])
    cross = np.einsum("ij,ij->j", factor, K @ factor)
    gram = factor.T @ factor
    squares = np.concatenate([[0.0], np.cumsum(np.cumsum(gram**2, axis=0), axis=1).diagonal()])
    squared = total - 2.0 * np.concatenate([[0.0], np.cumsum(cross)]) + squares
    result: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    unsafe = np.flatnonzero(result <= CANCELLATION * np.sqrt(total))
    if len(unsafe):
        first = int(unsafe[0])
        rest = residual(K, factor[:, :first])
        for t in range(first, r + 1):
            if t > first:
                rest -= np.outer(factor[:, t - 1], factor[:, t - 1])
            result[t] = frobenius(rest)
    return result


def quantization_error(X: FloatArray, landmarks: FloatArray) -> float:
    """Σ_i min_j ‖x_i − z_j‖², from differences of centred rows in blocks; O(nmd).

    Parameters
    ----------
    X : (n, d) array
    landmarks : (m, d) array
    """
    X, Z = checked_rows(X), checked_rows(landmarks)
    middle = Z.mean(axis=0)
    Z = Z - middle
    squares = np.einsum("ij,ij->i", Z, Z)
    nearest = np.empty(len(X))

    def block(start: int, stop: int) -> None:
        rows = X[start:stop] - middle
        closest = (squares - 2.0 * (rows @ Z.T)).argmin(axis=1)
        gaps = rows - Z[closest]
        nearest[start:stop] = np.einsum("ij,ij->i", gaps, gaps)

    over_blocks(len(X), rows_per_block(len(X), len(Z)), block)
    return float(nearest.sum())
