"""The leading eigenvalues of a matrix in memory, by block Lanczos with full orthogonalisation."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from nysviz.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.lapack.symmetric import eigh

# Error of an eigenvalue relative to itself that is accepted, and relative to the largest one (rounding).
TOLERANCE = 1e-10
FLOOR = 1e-14
# A block has a few columns more than eigenvalues are wanted. Then no multiple eigenvalue can hide: a block
# of b columns sees at most b copies of one.
SPARE = 8
# Beyond this part of the rows the full decomposition is the cheaper way.
LARGEST_SHARE = 0.5
# The small eigenproblem is solved each time the basis has grown by this factor.
GROWTH = 1.2


def leading_eigenvalues(K: FloatArray, k: int, seed: int = 0) -> FloatArray | None:
    """Top k eigenvalues of a symmetric positive semidefinite matrix, descending.

    Every step multiplies K by a block of k + 8 vectors: one pass over the matrix for all of them, where a
    single-vector Lanczos iteration passes over it several times for each eigenvalue.

    Parameters
    ----------
    K : (n, n) array
    k : int
        Well below n.
    seed : int
        Of the random starting block.

    Returns
    -------
    (k,) array, or None where the basis would exceed half of the rows before the values had settled: their
    decay is too slow for this method. O(n² b) a step, n times the basis in memory.
    """
    n, b = len(K), k + SPARE
    most = int(LARGEST_SHARE * n) // b * b
    rng = np.random.default_rng(seed)
    basis = np.empty((n, most), order="F")
    small = np.zeros((most, most))
    block = qr(rng.standard_normal((n, b)), mode="economic", check_finite=False)[0]
    size, next_look = 0, 2 * b
    with all_blas_threads():
        while size + b <= most:
            basis[:, size : size + b] = block
            size += b
            image = K @ block
            small[:size, size - b : size] = _orthogonalise(image, basis[:, :size])
            small[size - b : size, :size] = small[:size, size - b : size].T
            block, coupling = qr(image, mode="economic", check_finite=False)
            scale = float(np.abs(small[:size, :size]).max())
            block = _replenished(block, coupling, basis[:, :size], scale, rng)
            if size >= next_look:
                values = _settled(small[:size, :size], coupling, k)
                if values is not None:
                    return values
                next_look = int(GROWTH * size)
    return None


def _orthogonalise(vectors: FloatArray, basis: FloatArray) -> FloatArray:
    """Remove the basis from the vectors, in place; return the coefficients. Twice is enough (Kahan)."""
    first = basis.T @ vectors
    vectors -= basis @ first
    second = basis.T @ vectors
    vectors -= basis @ second
    coefficients: FloatArray = first + second
    return coefficients


def _replenished(
    block: FloatArray, coupling: FloatArray, basis: FloatArray, scale: float, rng: np.random.Generator
) -> FloatArray:
    """Replace directions that are only rounding, where the basis has become invariant, by random ones."""
    sizes = np.abs(coupling.diagonal())
    lost = sizes <= FLOOR * len(block) ** 0.5 * scale
    if not lost.any():
        return block
    coupling[lost] = 0.0
    fresh = rng.standard_normal((len(block), int(lost.sum())))
    rest = np.column_stack([basis, block[:, ~lost]])
    _orthogonalise(fresh, rest)
    block[:, lost] = qr(fresh, mode="economic", check_finite=False)[0]
    return block


def _settled(small: FloatArray, coupling: FloatArray, k: int) -> FloatArray | None:
    """Top k Ritz values where their errors are within the tolerance, else None.

    The error is at most the residual ρ, and at most ρ² over the distance to the next other eigenvalue
    (Kato & Temple), for which the distance between Ritz values stands.
    """
    b = len(coupling)
    with one_blas_thread():
        values, vectors = eigh(small)
    values, vectors = values[::-1], vectors[:, ::-1]
    residual = np.linalg.norm(coupling @ vectors[-b:, :k], axis=0)
    steps = values[: k + 1] - values[1 : k + 2]
    apart = np.minimum(np.concatenate([[np.inf], steps[: k - 1]]), steps[:k])
    error = np.minimum(residual, residual**2 / np.maximum(apart, 1e-300))
    # A residual as large as the distance says nothing about which eigenvalue is near.
    error = np.where(residual > 0.5 * apart, residual, error)
    if (error > np.maximum(TOLERANCE * values[:k], FLOOR * values[0])).any():
        return None
    settled: FloatArray = values[:k].copy()
    return settled
