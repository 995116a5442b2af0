"""Figure 1 of Yang et al. 2012: two balls, Nyström against random Fourier features.

The paper gives N, the balls, the redundant features, σ and m. **Choices** made here: half of the points are
the test; the classifier is a linear SVM with squared hinge loss and C from 5-fold cross-validation on 3 000
rows of the training half; each trial draws halves, landmarks or frequencies, and folds anew.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES, FeatureMap, FeatureRows, feature_map
from nysviz.analysis.learning.leading_subspace import (
    LeadingPairs,
    factor_pairs,
    kernel_pairs,
    principal_cosines,
)
from nysviz.analysis.learning.linear_machines import COST_ROWS, support_vector_machine
from nysviz.datasets import Dataset, two_balls
from nysviz.kernels import Gaussian
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.papers.output import aligned
from nysviz.papers.records import Row, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record, jobs_of

# Standard deviation of the frequencies u ~ N(0, s² I). Only 1/σ makes z(x)ᵀ z(y) an estimate of the kernel.
FREQUENCY_SCALES = ("1/σ", "1", "σ")
FOLDS = 5


def scaled_map(X: FloatArray, method: str, m: int, sigma: float, seed: int, scale: str = "1/σ") -> FeatureMap:
    """Map to Nyström features of m of the rows, or to m random frequencies of deviation ``scale``."""
    if method in RANDOM_FEATURES:
        bandwidth = {"1/σ": sigma, "1": 1.0, "σ": 1.0 / sigma}[scale]
        return feature_map(X, Gaussian(bandwidth), method, m, seed)
    return feature_map(X, Gaussian(sigma), method, min(m, len(X)), seed)


def split(n: int, seed: int) -> tuple[IntArray, IntArray]:
    """Return random halves of n rows: training and test."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


def linear_score(
    X: FloatArray, y: IntArray, method: str, m: int, sigma: float, *, scale: str = "1/σ", seed: int = 0
) -> dict[str, float]:
    """Test a linear machine on m landmarks or frequencies on a random half of the rows.

    ``test_error`` is in per cent, ``penalty`` the C that cross-validation chose, ``features`` their number.
    """
    # Imported late: scikit-learn is slow to import.
    from sklearn.model_selection import StratifiedKFold

    train, test = split(len(X), seed)
    few, folds = y[train][:COST_ROWS], np.zeros(len(train), dtype=np.intp)
    counts = np.unique(few, return_counts=True)[1]
    if len(counts) != 2 or counts.min() < FOLDS:
        raise Refusal(
            f"The training half has {counts.min()} rows in its smallest class, of {len(counts)}; two classes "
            f"of at least {FOLDS} rows are needed for {FOLDS}-fold cross-validation."
        )
    features = scaled_map(X[train], method, m, sigma, seed, scale)
    Z = features.transform(X[train])
    spread = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(few, few)
    for number, (_, fold_rows) in enumerate(spread):
        folds[fold_rows] = number
    is_larger = y == y[train].max()
    signs = np.where(is_larger[train], 1.0, -1.0)[:, None]
    machine = support_vector_machine(FeatureRows(Z, lambda rows: rows, Z.shape[1], Z), signs, folds)
    larger = machine.outputs(features.transform(X[test]))[:, 0] > 0
    accuracy = float(np.mean(larger == is_larger[test]))
    error = 100.0 * (1.0 - accuracy)
    return {"test_error": error, "penalty": machine.penalty, "features": float(Z.shape[1])}


N = 10_000
REDUNDANT = 100
SIGMA = 6.0
MS = (5, 10, 20, 50, 100)
# Repeats on the page, whose picture is then complete in five seconds; ``reproduce`` has its own number.
TRIALS = 3
LANDMARKS = ("uniform", "kmeans")
METHODS = (*LANDMARKS, *RANDOM_FEATURES)
# Eigenvalues of K that are computed, and the dimension of the leading subspace that is compared.
EIGENVALUES = 100
LEADING = 2
PRINTED_EIGENVALUES = (0.785, 0.0067)  # λ₁/N and λ₂/N as printed in panel b


def problem_of(data: Dataset, sigma: float) -> Problem:
    """Return the problem of the two balls with their Gaussian kernel."""
    return Problem(data.name, data.X, Gaussian(sigma), data.digest, data.y)


def accuracy_jobs(
    problem: Problem, methods: Mapping[str, str], ms: Sequence[int] = MS, trials: int = TRIALS, seed: int = 0
) -> list[Job]:
    """Return the runs of panel c for methods with their frequency scales: test_error, penalty, features."""
    series = {(method, scale if method in RANDOM_FEATURES else ""): True for method, scale in methods.items()}
    return jobs_of("linear", problem, series, ms, trials, seed, accuracy_record)


def accuracy_record(
    problem: Problem, series: tuple[str, str], m: int, trial: int, seed: int
) -> tuple[Record, ...]:
    """Train and test one classifier on m landmarks, or on frequencies of a scale."""
    started, (method, scale) = time.perf_counter(), series
    sigma = float(problem.kernel.sigma)  # type: ignore[attr-defined]  # of a Gaussian kernel
    values = linear_score(problem.X, problem.y, method, m, sigma, scale=scale or "1/σ", seed=seed)
    options = (("scale", scale),) if scale else ()
    return (problem.record(method, options, m, trial, seed, values, time.perf_counter() - started),)


def exact_pairs(X: FloatArray, sigma: float, count: int = EIGENVALUES) -> LeadingPairs:
    """Return the leading eigenpairs of K, computed in blocks, so that K is never held."""
    return kernel_pairs(KernelMatrix(X, Gaussian(sigma)), min(count, len(X)), min(LEADING, len(X)))


def feature_pairs(X: FloatArray, method: str, m: int, sigma: float, seed: int, scale: str) -> LeadingPairs:
    """Return the eigenpairs of Z Zᵀ for Nyström or random features Z of all rows."""
    return factor_pairs(scaled_map(X, method, m, sigma, seed, scale).transform(X), LEADING)


def _row_name(method: str, scale: str) -> str:
    """Return the rows' method name, with the frequency scale unless it is that of the definition."""
    return method if scale in ("", "1/σ") else f"{method} (scale {scale})"


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the figure: λ/N with ``m`` as the rank, cosines of the leading subspaces, test errors (%)."""
    data = two_balls(N, REDUNDANT, seed)
    started = time.perf_counter()
    exact = exact_pairs(data.X, SIGMA)
    seconds = time.perf_counter() - started
    head = ("yang-fig1", data.name, data.n, data.d)
    for rank, value in enumerate(exact.values, start=1):
        yield Row(*head, "exact", rank, 0, "eigenvalue", float(value) / data.n, seconds)
    cases = [*product(RANDOM_FEATURES, FREQUENCY_SCALES), *product(LANDMARKS, [""])]
    for repeat, (method, scale) in product(range(repeats), cases):
        started = time.perf_counter()
        pairs = feature_pairs(data.X, method, MS[-1], SIGMA, seed + repeat, scale or "1/σ")
        seconds = time.perf_counter() - started
        last = float(principal_cosines(exact.vectors, pairs.vectors)[-1])
        yield Row(*head, _row_name(method, scale), MS[-1], repeat, "cosine", last, seconds)
    problem, series = problem_of(data, SIGMA), dict.fromkeys(cases, True)
    jobs = jobs_of("linear", problem, series, MS, repeats, seed, accuracy_record)
    yield from rows_of(
        "yang-fig1",
        jobs,
        "test_error",
        name=lambda run: _row_name(run.method, str(dict(run.options).get("scale", ""))),
    )


def table(rows: Sequence[Row]) -> str:
    """Return a text table of the eigenvalues and the printed ones of panel b."""
    eigenvalues = {row.m: row.value for row in rows if row.measure == "eigenvalue"}
    printed = [
        {"panel b": f"λ{rank}/N", "measured": f"{eigenvalues[rank]:.5f}", "printed": f"{value:.4f}"}
        for rank, value in enumerate(PRINTED_EIGENVALUES, start=1)
        if rank in eigenvalues
    ]
    return aligned(printed)
