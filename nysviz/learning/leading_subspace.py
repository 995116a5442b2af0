"""Leading eigenpairs without the n × n matrix, and how far two leading subspaces are apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, svdvals

from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.kernels import SingleArray
from nysviz.landmarks.nystroem import positive_eigenpairs
from nysviz.lapack.symmetric import eigh
from nysviz.matrix import KernelMatrix

# Columns of a block beyond the eigenpairs asked for: redundant features make about as many nearly equal
# eigenvalues as there are features, and the wider a block, the fewer passes it takes to tell them apart.
SURPLUS = 10
# Passes stop when no eigenvalue asked for has changed by more than this part of itself. The next pass would
# change it by much less, since the error falls faster with each: a few 1e-6 of itself were left at most.
EIGENVALUE_TOLERANCE = 1e-4
MOST_PASSES = 12
# The part of that change which rounding of single precision may make.
SINGLE_SHARE = 0.3
# Rounding of a product of K and a vector in single precision, as a part of the product.
SINGLE_PRODUCT = 4 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class LeadingPairs:
    """Eigenvalues, descending, with the eigenvectors of the first few.

    Attributes
    ----------
    values : (k,) array
    vectors : (n, v) array
        Orthonormal, v ≤ k.
    residual : float
        ‖K V − V Λ‖_F of those vectors, relative to λ_1: how far they are from eigenvectors. Where single
        precision was used, with the most that its rounding can add.
    passes : int
        How often all of K was computed; 0 where the eigenpairs came from a factor.
    """

    values: FloatArray
    vectors: FloatArray
    residual: float = 0.0
    passes: int = 0


def kernel_pairs(
    K: KernelMatrix, k: int, vectors: int = 2, *, report: Callable[[int], None] | None = None
) -> LeadingPairs:
    """Top k eigenvalues of K and the first eigenvectors, by block Lanczos over blocks of rows.

    Golub and Underwood (1977), every new block made orthogonal to all before it.

    Parameters
    ----------
    K : KernelMatrix
        Of order n. Nothing of it is kept.
    k : int
        At most n.
    vectors : int
        How many eigenvectors to return, at most k.
    report : callable, optional
        Told the number of each pass before it starts; an exception raised there stops the iteration.

    Returns
    -------
    LeadingPairs
        One to ``MOST_PASSES`` passes of n² evaluations and 2n²(k + 10) operations each; pass p adds k + 10
        columns of n to what is held. Eigenvalues are those of K restricted to a subspace, so never too large
        but for rounding. Entries of K are computed in single precision where their rounding changes no
        eigenvalue by more than 3e-5 of itself: together they move none by more than 2 √n ε, with
        errors of size ε.
    """
    n = K.n
    if not 1 <= k <= n or not 1 <= vectors <= k:
        raise ValueError(f"k = {k} eigenvalues, {vectors} eigenvectors; 1 ≤ vectors ≤ k ≤ n = {n} is needed.")
    width = min(n, k + SURPLUS)
    # What no block has come to takes no memory yet.
    space = np.empty((n, min(n, MOST_PASSES * width)), order="F")
    # Columns of K are worth a whole pass over it, at the price of n·(k + 10) entries.
    first = np.sort(np.random.default_rng(0).permutation(n)[:width])
    fresh = _orthonormal(K.columns(first))
    restricted = np.zeros((0, 0))
    used, before = 0, np.zeros(k)
    noise = 2.0 * float(np.sqrt(n)) * K.single_error
    # No k-th eigenvalue is larger than a k-th of their sum.
    single = k * noise < SINGLE_SHARE * EIGENVALUE_TOLERANCE * float(K.diagonal.sum())
    for done in range(1, MOST_PASSES + 1):
        if report is not None:
            report(done)
        space[:, used : used + fresh.shape[1]] = fresh
        used += fresh.shape[1]
        inner, left = _restricted(restricted, space[:, :used], _product(K, fresh, single=single))
        values, turn = _descending(inner)
        if single and noise > SINGLE_SHARE * EIGENVALUE_TOLERANCE * values[k - 1]:
            # In the first pass if at all: the values grow from pass to pass.
            single = False
            inner, left = _restricted(restricted, space[:, :used], _product(K, fresh))
            values, turn = _descending(inner)
        restricted = inner
        rounding = np.finfo(float).eps * n * values[0]
        change = np.abs(values[:k] - before)
        before = values[:k]
        if (change <= EIGENVALUE_TOLERANCE * before + rounding).all() or done == MOST_PASSES:
            break
        fresh = _directions(left, space[:, :used], rounding)[:, : n - used]
        if not fresh.shape[1]:
            # K maps the subspace into itself: its eigenpairs are those of K.
            break
    gap = float(np.linalg.norm(left @ turn[-left.shape[1] :, :vectors]))
    if single:
        gap += (noise + SINGLE_PRODUCT * float(values[0])) * float(np.sqrt(vectors))
    top = float(values[0]) or 1.0
    leading = space[:, :used] @ turn[:, :vectors]
    return LeadingPairs(values[:k].copy(), leading, gap / top, done)


def _restricted(before: FloatArray, space: FloatArray, image: FloatArray) -> tuple[FloatArray, FloatArray]:
    """K restricted to the space, of which ``before`` lacks the last block, and what of its image is outside.

    The image of that block is made orthogonal to the space in place.
    """
    old, used = len(before), space.shape[1]
    with one_blas_thread():
        inner = space.T @ image
        image -= space @ inner
    restricted = np.empty((used, used))
    restricted[:old, :old] = before
    restricted[:, old:] = inner
    restricted[old:, :old] = inner[:old].T
    restricted[old:, old:] = 0.5 * (inner[old:] + inner[old:].T)
    return restricted, image


def _descending(restricted: FloatArray) -> tuple[FloatArray, FloatArray]:
    with one_blas_thread():
        values, turn = eigh(restricted.copy(), overwrite=True)
    return np.maximum(values[::-1], 0.0), turn[:, ::-1]


def _directions(left: FloatArray, space: FloatArray, rounding: float) -> FloatArray:
    """Orthonormal columns outside the space that span what is left, without what is only rounding."""
    with one_blas_thread():
        Q, R, _ = qr(left, mode="economic", pivoting=True, check_finite=False)
        Q = Q[:, np.abs(np.diag(R)) > rounding]
        # Small columns were not as orthogonal to the space as they look, now that they have length 1.
        Q -= space @ (space.T @ Q)
    return _orthonormal(Q)


def _product(K: KernelMatrix, basis: FloatArray, *, single: bool = False) -> FloatArray:
    image = np.empty(basis.shape)
    if single:
        right = basis.astype(np.float32)

        def rounded(start: int, stop: int, block: SingleArray) -> None:
            image[start:stop] = block @ right

        K.over_rows_in_single(rounded)
        return image

    def rows(start: int, stop: int, block: FloatArray) -> None:
        np.matmul(block, basis, out=image[start:stop])

    K.over_rows(rows)
    return image


def _orthonormal(columns: FloatArray) -> FloatArray:
    with one_blas_thread():
        Q: FloatArray = qr(columns, mode="economic", check_finite=False)[0]
    return Q


def factor_pairs(Z: FloatArray, vectors: int = 2) -> LeadingPairs:
    """Eigenvalues of Z Zᵀ above rounding and the first eigenvectors, from the small matrix Zᵀ Z.

    Parameters
    ----------
    Z : (n, r) array
        A factor of K̃, or random features: r is small, Z Zᵀ is never formed. O(n r²).
    vectors : int
        How many; fewer are returned where Z has a lower rank.
    """
    with one_blas_thread():
        values, turn = positive_eigenpairs(Z.T @ Z)
        first = Z @ turn[:, :vectors]
    return LeadingPairs(values, first / np.sqrt(values[:vectors]))


def principal_cosines(A: FloatArray, B: FloatArray) -> FloatArray:
    """Cosines of the principal angles between the column spaces, descending.

    Parameters
    ----------
    A, B : (n, a) and (n, b) arrays
        With orthonormal columns.

    Returns
    -------
    (min(a, b),) array in [0, 1]: all 1 where one space holds the other, the last one 0 where a direction of
    the smaller one is orthogonal to all of the other.
    """
    if A.ndim != 2 or B.ndim != 2 or len(A) != len(B):
        raise ValueError(f"Shapes {A.shape} and {B.shape}; columns of equal length are needed.")
    if not min(A.shape[1], B.shape[1]):
        return np.zeros(0)
    cosines: FloatArray = np.clip(svdvals(A.T @ B, check_finite=False), 0.0, 1.0)
    return cosines


def turned_towards(reference: FloatArray, vectors: FloatArray) -> FloatArray:
    """The vectors (n, k) with signs such that each has a non-negative product with its reference.

    The sign of an eigenvector means nothing, and two pictures should not differ by it.
    """
    shared = min(reference.shape[1], vectors.shape[1])
    products = np.einsum("ij,ij->j", reference[:, :shared], vectors[:, :shared])
    signs = np.ones(vectors.shape[1])
    signs[:shared] = np.where(products < 0, -1.0, 1.0)
    return vectors * signs
