"""Figure 1, error against m/n for five schemes, without printed numbers, and the bound of proposition 3."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from nysviz.approximation import approximate, checked_count, checked_method
from nysviz.blocks import one_blas_thread
from nysviz.bounds import error_bound
from nysviz.datasets import load
from nysviz.papers.experiments import problem_of
from nysviz.papers.row import Row, rows_of
from nysviz.sweep import Job, Problem, Record, jobs_of, sweep_jobs
from nysviz.sweep.problem import Options

# The schemes that have landmarks, of which proposition 3 speaks, and all.
METHODS = ("icd", "uniform", "column_norm", "kmeans")
SCHEMES = ("svd", *METHODS)
PERCENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def counts(n: int, percents: Sequence[float] = PERCENTS) -> tuple[int, ...]:
    """Numbers of landmarks for ratios in percent of n rows, each once and at least 1."""
    return tuple(sorted({min(n, max(1, round(n * percent / 100))) for percent in percents}))


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the Frobenius error of every run, as runs finish."""
    problem = problem_of(load(name))
    jobs = sweep_jobs(problem, dict.fromkeys(SCHEMES, ()), counts(problem.n), repeats, seed)
    yield from rows_of("zhang-fig1", jobs, "frobenius")


def bound_jobs(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int], repeats: int, seed: int = 0
) -> list[Job]:
    """Return one run for each method, m and repeat: the error, the bound of proposition 3 and its parts.

    Methods have landmarks and one W, unlike ``svd`` and ``ensemble``. The records hold frobenius, bound,
    encoding_term, inverse_term, quantization, largest_cluster, inverse_norm, distinct (landmarks) and
    is_least (0 or 1, as in ``ErrorBound``).
    """
    series = {of: checked_method(of[0], dict(of[1])).random for of in methods.items()}
    counts = [checked_count(m, problem.n) for m in ms]
    return jobs_of("zhang-prop3", problem, series, counts, repeats, seed, bound_run)


def bound_run(
    problem: Problem, of: tuple[str, Options], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    """Approximate once and measure; the error is estimated where K is too large to be held."""
    method, options = of
    started = time.perf_counter()
    with one_blas_thread():
        a = approximate(problem.X, problem.kernel, method, m, seed, matrix=problem.matrix(), **dict(options))
        bound = error_bound(problem.X, problem.kernel, a)
        error = problem.frobenius(a)["frobenius"]
    values = {
        "frobenius": error,
        "bound": bound.total,
        "encoding_term": bound.encoding_term,
        "inverse_term": bound.inverse_term,
        "quantization": bound.quantization,
        "largest_cluster": float(bound.largest_cluster),
        "inverse_norm": bound.inverse_norm,
        "distinct": float(bound.m),
        "is_least": float(bound.is_least),
    }
    return (problem.record(method, options, m, repeat, seed, values, time.perf_counter() - started),)


def reproduce_bound(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield error and bound of every run, at the default width and m = 1 … 10 % of n."""
    problem = problem_of(load(name))
    jobs = bound_jobs(problem, dict.fromkeys(METHODS, ()), counts(problem.n), repeats, seed)
    yield from rows_of("zhang-prop3", jobs, "frobenius", "bound")
