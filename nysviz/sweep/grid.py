"""The grid of runs: methods × numbers of landmarks × repeats, on one problem after the other."""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from nysviz.analysis.spectrum import best_errors
from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.numerics.blocks import one_blas_thread
from nysviz.nystroem.approximation import approximate, checked_count, checked_method
from nysviz.nystroem.curves import errors_of, nested_quantization
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import quantization_error, spectral_norm
from nysviz.nystroem.measures.exact import trace_error
from nysviz.nystroem.measures.matrix_norms import as_operator
from nysviz.nystroem.nested import nested
from nysviz.refusal import Refusal
from nysviz.sweep.jobs import Finished, Job, run_jobs
from nysviz.sweep.problem import Options, Problem, Record

MEASURES = ("frobenius", "spectral", "trace", "quantization")
FLOOR = "svd"

Series = TypeVar("Series", bound=Hashable)


def sweep_jobs(
    problem: Problem,
    methods: Mapping[str, Options],
    ms: Sequence[int],
    repeats: int = 20,
    seed: int = 0,
    measures: Sequence[str] = ("frobenius",),
) -> list[Job]:
    """Return the runs of a grid: methods with their options at every m, all once before any is repeated.

    Run r of a random method has the seed ``seed + r``. The spectral error costs some twenty products with K a
    run. A nested method costs one factorisation a repeat, not one per m; ``svd`` one set of eigenvalues.
    Where K is too large to be held, Frobenius errors are those of ``sampled_errors``, and svd is left out; so
    is every m at which a mixture's weights are too large for this machine. ValueError for an unknown method,
    option or measure, or m out of range.
    """
    if unknown := sorted(set(measures) - set(MEASURES)):
        raise Refusal(f"Unknown measure {unknown[0]!r}; known are {', '.join(MEASURES)}.")
    fitting = _fitting(problem, methods, ms)
    run_measures = tuple(measure for measure in MEASURES if measure in measures)
    jobs = []
    for repeat in range(repeats):
        for (method, options), counts in fitting.items():
            entry = METHODS[method]
            if counts and (repeat == 0 or entry.random):
                run = _Run(problem, method, options, counts, repeat, seed + repeat, run_measures)
                # The shared factor takes n times the largest m entries, its columns of K as many again.
                shares_factor = entry.nested and memory.is_held(problem.n, 2 * counts[-1])
                jobs += [run.shared_job()] if shares_factor else run.separate_jobs()
    return jobs


def cost_jobs(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int], repeats: int = 3, seed: int = 0
) -> list[Job]:
    """Return runs that measure seconds and kernel evaluations without a given K, for one worker.

    Every method runs once at the smallest m first.
    """
    fitting = _fitting(problem, methods, ms)
    return [
        Job(
            ("cost", problem.digest, problem.kernel, method, options, m, seed, repeat),
            ("cost", method, m if method == FLOOR else None),
            float(m),
            partial(_cost, problem, method, options, m, repeat, seed + repeat),
        )
        for repeat in range(repeats)
        for m in sorted(set().union(*fitting.values()))
        for (method, options), counts in fitting.items()
        if m in counts
    ]


def jobs_of(
    kind: str,
    problem: Problem,
    series: Mapping[Series, bool],
    ms: Sequence[int],
    repeats: int,
    seed: int,
    work: Callable[[Problem, Series, int, int, int], tuple[Record, ...]],
) -> list[Job]:
    """Return a job for each repeat, series and m, all series once before any is repeated.

    ``kind`` names the measurement in the keys of the jobs. ``series`` maps each line of a chart, for example
    a method with its options, to whether it is random: only then is it repeated, and run r has the seed
    ``seed + r``. ``work`` is a function of a module, or a partial of one: (problem, line, m, repeat, seed of
    the run) → records.
    """
    return [
        Job(
            (kind, problem.digest, problem.kernel, line, m, repeat, seed),
            (kind, problem.digest, line),
            float(m),
            partial(work, problem, line, m, repeat, seed + repeat),
        )
        for repeat in range(repeats)
        for line, random in series.items()
        if random or repeat == 0
        for m in sorted(set(ms))
    ]


def sweep(
    problems: Iterable[Problem],
    methods: Mapping[str, Options],
    percents: Sequence[float],
    repeats: int = 20,
    seed: int = 0,
    measures: Sequence[str] = ("frobenius",),
    *,
    executor: Executor | None = None,
) -> Iterator[Finished]:
    """Run a grid over several data sets, m in per cent of n, and yield records as they finish."""
    jobs = []
    for problem in problems:
        ms = [max(1, round(problem.n * percent / 100)) for percent in percents]
        jobs += sweep_jobs(problem, methods, ms, repeats, seed, measures)
    yield from run_jobs(jobs, executor)


def _fitting(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int]
) -> dict[tuple[str, Options], tuple[int, ...]]:
    """Return the numbers of landmarks at which each method fits into this machine's memory."""
    counts = sorted({checked_count(m, problem.n) for m in ms})
    counts_by_method = {}
    for method, options in methods.items():
        entry = checked_method(method, dict(options))
        if method != FLOOR or problem.is_exact:
            fits = [m for m in counts if memory.square_fits(entry.all_landmarks(m, dict(options)))]
            counts_by_method[method, options] = tuple(fits)
    return counts_by_method


@dataclass(frozen=True)
class _Run:
    """One method at one repeat, at all of its numbers of landmarks."""

    problem: Problem
    method: str
    options: Options
    counts: tuple[int, ...]
    repeat: int
    seed: int
    measures: tuple[str, ...]

    def shared_job(self) -> Job:
        """Return one job whose factor serves every m."""
        cells = tuple(map(self._cell, self.counts))
        work = partial(_floor if self.method == FLOOR else _nested, self)
        return Job(("nested", *cells), self._kind(), float(self.counts[-1]), work, cells)

    def separate_jobs(self) -> list[Job]:
        """Return one job per m."""
        cells = [(m, self._cell(m)) for m in self.counts]
        return [Job(cell, self._kind(), float(m), partial(_single, self, m), (cell,)) for m, cell in cells]

    def _cell(self, m: int) -> Hashable:
        return ("run", *self._kind()[:-1], m, self.repeat, self.seed, self.measures)

    def _kind(self) -> tuple[Hashable, ...]:
        problem = (self.problem.digest, self.problem.kernel)
        return (*problem, self.method, self.options, len(self.counts) > 1)

    def record(self, m: int, values: dict[str, float], seconds: float) -> Record:
        """Return the record of the values, with each norm also relative to that of K."""
        # Where K − K̃ is not positive semidefinite, its nuclear norm does not follow from its diagonal.
        if math.isnan(values.get("trace", 0.0)):
            del values["trace"]
        for measure in MEASURES[:3]:
            if measure in values:
                whole = self.problem.norm(measure)
                values.setdefault(f"relative_{measure}", values[measure] / whole if whole > 0 else 0.0)
        return self.problem.record(self.method, self.options, m, self.repeat, self.seed, values, seconds)


def _nested(run: _Run) -> tuple[Record, ...]:
    """Factorise once and measure at every m."""
    problem, counts = run.problem, run.counts
    started = time.perf_counter()
    matrix, rng = problem.matrix(), np.random.default_rng(run.seed)
    with one_blas_thread():
        selection = METHODS[run.method].select(matrix, counts[-1], rng, **dict(run.options))
        nested_factor = nested(matrix, selection)
    seconds = time.perf_counter() - started
    errors = (
        errors_of(problem.K, nested_factor, counts, size=problem.norm("frobenius"))
        if problem.is_exact
        else None
    )
    landmarks = selection.pivots if "quantization" in run.measures else None
    distances = None
    if landmarks is not None and len(landmarks):
        distances = nested_quantization(problem.X, problem.X[landmarks])
    records = []
    for m in counts:
        factor = nested_factor.at(m)
        # This approximation is only measured, so it needs no landmarks.
        basis, no_projection = problem.X[:0], np.empty((0, factor.shape[1]))
        a = LowRank(
            factor, None, None, no_projection, basis, problem.kernel, run.method, factor.shape[1], 0.0, 0
        )
        values = _measure(run, a, errors)
        if distances is not None:
            values["quantization"] = float(distances[max(nested_factor.reached(m), 1) - 1])
        records.append(run.record(m, values, seconds))
    return tuple(records)


def _single(run: _Run, m: int) -> tuple[Record, ...]:
    """Approximate once and measure."""
    problem, options = run.problem, dict(run.options)
    a = approximate(problem.X, problem.kernel, run.method, m, run.seed, matrix=problem.matrix(), **options)
    values = _measure(run, a)
    if "quantization" in run.measures and a.landmarks is not None:
        values["quantization"] = quantization_error(problem.X, a.landmarks)
    return (run.record(m, values, a.seconds),)


def _measure(run: _Run, a: LowRank, errors: Iterator[float] | None = None) -> dict[str, float]:
    """Return rank and errors of an approximation; its Frobenius error is the next of ``errors``, if given."""
    problem, values = run.problem, {"rank": float(a.rank)}
    if "frobenius" in run.measures:
        values |= problem.frobenius(a) if errors is None else {"frobenius": next(errors)}
    if "trace" in run.measures:
        values["trace"] = trace_error(problem.X, problem.kernel, a)
    if "spectral" in run.measures and problem.is_exact:
        # Three digits are read off a chart.
        values["spectral"] = spectral_norm(as_operator(problem.matrix(), a.factor), 1e-3)
    return values


def _floor(run: _Run) -> tuple[Record, ...]:
    """Measure the best approximation of rank m at every m, from the eigenvalues of K alone."""
    started = time.perf_counter()
    eigenvalues = np.maximum(np.linalg.eigvalsh(run.problem.K)[::-1], 0.0)
    seconds = time.perf_counter() - started
    records = []
    for m in run.counts:
        best = zip(MEASURES, map(float, best_errors(eigenvalues, m)), strict=False)
        values = {measure: error for measure, error in best if measure in run.measures}
        records.append(run.record(m, {"rank": float(m), **values}, seconds))
    return tuple(records)


def _cost(
    problem: Problem, method: str, options: Options, m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    settings: dict[str, Any] = dict(options)
    a = approximate(problem.X, problem.kernel, method, m, seed, **settings)
    values = {"seconds": a.seconds, "kernel_evaluations": float(a.kernel_evaluations), "rank": float(a.rank)}
    return (problem.record(method, options, m, repeat, seed, values, a.seconds),)
