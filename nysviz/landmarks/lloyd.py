"""Lloyd's algorithm: float32 products decide which centre is nearest, float64 where it is close."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.landmarks.sparse_lloyd import sparse_lloyd
from nysviz.loops import cluster_sums

# Rounding of a float32 score, in units of float32's eps times (2 ‖x‖‖z‖ + ‖z‖²); grows like √d since the
# roundings of a sum are nearly independent. Rows whose two best centres are closer are decided in float64.
SCORE_ROUNDING = 4 * float(np.finfo(np.float32).eps)

# Blocks of rows; a product of a few hundred rows is over sooner than the next one is handed out.
BLOCKS = 4
# Scores of a block, float32 and float64 masks of them beside, take no more than about 100 MB.
MOST_SCORES = 2**24
# The reciprocal of the scale still fits into float64; smaller units than 1e-300 are left as they are.
LEAST_EXPONENT = -1000


def lloyd(
    X: FloatArray, start: FloatArray, iterations: int, checkpoint: Callable[[], None] = lambda: None
) -> tuple[FloatArray, int]:
    """Lloyd's algorithm on the rows of X from the given centres.

    Parameters
    ----------
    X : (n, d) array, or sparse rows
    start : (m, d) array
    iterations : int
    checkpoint : callable
        Called in every iteration; an exception raised there stops the algorithm.

    Returns
    -------
    centres : (m, d) array
    emptied : int
        How often a cluster ran empty; it is restarted at the row farthest from its centre, as
        scikit-learn does, but never at the only row of another cluster.
    """
    if sparse.issparse(X):
        return sparse_lloyd(X, start, iterations)
    middle = X.mean(axis=0)
    rows = X - middle
    # To within [-1, 1] by a power of 2, which is exact: in other units the float32 products could overflow.
    exponent = max(math.frexp(max(rows.max(), -rows.min()))[1], LEAST_EXPONENT)
    rows *= math.ldexp(1.0, -exponent)
    centres = (start - middle) * math.ldexp(1.0, -exponent)
    left = np.empty((len(X), X.shape[1] + 1), dtype=np.float32)
    left[:, :-1] = rows
    left[:, -1] = 1.0
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    labels = np.full(len(X), -1, dtype=np.intp)
    emptied = 0
    for _ in range(iterations):
        checkpoint()
        before = labels
        labels = _nearest(rows, left, lengths, centres)
        if np.array_equal(before, labels):
            break
        sums = np.zeros_like(centres)
        counts = np.zeros(len(centres), dtype=np.intp)
        cluster_sums(rows, labels, sums, counts)
        empty = np.flatnonzero(counts == 0)
        if len(empty):
            emptied += len(empty)
            _restart_empty(rows, labels, centres, sums, counts, empty)
        centres = sums / np.maximum(counts, 1)[:, None]
    return centres * math.ldexp(1.0, exponent) + middle, emptied


def _nearest(
    rows: FloatArray,
    left: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    lengths: FloatArray,
    centres: FloatArray,
) -> IntArray:
    """Index of each row's nearest centre, exact: float32 products, close calls decided in float64."""
    squares = np.einsum("ij,ij->i", centres, centres)
    right = np.empty((left.shape[1], len(centres)), dtype=np.float32)
    right[:-1] = -2.0 * centres.T
    right[-1] = squares
    reach = float(np.sqrt(squares.max()))
    slack = 2 * SCORE_ROUNDING * np.sqrt(left.shape[1]) * reach * (2 * lengths + reach)
    labels = np.empty(len(rows), dtype=np.intp)

    def block(start: int, stop: int) -> None:
        scores = left[start:stop] @ right
        best = scores.argmin(axis=1)
        lowest = scores[np.arange(stop - start), best]
        close = scores <= (lowest + slack[start:stop]).astype(np.float32)[:, None]
        # One close centre a row is the best one itself: nothing is left to decide in most blocks.
        tied = close.sum(axis=1) > 1 if np.count_nonzero(close) > stop - start else np.zeros(0, dtype=bool)
        for i in np.flatnonzero(tied):
            candidates = np.flatnonzero(close[i])
            gaps = rows[start + i] - centres[candidates]
            best[i] = candidates[np.einsum("ij,ij->i", gaps, gaps).argmin()]
        labels[start:stop] = best

    # A label does not depend on the blocks, so they may be as large as pays.
    size = max(rows_per_block(len(rows), len(centres)), len(rows) // BLOCKS + 1)
    over_blocks(len(rows), min(size, max(1, MOST_SCORES // len(centres))), block)
    return labels


def _restart_empty(
    rows: FloatArray,
    labels: IntArray,
    centres: FloatArray,
    sums: FloatArray,
    counts: IntArray,
    empty: IntArray,
) -> None:
    """Give each empty cluster the row farthest from its centre, and take that row from its old one."""
    gaps = rows - centres[labels]
    far = iter(np.argsort(-np.einsum("ij,ij->i", gaps, gaps), kind="stable"))
    for cluster in empty:
        row = next(i for i in far if counts[labels[i]] > 1)
        old = labels[row]
        sums[old] -= rows[row]
        counts[old] -= 1
        sums[cluster] = rows[row]
        counts[cluster] = 1
        labels[row] = cluster
