"""Data with a knob whose effect is known.

The same seed gives the same draws for every value of a distance or a noise, so turning that knob moves the
points and does not replace them.

The mixture whose Gaussian kernel matrix has a chosen eigengap is this project's own construction. Cluster j
has its centre at the unit vector e_j, and its points lie on a line of their own, e_j + u e_{r+j} with u
normal of standard deviation s. Points of one cluster are (u - v)² apart (squared), points of two clusters
2 + u² + v². With gamma the default width, about (r - 1)/r + s², the kernel matrix has r blocks
exp(-(u - v)²/gamma), and between two blocks the rank-one exp(-2/gamma) w wᵀ, w = exp(-u²/gamma).

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

from nysviz.datasets.cards import find_card
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.size_limits import check_fits
from nysviz.numerics import counts
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal


def checked_whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """Return the value as int; ValueError where it is not a whole number from low to high."""
    number = counts.whole(value)
    if number is None or not low <= number <= high:
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a whole number from {low} to {high}.")
    return number


def checked_real(name: str, value: float, low: float, high: float = math.inf) -> float:
    """Return the value as float; ValueError where it is not a finite number from low to high."""
    if not (counts.is_finite(value) and low <= value <= high):
        required = f"from {low:.4g} to {high:.4g}" if math.isfinite(high) else f"not below {low:.4g}"
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a finite number {required}.")
    return float(value)


MAX_POINTS = 1_000_000
MAX_SEED = 2**63 - 1
# A longer distance shows nothing on a chart, and squares of much longer ones overflow.
MAX_LENGTH = 1e6
ROWS_AT_ONCE = 4_096


def two_balls(
    n: SupportsIndex = 10_000, redundant: SupportsIndex = 100, seed: SupportsIndex = 0, distance: float = 1.0
) -> Dataset:
    """Draw two discs and many uninformative features (Yang et al. 2012, figure 1).

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
    n, redundant = checked_whole("n", n, 2, MAX_POINTS), checked_whole("redundant", redundant, 0, 10_000)
    distance = checked_real("distance", distance, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(checked_whole("seed", seed, 0, MAX_SEED))
    check_fits(n, 2 + redundant)
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
    return find_card("two_balls").described(X, y, owned=True, feature_names=names)


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
    n, d = checked_whole("n", n, 1, MAX_POINTS), checked_whole("d", d, 1, 10_000)
    k = checked_whole("k", k, 1, min(n, 1000))
    separation = checked_real("separation", separation, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(checked_whole("seed", seed, 0, MAX_SEED))
    check_fits(n, d)
    y = rng.permutation(np.arange(n) % k)
    centres = separation * _spread_centres(k, d, rng)
    X = rng.standard_normal((n, d))
    for start in range(0, n, ROWS_AT_ONCE):
        X[start : start + ROWS_AT_ONCE] += centres[y[start : start + ROWS_AT_ONCE]]
    return find_card("clusters").described(X, y, owned=True, classes=[f"cluster {j}" for j in range(k)])


def _spread_centres(k: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Return points (k, d) around the origin whose smallest pairwise distance is exactly 1."""
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
    n, noise = checked_whole("n", n, 1, MAX_POINTS), checked_real("noise", noise, 0.0, MAX_LENGTH)
    rng = np.random.default_rng(checked_whole("seed", seed, 0, MAX_SEED))
    t = 1.5 * np.pi * (1.0 + 2.0 * rng.random(n))
    sheet = np.column_stack([t * np.cos(t), 21.0 * rng.random(n), t * np.sin(t)])
    X = sheet + noise * rng.standard_normal((n, 3))
    return find_card("swiss_roll").described(X, t, owned=True, feature_names=["across", "height", "depth"])


# Shares of the largest gap between which the realised gap stays within 10 % of the requested one (tested).
SMALLEST_SHARE, LARGEST_SHARE = 0.1, 0.9
# Points on which eigenvalues are computed while s is sought: about 40 ms a trial on one core.
NODES = 600
POINTS_PER_CLUSTER = 20


def largest_gap(r: int) -> float:
    """Return (lambda_r - lambda_{r+1})/n of r clusters without spread: (1 - exp(-2r/(r - 1)))/r."""
    return (1.0 - math.exp(-2.0 * r / (r - 1))) / r


def eigengap_mixture(
    n: SupportsIndex = 1000, r: SupportsIndex = 5, gap: float = 0.1, seed: SupportsIndex = 0
) -> Dataset:
    """Return r clusters of equal size whose kernel matrix has (lambda_r - lambda_{r+1})/n close to ``gap``.

    The gap is that of exp(-||x - y||²/gamma), gamma the default width (mean squared distance to the mean):
    from 10 % to 90 % of ``largest_gap(r)``, 0.0184 to 0.165 for r = 5, and met within 10 %. At least 20 r
    points and 2 to 15 clusters. X (n, 2r) has the r axes of the centres, then the r axes of the spreads; y is
    the number of the cluster. ValueError for an impossible parameter, a gap out of reach among them.
    """
    r = checked_whole("r", r, 2, 15)
    n = checked_whole("n", n, POINTS_PER_CLUSTER * r, MAX_POINTS)
    seed = checked_whole("seed", seed, 0, MAX_SEED)
    gap = checked_real("gap", gap, SMALLEST_SHARE * largest_gap(r), LARGEST_SHARE * largest_gap(r))
    check_fits(n, 2 * r)
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
    return find_card("eigengap_mixture").described(
        X,
        y,
        owned=True,
        feature_names=names,
        classes=[f"cluster {j}" for j in range(r)],
        notes=[f"The spread of each cluster was solved as {spread:.4g}; the centres are 1.414 apart."],
    )


def _points(u: FloatArray, y: NDArray[np.intp], r: int) -> FloatArray:
    """Return points e_j + u e_{r+j}, (n, 2r), of their cluster j and their place u on its line."""
    X = np.zeros((u.size, 2 * r))
    X[np.arange(u.size), y] = 1.0
    X[np.arange(u.size), r + y] = u
    return X


def _unit_normal(share: FloatArray) -> FloatArray:
    """Return normal quantiles with a mean square of exactly 1, on which the default width depends."""
    quantiles: FloatArray = ndtri(np.clip(share, 1e-9, 1.0 - 1e-9))
    quantiles /= np.sqrt(np.mean(quantiles**2))
    return quantiles


def _spread_for(gap: float, z: FloatArray, y: NDArray[np.intp], r: int) -> float:
    """Return the standard deviation s that gives the gap, from the points or, for many, from quantiles."""
    weight = np.full(z.size, 1.0 / z.size)
    if z.size > NODES:
        per_cluster = NODES // r
        middles = _unit_normal((np.arange(per_cluster) + 0.5) / per_cluster)
        weight = np.repeat(np.bincount(y) / (y.size * per_cluster), per_cluster)
        z, y = np.tile(middles, r), np.repeat(np.arange(r), per_cluster)

    def excess(spread: float) -> float:
        # Eigenvalues of the weighted kernel matrix; with weights 1/n those of K/n.
        X, root = _points(spread * z, y, r), np.sqrt(weight)
        gamma = weight @ ((X - weight @ X) ** 2).sum(axis=1)
        values = eigvalsh(root[:, None] * np.exp(-cdist(X, X, "sqeuclidean") / gamma) * root)
        return float(values[-r] - values[-r - 1]) - gap

    # The gap falls with s until it is 0; the first sign change is the smallest spread that has it.
    high = 0.1
    while excess(high) > 0.0:
        high *= 1.5
    # Imported late: it takes a fifth of the whole import, and only this function needs it.
    from scipy.optimize import brentq

    return float(brentq(excess, 0.0, high, xtol=1e-6, rtol=1e-4))


# Rows and eigenvalues up to which the directions are orthogonalised in some seconds.
MOST_ROWS, MOST_EIGENVALUES = 10_000, 500
LAWS = ("power", "exponential", "step")


def chosen_spectrum(
    n: SupportsIndex = 500,
    d: SupportsIndex = 200,
    law: str = "power",
    rate: float = 1.0,
    rank: SupportsIndex = 1,
    coherence: float = 0.0,
    seed: SupportsIndex = 0,
) -> Dataset:
    """Return points whose linear kernel matrix has chosen eigenvalues and eigenvectors.

    X (n, d) with X Xᵀ = U diag(λ) Uᵀ. The first ``rank`` eigenvalues are 1, and the one j places after them
    is (1 + j)^-rate by the law "power", exp(-rate j) by "exponential", and 10^-rate by "step". The columns of
    U are those of (1 - coherence) Q + coherence I made orthonormal, Q random directions and I the first d
    coordinate axes; then the rows are shuffled. At 0 the rows have similar leverage and any d columns of K
    suffice. At 1 K is diagonal with d nonzero entries, and only those columns help; a Gaussian sketch works
    for both. O(n d²). ValueError for an impossible parameter.

    Parameters
    ----------
    n : int, 2 to 10 000
    d : int, 1 to 500 and at most n
        Eigenvalues that are not 0.
    law : {"power", "exponential", "step"}
    rate : float, 0 to 10
    rank : int, 1 to d
    coherence : float, 0 to 1
    seed : int
        The same directions for every other knob but n and d.

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("chosen_spectrum", n=100, d=4, law="step", rate=2.0, rank=2)
    >>> nv.spectrum(data.X, nv.Linear())[:5].round(3)
    array([1.  , 1.  , 0.01, 0.01, 0.  ])
    """
    n = checked_whole("n", n, 2, MOST_ROWS)
    d = checked_whole("d", d, 1, min(n, MOST_EIGENVALUES))
    if law not in LAWS:
        raise Refusal(f"law is {str(law)[:40]}; it must be one of {', '.join(LAWS)}.")
    rate, rank = checked_real("rate", rate, 0.0, 10.0), checked_whole("rank", rank, 1, d)
    coherence = checked_real("coherence", coherence, 0.0, 1.0)
    rng = np.random.default_rng(checked_whole("seed", seed, 0, MAX_SEED))
    check_fits(n, d)
    after = np.maximum(np.arange(1.0, d + 1.0) - rank, 0.0)
    falls = {"power": -rate * np.log1p(after), "exponential": -rate * after}
    logarithms = falls.get(law, np.where(after > 0, -rate * math.log(10.0), 0.0))
    directions = (1.0 - coherence) * _orthonormal(rng.standard_normal((n, d)))
    directions[np.arange(d), np.arange(d)] += coherence
    points = _orthonormal(directions) * np.exp(0.5 * logarithms)
    return find_card("chosen_spectrum").described(points[rng.permutation(n)], owned=True)


def _orthonormal(A: FloatArray) -> FloatArray:
    """Return orthonormal columns with the span of those of A (n, d), turned towards them."""
    Q, R = np.linalg.qr(A)
    return np.asarray(Q * np.where(R.diagonal() < 0, -1.0, 1.0))
