"""Which of some points is nearest to each row, and how far away it is."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block


def nearest(X: FloatArray, points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Find each row's nearest point, the first of equally near ones; O(nmd), in blocks of rows.

    Parameters
    ----------
    X : (n, d) array
    points : (m, d) array

    Returns
    -------
    labels : (n,) int array
    gaps : (n,) array
        Squared distances, from differences of the rows as they are: those of close pairs, which have most
        digits in common, are exact.
    """
    middle = points.mean(axis=0)
    moved = points - middle
    squares = np.einsum("ij,ij->i", moved, moved)
    labels, gaps = np.empty(len(X), dtype=np.intp), np.empty(len(X))

    def block(start: int, stop: int) -> None:
        # Centred, since products of rows far from 0 would leave no digits of the differences.
        closest = (squares - 2.0 * ((X[start:stop] - middle) @ moved.T)).argmin(axis=1)
        apart = X[start:stop] - points[closest]
        labels[start:stop] = closest
        gaps[start:stop] = np.einsum("ij,ij->i", apart, apart)

    over_blocks(len(X), rows_per_block(len(X), len(points)), block)
    return labels, gaps
