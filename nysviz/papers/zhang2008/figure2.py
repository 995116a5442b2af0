"""Zhang 2008, figure 2: approximation error against quantization error of each run, and their correlation."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nysviz import landmarks
from nysviz.datasets import load
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.experiments import problem_of
from nysviz.papers.records import Row, rows_of
from nysviz.sweep import Job, Problem, Record, sweep_jobs

# The fewest runs that have an interval, and the standard deviations that it reaches to either side: 95 %.
FEWEST_RUNS, REACH = 5, 1.959964
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


def correlation(x: FloatArray, y: FloatArray, taken: int = 0) -> Correlation:
    """Correlate two measures of the same runs, with Fisher's intervals (Bonett and Wright 2000 for ranks).

    ``taken`` are degrees of freedom that both measures have lost, such as all but one of the means taken off.
    """
    x, y = _settled(x), _settled(y)
    if len(x) < 2:
        return Correlation(len(x), UNKNOWN[0], UNKNOWN, UNKNOWN[0], UNKNOWN)
    from scipy.stats import rankdata

    spearman, pearson = _pearson(*rankdata([x, y], axis=1)), _pearson(x, y)
    freedom = len(x) - taken
    of_ranks = _interval(spearman, 1.0 + spearman**2 / 2.0, freedom)
    return Correlation(len(x), spearman, of_ranks, pearson, _interval(pearson, 1.0, freedom))


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


def _pearson(x: FloatArray, y: FloatArray) -> float:
    """Pearson correlation, NaN where one of the two does not vary."""
    # Divided by the largest value first, so that squares neither overflow nor vanish.
    left, right = (of / max(np.abs(of).max(), np.finfo(float).tiny) for of in (x - x.mean(), y - y.mean()))
    size = math.sqrt(left @ left * (right @ right))
    return min(1.0, max(-1.0, float(left @ right) / size)) if size else math.nan


def _interval(r: float, variance: float, runs: int) -> Interval:
    """Ends of the interval of a correlation whose arctanh has ``variance`` / (runs − 3)."""
    if runs < FEWEST_RUNS:
        return UNKNOWN
    if abs(r) == 1.0:
        return r, r
    reach = REACH * math.sqrt(variance / (runs - 3))
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


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

    def settled(self, scatter: float) -> "Cloud":
        """Return the runs with 0 for rounding beside ‖K‖ or the ``scatter``, n times ``default_width(X)``."""
        return replace(
            self,
            quantization=np.where(self.quantization > ROUNDING * scatter, self.quantization, 0.0),
            relative=np.where(self.relative > EXACT, self.relative, 0.0),
        )

    def of(self, method: str) -> NDArray[np.intp]:
        """Rows of a method's runs."""
        return np.flatnonzero(self.groups == self.methods.index(method))

    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """Both errors of each run less the mean of its method, (r,) each."""
        return within(self.quantization, self.relative, self.groups)


def correlations(points: Cloud) -> dict[str, Correlation]:
    """Correlate both errors over all runs, with the methods taken out, and for each method alone."""
    groups, e, error = points.groups, points.quantization, points.relative
    # Deviations from each method's mean: the relation with the methods taken out.
    varied = np.bincount(groups, minlength=len(points.methods))[groups] > 1
    x, y = points.deviations()
    found = {
        "all_runs": correlation(e, error),
        "methods_taken_out": correlation(x[varied], y[varied], taken=len(np.unique(groups[varied])) - 1),
    }
    rows = {method: points.of(method) for method in points.methods}
    return found | {method: correlation(e[r], error[r]) for method, r in rows.items() if len(r)}


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
