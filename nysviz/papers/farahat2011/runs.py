"""The runs behind figure 1: relative accuracy at every rank d at once, and seconds one run at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from nysviz.approximation import approximate, checked_count
from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.landmarks import METHODS
from nysviz.nested import nested_factor
from nysviz.papers.farahat2011.rank_d import (
    Truncated,
    best_possible,
    nested_truncations,
    truncations,
)
from nysviz.sweep import Job, Problem, Record

EXPERIMENT = "farahat-fig1"
# Every run is measured at all of these d, which costs next to nothing.
RANKS = (5, 10, 15, 20, 30, 40, 50, 75, 100)
SECONDS_REPEATS = 3


def jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], repeats: int, seed: int
) -> list[Job]:
    """Return the runs that measure relative accuracy, all methods once before any is repeated.

    Parameters
    ----------
    problem : Problem
        With at most 4 500 rows, so that K is held.
    methods : sequence of str
        With landmarks.
    counts : sequence of int
        Numbers of columns l.
    repeats : int
        Of the methods with randomness; run r has the seed ``seed + r``.
    seed : int

    Returns
    -------
    list of Job
        Their records hold ``relative_accuracy_d`` and ``classical_accuracy_d`` for each d of ``RANKS`` up to
        l; neither where K itself has rank d up to rounding. One factorisation a repeat where a method is
        nested.
    """
    if not problem.is_exact:
        raise ValueError(
            f"There is no room here for the kernel matrix of {problem.n} rows; take a sample of them, or try "
            "again when the server has more memory."
        )
    counts = tuple(sorted({checked_count(m, problem.n) for m in counts}))
    floor = _Floor()
    found = []
    for repeat in range(repeats):
        for method in methods:
            if repeat > 0 and not METHODS[method].random:
                continue
            # A method that is not nested starts anew at every l.
            parts = [counts] if METHODS[method].nested and counts else [(m,) for m in counts]
            for part in parts:
                work = partial(_accuracy, problem, method, part, repeat, seed + repeat, floor)
                key = (EXPERIMENT, problem.digest, problem.kernel, method, part, repeat, seed + repeat)
                found.append(Job(key, (EXPERIMENT, problem.digest, method), float(part[-1]), work))
    return found


class _Floor:
    """The best possible errors of a problem, computed by the first job that needs them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._errors: FloatArray | None = None

    def __getstate__(self) -> dict[str, object]:
        return {"_errors": self._errors}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def of(self, problem: Problem) -> FloatArray:
        with self._lock:
            if self._errors is None:
                self._errors = best_possible(problem, RANKS)
            return self._errors


def _accuracy(
    problem: Problem, method: str, counts: Sequence[int], repeat: int, seed: int, floor: _Floor
) -> tuple[Record, ...]:
    best = floor.of(problem)
    started = time.perf_counter()
    if METHODS[method].nested:
        errors = _nested(problem, method, counts, seed)
    else:
        a = approximate(problem.X, problem.kernel, method, counts[0], seed, matrix=problem.matrix())
        errors = [truncations(problem.K, a, RANKS)]
    seconds = time.perf_counter() - started
    head = (problem.name, problem.n, problem.d, problem.kernel, method, ())
    return tuple(
        Record(*head, m, repeat, seed, _ratios(best, error, m), seconds)
        for m, error in zip(counts, errors, strict=True)
    )


def _nested(problem: Problem, method: str, counts: Sequence[int], seed: int) -> list[Truncated]:
    matrix = problem.matrix()
    with one_blas_thread():
        selection = METHODS[method].select(matrix, counts[-1], np.random.default_rng(seed))
        factor, columns = nested_factor(matrix, selection)
    if selection.pivots is None:
        raise ValueError(f"{method} has no columns to choose; take a method with landmarks.")
    # A method that stopped early has nothing to add: its last columns stand for every larger l.
    reached = [min(m, len(columns)) for m in counts]
    ranks = [(m, int(columns[m - 1]) if m else 0) for m in reached]
    return nested_truncations(problem.K, factor, selection.pivots, ranks, RANKS)


def _ratios(best: FloatArray, errors: Truncated, m: int) -> dict[str, float]:
    values: dict[str, float] = {}
    for i, d in enumerate(RANKS):
        if d > m or not best[i] > 0:
            continue
        for name, found in (("relative", errors.best[i]), ("classical", errors.classical[i])):
            values[f"{name}_accuracy_{d}"] = float(best[i] / found)
    return values


def seconds_jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], d: int, at_hand: bool, seed: int
) -> list[Job]:
    """Return runs that take the seconds of one rank-d approximation: landmarks, factor and truncation.

    Parameters
    ----------
    d : int
    at_hand : bool
        Whether K is given, as in the paper's algorithms, or its entries are computed when asked for.
    """
    found = []
    for repeat in range(SECONDS_REPEATS):
        for method in methods:
            for m in counts:
                work = partial(_seconds, problem, method, m, d, at_hand, repeat, seed + repeat)
                key = ("rank-d seconds", problem.digest, problem.kernel, method, m, d, at_hand, repeat, seed)
                found.append(Job(key, ("rank-d seconds", problem.digest, method, at_hand), float(m), work))
    return found


def _seconds(
    problem: Problem, method: str, m: int, d: int, at_hand: bool, repeat: int, seed: int
) -> tuple[Record, ...]:
    matrix = problem.matrix() if at_hand else None
    started = time.perf_counter()
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=matrix).truncate(d)
    seconds = time.perf_counter() - started
    values = {"seconds": seconds, "kernel_evaluations": float(a.kernel_evaluations)}
    head = (problem.name, problem.n, problem.d, problem.kernel, method, (), m, repeat, seed)
    return (Record(*head, values, seconds),)
