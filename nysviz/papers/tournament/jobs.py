"""The tournament's methods, rows, bandwidths and m; each bandwidth of a data set is a job."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES
from nysviz.analysis.spectrum import best_errors
from nysviz.datasets import Dataset
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius, quantization_error
from nysviz.papers.data import sample_rows
from nysviz.papers.records import Row, rows
from nysviz.papers.statistics import spearman
from nysviz.refusal import Refusal
from nysviz.sweep import Job

EXPERIMENT = "tournament"
FLOOR = "svd"
# Every method that chooses m landmarks: the ensemble takes several times m, sketch and random features none.
CONTESTANTS = tuple(name for name in METHODS if name not in (FLOOR, "ensemble", "sketch", *RANDOM_FEATURES))
# Their names in sentences that list several of them have no commas.
NAMES = {name: METHODS[name].listed for name in CONTESTANTS}
# Without replacement, like uniform sampling: a row that is drawn twice adds no rank.
OPTIONS: dict[str, dict[str, object]] = {
    name: {"replacement": "without"} for name in ("leverage", "leverage_approx")
}
MULTIPLES = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
PERCENTS = (1, 2, 5, 10)
# Cheap methods run with more landmarks, for comparisons at the cost of an expensive one.
FURTHER = {"uniform": (20, 40), "kmeans": (20,), "rpcholesky": (20, 40)}
# Random rows of larger sets: all methods on 18 sets then take minutes on two cores, not an hour.
ROWS = 1_000
FEWEST_ROWS = 100  # one per cent of fewer rows is no landmark

# Errors below this part of ‖K‖ or tr K are rounding and count as equal.
SMALLEST = 1e-12
ERRORS = ("relative_frobenius", "relative_trace", "quantization")


@dataclass(frozen=True, eq=False)
class Arena:
    """The rows of one data set on which all methods run, with their default width (Zhang 2008)."""

    name: str
    X: FloatArray
    digest: str
    width: float

    def kernel(self, multiple: float) -> Gaussian:
        """Return the Gaussian kernel at a multiple of the default width."""
        return Gaussian.from_width(multiple * self.width)

    def counts(self, method: str) -> list[int]:
        """Return the numbers of landmarks that a method runs with."""
        return [count_of(len(self.X), percent) for percent in levels_of(method)]


def levels_of(method: str) -> tuple[int, ...]:
    """Return the per cents of the rows that a method takes as landmarks."""
    return PERCENTS + FURTHER.get(method, ())


def count_of(n: int, percent: float) -> int:
    """Return the number m of landmarks that is a percentage of n, at least one."""
    return max(1, round(n * percent / 100))


def arena_of(data: Dataset, seed: int = 0) -> Arena:
    """Return all rows of a data set or 1 000 random ones, the same for every repeat."""
    X, digest = sample_rows(data, ROWS, seed)
    X = checked_rows(X)
    width = default_width(X)
    if len(X) < FEWEST_ROWS:
        raise Refusal(
            f"{data.title or data.name} has {len(X)} rows; the tournament takes up to 1 % of them as "
            f"landmarks and needs {FEWEST_ROWS} or more."
        )
    if not width > 0:
        raise Refusal("All rows are equal, so they suggest no bandwidth; choose other data.")
    return Arena(data.name, X, digest, width)


def label_of(name: str, multiple: float) -> str:
    """Return the name that rows give the data: the set's name and the multiple of the default width."""
    return f"{name}@width={multiple:.6g}"


@lru_cache(maxsize=256)
def split_label(label: str) -> tuple[str, float]:
    """Return the set's name and the multiple of the default width of a ``label_of``."""
    name, _, multiple = label.rpartition("@width=")
    return name, float(multiple)


def error_jobs(
    arena: Arena, multiples: Sequence[float] = MULTIPLES, repeats: int = 5, seed: int = 0
) -> list[Job]:
    """Return a job per bandwidth; rows are means over repeats (geometric for errors), with the floor."""
    return [
        Job(
            (EXPERIMENT, "errors", arena.digest, arena.name, multiple, repeats, seed),
            (EXPERIMENT, "errors"),
            float(len(arena.X)) ** 2,
            partial(_errors, arena, multiple, repeats, seed),
        )
        for multiple in multiples
    ]


def _errors(arena: Arena, multiple: float, repeats: int, seed: int) -> tuple[Row, ...]:
    """Measure every method at one bandwidth; K and its eigenvalues are formed once and dropped at the end."""
    kernel, label = arena.kernel(multiple), label_of(arena.name, multiple)
    K = kernel(arena.X)
    eigen = KernelMatrix(arena.X, kernel, dense=K).eigenpairs(len(K))
    matrix = KernelMatrix(arena.X, kernel, dense=K, eigen=eigen)
    size, trace = frobenius(K), float(K.trace())
    kept_rows: list[Row] = []

    def keep(method: str, m: int, runs: int, values: Mapping[str, float]) -> None:
        kept_rows.extend(rows((EXPERIMENT, label, *arena.X.shape, method, m, runs - 1), values))

    for m in arena.counts(FLOOR):
        best = best_errors(np.maximum(eigen[0], 0.0), m)
        relative = {"relative_frobenius": best[0] / size, "relative_trace": best[2] / trace}
        keep(FLOOR, m, 1, {name: max(float(value), SMALLEST) for name, value in relative.items()})
    for method in CONTESTANTS:
        runs = repeats if METHODS[method].random else 1
        apart: list[FloatArray] = []
        for m in arena.counts(method):
            approximations = [_approximate(arena, kernel, method, m, seed + r, matrix) for r in range(runs)]
            logs = np.log([np.maximum(_measure(a, arena.X, K), SMALLEST) for a in approximations])
            evaluations = float(np.mean([a.kernel_evaluations for a in approximations]))
            means = dict(zip(ERRORS, np.exp(logs.mean(axis=0)), strict=True))
            keep(method, m, runs, means | {"kernel_evaluations": evaluations})
            apart.append(logs - logs.mean(axis=0))
        # Correlations of both predictors with the error among the runs of one method: logarithms less their
        # mean at each m, from three runs on.
        if runs >= 3:
            error, *predictors = np.concatenate(apart).T
            names = ("within_trace", "within_quantization")
            rhos = {
                name: spearman(error, predictor) for name, predictor in zip(names, predictors, strict=True)
            }
            keep(method, 0, runs, {name: rho for name, rho in rhos.items() if not math.isnan(rho)})
    return tuple(kept_rows)


def _approximate(
    arena: Arena, kernel: Kernel, method: str, m: int, seed: int, matrix: KernelMatrix | None = None
) -> LowRank:
    return approximate(arena.X, kernel, method, m, seed, matrix=matrix, **OPTIONS.get(method, {}))


def _measure(a: LowRank, X: FloatArray, K: FloatArray) -> tuple[float, float, float]:
    # K − K̃ is positive semidefinite for all of these methods, so its trace norm is tr K − tr K̃.
    trace, factor_trace = float(K.trace()), float(np.einsum("ij,ij->", a.factor, a.factor))
    landmarks: Any = a.landmarks
    error = residual_frobenius(K, a.factor) / frobenius(K)
    return error, max(trace - factor_trace, 0.0) / trace, quantization_error(X, landmarks)


def seconds(arena: Arena, seed: int) -> Iterator[Row]:
    """Yield seconds at the default width without a given K, one run at a time.

    They are the smaller of two runs, since disturbances only add time.
    """
    kernel, label = arena.kernel(1.0), label_of(arena.name, 1.0)
    for method in CONTESTANTS:
        # Loads the method's compiled loops before its time is taken.
        approximate(arena.X[:20], kernel, method, 2, seed)
        for m in arena.counts(method):
            shortest = min(_approximate(arena, kernel, method, m, seed + r).seconds for r in range(2))
            yield from rows(
                (EXPERIMENT, label, *arena.X.shape, method, m, 0), {"seconds": shortest}, shortest
            )
