"""Zhang 2008, figure 2: approximation error against quantization error of each run, and their correlation."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nysviz import landmarks
from nysviz.datasets import load
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.data import default_problem
from nysviz.papers.records import Row, rows_of
from nysviz.sweep import Job, Problem, Record, sweep_jobs

# The fewest runs that have an interval, and its half-width in standard deviations: 95 %.
FEWEST_RUNS, REACH = 5, 1.959964
# A relative spread below this is rounding: the values count as equal.
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


def correlation(x: FloatArray, y: FloatArray, degrees_lost: int = 0) -> Correlation:
    """Correlate two measures of the same runs, with Fisher's intervals (Bonett and Wright 2000 for ranks).

    ``degrees_lost`` are degrees of freedom that both measures have lost, such as all but one of the means
    taken off.
    """
    x, y = _level_rounding(x), _level_rounding(y)
    if len(x) < 2:
        return Correlation(len(x), UNKNOWN[0], UNKNOWN, UNKNOWN[0], UNKNOWN)
    from scipy.stats import rankdata

    spearman, pearson = _pearson(*rankdata([x, y], axis=1)), _pearson(x, y)
    freedom = len(x) - degrees_lost
    of_ranks = _interval(spearman, 1.0 + spearman**2 / 2.0, freedom)
    return Correlation(len(x), spearman, of_ranks, pearson, _interval(pearson, 1.0, freedom))


def within(x: FloatArray, y: FloatArray, groups: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """Return the deviations of both measures from the means of their groups."""
    counts = np.maximum(np.bincount(groups), 1)
    means = [np.bincount(groups, weights=values) / counts for values in (x, y)]
    return x - means[0][groups], y - means[1][groups]


def _level_rounding(values: FloatArray) -> FloatArray:
    """Return the values, made equal if they differ by rounding only."""
    array = np.asarray(values, dtype=np.float64)
    if array.size and np.ptp(array) <= ROUNDING * np.abs(array).max():
        return np.full(array.shape, array[0])
    return array


def _pearson(x: FloatArray, y: FloatArray) -> float:
    """Return the Pearson correlation, NaN where one of the two does not vary."""
    # Divided by the largest value first, so that squares neither overflow nor vanish.
    left, right = (
        deviations / max(np.abs(deviations).max(), np.finfo(float).tiny)
        for deviations in (x - x.mean(), y - y.mean())
    )
    size = math.sqrt(left @ left * (right @ right))
    return min(1.0, max(-1.0, float(left @ right) / size)) if size else math.nan


def _interval(r: float, variance: float, runs: int) -> Interval:
    """Return the interval of a correlation whose arctanh has the variance ``variance`` / (runs − 3)."""
    if runs < FEWEST_RUNS:
        return UNKNOWN
    if abs(r) == 1.0:
        return r, r
    reach = REACH * math.sqrt(variance / (runs - 3))
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


METHODS = ("kmeans", "uniform", "column_norm")
SHOWN = ("quantization", "frobenius", "relative_frobenius")
EXACT = 1e-10  # an error below this part of ‖K‖_F is rounding
# Without landmarks there is no quantization error; a mixture has m landmarks in each of its parts, so its
# error at "m" landmarks is not comparable.
OFFERED = tuple(
    name
    for name, entry in landmarks.METHODS.items()
    if entry.data_dependent and entry.family != "floor" and name != "ensemble"
)


def jobs(problem: Problem, methods: Sequence[str], m: int, repeats: int, seed: int = 0) -> list[Job]:
    """Return the runs of the figure for methods of ``OFFERED``, all once before any is repeated."""
    return sweep_jobs(problem, dict.fromkeys(methods, ()), [m], repeats, seed, ("frobenius", "quantization"))


@dataclass(frozen=True)
class Cloud:
    """Runs as points: e = Σ min ‖x − z‖², ‖K − K̃‖_F, also over ‖K‖_F, and the number of the run's method."""

    methods: tuple[str, ...]
    groups: NDArray[np.intp]
    seeds: NDArray[np.intp]
    quantization: FloatArray
    frobenius: FloatArray
    relative: FloatArray

    def __len__(self) -> int:
        return len(self.groups)

    def settled(self, scatter: float) -> "Cloud":
        """Return the runs with 0 for rounding beside ‖K‖ or the ``scatter``, n times ``default_width(X)``."""
        return replace(
            self,
            quantization=np.where(self.quantization > ROUNDING * scatter, self.quantization, 0.0),
            relative=np.where(self.relative > EXACT, self.relative, 0.0),
        )

    def runs_of(self, method: str) -> NDArray[np.intp]:
        """Return the positions of a method's runs."""
        return np.flatnonzero(self.groups == self.methods.index(method))

    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """Return both errors of each run minus the mean of its method, (r,) each."""
        return within(self.quantization, self.relative, self.groups)


def correlations(points: Cloud) -> dict[str, Correlation]:
    """Correlate both errors over all runs, with the methods taken out, and for each method alone."""
    groups, e, error = points.groups, points.quantization, points.relative
    # Correlations of deviations from each method's mean; a single run has no deviation.
    varied = np.bincount(groups, minlength=len(points.methods))[groups] > 1
    x, y = points.deviations()
    result = {
        "all_runs": correlation(e, error),
        "methods_taken_out": correlation(
            x[varied], y[varied], degrees_lost=len(np.unique(groups[varied])) - 1
        ),
    }
    rows = {method: points.runs_of(method) for method in points.methods}
    return result | {method: correlation(e[r], error[r]) for method, r in rows.items() if len(r)}


def cloud(records: Iterable[Record], methods: Sequence[str]) -> Cloud:
    """Collect records as points, sorted by method, then by repeat."""
    complete_records = [r for r in records if r.method in methods and "quantization" in r.values]
    complete_records.sort(key=lambda r: (methods.index(r.method), r.repeat))
    quantization, frobenius, relative = (
        np.array([r.values[measure] for r in complete_records], dtype=np.float64) for measure in SHOWN
    )
    groups = np.array([methods.index(r.method) for r in complete_records], dtype=np.intp)
    seeds = np.array([r.seed for r in complete_records], dtype=np.intp)
    return Cloud(tuple(methods), groups, seeds, quantization, frobenius, relative)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield both errors of every run; m is 100, or a tenth of the rows of a set with fewer than 1 000."""
    problem = default_problem(load(name))
    m = min(100, max(1, problem.n // 10))
    yield from rows_of("zhang-fig2", jobs(problem, METHODS, m, repeats, seed), *SHOWN)
