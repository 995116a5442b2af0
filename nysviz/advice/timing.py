"""Seconds of an approximation of all rows, predicted from timed runs on parts of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from nysviz.advice.screening import Tried
from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS

# Below this many seconds a run is mostly start-up, and its share of the fit is less.
LEAST_SECONDS = 2e-3


@dataclass(frozen=True, eq=False)
class Timing:
    """Seconds as a start-up, kernel evaluations and multiplications, each times a measured constant.

    Attributes
    ----------
    method : str
    d : int
        Columns of the data.
    constants : (3,) array
        Seconds of the start-up, of a kernel evaluation and of a multiplication.
    """

    method: str
    d: int
    constants: FloatArray

    def seconds_of(self, n: int, m: float) -> float:
        """Seconds of one approximation."""
        return float(_amounts(self.method, self.d, n, m) @ self.constants)


def _amounts(method: str, d: int, n: int, m: float) -> FloatArray:
    """One start-up, kernel evaluations and multiplications."""
    cost = METHODS[method].cost(n, d, math.ceil(m))
    return np.array([1.0, cost.entries, cost.flops])


def timing_of(method: str, d: int, found: Sequence[Tried]) -> Timing | None:
    """Fit nonnegative constants, by relative errors, to the timed runs of a method; None without any."""
    timed = [one for one in found if one.method == method and math.isfinite(one.seconds)]
    if not timed:
        return None
    seconds = np.array([one.seconds for one in timed])
    weights = 1.0 / np.maximum(seconds, LEAST_SECONDS)
    rows = np.array([_amounts(method, d, one.size, one.m) for one in timed]) * weights[:, None]
    scale = np.maximum(rows.max(axis=0), 1e-300)
    return Timing(method, d, nnls(rows / scale, seconds * weights)[0] / scale)
