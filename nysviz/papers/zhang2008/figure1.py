"""Figure 1: Frobenius error against m/n for five schemes; the paper prints curves without numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nysviz.datasets import load
from nysviz.papers.problems import problem_of
from nysviz.papers.row import Row, rows_of
from nysviz.sweep import Job, Problem, sweep_jobs

METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans")
PERCENTS = tuple(range(1, 11))


def jobs(of: Problem, repeats: int, seed: int) -> list[Job]:
    """Return the runs for one data set: five schemes, m = 1 … 10 % of n."""
    counts = [max(1, round(of.n * percent / 100)) for percent in PERCENTS]
    return sweep_jobs(of, dict.fromkeys(METHODS, ()), counts, repeats, seed)


def reproduce(names: Sequence[str], repeats: int = 20, seed: int = 0) -> Iterator[Row]:
    """Yield the Frobenius error of every run, as runs finish."""
    for name in names:
        yield from rows_of("zhang-fig1", jobs(problem_of(load(name)), repeats, seed), "frobenius")
