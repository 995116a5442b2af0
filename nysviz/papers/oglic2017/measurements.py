"""Oglic & Gärtner 2017: theorems 3 and 4 beside what is measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nysviz.approximation import approximate
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
from nysviz.matrix import KernelMatrix
from nysviz.measures import frobenius
from nysviz.measures.matrix_norms import frobenius_in_blocks, rows_of
from nysviz.papers.oglic2017 import figures
from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.figures import STANDARD, matrices_of
from nysviz.papers.oglic2017.lift import PUBLISHED, REFERENCE, checked_scheme, lift_jobs, rank_for
from nysviz.papers.row import Row
from nysviz.spectrum import best_errors

RANKS = (5, 20, 50)
# Rows that are sampled where a set has more, of which the paper takes all up to 25 000: all eigenvectors of K
# are needed, at eleven bandwidths.
ROWS = 2_000
# Rows at which the runs of two large sets are made again, to show how the outcome moves with n.
SIZES = (500, 1_000, 4_000)
WHOLE_REPEATS = 5
WHOLE_SCHEMES = ("kmeanspp", "leverage_approx", "leverage_approx_10m", "dpp_10000", "kmeanspp_lloyd")
# The schemes of the paper, and its refinement; the chain from k-means++ is in ``chains``.
SCHEMES = (*PUBLISHED, "kmeanspp_lloyd")
# Swaps after which a chain is looked at, from either start.
STEPS = (1, 10, 100, 1_000)
STARTS = ("uniform", "kmeanspp")


def lift_of_samples(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Figure 1 on at most ``ROWS`` rows."""
    return figures.figure1(names, repeats, seed, rows=ROWS, schemes=(*SCHEMES, "leverage_approx_10m"))


def ranks_of_samples(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Figure 3 on at most ``ROWS`` rows."""
    return figures.figure3(names, repeats, seed, rows=ROWS, schemes=SCHEMES)


def landmarks_of_samples(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """The three numbers of landmarks on at most ``ROWS`` rows."""
    return figures.landmark_rules(names, repeats, seed, rows=ROWS, schemes=("kmeanspp",))


def lift_at_sizes(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield the errors of figure 1 at other numbers of rows n and the same γ; the data is "name n"."""
    for name in names:
        found = bandwidths(matrices_of(name, ROWS, seed).X)
        for n in SIZES:
            matrices = matrices_of(name, n, seed)
            for value in sorted({*found.values, found.standard}):
                jobs = lift_jobs(matrices, [kernel_at(value)], SCHEMES, [rank_for(n)], repeats, seed)
                mark = f" {STANDARD}" if value == found.standard else ""
                yield from figures.lift_rows("oglic-rows", jobs, f"{name} {n}@gamma={value:.6g}{mark}")
        yield from _on_all_rows(name, min(found.values), min(repeats, WHOLE_REPEATS), seed)


def _on_all_rows(name: str, gamma: float, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the same errors on the whole set, whose kernel matrix is formed in blocks, at one γ."""
    n = load(name).n
    X, kernel = matrices_of(name, n, seed).X, kernel_at(gamma)
    blocks = rows_of(X, kernel, None)
    whole = frobenius_in_blocks(n, blocks, None)
    for repeat in range(repeats):
        for scheme in (REFERENCE, *WHOLE_SCHEMES):
            of = checked_scheme(scheme)
            options: dict[str, Any] = dict(of.options)
            a = approximate(X, kernel, of.method, rank_for(n), seed + repeat, **options)
            error = frobenius_in_blocks(n, blocks, a.factor) / whole
            head = ("oglic-rows", f"{name} {n}@gamma={gamma:.6g}", n, X.shape[1], scheme, rank_for(n), repeat)
            yield Row(*head, "relative_frobenius", error, a.seconds)


def chains(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative error of the k-DPP chain, ``dpp_start_steps``, at γ = 1/median."""
    for name in names:
        matrices = matrices_of(name, ROWS, seed)
        n, d = matrices.X.shape
        kernel = kernel_at(bandwidths(matrices.X).standard)
        K, m = matrices.at(kernel), rank_for(n)
        whole = frobenius(K)
        for repeat in range(repeats):
            for start in STARTS:
                for steps in STEPS:
                    matrix = KernelMatrix(matrices.X, kernel, dense=K)
                    a = approximate(
                        matrices.X, kernel, "dpp", m, seed + repeat, matrix=matrix, start=start, steps=steps
                    )
                    error = frobenius(K - a.factor @ a.factor.T) / whole
                    head = ("oglic-chain", name, n, d, f"dpp_{start}_{steps}", m, repeat)
                    yield Row(*head, "relative_frobenius", error, a.seconds)


def guarantees(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield errors over the best of the same rank, potentials over the best known, and their bounds.

    γ is 1/median. ``over_best`` is ‖K − K̃‖ / ‖K − K_k‖ of k landmarks of kernel k-means++; ``bound`` that of
    theorem 4 with its Θ from the best of ``repeats`` runs of Lloyd with k + 1 clusters, and
    ``outside_share`` the part of their centroids outside the top k eigenvectors, which is 0 where theorem 1
    holds. ``potential`` is that of the seeds over the best clustering's, ``potential_bound`` 8(ln k + 2).
    """
    for name in names:
        matrices = matrices_of(name, ROWS, seed)
        kernel = kernel_at(bandwidths(matrices.X).standard)
        K, n = matrices.at(kernel), len(matrices.X)
        with one_blas_thread():
            values, vectors = np.linalg.eigh(K)
        values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
        features = feature_rows(values, vectors)
        for k in RANKS:
            head = ("oglic-theorems", name, n, matrices.X.shape[1], "kmeanspp", k)
            best = best_errors(values, k)[0]
            clusters = best_clustering(features, k + 1, repeats, seed)
            inside = theta(features, clusters.labels, k, best)
            fixed = {
                "bound": oglic_bound(k, n, inside),
                "outside_share": outside_share(features, clusters.labels, k),
                "potential_bound": arthur_bound(k + 1),
            }
            for measure, value in fixed.items():
                yield Row(*head, 0, measure, value, math.nan)
            for repeat in range(repeats):
                matrix = KernelMatrix(matrices.X, kernel, dense=K)
                a = approximate(matrices.X, kernel, "kmeanspp", k, seed + repeat, matrix=matrix)
                error = frobenius(K - a.factor @ a.factor.T)
                yield Row(*head, repeat, "over_best", error / best, math.nan)
                potential = float(clusters.seed_potentials[repeat]) / clusters.potential
                yield Row(*head, repeat, "potential", potential, math.nan)
