"""Matrices of similarities or distances: checks, repair, missing entries, and points of a kernel matrix."""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nysviz.refusal import Refusal

# Largest difference of K and Kᵀ, relative to the largest entry, as products in single precision have it.
ASYMMETRY = 1e-6
# The part of the trace that a negative eigenvalue may have: rounding each entry to single precision leaves
# 6e-8 of it at most.
NEGATIVE = 1e-7
# The same where every entry has the digits of double precision.
DOUBLE_ROUNDING = 1e-14
# Eigenvalues up to this multiple of the most negative one's size are rounding: errors of the entries make
# as large ones of both signs, and grow while pivots are eliminated.
ROUNDING_SIZES = 4.0
# Eigenvalues below this part of the largest one are rounding, for each row.
EIGENVALUE_ROUNDING = float(np.finfo(np.float64).eps)
# Rows whose triangle inequalities are looked at, and the part of them that may fail.
TRIANGLE_ROWS, FAILING_TRIANGLES = 10, 0.01


def checked_similarities(K: NDArray[np.float64], repair: str | None = None) -> NDArray[np.float64]:
    """Return a symmetric positive semidefinite (n, n) matrix, or raise Refusal if K is not one; O(n³).

    ``repair`` "clip" sets negative eigenvalues to 0, "shift" adds the size of the smallest one to the
    diagonal.
    """
    if repair not in (None, "clip", "shift"):
        raise Refusal(f"repair = {repair!r}; 'clip', 'shift' or None is needed.")
    return _repaired(symmetric(K), repair)


def symmetric(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of K (n, n) and Kᵀ, or raise Refusal where they differ or hold no numbers."""
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
    return 0.5 * (K + K.T)


def _repaired(K: NDArray[np.float64], repair: str | None) -> NDArray[np.float64]:
    lowest = -NEGATIVE * K.trace()
    if _is_definite(K, -lowest):
        return K
    values, vectors = np.linalg.eigh(K)
    if values[0] >= lowest:
        return K
    if repair is None:
        if looks_like_distances(K):
            raise Refusal(
                "The diagonal of K has the smallest entries of all rows, as distances D have; give "
                "exp(-D**2 / (2 * sigma**2)), which falls with the distance, as the similarities."
            )
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
    is_positive = values > len(K) * EIGENVALUE_ROUNDING * values[-1]
    is_positive[-1] = True
    return (vectors[:, is_positive] * np.sqrt(np.maximum(values[is_positive], 0.0)))[:, ::-1]


def looks_like_distances(K: NDArray[np.float64]) -> bool:
    """Whether a symmetric (n, n) matrix looks like distances.

    No entry is negative, and all are larger than those on the diagonal of their row and column; or that is 0,
    as are those of equal points, and the way by a third point is no shorter.
    """
    diagonal, n = K.diagonal(), len(K)
    beyond = K - np.maximum(diagonal, diagonal[:, None])
    np.fill_diagonal(beyond, np.inf)
    if n < 3 or K.min() < 0 or beyond.min() < 0:
        return False
    if beyond.min() > 0 or not K.any() or diagonal.any():
        return bool(beyond.min() > 0)
    rows = K[np.linspace(0, n - 1, min(n, TRIANGLE_ROWS)).astype(int)]
    failing = np.mean([np.mean(row[:, None] + row < K * (1 - ASYMMETRY)) for row in rows])
    return failing <= FAILING_TRIANGLES


def completed(K: NDArray[np.float64], names: Sequence[str]) -> tuple[NDArray[np.float64], list[str]]:
    """Return a square matrix with each pair that stands once also in its other place, and what was done.

    NaN is missing; so is a triangle of zeros beside one of other numbers. Refusal is raised where a pair
    is missing altogether.
    """
    lower = np.tri(len(K), k=-1, dtype=bool)
    notes = []
    for side, triangle in (("below", lower), ("above", lower.T)):
        values, mirrored_values = K[triangle], K.T[triangle]
        if (
            values.size
            and np.isfinite(mirrored_values).all()
            and (np.isnan(values).all() or not values.any())
        ):
            if not mirrored_values.any():
                continue
            K = np.where(triangle, K.T, K)
            notes.append(f"The triangle {side} the diagonal is empty and was mirrored from the other one.")
    gaps = ~np.isfinite(K)
    mirrored = gaps & ~gaps.T
    if mirrored.any():
        K = np.where(mirrored, K.T, K)
        notes.append(f"{_pairs(mirrored, names)} stood once and was taken for both places.")
    if (missing := gaps & gaps.T).any():
        raise Refusal(
            f"{_pairs(np.triu(missing), names)} has no finite value; fill it in, or take out the row and the "
            "column of one of its names."
        )
    return K, notes


def _pairs(is_pair: NDArray[np.bool_], names: Sequence[str]) -> str:
    i, j = (int(at[0]) for at in np.nonzero(is_pair))
    more = int(is_pair.sum()) - 1
    more_pairs = f" (and {more} more)" if more else ""
    return f"The pair '{names[i]}', '{names[j]}'{more_pairs}"


def from_distances(
    D: NDArray[np.float64], how: Literal["gaussian", "centred"]
) -> tuple[NDArray[np.float64], str]:
    """Return similarities made of distances D (n, n), not yet known to be a kernel matrix, and their formula.

    "gaussian" is exp(-d² / 2σ²), 2σ² the mean squared distance to the mean if the distances are Euclidean;
    "centred" the inner products -½ J D² J of points with these distances, with J = I - 11ᵀ/n.
    """
    D = symmetric(D)
    if (lowest := D.min()) < 0:
        raise Refusal(f"The smallest distance is {lowest:.6g}; distances are needed, none of them negative.")
    squares = D**2
    if how == "centred":
        means = squares.mean(axis=0)
        return -0.5 * (squares - means - means[:, None] + means.mean()), "−½JD²J"
    variance = squares.mean() / 4
    return np.exp(-squares / (2 * variance or 1.0)), f"exp(−d²/2σ²) with σ = {variance**0.5:.3g}"
