"""Kernel PCA: exact, from a low-rank approximation, and the misalignment of the two."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import qr, subspace_angles
from scipy.sparse.linalg import LinearOperator

from nysviz.kernels import Kernel, KernelFunction
from nysviz.kernels.matrix import LANCZOS_RATIO, KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, all_blas_threads, one_blas_thread
from nysviz.numerics.factor_rows import FactorRows
from nysviz.numerics.lanczos import leading_eigenpairs
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.lowrank import LowRank, nystroem_features
from nysviz.refusal import Refusal

DIRECTIONS = 3  # principal directions of the published table
# Eigenvalues of the centred matrix below this part of the trace of K are rounding: no direction is there.
RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Embedding:
    """Leading eigenvalues (k,) and orthonormal eigenvectors (n, k) of H K H, H = I − 11ᵀ/n; wall seconds.

    ``scores`` maps points (q, d) to uncentred coordinates (q, k); ``centre`` (k,) is subtracted from them.
    """

    values: FloatArray
    vectors: FloatArray
    seconds: float
    scores: Callable[[FloatArray], FloatArray]
    centre: FloatArray
    d: int

    def transform(self, X_new: FloatArray) -> FloatArray:
        """Return the coordinates of points (q, d), (q, k); those of the rows of X are √values · vectors.

        q·n kernel evaluations for an exact embedding, q·m for that of an approximation, in blocks of rows.
        ValueError for points that are not finite or have other columns than X.
        """
        rows = checked_rows(X_new, "X_new", may_be_empty=True)
        if rows.shape[1] != self.d:
            raise Refusal(
                f"X_new has {rows.shape[1]} columns and X had {self.d}; both need the same features."
            )
        return self.scores(rows) - self.centre


def exact_embedding(X: FloatArray, kernel: Kernel | KernelFunction, k: int = DIRECTIONS) -> Embedding:
    """Return leading eigenpairs of the centred kernel matrix H K H, 1 ≤ k < n: centring removes a direction.

    The vectors are centred and not the matrix, so that no second n × n array is ever made. By Lanczos
    iteration, some 20 to 60 products with K, which is held up to ``memory.held_rows()`` rows, else evaluated
    for each product; for a k that is a large part of n by LAPACK, O(n³). Fewer than k come back where fewer
    eigenvalues are above rounding. ValueError for k out of range, or where none is: the kernel finds all rows
    equal, or is far from positive semidefinite.
    """
    X = checked_rows(X)
    n = X.shape[0]
    if n < 2:
        raise Refusal("One row has no direction to embed it on; at least two rows are needed.")
    if not 1 <= k < n or k != int(k):
        raise Refusal(f"k = {k} directions of n = {n} rows; a whole number from 1 to {n - 1} is needed.")
    started = time.perf_counter()
    K = KernelMatrix(X, kernel)
    if n <= memory.held_rows():
        K.full()
    trace, means = float(K.diagonal.sum()), K.times(np.full(n, 1.0 / n))
    if trace <= 0 or not trace - means.sum() > RANK_TOLERANCE * trace:
        raise Refusal(
            "The kernel finds all rows equal, or is far from positive semidefinite, so kernel PCA has no "
            "direction to embed them on; choose another kernel or bandwidth."
        )
    values, vectors = _lanczos(K, int(k)) if LANCZOS_RATIO * k < n else _lapack(K, int(k))
    is_direction = values > RANK_TOLERANCE * trace
    values, vectors = values[is_direction], vectors[:, is_direction]
    # The vectors are centred, so that of the centred k(x, x_j) only the means of the columns are left over.
    weights = vectors / np.sqrt(values)
    scores = partial(nystroem_features, K.kernel, X, weights)
    spent = time.perf_counter() - started
    return Embedding(values, vectors, spent, scores, means @ weights, X.shape[1])


def _lanczos(K: KernelMatrix, k: int) -> tuple[FloatArray, FloatArray]:
    def product(vector: FloatArray) -> FloatArray:
        flat = vector.ravel()
        turned = K.times(flat - flat.mean())
        turned -= turned.mean()
        return turned

    operator = LinearOperator((K.n, K.n), matvec=product, dtype=np.float64)
    pairs = leading_eigenpairs(operator, k)
    return _lapack(K, k) if pairs is None else pairs


def _lapack(K: KernelMatrix, k: int) -> tuple[FloatArray, FloatArray]:
    """Decompose the centred matrix itself, for few rows; K is centred in place."""
    with all_blas_threads():
        values, vectors = eigh(centred(K.full()), largest=k, overwrite=True)
    return values[::-1], vectors[:, ::-1]


def centred(K: FloatArray) -> FloatArray:
    """Return H K H, H = I − 11ᵀ/n, in the place of K."""
    means = K.mean(axis=0)
    K -= means
    K -= means[:, None]
    K += means.mean()
    return K


def approximate_embedding(a: LowRank, k: int = DIRECTIONS) -> Embedding:
    """Return leading eigenpairs of H K̃ H from the centred factor (Zhang 2008, sec. 4.2, prop. 4).

    H G Gᵀ H = G_c G_cᵀ with G_c = G − mean of its rows, whose eigenvectors are the left singular vectors of
    G_c. Never an n × n matrix; O(n r²). A factor that is not held is made four times, in blocks of rows. The
    seconds are those of this step alone.
    """
    started = time.perf_counter()
    k = min(k, a.rank)
    values, vectors, turn = np.empty(0), np.empty((a.n, 0)), np.empty((a.rank, 0))
    means = np.empty(a.rank)
    if k and isinstance(a.rows, FactorRows):
        with one_blas_thread():
            *column_sums, trace = a.rows.total(
                lambda start, stop, G: np.append(G.sum(axis=0), np.einsum("ij,ij->", G, G))
            )
            means = np.array(column_sums) / a.n
            centred = a.rows.less(means)
            values, turn = centred.eigenturn(k)
            is_direction = values > RANK_TOLERANCE * trace
            values, vectors = values[is_direction], centred.times(turn[:, is_direction])
            turn = turn[:, is_direction] * np.sqrt(values)
    elif k:
        G = a.factor
        means = G.mean(axis=0)
        values, vectors, turn = _leading(G - means, k, float(np.einsum("ij,ij->", G, G)))
    scores = a.rotated(turn)
    return Embedding(values, vectors, time.perf_counter() - started, scores, means @ turn, a.d)


def _leading(factor: FloatArray, k: int, trace: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return eigenvalues (k,) and eigenvectors (n, k) of G Gᵀ, and T (r, k) with G T = √values · vectors."""
    with one_blas_thread():
        inner = factor.T @ factor
        values, turn = eigh(inner, largest=k, overwrite=True)
    values, turn = values[::-1], turn[:, ::-1]
    # The product GᵀG loses half of the digits: it serves while the k-th eigenvalue is this large.
    if values[-1] > 1e-6 * values[0]:
        above = int((values > RANK_TOLERANCE * trace).sum())
        return values[:above], ((factor @ turn) / np.sqrt(values))[:, :above], turn[:, :above]
    # GᵀG squares the condition number: of small eigenvalues it leaves too few digits.
    with one_blas_thread():
        Q, R = qr(factor, mode="economic", check_finite=False)
        left, singular, right = np.linalg.svd(R, full_matrices=False)
    values = singular[:k] ** 2
    is_direction = values > RANK_TOLERANCE * trace
    return values[is_direction], (Q @ left[:, :k])[:, is_direction], right[:k][is_direction].T


def aligned(exact: FloatArray, approximate: FloatArray) -> FloatArray:
    """Return Ũ A, (n, k), with the least-squares A that brings Ũ (n, l) closest to U (n, k)."""
    if exact.ndim != 2 or approximate.ndim != 2 or len(exact) != len(approximate):
        raise Refusal(
            f"Embeddings of the shapes {exact.shape} and {approximate.shape}; as many rows in both are "
            "needed."
        )
    if not approximate.shape[1]:
        return np.zeros_like(exact)
    transform = np.linalg.lstsq(approximate, exact, rcond=None)[0]
    return approximate @ transform


def misalignment(exact: FloatArray, approximate: FloatArray) -> float:
    """Return min_A ‖U − Ũ A‖_F = √(Σ sin² θ) (Zhang 2008, sec. 4.2): 0 for equal spans, at most √k."""
    return float(np.linalg.norm(exact - aligned(exact, approximate)))


def principal_angles(exact: FloatArray, approximate: FloatArray) -> FloatArray:
    """Return the principal angles between two spans of columns, in degrees, ascending, (min(k, l),)."""
    if not exact.shape[1] or not approximate.shape[1]:
        return np.empty(0)
    return np.degrees(subspace_angles(exact, approximate))[::-1]


def departure(vectors: FloatArray) -> float:
    """Return ‖UᵀU − I‖_F: 0 for orthonormal columns."""
    return float(np.linalg.norm(vectors.T @ vectors - np.eye(vectors.shape[1])))


@dataclass(frozen=True)
class Forms:
    """Eigenvectors of K̃ in both forms (Zhang 2008, eq. 4, prop. 4), with angles to those of K (°)."""

    extension: FloatArray
    orthogonal: FloatArray
    extension_angles: FloatArray
    orthogonal_angles: FloatArray


def two_forms(a: LowRank, exact: FloatArray) -> Forms:
    """Compare the plain extension and the orthogonal eigenvectors of K̃ with exact ones (Zhang, sec. 3.5)."""
    k = exact.shape[1]
    pair = a.eigh(k, form="extension")[1], a.eigh(k)[1]
    return Forms(*pair, *(principal_angles(exact, vectors) for vectors in pair))
