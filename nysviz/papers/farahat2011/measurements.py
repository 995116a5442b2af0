"""Farahat, Ghodsi & Kamel 2011: the recursions against the formulas that they stand for."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.datasets import load
from nysviz.landmarks import METHODS
from nysviz.landmarks.nystroem import nystroem_factor
from nysviz.measures import frobenius
from nysviz.nested import nested_factor
from nysviz.papers.farahat2011 import figure1
from nysviz.papers.row import Row, rows, rows_of
from nysviz.sweep import Problem, Record, sweep_jobs

TIMED = ("uniform", "sgma", "greedy", "partition_greedy")
# What the rows of ``seconds`` call their data after the name and an @.
GIVEN, COMPUTED = "K given", "K computed"


def recursions(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield how far the recursion is from the direct formula, and where two greedy selections part.

    ``difference`` is ‖G Gᵀ − E W⁺ Eᵀ‖ / ‖K‖ for the factor G of the recursion. ``agreed`` counts the first
    pivots that greedy by the f, g recursion has in common with the one that forms the whole residual at every
    step, and ``parted`` is the relative difference of the two criteria where they part, 0 where they do not.
    """
    problem = figure1.problem_of(load(name))
    K, m = problem.K, min(60, problem.n // 4)
    head = ("farahat-recursion", name, problem.n, problem.d)
    for method in ("uniform", "icd", "greedy", "rpcholesky"):
        for repeat in range(repeats if METHODS[method].random else 1):
            matrix = problem.matrix()
            with one_blas_thread():
                selection = METHODS[method].select(matrix, m, np.random.default_rng(seed + repeat))
                G = nested_factor(matrix, selection)[0]
                pivots = selection.pivots
                assert pivots is not None
                H = nystroem_factor(K[:, pivots], K[np.ix_(pivots, pivots)])[0]
                apart = float(np.linalg.norm(G @ G.T - H @ H.T)) / frobenius(K)
            yield Row(*head, method, m, repeat, "difference", apart)
    agreed, parted = _greedy_forms(problem, m)
    yield from rows((*head, "greedy", m, 0), {"agreed": agreed, "parted": parted})


def _greedy_forms(problem: Problem, m: int) -> tuple[int, float]:
    lean = METHODS["greedy"].select(problem.matrix(), m, np.random.default_rng(0), form="lean").pivots
    assert lean is not None
    R = problem.K.copy()
    floor = 1e-12 * float(R.diagonal().max())
    for step, pivot in enumerate(lean):
        gains = _gains(R, floor)
        best = int(gains.argmax())
        if best != pivot:
            return step, float((gains[best] - gains[pivot]) / gains[best])
        R -= np.outer(R[:, best], R[best]) / R[best, best]
    return len(lean), 0.0


def _gains(R: FloatArray, floor: float) -> FloatArray:
    """‖R_:i‖² / R_ii of the whole residual."""
    diagonal = R.diagonal()
    gains = np.zeros(len(R))
    np.divide(np.einsum("ij,ij->i", R, R), diagonal, out=gains, where=diagonal > floor)
    return gains


def ranks(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative accuracy of both truncations at every d, from l columns up to a tenth of n.

    The measures are ``relative_accuracy_d`` for the best rank d of K̃ and ``classical_accuracy_d``.
    """
    measures = [f"{which}_accuracy_{d}" for which in ("relative", "classical") for d in figure1.RANKS]
    problem = figure1.problem_of(load(name))
    counts = figure1.counts_of(problem.n, steps=(1, 4, 9))
    jobs = figure1.jobs(problem, ("uniform", "greedy", "kmeans"), counts, repeats, seed)
    yield from (replace(row, seconds=math.nan) for row in rows_of("farahat-rank-d", jobs, *measures))


def groups(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative error of the partition criterion against its number of groups, m = 0.05 n.

    The method is ``partition_greedy_c``; ``greedy`` has all rows, ``uniform`` looks at none.
    """

    def called(record: Record) -> str:
        return "_".join([record.method, *(str(value) for _, value in record.options)])

    problem = figure1.problem_of(load(name))
    m = max(1, round(0.05 * problem.n))
    jobs = sweep_jobs(problem, {"uniform": (), "greedy": ()}, [m], repeats, seed)
    for c in (5, 10, 20, 50, 100, 200):
        jobs += sweep_jobs(problem, {"partition_greedy": (("groups", c),)}, [m], repeats, seed)
    yield from rows_of("farahat-groups", jobs, "relative_frobenius", name=called)


def seconds(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield processor seconds of a rank-d approximation, the entries of K given and computed when needed."""
    problem = figure1.problem_of(load(name))
    counts = [m for m in figure1.counts_of(problem.n, steps=figure1.SECONDS_STEPS) if m >= figure1.D]
    # Loads the compiled loops.
    for method in TIMED:
        approximate(problem.X, problem.kernel, method, counts[0], seed)
    for repeat, method, m in product(range(repeats), TIMED, counts):
        for how, matrix in ((GIVEN, problem.matrix()), (COMPUTED, None)):
            started = time.process_time()
            approximate(problem.X, problem.kernel, method, m, seed + repeat, matrix=matrix).truncate(
                figure1.D
            )
            spent = time.process_time() - started
            head = ("farahat-seconds", f"{name}@{how}", problem.n, problem.d, method, m, repeat)
            yield Row(*head, "seconds", spent)
