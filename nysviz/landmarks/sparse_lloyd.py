"""Lloyd's algorithm on sparse rows: the same steps as on dense ones, by sparse products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray, IntArray


def sparse_lloyd(X: Any, start: Any, iterations: int, *, restart: bool = True) -> tuple[FloatArray, int]:
    """Lloyd's algorithm on the rows of a sparse X from the given centres.

    Parameters
    ----------
    X : (n, d) scipy.sparse.csr_array
        Never made dense and never centred: a distance is ‖x‖² − 2⟨x, c⟩ + ‖c‖².
    start : (m, d) array, dense or sparse
    iterations : int
    restart : bool
        As in ``lloyd``.

    Returns
    -------
    centres : (m, d) array
        Dense: a mean of documents has the words of all of them. O(m nnz) an iteration.
    emptied : int
        How often a cluster ran empty, each iteration counted.
    """
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
            _restart_empty(labels, counts, empty, lengths + scores[np.arange(n), labels])
        members = sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, m))
        means = (sparse.csr_array(members.T) @ X).toarray() / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres, emptied


def _restart_empty(labels: IntArray, counts: IntArray, empty: IntArray, gaps: FloatArray) -> None:
    """Give each empty cluster the row farthest from its centre, but never the only row of another one."""
    far = iter(np.argsort(-gaps, kind="stable"))
    for cluster in empty:
        row = next(i for i in far if counts[labels[i]] > 1)
        counts[labels[row]] -= 1
        counts[cluster] = 1
        labels[row] = cluster
