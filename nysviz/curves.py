"""Errors against the number of landmarks; all of them from one factorisation where a method is nested."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.approximation import (
    approximate,
    checked_count,
    checked_method,
    checked_rows,
    nested_factor,
)
from nysviz.blocks import FloatArray, one_blas_thread
from nysviz.kernels import Kernel
from nysviz.matrix import KernelMatrix
from nysviz.measures import frobenius, residual

# Below this relative error the identity for ‖K − G Gᵀ‖² has lost half of its digits to cancellation.
CANCELLATION = 1e-5


def error_curve(
    X: FloatArray,
    kernel: Kernel,
    method: str,
    ms: Sequence[int],
    seed: int = 0,
    *,
    matrix: KernelMatrix | None = None,
    **options: object,
) -> FloatArray:
    """Frobenius errors ‖K − K̃‖_F for several numbers of landmarks.

    A nested method is run once, for the largest m, and its errors at every m come from one product K G; any
    other method is run once for each m.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    method : str
    ms : sequence of int
        Each from 1 to n, in any order.
    seed : int
    matrix : KernelMatrix, optional
        The same K with its entries or eigenpairs at hand.

    Returns
    -------
    (len(ms),) array
    """
    X = checked_rows(X)
    entry = checked_method(method, options)
    ms = [checked_count(m, len(X)) for m in ms]
    K = KernelMatrix(X, kernel) if matrix is None else matrix
    if not len(ms):
        return np.empty(0)
    if not entry.nested:
        full = K.full()
        runs = (approximate(X, kernel, method, m, seed, matrix=K, **options) for m in ms)
        return np.array([frobenius(residual(full, a.factor)) for a in runs])
    with one_blas_thread():
        selection = entry.select(K, max(ms), np.random.default_rng(seed), **options)
        factor, columns = nested_factor(K, selection)
    # A method that stopped early has nothing to add: its last approximation stands for every larger m.
    picks = np.minimum(np.asarray(ms), len(columns))
    ranks = (
        np.where(picks > 0, columns[np.maximum(picks, 1) - 1], 0) if len(columns) else np.zeros_like(picks)
    )
    return nested_errors(K.full(), factor)[ranks]


def nested_errors(K: FloatArray, factor: FloatArray) -> FloatArray:
    """‖K − G_t G_tᵀ‖_F for the first t = 0, 1, …, r columns of the factor.

    From ‖K‖² − 2 Σ_{s≤t} (Gᵀ K G)_ss + Σ_{s,u≤t} (GᵀG)_su², one product K G in all; where that cancels, the
    residual is formed, updated from one t to the next.

    Parameters
    ----------
    K : (n, n) array
    factor : (n, r) array

    Returns
    -------
    (r + 1,) array; O(n² r).
    """
    total = frobenius(K) ** 2
    r = factor.shape[1]
    if r == 0:
        return np.array([np.sqrt(total)])
    cross = np.einsum("ij,ij->j", factor, K @ factor)
    gram = factor.T @ factor
    squares = np.concatenate([[0.0], np.cumsum(np.cumsum(gram**2, axis=0), axis=1).diagonal()])
    squared = total - 2.0 * np.concatenate([[0.0], np.cumsum(cross)]) + squares
    result: FloatArray = np.sqrt(np.maximum(squared, 0.0))
    unsafe = np.flatnonzero(result <= CANCELLATION * np.sqrt(total))
    if len(unsafe):
        first = int(unsafe[0])
        rest = residual(K, factor[:, :first])
        for t in range(first, r + 1):
            if t > first:
                rest -= np.outer(factor[:, t - 1], factor[:, t - 1])
            result[t] = frobenius(rest)
    return result
