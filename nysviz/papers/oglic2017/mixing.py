"""Chains of the k-DPP from both starts, watched on their way to 10 000 steps (sections 4.2 and 5)."""

from __future__ import annotations

import time

from nysviz.approximation import checked_count, factorise
from nysviz.blocks import one_blas_thread
from nysviz.landmarks import Selection
from nysviz.steps.mixing import STARTS, chain, checkpoints
from nysviz.sweep import Job, Problem, Record, jobs_of


def mixing_jobs(problem: Problem, m: int, chains: int, seed: int = 0) -> list[Job]:
    """Return one job a chain, from the two starts in turn; chain r has the seed ``seed + r``.

    Each yields one record a checkpoint, with the measures steps, log_determinant (of W, its diagonal raised
    as the chain takes it), frobenius, relative_frobenius, kept (part of the start's landmarks that are left)
    and singular (eigenvalues of W that are rounding). The error is estimated from sampled rows where K is
    too large to be held.
    """
    m = checked_count(m, problem.n)
    return jobs_of("oglic-mixing", problem, dict.fromkeys(STARTS, True), [m], chains, seed, _chain)


def _chain(problem: Problem, start: str, m: int, repeat: int, seed: int) -> tuple[Record, ...]:
    """Run one chain and measure it at its checkpoints."""
    began = time.perf_counter()
    steps = checkpoints(problem.n)
    K = problem.matrix()
    options = (("start", start), ("steps", steps[-1]))
    records = []
    with one_blas_thread():
        for moment in chain(K, m, seed, start, steps):
            a = factorise(K, Selection(pivots=moment.landmarks), "dpp", m)
            values = {
                "steps": float(moment.steps),
                "log_determinant": moment.log_determinant,
                **problem.frobenius(a),
                "kept": moment.kept,
                "singular": float(moment.singular),
            }
            seconds = time.perf_counter() - began
            records.append(problem.record("dpp", options, m, repeat, seed, values, seconds))
    return tuple(records)
