"""Values of runs by method, and whether two methods differ by more than chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.sweep.problem import Record

Values = Mapping[int, Mapping[str, FloatArray]]
# Pairs up to which SciPy counts all signs, and where differences are tied or 0.
MOST_EXACT, MOST_EXACT_TIED = 50, 13


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


def paired_p(a: FloatArray, b: FloatArray) -> float:
    """Two-sided p of Wilcoxon's signed-rank test over paired runs; a single run is paired with each.

    Equal to that of ``scipy.stats.wilcoxon``: exact with up to 50 pairs, of which at most 13 where two
    differences have one size or one is 0; else by the normal approximation. O(r³) where it is exact.
    """
    count = max(len(a), len(b))
    if count < 2:
        return math.nan
    least = min(len(x) for x in (a, b) if len(x) > 1)
    a, b = (np.full(least, x[0]) if len(x) == 1 else x[:least] for x in (a, b))
    if np.array_equal(a, b):
        return 1.0
    gaps = a - b
    sizes = np.abs(gaps[gaps != 0])
    distinct = len(np.unique(sizes)) == len(gaps)
    if np.isfinite(gaps).all() and len(gaps) <= (MOST_EXACT if distinct else MOST_EXACT_TIED):
        return _exact_p(gaps[gaps != 0])
    from scipy.stats import wilcoxon

    return float(wilcoxon(a, b).pvalue)


def _exact_p(gaps: FloatArray) -> float:
    """Two-sided p over all 2^r signs of the differences, none of them 0.

    SciPy draws every choice of signs in Python where differences are tied, a hundred times slower; here the
    choices are counted by their sum of ranks (Wilcoxon 1945).
    """
    _, place, counts = np.unique(np.abs(gaps), return_inverse=True, return_counts=True)
    # Tied ranks are whole or half: doubled, they index the counts.
    doubled = 2 * np.cumsum(counts) - counts + 1
    reached = int(doubled[place[gaps > 0]].sum())
    return _tail_p(tuple(np.repeat(doubled, counts).tolist()), reached)


@lru_cache(4_096)
def _tail_p(ranks: tuple[int, ...], reached: int) -> float:
    """Two-sided p of a sum of ranks; of as many pairs there are few sums, and a paper's claims ask again."""
    # Counts of sums stay below 2^50, which float64 holds exactly.
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    tail = min(float(ways[: reached + 1].sum()), float(ways[reached:].sum()))
    return min(1.0, 2 * tail / 2.0 ** len(ranks))


def significant(ps: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which of several tests are significant together, by Holm's correction; NaN never is."""
    order = sorted((p, i) for i, p in enumerate(ps) if not math.isnan(p))
    result = [False] * len(ps)
    for rank, (p, i) in enumerate(order):
        if p > level / (len(order) - rank):
            break
        result[i] = True
    return result
