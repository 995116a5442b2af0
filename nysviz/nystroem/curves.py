"""Errors against the number of landmarks; all of them from one factorisation where a method is nested."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.kernels import Kernel, KernelFunction, Linear, check_sparse
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.nearest import score_columns, score_slack
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.counts import checked_sequence, generator
from nysviz.numerics.lapack.triangular import add_product
from nysviz.numerics.loops import mend_close_pairs
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import (
    approximate,
    checked_count,
    checked_kernel,
    checked_matrix,
    checked_method,
    select,
)
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.measures.matrix_norms import check_entries
from nysviz.nystroem.nested import Nested, nested

# Below this relative error the identity for ‖K − G Gᵀ‖² loses half of its digits to cancellation.
CANCELLATION = 1e-5
SINGLE = 3e-2  # above this relative error float32 products leave six digits of a residual's norm
# The largest relative error of a squared distance from products; beyond, differences are taken.
GAP_TOLERANCE = 1e-9
STRIPE = 128  # rows that are worked on at a time: a few MB, which fit a processor's cache


def error_curve(
    X: FloatArray,
    kernel: Kernel | KernelFunction,
    method: str,
    ms: Sequence[int],
    seed: int = 0,
    *,
    matrix: KernelMatrix | None = None,
    **options: object,
) -> FloatArray:
    """Compute Frobenius errors ‖K − K̃‖_F for several numbers of landmarks.

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
    **options
        The method's own settings, see ``METHODS[method].options``.

    Returns
    -------
    (len(ms),) array
        K is held, 8 n² bytes, from n²/2 kernel evaluations. A nested method costs what it does for the
        largest m, and O(n² m), and as much for each m at which W is nearly singular; any other what it does
        for every m, and O(n² m) each.

    Raises
    ------
    ValueError
        Unknown method or option, a kernel that the method is not made for, an m out of range, X empty or not
        finite, or K larger than four fifths of the free memory.

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> curve = nv.error_curve(data.X, nv.Gaussian(1.0), "rpcholesky", [5, 10, 20])
    >>> bool(curve[0] > curve[1] > curve[2])
    True
    """
    X = checked_rows(X)
    entry = checked_method(method, options)
    kernel = checked_kernel(method, kernel)
    check_sparse(X, kernel)
    check_entries(X, kernel)
    ms = [checked_count(m, X.shape[0]) for m in checked_sequence("ms", ms)]
    rng = generator(seed)
    K = KernelMatrix(X, kernel) if matrix is None else checked_matrix(matrix)
    if not len(ms):
        return np.empty(0)
    if K.dense is None:
        instead = "take fewer rows, or estimate single errors by nysviz.nystroem.measures.sampled_errors"
        memory.check_matrix_memory("error_curve", K.n, memory.call_bytes(), instead)
    if not entry.nested:
        full = K.full()
        runs = (approximate(X, kernel, method, m, seed, matrix=K, **options) for m in ms)
        return np.array([residual_frobenius(full, a.factor) for a in runs])
    with one_blas_thread():
        selection = select(K, method, max(ms), rng, options)
        return np.array(list(errors_of(K.full(), nested(K, selection), ms)))


def errors_of(
    K: FloatArray, approximations: Nested, ms: Sequence[int], *, size: float | None = None
) -> Iterator[float]:
    """Yield ‖K − K̃‖_F for the first m landmarks of a nested method, for one m after the other.

    ``size`` is ‖K‖_F if known. A method that stopped early has nothing to add: its last
    approximation stands for every larger m.
    """
    sure = [m for m in ms if approximations.reached(m) <= approximations.sure]
    ranks = sorted({approximations.rank(m) for m in sure})
    factor = approximations.factor[:, : ranks[-1] if ranks else 0]
    errors = dict(zip(ranks, nested_errors(K, factor, size=size, ranks=ranks), strict=True))
    for m in ms:
        if approximations.reached(m) <= approximations.sure:
            yield float(errors[approximations.rank(m)])
        else:
            yield residual_frobenius(K, approximations.at(m), size=size)


def nested_errors(
    K: FloatArray, factor: FloatArray, *, size: float | None = None, ranks: Sequence[int] | None = None
) -> FloatArray:
    """Return ‖K − G_t G_tᵀ‖_F for the first t = 0, 1, …, r columns of the factor.

    From ‖K‖² − 2 Σ_{s≤t} (Gᵀ K G)_ss + Σ_{s,u≤t} (GᵀG)_su², one product K G in all; where that cancels, the
    residual is formed, updated from one t to the next. ``size`` is ‖K‖_F where it is at hand, ``ranks`` the t
    asked for, ascending, all by default. O(n² r), and O(n²) for each t at which the residual is formed.
    """
    total = (frobenius(K) if size is None else size) ** 2
    requested = np.arange(factor.shape[1] + 1) if ranks is None else np.asarray(ranks, dtype=np.intp)
    if factor.shape[1] == 0:
        return np.full(len(requested), np.sqrt(total))
    squared_gram = (factor.T @ factor) ** 2
    squares = np.concatenate([[0.0], np.cumsum(np.cumsum(squared_gram, axis=0), axis=1).diagonal()])
    # g_rᵀ K g_r for every column of the factor, from the upper half of K alone.
    forms = np.zeros(factor.shape[1])
    for start in range(0, len(K), STRIPE):
        stop = start + STRIPE
        product = K[start:stop, stop:] @ factor[stop:]
        product *= 2.0
        product += K[start:stop, start:stop] @ factor[start:stop]
        forms += np.einsum("ij,ij->j", factor[start:stop], product)
    squared = total - 2.0 * np.concatenate([[0.0], np.cumsum(forms)]) + squares
    errors: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    # The residual falls with t, so that all after the first that cancels do so too.
    unsafe = np.flatnonzero(errors <= CANCELLATION * np.sqrt(total))
    result: FloatArray = errors[requested]
    formed = np.flatnonzero(requested >= unsafe[0]) if len(unsafe) else ()
    if len(formed):
        residual, done = np.array(K), 0
        for place in formed:
            part = slice(done, requested[place])
            add_product(residual, factor[:, part], factor[:, part].T, -1.0)
            result[place], done = frobenius(residual), part.stop
    return result


def residual_frobenius(K: FloatArray, factor: FloatArray, *, size: float | None = None) -> float:
    """Return ‖K − G Gᵀ‖_F, a block of rows at a time, from the upper half of K alone; O(n² r).

    With ``size``, ‖K‖_F, products are float32 where that leaves six digits: rounding adds at most some 1e-7
    of K̃, at random, to a residual above ``SINGLE`` of K.
    """
    if size is not None:
        # Kernels of large data may leave float32's range.
        with np.errstate(over="ignore", invalid="ignore"):
            rough = _residual_frobenius(K, factor.astype(np.float32))
        if np.isfinite(rough) and rough > SINGLE * size:
            return rough
    return _residual_frobenius(K, factor)


def _residual_frobenius(K: FloatArray, factor: np.ndarray[Any, np.dtype[np.floating[Any]]]) -> float:
    sums = []
    for start in range(0, len(K), STRIPE):
        stop = min(len(K), start + STRIPE)
        # Entries left of the diagonal block have been counted, twice, by the blocks above.
        residual = np.subtract(K[start:stop, start:], factor[start:stop] @ factor[start:].T)
        diagonal = residual[:, : stop - start].ravel()
        sums.append(2.0 * float(np.vdot(residual, residual)) - float(np.vdot(diagonal, diagonal)))
    return float(np.sqrt(np.sum(sums)))


def nested_quantization(X: FloatArray, landmarks: FloatArray) -> FloatArray:
    """Return Σ_i min_{j≤t} ‖x_i − z_j‖² for the first t = 1, …, m landmarks (m, d), (m,); O(nmd)."""
    if sparse.issparse(X):
        # From inner products, since differences of sparse rows would be dense.
        inner = Linear()
        gaps = inner.diag(X)[:, None] + inner.diag(landmarks) - 2.0 * inner(X, landmarks)
        return np.maximum(np.minimum.accumulate(gaps, axis=1), 0.0).sum(axis=0)
    middle, Z = landmarks.mean(axis=0), np.ascontiguousarray(landmarks)
    right, reach = score_columns(Z - middle, np.float64)
    totals = np.zeros(len(Z))
    for start in range(0, len(X), STRIPE):
        rows = np.ascontiguousarray(X[start : start + STRIPE])
        left = np.ones((len(rows), Z.shape[1] + 1))
        moved = np.subtract(rows, middle, out=left[:, :-1])
        squares = np.einsum("ij,ij->i", moved, moved)
        gaps = left @ right
        gaps += squares[:, None]
        length = np.sqrt(squares.max())
        # Rounding of a score, and of the row's own square.
        rounding = float(score_slack(left, length, reach + length))
        mend_close_pairs(gaps, rows, Z, 1.0, rounding / GAP_TOLERANCE)
        np.minimum.accumulate(gaps, axis=1, out=gaps)
        totals += gaps.sum(axis=0)
    return totals
