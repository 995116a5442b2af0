"""Summaries of a spectrum: its largest gap, its effective dimension, and its law of decay."""

import math
from dataclasses import dataclass

import numpy as np

from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal

# An eigenvalue computed by LAPACK is off by a small multiple of eps times the largest one, growing with n.
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Gap:
    """The gap after rank ``r`` (from 1): λ_r − λ_{r+1}, and λ_r / λ_{r+1}, infinite where λ_{r+1} is 0."""

    r: int
    size: float
    ratio: float


def rounding(values: FloatArray) -> float:
    """Return the rounding of computed eigenvalues and gaps, max(n, 100) · eps · λ_1."""
    return max(len(values), 100) * EPSILON * float(values[0])


def above_rounding(values: FloatArray) -> int:
    """Count the leading eigenvalues above the rounding of the computation, see ``rounding``."""
    if not len(values) or values[0] <= 0:
        return 0
    below = values <= rounding(values)
    return int(below.argmax()) if below.any() else len(values)


def largest_gaps(values: FloatArray, count: int = 1) -> list[Gap]:
    """Return the largest gaps λ_r − λ_{r+1} of descending eigenvalues (n,), equal ones in order of rank.

    Of eigenvalues divided by N the sizes are those of Yang et al. 2012, theorem 1.
    """
    gaps, largest = values[:-1] - values[1:], []
    for i in np.argsort(-gaps, kind="stable")[:count]:
        above, below = float(values[i]), float(values[i + 1])
        largest.append(Gap(int(i) + 1, above - below, above / below if below > 0 else math.inf))
    return largest


def effective_dimension(values: FloatArray, ridge: float) -> float:
    """Return Σ λ_i / (λ_i + ridge), the degrees of freedom of kernel ridge regression.

    With the eigenvalues of K/n the ridge is the λ of (K + nλI). ValueError for one that is not above 0.
    """
    if not (math.isfinite(ridge) and ridge > 0):
        raise Refusal(f"The ridge λ is {ridge:g}; a finite number above 0 is needed.")
    return float((values / (values + ridge)).sum())


@dataclass(frozen=True)
class Law:
    """A law of decay fitted to the logarithms of eigenvalues, λ_i = c i^(−rate) or c exp(−rate · i).

    ``scale`` is c; ``explained`` is R², the part of the variance of ln λ_i that the law explains.
    """

    kind: str
    scale: float
    rate: float
    explained: float

    def __call__(self, ranks: FloatArray) -> FloatArray:
        """Return the law's eigenvalues at these ranks, from 1."""
        x = np.log(ranks) if self.kind == "power" else ranks
        return self.scale * np.exp(-self.rate * x)

    @property
    def factor(self) -> float:
        """Factor of an exponential law from one rank to the next, q = exp(−rate)."""
        return math.exp(-self.rate)


def decay(values: FloatArray) -> tuple[Law, Law] | None:
    """Fit a power law and an exponential by least squares to ln λ_i, and put the better one first.

    None with fewer than three eigenvalues above rounding: two parameters explain two points whatever they
    are. Both laws have two, so R², the sum of squares and AIC put them in the same order.
    """
    count = above_rounding(values)
    if count < 3:
        return None
    from scipy.stats import linregress

    ranks, logs, laws = np.arange(1.0, count + 1.0), np.log(values[:count]), []
    for kind, x in (("power", np.log(ranks)), ("exponential", ranks)):
        fit = linregress(x, logs)
        # Both laws fit a flat spectrum exactly.
        explained = 1.0 if np.std(logs) <= np.sqrt(count) * EPSILON else float(fit.rvalue) ** 2
        laws.append(Law(kind, math.exp(fit.intercept), -float(fit.slope), explained))
    better, worse = sorted(laws, key=lambda law: -law.explained)
    return better, worse
