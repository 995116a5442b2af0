"""Do two methods differ? The paired t-test over trials that share their split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

LEVEL = 0.95


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
    if len(gaps) < 2:
        mean = float(gaps.mean()) if len(gaps) else float("nan")
        return Paired(mean, float("nan"), float("nan"), float("nan"), len(gaps))
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    half = float(student.ppf(0.5 + LEVEL / 2, len(gaps) - 1)) * error
    if error == 0.0:
        return Paired(
            mean, 0.0, float(np.copysign(np.inf, mean)) if mean else 0.0, float(mean == 0), len(gaps)
        )
    p = float(2.0 * student.sf(abs(mean) / error, len(gaps) - 1))
    return Paired(mean, half, mean / error, p, len(gaps))
