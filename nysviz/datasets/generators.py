"""Data with a knob whose effect is known.

The same seed gives the same draws for every value of a distance or a noise, so turning that knob moves the
points and does not replace them. (The mixture with a chosen eigengap stands in ``eigengap``.)
"""

import math
from typing import SupportsIndex

import numpy as np
from scipy.spatial.distance import cdist

from nysviz import counts
from nysviz.datasets.cards import card
from nysviz.datasets.dataset import Dataset, FloatArray
from nysviz.datasets.size_limits import fits
from nysviz.refusal import Refusal


def whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """Return the value as int; ValueError where it is not a whole number from low to high."""
    number = counts.whole(value)
    if number is None or not low <= number <= high:
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a whole number from {low} to {high}.")
    return number


def real(name: str, value: float, low: float, high: float = math.inf) -> float:
    """Return the value as float; ValueError where it is not a finite number from low to high."""
    if not (counts.is_finite(value) and low <= value <= high):
        needed = f"from {low:.4g} to {high:.4g}" if math.isfinite(high) else f"not below {low:.4g}"
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a finite number {needed}.")
    return float(value)


MAX_POINTS = 1_000_000
MAX_SEED = 2**63 - 1
# Beyond this a distance of points says nothing on a chart, and far beyond it squares overflow.
MAX_LENGTH = 1e6
ROWS_AT_ONCE = 4_096


def two_balls(
    n: SupportsIndex = 10_000, redundant: SupportsIndex = 100, seed: SupportsIndex = 0, distance: float = 1.0
) -> Dataset:
    """Two discs and many features that say nothing (Yang et al. 2012, figure 1).

    ValueError for an impossible parameter.

    Parameters
    ----------
    n : int, at least 2
        Points; half in each disc.
    redundant : int, at least 0
        Features uniform on [0, 1] that follow the two of the discs.
    seed : int
    distance : float, at least 0
        Distance of the two centres. The radius is 0.5, so the discs touch at 1, overlap below, part above.

    Returns
    -------
    Dataset
        X (n, 2 + redundant); y is -1 in the disc around (-distance/2, 0.5), +1 in the other disc, around
        (distance/2, 0.5).

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.two_balls(n=100, redundant=3).X.shape
    (100, 5)
    """
    n, redundant = whole("n", n, 2, MAX_POINTS), whole("redundant", redundant, 0, 10_000)
    distance = real("distance", distance, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(whole("seed", seed, 0, MAX_SEED))
    fits(n, 2 + redundant)
    y = rng.permutation(np.where(np.arange(n) < n // 2, -1, 1))
    # The square root makes the points uniform on the area instead of crowded at the centre.
    radius, angle = 0.5 * np.sqrt(rng.random(n)), 2.0 * np.pi * rng.random(n)
    X = np.empty((n, 2 + redundant))
    X[:, 0] = 0.5 * distance * y + radius * np.cos(angle)
    X[:, 1] = 0.5 + radius * np.sin(angle)
    # A block at a time, here and below: a whole second array would take as much memory as the first.
    for start in range(0, n, ROWS_AT_ONCE):
        rows = X[start : start + ROWS_AT_ONCE]
        rows[:, 2:] = rng.random((len(rows), redundant))
    names = ["disc 1", "disc 2", *(f"redundant {j + 1}" for j in range(redundant))]
    return card("two_balls").described(X, y, owned=True, feature_names=names)


def clusters(
    n: SupportsIndex = 1000,
    k: SupportsIndex = 10,
    d: SupportsIndex = 2,
    separation: float = 4.0,
    seed: SupportsIndex = 0,
) -> Dataset:
    """Return k Gaussian clusters of unit covariance, of equal size, a chosen distance apart.

    ``separation`` is the distance of the two nearest centres in standard deviations of a cluster. 0 gives one
    blob; of two clusters s apart, the share Phi(-s/2) lies nearer to the wrong centre: 16 % at 2, 2 % at 4,
    0.1 % at 6. X is (n, d), y the number of the cluster, 0 … k - 1. ValueError for an impossible parameter.
    """
    n, d = whole("n", n, 1, MAX_POINTS), whole("d", d, 1, 10_000)
    k = whole("k", k, 1, min(n, 1000))
    separation = real("separation", separation, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(whole("seed", seed, 0, MAX_SEED))
    fits(n, d)
    y = rng.permutation(np.arange(n) % k)
    centres = separation * _spread_centres(k, d, rng)
    X = rng.standard_normal((n, d))
    for start in range(0, n, ROWS_AT_ONCE):
        X[start : start + ROWS_AT_ONCE] += centres[y[start : start + ROWS_AT_ONCE]]
    return card("clusters").described(X, y, owned=True, classes=[f"cluster {j}" for j in range(k)])


def _spread_centres(k: int, d: int, rng: np.random.Generator) -> FloatArray:
    """The points (k, d), around the origin, whose smallest pairwise distance is exactly 1."""
    # Farthest-point picks from a random pool keep the other distances close to the smallest one.
    pool = rng.standard_normal((k + 200, d))
    picks = [0]
    nearest = cdist(pool, pool[:1])[:, 0]
    for _ in range(k - 1):
        picks.append(int(nearest.argmax()))
        np.minimum(nearest, cdist(pool, pool[picks[-1:]])[:, 0], out=nearest)
    centres = pool[picks]
    if k > 1:
        apart = cdist(centres, centres)
        centres = centres / apart[~np.eye(k, dtype=bool)].min()
    return centres - centres.mean(axis=0)


def swiss_roll(n: SupportsIndex = 1000, noise: float = 0.0, seed: SupportsIndex = 0) -> Dataset:
    """Return a sheet rolled up in three dimensions: near in space is not near along the sheet.

    X (n, 3) = (t cos t, h, t sin t) + noise with h uniform on [0, 21]; y (n,) is t, uniform on [1.5 pi, 4.5
    pi], the position along the roll. ``noise`` is the standard deviation of Gaussian noise on each
    coordinate; turns of the roll are about 6.3 apart. ValueError for an impossible parameter.
    """
    n, noise = whole("n", n, 1, MAX_POINTS), real("noise", noise, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(whole("seed", seed, 0, MAX_SEED))
    t = 1.5 * np.pi * (1.0 + 2.0 * rng.random(n))
    sheet = np.column_stack([t * np.cos(t), 21.0 * rng.random(n), t * np.sin(t)])
    X = sheet + noise * rng.standard_normal((n, 3))
    return card("swiss_roll").described(X, t, owned=True, feature_names=["across", "height", "depth"])
