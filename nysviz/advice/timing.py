"""Seconds of an approximation of all rows, predicted from timed runs on parts of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from nysviz.advice.curve import Estimate
from nysviz.advice.screening import Tried
from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS

# Below this many seconds a run is mostly start-up, and its share of the fit is less.
LEAST_SECONDS = 2e-3
# What a prediction may be off where runs of one size alone say nothing about it, and at least in any case.
UNCHECKED, LEAST_OFF = 3.0, 1.3


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
    off : float
        Factor that a prediction is off by, 19 times of 20, from runs that were held out.
    held_out : tuple of (predicted, measured)
        Seconds of these runs.
    """

    method: str
    d: int
    constants: FloatArray
    off: float = UNCHECKED
    held_out: tuple[tuple[float, float], ...] = ()

    def seconds_of(self, n: int, m: float) -> Estimate:
        """Seconds of one approximation."""
        value = float(_amounts(self.method, self.d, n, m) @ self.constants)
        return Estimate(value, value / self.off, value * self.off)


def _amounts(method: str, d: int, n: int, m: float) -> FloatArray:
    """One start-up, kernel evaluations and multiplications."""
    cost = METHODS[method].cost(n, d, math.ceil(m))
    return np.array([1.0, cost.entries, cost.flops])


def timing_of(method: str, d: int, found: Sequence[Tried]) -> Timing | None:
    """Fit the constants to the timed runs of a method; None where there are none.

    The runs of the largest size, or where there is one size alone those with a middle number of landmarks,
    are first held out and predicted from the others: how far off that is says how far the prediction may be.
    """
    timed = [one for one in found if one.method == method and math.isfinite(one.seconds)]
    if not timed:
        return None
    amounts = np.array([_amounts(method, d, one.size, one.m) for one in timed])
    seconds = np.array([one.seconds for one in timed])
    sizes, counts = np.array([(one.size, one.m) for one in timed]).T
    middle = np.unique(counts)[len(np.unique(counts)) // 2]
    out = sizes == sizes.max() if len(set(sizes)) > 1 else counts == middle
    constants = _fitted(amounts, seconds)
    if out.all():
        return Timing(method, d, constants)
    predicted = amounts[out] @ _fitted(amounts[~out], seconds[~out])
    logs = np.log(np.maximum(predicted, 1e-6) / np.maximum(seconds[out], 1e-6))
    off = max(LEAST_OFF, math.exp(min(3.0, 1.96 * math.sqrt(float(np.mean(logs**2))))))
    held_out = tuple(zip(predicted.tolist(), seconds[out].tolist(), strict=True))
    return Timing(method, d, constants, off, held_out)


def _fitted(amounts: FloatArray, measured: FloatArray) -> FloatArray:
    """Nonnegative constants with the smallest relative errors."""
    weights = 1.0 / np.maximum(measured, LEAST_SECONDS)
    rows = amounts * weights[:, None]
    scale = np.maximum(rows.max(axis=0), 1e-300)
    constants: FloatArray = nnls(rows / scale, measured * weights)[0] / scale
    return constants
