"""Rank-d approximations from l columns, and how far each is from K, for every l from one factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.curves import CANCELLATION, residual_frobenius
from nysviz.lapack.symmetric import eigh
from nysviz.lowrank import LowRank
from nysviz.measures import frobenius
from nysviz.spectrum import spectrum
from nysviz.sweep import Problem

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
    ds : sequence of int
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
