"""Matrices of similarities: whether one is a kernel matrix, what is done where it is none, and its points."""

import math
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from nysviz.refusal import Refusal

# By so much of its largest entry K may differ from Kᵀ, as products in single precision do.
ASYMMETRY = 1e-6
# The part of the trace that a negative eigenvalue may have: rounding each entry to single precision leaves
# 6e-8 of it at most.
NEGATIVE = 1e-7
# The same where every entry has the digits of double precision.
DOUBLE_ROUNDING = 1e-14
# Eigenvalues up to so many times the size of the most negative one are rounding: errors of the entries make
# as large ones of both signs, and grow while pivots are eliminated.
ROUNDING_SIZES = 4.0
# Eigenvalues below this part of the largest one are rounding, for each row.
EIGENVALUE_ROUNDING = float(np.finfo(np.float64).eps)


def checked_similarities(K: NDArray[np.float64], repair: str | None = None) -> NDArray[np.float64]:
    """Return a symmetric positive semidefinite (n, n) matrix, or raise one sentence where K is none; O(n³).

    ``repair`` "clip" sets negative eigenvalues to 0, "shift" adds the size of the smallest one to the
    diagonal.
    """
    if repair not in (None, "clip", "shift"):
        raise Refusal(f"repair = {repair!r}; 'clip', 'shift' or None is needed.")
    n = len(K)
    if K.shape != (n, n) or not n:
        raise Refusal(f"K has the shape {K.shape}; a kernel matrix has as many rows as columns, from 1.")
    if not np.isfinite(K).all():
        raise Refusal("K holds NaN or infinity; a kernel matrix is needed whose entries are all known.")
    gaps = np.abs(K - K.T)
    i, j = np.unravel_index(int(gaps.argmax()), K.shape)
    if gaps[i, j] > ASYMMETRY * np.abs(K).max():
        raise Refusal(
            f"K is not symmetric: K[{i}, {j}] = {K[i, j]:.6g} and K[{j}, {i}] = {K[j, i]:.6g}; give "
            "(K + K.T) / 2 if their mean is meant."
        )
    return _repaired(0.5 * (K + K.T), repair)


def _repaired(K: NDArray[np.float64], repair: str | None) -> NDArray[np.float64]:
    least = -NEGATIVE * K.trace()
    if _is_definite(K, -least):
        return K
    values, vectors = np.linalg.eigh(K)
    if values[0] >= least:
        return K
    if repair is None:
        raise Refusal(
            f"K is not positive semidefinite: its eigenvalues reach from {values[0]:.3g} to "
            f"{values[-1]:.3g}; 'clip' sets the negative ones to 0, and 'shift' adds {-values[0]:.3g} to the "
            "diagonal."
        )
    values = np.maximum(values, 0.0) if repair == "clip" else values - values[0]
    repaired: NDArray[np.float64] = (vectors * values) @ vectors.T
    return 0.5 * (repaired + repaired.T)


def _is_definite(K: NDArray[np.float64], shift: float) -> bool:
    raised = K.copy()
    raised.flat[:: len(K) + 1] += shift
    with suppress(np.linalg.LinAlgError):
        np.linalg.cholesky(raised)
        return True
    return False


def rounding_of(K: NDArray[np.float64]) -> float:
    """Return up to which size eigenvalues of a checked (n, n) matrix are rounding of its entries; O(n³).

    That is ``ROUNDING_SIZES`` times the size of the most negative one, found to a factor of 2; 0 where no
    entry need have fewer digits than double precision has.
    """
    low, high = DOUBLE_ROUNDING * float(K.trace()), NEGATIVE * float(K.trace())
    if _is_definite(K, low):
        return 0.0
    while high > 2.0 * low:
        middle = math.sqrt(low * high)
        if _is_definite(K, middle):
            high = middle
        else:
            low = middle
    return ROUNDING_SIZES * high


def points_of(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points X (n, r) whose inner products X Xᵀ are a kernel matrix, its kernel PCA; O(n³)."""
    values, vectors = np.linalg.eigh(K)
    kept = values > len(K) * EIGENVALUE_ROUNDING * values[-1]
    kept[-1] = True
    return (vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0)))[:, ::-1]
