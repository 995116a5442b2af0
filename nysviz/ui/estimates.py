"""How long parts of a computation will take here, from speeds that are measured once in a process."""

from __future__ import annotations

from functools import cache

import numpy as np

from nysviz import memory
from nysviz.landmarks import cost
from nysviz.measures import SAMPLED_ROWS
from nysviz.ui.sidebar.scene import Scene

# Multiplications of a Cholesky factorisation, over n³.
FACTORISATION = 0.6
# Matrix products with a vector in which Lanczos finds a spectral norm.
NORM_STEPS = 60.0


def error_seconds(scene: Scene, m: int, *, exact: bool) -> float:
    """Estimate the time of measuring one approximation of m columns."""
    n, d = scene.data.n, scene.data.d
    if exact:
        return cost.OVERHEAD_SECONDS + product_seconds(float(n) * n * (m + NORM_STEPS))
    sampled = float(min(n, SAMPLED_ROWS))
    entries, products = n * sampled, n * sampled * m + 2.0 * cost.Size(n, d, m).nearest.flops
    if not memory.is_held(n, m):
        # The factor is made twice: for the probabilities of the rows, and for their errors.
        entries, products = entries + 2.0 * n * m, products + 2.0 * n * m**2
    return cost.OVERHEAD_SECONDS + cost.work_seconds(entries, products, d)


@cache
def decomposition_speed() -> float:
    """Seconds of the eigenvalues of a matrix over the cube of its rows; timed once in a process."""
    size = 400
    sample = np.random.default_rng(0).standard_normal((size, size))
    sample += sample.T
    return cost.fastest(lambda: np.linalg.eigvalsh(sample), times=1) / size**3


def matrix_seconds(scene: Scene) -> float:
    """Estimate the time of evaluating all of K once."""
    return entry_seconds(scene, float(scene.data.n) ** 2)


def entry_seconds(scene: Scene, count: float) -> float:
    """Estimate the time of evaluating so many entries of the kernel."""
    return cost.work_seconds(count, 0.0, scene.data.d)


def product_seconds(count: float) -> float:
    """Estimate the time of so many multiplications within matrix products."""
    return cost.work_seconds(0.0, count, 0)


def touch_seconds(count: float) -> float:
    """Estimate the time in which one core does so many small steps of a few nanoseconds, as of an entry."""
    return cost.speeds().profile * count * cost.crowding()


def factorisation_seconds(n: int) -> float:
    """Estimate the time of a Cholesky factorisation, which one core does."""
    return FACTORISATION * cost.speeds().product * float(n) ** 3 * cost.crowding()
