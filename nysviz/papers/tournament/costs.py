"""Errors of methods that never cost the same: what each has for the same kernel evaluations or seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Curve = Sequence[tuple[float, float]]


def error_at(curve: Curve, cost: float) -> float:
    """Error that a method has for a cost, from its runs at several m.

    Between two runs the logarithm of the error is linear in the logarithm of the cost. Above the dearest run
    its error stands, since nothing better was measured; below the cheapest one the method cannot be had, and
    the error is infinite. A run that costs more without being better is left out.

    Parameters
    ----------
    curve : sequence of (cost, error)
        Both positive, in any order.
    cost : float
    """
    front = frontier(curve)
    if not front or cost < front[0][0]:
        return math.inf
    if cost >= front[-1][0]:
        return front[-1][1]
    costs, errors = np.log(np.array(front)).T
    return float(np.exp(np.interp(math.log(cost), costs, errors)))


def frontier(curve: Curve) -> list[tuple[float, float]]:
    """Runs that are better than every cheaper one, the cheapest first."""
    best: list[tuple[float, float]] = []
    for cost, error in sorted(curve):
        if not best or error < best[-1][1]:
            if best and cost == best[-1][0]:
                best.pop()
            best.append((cost, error))
    return best
