"""The nearest of given points for each row, and its distance."""

from typing import Any

import numpy as np

from nysviz.numerics.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.numerics.loops import decide_close_calls

# Rounding of a score ‖z‖² − 2⟨x, z⟩ in units of eps (2 ‖x‖‖z‖ + ‖z‖²); grows like √d since the roundings of a
# sum are nearly independent.
SCORE_ROUNDING = 4.0


def nearest(X: FloatArray, points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Find the nearest of points (m, d) for each row of X (n, d), the first of equally near ones; O(nmd).

    Returns labels (n,), and squared distances (n,) from differences of the rows as they are: those of close
    pairs, which have most digits in common, are exact.
    """
    # Centred, since products of rows far from 0 would leave no digits of the differences.
    middle = points.mean(axis=0)
    right, reach = score_columns(points - middle, np.float64)
    labels, gaps = np.empty(len(X), dtype=np.intp), np.empty(len(X))

    def block(start: int, stop: int) -> None:
        rows = X[start:stop]
        left = np.ones((stop - start, X.shape[1] + 1))
        moved = np.subtract(rows, middle, out=left[:, :-1])
        lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        labels[start:stop] = lowest(left @ right, score_slack(left, lengths, reach), rows, points)
        apart = rows - points[labels[start:stop]]
        gaps[start:stop] = np.einsum("ij,ij->i", apart, apart)

    over_blocks(len(X), rows_per_block(len(X), len(points)), block)
    return labels, gaps


def score_columns(points: FloatArray, kind: type[np.floating[Any]]) -> tuple[Any, float]:
    """Return columns (d + 1, m) whose products with rows (x, 1) are ‖z‖² − 2⟨x, z⟩, and the largest ‖z‖."""
    squares = np.einsum("ij,ij->i", points, points)
    right = np.empty((points.shape[1] + 1, len(points)), dtype=kind)
    right[:-1] = -2.0 * points.T
    right[-1] = squares
    return right, float(np.sqrt(squares.max()))


def score_slack(left: Any, lengths: FloatArray, reach: float) -> FloatArray:
    """Return the largest difference of two scores, (n,), whose order may be due to rounding.

    ``left`` (n, d + 1) are the rows (x, 1) in the precision of the products, ``lengths`` their ‖x‖ and
    ``reach`` is the largest ‖z‖.
    """
    rounding = 2.0 * SCORE_ROUNDING * float(np.finfo(left.dtype).eps) * np.sqrt(left.shape[1])
    return rounding * reach * (2.0 * lengths + reach)


def lowest(scores: Any, slack: FloatArray, rows: FloatArray, points: FloatArray) -> IntArray:
    """Return the column of each row's nearest point, (n,): the one with the lowest score.

    Differences of the rows decide where other scores are within ``slack`` (n,), or where a score is NaN.
    """
    best: IntArray = scores.argmin(axis=1)
    smallest = scores[np.arange(len(scores)), best]
    limits = (smallest + slack).astype(scores.dtype)
    decide_close_calls(scores, limits, np.ascontiguousarray(rows), np.ascontiguousarray(points), best)
    return best
