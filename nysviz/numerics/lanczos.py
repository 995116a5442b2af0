"""Block Lanczos with full orthogonalisation: leading eigenvalues from products of a matrix with blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.lapack.symmetric import eigh

EPSILON = float(np.finfo(np.float64).eps)
# Accepted error of an eigenvalue, relative to itself and relative to the largest one (rounding).
TOLERANCE, FLOOR = 1e-10, 1e-14
# A block has a few columns more than the k eigenvalues. Then no multiple eigenvalue can hide: a block
# of b columns sees at most b copies of one.
SPARE = 8
# Beyond this part of the rows the full decomposition is cheaper.
LARGEST_SHARE = 0.5
# The small eigenproblem is solved each time the basis has grown by this factor.
GROWTH = 1.2


@dataclass(frozen=True)
class Subspace:
    """A subspace and the action of the matrix K on it.

    ``basis`` (n, s) has orthonormal columns, those of the newest block last, ``restricted`` (s, s) is basisᵀ
    K basis, and ``remainder`` (n, b) K times the newest block, less its part in the subspace.
    """

    basis: FloatArray
    restricted: FloatArray
    remainder: FloatArray

    def eigenpairs(self) -> tuple[FloatArray, FloatArray]:
        """Return the eigenvalues of ``restricted``, descending, and its eigenvectors."""
        with one_blas_thread():
            values, turn = eigh(self.restricted.copy(), overwrite=True)
        return values[::-1], turn[:, ::-1]

    def outside(self, turn: FloatArray) -> FloatArray:
        """Return ‖K v − λ v‖ for each vector v = basis @ turn of an eigenpair of ``restricted``."""
        return np.linalg.norm(self.remainder @ turn[-self.remainder.shape[1] :], axis=0)


def subspaces(
    product: Callable[[FloatArray], FloatArray], start: FloatArray, max_columns: int
) -> Iterator[Subspace]:
    """Yield ever larger subspaces, a block at a time (Golub and Underwood 1977), to ``max_columns`` columns.

    ``product`` is K times a block (n, b), as an array that may be written to; ``start`` (n, b) spans the
    first subspace. It ends before where K maps a subspace into itself.
    """
    n = len(start)
    # Columns that no block has reached take no memory yet.
    basis = np.empty((n, max_columns), order="F")
    restricted, used = np.zeros((0, 0)), 0
    fresh = _orthonormal(start)
    while fresh.shape[1]:
        old, used = used, used + fresh.shape[1]
        basis[:, old:used] = fresh
        space, remainder = basis[:, :used], product(fresh)
        with one_blas_thread():
            inner = space.T @ remainder
            remainder -= space @ inner
        grown = np.empty((used, used))
        grown[:old, :old] = restricted
        grown[:, old:] = inner
        grown[old:, :old] = inner[:old].T
        grown[old:, old:] = 0.5 * (inner[old:] + inner[old:].T)
        restricted = grown
        yield Subspace(space, restricted, remainder)
        rounding = EPSILON * n * float(np.abs(restricted).max())
        with one_blas_thread():
            Q, R, _ = qr(remainder, mode="economic", pivoting=True, check_finite=False)
            Q = Q[:, np.abs(np.diag(R)) > rounding]
            # Small columns were not as orthogonal to the space as they look, now that they have length 1.
            Q -= space @ (space.T @ Q)
        fresh = _orthonormal(Q)[:, : max_columns - used]


def _orthonormal(columns: FloatArray) -> FloatArray:
    with one_blas_thread():
        Q: FloatArray = qr(columns, mode="economic", check_finite=False)[0]
    return Q


def leading_eigenvalues(K: FloatArray, k: int) -> FloatArray | None:
    """Return the top k eigenvalues, (k,) descending, of a positive semidefinite (n, n) matrix, k ≪ n.

    Every step multiplies K by a block of k + 8 vectors: one pass over the matrix for all of them, where a
    single-vector Lanczos iteration passes over it several times for each eigenvalue. O(n² k) a step, n times
    the basis in memory. None where the basis would exceed half of the rows before the values had settled:
    their decay is too slow for this method.
    """
    n, b = len(K), k + SPARE
    start = np.random.default_rng(0).standard_normal((n, b))

    def product(block: FloatArray) -> FloatArray:
        with all_blas_threads():
            image: FloatArray = K @ block
        return image

    looked = b
    for space in subspaces(product, start, max(b, int(LARGEST_SHARE * n) // b * b)):
        if len(space.restricted) >= GROWTH * looked:
            looked = len(space.restricted)
            values = _settled(space, k)
            if values is not None:
                return values
    # K maps the last subspace into itself, or the basis is full.
    return _settled(space, k)


def _settled(space: Subspace, k: int) -> FloatArray | None:
    """Return the top k Ritz values where their errors are within the tolerance, else None.

    The error is at most the residual ρ, and at most ρ² over the distance to the next other eigenvalue
    (Kato & Temple), for which the distance between Ritz values stands.
    """
    values, turn = space.eigenpairs()
    residual = space.outside(turn[:, :k])
    steps = values[: k + 1] - values[1 : k + 2]
    apart = np.minimum(np.concatenate([[np.inf], steps[: k - 1]]), steps[:k])
    error = np.minimum(residual, residual**2 / np.maximum(apart, 1e-300))
    # A residual as large as the distance says nothing about which eigenvalue is near.
    error = np.where(residual > 0.5 * apart, residual, error)
    if (error > np.maximum(TOLERANCE * values[:k], FLOOR * values[0])).any():
        return None
    return values[:k].copy()
