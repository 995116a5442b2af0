"""Figure 3, the eigenvalues of kernel matrices over N with their gap; and the theorems about them.

At most 10 000 random rows, as in the paper. It does not print its cross-validated bandwidth: here the
Gaussian kernel has the rows' default width.
"""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from nysviz.analysis.learning.feature_map import feature_map
from nysviz.analysis.spectrum import spectrum
from nysviz.analysis.spectrum.gaps import effective_dimension, largest_gaps
from nysviz.analysis.spectrum.operators import distance_bound, operator_distances, smallest_sample
from nysviz.datasets import Dataset, eigengap_mixture, largest_gap, load, two_balls
from nysviz.kernels import Gaussian, default_width
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.papers.output import aligned
from nysviz.papers.records import Row, rows
from nysviz.papers.yang2012.figure1 import REDUNDANT, SIGMA, N, exact_pairs

SAMPLED_ROWS = 10_000  # rows behind a spectrum, as in the paper
# The ridge λ of the effective dimension and of ridge regression, in the units of λ_i/N.
RIDGE = 1e-3


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield λ_i/N of the leading 1 000 eigenvalues, the rank i as ``m``, with the seconds of all."""
    data, limit = load(name), rows_that_fit()
    for repeat in range(1 if data.n <= limit else repeats):
        started = time.perf_counter()
        X = sampled(data, seed + repeat, limit)
        kernel = Gaussian.from_width(default_width(X))
        # K is given: the number of rows was chosen so that it fits.
        values = spectrum(X, kernel, K=kernel(X)) / len(X)
        seconds = time.perf_counter() - started
        for rank, value in enumerate(values[:1_000], start=1):
            head = ("yang-fig3", name, len(X), data.d, "svd", rank, repeat)
            yield Row(*head, "eigenvalue", float(value), seconds)


def rows_that_fit() -> int:
    """Return how many rows can be decomposed in the free memory, at least 1 000 and at most 10 000."""
    return max(1_000, min(SAMPLED_ROWS, math.isqrt(memory.most_bytes() // 8)))


def sampled(data: Dataset, seed: int, limit: int) -> FloatArray:
    """Return all rows, or ``limit`` random ones where there are more."""
    X: FloatArray = data.X
    return X if data.n <= limit else X[np.random.default_rng(seed).permutation(data.n)[:limit]]


def table(rows: Sequence[Row]) -> str:
    """Return a text table of gap, effective dimension and the m of theorem 1, a line per spectrum."""
    lines = []
    for (name, n), part in groupby(rows, key=lambda row: (row.data, row.n)):
        values = np.array([row.value for row in part if row.repeat == 0])
        gap = largest_gaps(values)[0]
        low, high = (f"{end:.3g}" for end in dimension_between(values, n))
        lines.append(
            {
                "data": name,
                "N": str(n),
                "λ₁/N": f"{values[0]:.3g}",
                "gap/N": f"{gap.size:.3g}",
                "r": str(gap.r),
                "d(0.001)": low if low == high else f"{low} - {high}",
                "m of theorem 1": str(smallest_sample(n, gap.size) or "none"),
            }
        )
    note = "Gaussian kernel of the default width; the paper prints curves without numbers, and no bandwidth."
    return f"{aligned(lines)}\n{note}"


def dimension_between(values: FloatArray, n: int) -> tuple[float, float]:
    """Return bounds of the effective dimension of n eigenvalues of which the leading ones are known.

    The trace of K/N is 1: the unknown eigenvalues sum to the remainder, each as large as the last known one,
    or all equal.
    """
    leading_part = effective_dimension(values, RIDGE)
    beyond, remainder = n - len(values), 1.0 - float(values.sum())
    if not beyond or remainder <= 0.0:
        return leading_part, leading_part
    low = leading_part + remainder / (float(values[-1]) + RIDGE)
    return low, leading_part + beyond * remainder / (remainder + beyond * RIDGE)


CLUSTERS = 5


def eigenvalues_over_seeds(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the two leading eigenvalues over N of the two balls, a sample of the balls a repeat."""
    for repeat in range(repeats):
        X = two_balls(N, REDUNDANT, seed + repeat).X
        values = exact_pairs(X, SIGMA, 3).values / len(X)
        for rank in (1, 2):
            head = ("yang-fig1-seeds", name, len(X), X.shape[1], "exact", rank, repeat)
            yield Row(*head, "eigenvalue", float(values[rank - 1]))


def excess_over_gaps(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield excess errors of Nyström and of random features for mixtures with several eigengaps.

    The learner is kernel ridge regression with a fixed λ; the target y = Kc with normal c, of variance 1,
    with noise of deviation 0.1. ``excess`` is the regularised training error λ yᵀ(K̃ + nλI)⁻¹y less the exact
    one, over the exact one (theorem 1); ``mse`` the error on as many new rows over the variance.
    """
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        for repeat in range(repeats):
            yield from _one_mixture(f"{name}@share={share:g}", share * largest_gap(CLUSTERS), repeat, seed)


def _one_mixture(label: str, gap: float, repeat: int, seed: int) -> Iterator[Row]:
    data = eigengap_mixture(2_000, CLUSTERS, gap, seed + repeat)
    train, test = data.X[:1_000], data.X[1_000:]
    rng = np.random.default_rng([seed + repeat, 3])
    kernel = Gaussian.from_width(default_width(train))
    with one_blas_thread():
        K, n = kernel(train), len(train)
        c = rng.normal(size=n)
        scale = float((K @ c).std())
        y = (K @ c) / scale + 0.1 * rng.normal(size=n)
        unseen = kernel(test, train)
        targets = (unseen @ c) / scale
        weights = np.linalg.solve(K + n * RIDGE * np.eye(n), y)
        exact = RIDGE * float(y @ weights)
        exact_mse = float(((unseen @ weights - targets) ** 2).mean())
        leading = spectrum(train, kernel, CLUSTERS + 1) / n
    head = ("yang-eigengap", label, n, data.d)
    gap_of_K = float(leading[-2] - leading[-1])
    yield from rows((*head, "exact", n, repeat), {"eigengap": gap_of_K, "mse": exact_mse})
    for m in (10, 20, 40, 80, 160, 320):
        for method in ("uniform", "rff"):
            features = feature_map(train, kernel, method, m, seed + repeat)
            Z = features.transform(train) if features.factor is None else features.factor
            # The minimum of ‖y − Zw‖²/n + λ‖w‖², and the outputs for new rows.
            with one_blas_thread():
                w = np.linalg.solve(Z.T @ Z + n * RIDGE * np.eye(Z.shape[1]), Z.T @ y)
                residuals, outputs = y - Z @ w, features.transform(test) @ w
            objective = float(residuals @ residuals / n + RIDGE * (w @ w))
            values = {"excess": objective / exact - 1.0, "mse": ((outputs - targets) ** 2).mean()}
            yield from rows((*head, method, m, repeat), values)


def operator_rows(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield ‖L_N − L_m‖_HS of uniform samples, ``frobenius``, and for each m its ``bound`` (theorem 5)."""
    data = load(name)
    X = sampled(data, seed, SAMPLED_ROWS)
    ms = [m for m in (10, 20, 50, 100, 200, 500, 1_000) if m < len(X)]
    started = time.perf_counter()
    distances = operator_distances(KernelMatrix(X, Gaussian.from_width(default_width(X))), ms, repeats, seed)
    seconds = (time.perf_counter() - started) / repeats
    head = ("yang-theorem5", name, len(X), data.d, "uniform")
    for column, m in enumerate(ms):
        for repeat in range(repeats):
            yield Row(*head, m, repeat, "frobenius", float(distances[repeat, column]), seconds)
        yield Row(*head, m, 0, "bound", float(distance_bound(len(X), m)))
