"""Values of runs by method, tests whether two methods differ, and mean ranks over data sets.

The independent unit is the data set. Runs of one data set at another m or bandwidth are no new evidence of
the same kind: they are averaged before anything is tested.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.sweep.problem import Record

Values = Mapping[int, Mapping[str, FloatArray]]
# Pairs up to which SciPy counts all signs, and where differences are tied or 0.
MOST_EXACT, MOST_EXACT_TIED = 50, 13


def by_method(records: Iterable[Record], measure: str) -> Values:
    """Return the values of a measure: m → method → runs, in the order of the repeats."""
    values: dict[int, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if measure in record.values:
            values[record.m][record.method][record.repeat] = record.values[measure]
    return {
        m: {method: np.array([runs[r] for r in sorted(runs)]) for method, runs in methods.items()}
        for m, methods in sorted(values.items())
    }


def paired_p(a: FloatArray, b: FloatArray) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test over paired runs; a single run pairs with each.

    Equal to that of ``scipy.stats.wilcoxon``: exact with up to 50 pairs, of which at most 13 where two
    differences have one size or one is 0; else by the normal approximation. O(r³) where it is exact: 0.06 ms
    for 20 pairs and 0.02 ms for ten tied ones, where SciPy takes 1.2 and 134 ms; the claims need thousands.
    """
    count = max(len(a), len(b))
    if count < 2:
        return math.nan
    pairs = min(len(x) for x in (a, b) if len(x) > 1)
    a, b = (np.full(pairs, x[0]) if len(x) == 1 else x[:pairs] for x in (a, b))
    if np.array_equal(a, b):
        return 1.0
    gaps = a - b
    nonzero_gaps = gaps[gaps != 0]
    sizes, ordered = np.abs(nonzero_gaps), np.sort(np.abs(nonzero_gaps))
    first, after = ordered.searchsorted(sizes), ordered.searchsorted(sizes, "right")
    distinct = len(nonzero_gaps) == len(gaps) and (after - first).max() == 1
    if np.isfinite(gaps).all() and len(gaps) <= (MOST_EXACT if distinct else MOST_EXACT_TIED):
        # Over all 2^r signs, counted by their sum of ranks (Wilcoxon 1945): SciPy tries each. Tied ranks are
        # whole or half: doubled, they index the counts.
        doubled = first + after + 1
        return _tail_p(tuple(sorted(doubled.tolist())), int(doubled[nonzero_gaps > 0].sum()))
    # Imported late: SciPy's statistics take half a second to import.
    from scipy.stats import wilcoxon

    return float(wilcoxon(a, b).pvalue)


@lru_cache(4_096)
def _tail_p(ranks: tuple[int, ...], reached: int) -> float:
    """Return the two-sided p of a sum of ranks; cached, since a paper's claims repeat the same few sums."""
    # Counts of sums stay below 2^50, which float64 holds exactly.
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    tail = min(float(ways[: reached + 1].sum()), float(ways[reached:].sum()))
    return min(1.0, 2 * tail / 2.0 ** len(ranks))


LEVEL = 0.05


def significant(ps: Sequence[float]) -> list[bool]:
    """Return which of several tests are significant at 5 % with Holm's correction; NaN never is."""
    order = sorted((p, i) for i, p in enumerate(ps) if not math.isnan(p))
    result = [False] * len(ps)
    for rank, (p, i) in enumerate(order):
        if p > LEVEL / (len(order) - rank):
            break
        result[i] = True
    return result


# Values whose relative difference is below this differ by rounding and share their rank.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Friedman:
    """Ranks of k methods on N data sets, and Friedman's test of them (Demšar 2006, section 3.2.2).

    ``ranks`` are (N, k): 1 is the best of a data set, and equal values share the mean of their ranks.
    ``chi2`` is corrected for ties, with ``p`` by the χ² law with k − 1 degrees of freedom; ``f`` and ``p_f``
    are Iman and Davenport's less cautious form, by the F law with k − 1 and (k − 1)(N − 1), infinite where
    all data sets agree. ``difference`` is Nemenyi's critical difference of two mean ranks, infinite with a
    single data set.
    """

    methods: tuple[str, ...]
    ranks: FloatArray
    chi2: float
    p: float
    f: float
    p_f: float
    difference: float

    @property
    def sets(self) -> int:
        """N, the number of data sets."""
        return len(self.ranks)

    @property
    def means(self) -> dict[str, float]:
        """Mean rank of each method, the best first."""
        means = self.ranks.mean(axis=0)
        order = np.argsort(means, kind="stable")
        return {self.methods[i]: float(means[i]) for i in order}

    @property
    def agreement(self) -> float:
        """Kendall's W: 0 where the data sets' orders have nothing in common, 1 where they are identical."""
        return self.chi2 / (self.sets * (len(self.methods) - 1))

    def differ(self, first: str, second: str) -> bool:
        """Whether two mean ranks are a critical difference or more apart."""
        return abs(self.means[first] - self.means[second]) >= self.difference


def ranked(values: FloatArray) -> FloatArray:
    """Return ranks within each row, 1 for the smallest; equal up to rounding or infinite values share one."""
    from scipy.stats import rankdata

    values = np.asarray(values, dtype=float)
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    before, after = ordered[:, :-1], ordered[:, 1:]
    with np.errstate(invalid="ignore"):
        apart = after - before > ROUNDING * np.abs(after)
    apart |= np.isinf(after) & np.isfinite(before)
    place = np.zeros(values.shape, dtype=np.intp)
    np.cumsum(apart, axis=1, out=place[:, 1:])
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, rankdata(place, axis=1), axis=1)
    return ranks


def friedman(values: FloatArray, methods: Sequence[str]) -> Friedman:
    """Test whether methods differ in rank, and how far apart two mean ranks have to be.

    ``values`` have a row for each data set and a column for each method; smaller is better.
    χ²_F = 12/(N k (k+1)) Σ R_j² − 3 N (k+1) of rank sums R_j over the correction for ties (Friedman 1937),
    for two methods too, which ``scipy.stats.friedmanchisquare`` refuses; F = (N−1) χ²/(N (k−1) − χ²) (Iman &
    Davenport 1980). ValueError for NaN, fewer than two methods, or no row. ``scikit-posthocs`` has Nemenyi's
    test as well, and needs statsmodels, seaborn and Matplotlib for what is one line here.
    """
    from scipy import stats

    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(methods) or len(methods) < 2 or not len(values):
        raise Refusal(
            f"Values of shape {values.shape} for {len(methods)} methods; ranks need a row for each data set "
            "and a column for each of two or more methods."
        )
    if np.isnan(values).any():
        raise Refusal("Some values are missing; rank only the data sets on which every method has run.")
    ranks = ranked(values)
    sets, k = ranks.shape
    sums = ranks.sum(axis=0)
    # 1 − Σ (t³ − t)/(N k (k² − 1)) over groups of t equal ranks: 1 without ties, 0 where all are equal.
    ties = np.concatenate([np.unique(row, return_counts=True)[1] for row in ranks]).astype(float)
    tied = 1.0 - float((ties**3 - ties).sum()) / (sets * k * (k * k - 1))
    chi2 = (12.0 / (sets * k * (k + 1)) * float(sums @ sums) - 3.0 * sets * (k + 1)) / tied if tied else 0.0
    chi2 = max(chi2, 0.0)
    remainder = sets * (k - 1) - chi2
    p = f = p_f = math.nan
    if sets > 1:
        p = float(stats.chi2.sf(chi2, k - 1))
        f = (sets - 1) * chi2 / remainder if remainder > ROUNDING * sets * k else math.inf
        p_f = float(stats.f.sf(f, k - 1, (k - 1) * (sets - 1)))
    return Friedman(tuple(methods), ranks, chi2, p, f, p_f, critical_difference(sets, k))


def critical_difference(sets: int, k: int) -> float:
    """Return Nemenyi's difference q √(k (k+1)/(6 N)) of mean ranks, q from the studentized range over √2."""
    if sets < 2:
        return math.inf
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1.0 - LEVEL, k, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(k * (k + 1) / (6.0 * sets))
