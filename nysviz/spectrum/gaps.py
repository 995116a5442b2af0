"""What a spectrum says: its largest gap, its effective dimension, and the law by which it falls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.refusal import Refusal

# An eigenvalue computed by LAPACK is off by a small multiple of eps times the largest one, growing with n.
EPSILON = float(np.finfo(np.float64).eps)
# A law of two parameters explains two points whatever they are.
FEWEST_RANKS = 3


@dataclass(frozen=True)
class Gap:
    """The gap after rank ``r``.

    Attributes
    ----------
    r : int
        From 1: how many eigenvalues stand above the gap.
    size : float
        λ_r − λ_{r+1}, in the units of the eigenvalues given.
    ratio : float
        λ_r / λ_{r+1}; infinite where λ_{r+1} is 0.
    """

    r: int
    size: float
    ratio: float


def rounding(values: FloatArray) -> float:
    """What separates an eigenvalue, or a gap, from the rounding of its computation: n · eps · λ_1."""
    return max(len(values), 100) * EPSILON * float(values[0])


def above_rounding(values: FloatArray) -> int:
    """Count the leading eigenvalues that stand above the rounding of the computation, n · eps · λ_1."""
    if not len(values) or values[0] <= 0:
        return 0
    below = values <= rounding(values)
    return int(below.argmax()) if below.any() else len(values)


def eigengaps(values: FloatArray) -> FloatArray:
    """λ_r − λ_{r+1} for r = 1 … n − 1, of eigenvalues in descending order; (n − 1,)."""
    gaps: FloatArray = values[:-1] - values[1:]
    return gaps


def largest_gaps(values: FloatArray, count: int = 1) -> list[Gap]:
    """The largest gaps between neighbouring eigenvalues, largest first.

    Parameters
    ----------
    values : (n,) array
        Eigenvalues, descending. Divided by N before, the sizes are those of Yang et al. 2012, theorem 1.
    count : int

    Returns
    -------
    list of Gap
        Fewer than ``count`` where there are fewer gaps; of two equal gaps the one at the smaller rank first.
    """
    gaps = eigengaps(values)
    return [_gap(values, int(i) + 1) for i in np.argsort(-gaps, kind="stable")[:count]]


def _gap(values: FloatArray, r: int) -> Gap:
    above, below = float(values[r - 1]), float(values[r])
    return Gap(r, above - below, above / below if below > 0 else math.inf)


def effective_dimension(values: FloatArray, ridge: float) -> float:
    """Σ λ_i / (λ_i + ridge), the degrees of freedom of kernel ridge regression.

    Parameters
    ----------
    values : (n,) array
        Eigenvalues of K, or of K/n; with those of K/n the ridge is the λ of (K + nλI).
    ridge : float, above 0
        In the units of the eigenvalues.

    Raises
    ------
    ValueError
        When the ridge is not a finite number above 0.
    """
    if not (math.isfinite(ridge) and ridge > 0):
        raise Refusal(f"The ridge λ is {ridge:g}; a finite number above 0 is needed.")
    return float((values / (values + ridge)).sum())


@dataclass(frozen=True)
class Law:
    """A law of decay fitted to the logarithms of eigenvalues.

    Attributes
    ----------
    kind : str
        ``"power"``: λ_i = c i^(−rate); ``"exponential"``: λ_i = c exp(−rate · i).
    scale, rate : float
        c and the rate.
    explained : float
        R², the part of the variance of ln λ_i that the law explains.
    """

    kind: str
    scale: float
    rate: float
    explained: float

    def __call__(self, ranks: FloatArray) -> FloatArray:
        """Eigenvalues that the law gives for these ranks, from 1."""
        x = np.log(ranks) if self.kind == "power" else ranks
        fitted: FloatArray = self.scale * np.exp(-self.rate * x)
        return fitted

    @property
    def factor(self) -> float:
        """By what an exponential law multiplies from one rank to the next, q = exp(−rate)."""
        return math.exp(-self.rate)


def decay(values: FloatArray) -> tuple[Law, Law] | None:
    """Fit a power law and an exponential, each by least squares to ln λ_i, and put the better one first.

    Parameters
    ----------
    values : (n,) array
        Eigenvalues, descending. Only those above rounding are used.

    Returns
    -------
    (better, other), or None with fewer than three eigenvalues above rounding. Both laws have two parameters,
    so R², the sum of squares and AIC put them in the same order.
    """
    count = above_rounding(values)
    if count < FEWEST_RANKS:
        return None
    ranks = np.arange(1.0, count + 1.0)
    logs = np.log(values[:count])
    laws = [_fitted("power", np.log(ranks), logs), _fitted("exponential", ranks, logs)]
    better, other = sorted(laws, key=lambda law: -law.explained)
    return better, other


def _fitted(kind: str, x: FloatArray, logs: FloatArray) -> Law:
    away = x - x.mean()
    slope = float(away @ logs / (away @ away))
    start = float(logs.mean() - slope * x.mean())
    total = float(((logs - logs.mean()) ** 2).sum())
    rest = float(((logs - start - slope * x) ** 2).sum())
    # A flat spectrum has nothing to explain, and both laws are it.
    explained = 1.0 if total <= (len(x) * EPSILON) ** 2 else 1.0 - rest / total
    return Law(kind, math.exp(start), -slope, explained)
