"""The grid of runs: methods × numbers of landmarks × repeats, on one problem after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from nysviz import memory
from nysviz.approximation import approximate, checked_count, checked_method
from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.curves import errors_of, nested_quantization
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.measures import nuclear_norm_of_diagonals, quantization_error, spectral_norm
from nysviz.measures.exact import trace_error
from nysviz.nested import nested
from nysviz.spectrum import best_errors
from nysviz.sweep.jobs import Cache, Finished, Job, run_jobs
from nysviz.sweep.problem import Problem
from nysviz.sweep.record import Options, Record

MEASURES = ("frobenius", "spectral", "trace", "quantization")
FLOOR = "svd"
# Three digits of a spectral norm are read off a chart.
SPECTRAL_TOLERANCE = 1e-3


def sweep_jobs(
    problem: Problem,
    methods: Mapping[str, Options],
    ms: Sequence[int],
    repeats: int = 20,
    seed: int = 0,
    measures: Sequence[str] = ("frobenius",),
) -> list[Job]:
    """Return the runs of a grid, all methods once before any is repeated.

    Parameters
    ----------
    problem : Problem
    methods : mapping of method to its options
    ms : sequence of int
        Numbers of landmarks, each from 1 to n.
    repeats : int
        Of the methods with randomness; run r has the seed ``seed + r``. Others run once.
    seed : int
    measures : sequence of str
        Of ``MEASURES``. The spectral error costs some twenty products with K a run.

    Returns
    -------
    list of Job
        A nested method costs one factorisation a repeat, not one an m; ``svd`` one set of eigenvalues. Where
        K is too large to be held, Frobenius errors are those of ``sampled_errors``, and svd is left out; so
        are the m at which a mixture's weights are too large for this machine.

    Raises
    ------
    ValueError
        Unknown method, option or measure, or m out of range.
    """
    if unknown := sorted(set(measures) - set(MEASURES)):
        raise ValueError(f"Unknown measure {unknown[0]!r}; known are {', '.join(MEASURES)}.")
    counts = tuple(sorted({checked_count(m, problem.n) for m in ms}))
    asked = tuple(measure for measure in MEASURES if measure in measures)
    jobs = []
    for repeat in range(repeats):
        for method, options in methods.items():
            entry = checked_method(method, dict(options))
            if (repeat > 0 and not entry.random) or (method == FLOOR and not problem.is_exact):
                continue
            fitting = _fitting(method, options, counts)
            if not fitting:
                continue
            of_run = (problem, method, options, fitting, repeat, seed + repeat, asked)
            # One factor for every m holds it, and the columns it is made of beside it.
            together = entry.nested and memory.is_held(problem.n, 2 * counts[-1])
            jobs += _together(of_run) if together else _one_by_one(of_run)
    return jobs


def cost_jobs(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int], repeats: int = 3, seed: int = 0
) -> list[Job]:
    """Return runs that measure what one approximation costs: seconds and kernel evaluations.

    Every m is a run of its own, and K is not at hand, as for a user who asks for one approximation. Run them
    on an executor with one worker: runs side by side slow one another.
    """
    jobs = []
    for repeat in range(repeats):
        for method, options in methods.items():
            checked_method(method, dict(options))
            if method == FLOOR and not problem.is_exact:
                continue
            for m in _fitting(method, options, sorted({checked_count(m, problem.n) for m in ms})):
                work = partial(_cost, problem, method, options, m, repeat, seed + repeat)
                key = ("cost", problem.digest, problem.kernel, method, options, m, seed, repeat)
                kind = ("cost", method, m if method == FLOOR else None)
                jobs.append(Job(key, kind, float(m), work))
    return jobs


def sweep(
    problems: Iterable[Problem],
    methods: Mapping[str, Options],
    percents: Sequence[float],
    repeats: int = 20,
    seed: int = 0,
    measures: Sequence[str] = ("frobenius",),
    *,
    executor: Executor | None = None,
    cache: Cache | None = None,
    stop: Event | None = None,
) -> Iterator[Finished]:
    """Run a grid over several data sets, with m in per cent of n, and yield records as they finish.

    Parameters are those of ``sweep_jobs`` and ``run_jobs``. The records are the same for every executor and
    in every order; ``tidy`` puts them in one order.
    """
    jobs = []
    for problem in problems:
        ms = [max(1, round(problem.n * percent / 100)) for percent in percents]
        jobs += sweep_jobs(problem, methods, ms, repeats, seed, measures)
    yield from run_jobs(jobs, executor, cache, stop)


def _fitting(method: str, options: Options, counts: Sequence[int]) -> tuple[int, ...]:
    entry, asked = METHODS[method], dict(options)
    return tuple(m for m in counts if memory.square_fits(entry.all_landmarks(m, asked)))


_Run = tuple[Problem, str, Options, tuple[int, ...], int, int, tuple[str, ...]]


def _cell(run: _Run, m: int) -> Hashable:
    problem, method, options, _, repeat, seed, measures = run
    return ("run", problem.digest, problem.kernel, method, options, m, repeat, seed, measures)


def _kind(run: _Run) -> Hashable:
    problem, method, options, counts, _, _, _ = run
    return (problem.digest, problem.kernel, method, options, len(counts) > 1)


def _together(run: _Run) -> list[Job]:
    counts = run[3]
    cells = tuple(_cell(run, m) for m in counts)
    work = partial(_floor if run[1] == FLOOR else _nested, run)
    return [Job(("nested", *cells), _kind(run), float(counts[-1]), work, cells)]


def _one_by_one(run: _Run) -> list[Job]:
    cells = [(m, _cell(run, m)) for m in run[3]]
    return [Job(cell, _kind(run), float(m), partial(_single, run, m), (cell,)) for m, cell in cells]


def _record(run: _Run, m: int, values: dict[str, float], seconds: float) -> Record:
    problem, method, options, _, repeat, seed, _ = run
    return Record(
        problem.name,
        problem.n,
        problem.d,
        problem.kernel,
        method,
        options,
        m,
        repeat,
        seed,
        _with_relative(problem, values),
        seconds,
    )


def _with_relative(problem: Problem, values: dict[str, float]) -> dict[str, float]:
    of = problem.norms(spectral="spectral" in values)
    wholes = {"frobenius": of.frobenius, "spectral": of.spectral, "trace": of.trace}
    for measure, whole in wholes.items():
        if measure in values and f"relative_{measure}" not in values:
            values[f"relative_{measure}"] = values[measure] / whole if whole > 0 else 0.0
    return values


def _nested(run: _Run) -> tuple[Record, ...]:
    """One factorisation, measured at every m."""
    problem, method, options, counts, _, seed, measures = run
    started = time.perf_counter()
    matrix = problem.matrix()
    with one_blas_thread():
        selection = METHODS[method].select(matrix, counts[-1], np.random.default_rng(seed), **dict(options))
        made = nested(matrix, selection)
    seconds = time.perf_counter() - started
    found: list[dict[str, float]] = [{} for _ in counts]
    errors = errors_of(problem.K, made, counts, size=problem.norms().frobenius) if problem.is_exact else None
    for values, m in zip(found, counts, strict=True):
        factor = made.at(m)
        values["rank"] = float(factor.shape[1])
        if "frobenius" in measures and errors is not None:
            values["frobenius"] = next(errors)
        elif "frobenius" in measures:
            values |= problem.frobenius(_bare(problem, method, factor))
        if "trace" in measures:
            squares = np.einsum("ij,ij->i", factor, factor)
            _put_trace(values, nuclear_norm_of_diagonals(matrix.diagonal, squares))
        if "spectral" in measures and problem.is_exact:
            values["spectral"] = _spectral(problem.K, factor)
    if "quantization" in measures and selection.pivots is not None and len(selection.pivots):
        distances = nested_quantization(problem.X, problem.X[selection.pivots])
        for values, m in zip(found, counts, strict=True):
            values["quantization"] = float(distances[max(made.reached(m), 1) - 1])
    return tuple(_record(run, m, values, seconds) for m, values in zip(counts, found, strict=True))


def _single(run: _Run, m: int) -> tuple[Record, ...]:
    """One approximation, measured."""
    problem, method, options, _, _, seed, measures = run
    settings: dict[str, Any] = dict(options)
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=problem.matrix(), **settings)
    values: dict[str, float] = {"rank": float(a.rank)}
    if "frobenius" in measures:
        values |= problem.frobenius(a)
    if "trace" in measures:
        _put_trace(values, trace_error(problem.X, problem.kernel, a))
    if "spectral" in measures and problem.is_exact:
        values["spectral"] = _spectral(problem.K, a.factor)
    if "quantization" in measures and a.landmarks is not None:
        values["quantization"] = quantization_error(problem.X, a.landmarks)
    return (_record(run, m, values, a.seconds),)


def _put_trace(values: dict[str, float], trace: float) -> None:
    # Where K − K̃ is not positive semidefinite the diagonals do not tell its nuclear norm.
    if not math.isnan(trace):
        values["trace"] = trace


def _bare(problem: Problem, method: str, factor: FloatArray) -> LowRank:
    """The approximation with this factor, to be measured alone: it knows no landmarks."""
    basis, projection = problem.X[:0], np.empty((0, factor.shape[1]))
    return LowRank(factor, None, None, projection, basis, problem.kernel, method, factor.shape[1], 0.0, 0)


def _floor(run: _Run) -> tuple[Record, ...]:
    """The best rank m at every m, from the eigenvalues of K alone."""
    problem, _, _, counts, _, _, measures = run
    started = time.perf_counter()
    eigenvalues = np.maximum(np.linalg.eigvalsh(problem.K)[::-1], 0.0)
    seconds = time.perf_counter() - started
    records = []
    for m in counts:
        best: dict[str, Any] = dict(zip(MEASURES, best_errors(eigenvalues, m), strict=False))
        values = {measure: float(best[measure]) for measure in measures if measure in best}
        records.append(_record(run, m, {"rank": float(m), **values}, seconds))
    return tuple(records)


def _spectral(K: FloatArray, factor: FloatArray) -> float:
    """‖K − G Gᵀ‖₂ without the difference as a matrix."""

    def product(vector: FloatArray) -> FloatArray:
        flat = vector.ravel()
        result: FloatArray = K @ flat - factor @ (factor.T @ flat)
        return result

    return spectral_norm(LinearOperator(K.shape, matvec=product, dtype=np.float64), SPECTRAL_TOLERANCE)


def _cost(
    problem: Problem, method: str, options: Options, m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    settings: dict[str, Any] = dict(options)
    a = approximate(problem.X, problem.kernel, method, m, seed, **settings)
    values = {"seconds": a.seconds, "kernel_evaluations": float(a.kernel_evaluations), "rank": float(a.rank)}
    head = (problem.name, problem.n, problem.d, problem.kernel)
    return (Record(*head, method, options, m, repeat, seed, values, a.seconds),)
