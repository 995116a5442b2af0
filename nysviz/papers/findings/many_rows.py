"""Runs on 10 000 to 50 000 rows: error and cost of the methods that do not read all of K."""

import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nysviz.datasets import load
from nysviz.datasets.cards import find_card
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.measures import sampled_errors
from nysviz.papers.data import sample_rows
from nysviz.papers.records import Row, rows
from nysviz.papers.tournament.jobs import FLOOR, OPTIONS, SMALLEST, label_of

EXPERIMENT = "many-rows"
# Numbers of rows of each data set.
SIZES: dict[str, tuple[int, ...]] = {
    "adult": (20_000,),
    "cal_housing": (20_000,),
    "clusters": (20_000,),
    "swiss_roll": (20_000, 50_000),
    "eigengap_mixture": (50_000,),
}
# Data that the advice has not seen: it is tried on them.
HELD_OUT: dict[str, tuple[int, ...]] = {"mnist": (10_000,), "elevators": (16_599,), "two_balls": (10_000,)}
# Most rows of other sets.
MOST_ROWS = 20_000
MULTIPLES = (1 / 4, 1.0, 4.0)
COUNTS = (25, 50, 100, 200, 400)
# Ways of choosing that do not read all of K, without those that the tournament has far behind at any cost.
CANDIDATES = (
    "uniform", "kmeans", "kmeanspp", "kmeanspp_lloyd", "gradient", "rpcholesky", "rpcholesky_block", "rls",
    "bless",
)  # fmt: skip
# Random rows that show how fast the eigenvalues fall, and rows of K − K̃ that the error is estimated from.
DECAY_ROWS, ERROR_ROWS = 1_000, 100


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the rows of a data set, one run at a time, since their seconds are compared.

    ``data`` of a row is the name, the number of rows and the multiple of the default width,
    ``clusters 20000@width=1``. The measures are relative_frobenius, estimated from a sample of the rows of
    K − K̃, and kernel_evaluations, with the seconds of the run. The rows of ``svd`` have the error of the
    best rank 100 on 1000 random rows, which says how fast the eigenvalues fall, and entry_seconds, the cost
    of an entry of K.
    """
    for n in (SIZES | HELD_OUT).get(name, (MOST_ROWS,)):
        # Generated sets are made with as many rows.
        data = load(name, n=n) if find_card(name).kind == "generator" else load(name)
        X = checked_rows(sample_rows(data, n, seed)[0])
        label = f"{name} {len(X)}"
        for multiple in MULTIPLES:
            kernel = Gaussian.from_width(multiple * default_width(X))
            yield from _runs(X, kernel, label_of(label, multiple), repeats, seed)


def _runs(X: FloatArray, kernel: Kernel, label: str, repeats: int, seed: int) -> Iterator[Row]:
    sample = X[np.sort(np.random.default_rng(seed).permutation(len(X))[:DECAY_ROWS])]
    m = len(sample) // 10
    measured = {
        "relative_frobenius": best_error(sample, kernel, m),
        "entry_seconds": entry_seconds(sample, kernel),
    }
    yield from rows((EXPERIMENT, label, *X.shape, FLOOR, m, 0), measured)
    for method in CANDIDATES:
        options: dict[str, Any] = OPTIONS.get(method, {})
        # Loads the method's compiled loops before its time is taken.
        approximate(X[:50], kernel, method, 2, seed, **options)
        counts = [count for count in COUNTS if count <= len(X)]
        for count, repeat in product(counts, range(repeats if METHODS[method].random else 1)):
            a = approximate(X, kernel, method, count, seed + repeat, **options)
            error = sampled_errors(X, kernel, a, ERROR_ROWS, seed).relative_frobenius
            measured = {
                "relative_frobenius": max(error, SMALLEST),
                "kernel_evaluations": a.kernel_evaluations,
            }
            yield from rows((EXPERIMENT, label, *X.shape, method, count, repeat), measured, a.seconds)


def best_error(X: FloatArray, kernel: Kernel, m: int) -> float:
    """Return the relative Frobenius error of the best rank m on these rows, not below rounding."""
    values = np.linalg.eigvalsh(kernel(X))[::-1]
    return max(float(np.linalg.norm(values[m:]) / np.linalg.norm(values)), SMALLEST)


def entry_seconds(X: FloatArray, kernel: Kernel) -> float:
    """Return the seconds of an entry of k(X, X), the shortest of five times."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        kernel(X, X)
        taken.append(time.perf_counter() - started)
    return min(taken) / len(X) ** 2
