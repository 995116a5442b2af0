"""Errors and costs of a method on a part of the rows, from few landmarks to as many as the target needs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.advice.question import FRESH_ROWS, REPEATS, Question
from nysviz.advice.residual import Residuals
from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.landmarks import METHODS
from nysviz.lapack.triangular import solve_triangular
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix
from nysviz.nested import nested_factor
from nysviz.sweep import Job

# Landmarks that a nested method is run for at first.
NESTED_FIRST = 32
# One run of a nested method gives all errors: they are looked at up to so many landmarks at every number, and
# from there on in steps of one in so many.
EVERY = 20
# Runs that are timed end at the last m: that one, a half and a quarter of it.
TIMED = (1, 2, 4)
SHORT_SECONDS = 0.1
# The part's random rows come from a stream of their own.
STREAM = 7


@dataclass(frozen=True)
class Tried:
    """One method with m landmarks from a part of the rows.

    Attributes
    ----------
    method : str
    size, repeat, m : int
        Rows among which landmarks were chosen, number of the run, landmarks.
    inner : float
        Relative error that the rows themselves suggest for all n: those that were no landmarks stand for the
        others.
    outer : float
        The same from rows that were not among the candidates; NaN where all rows were.
    seconds, evaluations : float
        Of this approximation alone; NaN where it was not timed.
    """

    method: str
    size: int
    repeat: int
    m: int
    inner: float
    outer: float
    seconds: float = math.nan
    evaluations: float = math.nan


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
    for repeat in range(REPEATS):
        # The largest part first: it alone gives a first answer.
        for size in reversed(asked.sizes):
            for method in asked.methods:
                if repeat < asked.repeats(method, size):
                    jobs.append(_job(asked, method, size, repeat))
    return jobs


def _job(asked: Question, method: str, size: int, repeat: int) -> Job:
    key = ("screen", asked.digest, asked.kernel, asked.norm, asked.stop, asked.seed, method, size, repeat)
    return Job(key, ("screen", method, size), 1.0, partial(screen, asked, method, size, repeat))


def screen(asked: Question, method: str, size: int, repeat: int) -> tuple[Tried, ...]:
    """Walk up the numbers of landmarks until the error is below the question's stop, or to the most.

    A nested method is run for doubled numbers until the last suffices, and that run gives all errors; any
    other is run once for each number.
    """
    part, fresh = _parts(asked, size, repeat)
    residuals = Residuals(asked, part, fresh)
    counts = grid(asked.most(size))
    walk = _nested if METHODS[method].nested else _one_by_one
    with one_blas_thread():
        found, costs = walk(asked, method, part, asked.seed + repeat, counts, residuals)
    return tuple(
        Tried(method, size, repeat, m, inner, outer, *costs.get(m, (math.nan, math.nan)))
        for m, inner, outer in found
    )


def _parts(asked: Question, size: int, repeat: int) -> tuple[FloatArray, FloatArray | None]:
    """Rows among which landmarks are chosen, and other rows on which they are tried."""
    if asked.uses_all_rows:
        return asked.X, None
    order = np.random.default_rng([asked.seed, STREAM, repeat]).permutation(asked.n)
    return asked.X[order[:size]], asked.X[order[size : size + FRESH_ROWS]]


_Found = list[tuple[int, float, float]]
_Costs = dict[int, tuple[float, float]]


def _nested(
    asked: Question,
    method: str,
    part: FloatArray,
    seed: int,
    counts: Sequence[int],
    residuals: Residuals,
) -> tuple[_Found, _Costs]:
    wanted, costs = NESTED_FIRST, {}
    while True:
        here = [m for m in finer(counts) if m <= wanted]
        # A run ends at a number that all methods are tried with.
        here = here[: here.index(max(m for m in counts if m <= wanted)) + 1]
        K = KernelMatrix(part, asked.kernel)
        started = time.perf_counter()
        selection = METHODS[method].select(K, here[-1], np.random.default_rng(seed))
        factor, columns = nested_factor(K, selection)
        if selection.factor is not None:
            # The factor came along: this is all that an approximation takes.
            costs[here[-1]] = time.perf_counter() - started, float(K.evaluations)
        # A method that stopped early has no more to add: its last factor stands for every larger m.
        picks = [min(m, len(columns)) for m in here]
        ranks = [int(columns[p - 1]) if p else 0 for p in picks]
        pivots = np.arange(0) if selection.pivots is None else selection.pivots
        distinct = [len(np.unique(pivots[:p])) for p in picks]
        outside = _outside(asked, part, factor, pivots, columns)
        last = residuals.of_factor(factor, ranks[-1:], distinct[-1:], outside)
        if _enough(last[0], asked.stop) or here[-1] == counts[-1]:
            errors = residuals.of_factor(factor, ranks, distinct, outside)
            found = _cut(list(zip(here, errors, strict=True)), asked.stop, counts)
            kept = [m for m, _, _ in found if m in counts]
            if seed == asked.seed and not set(costs) & set(kept):
                costs = _timed(asked, method, part, seed, kept)
            return found, costs
        wanted *= 2


def _outside(
    asked: Question, part: FloatArray, factor: FloatArray, pivots: IntArray, columns: IntArray
) -> Callable[[FloatArray], FloatArray]:
    """Features of other rows; their leading columns belong to the first landmarks as those of the factor."""
    ranks = np.concatenate([[0], columns])
    kept = pivots[: len(columns)][np.diff(ranks) > 0]

    def features(rows: FloatArray) -> FloatArray:
        triangle = factor[kept][:, : len(kept)]
        entries = asked.kernel(rows, part[kept])
        return solve_triangular(triangle, entries.T).T

    return features


def _one_by_one(
    asked: Question,
    method: str,
    part: FloatArray,
    seed: int,
    counts: Sequence[int],
    residuals: Residuals,
) -> tuple[_Found, _Costs]:
    """Whole steps of two until the error suffices, and then the half-step before."""
    found: dict[int, tuple[float, float]] = {}
    costs: _Costs = {}

    def run(m: int) -> tuple[float, float]:
        a = approximate(part, asked.kernel, method, m, seed)
        costs[m] = a.seconds, float(a.kernel_evaluations)
        # A mixture has more columns than its rank where the rows are few.
        return residuals.of_factor(a.factor, [a.factor.shape[1]], [_distinct(a)], a.transform)[0]

    steps = [m for k, m in enumerate(counts) if k % 2 == 0 or m == counts[-1]]
    for m in steps:
        found[m] = run(m)
        if _enough(found[m], asked.stop):
            before = counts.index(m) - 1
            if before >= 0 and counts[before] not in found:
                found[counts[before]] = run(counts[before])
            break
    return [(m, *found[m]) for m in sorted(found)], costs


def _distinct(a: LowRank) -> int:
    """Rows of X that are reproduced exactly: landmarks, but not those of one expert among several."""
    return 0 if a.pivots is None or a.shares is not None else len(np.unique(a.pivots))


def _enough(pair: tuple[float, float], stop: float) -> bool:
    return max(pair[0], pair[1] if math.isfinite(pair[1]) else 0.0) <= stop


def _cut(found: list[tuple[int, tuple[float, float]]], stop: float, counts: Sequence[int]) -> _Found:
    """Leave out what lies behind the first of the numbers ``counts`` that suffices."""
    kept = []
    for m, pair in found:
        kept.append((m, *pair))
        if m in counts and _enough(pair, stop):
            break
    return kept


def _timed(asked: Question, method: str, part: FloatArray, seed: int, counts: Sequence[int]) -> _Costs:
    """Seconds and kernel evaluations of single approximations with the last m, a half and a quarter of it."""
    wanted = {min(counts, key=lambda m: abs(math.log(m * by / counts[-1]))) for by in TIMED}
    costs = {}
    for m in sorted(wanted):
        a = approximate(part, asked.kernel, method, m, seed)
        seconds = a.seconds
        if seconds < SHORT_SECONDS:
            # What other programs take away is a large part of a short run.
            seconds = min(seconds, approximate(part, asked.kernel, method, m, seed).seconds)
        costs[m] = seconds, float(a.kernel_evaluations)
    return costs
