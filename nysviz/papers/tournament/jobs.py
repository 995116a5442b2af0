"""Who takes part in the tournament, on which rows, bandwidths and m; a bandwidth of a data set is a job."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray
from nysviz.curves import residual_frobenius
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix
from nysviz.measures import frobenius, quantization_error
from nysviz.papers.oglic2017.lift import sampled
from nysviz.papers.row import Row
from nysviz.papers.statistics import spearman
from nysviz.refusal import Refusal
from nysviz.rows import checked_rows
from nysviz.spectrum import best_errors
from nysviz.sweep import Job

EXPERIMENT = "tournament"
FLOOR = "svd"
# Every method that chooses m landmarks: the ensemble takes several times m, sketch and random features none.
CONTESTANTS = tuple(name for name in METHODS if name not in (FLOOR, "ensemble", "sketch", *RANDOM_FEATURES))
# Their names in sentences that list several of them have no commas.
NAMES = {name: METHODS[name].listed for name in CONTESTANTS}
# As uniform sampling draws: a row that is drawn twice adds no rank.
OPTIONS: dict[str, dict[str, object]] = {
    name: {"replacement": "without"} for name in ("leverage", "leverage_approx")
}
MULTIPLES = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
PERCENTS = (1, 2, 5, 10)
# Cheap methods are taken further: at the cost of a dear one they could have had more landmarks.
FURTHER = {"uniform": (20, 40), "kmeans": (20,), "rpcholesky": (20, 40)}
# Of larger sets so many random rows: all methods on 18 sets then take minutes of two cores, not an hour.
ROWS = 1_000
# One per cent of fewer rows is no landmark.
FEWEST_ROWS = 100
SEPARATOR = "@width="

# Left out: adult and forest, whose rows are those of adult1a and covtype, since data sets are to be
# independent; documents, which are sparse; generated sets, of which there are as many as one likes.
DATA = (
    "digits",
    "breast_cancer",
    "wine",
    "diabetes",
    "iris",
    "china_patches",
    "flower_patches",
    "german",
    "splice",
    "adult1a",
    "dna",
    "segment",
    "w1a",
    "svmguide1a",
    "satimage",
    "usps",
    "cpu",
    "census",
    "cod-rna",
    "covtype",
    "elevators",
    "ailerons",
    "delta_ailerons",
    "cal_housing",
    "ujil",
    "ct_slice",
    "mnist",
    "yaleb",
    "pie",
)
EMBEDDED = DATA[:7]


@dataclass(frozen=True, eq=False)
class Arena:
    """The rows of one data set on which all methods meet.

    Attributes
    ----------
    name : str
        For the records.
    X : (n, d) array
    digest : str
        Names the content of X.
    width : float
        Default width of these rows (Zhang 2008): their mean squared distance to the mean.
    """

    name: str
    X: FloatArray
    digest: str
    width: float

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def kernel(self, multiple: float) -> Gaussian:
        """The Gaussian kernel at a multiple of the default width."""
        return Gaussian.from_width(multiple * self.width)

    def count(self, percent: float) -> int:
        """Landmarks that are so many per cent of the rows."""
        return count_of(self.n, percent)


def count_of(n: int, percent: float) -> int:
    """Landmarks m that are so many per cent of n rows, at least one."""
    return max(1, round(n * percent / 100))


def arena_of(data: Dataset | str, seed: int = 0, rows: int = ROWS) -> Arena:
    """Return all rows of a data set or ``rows`` random ones, the same for every repeat."""
    data = load(data) if isinstance(data, str) else data
    if not isinstance(data.X, np.ndarray):
        raise Refusal(
            f"{data.name} is a sparse set of documents; the Gaussian kernel of the tournament takes dense "
            "rows."
        )
    X, digest = sampled(data, rows, seed)
    X = checked_rows(X)
    if len(X) < FEWEST_ROWS:
        raise Refusal(
            f"{data.title or data.name} has {len(X)} rows; the tournament takes up to 1 % of them as "
            f"landmarks and needs {FEWEST_ROWS} or more."
        )
    width = default_width(X)
    if not width > 0:
        raise Refusal("All rows are equal, so they suggest no bandwidth; choose other data.")
    return Arena(data.name, X, digest, width)


def label_of(name: str, multiple: float) -> str:
    """What a row calls its data: the name and the multiple of the default width."""
    return f"{name}{SEPARATOR}{multiple:.6g}"


def split_label(label: str) -> tuple[str, float]:
    """Name and multiple of ``label_of``."""
    name, _, multiple = label.rpartition(SEPARATOR)
    return name, float(multiple)


# Errors below this part of ‖K‖ or tr K are rounding, and of two such errors none is the smaller.
SMALLEST = 1e-12
# Seconds are the least of so many runs: whatever else the machine does only adds to them.
TIMINGS = 2
# Fewer runs at one m say nothing of what goes with what among them.
FEWEST_RUNS = 3
ERRORS = ("relative_frobenius", "relative_trace", "quantization")
WITHIN = ("within_quantization", "within_trace")


def levels_of(method: str) -> tuple[int, ...]:
    """Per cent of the rows that a method takes as landmarks."""
    return PERCENTS + FURTHER.get(method, ())


def error_jobs(
    arena: Arena,
    multiples: Sequence[float] = MULTIPLES,
    methods: Sequence[str] = CONTESTANTS,
    repeats: int = 5,
    seed: int = 0,
) -> list[Job]:
    """Return one job for each bandwidth: every method at every m, ``repeats`` times where it is random.

    The rows that a job returns are means over the repeats: geometric ones of the errors, plain ones of the
    kernel evaluations; ``repeat`` is the number of the last repeat. The floor is among them.
    """
    return [
        Job(
            (EXPERIMENT, "errors", arena.digest, arena.name, multiple, tuple(methods), repeats, seed),
            (EXPERIMENT, "errors"),
            float(arena.n) ** 2,
            partial(_errors, arena, multiple, tuple(methods), repeats, seed),
        )
        for multiple in multiples
    ]


def cost_job(arena: Arena, methods: Sequence[str] = CONTESTANTS, seed: int = 0) -> Job:
    """Return the job that takes the seconds of every method and m, at the default width.

    Run it on an executor with one worker: runs side by side slow one another.
    """
    return Job(
        (EXPERIMENT, "seconds", arena.digest, arena.name, tuple(methods), seed),
        (EXPERIMENT, "seconds"),
        float(arena.n) ** 2,
        partial(_seconds, arena, tuple(methods), seed),
    )


def _errors(
    arena: Arena, multiple: float, methods: tuple[str, ...], repeats: int, seed: int
) -> tuple[Row, ...]:
    """Every method at one bandwidth; K and its eigenvalues are formed once and given up at the end."""
    kernel = arena.kernel(multiple)
    K = kernel(arena.X)
    eigen = KernelMatrix(arena.X, kernel, dense=K).eigenpairs(arena.n)
    matrix = KernelMatrix(arena.X, kernel, dense=K, eigen=eigen)
    size, trace = frobenius(K), float(K.trace())

    def row(method: str, m: int, runs: int, measure: str, value: float) -> Row:
        label = label_of(arena.name, multiple)
        n, d = arena.X.shape
        return Row(EXPERIMENT, label, n, d, method, m, runs - 1, measure, value, math.nan)

    rows = [
        row(FLOOR, arena.count(percent), 1, measure, value)
        for percent in PERCENTS
        for measure, value in _floor(eigen[0], arena.count(percent), size, trace).items()
    ]
    for method in methods:
        runs = repeats if METHODS[method].random else 1
        apart: list[FloatArray] = []
        for percent in levels_of(method):
            m = arena.count(percent)
            every = (_approximated(arena, kernel, method, m, seed + r, matrix) for r in range(runs))
            found = [_measured(a, arena.X, K) for a in every]
            logs = np.log([[max(one[name], SMALLEST) for name in ERRORS] for one in found])
            means = dict(zip(ERRORS, np.exp(logs.mean(axis=0)), strict=True))
            means["kernel_evaluations"] = float(np.mean([one["kernel_evaluations"] for one in found]))
            rows += [row(method, m, runs, measure, float(value)) for measure, value in means.items()]
            apart.append(logs - logs.mean(axis=0))
        if runs >= FEWEST_RUNS:
            rows += [row(method, 0, runs, name, value) for name, value in _within(apart).items()]
    return tuple(rows)


def _approximated(
    arena: Arena, kernel: Kernel, method: str, m: int, seed: int, matrix: KernelMatrix | None = None
) -> LowRank:
    return approximate(arena.X, kernel, method, m, seed, matrix=matrix, **OPTIONS.get(method, {}))


def _measured(a: LowRank, X: FloatArray, K: FloatArray) -> Mapping[str, float]:
    # K − K̃ is positive semidefinite for all of these methods: its trace is what the factor has not.
    whole = float(K.trace())
    held = float(np.einsum("ij,ij->", a.factor, a.factor))
    landmarks: Any = a.landmarks
    return {
        "relative_frobenius": residual_frobenius(K, a.factor) / frobenius(K),
        "relative_trace": max(whole - held, 0.0) / whole,
        "quantization": quantization_error(X, landmarks),
        "kernel_evaluations": float(a.kernel_evaluations),
    }


def _floor(eigenvalues: FloatArray, m: int, size: float, trace: float) -> Mapping[str, float]:
    best = best_errors(np.maximum(eigenvalues, 0.0), m)
    return {
        "relative_frobenius": max(float(best[0]) / size, SMALLEST),
        "relative_trace": max(float(best[2]) / trace, SMALLEST),
    }


def _within(apart: Sequence[FloatArray]) -> dict[str, float]:
    """Rank correlation over the repeats of one method: of both predictors with the Frobenius error.

    Logarithms less their mean at each m, ranked together: what m does to all three is taken out. A predictor
    that does not vary predicts nothing and has no row.
    """
    error, trace, quantization = np.concatenate(apart).T
    found = {name: spearman(error, of) for name, of in zip(WITHIN, (quantization, trace), strict=True)}
    return {name: rho for name, rho in found.items() if not math.isnan(rho)}


def _seconds(arena: Arena, methods: tuple[str, ...], seed: int) -> tuple[Row, ...]:
    """Seconds as a user meets them: no entry of K is at hand."""
    n, d = arena.X.shape
    kernel, label = arena.kernel(1.0), label_of(arena.name, 1.0)
    rows = []
    for method in methods:
        # The loops of a method are loaded before its time is taken.
        approximate(arena.X[:20], kernel, method, 2, seed)
        for percent in levels_of(method):
            m = arena.count(percent)
            every = (_approximated(arena, kernel, method, m, seed + r) for r in range(TIMINGS))
            least = min(a.seconds for a in every)
            rows.append(Row(EXPERIMENT, label, n, d, method, m, 0, "seconds", least, least))
    return tuple(rows)
