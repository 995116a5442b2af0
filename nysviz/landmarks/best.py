"""The best approximation of a given rank, the floor that no choice of landmarks can pass."""

from __future__ import annotations

import numpy as np

from nysviz.landmarks.selection import Selection
from nysviz.matrix import KernelMatrix


def svd(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Top m eigenpairs of K (Eckart & Young 1936); n² kernel evaluations, O(n³) or Lanczos."""
    values, vectors = K.eigenpairs(m)
    positive = values > np.finfo(np.float64).eps * K.n * max(values[0], 0.0)
    values, factor = values[positive], vectors[:, positive]
    factor *= np.sqrt(values)
    notes: tuple[str, ...] = ()
    if len(values) < m:
        notes = (f"K has only {len(values)} eigenvalues above rounding; {m} were asked for.",)
    return Selection(factor=factor, eigenvalues=values, notes=notes)
