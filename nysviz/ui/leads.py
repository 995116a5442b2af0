"""Whether a difference between two methods is more than chance, for titles that claim one."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.stats import ttest_1samp

from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS

NO_DIFFERENCE = "No clear difference between the best methods"
# Differences that vary by less are the same up to rounding.
ROUNDING = 1e-12


def difference_p(gaps: FloatArray) -> float:
    """Two-sided p of Student's test that paired differences have mean 0; NaN for fewer than two of them."""
    if len(gaps) < 2:
        return math.nan
    if np.ptp(gaps) <= ROUNDING:
        return 0.0 if abs(gaps[0]) > ROUNDING else 1.0
    return float(ttest_1samp(gaps, 0.0).pvalue)


def difference(methods: Mapping[str, FloatArray], first: str, second: str) -> float:
    """Two-sided p of the paired differences of two methods; a run without randomness is paired with each.

    Two numbers without randomness differ where they are not equal.
    """
    repeats = [len(methods[name]) for name in (first, second) if METHODS[name].random]
    count = min(repeats, default=1)
    gaps = methods[first][:count] - methods[second][:count]
    return difference_p(gaps) if repeats else float(gaps[0] == 0)
