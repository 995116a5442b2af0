"""Figure 1 of Yang et al. 2012: two balls, Nyström against random Fourier features.

The paper gives N, the balls, the redundant features, σ and m. **Choices** made here: half of the points are
the test; the classifier is a linear SVM with squared hinge loss and C from 5-fold cross-validation on 3 000
rows of the training half; each trial draws halves, landmarks or frequencies, and folds anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, two_balls
from nysviz.kernels import Gaussian
from nysviz.learning.feature_comparison import (
    FREQUENCY_SCALES,
    feature_map,
    linear_score,
)
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.leading_subspace import (
    LeadingPairs,
    factor_pairs,
    kernel_pairs,
    principal_cosines,
)
from nysviz.matrix import KernelMatrix
from nysviz.papers.row import Row
from nysviz.sweep import Job, Problem, Record, run_jobs

EXPERIMENT = "yang-fig1"
N = 10_000
REDUNDANT = 100
SIGMA = 6.0
MS = (5, 10, 20, 50, 100)
TRIALS = 10
METHODS = ("uniform", "kmeans", "rff", "orf")
# Eigenvalues of K that are computed, and the dimension of the leading subspace that is compared.
EIGENVALUES = 100
LEADING = 2
# λ₁/N and λ₂/N as printed in panel b.
PRINTED_EIGENVALUES = (0.785, 0.0067)
TABLE_WIDTH = 16


def problem_of(data: Dataset, sigma: float) -> Problem:
    """Two balls with their Gaussian kernel, as jobs take them."""
    return Problem(data.name, data.X, Gaussian(sigma), data.digest, data.y)


def accuracy_jobs(
    problem: Problem,
    methods: Mapping[str, str],
    ms: Sequence[int] = MS,
    trials: int = TRIALS,
    seed: int = 0,
) -> list[Job]:
    """Runs of panel c, trial by trial.

    Parameters
    ----------
    problem : Problem
        With a Gaussian kernel and two classes.
    methods : mapping of method to frequency scale
        Landmarks have no frequencies: their scale is ignored.
    ms : sequence of int
        Landmarks or frequencies.
    trials : int
        Trial t has the seed ``seed + t``.

    Returns
    -------
    list of Job
        Each returns one record with test_error (%), penalty and features.
    """
    jobs = []
    for trial in range(trials):
        for method, scale in methods.items():
            scale = scale if method in RANDOM_FEATURES else ""
            for m in ms:
                key = ("linear", problem.digest, problem.kernel, method, scale, m, trial, seed + trial)
                work = partial(accuracy_record, problem, method, scale, m, trial, seed + trial)
                jobs.append(Job(key, ("linear", problem.digest, method, scale), float(m), work))
    return jobs


def accuracy_record(
    problem: Problem, method: str, scale: str, m: int, trial: int, seed: int
) -> tuple[Record, ...]:
    """One classifier on m landmarks or frequencies, trained and tested."""
    started = time.perf_counter()
    sigma = float(problem.kernel.sigma)  # type: ignore[attr-defined]  # of a Gaussian kernel
    score = linear_score(problem.X, problem.y, method, m, sigma, scale=scale or "1/σ", seed=seed)
    values = {
        "test_error": 100.0 * (1.0 - score.accuracy),
        "penalty": score.penalty,
        "features": float(score.features),
    }
    seconds = time.perf_counter() - started
    options = (("scale", scale),) if scale else ()
    head = (problem.name, problem.n, problem.d, problem.kernel)
    return (Record(*head, method, options, m, trial, seed, values, seconds),)


def exact_pairs(X: FloatArray, sigma: float, count: int = EIGENVALUES) -> LeadingPairs:
    """Leading eigenpairs of K, (n, 2) eigenvectors, in blocks: K is never held."""
    return kernel_pairs(KernelMatrix(X, Gaussian(sigma)), min(count, len(X)), min(LEADING, len(X)))


def feature_pairs(X: FloatArray, method: str, m: int, sigma: float, seed: int, scale: str) -> LeadingPairs:
    """Eigenpairs of Z Zᵀ for Nyström or random features Z of all rows."""
    return factor_pairs(feature_map(method, m, sigma, seed, scale).fit(X).transform(X), LEADING)


def named(method: str, scale: str) -> str:
    """Method with its frequency scale where that is not the one of the definition."""
    return method if scale in ("", "1/σ") else f"{method} (scale {scale})"


def cases() -> list[tuple[str, str]]:
    """Methods with their frequency scales: random features at each of the three."""
    scales = {method: FREQUENCY_SCALES if method in RANDOM_FEATURES else ("",) for method in METHODS}
    return [(method, scale) for method in METHODS for scale in scales[method]]


def reproduce(names: Sequence[str] = (), repeats: int = TRIALS, seed: int = 0) -> Iterator[Row]:
    """Rows of the whole figure: eigenvalues, cosines of the leading subspaces, test errors.

    Parameters
    ----------
    names : sequence of str
        The figure has one data set; anything but ``two_balls`` is refused.
    repeats : int
        Trials of the classifiers and draws of the features.
    seed : int
        Of the data and of the first trial.

    Yields
    ------
    Row
        Measures: eigenvalue (λ/N, with ``m`` as the rank), cosine (of the larger principal angle between the
        leading 2-dimensional subspaces of K and of its approximation), test_error (%).
    """
    if unknown := sorted(set(names) - {"two_balls"}):
        raise ValueError(f"{EXPERIMENT} has the data set two_balls only, not {unknown[0]}.")
    data = two_balls(N, REDUNDANT, seed)
    started = time.perf_counter()
    exact = exact_pairs(data.X, SIGMA)
    seconds = time.perf_counter() - started
    head = (EXPERIMENT, data.name, data.n, data.d)
    for rank, value in enumerate(exact.values, start=1):
        yield Row(*head, "exact", rank, 0, "eigenvalue", float(value) / data.n, seconds)
    for repeat in range(repeats):
        for method, scale in cases():
            started = time.perf_counter()
            pairs = feature_pairs(data.X, method, MS[-1], SIGMA, seed + repeat, scale or "1/σ")
            seconds = time.perf_counter() - started
            last = float(principal_cosines(exact.vectors, pairs.vectors)[-1])
            yield Row(*head, named(method, scale), MS[-1], repeat, "cosine", last, seconds)
    problem = problem_of(data, SIGMA)
    jobs = [job for pair in cases() for job in accuracy_jobs(problem, dict([pair]), MS, repeats, seed)]
    for finished in run_jobs(jobs):
        for record in finished.records:
            method = named(record.method, str(dict(record.options).get("scale", "")))
            error = record.values["test_error"]
            yield Row(*head, method, record.m, record.repeat, "test_error", error, record.seconds)


def table(rows: Sequence[Row]) -> str:
    """Measured numbers beside what the paper prints or states."""
    eigenvalues = {row.m: row.value for row in rows if row.measure == "eigenvalue"}
    lines = ["yang-fig1: two balls", "", "panel b        measured   printed"]
    for rank, printed in enumerate(PRINTED_EIGENVALUES, start=1):
        if rank in eigenvalues:
            lines.append(f"lambda_{rank}/N     {eigenvalues[rank]:8.5f}  {printed:8.4f}")
    lines += ["", "panel c: test accuracy (%), mean ± standard deviation over the trials"]
    methods = list(dict.fromkeys(row.method for row in rows if row.measure == "test_error"))
    ms = sorted({row.m for row in rows if row.measure == "test_error"})
    lines.append(" " * TABLE_WIDTH + "".join(f"{f'm = {m}':>14}" for m in ms))
    for method in sorted(methods):
        lines.append(f"{method:<{TABLE_WIDTH}}" + "".join(f"{_accuracy(rows, method, m):>14}" for m in ms))
    lines += [
        "stated for m = 100: Nyström predicts perfectly, random Fourier features are close to a random guess",
        "",
        f"panels d-f: smaller cosine between leading {LEADING}-dimensional subspaces, m = {MS[-1]}",
    ]
    cosines: dict[str, list[float]] = {}
    for row in rows:
        if row.measure == "cosine":
            cosines.setdefault(row.method, []).append(row.value)
    for method, values in sorted(cosines.items()):
        low, mean = min(values), float(np.mean(values))
        lines.append(f"{method:<{TABLE_WIDTH}}mean {mean:.4f}, lowest {low:.4f}, highest {max(values):.4f}")
    return "\n".join(lines)


def _accuracy(rows: Sequence[Row], method: str, m: int) -> str:
    found = [r.value for r in rows if r.measure == "test_error" and r.method == method and r.m == m]
    return f"{100 - np.mean(found):.1f} ± {np.std(found, ddof=min(1, len(found) - 1)):.1f}" if found else "-"
