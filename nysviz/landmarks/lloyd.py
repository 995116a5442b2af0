"""Lloyd's algorithm: float32 products decide which centre is nearest, float64 where it is close."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.landmarks.nearest import lowest, score_columns, score_slack
from nysviz.landmarks.sparse_lloyd import sparse_lloyd
from nysviz.loops import cluster_sums

# Blocks of rows; a product of a few hundred rows is over sooner than the next one is handed out.
BLOCKS = 4
# Scores of a block, float32 and float64 masks of them beside, take no more than about 100 MB.
MOST_SCORES = 2**24
# The reciprocal of the scale still fits into float64; smaller units than 1e-300 are left as they are.
LEAST_EXPONENT = -1000


def lloyd(
    X: FloatArray,
    start: FloatArray,
    iterations: int,
    checkpoint: Callable[[], None] = lambda: None,
    *,
    restart: bool = True,
) -> tuple[FloatArray, int]:
    """Lloyd's algorithm on the rows of X from the given centres.

    Parameters
    ----------
    X : (n, d) array, or sparse rows
    start : (m, d) array
    iterations : int
    checkpoint : callable
        Called in every iteration; an exception raised there stops the algorithm.
    restart : bool
        Whether an empty cluster moves to the row farthest from its centre, as scikit-learn does, but never to
        the only row of another cluster; else it keeps its centre.

    Returns
    -------
    centres : (m, d) array
    emptied : int
        How often a cluster ran empty, each iteration counted.
    """
    if sparse.issparse(X):
        return sparse_lloyd(X, start, iterations, restart=restart)
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
        emptied += len(empty)
        if len(empty) and restart:
            _restart_empty(rows, labels, centres, sums, counts, empty)
        means = sums / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres * math.ldexp(1.0, exponent) + middle, emptied


def _nearest(
    rows: FloatArray,
    left: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    lengths: FloatArray,
    centres: FloatArray,
) -> IntArray:
    """Index of each row's nearest centre, exact: float32 products, close calls decided in float64."""
    right, reach = score_columns(centres, np.float32)
    slack = score_slack(left, lengths, reach)
    labels = np.empty(len(rows), dtype=np.intp)

    def block(start: int, stop: int) -> None:
        part = slice(start, stop)
        labels[part] = lowest(left[part] @ right, slack[part], rows[part], centres)

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
