"""Leading eigenpairs without the n × n matrix, and the angles between two leading subspaces."""

import math
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from nysviz.analysis.learning.kernel_pca import principal_angles
from nysviz.kernels.matrix import SUMS, KernelMatrix
from nysviz.landmarks.nystroem import positive_eigenpairs
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.lanczos import EPSILON, subspaces

# Columns of a block beyond the k eigenpairs: redundant features make about as many nearly equal
# eigenvalues as there are features, and the wider a block, the fewer passes it takes to tell them apart.
SURPLUS = 10
# Passes stop when none of the k eigenvalues has changed by more than this part of itself. The next pass would
# change it by much less, since the error falls faster with each: a few 1e-6 of itself were left at most.
EIGENVALUE_TOLERANCE = 1e-4
# And when none of the k vectors is further from an eigenvector than this part of its eigenvalue.
VECTOR_TOLERANCE = 1e-4
USUAL_PASSES, MOST_PASSES = 5, 12
SINGLE_SHARE = 0.3  # part of EIGENVALUE_TOLERANCE allowed for single-precision rounding
# Rounding of a product of K and a vector in single precision, as a part of the product.
SINGLE_PRODUCT = 4 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class LeadingPairs:
    """Eigenvalues (k,), descending, with the orthonormal eigenvectors (n, v) of the first few.

    ``residual`` is ‖K V − V Λ‖_F of those vectors, relative to λ_1: how far they are from eigenvectors, with
    the most that rounding in single precision can add where it was used. ``passes`` counts how often all of K
    was computed; 0 where the eigenpairs came from a factor.
    """

    values: FloatArray
    vectors: FloatArray
    residual: float = 0.0
    passes: int = 0


def kernel_pairs(K: KernelMatrix, k: int, vectors: int = 2) -> LeadingPairs:
    """Return the top k eigenvalues of K and its first eigenvectors, by block Lanczos over blocks of rows.

    Golub and Underwood (1977), every new block made orthogonal to all before it. One to ``MOST_PASSES``
    passes of n²/2 evaluations and 2n²(k + 10) operations each; pass p adds k + 10 columns of n to what is
    held, and eight times as many are added up meanwhile; nothing of K is kept. Eigenvalues are those of K
    restricted to a subspace, so never too large but for rounding. Entries are computed in single precision
    where their rounding changes no eigenvalue by more than 3e-5 of itself: together they move none by more
    than 2 √n ε, with errors of size ε.
    """
    n = K.n
    width = min(n, k + SURPLUS)
    max_columns = min(n, MOST_PASSES * width)
    # Columns of K are worth a whole pass over it, at the price of n·(k + 10) entries.
    start = K.columns(np.sort(np.random.default_rng(0).permutation(n)[:width]))
    noise = 2.0 * float(np.sqrt(n)) * K.single_error
    # The k-th eigenvalue is at most the sum of all divided by k.
    single = k * noise < SINGLE_SHARE * EIGENVALUE_TOLERANCE * float(K.diagonal.sum())
    passes = subspaces(partial(K.times_by_half, single=single), start, max_columns)
    space = next(passes)
    values, turn = space.eigenpairs()
    if single and noise > SINGLE_SHARE * EIGENVALUE_TOLERANCE * values[k - 1]:
        # In the first pass if at all: the values grow from pass to pass.
        single, passes = False, subspaces(K.times_by_half, start, max_columns)
        space = next(passes)
        values, turn = space.eigenpairs()
    done = 1
    # It ends early where K maps the subspace into itself: its eigenpairs are those of K.
    for space in islice(passes, MOST_PASSES - 1):
        before, done = values, done + 1
        values, turn = space.eigenpairs()
        rounding = EPSILON * n * values[0]
        gaps, changes = space.outside(turn[:, :vectors]), np.abs(values[:k] - before[:k])
        if (changes <= EIGENVALUE_TOLERANCE * values[:k] + rounding).all() and (
            gaps <= VECTOR_TOLERANCE * values[:vectors] + rounding
        ).all():
            break
    values = np.maximum(values[:k], 0.0)
    gap = float(np.linalg.norm(space.outside(turn[:, :vectors])))
    if single:
        gap += (noise + SINGLE_PRODUCT * float(values[0])) * float(np.sqrt(vectors))
    return LeadingPairs(values, space.basis @ turn[:, :vectors], gap / (float(values[0]) or 1.0), done)


def pairs_bytes(n: int, k: int) -> float:
    """Return the bytes that ``kernel_pairs`` holds in the last of a usual number of passes."""
    return 8.0 * n * (k + SURPLUS) * (SUMS + USUAL_PASSES)


def factor_pairs(Z: FloatArray, vectors: int = 2) -> LeadingPairs:
    """Return the eigenvalues of Z Zᵀ above rounding and first eigenvectors, from Zᵀ Z; O(n r²), Z (n, r)."""
    with one_blas_thread():
        values, turn = positive_eigenpairs(Z.T @ Z)
        first = Z @ turn[:, :vectors]
    return LeadingPairs(values, first / np.sqrt(values[:vectors]))


def reach(vectors: FloatArray) -> tuple[float, float]:
    """Return the smallest and largest entry of the first eigenvector, times √n; 1 and 1 for equal entries."""
    if not vectors.size:
        return 0.0, 0.0
    first = vectors[:, 0] * math.copysign(math.sqrt(len(vectors)), vectors[:, 0].sum())
    return float(first.min()), float(first.max())


def principal_cosines(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the cosines of the principal angles between two spans of columns, (min(a, b),), descending."""
    return np.cos(np.radians(principal_angles(A, B)))


def turned_towards(reference: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return the vectors (n, k) with signs that make each product with its reference non-negative."""
    shared = min(reference.shape[1], vectors.shape[1])
    products = np.einsum("ij,ij->j", reference[:, :shared], vectors[:, :shared])
    signs = np.ones(vectors.shape[1])
    signs[:shared] = np.where(products < 0, -1.0, 1.0)
    return vectors * signs
