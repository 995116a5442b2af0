"""Zhang, Tsang & Kwok 2008, proposition 3: the bound beside the measured error, for every run of figure 1."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median

import numpy as np

from nysviz.approximation import approximate, checked_count, checked_method
from nysviz.blocks import one_blas_thread
from nysviz.bounds import error_bound
from nysviz.datasets import load
from nysviz.landmarks import METHODS
from nysviz.papers.problems import problem_of
from nysviz.papers.row import Row
from nysviz.sweep import Job, Problem, Record, run_jobs

EXPERIMENT = "zhang-prop3"
# The methods of figure 1 that have landmarks, and its ratios m/n in percent.
METHODS_TRIED = ("icd", "uniform", "column_norm", "kmeans")
PERCENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
MEASURES = ("frobenius", "bound")
# Of float64, in parts of ‖K‖: where every row is a landmark the bound is 0 and the error is not quite.
ROUNDING = 1e-12


def counts(n: int, percents: Sequence[float] = PERCENTS) -> tuple[int, ...]:
    """Numbers of landmarks for ratios in percent of n rows, each once and at least 1."""
    return tuple(sorted({min(n, max(1, round(n * percent / 100))) for percent in percents}))


def bound_jobs(
    problem: Problem,
    methods: Mapping[str, tuple[tuple[str, object], ...]],
    ms: Sequence[int],
    repeats: int,
    seed: int = 0,
) -> list[Job]:
    """Return one run for each method, m and repeat: the error, the bound of proposition 3 and its parts.

    Parameters
    ----------
    problem : Problem
    methods : mapping of method to its options
        With landmarks and one W: neither ``svd`` nor ``ensemble``.
    ms : sequence of int
    repeats : int
        Of the methods with randomness; run r has the seed ``seed + r``.
    seed : int

    Returns
    -------
    list of Job
        Their records hold frobenius, bound, encoding_term, inverse_term, quantization, largest_cluster,
        inverse_norm, distinct (landmarks) and is_least (0 or 1, as in ``ErrorBound``).
    """
    jobs = []
    for repeat in range(repeats):
        for method, options in methods.items():
            if repeat > 0 and not checked_method(method, dict(options)).random:
                continue
            for m in sorted({checked_count(m, problem.n) for m in ms}):
                key = (EXPERIMENT, problem.digest, problem.kernel, method, options, m, repeat, seed)
                work = partial(bound_run, problem, method, options, m, repeat, seed + repeat)
                jobs.append(Job(key, method, 1.0 + 0.01 * m, work))
    return jobs


def bound_run(
    problem: Problem, method: str, options: tuple[tuple[str, object], ...], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    """Approximate once and measure; the error is estimated where K is too large to be held."""
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
    seconds = time.perf_counter() - started
    of_data = (problem.name, problem.n, problem.d, problem.kernel)
    return (Record(*of_data, method, options, m, repeat, seed, values, seconds),)


def reproduce(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Measure error and bound on each data set at its default width, m = 1 … 10 % of n.

    Parameters
    ----------
    names : sequence of str
        Data sets of the catalog.
    repeats : int
        Of the methods with randomness.
    seed : int

    Yields
    ------
    Row
        Of the measures ``frobenius`` and ``bound``, as runs finish.
    """
    for name in names:
        data = load(name)
        jobs = bound_jobs(problem_of(data), dict.fromkeys(METHODS_TRIED, ()), counts(data.n), repeats, seed)
        for finished in run_jobs(jobs):
            for record in finished.records:
                for measure in MEASURES:
                    yield Row(
                        EXPERIMENT,
                        name,
                        record.n,
                        record.d,
                        record.method,
                        record.m,
                        record.repeat,
                        measure,
                        record.values[measure],
                        record.seconds,
                    )


def table(rows: Sequence[Row]) -> str:
    """Say for each data set and method in how many runs the bound holds, and how loose it is.

    Looseness is bound / error, given as its median and in orders of magnitude (log₁₀) over all m and repeats.
    The paper prints no numbers for proposition 3 to be set beside these.
    """
    runs = paired(rows)
    head = f"{'data':<14}{'method':<14}{'runs':>6}{'held':>6}{'error':>11}{'bound':>11}{'orders':>9}"
    lines = ["proposition 3: mean error and median bound over m = 1 … 10 % of n; the paper prints none", head]
    for data, method in sorted({(row.data, row.method) for row in rows}):
        pairs = [pair for (*of, _, _), pair in runs.items() if of == [data, method]]
        if not pairs:
            continue
        n = next(row.n for row in rows if row.data == data)
        held = sum(holds(error, bound, n) for error, bound in pairs)
        # An error of 0 has no looseness; rounding has, and it is told.
        orders = [looseness(bound, error) for error, bound in pairs if error > 0 and bound > 0]
        told = f"{median(orders):.1f}" if orders else "–"
        error, bound = fmean(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
        label = METHODS[method].label if len(METHODS[method].label) < 13 else method
        lines.append(f"{data:<14}{label:<14}{len(pairs):>6}{held:>6}{error:>11.3g}{bound:>11.3g}{told:>9}")
    sizes = {row.data: row.n for row in rows}
    total = sum(holds(error, bound, sizes[data]) for (data, *_), (error, bound) in runs.items())
    lines.append(f"The bound with the derived constant holds in {total} of {len(runs)} runs.")
    return "\n".join(lines)


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
