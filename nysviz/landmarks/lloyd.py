"""Lloyd's algorithm: float32 products decide which centre is nearest, float64 where it is close."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.landmarks.nearest import lowest, score_columns, score_slack
from nysviz.numerics.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.numerics.loops import cluster_sums

# Blocks of rows; a product of a few hundred rows is over sooner than the next one is handed out.
BLOCKS = 4
# Most scores of a block: with their float32 and float64 masks they take about 100 MB.
MOST_SCORES = 2**24
# The reciprocal of the scale still fits into float64; units below 1e-300 stay as they are.
LEAST_EXPONENT = -1000


def lloyd(
    X: FloatArray,
    start: FloatArray,
    iterations: int,
    checkpoint: Callable[[], None] = lambda: None,
    *,
    restart: bool = True,
) -> tuple[FloatArray, int]:
    """Run Lloyd's algorithm on the rows of X (n, d), dense or sparse, from the centres ``start`` (m, d).

    Returns the centres, (m, d) and dense for sparse rows too, since a mean of documents has the words of all
    of them; and how often a cluster ran empty, each iteration counted. With ``restart`` an empty cluster
    moves to the row farthest from its centre, as scikit-learn does, but never to the only row of another
    cluster; else it keeps its centre. ``checkpoint`` is called in every iteration: an exception raised there
    stops it.
    """
    if sparse.issparse(X):
        return _sparse_lloyd(X, start, iterations, restart=restart)
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
            apart = rows - centres[labels]
            gaps = np.einsum("ij,ij->i", apart, apart)
            for cluster, row, old in _restart_empty(labels, counts, empty, gaps):
                sums[old] -= rows[row]
                sums[cluster] = rows[row]
        means = sums / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres * math.ldexp(1.0, exponent) + middle, emptied


def _nearest(
    rows: FloatArray,
    left: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    lengths: FloatArray,
    centres: FloatArray,
) -> IntArray:
    """Return the index of each row's nearest centre: float32 products, close calls decided in float64."""
    right, reach = score_columns(centres, np.float32)
    slack = score_slack(left, lengths, reach)
    labels = np.empty(len(rows), dtype=np.intp)
    # A label does not depend on the blocks, so they may be as large as pays.
    size = max(rows_per_block(len(rows), len(centres)), len(rows) // BLOCKS + 1)
    over_blocks(
        len(rows),
        min(size, max(1, MOST_SCORES // len(centres))),
        lambda i, j: np.copyto(labels[i:j], lowest(left[i:j] @ right, slack[i:j], rows[i:j], centres)),
    )
    return labels


def _sparse_lloyd(X: Any, start: Any, iterations: int, *, restart: bool) -> tuple[FloatArray, int]:
    """Return as ``lloyd`` from ‖x‖² − 2⟨x, c⟩ + ‖c‖² of rows that stay sparse; O(m nnz) an iteration."""
    centres: FloatArray = start.toarray() if sparse.issparse(start) else np.array(start)
    n, m = X.shape[0], len(centres)
    lengths = np.asarray(X.power(2).sum(axis=1)).ravel()
    labels = np.full(n, -1, dtype=np.intp)
    emptied = 0
    for _ in range(iterations):
        before = labels
        scores = X @ np.ascontiguousarray(-2.0 * centres.T)
        scores += np.einsum("ij,ij->i", centres, centres)
        labels = scores.argmin(axis=1)
        if np.array_equal(before, labels):
            break
        counts = np.bincount(labels, minlength=m)
        empty = np.flatnonzero(counts == 0)
        emptied += len(empty)
        if len(empty) and restart:
            gaps = lengths + scores[np.arange(n), labels]
            _restart_empty(labels, counts, empty, gaps)
        members = sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, m))
        means = (sparse.csr_array(members.T) @ X).toarray() / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres, emptied


def _restart_empty(
    labels: IntArray, counts: IntArray, empty: IntArray, gaps: FloatArray
) -> list[tuple[int, int, int]]:
    """Give each empty cluster the row farthest from its centre, but never the only row of another one.

    Changes ``labels`` and ``counts``, and returns each cluster, its new row, and the cluster that had it.
    """
    moves = []
    far = iter(np.argsort(-gaps, kind="stable"))
    for cluster in empty:
        row = next(i for i in far if counts[labels[i]] > 1)
        old = labels[row]
        counts[old] -= 1
        counts[cluster] = 1
        labels[row] = cluster
        moves.append((int(cluster), int(row), int(old)))
    return moves
