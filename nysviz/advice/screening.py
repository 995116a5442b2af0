"""Errors and costs of a method on a part of the rows, from few landmarks to as many as the target needs."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from nysviz.advice.request import FRESH_ROWS, REPEATS, AdviceRequest
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.curves import nested_errors
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.measures.exact import ratio_of
from nysviz.nystroem.nested import nested
from nysviz.sweep import Job

# One run of a nested method gives all errors: they are read at every m up to EVERY, then in steps of m /
# EVERY.
EVERY = 20
# Timed runs have the last m, a half and a quarter of it; runs below SHORT_SECONDS are timed twice.
TIMED, SHORT_SECONDS = (1, 2, 4), 0.1
STREAM = 7  # the part's random rows come from a stream of their own

Features = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class ScreeningRecord:
    """One method with m landmarks from ``size`` rows.

    ``inner`` is the relative error for all n rows, estimated from these rows without the landmarks; ``outer``
    the same from rows that were not candidates, NaN where all rows were. Seconds and evaluations are those of
    this approximation alone, NaN where it was not timed.
    """

    method: str
    size: int
    repeat: int
    m: int
    inner: float
    outer: float
    seconds: float = math.nan
    evaluations: float = math.nan

    def is_enough(self, stop: float) -> bool:
        """Return whether both errors are at most ``stop``."""
        return max(self.inner, self.outer if math.isfinite(self.outer) else 0.0) <= stop


def landmark_grid(last: int) -> tuple[int, ...]:
    """Return numbers of landmarks from 1 to ``last`` in half-steps of two."""
    steps = dict.fromkeys(round(2.0 ** (k / 2)) for k in range(40))
    return (*[m for m in steps if m < last], last)


def refine_counts(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of landmarks at which a nested method's errors are read."""
    finer_counts, m = set(counts), 1
    while m < counts[-1]:
        finer_counts.add(m)
        m += max(1, m // EVERY)
    return tuple(sorted(finer_counts))


def screen_jobs(request: AdviceRequest) -> list[Job]:
    """Return the runs of all methods on all sizes, each method once before any is repeated."""
    jobs = []
    content = ("screen", request.digest, request.kernel, request.norm, request.stop, request.seed)
    # The largest part first: it alone gives a first answer.
    for repeat, size, method in product(range(REPEATS), reversed(request.sizes), request.methods):
        if repeat < request.repeats(method, size):
            work = partial(screen, request, method, size, repeat)
            jobs.append(Job((*content, method, size, repeat), ("screen", method, size), 1.0, work))
    return jobs


def screen(request: AdviceRequest, method: str, size: int, repeat: int) -> tuple[ScreeningRecord, ...]:
    """Run a method with more and more landmarks until the error is below the request's stop."""
    walk = _nested if METHODS[method].nested else _one_by_one
    with one_blas_thread():
        return tuple(walk(_Part(request, method, size, repeat), landmark_grid(request.most_landmarks(size))))


class _Part:
    """The rows among which one run chooses landmarks, and fresh rows on which it is tested."""

    def __init__(self, request: AdviceRequest, method: str, size: int, repeat: int) -> None:
        self.request, self.method, self.size, self.repeat = request, method, size, repeat
        self.seed = request.seed + repeat
        self.rows: FloatArray = request.X
        self.fresh: FloatArray | None = None
        if not request.uses_all_rows:
            order = np.random.default_rng([request.seed, STREAM, repeat]).permutation(request.n)
            self.rows, self.fresh = request.X[order[:size]], request.X[order[size : size + FRESH_ROWS]]
        self._inner = _Residual(request, self.rows)
        self._outer = None if self.fresh is None else _Residual(request, self.fresh)

    def approximate(self, m: int) -> LowRank:
        return approximate(self.rows, self.request.kernel, self.method, m, self.seed)

    def records(
        self,
        ms: Sequence[int],
        factor: FloatArray,
        ranks: Sequence[int],
        landmarks: Sequence[int],
        features: Features,
    ) -> list[ScreeningRecord]:
        """Return the errors with ``ms`` landmarks, of the first ``ranks`` columns of a factor."""
        inner = self._inner.errors(factor, ranks, landmarks, landmarks)
        outer = [math.nan] * len(ranks)
        if self._outer is not None and self.fresh is not None:
            outer = self._outer.errors(features(self.fresh), ranks, [0] * len(ranks), landmarks)
        pairs = zip(ms, inner, outer, strict=True)
        return [
            ScreeningRecord(self.method, self.size, self.repeat, m, inner_error, outer_error)
            for m, inner_error, outer_error in pairs
        ]


class _Residual:
    """Relative errors of approximations on some rows, as estimates for K on all n rows."""

    def __init__(self, request: AdviceRequest, rows: FloatArray) -> None:
        self.request, self.diagonal = request, request.kernel.diag(rows)
        self.K: FloatArray | None = None
        if request.norm == "frobenius":
            self.K = request.whole if rows is request.X else request.kernel(rows)
        self.frobenius = 0.0 if self.K is None else frobenius(self.K)
        self.size = self._norm(self.diagonal, self.frobenius**2, 0, 0)

    def errors(
        self, factor: FloatArray, ranks: Sequence[int], zero: Sequence[int], landmarks: Sequence[int]
    ) -> list[float]:
        """Return errors for all n rows; ``zero`` of these rows, and ``landmarks`` of all, are landmarks."""
        squares = np.zeros(len(ranks))
        if self.K is not None:
            columns = factor[:, : ranks[-1]]
            squares = np.square(nested_errors(self.K, columns, size=self.frobenius, ranks=ranks))
        residual, relative_errors, before = self.diagonal.copy(), [], 0
        for rank, square, zero_rows, count in zip(ranks, squares, zero, landmarks, strict=True):
            step = factor[:, before:rank]
            before = rank
            residual -= np.einsum("ij,ij->i", step, step)
            # Rounding may leave small negative numbers.
            diagonal = np.maximum(residual, 0.0) if self.K is None else residual
            error = self._norm(diagonal, float(square), zero_rows, min(count, self.request.n))
            relative_errors.append(ratio_of(error, self.size))
        return relative_errors

    def _norm(self, diagonal: FloatArray, squares: float, zero: int, landmarks: int) -> float:
        """Return the norm of the n × n residual, 0 at landmarks, from the diagonal and squares on these rows.

        The mean square off the diagonal over s rows estimates that over n without bias, but it stands for
        (n − 1)/(s − 1) times as many entries per row as the diagonal's; hence the two parts.
        """
        count, rows_left = len(diagonal) - zero, self.request.n - landmarks
        if count <= 0:
            return 0.0
        if self.K is None:
            return rows_left * (float(diagonal.sum()) / count)
        on_diagonal = float(diagonal @ diagonal)
        off_diagonal = max(0.0, squares - on_diagonal) / (count * (count - 1.0)) if count > 1 else 0.0
        return math.sqrt(rows_left * (on_diagonal / count) + rows_left * (rows_left - 1.0) * off_diagonal)


def _nested(part: _Part, counts: Sequence[int]) -> list[ScreeningRecord]:
    request, entry, up_to = part.request, METHODS[part.method], 32
    costs: dict[int, tuple[float, float]] = {}
    while True:
        last = max(m for m in counts if m <= up_to)
        ms = [m for m in refine_counts(counts) if m <= last]
        K = KernelMatrix(part.rows, request.kernel)
        started = time.perf_counter()
        selection = entry.select(K, last, np.random.default_rng(part.seed))
        nested_factor = nested(K, selection)
        factor, columns = nested_factor.factor, nested_factor.columns
        if selection.factor is not None:
            # The selection includes the factor, so these are the costs of the whole approximation.
            costs[last] = time.perf_counter() - started, float(K.evaluations)
        # A method that stopped early keeps its last factor for every larger m.
        picks = [min(m, len(columns)) for m in ms]
        ranks = [int(columns[p - 1]) if p else 0 for p in picks]
        pivots = np.arange(0) if selection.pivots is None else selection.pivots
        distinct = [len(np.unique(pivots[:p])) for p in picks]
        picked = pivots[: len(columns)][np.diff(columns, prepend=0) > 0]

        def features(
            rows: FloatArray, landmarks: FloatArray = part.rows[picked], triangle: FloatArray = factor[picked]
        ) -> FloatArray:
            return solve_triangular(triangle[:, : len(triangle)], request.kernel(rows, landmarks).T).T

        (end,) = part.records([last], factor, ranks[-1:], distinct[-1:], features)
        if end.is_enough(request.stop) or last == counts[-1]:
            break
        up_to *= 2
    records = part.records(ms, factor, ranks, distinct, features)
    enough_ms = (record.m for record in records if record.m in counts and record.is_enough(request.stop))
    last_m = next(enough_ms, last)
    if part.repeat == 0 and min(costs, default=math.inf) > last_m:
        costs = _timed(part, [m for m in counts if m <= last_m])
    return [
        replace(record, seconds=seconds, evaluations=evaluations)
        for record in records
        if record.m <= last_m
        for seconds, evaluations in [costs.get(record.m, (math.nan, math.nan))]
    ]


def _one_by_one(part: _Part, counts: Sequence[int]) -> list[ScreeningRecord]:
    """Run at whole steps of two until the error is small enough, then at the half-step before."""
    records: dict[int, ScreeningRecord] = {}

    def run(m: int) -> ScreeningRecord:
        a = part.approximate(m)
        # Landmarks are reproduced exactly, except those of one expert among several.
        distinct = 0 if a.pivots is None or a.shares is not None else len(np.unique(a.pivots))
        # With few rows a mixture has more columns than its rank.
        (record,) = part.records([m], a.factor, [a.factor.shape[1]], [distinct], a.transform)
        records[m] = replace(record, seconds=a.seconds, evaluations=float(a.kernel_evaluations))
        return records[m]

    for place, m in enumerate(counts):
        if (place % 2 == 0 or m == counts[-1]) and run(m).is_enough(part.request.stop):
            if place and counts[place - 1] not in records:
                run(counts[place - 1])
            break
    return [records[m] for m in sorted(records)]


def _timed(part: _Part, counts: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return seconds and kernel evaluations of runs with the last m, a half and a quarter of it."""
    costs = {}
    for m in sorted(
        {min(counts, key=lambda m: abs(math.log(m * divisor / counts[-1]))) for divisor in TIMED}
    ):
        a = part.approximate(m)
        seconds = a.seconds
        if seconds < SHORT_SECONDS:
            # Other programs disturb a short run most.
            seconds = min(seconds, part.approximate(m).seconds)
        costs[m] = seconds, float(a.kernel_evaluations)
    return costs
