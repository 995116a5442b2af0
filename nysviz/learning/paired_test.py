"""Do two methods differ? The paired t-test over trials that share their split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from nysviz.blocks import FloatArray

LEVEL = 0.95


def half_width(values: FloatArray) -> float:
    """Half of the t-interval of the values' mean; NaN below 2 values."""
    if len(values) < 2:
        return math.nan
    return float(student.ppf(0.5 + LEVEL / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))


@dataclass(frozen=True)
class Paired:
    """Mean difference of the pairs, its interval, t and the two-sided p-value; NaN below 2 pairs."""

    difference: float
    half_width: float
    t: float
    p: float
    pairs: int

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at the level; never where it cannot be tested."""
        return bool(self.p < 1.0 - LEVEL)


def paired_test(a: Sequence[float], b: Sequence[float]) -> Paired:
    """Test whether the mean of a − b is 0.

    Parameters
    ----------
    a, b : sequences of equal length
        Scores of the same trials. Differences that are all equal but not 0 give p = 0, all 0 give p = 1.
    """
    gaps = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    n = len(gaps)
    mean = float(gaps.mean()) if n else math.nan
    if n < 2:
        return Paired(mean, math.nan, math.nan, math.nan, n)
    error = float(gaps.std(ddof=1)) / math.sqrt(n)
    t = mean / error if error else math.copysign(math.inf, mean) if mean else 0.0
    return Paired(mean, half_width(gaps), t, float(2.0 * student.sf(abs(t), n - 1)), n)
