"""Errors of single rows of K, and the quantization error of landmarks."""

import math

import numpy as np
from scipy import sparse

from nysviz.kernels import Kernel, Linear, as_kernel
from nysviz.landmarks.nearest import nearest
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import generator
from nysviz.numerics.rows import check_same_features, checked_rows
from nysviz.nystroem.approximation import checked_same
from nysviz.nystroem.lowrank import LowRank

SAMPLE_STREAM = 1
# Part of the trace of K by which rounding alone may leave the diagonal of K − K̃ below 0: hardly ever is it
# more than 1e-13, whatever the method, kernel and bandwidth.
DIAGONAL_ROUNDING = 1e-12


def residual_diagonal(X: FloatArray, kernel: Kernel, a: LowRank) -> FloatArray:
    """Return |K_ii − K̃_ii| for every row, (n,); O(n r) and n evaluations.

    The sum is the nuclear norm of a positive semidefinite K − K̃, and never more than that of another.
    """
    return np.abs(kernel.diag(X) - a.diagonal())


def nuclear_norm_of_diagonals(diagonal: FloatArray, approximated: FloatArray) -> float:
    """Return the nuclear norm of a positive semidefinite K − K̃ from K_ii and K̃_ii, (n,) each.

    NaN where they show that it is not: where the negative part of K_ii − K̃_ii is more than rounding.
    """
    difference = diagonal - approximated
    overshot = -float(np.minimum(difference, 0.0).sum())
    return (
        math.nan if overshot > DIAGONAL_ROUNDING * float(diagonal.sum()) else float(np.abs(difference).sum())
    )


def row_errors(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray | None = None) -> FloatArray:
    """Return relative errors ‖K_i − K̃_i‖ / ‖K_i‖ of rows, all by default; they show more than the diagonal.

    The diagonal of K̃ is exact by construction for sines and cosines of random frequencies, whatever the
    other entries are. The squares, weighted by ‖K_i‖², have the squared relative Frobenius error as their
    mean. (s,); s n kernel evaluations and O(s n (d + r)), in blocks.
    """
    kernel = as_kernel(kernel)
    X = checked_same(X, kernel, a)
    rows = np.arange(X.shape[0]) if rows is None else rows
    (sizes,), (rests,) = row_sums(X, kernel, a, rows, np.ones((1, a.n)))
    relative = np.divide(rests, sizes, out=np.zeros(len(rows)), where=sizes > 0)
    return np.sqrt(relative)


def row_sums(
    X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray, groups: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return Σ_j K_ij² and Σ_j (K_ij − K̃_ij)² for rows i over the columns j of each group, each (g, s).

    ``groups`` (g, n) holds 1 for the columns of a group and 0 for the others. One pass over the rows of the
    factor; s n kernel evaluations beside those of a factor that is not held; neither it nor the s rows are
    held.
    """
    against, left = kernel.against(X[rows]), a.take(rows).T

    def sums(start: int, stop: int, G: FloatArray) -> FloatArray:
        entries = against(X[start:stop])
        of_k = groups[:, start:stop] @ np.square(entries)
        entries -= G @ left
        return np.stack([of_k, groups[:, start:stop] @ np.square(entries, out=entries)])

    of_k, of_rest = a.in_blocks(len(rows)).total(sums)
    return of_k, of_rest


def sums_over_columns(
    X: FloatArray, kernel: Kernel, a: LowRank, columns: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return Σ_j K_ij² and Σ_j (K_ij − K̃_ij)² over columns j for every row i, each (n,), in one pass."""
    against, right = kernel.against(X[columns]), a.take(columns).T
    of_k, of_rest, squares = np.empty(a.n), np.empty(a.n), np.empty(a.n)

    def block(start: int, stop: int, G: FloatArray) -> None:
        entries = against(X[start:stop])
        of_k[start:stop] = np.einsum("ij,ij->i", entries, entries)
        entries -= G @ right
        of_rest[start:stop] = np.einsum("ij,ij->i", entries, entries)
        squares[start:stop] = np.einsum("ij,ij->i", G, G)

    factor = a.in_blocks(len(columns))
    factor.over(block)
    # Where the rows of the factor are made here, a second pass for the diagonal would cost as much.
    factor.diagonal = squares
    return of_k, of_rest


def sampled_rows(n: int, rows: int, seed: int = 0) -> IntArray:
    """Draw row numbers without replacement, in random order, (min(rows, n),).

    From a stream of their own: with the generator of the same seed alone they would be the very rows that
    uniform sampling takes as landmarks, which every approximation reproduces.
    """
    return generator(seed, SAMPLE_STREAM).permutation(n)[:rows]


def quantization_error(X: FloatArray, landmarks: FloatArray) -> float:
    """Compute Σ_i min_j ‖x_i − z_j‖², from differences of rows in blocks; O(nmd).

    Parameters
    ----------
    X : (n, d) array
    landmarks : (m, d) array

    Returns
    -------
    float
        In squared units of X.

    Raises
    ------
    ValueError
        X or the landmarks empty or not finite, or with different numbers of columns.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.quantization_error([[0.0], [1.0], [4.0]], [[0.0], [4.0]])
    1.0
    """
    X, Z = checked_rows(X), checked_rows(landmarks, "landmarks")
    check_same_features(X, Z, "the landmarks")
    if sparse.issparse(X) or sparse.issparse(Z):
        # From inner products, since differences of sparse rows would be dense.
        gaps = -2.0 * Linear()(X, Z)
        gaps += Linear().diag(Z)
        return float(np.maximum(gaps.min(axis=1) + Linear().diag(X), 0.0).sum())
    return float(nearest(X, Z)[1].sum())
