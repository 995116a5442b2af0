"""Eigenvalues of the kernel matrix."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh

from nysviz.approximation import checked_rows
from nysviz.blocks import FloatArray, all_blas_threads
from nysviz.kernels import Kernel
from nysviz.matrix import LANCZOS_RATIO, KernelMatrix


def spectrum(
    X: FloatArray, kernel: Kernel, k: int | None = None, *, K: FloatArray | None = None
) -> FloatArray:
    """Eigenvalues of K = k(X, X), descending.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    k : int, optional
        How many of the largest; all n by default.
    K : (n, n) array, optional
        The matrix where it is at hand.

    Returns
    -------
    (k,) array. Clipped at 0, since K is positive semidefinite. O(n³), or Lanczos for a small k.
    """
    X = checked_rows(X)
    n = len(X)
    if k is not None and (not 1 <= k <= n or k != int(k)):
        raise ValueError(f"k = {k} eigenvalues of an n = {n} matrix; a whole number from 1 to {n} is needed.")
    if k is not None and LANCZOS_RATIO * k < n:
        values = KernelMatrix(X, kernel, dense=K).eigenpairs(k)[0]
    else:
        K = kernel(X) if K is None else K
        with all_blas_threads():
            values = eigvalsh(K, check_finite=False)[::-1][:k]
    return np.maximum(values, 0.0)


def best_errors(eigenvalues: FloatArray, m: int) -> tuple[float, float, float]:
    """Frobenius, spectral and trace error of the best rank-m approximation (Eckart & Young 1936).

    Parameters
    ----------
    eigenvalues : (n,) array
        All of them, descending.
    m : int
    """
    rest = eigenvalues[m:]
    if not len(rest):
        return 0.0, 0.0, 0.0
    return float(np.sqrt(rest @ rest)), float(rest[0]), float(rest.sum())
