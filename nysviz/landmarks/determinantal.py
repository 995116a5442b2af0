"""Sampling from a determinantal point process of fixed size: by a chain of swaps, and from eigenpairs."""

from collections.abc import Iterator, Sequence

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.best import lost_rank, positive_pairs
from nysviz.landmarks.cost import ROW_BY_ROW, Work
from nysviz.landmarks.eigenvector_pivoting import projection_shares
from nysviz.landmarks.quantize import kmeanspp
from nysviz.landmarks.sampling import uniform
from nysviz.landmarks.selection import Method, Option, Selection, residual_floor
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.lapack.symmetric import inverse
from nysviz.numerics.loops import choose_eigenvectors, projection_pivots, swap_chain
from nysviz.shortfall import Shortfall, note_if

# Steps between fresh inverses, for which the kernel of all points concerned is evaluated at once: about m, so
# that the fresh inverse, O(m³), costs no more than the steps, O(m²) each.
FEWEST_STEPS = 64
MOST_STEPS = 256
# Entries of a step of the chain, a swap of one of m landmarks, over m.
SWAP_ENTRIES = 4.0


def dpp(
    K: KernelMatrix, m: int, rng: np.random.Generator, steps: int = 1_000, start: str = "uniform"
) -> Selection:
    """Sample m rows with P(S) ∝ det K_SS by a swap chain (Li, Jegelka & Sra 2016).

    Each step proposes to exchange a random landmark for a random other row and accepts with probability
    min(1, det W_new / det W_old). O(m²) a step with a maintained inverse, computed afresh every q = m steps,
    but at least 64 and at most 256. Before each q steps the kernel of all points that they may touch is
    evaluated, up to (m + q)² entries: 4 m a step for m from 64 to 256, and more for other m.

    The diagonal of W is raised by ``residual_floor``, 1e-12 of the largest k(x, x): no subset that is
    singular up to rounding is then more likely than it should be, and repeated rows stay finite.
    """
    return swap_chain_states(K, m, rng, (steps,), start)[0]


DPP = Method(
    label="k-DPP by swaps",
    short="k-DPP",
    source="Li, Jegelka & Sra 2016",
    sentence="Swaps landmarks at random, favouring sets whose kernel matrix has a large determinant.",
    complexity="O(m²) a step",
    select=dpp,
    family="determinantal",
    step_rule=StepRule(
        "proposes random swaps, and favours those that enlarge the determinant", "determinant ratio", "swaps"
    ),
    stroke=("solid", "hexagon"),
    options=(
        Option(
            "steps",
            "swap steps",
            1_000,
            bounds=(0, 100_000),
            sentence="The chain moves away from its start slowly; 1000 and 10 000 have been compared.",
        ),
        Option(
            "start",
            "start of the chain",
            "uniform",
            choices=("uniform", "kmeanspp"),
            sentence="From random rows, or from k-means++ rows, which are likely ones to begin with.",
        ),
    ),
    work=lambda size, options: (
        float(options["steps"]) * Work(SWAP_ENTRIES * size.m, ROW_BY_ROW * size.m**2) + size.factor
    ),
)


def dpp_exact(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Sample m rows with P(S) ∝ det K_SS from the eigenpairs of K (Kulesza & Taskar 2011).

    First draws m eigenvectors by their eigenvalues, then rows of the projector on their span, one after the
    other. n² kernel evaluations, O(n³). If eigenvalues agree up to rounding, their vectors, and so the draw,
    depend on the processor.
    """
    values, vectors = positive_pairs(K, K.n)
    count = min(m, len(values))
    chosen = choose_eigenvectors(np.log(values), rng.random(len(values)), count)
    pivots = projection_pivots(np.ascontiguousarray(vectors[:, chosen].T), rng.random(count))
    return Selection(pivots=pivots, notes=lost_rank(count, m))


def drawn_eigenvector_share(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield each row's share of the eigenvectors drawn by their eigenvalues (Kulesza & Taskar 2011)."""
    values, vectors = positive_pairs(run.K, run.K.n)
    chosen = choose_eigenvectors(np.log(values), run.answers[0], len(run.pivots))
    return projection_shares(vectors[:, chosen], run.pivots)


DPP_EXACT = Method(
    label="k-DPP, exact",
    source="Kulesza & Taskar 2011",
    sentence="Draws sets in proportion to the determinant of their kernel matrix, from K's eigenvectors.",
    complexity="O(n³)",
    select=dpp_exact,
    family="determinantal",
    step_rule=StepRule(
        "draws each row in proportion to what is left of eigenvectors drawn first",
        "probability",
        drawn_eigenvector_share,
    ),
    stroke=("longdash", "hexagon2"),
    holds="matrix",
    reads=True,
    work=lambda size, options: (
        size.whole + size.eigenpairs + Work(0.0, ROW_BY_ROW * size.nm * size.m) + size.factor
    ),
    matrices=4.0,
)


def swap_chain_states(
    K: KernelMatrix, m: int, rng: np.random.Generator, stops: Sequence[int], start: str = "uniform"
) -> tuple[Selection, ...]:
    """Return the chain of ``dpp`` after each of these numbers of steps, strictly ascending.

    Where there is nothing to swap, each is the start.
    """
    begin = kmeanspp(K, m, rng) if start == "kmeanspp" else uniform(K, m, rng)
    inside = begin.pivots if begin.pivots is not None else np.empty(0, dtype=np.intp)
    if len(inside) < m or m == K.n or not K.diagonal.any():
        return (begin,) * len(stops)
    steps = stops[-1]
    outside = np.setdiff1d(np.arange(K.n), inside)
    positions = rng.integers(m, size=steps)
    slots = rng.integers(len(outside), size=steps)
    uniforms = rng.random(steps)
    states = [Selection(pivots=inside.copy())] if stops[0] == 0 else []
    length = min(MOST_STEPS, max(FEWEST_STEPS, m))
    accepted = 0
    for first in range(0, steps, length):
        last = min(first + length, steps)
        some = slice(first, last)
        cuts = [stop - first for stop in stops if first < stop < last] + [last - first]
        for end, swaps in zip(
            cuts, _run(K, inside, outside, positions[some], slots[some], uniforms[some], cuts), strict=True
        ):
            accepted += swaps
            if first + end in stops:
                sentence = f"None of {first + end} swaps was accepted."
                notes = note_if(not accepted, Shortfall.START_KEPT, sentence)
                states.append(Selection(pivots=inside.copy(), notes=notes))
    return tuple(states)


def _run(
    K: KernelMatrix,
    inside: IntArray,
    outside: IntArray,
    positions: IntArray,
    slots: IntArray,
    uniforms: FloatArray,
    cuts: Sequence[int],
) -> Iterator[int]:
    """Run steps of the chain in place, from a fresh inverse.

    Yields the number of swaps accepted between each of these steps and the one before.
    """
    m = len(inside)
    # Every point that can be a landmark within these steps, and its kernel with every other such point.
    touched, local_slots = np.unique(slots, return_inverse=True)
    points = np.concatenate([inside, outside[touched]])
    # Where W is nearly singular the last digits decide; they must not depend on whether K is held.
    P = K.entries(points, points, computed=True)
    P[np.diag_indices_from(P)] += residual_floor(K)
    local_inside, local_outside = np.arange(m), np.arange(m, len(points))
    try:
        W_inverse = inverse(P[:m, :m])
    except np.linalg.LinAlgError:
        # Rounding of a large and nearly singular W can exceed what its diagonal was raised by.
        values, vectors = np.linalg.eigh(P[:m, :m])
        values = np.maximum(np.abs(values), np.finfo(np.float64).eps * values[-1])
        W_inverse = np.ascontiguousarray((vectors / values) @ vectors.T)
    for first, last in zip((0, *cuts), cuts, strict=False):
        some = slice(first, last)
        accepted = swap_chain(
            P, W_inverse, local_inside, local_outside, positions[some], local_slots[some], uniforms[some]
        )
        inside[:] = points[local_inside]
        outside[touched] = points[local_outside]
        yield accepted
