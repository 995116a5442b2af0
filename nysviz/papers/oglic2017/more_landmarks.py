"""Rank K from l ≥ K landmarks on one kernel matrix: what equation (5), the bound of the k-DPP, speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nysviz.approximation import approximate, checked_count, checked_method
from nysviz.blocks import one_blas_thread
from nysviz.papers.oglic2017.lift import landmark_count
from nysviz.sweep import Job, Problem, Record, jobs_of


def rank_jobs(
    problem: Problem,
    methods: Sequence[str],
    ranks: Sequence[int],
    repeats: int,
    seed: int = 0,
    rule: str = "K",
) -> list[Job]:
    """Return one run for each method, rank and repeat, with as many landmarks as the rule says.

    ``ranks`` are K, each from 1 to n, and ``rule`` is one of ``LANDMARKS``; the other parameters are those of
    ``sweep_jobs``. Records have l as m and the measures rank (K) and frobenius: the error of the best rank K
    of K̃.
    """
    series = {method: checked_method(method, {}).random for method in methods}
    counts = [checked_count(rank, problem.n) for rank in ranks]
    return jobs_of(f"rank, {rule}", problem, series, counts, repeats, seed, partial(_run, rule))


def _run(rule: str, problem: Problem, method: str, rank: int, repeat: int, seed: int) -> tuple[Record, ...]:
    landmarks = landmark_count(rank, problem.n, rule)
    with one_blas_thread():
        a = approximate(problem.X, problem.kernel, method, landmarks, seed, matrix=problem.matrix())
        error = problem.frobenius(a if a.rank <= rank else a.truncate(rank))["frobenius"]
    values = {"rank": float(rank), "frobenius": error}
    return (problem.record(method, (), landmarks, repeat, seed, values, a.seconds),)
