r"""A mixture whose Gaussian kernel matrix has a chosen eigengap.

The construction is this project's own. Cluster j has its centre at the unit vector e_j, and its points lie on
a line of their own, e_j + u e_{r+j} with u normal of standard deviation s. Points of one cluster are (u - v)²
apart (squared), points of two clusters 2 + u² + v². With gamma the default width, about (r - 1)/r + s², the
kernel matrix has r blocks exp(-(u - v)²/gamma), and between two blocks the rank-one exp(-2/gamma) w wᵀ,
w = exp(-u²/gamma).

At s = 0 the matrix has rank r and the gap is (1 - exp(-2r/(r - 1)))/r, the largest possible here: the default
width grows with the centres' distance, so moving them apart changes nothing. As s grows each cluster needs a
second eigenvector, lambda_{r+1} rises to lambda_r, and the gap falls to 0. In between s is solved for.
"""

import math
from typing import SupportsIndex

import numpy as np
from numpy.linalg import eigvalsh
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from nysviz.datasets.cards import card
from nysviz.datasets.dataset import Dataset, FloatArray
from nysviz.datasets.generators import MAX_POINTS, MAX_SEED, real, whole
from nysviz.datasets.size_limits import fits

# Shares of the largest gap between which the realised gap stays within 10 % of the asked one (tested).
SMALLEST_SHARE, LARGEST_SHARE = 0.1, 0.9
# Points on which eigenvalues are computed while s is sought: about 40 ms a trial on one core.
NODES = 600
POINTS_PER_CLUSTER = 20


def largest_gap(r: int) -> float:
    """(lambda_r - lambda_{r+1})/n of r clusters without any spread: (1 - exp(-2r/(r - 1)))/r."""
    return (1.0 - math.exp(-2.0 * r / (r - 1))) / r


def gaps_within_reach(r: int) -> tuple[float, float]:
    """Smallest and largest gap that ``eigengap_mixture`` makes of r clusters."""
    return SMALLEST_SHARE * largest_gap(r), LARGEST_SHARE * largest_gap(r)


def eigengap_mixture(
    n: SupportsIndex = 1000, r: SupportsIndex = 5, gap: float = 0.1, seed: SupportsIndex = 0
) -> Dataset:
    """Return r clusters of equal size whose kernel matrix has (lambda_r - lambda_{r+1})/n close to ``gap``.

    The gap is that of exp(-||x - y||²/gamma), gamma the default width (mean squared distance to the mean):
    from 10 % to 90 % of ``largest_gap(r)``, 0.0184 to 0.165 for r = 5, and met within 10 %. At least 20 r
    points and 2 to 15 clusters. X (n, 2r) has the r axes of the centres, then the r axes of the spreads; y is
    the number of the cluster. ValueError for an impossible parameter, a gap out of reach among them.
    """
    r = whole("r", r, 2, 15)
    n, seed = whole("n", n, POINTS_PER_CLUSTER * r, MAX_POINTS), whole("seed", seed, 0, MAX_SEED)
    gap = real("gap", gap, *gaps_within_reach(r))
    fits(n, 2 * r)
    rng = np.random.default_rng(seed)
    y = np.arange(n) % r
    z = np.empty(n)
    for j in range(r):
        count = int((y == j).sum())
        # One from each of equally likely intervals: the gap hardly varies.
        z[y == j] = _unit_normal((np.arange(count) + rng.random(count)) / count)
    spread = _spread_for(gap, z, y, r)
    order = rng.permutation(n)
    y, z = y[order], z[order]
    X = _points(spread * z, y, r)
    names = [*(f"centre {j}" for j in range(r)), *(f"spread {j}" for j in range(r))]
    return card("eigengap_mixture").described(
        X,
        y,
        owned=True,
        feature_names=names,
        classes=[f"cluster {j}" for j in range(r)],
        notes=[f"The spread of each cluster was solved as {spread:.4g}; the centres are 1.414 apart."],
    )


def _points(u: FloatArray, y: NDArray[np.intp], r: int) -> FloatArray:
    """Points e_j + u e_{r+j}, (n, 2r), of their cluster j and their place u on its line."""
    X = np.zeros((u.size, 2 * r))
    X[np.arange(u.size), y] = 1.0
    X[np.arange(u.size), r + y] = u
    return X


def _unit_normal(share: FloatArray) -> FloatArray:
    """Normal quantiles, scaled to a mean square of exactly 1, on which the default width depends."""
    quantiles: FloatArray = ndtri(np.clip(share, 1e-9, 1.0 - 1e-9))
    quantiles /= np.sqrt(np.mean(quantiles**2))
    return quantiles


def _spread_for(gap: float, z: FloatArray, y: NDArray[np.intp], r: int) -> float:
    """The standard deviation s that gives the gap, found on the points or, for many, on quantiles."""
    weight = np.full(z.size, 1.0 / z.size)
    if z.size > NODES:
        per_cluster = NODES // r
        middles = _unit_normal((np.arange(per_cluster) + 0.5) / per_cluster)
        weight = np.repeat(np.bincount(y) / (y.size * per_cluster), per_cluster)
        z, y = np.tile(middles, r), np.repeat(np.arange(r), per_cluster)

    def excess(spread: float) -> float:
        return _relative_gap(spread * z, y, weight, r) - gap

    # The gap falls with s until it is 0; the first sign change is the smallest spread that has it.
    high = 0.1
    while excess(high) > 0.0:
        high *= 1.5
    # Imported late: it takes a fifth of the whole import, and only this needs it.
    from scipy.optimize import brentq

    return float(brentq(excess, 0.0, high, xtol=1e-6, rtol=1e-4))


def _relative_gap(u: FloatArray, y: NDArray[np.intp], weight: FloatArray, r: int) -> float:
    """(lambda_r - lambda_{r+1}) of the weighted kernel matrix; with weights 1/n that of K/n."""
    X, root = _points(u, y, r), np.sqrt(weight)
    gamma = weight @ ((X - weight @ X) ** 2).sum(axis=1)
    values = eigvalsh(root[:, None] * np.exp(-cdist(X, X, "sqeuclidean") / gamma) * root)
    return float(values[-r] - values[-r - 1])
