"""Figure 1, error against m/n for five schemes, without printed numbers, and the bound of proposition 3."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

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
EXPERIMENT = "zhang-prop3"
MEASURES = ("frobenius", "bound")
# Of float64, in parts of ‖K‖: where every row is a landmark the bound is 0 and the error is not quite.
ROUNDING = 1e-12


def counts(n: int, percents: Sequence[float] = PERCENTS) -> tuple[int, ...]:
    """Numbers of landmarks for ratios in percent of n rows, each once and at least 1."""
    return tuple(sorted({min(n, max(1, round(n * percent / 100))) for percent in percents}))


def jobs(of: Problem, repeats: int, seed: int) -> list[Job]:
    """Return the runs for one data set: five schemes, m = 1 … 10 % of n."""
    return sweep_jobs(of, dict.fromkeys(SCHEMES, ()), counts(of.n), repeats, seed)


def reproduce(names: Sequence[str], repeats: int = 20, seed: int = 0) -> Iterator[Row]:
    """Yield the Frobenius error of every run, as runs finish."""
    for name in names:
        yield from rows_of("zhang-fig1", jobs(problem_of(load(name)), repeats, seed), "frobenius")


def bound_jobs(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int], repeats: int, seed: int = 0
) -> list[Job]:
    """Return one run for each method, m and repeat: the error, the bound of proposition 3 and its parts.

    Parameters are those of ``sweep_jobs``; methods have landmarks and one W, unlike ``svd`` and ``ensemble``.

    Returns
    -------
    list of Job
        Their records hold frobenius, bound, encoding_term, inverse_term, quantization, largest_cluster,
        inverse_norm, distinct (landmarks) and is_least (0 or 1, as in ``ErrorBound``).
    """
    series = {of: checked_method(of[0], dict(of[1])).random for of in methods.items()}
    return jobs_of(
        EXPERIMENT, problem, series, [checked_count(m, problem.n) for m in ms], repeats, seed, bound_run
    )


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


def reproduce_bound(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield error and bound of every run, at the default width and m = 1 … 10 % of n."""
    for name in names:
        problem = problem_of(load(name))
        jobs = bound_jobs(problem, dict.fromkeys(METHODS, ()), counts(problem.n), repeats, seed)
        yield from rows_of(EXPERIMENT, jobs, *MEASURES)


def paired(rows: Sequence[Row]) -> dict[tuple[str, str, int, int], tuple[float, float]]:
    """Error and bound of each run, by data set, method, m and repeat."""
    parts: dict[tuple[str, str, int, int], dict[str, float]] = {}
    for row in rows:
        parts.setdefault((row.data, row.method, row.m, row.repeat), {})[row.measure] = row.value
    return {
        key: (part["frobenius"], part["bound"]) for key, part in parts.items() if set(MEASURES) <= set(part)
    }


def holds(error: float, bound: float, n: int) -> bool:
    """Whether the error is within the bound, up to rounding in a Gaussian K, whose norm is at most n."""
    return error <= bound + ROUNDING * n


def looseness(bound: float, error: float) -> float:
    """Return bound / error in orders of magnitude; NaN where either is 0."""
    return float(np.log10(bound / error)) if bound > 0 and error > 0 else float("nan")
