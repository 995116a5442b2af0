"""The bandwidths of the experiments: from percentiles of the squared distances between points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.advice.data import repeated_below
from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.kernels import Gaussian
from nysviz.refusal import Refusal

# Points whose distances are taken, and bandwidths in the range (Oglic & Gärtner 2017, section 5).
POINTS = 5_000
COUNT = 10
PERCENTILES = (1.0, 50.0, 99.0)
# The right end is at least so large: K is then close to the identity where features have unit variance.
LEAST_RIGHT_END = 1.0
STRIPE = 256


@dataclass(frozen=True)
class Bandwidths:
    """Values of γ = 1/σ², ascending, and the standard choice among or between them.

    Attributes
    ----------
    values : tuple of float
        In units of 1/X².
    standard : float
        1/median of the squared distances.
    """

    values: tuple[float, ...]
    standard: float


def bandwidths(X: FloatArray, count: int = COUNT, points: int = POINTS, seed: int = 0) -> Bandwidths:
    """Range of bandwidths of a data set, evenly spaced in the logarithm.

    From 1/(99th percentile) to 1/(1st percentile) of the squared distances between sampled points, the right
    end at least 1 (Oglic & Gärtner 2017, section 5). Choice: distances between equal rows are left out, since
    data with many repeated rows would have an infinite right end.

    Parameters
    ----------
    X : (n, d) array
    count : int
        How many values, 2 or more.
    points : int
        Rows that are sampled where there are more.
    seed : int
        Of that sample.

    Returns
    -------
    Bandwidths
        O(points² d); fewer values where both ends are one.

    Raises
    ------
    ValueError
        Fewer than two values asked for, or all rows equal.
    """
    if count < 2:
        raise Refusal(f"count = {count} bandwidths; a range has 2 or more.")
    rows = X if len(X) <= points else X[np.random.default_rng(seed).permutation(len(X))[:points]]
    squares = squared_distances(rows)
    squares = squares[squares > repeated_below(rows, squares.max(initial=0.0))]
    if not len(squares):
        raise Refusal("All rows are equal, so their distances suggest no bandwidth; choose other data.")
    near, median, far = (float(value) for value in np.percentile(squares, PERCENTILES))
    ends = 1.0 / far, max(LEAST_RIGHT_END, 1.0 / near)
    values = np.geomspace(*ends, count) if ends[0] < ends[1] else np.array(ends[:1])
    return Bandwidths(tuple(float(value) for value in values), 1.0 / median)


def squared_distances(X: FloatArray) -> FloatArray:
    """‖x_i − x_j‖² of all pairs i < j, (n (n − 1)/2,), in no particular order; O(n² d)."""
    n = len(X)
    moved = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", moved, moved)
    found, at = np.empty(n * (n - 1) // 2), 0
    with one_blas_thread():
        for start in range(0, n, STRIPE):
            stop = min(n, start + STRIPE)
            gaps = squares[start:] - 2.0 * (moved[start:stop] @ moved[start:].T)
            gaps += squares[start:stop, None]
            above = gaps[~np.tri(stop - start, n - start, dtype=bool)]
            np.maximum(above, 0.0, out=found[at : at + len(above)])
            at += len(above)
    return found


def kernel_at(bandwidth: float) -> Gaussian:
    """Gaussian kernel exp(−γ ‖x − y‖²/2) of Oglic's bandwidth γ = 1/σ²."""
    return Gaussian(bandwidth**-0.5)
