"""The best approximation of a given rank, the floor that no choice of landmarks can pass."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.landmarks.selection import Selection
from nysviz.matrix import KernelMatrix


def svd(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Top m eigenpairs of K (Eckart & Young 1936); n² kernel evaluations, O(n³) or Lanczos."""
    values, vectors = positive_pairs(K, m)
    factor = vectors * np.sqrt(values)
    return Selection(factor=factor, projection=factor / values, notes=lost_rank(len(values), m))


def positive_pairs(K: KernelMatrix, k: int) -> tuple[FloatArray, FloatArray]:
    """Return those of the top k eigenpairs of K, descending, whose eigenvalues are above rounding."""
    values, vectors = K.eigenpairs(k)
    rank = int((values > np.finfo(np.float64).eps * K.n * max(values[0], 0.0)).sum())
    return values[:rank], vectors[:, :rank]


def lost_rank(rank: int, m: int) -> tuple[str, ...]:
    """Say that K has fewer eigenvalues above rounding than were asked for."""
    return (f"K has only {rank} eigenvalues above rounding; {m} were asked for.",) if rank < m else ()
