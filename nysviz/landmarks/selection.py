"""What a landmark method is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.matrix import KernelMatrix

# A residual diagonal below this multiple of the largest k(x, x) is rounding: no pivot is taken from it.
RESIDUAL_FLOOR = 1e-12


@dataclass(frozen=True)
class Selection:
    """Landmarks, and the factor where choosing them produced one.

    Attributes
    ----------
    pivots : (m',) int array or None
        Rows of X in the order of choice, m' ≤ m; repeats occur for sampling with replacement.
    points : (m', d) array or None
        Landmarks that are not rows of X (k-means centres).
    factor : (n, r) array or None
        G with K̃ = G Gᵀ, when the method computes it on the way.
    eigenvalues : (r,) array or None
        Set by ``svd`` alone, whose factor has no landmarks.
    weights : (m',) array or None
        Rescaling of columns, 1/√(m p_i), for sampling with replacement.
    notes : tuple of str
        Shortfalls to be shown: pivots exhausted, draws repeated, clusters empty.
    """

    pivots: IntArray | None = None
    points: FloatArray | None = None
    factor: FloatArray | None = None
    eigenvalues: FloatArray | None = None
    weights: FloatArray | None = None
    notes: tuple[str, ...] = ()


Select = Callable[..., Selection]
"""``select(K, m, rng, **options)``: the one signature of every method."""


@dataclass(frozen=True)
class Option:
    """A setting of a method: its choices as a tuple, or its range as (low, high)."""

    name: str
    label: str
    default: int | float | str
    choices: tuple[int | float | str, ...] = ()
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class Method:
    """An entry of the registry."""

    label: str
    source: str
    sentence: str
    cost: str
    select: Select
    family: str
    nested: bool
    random: bool
    landmarks_are_data: bool
    options: tuple[Option, ...] = ()


def draw(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    """Map uniform numbers to indices drawn in proportion to nonnegative weights."""
    cumulative = np.cumsum(weights)
    indices: IntArray = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
    # A uniform number times the sum may round up to the sum itself.
    last = int(np.flatnonzero(weights)[-1])
    return np.minimum(indices, last)


def residual_floor(K: KernelMatrix) -> float:
    """Return the residual diagonal below which nothing but rounding is left."""
    return RESIDUAL_FLOOR * float(K.diagonal.max())
