"""Who comes out ahead at each number of landmarks, and whether by more than chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.sweep.record import Record

Values = Mapping[int, Mapping[str, FloatArray]]


@dataclass(frozen=True)
class Standing:
    """The methods at one m.

    Attributes
    ----------
    m : int
    means : dict
        Method → mean of the measure.
    first, second : str
        The methods with the smallest and the next smallest mean.
    p : float
        Of a two-sided Wilcoxon signed-rank test of the two over paired runs; NaN where neither is random.
    """

    m: int
    means: dict[str, float]
    first: str
    second: str
    p: float


def by_method(records: Iterable[Record], measure: str) -> Values:
    """Values of a measure: m → method → runs, in the order of the repeats."""
    found: dict[int, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if measure in record.values:
            found[record.m][record.method][record.repeat] = record.values[measure]
    return {
        m: {method: np.array([runs[r] for r in sorted(runs)]) for method, runs in methods.items()}
        for m, methods in sorted(found.items())
    }


def standings(values: Values, leave_out: Sequence[str] = ("svd",)) -> list[Standing]:
    """Rank the methods at every m where at least two have runs and one is ahead.

    Parameters
    ----------
    values : mapping
        As ``by_method`` returns them; run r of one method is paired with run r of another.
    leave_out : sequence of str
        Methods that do not compete.
    """
    found = []
    for m, methods in values.items():
        means = {name: float(runs.mean()) for name, runs in methods.items() if name not in leave_out}
        if len(means) < 2:
            continue
        first, second = sorted(means, key=means.__getitem__)[:2]
        if means[first] == means[second]:
            continue
        found.append(Standing(m, means, first, second, paired_p(methods[first], methods[second])))
    return found


def paired_p(a: FloatArray, b: FloatArray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test over paired runs; a single run is paired with each."""
    from scipy.stats import wilcoxon

    count = max(len(a), len(b))
    if count < 2:
        return math.nan
    least = min(len(x) for x in (a, b) if len(x) > 1)
    a, b = (np.full(least, x[0]) if len(x) == 1 else x[:least] for x in (a, b))
    if np.array_equal(a, b):
        return 1.0
    return float(wilcoxon(a, b).pvalue)


def significant(ps: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which of several tests are significant together, by Holm's correction; NaN never is."""
    order = sorted((p, i) for i, p in enumerate(ps) if not math.isnan(p))
    result = [False] * len(ps)
    for rank, (p, i) in enumerate(order):
        if p > level / (len(order) - rank):
            break
        result[i] = True
    return result
