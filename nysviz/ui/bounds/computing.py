"""What the page "Bounds" computes: one approximation with its bound, and runs for the curve."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.blocks import FloatArray, IntArray, cores, over_blocks, rows_per_block, watched
from nysviz.bounds import (
    ErrorBound,
    Step,
    change_ratio,
    encode,
    entry_errors,
    ladder,
    left_and_worst,
    parts_of,
)
from nysviz.bounds.property_eight import entries
from nysviz.bounds.zhang import needs_ball, radius_of
from nysviz.kernels import Kernel
from nysviz.lowrank import LowRank
from nysviz.measures import SAMPLED_ROWS, frobenius, sampled_errors, sampled_rows
from nysviz.papers.zhang2008.bound import PERCENTS, bound_jobs, counts
from nysviz.sweep import Job, Problem, Record
from nysviz.ui import computing, large
from nysviz.ui.controls import Choice
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import checkpoint
from nysviz.ui.work.needs import SQUARE_COPIES, run_bytes, square_bytes
from nysviz.ui.work.runs import Run
from nysviz.ui.work.store import store

REPEATS, LARGE_REPEATS = 5, 2
# Pairs of points drawn against property (8); each is one marker of the browser.
PAIRS = 300
# An error below this part of ‖K‖ is rounding.
ROUNDING = 1e-10
# Columns of |K − K̃| that are searched for its largest entry.
SEARCHED_COLUMNS = 20_000
# Blocks of rows that a thread holds at a time: of K, of its approximation, and of what is left.
BLOCK_ARRAYS = 3
CURVE_MEASURES = ("frobenius", "bound", "encoding_term", "inverse_term")


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
    exact = computing.is_exact(scene)
    key = ("bounds report", *scene.key, choice.method, choice.m, scene.seed, choice.options, exact)
    held = _report_bytes(scene, choice, exact)
    return store().later(key, lambda: _report(scene, choice, stop), urgent=True, holds=held)


def _report_bytes(scene: Scene, choice: Choice, exact: bool) -> float:
    """What a report holds: K where it is not there yet, and what makes the approximation or measures it."""
    n, m = scene.data.n, choice.m
    making = computing.approximation_bytes(scene, choice.method, m, choice.options)
    # Each thread measures in blocks, the factor beside them.
    width = n if exact else SAMPLED_ROWS
    blocks = 8.0 * BLOCK_ARRAYS * cores() * width * rows_per_block(n, width)
    measuring = blocks + 8.0 * n * m + square_bytes(m, SQUARE_COPIES)
    return max(making, measuring) + (square_bytes(n) if exact and not computing.has_matrix(scene) else 0.0)


def report_seconds(scene: Scene, choice: Choice) -> float:
    """Estimate the time of a report: the steps of the proof take about as long as the error."""
    made = computing.approximation_seconds(scene, choice.m, choice.method, choice.options)
    return made + 2.0 * computing.error_seconds(scene, choice.m)


def _report(scene: Scene, choice: Choice, stop: threading.Event) -> Report:
    a = computing.approximation(scene, choice.method, choice.m, choice.options)
    with watched(checkpoint(stop, choice.m)):
        return _measured(scene, a)


def _measured(scene: Scene, a: LowRank) -> Report:
    X, kernel, n = scene.data.X, scene.kernel, scene.data.n
    parts = parts_of(X, kernel, a)
    K = computing.kernel_matrix(scene)
    if K is not None:
        error, worst = left_and_worst(K, a.factor)
        steps, interval = ladder(X, kernel, a, K=K, measured=error, parts=parts), None
        whole = store().get(("size of K", *scene.key), lambda: frobenius(K))
    else:
        sampled = sampled_errors(X, kernel, a)
        # They stand for all rows of A in the proof, and are searched for the worst entry.
        rows = sampled_rows(n, SAMPLED_ROWS)
        error = sampled.frobenius
        steps = ladder(X, kernel, a, rows=rows, measured=error, parts=parts)
        whole = error / sampled.relative_frobenius if sampled.relative_frobenius > 0 else 0.0
        interval = (sampled.interval[0] * whole, sampled.interval[1] * whole)
        worst = _worst_entry(X, kernel, a, rows)
    where, ratios = _ratios(X, kernel, a)
    assert a.landmarks is not None
    return Report(
        a, parts.bound, steps, error, interval, whole, worst, where, ratios, radius_of(X, a.landmarks)
    )


def _ratios(X: FloatArray, kernel: Kernel, a: LowRank) -> tuple[FloatArray, FloatArray]:
    """Property (8) between random pairs of points and the pairs of their landmarks."""
    assert a.landmarks is not None
    i, j = np.random.default_rng(0).integers(len(X), size=(2, PAIRS))
    first, second = X[i], X[j]
    one, other = encode(first, a.landmarks), encode(second, a.landmarks)
    third, fourth = one.landmarks[one.labels], other.landmarks[other.labels]
    return pair_places(kernel, first, second), change_ratio(kernel, first, second, third, fourth)


def pair_places(kernel: Kernel, first: FloatArray, second: FloatArray) -> FloatArray:
    """Where pairs of points stand in the chart of property (8): their distance, or their inner product."""
    if needs_ball(kernel):
        return np.abs(np.einsum("ij,ij->i", first, second))
    gaps = first - second
    return np.sqrt(np.einsum("ij,ij->i", gaps, gaps))


def _worst_entry(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray) -> tuple[int, int]:
    """The off-diagonal entry that is reproduced worst, in the given rows and some random columns of them."""
    columns = computing.drawn_rows(len(X), SEARCHED_COLUMNS)
    against, right = kernel.against(X[rows]), a.take(rows).T
    found: list[tuple[float, int, int]] = []

    def block(start: int, stop: int) -> None:
        part = columns[start:stop]
        gap = against(X[part])
        gap -= a.take(part) @ right
        np.abs(gap, out=gap)
        gap[part[:, None] == rows] = -1.0
        i, j = divmod(int(gap.argmax()), len(rows))
        low, high = sorted((int(part[i]), int(rows[j])))
        found.append((-float(gap[i, j]), low, high))

    over_blocks(len(columns), rows_per_block(len(columns), len(rows)), block)
    # Of equally large ones the first, whichever block was ready first.
    _, low, high = min(found)
    return low, high


@dataclass(frozen=True)
class Entry:
    """Proposition 1 tried: the error of one entry before its two points are landmarks, and after."""

    rows: tuple[int, int]
    exact: float
    before: float
    after: float


def entry_later(scene: Scene, choice: Choice, a: LowRank, rows: tuple[int, int]) -> Future[Entry]:
    """Measure |K_ij − K̃_ij| with the landmarks as they are, and with both points added; in another thread."""

    def compute() -> Entry:
        assert a.landmarks is not None
        points = scene.data.X[list(rows)]
        more = np.concatenate([a.landmarks, points])
        before = entry_errors(scene.kernel, a.landmarks, points)[0, 1]
        after = entry_errors(scene.kernel, more, points)[0, 1]
        exact = entries(scene.kernel, points[:1], points[1:])[0]
        return Entry(rows, float(exact), float(before), float(after))

    key = ("bounds entry", *scene.key, choice.method, choice.m, scene.seed, choice.options, rows)
    held = square_bytes(choice.m, SQUARE_COPIES)
    return store().later(key, compute, urgent=True, seconds=entry_seconds(choice), holds=held)


def entry_seconds(choice: Choice) -> float:
    """Estimate the time of an entry: two decompositions of W at most."""
    return 2.0 * computing.decomposition_seconds(choice.m, vectors=True)


def curve_counts(scene: Scene) -> tuple[int, ...]:
    """Numbers of landmarks of the curve, m = 1 … 10 % of n; fewer where there are many rows."""
    if large.is_large(scene.data.n):
        return large.counts(scene.data.n, PERCENTS[-1])
    return tuple(m for m in counts(scene.data.n, PERCENTS) if m <= computing.MOST_LANDMARKS)


def repeats_of(scene: Scene) -> int:
    """Repeats of the random methods."""
    return LARGE_REPEATS if large.is_large(scene.data.n) else REPEATS


def curve_run(scene: Scene, choice: Choice) -> Run:
    """Return the run behind the curve; runs on many rows take turns for the sake of the memory."""
    alone = large.is_large(scene.data.n)
    return running(
        curve_key(scene, choice),
        partial(curve_jobs, scene, choice),
        alone=alone,
        rows=scene.data.n,
        holds=run_bytes(
            scene.data.n, (choice.method,), curve_counts(scene)[-1], matrix=computing.is_exact(scene)
        ),
    )


def curve_key(scene: Scene, choice: Choice) -> tuple[object, ...]:
    """Content of the runs behind the curve."""
    return ("bounds curve", *scene.key, choice.method, choice.options, scene.seed, repeats_of(scene))


def curve_jobs(scene: Scene, choice: Choice) -> list[Job]:
    """Return the runs behind the curve."""
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    methods = {choice.method: choice.options}
    return bound_jobs(problem, methods, curve_counts(scene), repeats_of(scene), scene.seed)


def curve_values(records: list[Record], ms: tuple[int, ...]) -> dict[str, FloatArray]:
    """Measures of the runs as (len(ms), repeats) arrays, NaN where a run is missing."""
    repeats = 1 + max((record.repeat for record in records), default=0)
    values = {measure: np.full((len(ms), repeats), np.nan) for measure in CURVE_MEASURES}
    for record in records:
        for measure, array in values.items():
            array[ms.index(record.m), record.repeat] = record.values[measure]
    return values
