"""One approximation with the bound of proposition 3, one entry of K, and the runs behind the curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.bounds import (
    ErrorBound,
    Quadruple,
    Step,
    change_ratio,
    encode,
    entry_errors,
    error_bound,
    ladder,
    left_and_worst,
    printed_constant,
    violating_quadruple,
)
from nysviz.bounds.property_eight import entries
from nysviz.bounds.zhang import needs_ball, radius_of
from nysviz.kernels import Kernel
from nysviz.lowrank import LowRank
from nysviz.measures import SAMPLED_ROWS, frobenius, sampled_errors, sampled_rows
from nysviz.papers.zhang2008.figure1 import PERCENTS, bound_jobs, counts
from nysviz.sweep import Job, Problem, Record
from nysviz.ui import computing, large
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.controls import Choice
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.needs import SQUARE_COPIES, run_bytes, square_bytes
from nysviz.ui.work.runs import Run

REPEATS, LARGE_REPEATS = 5, 2
# Pairs of points drawn against property (8); each is one marker of the browser.
PAIRS = 300
# An error below this part of ‖K‖ is rounding.
ROUNDING = 1e-10
# Columns of |K − K̃| that are searched for its largest entry.
SEARCHED_COLUMNS = 20_000
CURVE_MEASURES = ("frobenius", "bound", "encoding_term", "inverse_term")


@dataclass(frozen=True)
class Report:
    """One approximation, its error and what proposition 3 says of it.

    ``error`` is exact, or estimated from sampled rows with its 95 % ``interval``; ``whole`` is ‖K‖_F;
    ``worst`` the off-diagonal entry with the largest error among those looked at; ``where`` and ``ratios``
    are property (8) for pairs of points against their landmarks; ``radius`` that of the ball that holds all;
    ``printed`` the paper's constant of property (8), and ``quadruple`` four points that may break it.
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
    printed: float
    quadruple: Quadruple

    @property
    def is_broken(self) -> bool:
        """Whether the quadruple contradicts the printed constant."""
        return self.bound.constant > 0 and self.quadruple.ratio > self.printed

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


def _report_bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    # K less K̃ is measured in blocks, beside W and its inverse.
    n = scene.data.n
    held = computing.approximation_bytes(scene, method, m, options) + square_bytes(m, SQUARE_COPIES)
    return held + (square_bytes(n) if computing.is_exact(scene) else 0.0)


@shared(holds=_report_bytes)
def report(scene: Scene, method: str, m: int, options: Options) -> Report:
    """Approximate K, bound the error and measure it."""
    a = computing.approximation(scene, method, m, options)
    X, kernel = scene.data.X, scene.kernel
    assert a.landmarks is not None
    bound, radius = error_bound(X, kernel, a), radius_of(X, a.landmarks)
    K = computing.kernel_matrix(scene)
    if K is not None:
        error, worst = left_and_worst(K, a.factor)
        steps = ladder(X, kernel, a, K=K, measured=error, bound=bound)
        interval, whole = None, frobenius(K)
    else:
        sampled = sampled_errors(X, kernel, a)
        # They stand for all rows of A in the proof, and are searched for the worst entry.
        rows = sampled_rows(len(X), SAMPLED_ROWS)
        error = sampled.frobenius
        steps = ladder(X, kernel, a, rows=rows, measured=error, bound=bound)
        whole = error / sampled.relative_frobenius if sampled.relative_frobenius > 0 else 0.0
        interval = (sampled.interval[0] * whole, sampled.interval[1] * whole)
        worst = _worst_entry(X, kernel, a, rows)
    where, ratios = _ratios(X, kernel, a.landmarks)
    ball = radius if needs_ball(kernel) else None
    printed, quadruple = printed_constant(kernel, ball), violating_quadruple(kernel, ball)
    of_property = where, ratios, radius, printed, quadruple
    return Report(a, bound, steps, error, interval, whole, worst, *of_property)


def _ratios(X: FloatArray, kernel: Kernel, landmarks: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Property (8) between random pairs of points and the pairs of their landmarks, and where the pairs are.

    That is their distance, or their inner product for a kernel of inner products.
    """
    first, second = X[np.random.default_rng(0).integers(len(X), size=(2, PAIRS))]
    one, other = encode(first, landmarks), encode(second, landmarks)
    third, fourth = one.landmarks[one.labels], other.landmarks[other.labels]
    if needs_ball(kernel):
        where = np.abs(np.einsum("ij,ij->i", first, second))
    else:
        where = np.linalg.norm(first - second, axis=1)
    return where, change_ratio(kernel, first, second, third, fourth)


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


@shared(holds=lambda scene, method, m, options, rows: square_bytes(m, SQUARE_COPIES))
def entry(scene: Scene, method: str, m: int, options: Options, rows: tuple[int, int]) -> dict[str, float]:
    """Try proposition 1: measure |K_ij − K̃_ij| with the landmarks as they are, and with both points added."""
    landmarks = computing.approximation(scene, method, m, options).landmarks
    assert landmarks is not None
    points = scene.data.X[list(rows)]
    more = np.concatenate([landmarks, points])
    return {
        "entry": float(entries(scene.kernel, points[:1], points[1:])[0]),
        "entry_error": float(entry_errors(scene.kernel, landmarks, points)[0, 1]),
        "entry_error_as_landmarks": float(entry_errors(scene.kernel, more, points)[0, 1]),
    }


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
    n, ms, repeats = scene.data.n, curve_counts(scene), repeats_of(scene)
    return running(
        ("bounds curve", *scene.key, choice.method, choice.options, scene.seed, repeats),
        partial(_curve_jobs, scene, choice),
        alone=large.is_large(n),
        rows=n,
        holds=run_bytes(n, (choice.method,), ms[-1], matrix=computing.is_exact(scene)),
    )


def _curve_jobs(scene: Scene, choice: Choice) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    methods = {choice.method: choice.options}
    return bound_jobs(problem, methods, curve_counts(scene), repeats_of(scene), scene.seed)


def curve_values(records: Sequence[Record], ms: tuple[int, ...]) -> dict[str, FloatArray]:
    """Measures of the runs as (len(ms), repeats) arrays, NaN where a run is missing."""
    repeats = 1 + max((record.repeat for record in records), default=0)
    values = {measure: np.full((len(ms), repeats), np.nan) for measure in CURVE_MEASURES}
    for record in records:
        for measure, array in values.items():
            array[ms.index(record.m), record.repeat] = record.values[measure]
    return values
