"""Ridge regression on features and with a kernel, its penalty chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.lapack.symmetric import cholesky, eigh, solve_by_factor
from nysviz.learning.feature_rows import FeatureRows

# Penalties as parts of Σ‖z(xᵢ)‖², which is n for a Gaussian kernel: the λ of (1/n) Σ (yᵢ − f(xᵢ))² + λ‖w‖².
PENALTIES = tuple(float(f"{10.0 ** (k / 2):.4g}") for k in range(-18, 3))
# The exact machine needs a Cholesky factor for each: every second one.
KERNEL_PENALTIES = PENALTIES[::2]


@dataclass(frozen=True)
class LinearFit:
    """A linear machine f(x) = z(x)ᵀ w + b, or f(x) = k(x, X) w + b, for q targets at once.

    Attributes
    ----------
    weights : (D, q) array
    intercept : (q,) array
    penalty : float
        The one chosen, as a part of Σ‖z(xᵢ)‖² (ridge), or C (support vector machine).
    errors : tuple of float
        Cross-validation error of each penalty that was tried, in their order.
    """

    weights: FloatArray
    intercept: FloatArray
    penalty: float
    errors: tuple[float, ...]

    def outputs(self, Z: FloatArray) -> FloatArray:
        """Outputs f of the rows, (b, q), from their features or kernel entries with the training rows."""
        values: FloatArray = Z @ self.weights + self.intercept
        return values


@dataclass(frozen=True)
class Moments:
    """Products summed over rows of features z (D,), a one and targets t (q,).

    Attributes
    ----------
    products : (D + 1 + q, D + 1 + q) array
        Σ (z, 1, t)(z, 1, t)ᵀ.
    D : int
    """

    products: FloatArray
    D: int

    @property
    def means(self) -> tuple[FloatArray, FloatArray]:
        """Means of features and targets."""
        row = self.products[self.D] / self.products[self.D, self.D]
        return row[: self.D], row[self.D + 1 :]

    def about(self, z: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Gram matrix (D, D), cross products (D, q) and squares of what is left after taking off z and t."""
        D, P = self.D, self.products
        gram, cross, sums, totals, count = P[:D, :D], P[:D, D + 1 :], P[D, :D], P[D, D + 1 :], P[D, D]
        gram = gram - np.outer(sums, z) - np.outer(z, sums - count * z)
        cross = cross - np.outer(z, totals - count * t) - np.outer(sums, t)
        squares = float(np.trace(P[D + 1 :, D + 1 :]) + t @ (count * t - 2.0 * totals))
        return gram, cross, squares


def moments_by_fold(features: FeatureRows, targets: FloatArray, folds: IntArray) -> list[Moments]:
    """Moments of each fold's rows, in one pass over the features; O(n D²), one block held at a time.

    Parameters
    ----------
    features : FeatureRows
    targets : (n, q) array
    folds : (n,) int array
        The fold of each row, from 0.
    """
    D, q = features.columns, targets.shape[1]
    sums = np.zeros((int(folds.max()) + 1, D + 1 + q, D + 1 + q))
    for rows, block in features.blocks():
        joined = np.column_stack([block, np.ones(len(block)), targets[rows]])
        for fold in np.unique(folds[rows]):
            part = joined[folds[rows] == fold]
            sums[fold] += part.T @ part
    return [Moments(products, D) for products in sums]


def ridge(
    features: FeatureRows, targets: FloatArray, folds: IntArray, penalties: Sequence[float] = PENALTIES
) -> LinearFit:
    """Minimise Σ‖tᵢ − Wᵀz(xᵢ) − b‖² + p Σ‖z(xᵢ)‖² ‖W‖² over W and b; the intercept b is not penalised.

    The penalty p with the smallest squared error over the folds is taken. One eigen-decomposition of the
    D × D Gram matrix a fold serves all penalties, and errors follow from the folds' moments: one pass over
    the rows, exact up to rounding; O(n D² + D³) for each fold.

    Parameters
    ----------
    features : FeatureRows
    targets : (n, q) array
    folds : (n,) int array
        The fold of each row, from 0; every row in one fold means that nothing can be chosen.
    penalties : sequence of float
        Above 0, ascending.
    """
    with one_blas_thread():
        parts = moments_by_fold(features, targets, folds)
        whole = Moments(np.sum([part.products for part in parts], axis=0), features.columns)
        errors = np.zeros(len(penalties))
        for part in parts if len(penalties) > 1 else []:
            errors += _fold_errors(Moments(whole.products - part.products, whole.D), part, penalties)
        best = int(np.argmin(errors))
        weights, z, t = _path(whole, penalties[best : best + 1])
    intercept = t - z @ weights[0]
    return LinearFit(weights[0], intercept, penalties[best], tuple(errors / features.n))


def _path(train: Moments, penalties: Sequence[float]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights for each penalty, (penalties, D, q), and the means that were taken off."""
    z, t = train.means
    gram, cross, _ = train.about(z, t)
    values, vectors = eigh(gram, overwrite=True)
    turned = vectors.T @ cross
    size = float(np.trace(train.products[: train.D, : train.D]))
    weights = np.zeros((len(penalties), *cross.shape))
    # Rows whose features are all 0, far from every landmark, leave nothing to learn but the intercept.
    if size > 0:
        for k, p in enumerate(penalties):
            weights[k] = vectors @ (turned / (np.maximum(values, 0.0) + p * size)[:, None])
    return weights, z, t


def _fold_errors(train: Moments, test: Moments, penalties: Sequence[float]) -> FloatArray:
    weights, z, t = _path(train, penalties)
    gram, cross, squares = test.about(z, t)
    linear = np.einsum("pdq,dq->p", weights, cross)
    quadratic = np.einsum("pdq,pdq->p", weights, gram @ weights)
    errors: FloatArray = np.maximum(squares - 2.0 * linear + quadratic, 0.0)
    return errors


def kernel_ridge(
    K: FloatArray, targets: FloatArray, folds: IntArray, penalties: Sequence[float] = KERNEL_PENALTIES
) -> LinearFit:
    """Ridge regression in the whole space of the kernel: what the features approximate.

    Minimises Σ‖tᵢ − f(xᵢ) − b‖² + p tr(K) ‖f‖², by a Cholesky factor of K + p tr(K) I for each penalty and
    fold; O(n³).

    Parameters
    ----------
    K : (n, n) array
        Of the training rows.
    targets : (n, q) array
    folds : (n,) int array
    penalties : sequence of float

    Returns
    -------
    LinearFit
        f(x) = k(x, X) ``weights`` + ``intercept``.
    """
    errors = np.zeros(len(penalties))
    with one_blas_thread():
        for fold in range(int(folds.max()) + 1 if len(penalties) > 1 else 0):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            inner, outer = K[np.ix_(train, train)], K[np.ix_(test, train)]
            for k, p in enumerate(penalties):
                weights, b = _dual(inner, targets[train], p)
                errors[k] += np.square(targets[test] - outer @ weights - b).sum()
        best = int(np.argmin(errors))
        weights, b = _dual(K, targets, penalties[best])
    return LinearFit(weights, b, penalties[best], tuple(errors / len(K)))


def _dual(K: FloatArray, targets: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    if not np.trace(K) > 0:
        return np.zeros_like(targets), targets.mean(axis=0)
    shifted = K.copy()
    shifted[np.diag_indices_from(shifted)] += p * np.trace(K)
    lower = cholesky(shifted, overwrite=True)
    solved = solve_by_factor(lower, np.column_stack([targets, np.ones(len(K))]))
    ones = solved[:, -1]
    b = solved[:, :-1].sum(axis=0) / ones.sum()
    return solved[:, :-1] - np.outer(ones, b), b
