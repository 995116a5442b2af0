"""Oglic & Gärtner 2017: theorems 3 and 4 beside what is measured, and chains watched on their way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nysviz.approximation import approximate, checked_count, factorise
from nysviz.blocks import one_blas_thread
from nysviz.bounds.relative import (
    arthur_bound,
    best_clustering,
    feature_rows,
    oglic_bound,
    outside_share,
    theta,
)
from nysviz.datasets import load
from nysviz.landmarks import Selection
from nysviz.matrix import KernelMatrix
from nysviz.measures import frobenius
from nysviz.measures.matrix_norms import frobenius_in_blocks, rows_of
from nysviz.papers.oglic2017.figures import at_bandwidths, bandwidths, kernel_at, matrices_of
from nysviz.papers.oglic2017.lift import PUBLISHED, REFERENCE, SCHEMES, rank_for
from nysviz.papers.row import Row, rows
from nysviz.spectrum import best_errors
from nysviz.steps.mixing import STARTS, chain, checkpoints
from nysviz.sweep import Job, Problem, Record, jobs_of

# Of larger sets so many random rows: all eigenvectors of K are needed.
ROWS = 2_000
# Rows at which the runs of two large sets are made again, to show how the outcome moves with n.
SIZES = (500, 1_000, 4_000)
WHOLE_SCHEMES = ("kmeanspp", "leverage_approx", "leverage_approx_10m", "dpp_10000", "kmeanspp_lloyd")


def lift_at_sizes(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the errors of figure 1 at other numbers of rows n and the same γ; the data is "name n"."""
    found, schemes = bandwidths(matrices_of(name, ROWS, seed).X), (*PUBLISHED, "kmeanspp_lloyd")
    for n in SIZES:
        matrices = matrices_of(name, n, seed)
        yield from at_bandwidths("oglic-rows", f"{name} {n}", matrices, found, schemes, repeats, seed)
    yield from on_all_rows(name, min(found.values), min(repeats, 5), seed)


def on_all_rows(name: str, gamma: float, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the same errors on the whole set, whose kernel matrix is formed in blocks, at one γ."""
    n = load(name).n
    X, kernel, rank = matrices_of(name, n, seed).X, kernel_at(gamma), rank_for(n)
    blocks = rows_of(X, kernel, None)
    whole = frobenius_in_blocks(n, blocks, None)
    for repeat in range(repeats):
        for scheme in (REFERENCE, *WHOLE_SCHEMES):
            of = SCHEMES[scheme]
            options: dict[str, Any] = dict(of.options)
            a = approximate(X, kernel, of.method, rank, seed + repeat, **options)
            error = frobenius_in_blocks(n, blocks, a.factor) / whole
            head = ("oglic-rows", f"{name} {n}@gamma={gamma:.6g}", n, X.shape[1], scheme, rank, repeat)
            yield Row(*head, "relative_frobenius", error, a.seconds)


def chains(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative error of the k-DPP chain, ``dpp_start_steps``, at γ = 1/median."""
    matrices = matrices_of(name, ROWS, seed)
    (n, d), X = matrices.X.shape, matrices.X
    kernel = kernel_at(bandwidths(X).standard)
    K, m = matrices.at(kernel), rank_for(n)
    for repeat, start, steps in product(range(repeats), STARTS, (1, 10, 100, 1_000)):
        matrix = KernelMatrix(X, kernel, dense=K)
        a = approximate(X, kernel, "dpp", m, seed + repeat, matrix=matrix, start=start, steps=steps)
        error = frobenius(K - a.factor @ a.factor.T) / frobenius(K)
        head = ("oglic-chain", name, n, d, f"dpp_{start}_{steps}", m, repeat)
        yield Row(*head, "relative_frobenius", error, a.seconds)


def guarantees(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield errors over the best of the same rank, potentials over the best known, and their bounds.

    γ is 1/median. ``over_best`` is ‖K − K̃‖ / ‖K − K_k‖ of k landmarks of kernel k-means++; ``bound`` that of
    theorem 4 with its Θ from the best of ``repeats`` runs of Lloyd with k + 1 clusters, and
    ``outside_share`` the part of their centroids outside the top k eigenvectors, which is 0 where theorem 1
    holds. ``potential`` is that of the seeds over the best clustering's, ``potential_bound`` 8(ln k + 2).
    """
    matrices = matrices_of(name, ROWS, seed)
    kernel = kernel_at(bandwidths(matrices.X).standard)
    K, (n, d) = matrices.at(kernel), matrices.X.shape
    with one_blas_thread():
        values, vectors = np.linalg.eigh(K)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    features = feature_rows(values, vectors)
    for k in (5, 20, 50):
        head = ("oglic-theorems", name, n, d, "kmeanspp", k)
        best = best_errors(values, k)[0]
        clusters = best_clustering(features, k + 1, repeats, seed)
        inside = theta(features, clusters.labels, k, best)
        fixed = {
            "bound": oglic_bound(k, n, inside),
            "outside_share": outside_share(features, clusters.labels, k),
            "potential_bound": arthur_bound(k + 1),
        }
        yield from rows((*head, 0), fixed)
        for repeat in range(repeats):
            matrix = KernelMatrix(matrices.X, kernel, dense=K)
            a = approximate(matrices.X, kernel, "kmeanspp", k, seed + repeat, matrix=matrix)
            measured = {
                "over_best": frobenius(K - a.factor @ a.factor.T) / best,
                "potential": clusters.seed_potentials[repeat] / clusters.potential,
            }
            yield from rows((*head, repeat), measured)


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
