"""Zhang 2008, figure 2: approximation error against quantization error of each run, and their correlation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nysviz import landmarks
from nysviz.blocks import FloatArray
from nysviz.datasets import load
from nysviz.papers.experiments import problem_of
from nysviz.papers.row import Row, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record, sweep_jobs

# Bootstrap samples behind an interval of 95 %, and the fewest runs that have one.
RESAMPLES = 2_000
FEWEST_RUNS = 5
# A spread below this part of the values themselves is rounding: nothing can go together with it.
ROUNDING = 1e-12

Interval = tuple[float, float]
UNKNOWN = (float("nan"), float("nan"))


@dataclass(frozen=True)
class Correlation:
    """Correlations with 95 % intervals; NaN where there are too few runs or one measure does not vary."""

    runs: int
    spearman: float
    spearman_interval: Interval
    pearson: float
    pearson_interval: Interval


def correlation(x: FloatArray, y: FloatArray, groups: NDArray[np.intp] | None = None) -> Correlation:
    """Correlate two measures of the same runs; the intervals are percentiles of bootstrap samples.

    ``groups`` has a method's number for each run; samples are drawn within each group.
    """
    x, y = _settled(x), _settled(y)
    if len(x) < 2:
        return Correlation(len(x), UNKNOWN[0], UNKNOWN, UNKNOWN[0], UNKNOWN)
    from scipy.stats import rankdata

    spearman, pearson = float(_pearson(rankdata(x), rankdata(y))), float(_pearson(x, y))
    if len(x) < FEWEST_RUNS:
        return Correlation(len(x), spearman, UNKNOWN, pearson, UNKNOWN)
    groups = np.zeros(len(x), dtype=np.intp) if groups is None else groups
    rng, drawn = np.random.default_rng(0), np.empty((RESAMPLES, len(groups)), dtype=np.intp)
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        drawn[:, members] = members[rng.integers(len(members), size=(RESAMPLES, len(members)))]
    of_ranks = _interval(_pearson(_ranks(x, drawn), _ranks(y, drawn)))
    return Correlation(len(x), spearman, of_ranks, pearson, _interval(_pearson(x[drawn], y[drawn])))


def within(x: FloatArray, y: FloatArray, groups: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Deviations of both measures from the mean of their group: what a relation is without the groups."""
    counts = np.maximum(np.bincount(groups), 1)
    means = [np.bincount(groups, weights=values) / counts for values in (x, y)]
    return x - means[0][groups], y - means[1][groups]


def _settled(values: FloatArray) -> FloatArray:
    """Values that differ by rounding only, as equal ones."""
    array = np.asarray(values, dtype=np.float64)
    if array.size and np.ptp(array) <= ROUNDING * np.abs(array).max():
        return np.full(array.shape, array[0])
    return array


def _pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson correlation along the last axis, NaN where one of the two does not vary."""
    # Divided by the largest value first, so that squares neither overflow nor vanish.
    centred = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
    tiny = np.finfo(float).tiny
    left, right = (of / np.maximum(np.abs(of).max(axis=-1, keepdims=True), tiny) for of in centred)
    sizes = np.sqrt((left**2).sum(axis=-1) * (right**2).sum(axis=-1))
    result = np.full(sizes.shape, np.nan)
    np.divide((left * right).sum(axis=-1), sizes, out=result, where=sizes > 0)
    return np.clip(result, -1.0, 1.0)


def _ranks(values: FloatArray, drawn: NDArray[np.intp]) -> FloatArray:
    """Ranks within each bootstrap sample, (samples, r): counted, since sorting each takes longer."""
    level = np.unique(values, return_inverse=True)[1][drawn]
    samples, levels = len(drawn), int(level.max()) + 1
    places = level + levels * np.arange(samples)[:, None]
    counts = np.bincount(places.ravel(), minlength=samples * levels).reshape(samples, levels)
    # Half of those that share a rank stand below its middle.
    middle: FloatArray = np.cumsum(counts, axis=1) - counts / 2 + 0.5
    return np.take_along_axis(middle, level, axis=1)


def _interval(values: FloatArray) -> Interval:
    known = values[~np.isnan(values)]
    # Where most samples have no correlation at all, an interval from the others would mean nothing.
    if len(known) < len(values) / 2:
        return UNKNOWN
    low, high = np.percentile(known, (2.5, 97.5))
    return float(low), float(high)


METHODS = ("kmeans", "uniform", "column_norm")
SHOWN = ("quantization", "frobenius", "relative_frobenius")
EXACT = 1e-10  # an error below this part of ‖K‖_F is rounding
# Without landmarks there is no quantization error; a mixture has m landmarks for each of its parts, so that
# its error at "m" landmarks stands beside no other's.
OFFERED = tuple(
    name
    for name, entry in landmarks.METHODS.items()
    if entry.data_dependent and entry.family != "floor" and name != "ensemble"
)


def jobs(problem: Problem, methods: Sequence[str], m: int, repeats: int, seed: int = 0) -> list[Job]:
    """Return the runs of the figure for methods of ``OFFERED``, all once before any is repeated."""
    if unknown := [name for name in methods if name not in OFFERED]:
        raise Refusal(f"{unknown[0]} has no quantization error to compare; take one of {', '.join(OFFERED)}.")
    return sweep_jobs(problem, dict.fromkeys(methods, ()), [m], repeats, seed, ("frobenius", "quantization"))


@dataclass(frozen=True)
class Cloud:
    """Runs as points: e = Σ min ‖x − z‖², ‖K − K̃‖_F, that over ‖K‖_F, and each run's method as its number."""

    methods: tuple[str, ...]
    groups: NDArray[np.intp]
    seeds: NDArray[np.intp]
    quantization: FloatArray
    frobenius: FloatArray
    relative: FloatArray

    def __len__(self) -> int:
        return len(self.groups)

    def settled(self, scatter: float) -> Cloud:
        """Return the runs with 0 for rounding beside ‖K‖ or the ``scatter``, n times ``default_width(X)``."""
        return replace(
            self,
            quantization=np.where(self.quantization > ROUNDING * scatter, self.quantization, 0.0),
            relative=np.where(self.relative > EXACT, self.relative, 0.0),
        )

    def of(self, method: str) -> NDArray[np.intp]:
        """Rows of a method's runs."""
        return np.flatnonzero(self.groups == self.methods.index(method))

    def overall(self) -> Correlation:
        """Correlation over all runs."""
        return correlation(self.quantization, self.relative, self.groups)

    def of_method(self, method: str) -> Correlation:
        """Correlation over the runs of one method."""
        rows = self.of(method)
        return correlation(self.quantization[rows], self.relative[rows])

    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """Both errors of each run less the mean of its method, (r,) each."""
        return within(self.quantization, self.relative, self.groups)

    def pooled(self) -> Correlation:
        """Correlation of the deviations from each method's mean: the relation with the methods taken out."""
        varied = np.bincount(self.groups, minlength=len(self.methods))[self.groups] > 1
        x, y = self.deviations()
        return correlation(x[varied], y[varied], self.groups[varied])


def cloud(records: Iterable[Record], methods: Sequence[str]) -> Cloud:
    """Collect records, in any order, as points in one order: by method, then by repeat."""
    kept = [r for r in records if r.method in methods and "quantization" in r.values]
    kept.sort(key=lambda r: (methods.index(r.method), r.repeat))
    quantization, frobenius, relative = (
        np.array([r.values[measure] for r in kept], dtype=np.float64) for measure in SHOWN
    )
    groups = np.array([methods.index(r.method) for r in kept], dtype=np.intp)
    seeds = np.array([r.seed for r in kept], dtype=np.intp)
    return Cloud(tuple(methods), groups, seeds, quantization, frobenius, relative)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield both errors of every run; m is 100, or a tenth of the rows of a set with fewer than 1 000."""
    problem = problem_of(load(name))
    m = min(100, max(1, problem.n // 10))
    yield from rows_of("zhang-fig2", jobs(problem, METHODS, m, repeats, seed), *SHOWN)
