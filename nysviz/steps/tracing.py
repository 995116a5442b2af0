"""Run a method and work out what each of its choices was made by."""

from __future__ import annotations

from typing import Any

import numpy as np

from nysviz.approximation import checked_count, checked_method
from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks import METHODS
from nysviz.matrix import KernelMatrix
from nysviz.measures import frobenius
from nysviz.nested import nested_factor
from nysviz.refusal import Refusal
from nysviz.steps import criteria, exchanges
from nysviz.steps.record import RecordingGenerator, Step, Trace

ONE_BY_ONE: dict[str, criteria.Criterion] = {
    "icd": criteria.residual_diagonal,
    "rpcholesky": criteria.residual_share,
    "rpcholesky_block": criteria.block_share,
    "greedy": criteria.gain,
    "sgma": criteria.gain_of_candidates,
    "partition_greedy": criteria.grouped_gain,
    "kmeanspp": criteria.distance_share,
    "farthest": criteria.distance,
    "adaptive_full": criteria.full_rounds,
    "adaptive_partial": criteria.partial_rounds,
    "arp": criteria.eigenvector_share,
    "osinsky": criteria.share_by_left_over,
    "dpp_exact": criteria.drawn_eigenvector_share,
    "uniform": criteria.uniform,
}
ROUNDS = {
    "adaptive_full": criteria.places,
    "adaptive_partial": criteria.places,
    "rpcholesky_block": criteria.block_places,
}
EXCHANGING = {"dpp": exchanges.swaps, "kmeans": exchanges.lloyd}
STEPWISE = (*ONE_BY_ONE, *EXCHANGING)
"""Ids of the methods that can be followed."""

# Landmarks of a method that keeps their number, unless another number is asked for.
KEPT_LANDMARKS = 20


def trace(
    K: KernelMatrix,
    method: str,
    steps: int,
    rng: np.random.Generator,
    *,
    landmarks: int | None = None,
    **options: object,
) -> Trace:
    """Follow a method of ``STEPWISE`` step by step.

    The picks are those of ``METHODS[method].select`` with the same generator and options. ``steps`` are
    landmarks to choose, swaps to propose (``dpp``) or iterations (``kmeans``); these two alone take
    ``landmarks``, 20 or as many as there are rows. Fewer steps where the method stops by itself; its notes
    say so. K is held, and one residual matrix beside it: meant for some hundred rows. O(n² T) beyond the
    method. ValueError for an unknown method or option, or numbers out of range.
    """
    if method not in STEPWISE:
        raise Refusal(f"{method!r} cannot be followed step by step; choose one of {', '.join(STEPWISE)}.")
    checked_method(method, dict(options))
    recording = RecordingGenerator(rng.bit_generator)
    if method in EXCHANGING:
        if steps < 1 or steps != int(steps):
            raise Refusal(f"steps = {steps}; a whole number from 1 is needed.")
        m = checked_count(min(KEPT_LANDMARKS, K.n) if landmarks is None else landmarks, K.n)
        return EXCHANGING[method](K, m, int(steps), recording, dict(options))
    if landmarks is not None:
        raise Refusal(f"{method} adds one landmark a step: give steps, not landmarks.")
    return _one_by_one(K, method, checked_count(steps, K.n), recording, dict(options))


def _one_by_one(
    K: KernelMatrix, method: str, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    selection = METHODS[method].select(K, steps, rng, **options)
    pivots = np.empty(0, dtype=np.intp) if selection.pivots is None else selection.pivots
    factor, columns = nested_factor(K, selection)
    ranks = np.concatenate([[0], columns]).astype(np.intp)
    diagonals, squares = _residuals(K.full(), factor, ranks, pivots)
    run = criteria.Run(K, pivots, diagonals, squares, factor, ranks, rng.answers, options)
    in_rounds = ROUNDS[method](run) if method in ROUNDS else [None] * len(pivots)
    done = [
        Step(pick=int(pivot), criterion=criterion, landmarks=pivots[: t + 1], round_place=in_rounds[t])
        for t, (pivot, criterion) in enumerate(zip(pivots, ONE_BY_ONE[method](run), strict=True))
    ]
    total = frobenius(K.full()) or 1.0
    errors = np.sqrt(squares.sum(axis=1)) / total
    return Trace(method, tuple(done), errors, diagonals, selection.notes, factors=(factor,), ranks=ranks)


def _residuals(
    K: FloatArray, factor: FloatArray, ranks: IntArray, pivots: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Diagonal and squared column norms of K − G_t G_tᵀ before the first pick and after each, (T + 1, n)."""
    R = K.copy()
    diagonals, squares = np.empty((2, len(ranks), len(K)))
    for t, rank in enumerate(ranks):
        if t:
            new = factor[:, ranks[t - 1] : rank]
            R -= new @ new.T
            # What rounding leaves of a chosen row would only be noise.
            R[pivots[t - 1]] = 0.0
            R[:, pivots[t - 1]] = 0.0
        diagonals[t] = np.maximum(R.diagonal(), 0.0)
        squares[t] = np.einsum("ij,ij->i", R, R)
    return diagonals, squares
