"""Sampling from a determinantal point process of fixed size, by a chain of swaps."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks.quantize import kmeanspp
from nysviz.landmarks.sampling import uniform
from nysviz.landmarks.selection import Selection, residual_floor
from nysviz.lapack.symmetric import inverse
from nysviz.loops import swap_chain
from nysviz.matrix import KernelMatrix

# Steps for which the kernel of all points concerned is asked for at once and one inverse is maintained: about
# as many as landmarks, so that the fresh inverse, O(m³), costs no more than the steps, O(m²) each.
FEWEST_STEPS = 64
MOST_STEPS = 256


def dpp(
    K: KernelMatrix, m: int, rng: np.random.Generator, steps: int = 1_000, start: str = "uniform"
) -> Selection:
    """Sample m rows with P(S) ∝ det K_SS by a swap chain (Li, Jegelka & Sra 2016).

    Each step proposes to exchange a random landmark for a random other row and accepts with probability
    min(1, det W_new / det W_old). O(m²) a step with a maintained inverse, computed afresh after as many steps
    as there are landmarks, from 64 to 256. Before each such q steps the kernel of all points that they may
    touch is asked for, up to (m + q)² evaluations: 4 m a step for m from 64 to 256, and more elsewhere.

    W is taken with its diagonal raised by ``RESIDUAL_FLOOR`` of the largest k(x, x): of subsets that are all
    singular up to rounding none is then more likely than it should be, and repeated rows stay finite.
    """
    begin = kmeanspp(K, m, rng) if start == "kmeanspp" else uniform(K, m, rng)
    inside = begin.pivots if begin.pivots is not None else np.empty(0, dtype=np.intp)
    if len(inside) < m or m == K.n or not K.diagonal.any():
        return begin
    outside = np.setdiff1d(np.arange(K.n), inside)
    positions = rng.integers(m, size=steps)
    slots = rng.integers(len(outside), size=steps)
    uniforms = rng.random(steps)
    length = min(MOST_STEPS, max(FEWEST_STEPS, m))
    accepted = 0
    for first in range(0, steps, length):
        some = slice(first, first + length)
        accepted += _run(K, inside, outside, positions[some], slots[some], uniforms[some])
    notes = () if accepted or not steps else (f"None of {steps} swaps was accepted.",)
    return Selection(pivots=inside, notes=notes)


def _run(
    K: KernelMatrix,
    inside: IntArray,
    outside: IntArray,
    positions: IntArray,
    slots: IntArray,
    uniforms: FloatArray,
) -> int:
    """Some steps of the chain, in place, from an inverse computed afresh; the number of accepted swaps."""
    m = len(inside)
    # Every point that can be a landmark within these steps, and its kernel with every other such point.
    touched, local_slots = np.unique(slots, return_inverse=True)
    points = np.concatenate([inside, outside[touched]])
    P = K.entries(points, points)
    P[np.diag_indices_from(P)] += residual_floor(K)
    local_inside, local_outside = np.arange(m), np.arange(m, len(points))
    accepted = swap_chain(
        P, _inverse(P[:m, :m]), local_inside, local_outside, positions, local_slots, uniforms
    )
    inside[:] = points[local_inside]
    outside[touched] = points[local_outside]
    return accepted


def _inverse(W: FloatArray) -> FloatArray:
    try:
        return inverse(W)
    except np.linalg.LinAlgError:
        # Rounding of a large and nearly singular W can exceed what its diagonal was raised by.
        values, vectors = np.linalg.eigh(W)
        values = np.maximum(np.abs(values), np.finfo(np.float64).eps * values[-1])
        return np.ascontiguousarray((vectors / values) @ vectors.T)
