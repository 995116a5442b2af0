"""How far a k-DPP's swap chain has come after so many steps, from one start or the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import IntArray
from nysviz.landmarks.determinantal import swap_chain_states
from nysviz.landmarks.selection import residual_floor
from nysviz.matrix import KernelMatrix
from nysviz.refusal import Refusal
from nysviz.steps.exchanges import chosen_rows

LAST = 10_000
STARTS = ("uniform", "kmeanspp")


@dataclass(frozen=True)
class Moment:
    """The chain after some of its steps.

    ``log_determinant`` is that of W with its diagonal raised as the chain itself takes it: finite for
    repeated rows too. ``kept`` is the part of the start's landmarks that are landmarks now; ``singular``
    counts eigenvalues of W that are no larger than what its diagonal is raised by.
    """

    steps: int
    landmarks: IntArray
    log_determinant: float
    kept: float
    singular: int


def checkpoints(n: int) -> tuple[int, ...]:
    """Steps at which a chain is looked at: 0, 1, 2, 5, 10 … to the last, and n: as many proposals as rows."""
    spaced = {factor * 10**power for power in range(5) for factor in (1, 2, 5)}
    return tuple(sorted(step for step in {0, n, *spaced} if step <= LAST))


def chain(K: KernelMatrix, m: int, seed: int, start: str, steps: Sequence[int]) -> tuple[Moment, ...]:
    """Run ``dpp`` with the last of these ascending steps, and look at the chain after each of the others.

    The run is ``approximate(…, method="dpp", m=m, seed=seed, start=start, steps=steps[-1])``, from "uniform"
    or "kmeanspp"; one that is asked for fewer steps draws other proposals. O(m²) a step, and O(m³) for each
    determinant. ValueError for fewer than m + 1 rows that differ in feature space: there is nothing to swap.
    """
    if m >= K.n:
        raise Refusal(f"m = {m} of n = {K.n} rows; a chain needs a row outside to swap in.")
    if not K.diagonal.any():
        raise Refusal("The kernel matrix is 0: every set of landmarks has the same determinant.")
    stops = [0, *(step for step in steps if step > 0)]
    runs = [chosen_rows(run) for run in swap_chain_states(K, m, np.random.default_rng(seed), stops, start)]
    first = runs[0]
    if len(first) < m:
        found = len(np.unique(first))
        raise Refusal(
            f"Rows that differ in feature space: {found}, for {m} landmarks. The chain has nothing to swap; "
            "choose fewer landmarks, or a narrower kernel."
        )
    raised = residual_floor(K)
    moments = []
    for step, rows in zip(steps, runs[-len(steps) :], strict=True):
        values = np.maximum(np.linalg.eigvalsh(K.entries(rows, rows)), 0.0)
        # Finite for any matrix that is not 0: its diagonal is raised.
        size = float(np.log(values + raised).sum())
        kept = float(np.isin(first, rows).mean())
        moments.append(Moment(step, rows, size, kept, int((values <= raised).sum())))
    return tuple(moments)
