"""How far K̃ is from K: Frobenius, spectral and trace errors, exact or sampled, and the quantization error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import LinearOperator, eigsh

from nysviz.approximation import checked_rows
from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.factor_rows import FactorRows, total_over_blocks
from nysviz.kernels import Kernel, Linear
from nysviz.lowrank import LowRank

# Up to so many rows the residual is held as one matrix (8 n² bytes); above, it is formed in blocks.
RESIDUAL_ROWS = 8_000
# Relative accuracy asked of the Lanczos iteration for the spectral norm.
SPECTRAL_TOLERANCE = 1e-8
# Rows of K − K̃ behind the estimate of a large matrix's Frobenius error, and the normal law's 97.5 % point.
SAMPLED_ROWS = 500
NORMAL_95 = 1.96
# So many of these rows at once, and so many entries (64 MB) of them.
SAMPLED_BLOCK = 64
SAMPLE_STREAM = 1
SAMPLED_ENTRIES = 2**23
# Relative residuals below this are rounding; a Lanczos iteration has nothing to find there.
ROUNDING = 1e-15
# Up to so many rows the nuclear norm of an indefinite residual is worth its O(n³).
NUCLEAR_ROWS = 3_000


@dataclass(frozen=True)
class Errors:
    """Norms of K − K̃, absolute and relative to the same norm of K.

    ``trace`` is the nuclear norm. That is tr K − tr K̃ where K − K̃ is positive semidefinite, as it is for
    every method but random features and a mixture whose shares sum to more than 1; there it comes from all
    eigenvalues of K − K̃, and is NaN above ``NUCLEAR_ROWS`` rows.
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


def row_errors(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray | None = None) -> FloatArray:
    """Relative errors ‖K_i − K̃_i‖ / ‖K_i‖ of whole rows of K, which tell more than its diagonal.

    The diagonal of K̃ is exact by construction for sines and cosines of random frequencies, whatever the
    other entries are. The squares, weighted by ‖K_i‖², have the squared relative Frobenius error as their
    mean.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
    rows : (s,) int array, optional
        All rows when not given.

    Returns
    -------
    (s,) array; s n kernel evaluations and O(s n (d + r)), in blocks.
    """
    X = checked_rows(X)
    rows = np.arange(X.shape[0]) if rows is None else rows
    relative = np.zeros(len(rows))
    if not a.is_held:
        sizes, rests = row_sums(X, kernel, a, rows)
        np.divide(rests, sizes, out=relative, where=sizes > 0)
        found: FloatArray = np.sqrt(relative)
        return found
    against_all = kernel.against(X)
    transposed = a.factor.T

    def block(start: int, stop: int) -> None:
        chosen = rows[start:stop]
        entries = against_all(X[chosen])
        sizes = np.einsum("ij,ij->i", entries, entries)
        entries -= a.factor[chosen] @ transposed
        rest = np.einsum("ij,ij->i", entries, entries)
        np.divide(rest, sizes, out=relative[start:stop], where=sizes > 0)

    over_blocks(len(rows), rows_per_block(len(rows), X.shape[0]), block)
    result: FloatArray = np.sqrt(relative)
    return result


def row_sums(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """‖K_i‖² and ‖K_i − K̃_i‖² of these rows of K, each (s,), from one pass over the rows of the factor.

    s n kernel evaluations beside those of a factor that is not held; neither it nor the s rows are held.
    """
    against, left = kernel.against(X[rows]), a.take(rows).T
    factor = a.rows

    def sums(start: int, stop: int, G: FloatArray) -> FloatArray:
        entries = against(X[start:stop])
        of_k = np.einsum("ij,ij->j", entries, entries)
        entries -= G @ left
        return np.stack([of_k, np.einsum("ij,ij->j", entries, entries)])

    if not isinstance(factor, FactorRows):
        size = rows_per_block(len(factor), len(rows))
        return _pair(
            total_over_blocks(len(factor), size, lambda start, stop: sums(start, stop, factor[start:stop]))
        )
    squares = np.empty(a.n)

    def with_diagonal(start: int, stop: int, G: FloatArray) -> FloatArray:
        squares[start:stop] = np.einsum("ij,ij->i", G, G)
        return sums(start, stop, G)

    pair = _pair(factor.total(with_diagonal))
    # The rows of the factor are made here anyway, and a second pass for the diagonal would cost as much.
    factor.diagonal = squares
    return pair


def _pair(stacked: FloatArray) -> tuple[FloatArray, FloatArray]:
    return stacked[0], stacked[1]


def norm_of_rows(X: FloatArray, kernel: Kernel, rows: IntArray) -> float:
    """Frobenius norm of these rows of K, which are not held; s n kernel evaluations."""
    against = kernel.against(X[rows])

    def square(start: int, stop: int) -> FloatArray:
        entries = against(X[start:stop])
        return np.asarray(np.einsum("ij,ij->", entries, entries))

    return float(np.sqrt(total_over_blocks(X.shape[0], rows_per_block(X.shape[0], len(rows)), square)))


def sampled_rows(n: int, rows: int, seed: int = 0) -> IntArray:
    """Row numbers drawn without replacement, in random order, (min(rows, n),).

    From a stream of their own: with the generator of the same seed alone they would be the very rows that
    uniform sampling takes as landmarks, which every approximation reproduces.
    """
    return np.random.default_rng([seed, SAMPLE_STREAM]).permutation(n)[:rows]


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
    """Frobenius, spectral and trace norm of k(X, X); O(n²), in blocks above ``RESIDUAL_ROWS`` rows."""
    X = checked_rows(X)
    trace = float(kernel.diag(X).sum())
    if X.shape[0] <= RESIDUAL_ROWS:
        full = kernel(X) if K is None else K
        size = frobenius(full)
        return Norms(size, spectral_norm(full) if size > 0 else 0.0, trace)
    size = _frobenius_in_blocks(X, kernel, None)
    return Norms(size, spectral_norm(_operator(X, kernel, None)) if size > 0 else 0.0, trace)


def errors(
    X: FloatArray,
    kernel: Kernel,
    a: LowRank,
    *,
    K: FloatArray | None = None,
    of: Norms | None = None,
    tolerance: float = SPECTRAL_TOLERANCE,
) -> Errors:
    """Exact errors of an approximation.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
        From the same X and kernel.
    K : (n, n) array, optional
        The kernel matrix where it is at hand.
    of : Norms, optional
        The norms of K where they are at hand.
    tolerance : float
        Relative accuracy of the spectral norm.

    Returns
    -------
    Errors
        O(n² r). Up to ``RESIDUAL_ROWS`` rows two n × n matrices are held; above, rows in blocks, and each of
        some 20 to 60 Lanczos steps evaluates the kernel matrix again.
    """
    X = checked_rows(X)
    if X.shape[0] != a.n:
        raise ValueError(f"X has {X.shape[0]} rows and the approximation {a.n}; give the same X to both.")
    rest: FloatArray | LinearOperator
    if X.shape[0] <= RESIDUAL_ROWS:
        K = kernel(X) if K is None else K
        rest = residual(K, a.factor)
        size = frobenius(rest)
    else:
        factor = a.factor
        size = _frobenius_in_blocks(X, kernel, factor)
        rest = _operator(X, kernel, factor)
    of = norms(X, kernel, K=K) if of is None else of
    spectral = spectral_norm(rest, tolerance) if size > ROUNDING * of.frobenius else size
    trace = _trace_error(X, kernel, a)
    if not a.residual_is_psd and isinstance(rest, np.ndarray) and len(rest) <= NUCLEAR_ROWS:
        trace = float(np.abs(eigvalsh(rest, check_finite=False)).sum())
    return Errors(
        frobenius=size,
        spectral=spectral,
        trace=trace,
        relative_frobenius=_ratio(size, of.frobenius),
        relative_spectral=_ratio(spectral, of.spectral),
        relative_trace=_ratio(trace, of.trace),
    )


@dataclass(frozen=True)
class SampledErrors:
    """Errors where K is too large to be formed: the Frobenius norm from sampled rows, the trace exactly.

    The trace error is NaN where K − K̃ is not positive semidefinite: for random features, and for a mixture
    whose shares sum to more than 1.

    ``interval`` holds the ends of a 95 % interval of the relative Frobenius error.
    """

    frobenius: float
    trace: float
    relative_frobenius: float
    relative_trace: float
    interval: tuple[float, float]
    rows: int


def sampled_errors(
    X: FloatArray, kernel: Kernel, a: LowRank, rows: int = SAMPLED_ROWS, seed: int = 0
) -> SampledErrors:
    """Estimate the Frobenius error from randomly chosen rows of K − K̃; the trace error is exact.

    ‖K − K̃‖² and ‖K‖² are sums over rows, so the ratio of their means over s rows drawn without replacement
    estimates the squared relative error; its interval comes from the linearised ratio and the normal law,
    corrected for a finite population.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
    rows : int
        Sampled rows s; O(s n (d + r)), never an n × n matrix.
    seed : int
    """
    X = checked_rows(X)
    n = X.shape[0]
    rows = min(rows, n)
    sample = sampled_rows(n, rows, seed)
    of_k, of_rest = _sampled_sums(X, kernel, a, sample)
    trace = _trace_error(X, kernel, a)
    ratio = _ratio(float(of_rest.mean()), float(of_k.mean()))
    spread = 0.0
    if rows > 1 and of_k.mean() > 0:
        deviations = (of_rest - ratio * of_k) / of_k.mean()
        spread = float(deviations.std(ddof=1) * np.sqrt((1.0 - rows / n) / rows))
    low, high = max(0.0, ratio - NORMAL_95 * spread), ratio + NORMAL_95 * spread
    return SampledErrors(
        frobenius=float(np.sqrt(n * of_rest.mean())),
        trace=trace,
        relative_frobenius=float(np.sqrt(ratio)),
        relative_trace=_ratio(trace, float(kernel.diag(X).sum())),
        interval=(float(np.sqrt(low)), float(np.sqrt(high))),
        rows=rows,
    )


def _sampled_sums(
    X: FloatArray, kernel: Kernel, a: LowRank, sample: IntArray
) -> tuple[FloatArray, FloatArray]:
    """‖K_i‖² and ‖K_i − K̃_i‖² of the sampled rows."""
    if not a.is_held:
        return row_sums(X, kernel, a, sample)
    of_k, of_rest = np.empty(len(sample)), np.empty(len(sample))
    against_all = kernel.against(X)
    factor = a.factor
    # Whole rows of K, in every thread: fewer of them where they are long.
    size = max(1, min(SAMPLED_BLOCK, len(sample), SAMPLED_ENTRIES // X.shape[0]))

    def block(start: int, stop: int) -> None:
        chosen = sample[start:stop]
        entries = against_all(X[chosen])
        of_k[start:stop] = np.einsum("ij,ij->i", entries, entries)
        entries -= factor[chosen] @ factor.T
        of_rest[start:stop] = np.einsum("ij,ij->i", entries, entries)

    over_blocks(len(sample), size, block)
    return of_k, of_rest


def _trace_error(X: FloatArray, kernel: Kernel, a: LowRank) -> float:
    """Nuclear norm of K − K̃ from the diagonals alone; NaN where they do not tell it."""
    return float(residual_diagonal(X, kernel, a).sum()) if a.residual_is_psd else float("nan")


def _ratio(part: float, whole: float) -> float:
    # A kernel matrix of zeros (the linear kernel on zero rows) is approximated exactly.
    return part / whole if whole > 0 else 0.0


def _frobenius_in_blocks(X: FloatArray, kernel: Kernel, factor: FloatArray | None) -> float:
    """‖K‖_F, or ‖K − G Gᵀ‖_F, without an n × n matrix."""
    against_all = kernel.against(X)
    size = rows_per_block(X.shape[0], X.shape[0])
    sums = np.zeros(-(-X.shape[0] // size))

    def block(start: int, stop: int) -> None:
        rows = against_all(X[start:stop])
        if factor is not None:
            rows -= factor[start:stop] @ factor.T
        sums[start // size] = np.einsum("ij,ij->", rows, rows)

    over_blocks(X.shape[0], size, block)
    return float(np.sqrt(sums.sum()))


def _operator(X: FloatArray, kernel: Kernel, factor: FloatArray | None) -> LinearOperator:
    """K, or K − G Gᵀ, as an operator that evaluates K in blocks at every product."""
    against_all = kernel.against(X)

    def product(vector: FloatArray) -> FloatArray:
        result = np.empty(X.shape[0])

        def block(start: int, stop: int) -> None:
            result[start:stop] = against_all(X[start:stop]) @ vector.ravel()

        over_blocks(X.shape[0], rows_per_block(X.shape[0], X.shape[0]), block)
        if factor is not None:
            result -= factor @ (factor.T @ vector.ravel())
        return result

    return LinearOperator((X.shape[0], X.shape[0]), matvec=product, dtype=np.float64)


def quantization_error(X: FloatArray, landmarks: FloatArray) -> float:
    """Σ_i min_j ‖x_i − z_j‖², from differences of centred rows in blocks; O(nmd).

    Parameters
    ----------
    X : (n, d) array
    landmarks : (m, d) array
    """
    X, Z = checked_rows(X), checked_rows(landmarks)
    if sparse.issparse(X) or sparse.issparse(Z):
        # From inner products, since differences of sparse rows would be dense.
        gaps = -2.0 * Linear()(X, Z)
        gaps += Linear().diag(Z)
        return float(np.maximum(gaps.min(axis=1) + Linear().diag(X), 0.0).sum())
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
