"""Errors and costs of a method on a part of the rows, from few landmarks to as many as the target needs."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from nysviz.advice.question import FRESH_ROWS, REPEATS, Question
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.curves import nested_errors
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.nested import nested
from nysviz.sweep import Job

# One run of a nested method gives all errors: they are read at every m up to EVERY, and from there on in
# steps of m / EVERY.
EVERY = 20
# Runs that are timed end at the last m, a half and a quarter of it; shorter ones are timed twice.
TIMED, SHORT_SECONDS = (1, 2, 4), 0.1
STREAM = 7  # the part's random rows come from a stream of their own

Features = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Tried:
    """One method with m landmarks from ``size`` rows.

    ``inner`` is the relative error that the rows themselves suggest for all n: those that were no landmarks
    stand for the others; ``outer`` the same from rows that were not among the candidates, NaN where all rows
    were. Seconds and evaluations are those of this approximation alone, NaN where it was not timed.
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
        """Whether both errors are at most ``stop``."""
        return max(self.inner, self.outer if math.isfinite(self.outer) else 0.0) <= stop


def grid(most: int) -> tuple[int, ...]:
    """Numbers of landmarks from 1 in half-steps of two, the last one ``most``."""
    steps = dict.fromkeys(round(2.0 ** (k / 2)) for k in range(40))
    return (*[m for m in steps if m < most], most)


def finer(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of landmarks at which a nested method's errors are looked at."""
    found, m = set(counts), 1
    while m < counts[-1]:
        found.add(m)
        m += max(1, m // EVERY)
    return tuple(sorted(found))


def screen_jobs(asked: Question) -> list[Job]:
    """Return the runs of all methods on all sizes, each method once before any is repeated."""
    jobs = []
    content = ("screen", asked.digest, asked.kernel, asked.norm, asked.stop, asked.seed)
    # The largest part first: it alone gives a first answer.
    for repeat, size, method in product(range(REPEATS), reversed(asked.sizes), asked.methods):
        if repeat < asked.repeats(method, size):
            work = partial(screen, asked, method, size, repeat)
            jobs.append(Job((*content, method, size, repeat), ("screen", method, size), 1.0, work))
    return jobs


def screen(asked: Question, method: str, size: int, repeat: int) -> tuple[Tried, ...]:
    """Walk up the numbers of landmarks until the error is below the question's stop, or to the most."""
    walk = _nested if METHODS[method].nested else _one_by_one
    with one_blas_thread():
        return tuple(walk(_Part(asked, method, size, repeat), grid(asked.most(size))))


class _Part:
    """The rows among which one run chooses landmarks, and others on which it is tried."""

    def __init__(self, asked: Question, method: str, size: int, repeat: int) -> None:
        self.asked, self.method, self.size, self.repeat = asked, method, size, repeat
        self.seed = asked.seed + repeat
        self.rows: FloatArray = asked.X
        self.fresh: FloatArray | None = None
        if not asked.uses_all_rows:
            order = np.random.default_rng([asked.seed, STREAM, repeat]).permutation(asked.n)
            self.rows, self.fresh = asked.X[order[:size]], asked.X[order[size : size + FRESH_ROWS]]
        self._inner = _Residual(asked, self.rows)
        self._outer = None if self.fresh is None else _Residual(asked, self.fresh)

    def approximate(self, m: int) -> LowRank:
        return approximate(self.rows, self.asked.kernel, self.method, m, self.seed)

    def tried(
        self,
        ms: Sequence[int],
        factor: FloatArray,
        ranks: Sequence[int],
        landmarks: Sequence[int],
        features: Features,
    ) -> list[Tried]:
        """Errors with ``ms`` landmarks, of the first ``ranks`` columns of a factor, on both kinds of rows."""
        inner = self._inner.errors(factor, ranks, landmarks, landmarks)
        outer = [math.nan] * len(ranks)
        if self._outer is not None and self.fresh is not None:
            outer = self._outer.errors(features(self.fresh), ranks, [0] * len(ranks), landmarks)
        pairs = zip(ms, inner, outer, strict=True)
        return [Tried(self.method, self.size, self.repeat, m, here, there) for m, here, there in pairs]


class _Residual:
    """The kernel on some rows, and what an approximation leaves of it, as a part of K on all n rows."""

    def __init__(self, asked: Question, rows: FloatArray) -> None:
        self.asked, self.diagonal = asked, asked.kernel.diag(rows)
        self.K: FloatArray | None = None
        if asked.norm == "frobenius":
            self.K = asked.whole if rows is asked.X else asked.kernel(rows)
        self.frobenius = 0.0 if self.K is None else frobenius(self.K)
        self.size = self._norm(self.diagonal, self.frobenius**2, 0, 0)

    def errors(
        self, factor: FloatArray, ranks: Sequence[int], zero: Sequence[int], landmarks: Sequence[int]
    ) -> list[float]:
        """Relative errors for all n rows; ``zero`` of these rows, and ``landmarks`` of all, are landmarks."""
        squares = np.zeros(len(ranks))
        if self.K is not None:
            whole = factor[:, : ranks[-1]]
            squares = np.square(nested_errors(self.K, whole, size=self.frobenius, ranks=ranks))
        left, found, before = self.diagonal.copy(), [], 0
        for rank, square, none, count in zip(ranks, squares, zero, landmarks, strict=True):
            step = factor[:, before:rank]
            before = rank
            left -= np.einsum("ij,ij->i", step, step)
            # Rounding may leave a little less than nothing.
            part = np.maximum(left, 0.0) if self.K is None else left
            error = self._norm(part, float(square), none, min(count, self.asked.n))
            found.append(error / self.size if self.size > 0 else 0.0)
        return found

    def _norm(self, diagonal: FloatArray, squares: float, zero: int, landmarks: int) -> float:
        """Norm of the n × n residual whose rows of landmarks are 0, from its diagonal and squares here.

        The mean of squares off the diagonal over s rows estimates that over n without bias, but it stands
        for (n − 1)/(s − 1) times as many entries a row as the diagonal's; hence the two parts.
        """
        count, rest = len(diagonal) - zero, self.asked.n - landmarks
        if count <= 0:
            return 0.0
        if self.K is None:
            return rest * (float(diagonal.sum()) / count)
        own = float(diagonal @ diagonal)
        off = max(0.0, squares - own) / (count * (count - 1.0)) if count > 1 else 0.0
        return math.sqrt(rest * (own / count) + rest * (rest - 1.0) * off)


def _nested(part: _Part, counts: Sequence[int]) -> list[Tried]:
    asked, entry, wanted = part.asked, METHODS[part.method], 32
    costs: dict[int, tuple[float, float]] = {}
    while True:
        last = max(m for m in counts if m <= wanted)
        here = [m for m in finer(counts) if m <= last]
        K = KernelMatrix(part.rows, asked.kernel)
        started = time.perf_counter()
        selection = entry.select(K, last, np.random.default_rng(part.seed))
        made = nested(K, selection)
        factor, columns = made.factor, made.columns
        if selection.factor is not None:
            # The factor came along: this is all that an approximation takes.
            costs[last] = time.perf_counter() - started, float(K.evaluations)
        # A method that stopped early has no more to add: its last factor stands for every larger m.
        picks = [min(m, len(columns)) for m in here]
        ranks = [int(columns[p - 1]) if p else 0 for p in picks]
        pivots = np.arange(0) if selection.pivots is None else selection.pivots
        distinct = [len(np.unique(pivots[:p])) for p in picks]
        kept = pivots[: len(columns)][np.diff(columns, prepend=0) > 0]

        def features(
            rows: FloatArray, of: FloatArray = part.rows[kept], triangle: FloatArray = factor[kept]
        ) -> FloatArray:
            return solve_triangular(triangle[:, : len(triangle)], asked.kernel(rows, of).T).T

        (end,) = part.tried([last], factor, ranks[-1:], distinct[-1:], features)
        if end.is_enough(asked.stop) or last == counts[-1]:
            break
        wanted *= 2
    tried = part.tried(here, factor, ranks, distinct, features)
    enough = (one.m for one in tried if one.m in counts and one.is_enough(asked.stop))
    most = next(enough, last)
    if part.repeat == 0 and min(costs, default=math.inf) > most:
        costs = _timed(part, [m for m in counts if m <= most])
    return [
        replace(one, seconds=seconds, evaluations=evaluations)
        for one in tried
        if one.m <= most
        for seconds, evaluations in [costs.get(one.m, (math.nan, math.nan))]
    ]


def _one_by_one(part: _Part, counts: Sequence[int]) -> list[Tried]:
    """Whole steps of two until the error suffices, and then the half-step before."""
    found: dict[int, Tried] = {}

    def run(m: int) -> Tried:
        a = part.approximate(m)
        # Rows that are reproduced exactly: landmarks, but not those of one expert among several.
        distinct = 0 if a.pivots is None or a.shares is not None else len(np.unique(a.pivots))
        # A mixture has more columns than its rank where the rows are few.
        (one,) = part.tried([m], a.factor, [a.factor.shape[1]], [distinct], a.transform)
        found[m] = replace(one, seconds=a.seconds, evaluations=float(a.kernel_evaluations))
        return found[m]

    for place, m in enumerate(counts):
        if (place % 2 == 0 or m == counts[-1]) and run(m).is_enough(part.asked.stop):
            if place and counts[place - 1] not in found:
                run(counts[place - 1])
            break
    return [found[m] for m in sorted(found)]


def _timed(part: _Part, counts: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Seconds and kernel evaluations of single approximations with the last m, a half and a quarter of it."""
    costs = {}
    for m in sorted({min(counts, key=lambda m: abs(math.log(m * by / counts[-1]))) for by in TIMED}):
        a = part.approximate(m)
        seconds = a.seconds
        if seconds < SHORT_SECONDS:
            # What other programs take away is a large part of a short run.
            seconds = min(seconds, part.approximate(m).seconds)
        costs[m] = seconds, float(a.kernel_evaluations)
    return costs
