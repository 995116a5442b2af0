"""What an approximation of all rows will cost: seconds and kernel evaluations from timed runs, and bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from nysviz import memory
from nysviz.advice.curve import Estimate
from nysviz.advice.screening import Tried
from nysviz.blocks import BLOCK_ENTRIES, FloatArray, cores
from nysviz.landmarks import METHODS
from nysviz.landmarks.greedy_pivoting import is_dense
from nysviz.matrix import whole_rows_per_block

Exponents = tuple[tuple[int, int], ...]

# Exponents (p, q) of n^p m^q: the start-up, columns of K and distances, the factor and its small matrix.
_COMMON: Exponents = ((0, 0), (1, 1), (1, 2), (0, 3))
# What a method adds by the cost that its source states.
_ADDED: dict[str, Exponents] = {
    "column_norm": ((2, 0),),
    "greedy": ((2, 0), (2, 1)),
    "partition_greedy": ((2, 0),),
    "adaptive_full": ((2, 0), (2, 1)),
    "adaptive_partial": ((1, 3),),
    "leverage": ((2, 0), (3, 0)),
    "svd": ((2, 0), (3, 0)),
}
# Largest memory while a factor is made, times 8 n m bytes: the columns of K and the factor beside them, the
# sketch of a first approximation, experts and their sum, or the factor alone that pivoting fills.
_FACTORS = {
    "icd": 1.25,
    "rpcholesky": 1.4,
    "ensemble": 32.0,
    "leverage_approx": 6.4,
    "partition_greedy": 1.4,
    "sgma": 1.05,
}
_FACTOR = 2.25
# Rows of n entries held beside the factor for each row that an option asks for: that of a candidate, and what
# it is made from.
_ROWS = {"sgma": 2.3}
# Arrays of a block of rows of K that each thread holds while all of K is passed over.
_BLOCKS = {"greedy": 2.0}
# The same, times 8 n² bytes, of methods that hold all of K.
_MATRICES = {"greedy": 1.1, "adaptive_full": 1.1, "leverage": 4.0, "svd": 3.0}
# The estimate's own interval: rounding of blocks, what numpy holds for a moment.
_BYTES_SPREAD = 1.3
# Below this many seconds a run is mostly start-up, and its share of the fit is less.
LEAST_SECONDS = 2e-3
# What a prediction may be off where runs of one size alone say nothing about it.
UNCHECKED = 3.0


def exponents(method: str) -> Exponents:
    """Powers (p, q) whose multiples n^p m^q add up to the method's seconds."""
    return _COMMON + _ADDED.get(method, ())


@dataclass(frozen=True, eq=False)
class Cost:
    """A sum of powers with measured constants.

    Attributes
    ----------
    method : str
    seconds, evaluations : (k,) array
        Constants of ``exponents(method)``.
    off : float
        Factor that a prediction is off by, 19 times of 20, from runs that were held out.
    held_out : tuple of (predicted, measured)
        Seconds of these runs.
    """

    method: str
    seconds: FloatArray
    evaluations: FloatArray
    off: float
    held_out: tuple[tuple[float, float], ...]

    def seconds_of(self, n: int, m: float) -> Estimate:
        """Seconds of one approximation."""
        value = float(_powers(self.method, [(n, m)])[0] @ self.seconds)
        return Estimate(value, value / self.off, value * self.off)

    def evaluations_of(self, n: int, m: float) -> float:
        """Kernel evaluations of one approximation."""
        return float(_powers(self.method, [(n, m)])[0] @ self.evaluations)


def _powers(method: str, at: Sequence[tuple[float, float]]) -> FloatArray:
    return np.array([[float(n) ** p * float(m) ** q for p, q in exponents(method)] for n, m in at])


def _fitted(powers: FloatArray, measured: FloatArray, least: float) -> FloatArray:
    """Nonnegative constants with the smallest relative errors."""
    weights = 1.0 / np.maximum(measured, least)
    rows = powers * weights[:, None]
    scale = np.maximum(rows.max(axis=0), 1e-300)
    found, _ = nnls(rows / scale, measured * weights)
    constants: FloatArray = found / scale
    return constants


def cost_of(method: str, found: Sequence[Tried]) -> Cost | None:
    """Fit the constants to the timed runs of a method; None where there are none.

    The runs of the largest size, or where there is one size alone those with a middle number of landmarks,
    are first held out and predicted from the others: how far off that is says how far the prediction may be.
    """
    timed = [one for one in found if one.method == method and math.isfinite(one.seconds)]
    if not timed:
        return None
    at = [(float(one.size), float(one.m)) for one in timed]
    seconds = np.array([one.seconds for one in timed])
    evaluations = np.array([one.evaluations for one in timed])
    powers = _powers(method, at)
    sizes = np.array([one.size for one in timed])
    if len(set(sizes)) > 1:
        out = sizes == sizes.max()
    else:
        # All runs had all rows: what is read off lies between them, so a middle one is held out.
        counts = np.array([one.m for one in timed])
        out = counts == np.sort(np.unique(counts))[len(np.unique(counts)) // 2]
    off = UNCHECKED
    held_out: tuple[tuple[float, float], ...] = ()
    if (~out).any():
        predicted = powers[out] @ _fitted(powers[~out], seconds[~out], LEAST_SECONDS)
        pairs = list(zip(predicted.tolist(), seconds[out].tolist(), strict=True))
        held_out = tuple(pairs)
        logs = [math.log(max(p, 1e-6) / max(s, 1e-6)) for p, s in pairs]
        off = math.exp(min(3.0, max(math.log(1.3), 1.96 * math.sqrt(float(np.mean(np.square(logs)))))))
    return Cost(
        method,
        _fitted(powers, seconds, LEAST_SECONDS),
        _fitted(powers, evaluations, 1.0),
        off,
        held_out,
    )


def bytes_of(method: str, n: int, d: int, m: int, form: str = "auto") -> Estimate:
    """Largest memory that an approximation holds beside X while it is made.

    From what the method holds (``METHODS[method].holds``): all of K, the n × m columns of K with the factor
    made of them, or where that is above ``memory.HELD_BYTES`` and the method can do without it, landmarks
    alone and blocks of rows; and the rows of its groups or candidates. The low end is what remains of it
    afterwards. ``form`` is that of greedy.
    """
    factor, small = 8.0 * n * m, 8.0 * (2.0 * m * m + m * d + 3.0 * n)
    entry = METHODS[method]
    defaults: dict[str, object] = {option.name: option.default for option in entry.options}
    if memory.is_held(n, m) or entry.holds_factor(defaults) or entry.holds == "matrix":
        most, least = _FACTORS.get(method, _FACTOR) * factor + small, factor
    else:
        least = 8.0 * (m * m + m * d)
        most = small + 8.0 * BLOCK_ENTRIES * 3.0 * cores()
    if method in _MATRICES and not (method == "greedy" and not is_dense(n, form)):
        most += _MATRICES[method] * 8.0 * n * n
    elif entry.reads:
        # The pass over K, a block of rows in each thread, comes before the factor or after the columns.
        rows = min(n, whole_rows_per_block(n) * cores())
        most = max(most, small + _BLOCKS.get(method, 1.0) * 8.0 * n * rows)
    most += 8.0 * n * entry.rows_beside(n, {})[1] * _ROWS.get(method, 1.0)
    return Estimate(most, min(least, most), most * _BYTES_SPREAD)


def largest(limit: float, most: int, cost: Callable[[int], float]) -> int:
    """Largest m from 1 to ``most`` whose cost, a growing function of m, is within the limit; 0 for none."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= limit else (low, middle - 1)
    return low
