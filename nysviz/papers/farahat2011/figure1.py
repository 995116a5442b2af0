"""Farahat et al. 2011, figure 1: relative accuracy and seconds of rank-d approximations against columns.

Relative accuracy is ‖K − K_d‖_F / ‖K − K̃_{S,d}‖_F: 1 where the l columns give the best rank d of all. The
paper does not print d, the scaling of the pixels or the weighting of the words. **Choices**: d = 20; pixels
divided by 255, with which σ = 10 is near the size of the pictures' distances; words as counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import sparse

from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, Linear, default_width
from nysviz.papers.farahat2011.figure1_text import table
from nysviz.papers.farahat2011.runs import EXPERIMENT, RANKS, SECONDS_REPEATS, jobs, seconds_jobs
from nysviz.papers.row import Row
from nysviz.sweep import Problem, Record, run_jobs

__all__ = [
    "DATA",
    "METHODS",
    "RANKS",
    "SECONDS_REPEATS",
    "counts_of",
    "jobs",
    "kernel_of",
    "problem_of",
    "reproduce",
    "seconds_jobs",
    "table",
]

DATA = ("mnist", "yaleb", "la1")
METHODS = (
    "uniform",
    "adaptive_full",
    "adaptive_partial",
    "kmeans",
    "sgma",
    "greedy",
    "partition_greedy",
)
D = 20
# Numbers of columns: so many even steps up to 10 % of n, and where n is small, up to a few times d.
UP_TO = 10.0
STEPS = 10
LEAST_TIMES_D = 3
# Seconds are taken at some of the steps.
SECONDS_STEPS = (0, 1, 3, 5, 7, 9)
SIGMA = 10.0
# The paper's MNIST-4K; larger sets give as many rows, drawn with a fixed seed.
ROWS = 4_000
SAMPLE_SEED = 0


def kernel_of(data: Dataset) -> Kernel:
    """The paper's kernel: linear for documents, σ = 10 for pictures with pixels from 0 to 1.

    Other sets, which are not the paper's, get a Gaussian of their default width.
    """
    if sparse.issparse(data.X):
        return Linear()
    if data.image_shape is not None and data.X.min() >= 0.0 and data.X.max() <= 1.0:
        return Gaussian(SIGMA)
    return Gaussian.from_width(default_width(data.X))


def problem_of(data: Dataset, kernel: Kernel | None = None) -> Problem:
    """The kernel matrix of at most 4 000 rows, drawn with a fixed seed where there are more."""
    X, digest = data.X, data.digest
    if data.n > ROWS:
        X = X[np.sort(np.random.default_rng(SAMPLE_SEED).permutation(data.n)[:ROWS])]
        digest = f"{digest}/{ROWS} rows, seed {SAMPLE_SEED}"
    return Problem(data.name, X, kernel_of(data) if kernel is None else kernel, digest)


def counts_of(n: int, d: int = D, up_to: float = UP_TO, steps: Sequence[int] = range(STEPS)) -> list[int]:
    """Numbers of columns up to ``up_to`` per cent of n, or to 3 d where that is more, each once."""
    top = min(n, max(up_to * n / 100, LEAST_TIMES_D * d))
    return sorted({max(1, round(top * (step + 1) / STEPS)) for step in steps})


def reproduce(names: Sequence[str] = DATA, repeats: int = 10, seed: int = 0) -> Iterator[Row]:
    """Yield relative accuracy (best and classical rank d = 20) and seconds, as runs finish.

    Parameters
    ----------
    names : sequence of str
        Of the catalog.
    repeats : int
        Of the methods with randomness. Seconds are taken three times, with K at hand, one run at a time.
    seed : int
    """
    for name in names:
        problem = problem_of(load(name))
        counts = [m for m in counts_of(problem.n) if m >= D]
        for finished in run_jobs(jobs(problem, METHODS, counts, repeats, seed)):
            for record in finished.records:
                yield from _rows(record, "relative_accuracy", f"relative_accuracy_{D}")
                yield from _rows(record, "classical_accuracy", f"classical_accuracy_{D}")
        some = [m for m in counts_of(problem.n, steps=SECONDS_STEPS) if m >= D]
        with ThreadPoolExecutor(1) as alone:
            for finished in run_jobs(seconds_jobs(problem, METHODS, some, D, True, seed), alone):
                for record in finished.records:
                    yield from _rows(record, "seconds", "seconds")


def _rows(r: Record, measure: str, value: str) -> Iterator[Row]:
    if value in r.values:
        seconds = r.seconds if measure == "seconds" else math.nan
        head = (EXPERIMENT, r.data, r.n, r.d, r.method, r.m, r.repeat)
        yield Row(*head, measure, r.values[value], seconds)
