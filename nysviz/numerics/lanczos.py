"""Lanczos iterations: ARPACK's where K is held, and in blocks where each product computes K anew."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.lapack.symmetric import eigh

EPSILON = float(np.finfo(np.float64).eps)


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


def most_restarts(n: int, k: int) -> int:
    """Return the limit of Lanczos restarts for k of n eigenpairs: 2n to 4n products, as slow as LAPACK.

    Where eigenvalues are well separated it takes less than n products.
    """
    return max(1, 2 * n // max(k, 10))


def leading_eigenpairs(operator: LinearOperator, k: int) -> tuple[FloatArray, FloatArray] | None:
    """Return the top k eigenvalues, (k,) descending, and eigenvectors (n, k) of a symmetric operator.

    By ARPACK's Lanczos iterations from a fixed start, so that the same call gives the same vectors. None
    where they do not converge: of eigenvalues that are all but equal they may not find all copies.
    """
    n = operator.shape[0]
    # Random, since a plain start may be orthogonal to all that is wanted, as ones are to symmetric data's
    # linear K.
    start = np.random.default_rng(0).standard_normal(n)
    try:
        with all_blas_threads():
            values, vectors = eigsh(operator, k=k, which="LA", v0=start, rng=0, maxiter=most_restarts(n, k))
    except ArpackError:
        return None
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]
