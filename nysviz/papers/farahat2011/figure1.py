"""Farahat et al. 2011, figure 1: relative accuracy and seconds of rank-d approximations against columns.

Relative accuracy is ‖K − K_d‖_F / ‖K − K̃_{S,d}‖_F: 1 where the l columns give the best rank d of all. The
paper does not print d, the scaling of the pixels or the weighting of the words. **Choices**: d = 20; pixels
divided by 255, with which σ = 10 is near the size of the pictures' distances; words as counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import sparse

from nysviz import landmarks
from nysviz.approximation import approximate, checked_count
from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.curves import CANCELLATION, residual_frobenius
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, Linear, default_width
from nysviz.lapack.symmetric import eigh
from nysviz.lowrank import LowRank
from nysviz.measures import frobenius
from nysviz.nested import nested_factor
from nysviz.papers.row import Row, rows_of
from nysviz.refusal import Refusal
from nysviz.spectrum import spectrum
from nysviz.sweep import Job, Problem, Record, jobs_of

# A best possible error below this part of ‖K‖ is rounding: nothing is left to be compared with.
NOTHING_LEFT = 1e-12


@dataclass(frozen=True)
class Truncated:
    """Errors ‖K − K̃_{S,d}‖_F at several d, of two rank-d approximations from the same l columns.

    Attributes
    ----------
    best : (len(ds),) array
        Of the best rank d of K̃, from the singular vectors of its factor.
    classical : (len(ds),) array
        Of C V_d Λ_d⁻¹ V_dᵀ Cᵀ with the d leading eigenpairs of W alone.
    """

    best: FloatArray
    classical: FloatArray


def nested_truncations(
    K: FloatArray, factor: FloatArray, pivots: IntArray, ranks: Sequence[tuple[int, int]], ds: Sequence[int]
) -> list[Truncated]:
    """Errors of the rank-d approximations from the first l columns of a nested method, for several l.

    The first r columns G of the factor give K̃ for the first l pivots P. With B = G[P], W = B Bᵀ and
    C = G Bᵀ, so that the classical approximation is G T Tᵀ Gᵀ with T the leading eigenvectors of BᵀB, as the
    best rank d is with those of GᵀG. Each l then costs two eigenproblems of its own size: O(n² r) once for
    Gᵀ K G, and O(l³ + n l²) each.

    Parameters
    ----------
    K : (n, n) array
    factor : (n, r) array
    pivots : (l,) int array
    ranks : sequence of (l, r)
        Numbers of pivots, and of the columns of the factor that belong to them.
    """
    with one_blas_thread():
        image, gram = factor.T @ (K @ factor), factor.T @ factor
        total = frobenius(K) ** 2
        found = []
        for columns, rank in ranks:
            G = factor[:, :rank]
            held = G[pivots[:columns]]
            parts = image[:rank, :rank], gram[:rank, :rank]
            found.append(_both(K, G, total, *parts, held.T @ held, ds))
    return found


def truncations(K: FloatArray, a: LowRank, ds: Sequence[int]) -> Truncated:
    """Errors of the rank-d approximations from one approximation with landmarks; O(n² r)."""
    with one_blas_thread():
        G = a.factor
        held = a.kernel(a.basis) @ a.projection
        return _both(K, G, frobenius(K) ** 2, G.T @ (K @ G), G.T @ G, held.T @ held, ds)


def _both(
    K: FloatArray,
    G: FloatArray,
    total: float,
    image: FloatArray,
    gram: FloatArray,
    landmark_gram: FloatArray,
    ds: Sequence[int],
) -> Truncated:
    errors = []
    for of in (gram, landmark_gram):
        turn = eigh(of)[1][:, ::-1]
        errors.append(_errors(K, G, total, image, gram, turn, ds))
    return Truncated(*errors)


def _errors(
    K: FloatArray,
    G: FloatArray,
    total: float,
    image: FloatArray,
    gram: FloatArray,
    turn: FloatArray,
    ds: Sequence[int],
) -> FloatArray:
    """‖K − H Hᵀ‖_F with H = G T_d, from ‖K‖² − 2 tr(T_dᵀ GᵀKG T_d) + ‖T_dᵀ GᵀG T_d‖² at each d."""
    cross = np.cumsum(np.einsum("ij,ij->j", turn, image @ turn))
    squares = np.cumsum(np.cumsum((turn.T @ gram @ turn) ** 2, axis=0), axis=1).diagonal()
    kept = np.minimum(np.asarray(ds), turn.shape[1])
    if not turn.shape[1]:
        return np.full(len(kept), np.sqrt(total))
    result: FloatArray = np.sqrt(np.maximum(total - 2.0 * cross + squares, 0.0))[kept - 1]
    for i in np.flatnonzero(result <= CANCELLATION * np.sqrt(total)):
        # The differences above have lost half of their digits there.
        result[i] = residual_frobenius(K, G @ turn[:, : kept[i]])
    return result


def best_possible(problem: Problem, ds: Sequence[int]) -> FloatArray:
    """‖K − K_d‖_F of the best rank d at each d; 0 where only rounding is left.

    From ‖K‖² and the leading eigenvalues, or where that cancels, from all of them.
    """
    total = frobenius(problem.K)
    ds = np.minimum(np.asarray(ds), problem.n).tolist()
    values = spectrum(problem.X, problem.kernel, k=max(ds), K=problem.K)
    result = np.sqrt(np.maximum(total**2 - np.cumsum(values**2), 0.0))[np.asarray(ds) - 1]
    if (result <= CANCELLATION * total).any():
        values = spectrum(problem.X, problem.kernel, K=problem.K)
        tails = np.sqrt(np.cumsum(values[::-1] ** 2)[::-1])
        result = np.append(tails, 0.0)[np.asarray(ds)]
    return np.where(result <= NOTHING_LEFT * total, 0.0, result)


EXPERIMENT = "farahat-fig1"
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
# Every run is measured at all of these d, which costs next to nothing.
RANKS = (5, 10, 15, 20, 30, 40, 50, 75, 100)
SECONDS_REPEATS = 3
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


def jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], repeats: int, seed: int
) -> list[Job]:
    """Return the runs that measure relative accuracy, all methods once before any is repeated.

    Parameters are those of ``sweep_jobs``; K is held, so that there are at most 4 500 rows, and methods have
    landmarks.

    Returns
    -------
    list of Job
        Their records hold ``relative_accuracy_d`` and ``classical_accuracy_d`` for each d of ``RANKS`` up to
        l; neither where K itself has rank d up to rounding. One factorisation a repeat where a method is
        nested.
    """
    if not problem.is_exact:
        raise Refusal(
            f"There is no room here for the kernel matrix of {problem.n} rows; take a sample of them, or try "
            "again when the server has more memory."
        )
    counts = tuple(sorted({checked_count(m, problem.n) for m in counts}))
    found = []
    for repeat in range(repeats):
        for method in methods:
            if repeat > 0 and not landmarks.METHODS[method].random:
                continue
            # A method that is not nested starts anew at every l.
            together = landmarks.METHODS[method].nested and counts
            for part in [counts] if together else [(m,) for m in counts]:
                work = partial(_accuracy, problem, method, part, repeat, seed + repeat)
                key = (EXPERIMENT, problem.digest, problem.kernel, method, part, repeat, seed + repeat)
                found.append(Job(key, (EXPERIMENT, problem.digest, method), float(part[-1]), work))
    return found


def _accuracy(
    problem: Problem, method: str, counts: Sequence[int], repeat: int, seed: int
) -> tuple[Record, ...]:
    best = problem.once("best ranks", partial(best_possible, problem, RANKS))
    started = time.perf_counter()
    if landmarks.METHODS[method].nested:
        errors = _nested(problem, method, counts, seed)
    else:
        a = approximate(problem.X, problem.kernel, method, counts[0], seed, matrix=problem.matrix())
        errors = [truncations(problem.K, a, RANKS)]
    seconds = time.perf_counter() - started
    return tuple(
        problem.record(method, (), m, repeat, seed, _ratios(best, error, m), seconds)
        for m, error in zip(counts, errors, strict=True)
    )


def _nested(problem: Problem, method: str, counts: Sequence[int], seed: int) -> list[Truncated]:
    matrix = problem.matrix()
    with one_blas_thread():
        selection = landmarks.METHODS[method].select(matrix, counts[-1], np.random.default_rng(seed))
        factor, columns = nested_factor(matrix, selection)
    if selection.pivots is None:
        raise Refusal(f"{method} has no columns to choose; take a method with landmarks.")
    # A method that stopped early has nothing to add: its last columns stand for every larger l.
    reached = [min(m, len(columns)) for m in counts]
    ranks = [(m, int(columns[m - 1]) if m else 0) for m in reached]
    return nested_truncations(problem.K, factor, selection.pivots, ranks, RANKS)


def _ratios(best: FloatArray, errors: Truncated, m: int) -> dict[str, float]:
    values: dict[str, float] = {}
    for i, d in enumerate(RANKS):
        if d > m or not best[i] > 0:
            continue
        for name, found in (("relative", errors.best[i]), ("classical", errors.classical[i])):
            values[f"{name}_accuracy_{d}"] = float(best[i] / found)
    return values


def seconds_jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], d: int, at_hand: bool, seed: int
) -> list[Job]:
    """Return runs that take the seconds of one rank-d approximation: landmarks, factor and truncation.

    ``at_hand`` says whether K is given, as in the paper's algorithms, or computed when it is asked for.
    """
    series = dict.fromkeys([(method, d, at_hand) for method in methods], True)
    return jobs_of("rank-d seconds", problem, series, counts, SECONDS_REPEATS, seed, _seconds)


def _seconds(
    problem: Problem, series: tuple[str, int, bool], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    method, d, at_hand = series
    matrix = problem.matrix() if at_hand else None
    started = time.perf_counter()
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=matrix).truncate(d)
    seconds = time.perf_counter() - started
    values = {"seconds": seconds, "kernel_evaluations": float(a.kernel_evaluations)}
    return (problem.record(method, (), m, repeat, seed, values, seconds),)


def reproduce(names: Sequence[str], repeats: int = 10, seed: int = 0) -> Iterator[Row]:
    """Yield relative accuracy (best and classical rank d = 20) and seconds, as runs finish."""
    measures = {f"{which}_accuracy_{D}": f"{which}_accuracy" for which in ("relative", "classical")}
    for name in names:
        problem = problem_of(load(name))
        counts = [m for m in counts_of(problem.n) if m >= D]
        for row in rows_of(EXPERIMENT, jobs(problem, METHODS, counts, repeats, seed), *measures):
            yield replace(row, measure=measures[row.measure], seconds=math.nan)
        some = [m for m in counts_of(problem.n, steps=SECONDS_STEPS) if m >= D]
        with ThreadPoolExecutor(1) as alone:
            timed = seconds_jobs(problem, METHODS, some, D, True, seed)
            yield from rows_of(EXPERIMENT, timed, "seconds", executor=alone)
