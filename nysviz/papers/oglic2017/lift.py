"""Lift: the error of uniformly chosen landmarks over the error of another choice.

The error is ‖K − K̃_K‖_F of the best rank-K part of K̃ from l ≥ K landmarks. Runs of the same repeat share
their seed, so that uniform sampling and a method are compared in pairs.
"""

import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nysviz.analysis.spectrum import best_errors
from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import approximate, checked_count, checked_method
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.measures import frobenius
from nysviz.papers.labels import STARTS
from nysviz.sweep import Job, Problem, Record, jobs_of
from nysviz.sweep.problem import Options
from nysviz.sweep.ranking import paired_p
from nysviz.text import grouped

REFERENCE = "uniform"
BEST = "svd"
# Numbers of landmarks for rank K (section 5), the largest K of figure 3, and its ranks.
LANDMARKS = ("k", "k ln k", "k ln n")
RANK = 100
RANKS = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
# Errors below this part of ‖K‖_F are rounding and count as equal.
ROUNDING = 1e-13
FEWEST_PAIRS = 6  # with fewer pairs a signed-rank test cannot reach 5 %


@dataclass(frozen=True)
class Scheme:
    """A named method with its options."""

    name: str
    label: str
    method: str
    options: Options = ()

    @property
    def random(self) -> bool:
        """Whether two seeds give two results."""
        return METHODS[self.method].random


_SKETCHED = METHODS["leverage_approx"].label
SCHEMES = {name: Scheme(name, entry.label, name) for name, entry in METHODS.items() if name != "dpp"}
SCHEMES["leverage_approx_10m"] = Scheme(
    "leverage_approx_10m", f"{_SKETCHED}, sketch 10 m", "leverage_approx", (("oversampling", 10.0),)
)
for _name, _start, _steps in (
    ("dpp", "uniform", 1_000),
    ("dpp_10000", "uniform", 10_000),
    ("dpp_kmeanspp", "kmeanspp", 1_000),
    ("dpp_kmeanspp_10000", "kmeanspp", 10_000),
):
    _label = f"k-DPP, {grouped(_steps)} steps" + (f", {STARTS[_start]}" if _start != "uniform" else "")
    SCHEMES[_name] = Scheme(_name, _label, "dpp", (("start", _start), ("steps", _steps)))
# Schemes of the paper, refinements of them, and newer methods.
PUBLISHED = ("kmeanspp", "leverage_approx", "dpp", "dpp_10000")
REFINED = ("kmeanspp_lloyd", "dpp_kmeanspp", "dpp_kmeanspp_10000")
NEWCOMERS = ("rpcholesky", "greedy", "icd")
_BY_SETTING = {(scheme.method, scheme.options): scheme.name for scheme in SCHEMES.values()}


def scheme_of(record: Record) -> str:
    """Return the name of a run's scheme."""
    return _BY_SETTING[record.method, record.options]


def rank_for(n: int) -> int:
    """Return rank 100 as in the paper, or n/5 for fewer than 500 rows, which rank 100 nearly reproduces."""
    return min(RANK, max(1, n // 5))


def ranks_for(n: int, ranks: Sequence[int] = RANKS) -> tuple[int, ...]:
    """Return the ranks of figure 3; for a small set scaled down so that the last is a fifth of the rows."""
    return tuple(sorted({max(1, round(rank * rank_for(n) / ranks[-1])) for rank in ranks}))


def growth(ranks: Sequence[int], values: Sequence[float]) -> float:
    """Return the least-squares slope of the lift in the rank, per 100 ranks."""
    return 100.0 * float(np.polyfit(ranks, values, 1)[0]) if len(set(ranks)) > 1 else math.nan


class Matrices:
    """The kernel matrices of one data set at several bandwidths; the latest two are held."""

    def __init__(self, name: str, X: FloatArray, digest: str) -> None:
        self.name = name
        self.X = checked_rows(X)
        self.digest = digest
        self._lock = threading.Lock()
        self._held: dict[Kernel, FloatArray] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Matrices, (self.name, self.X, self.digest)

    def at(self, kernel: Kernel) -> FloatArray:
        """Return K = k(X, X), (n, n)."""
        with self._lock:
            if kernel not in self._held:
                if len(self._held) > 1:
                    del self._held[next(iter(self._held))]
                self._held[kernel] = kernel(self.X)
            return self._held[kernel]


def landmark_count(rank: int, n: int, rule: str = "k") -> int:
    """Return the number of landmarks for rank k: k, ⌈k ln k⌉ or ⌈k ln n⌉, between k and n."""
    count = {"k": rank, "k ln k": rank * math.log(rank), "k ln n": rank * math.log(n)}[rule]
    return min(n, max(rank, math.ceil(count)))


def lift_jobs(
    matrices: Matrices,
    kernels: Sequence[Kernel],
    schemes: Sequence[str],
    ranks: Sequence[int],
    repeats: int = 10,
    seed: int = 0,
    *,
    rule: str = "k",
    at_hand: bool = True,
) -> list[Job]:
    """Return runs of uniform sampling and of the schemes, for every kernel and rank; repeat by repeat.

    ``svd`` measures the best possible error, O(n³) per kernel. Run r of a random scheme has the seed
    ``seed + r``. ``at_hand`` says whether K is given, which it is not where seconds are compared. The first
    two schemes come first, so that two runs give a lift, the best possible error last.
    """
    n = len(matrices.X)
    counts = tuple((checked_count(rank, n), landmark_count(rank, n, rule)) for rank in sorted(set(ranks)))
    all_schemes = [SCHEMES[name] for name in dict.fromkeys((REFERENCE, *schemes))]
    run_schemes = [scheme for scheme in all_schemes if scheme.name != BEST]

    def job(kernel: Kernel, scheme: Scheme, count: tuple[int, int], repeat: int) -> Job:
        # A scheme without randomness has one run: seeds would only decide between equal rows.
        run_seed = seed + repeat if scheme.random else 0
        key = ("lift", matrices.digest, kernel, scheme, count, seed if scheme.random else 0, repeat, at_hand)
        work = partial(_measure, matrices, (kernel, scheme, count, repeat, run_seed), at_hand)
        return Job(key, (matrices.digest, scheme, at_hand), float(count[1]), work, (key,))

    jobs = []
    for repeat in range(repeats):
        for part in (run_schemes[:2], run_schemes[2:]):
            jobs += [
                job(kernel, scheme, count, repeat)
                for kernel in kernels
                for count in counts
                for scheme in part
                if scheme.random or repeat == 0
            ]
        for kernel in kernels if repeat == 0 and len(run_schemes) < len(all_schemes) else ():
            cells = tuple(("best", matrices.digest, kernel, count) for count in counts)
            work = partial(_best, matrices, kernel, counts)
            jobs.append(Job(("best", *cells), ("best", matrices.digest), 1.0, work, cells))
    return jobs


# Kernel, scheme, rank with the number of landmarks, repeat and seed of a run.
_Run = tuple[Kernel, Scheme, tuple[int, int], int, int]


def _measure(matrices: Matrices, run: _Run, at_hand: bool) -> tuple[Record, ...]:
    kernel, scheme, (rank, landmarks), _, seed = run
    K = matrices.at(kernel)
    matrix = KernelMatrix(matrices.X, kernel, dense=K if at_hand else None)
    method, options = scheme.method, dict(scheme.options)
    a = approximate(matrices.X, kernel, method, landmarks, seed, matrix=matrix, **options)
    factor = a.factor if a.rank <= rank else a.truncate(rank).factor
    return (_record(matrices, run, residual_frobenius(K, factor), a.seconds),)


def _best(matrices: Matrices, kernel: Kernel, counts: tuple[tuple[int, int], ...]) -> tuple[Record, ...]:
    """Measure the error of the best matrix of each rank (Eckart & Young 1936)."""
    K, started = matrices.at(kernel), time.perf_counter()
    values = np.maximum(np.linalg.eigvalsh(K)[::-1], 0.0)
    seconds = time.perf_counter() - started
    records = []
    for count in counts:
        error = float(best_errors(values, count[0])[0])
        record = _record(matrices, (kernel, SCHEMES[BEST], count, 0, 0), error, seconds)
        record.values["largest"] = float(values[0]) / len(K)
        records.append(record)
    return tuple(records)


def _record(matrices: Matrices, run: _Run, error: float, seconds: float) -> Record:
    kernel, scheme, (rank, landmarks), repeat, seed = run
    (n, d), whole = matrices.X.shape, frobenius(matrices.at(kernel))
    values = {
        "frobenius": error,
        "relative_frobenius": error / whole,
        "rank": float(rank),
        "seconds": seconds,
        # (Σ λ)²/Σ λ²: n for the identity, 1 for the matrix of ones; k(x, x) = 1.
        "effective_rank": n**2 / whole**2,
    }
    head = (matrices.name, n, d, kernel, scheme.method, scheme.options)
    return Record(*head, landmarks, repeat, seed, values, seconds)


def rank_jobs(
    problem: Problem,
    methods: Sequence[str],
    ranks: Sequence[int],
    repeats: int,
    seed: int = 0,
    rule: str = "k",
) -> list[Job]:
    """Return a run for each method, rank and repeat: the error of the best rank K of K̃ (equation 5)."""
    series = {method: checked_method(method, {}).random for method in methods}
    counts = [checked_count(rank, problem.n) for rank in ranks]
    return jobs_of(f"rank, {rule}", problem, series, counts, repeats, seed, partial(_rank_run, rule))


def _rank_run(
    rule: str, problem: Problem, method: str, rank: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    landmarks = landmark_count(rank, problem.n, rule)
    with one_blas_thread():
        a = approximate(problem.X, problem.kernel, method, landmarks, seed, matrix=problem.matrix())
        error = problem.frobenius(a if a.rank <= rank else a.truncate(rank))["frobenius"]
    values = {"rank": float(rank), "frobenius": error}
    return (problem.record(method, (), landmarks, repeat, seed, values, a.seconds),)


@dataclass(frozen=True)
class Cell:
    """Conditions of a comparison: a bandwidth γ = 1/σ², a rank and a number of landmarks."""

    bandwidth: float
    rank: int
    landmarks: int


Lifts = dict[Cell, dict[str, FloatArray]]


def cell_of(record: Record) -> Cell:
    """Return the cell of a run."""
    bandwidth = float(getattr(record.kernel, "inverse_square", math.nan))
    return Cell(bandwidth, int(record.values["rank"]), record.m)


def relative_errors(records: Iterable[Record]) -> Lifts:
    """Return relative Frobenius errors: cell → scheme → runs in the order of the repeats."""
    return {
        cell: {name: np.array(list(runs.values())) for name, runs in errors.items()}
        for cell, errors in _by_repeat(records).items()
    }


def lifts(records: Iterable[Record]) -> Lifts:
    """Return lifts, the error of uniform sampling over the scheme's by repeat: cell → scheme → lifts."""
    lifts_by_cell: Lifts = {}
    for cell, errors in _by_repeat(records).items():
        uniform = errors.get(REFERENCE, {})
        lifts_by_cell[cell] = {}
        for name, runs in errors.items():
            partners = runs if SCHEMES[name].random else dict.fromkeys(uniform, runs[0])
            values = [uniform[r] / partners[r] for r in uniform if r in partners]
            if values:
                lifts_by_cell[cell][name] = np.array(values)
    return lifts_by_cell


def _by_repeat(records: Iterable[Record]) -> dict[Cell, dict[str, dict[int, float]]]:
    errors: dict[Cell, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        error = max(record.values["relative_frobenius"], ROUNDING)
        errors[cell_of(record)][scheme_of(record)][record.repeat] = error
    order = sorted(errors, key=lambda cell: (cell.bandwidth, cell.rank, cell.landmarks))
    return {
        cell: {name: dict(sorted(runs.items())) for name, runs in sorted(errors[cell].items())}
        for cell in order
    }


@dataclass(frozen=True)
class Gain:
    """Geometric mean lift over the repeats, one standard deviation of its log either way, Wilcoxon's p."""

    mean: float
    low: float
    high: float
    p: float
    runs: int


def gain(values: FloatArray) -> Gain:
    """Summarise the lifts of one scheme at one cell."""
    logs = np.log(values)
    middle = float(logs.mean())
    spread = float(logs.std(ddof=1)) if len(logs) > 1 else 0.0
    p = paired_p(logs, np.zeros(len(logs))) if len(logs) >= FEWEST_PAIRS else math.nan
    return Gain(math.exp(middle), math.exp(middle - spread), math.exp(middle + spread), p, len(logs))


def gains(lifts_by_cell: Lifts, scheme: str) -> dict[Cell, Gain]:
    """Summarise a scheme at every cell that has runs of it."""
    return {cell: gain(values[scheme]) for cell, values in lifts_by_cell.items() if scheme in values}
