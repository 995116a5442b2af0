"""The probabilities of the methods that draw in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks.selection import RESIDUAL_FLOOR
from nysviz.lapack.symmetric import eigh
from nysviz.steps.criteria import Run

# A direction below this part of the longest column is rounding.
DEPENDENT = 1e-12


def places(run: Run) -> list[tuple[int, int, int]]:
    """Round, place in the round and size of the round of every pick, counted from 1."""
    size = int(run.options.get("per_round", 10))
    total = len(run.pivots)
    return [(t // size + 1, t % size + 1, min(size, total - t // size * size)) for t in range(total)]


def full_rounds(run: Run) -> Iterator[FloatArray]:
    """p_j ∝ ‖column j of K − Q Qᵀ K‖², Q a basis of the columns so far (Deshpande et al. 2006)."""
    K = run.K.full()
    lowest = RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->i", K, K).max())

    def scores(chosen: IntArray) -> FloatArray:
        left = K
        if len(chosen):
            U, lengths, _ = np.linalg.svd(K[:, chosen], full_matrices=False)
            Q = U[:, lengths > DEPENDENT * lengths[0]]
            left = K - Q @ (Q.T @ K)
        squares: FloatArray = np.einsum("ij,ij->j", left, left)
        return np.where(squares > lowest, squares, 0.0)

    return _within_rounds(run, scores)


def partial_rounds(run: Run) -> Iterator[FloatArray]:
    """p_j ∝ ‖row j of C − C̃‖², C̃ of half the rank of the columns C so far (Kumar et al. 2009)."""
    K = run.K.full()

    def scores(chosen: IntArray) -> FloatArray:
        if not len(chosen):
            return np.ones(run.K.n)
        C = K[chosen]
        # C̃ keeps the leading half of W's eigenvectors: the rest of C lies along the others.
        others = eigh(C[:, chosen])[1][:, : max(1, len(chosen) // 2)]
        squares = np.einsum("ij,ij->j", others.T @ C, others.T @ C)
        squares[squares <= RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->j", C, C).max())] = 0.0
        squares[chosen] = 0.0
        # Columns that are reproduced up to rounding tell nothing of the others: a uniform round.
        return squares if squares.any() else np.ones(run.K.n)

    return _within_rounds(run, scores)


def _within_rounds(run: Run, scores: Callable[[IntArray], FloatArray]) -> Iterator[FloatArray]:
    """Probabilities of one round, shared anew among the rows that are left after each of its picks."""
    weights = np.empty(0)
    for t, (_, place, _) in enumerate(places(run)):
        if place == 1:
            weights = scores(run.pivots[:t])
        weights[run.pivots[:t]] = 0.0
        yield weights / weights.sum()
