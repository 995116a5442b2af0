"""Methods that keep their number of landmarks: the swap chain of a k-DPP, Lloyd's algorithm, and descent.

Lloyd's is run by the registry's own function once for each number of steps, on the same random numbers.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from nysviz.analysis.steps.record import RecordingGenerator, Trace, TracedStep
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS, Selection
from nysviz.landmarks.determinantal import swap_chain_states
from nysviz.landmarks.selection import residual_floor
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.approximation import factorise
from nysviz.nystroem.measures import frobenius, residual
from nysviz.refusal import Refusal


def swaps(
    K: KernelMatrix, method: str, m: int, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    """Record the swap chain: proposal, odds and outcome of every step."""
    runs = swap_chain_states(K, m, rng, range(steps + 1), **options)
    final = runs[-1]
    # Positions, slots and uniform numbers are drawn last; nothing is drawn where there is nothing to swap.
    if len(rng.answers) < 4:
        note = "There is nothing to swap: every row is a landmark, or no others differ from those chosen."
        return _measured(K, method, [final], (), (*final.notes, note))
    positions, slots = rng.answers[-3], rng.answers[-2]
    outside = np.setdiff1d(np.arange(K.n), chosen_rows(runs[0]))
    done = []
    for t in range(steps):
        before, after = chosen_rows(runs[t]), chosen_rows(runs[t + 1])
        leaving, entering = int(before[positions[t]]), int(outside[slots[t]])
        accepted = bool(after[positions[t]] == entering)
        if accepted:
            outside[slots[t]] = leaving
        odds = swap_odds(K.full(), before, int(positions[t]), residual_floor(K))
        done.append(TracedStep(entering, odds, landmarks=after, leaving=leaving, accepted=accepted))
    return _measured(K, method, runs, tuple(done), final.notes)


def swap_odds(K: FloatArray, inside: IntArray, position: int, raised: float) -> FloatArray:
    """Return det W_new / det W for each row in the place of one landmark, (n,); O(n m²).

    Without that landmark, each row's residual diagonal is what its entry multiplies the determinant by. 0 for
    the rows that stay.
    """
    stay = np.delete(inside, position)
    W = K[np.ix_(stay, stay)] + raised * np.eye(len(stay))
    residual = K.diagonal() + raised - np.einsum("ij,ij->j", K[stay], np.linalg.solve(W, K[stay]))
    residual[stay] = 0.0
    residual = np.maximum(residual, 0.0)
    odds: FloatArray = residual / max(float(residual[inside[position]]), np.finfo(np.float64).tiny)
    # A landmark cannot be exchanged for itself.
    odds[inside[position]] = 0.0
    return odds


def lloyd(
    K: KernelMatrix, method: str, m: int, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    """Record Lloyd's algorithm until no centre moves: distances before each step, and the moves."""
    if "iterations" in options:
        raise Refusal("Lloyd's algorithm is followed step by step: its iterations are the steps.")
    select, start = METHODS[method].select, rng.bit_generator.state
    runs = [select(K, m, rng, iterations=0, **options)]
    done: list[TracedStep] = []
    for t in range(1, steps + 1):
        rng.bit_generator.state = start
        run = select(K, m, rng, iterations=t, **options)
        before, after = runs[-1].points, run.points
        assert before is not None and after is not None
        moves = np.sqrt(((after - before) ** 2).sum(axis=1))
        if not moves.any():
            break
        runs.append(run)
        # Squared distance of every row to its nearest centre; they sum to the quantization error.
        nearest = np.array([((K.X - centre) ** 2).sum(axis=1) for centre in before]).min(axis=0)
        done.append(TracedStep(None, nearest, points=after, moves=moves))
    notes = runs[-1].notes
    if len(done) < steps:
        notes = (*notes, f"After {len(done)} steps no centre moves any more.")
    return _measured(K, method, runs, tuple(done), notes)


def descent(
    K: KernelMatrix, method: str, m: int, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    """Follow landmarks downhill on the trace error: the residual before each move, and the moves."""
    if "iterations" in options:
        raise Refusal("The descent is followed step by step: its iterations are the steps.")
    places: list[FloatArray] = []
    final = METHODS[method].select(K, m, rng, iterations=steps, visit=places.append, **options)
    notes = final.notes
    assert final.points is not None
    if np.array_equal(final.points, places[0]):
        del places[1:]
    elif len(places) <= steps:
        notes = (*notes, f"After {len(places) - 1} steps no move lowers the trace error by much.")
    followed = _measured(K, method, [Selection(points=points) for points in places], (), notes)
    moves = [np.sqrt(((after - before) ** 2).sum(axis=1)) for before, after in pairwise(places)]
    done = [
        TracedStep(None, diagonal, points=points, moves=move)
        for diagonal, points, move in zip(followed.residuals, places[1:], moves, strict=False)
    ]
    return replace(followed, steps=tuple(done))


def chosen_rows(selection: Selection) -> IntArray:
    """Return the rows that a swap chain has chosen."""
    assert selection.pivots is not None
    return selection.pivots


def _measured(
    K: KernelMatrix,
    method: str,
    runs: Sequence[Selection],
    steps: tuple[TracedStep, ...],
    notes: tuple[str, ...],
) -> Trace:
    full = K.full()
    total = frobenius(full) or 1.0
    approximations = [factorise(K, run, method, 0) for run in runs]
    factors = tuple(a.factor for a in approximations)
    errors = np.array([frobenius(residual(full, G)) / total for G in factors])
    diagonals = np.array([np.maximum(K.diagonal - np.einsum("ij,ij->i", G, G), 0.0) for G in factors])
    return Trace(method, steps, errors, diagonals, notes, start=runs[0].points, factors=factors)
