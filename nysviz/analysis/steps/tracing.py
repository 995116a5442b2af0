"""Run a method by the registry's own ``select`` and work out the criterion of each of its choices."""

from typing import Any

import numpy as np

from nysviz.analysis.steps import exchanges
from nysviz.analysis.steps.record import RecordingGenerator, Trace, TracedStep
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import residual_floor
from nysviz.landmarks.step_rule import RecordedRun
from nysviz.numerics.lapack.triangular import add_product
from nysviz.nystroem.approximation import checked_count, checked_kernel, checked_method
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.nested import nested
from nysviz.refusal import Refusal

STEPWISE = {name: rule for name, method in METHODS.items() if (rule := method.step_rule) is not None}
"""Step rules of the methods that can be followed, by id."""

EXCHANGES = {"swaps": exchanges.swaps, "moves": exchanges.lloyd, "descent": exchanges.descent}
# Default number of landmarks of a method that keeps their number.
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
    landmarks to choose, swaps to propose (``dpp``) or iterations (``kmeans``, ``gradient``); these three
    alone take ``landmarks``, 20 or as many as there are rows. Fewer steps where the method stops by itself;
    its notes say so. K is held, and one residual matrix beside it: meant for some hundred rows. O(n² T)
    beyond the method. ValueError for an unknown method or option, one that the kernel does not suit, or
    numbers out of range.
    """
    if method not in STEPWISE:
        raise Refusal(f"{method!r} cannot be followed step by step; choose one of {', '.join(STEPWISE)}.")
    checked_method(method, dict(options))
    checked_kernel(method, K.kernel)
    recording = RecordingGenerator(rng.bit_generator)
    rule = STEPWISE[method]
    if isinstance(rule.values, str):
        if steps < 1 or steps != int(steps):
            raise Refusal(f"steps = {steps}; a whole number from 1 is needed.")
        m = checked_count(min(KEPT_LANDMARKS, K.n) if landmarks is None else landmarks, K.n)
        return EXCHANGES[rule.values](K, method, m, int(steps), recording, dict(options))
    if landmarks is not None:
        raise Refusal(f"{method} adds one landmark a step: give steps, not landmarks.")
    return _one_by_one(K, method, checked_count(steps, K.n), recording, dict(options))


def _one_by_one(
    K: KernelMatrix, method: str, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    entry, rule = METHODS[method], STEPWISE[method]
    assert not isinstance(rule.values, str)
    selection = entry.select(K, steps, rng, **options)
    pivots = np.empty(0, dtype=np.intp) if selection.pivots is None else selection.pivots
    approximations = nested(K, selection)
    factor, ranks = approximations.factor, np.concatenate([[0], approximations.columns]).astype(np.intp)
    # Diagonal and squared rows of K − G_t G_tᵀ before the first pick and after each.
    R = K.full().copy()
    diagonals, squares = np.empty((2, len(ranks), K.n))
    for t, rank in enumerate(ranks):
        if t:
            new = factor[:, ranks[t - 1] : rank]
            add_product(R, new, new.T, -1.0)
            # Rounding leaves only noise in a chosen row.
            R[pivots[t - 1]] = 0.0
            R[:, pivots[t - 1]] = 0.0
        diagonals[t] = np.maximum(R.diagonal(), 0.0)
        squares[t] = np.einsum("ij,ij->i", R, R)
    settings, floor = entry.defaults | options, residual_floor(K)
    run = RecordedRun(K, pivots, diagonals, squares, floor, factor, ranks, rng.answers, settings)
    places = rule.rounds(run) if rule.rounds else [None] * len(pivots)
    done = [
        TracedStep(pick=int(pivot), criterion=criterion, landmarks=pivots[: t + 1], round_place=places[t])
        for t, (pivot, criterion) in enumerate(zip(pivots, rule.values(run), strict=True))
    ]
    total = frobenius(K.full()) or 1.0
    errors = np.sqrt(squares.sum(axis=1)) / total
    return Trace(method, tuple(done), errors, diagonals, selection.notes, factors=(factor,), ranks=ranks)
