"""What the page "Bounds" computes: one approximation with its bound, and runs for the curve."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.bounds import ErrorBound, Step, change_ratio, encode, entry_errors, error_bound, ladder
from nysviz.bounds.property_eight import entries
from nysviz.bounds.zhang import needs_ball, radius_of
from nysviz.experiments.zhang2008.bound import PERCENTS, bound_jobs, counts
from nysviz.kernels import Kernel
from nysviz.lowrank import LowRank
from nysviz.measures import SAMPLED_ROWS, frobenius, sampled_errors, sampled_rows
from nysviz.sweep import Job, Problem, Record
from nysviz.ui import computing
from nysviz.ui.controls import Choice
from nysviz.ui.scene import Scene
from nysviz.ui.store import store

REPEATS = 5
# Pairs of points drawn against property (8); each is one marker of the browser.
PAIRS = 300
# An error below this part of ‖K‖ is rounding.
ROUNDING = 1e-10
CURVE_MEASURES = ("frobenius", "bound", "encoding_term", "inverse_term")
# Rows of |K − K̃| that are searched at once for its largest entry.
SEARCHED_ROWS = 512


@dataclass(frozen=True)
class Report:
    """One approximation, its error and what proposition 3 says of it.

    ``error`` is exact, or estimated from sampled rows with its 95 % ``interval``; ``whole`` is ‖K‖_F;
    ``worst`` the off-diagonal entry with the largest error among those looked at; ``where`` and ``ratios``
    are property (8) for pairs of points against their landmarks; ``radius`` that of the ball that holds all.
    """

    approximation: LowRank
    bound: ErrorBound
    steps: tuple[Step, ...]
    error: float
    interval: tuple[float, float] | None
    whole: float
    worst: tuple[int, int]
    where: FloatArray
    ratios: FloatArray
    radius: float

    @property
    def is_rounding(self) -> bool:
        """Whether the error is that of float64 alone: K̃ is exact."""
        return self.error <= ROUNDING * self.whole

    @property
    def orders(self) -> FloatArray:
        """log₁₀ of what each step of the proof gives away, from the error up; empty without an error."""
        values = np.array([step.value for step in self.steps])
        if self.is_rounding or not (values > 0).all():
            return np.empty(0)
        # Rounding may put two equal steps in the wrong order.
        return np.maximum(np.log10(values[:-1] / values[1:]), 0.0)[::-1]


def report_later(scene: Scene, choice: Choice, stop: threading.Event) -> Future[Report]:
    """Approximate, bound and measure in another thread."""
    key = ("bounds report", *scene.key, choice.method, choice.m, scene.seed, choice.options)
    return store().later(key, lambda: _report(scene, choice, stop), urgent=True)


def _report(scene: Scene, choice: Choice, stop: threading.Event) -> Report:
    X, kernel, n = scene.data.X, scene.kernel, scene.data.n
    a = computing.approximation(scene, choice.method, choice.m, choice.options, stop)
    bound = error_bound(X, kernel, a)
    K = computing.kernel_matrix(scene)
    if K is not None:
        rows = np.arange(n)
        steps = ladder(X, kernel, a, K=K)
        error, interval = steps[-1].value, None
        whole = store().get(("size of K", *scene.key), lambda: frobenius(K))
    else:
        sampled = sampled_errors(X, kernel, a)
        # The rows that the estimate of the error rests on.
        rows = sampled_rows(n, SAMPLED_ROWS)
        steps = ladder(X, kernel, a, rows=rows)
        error = sampled.frobenius
        whole = error / sampled.relative_frobenius if sampled.relative_frobenius > 0 else 0.0
        interval = (sampled.interval[0] * whole, sampled.interval[1] * whole)
    where, ratios = _ratios(X, kernel, a)
    worst = _worst_entry(X, kernel, a, K, rows)
    assert a.landmarks is not None
    return Report(a, bound, steps, error, interval, whole, worst, where, ratios, radius_of(X, a.landmarks))


def _ratios(X: FloatArray, kernel: Kernel, a: LowRank) -> tuple[FloatArray, FloatArray]:
    """Property (8) between random pairs of points and the pairs of their landmarks."""
    assert a.landmarks is not None
    found = encode(X, a.landmarks)
    i, j = np.random.default_rng(0).integers(len(X), size=(2, PAIRS))
    first, second = X[i], X[j]
    third, fourth = found.landmarks[found.labels[i]], found.landmarks[found.labels[j]]
    return pair_places(kernel, first, second), change_ratio(kernel, first, second, third, fourth)


def pair_places(kernel: Kernel, first: FloatArray, second: FloatArray) -> FloatArray:
    """Where pairs of points stand in the chart of property (8): their distance, or their inner product."""
    if needs_ball(kernel):
        return np.abs(np.einsum("ij,ij->i", first, second))
    gaps = first - second
    return np.sqrt(np.einsum("ij,ij->i", gaps, gaps))


def _worst_entry(
    X: FloatArray, kernel: Kernel, a: LowRank, K: FloatArray | None, rows: np.ndarray
) -> tuple[int, int]:
    """The off-diagonal entry of the given rows that is reproduced worst."""
    if len(X) == 1:
        return 0, 0
    largest, worst = -1.0, (0, 1)
    for start in range(0, len(rows), SEARCHED_ROWS):
        part = rows[start : start + SEARCHED_ROWS]
        gap = np.abs((kernel(X[part], X) if K is None else K[part]) - a.factor[part] @ a.factor.T)
        gap[np.arange(len(part)), part] = -1.0
        at = int(gap.argmax())
        if gap.flat[at] > largest:
            largest = float(gap.flat[at])
            i, j = int(part[at // len(X)]), at % len(X)
            worst = (min(i, j), max(i, j))
    return worst


@dataclass(frozen=True)
class Entry:
    """Proposition 1 tried: the error of one entry before its two points are landmarks, and after."""

    rows: tuple[int, int]
    exact: float
    before: float
    after: float


def entry(scene: Scene, choice: Choice, a: LowRank, rows: tuple[int, int]) -> Entry:
    """Measure |K_ij − K̃_ij| with the landmarks as they are, and with both points added to them."""

    def compute() -> Entry:
        assert a.landmarks is not None
        points = scene.data.X[list(rows)]
        more = np.concatenate([a.landmarks, points])
        before = entry_errors(scene.kernel, a.landmarks, points)[0, 1]
        after = entry_errors(scene.kernel, more, points)[0, 1]
        exact = entries(scene.kernel, points[:1], points[1:])[0]
        return Entry(rows, float(exact), float(before), float(after))

    key = ("bounds entry", *scene.key, choice.method, choice.m, scene.seed, choice.options, rows)
    return store().get(key, compute)


def curve_counts(scene: Scene) -> tuple[int, ...]:
    """Numbers of landmarks of the curve, m = 1 … 10 % of n."""
    return tuple(m for m in counts(scene.data.n, PERCENTS) if m <= computing.MOST_LANDMARKS)


def curve_key(scene: Scene, choice: Choice) -> tuple[object, ...]:
    """Content of the runs behind the curve."""
    return ("bounds curve", *scene.key, choice.method, choice.options, scene.seed, REPEATS)


def curve_jobs(scene: Scene, choice: Choice) -> list[Job]:
    """Return the runs behind the curve."""
    data = scene.data
    problem = Problem(data.name, data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    return bound_jobs(problem, {choice.method: choice.options}, curve_counts(scene), REPEATS, scene.seed)


def curve_values(records: list[Record], ms: tuple[int, ...]) -> dict[str, FloatArray]:
    """Measures of the runs as (len(ms), repeats) arrays, NaN where a run is missing."""
    repeats = 1 + max((record.repeat for record in records), default=0)
    values = {measure: np.full((len(ms), repeats), np.nan) for measure in CURVE_MEASURES}
    for record in records:
        for measure, array in values.items():
            array[ms.index(record.m), record.repeat] = record.values[measure]
    return values
