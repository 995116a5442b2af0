"""Exact errors: every entry of K̃ is compared with K."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.linalg import LinearOperator

from nysviz.kernels import Kernel, KernelFunction, as_kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.kernels.similarities import NEGATIVE
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.rows import checked_square
from nysviz.nystroem.approximation import checked_same
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures.matrix_norms import (
    SPECTRAL_TOLERANCE,
    Norms,
    as_operator,
    frobenius,
    frobenius_in_blocks,
    matrix_fits,
    norms,
    residual,
    spectral_norm,
)
from nysviz.nystroem.measures.rows import DIAGONAL_ROUNDING, nuclear_norm_of_diagonals
from nysviz.refusal import Refusal
from nysviz.text import html_table, in_bytes, three_digits

# Largest n at which a nuclear norm is worth the O(n³) of all eigenvalues; smaller on a small machine.
NUCLEAR_ROWS = 3_000
# Relative residuals below this are rounding; a Lanczos iteration has nothing to find there.
ROUNDING = 1e-15


@dataclass(frozen=True)
class Errors:
    """Norms of K − K̃, absolute and relative to the same norm of K.

    ``trace`` is the nuclear norm. That is tr K − tr K̃ where K − K̃ is positive semidefinite, as it is for
    every method but random features and a mixture whose shares sum to more than 1. In those cases, and if K
    or K − K̃ has negative eigenvalues beyond rounding, it is the sum of the absolute eigenvalues, NaN above
    ``NUCLEAR_ROWS`` rows, or ``memory.held_rows()`` if fewer. It is never less than ``frobenius``.

    Examples
    --------
    >>> import nysviz as nv
    >>> data, kernel = nv.load("iris"), nv.Gaussian(1.0)
    >>> found = nv.errors(data.X, kernel, nv.approximate(data.X, kernel, m=150, method="icd"))
    >>> found.relative_frobenius < 1e-6
    True
    """

    frobenius: float
    spectral: float
    trace: float
    relative_frobenius: float
    relative_spectral: float
    relative_trace: float

    def __repr__(self) -> str:
        return f"Errors({', '.join(f'{name}={value:.6g}' for name, value in vars(self).items())})"

    def _repr_html_(self) -> str:
        rows = [
            (norm, three_digits(getattr(self, norm)), three_digits(getattr(self, f"relative_{norm}")))
            for norm in ("frobenius", "spectral", "trace")
        ]
        return html_table(("K − K̃", "norm", "relative to K"), *rows)


def errors(
    X: FloatArray,
    kernel: Kernel | KernelFunction,
    a: LowRank,
    *,
    K: FloatArray | None = None,
    of: Norms | None = None,
    tolerance: float = SPECTRAL_TOLERANCE,
) -> Errors:
    """Compute the exact errors of an approximation.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel or callable
    a : LowRank
        From the same X and kernel.
    K : (n, n) array, optional
        The kernel matrix where it is at hand.
    of : Norms, optional
        The norms of K where they are at hand.
    tolerance : float
        Relative accuracy of the spectral norm.

    Returns
    -------
    Errors
        O(n² r). Up to ``RESIDUAL_ROWS`` rows K − K̃ is held, 8 n² bytes, where that takes at most a third of
        the free memory. Else it is made in blocks of rows; where K is not at hand either, each of some 20 to
        60 Lanczos steps evaluates it again, n² evaluations.

    Raises
    ------
    ValueError
        X empty or not finite, not with the rows and columns of the approximation, or too many: the factor
        of an approximation that does not hold it (``LowRank.is_held``) would take more than four fifths of
        the free memory; another kernel than that of the approximation.

    Examples
    --------
    >>> import nysviz as nv
    >>> data, kernel = nv.load("iris"), nv.Gaussian(1.0)
    >>> a = nv.approximate(data.X, kernel, method="kmeans", m=10)
    >>> nv.errors(data.X, kernel, a).relative_frobenius < 0.5
    True
    """
    kernel = as_kernel(kernel)
    X = checked_same(X, kernel, a)
    if not (is_finite(tolerance) and tolerance >= 0):
        raise Refusal(f"tolerance = {quoted(tolerance)}; a finite number from 0 is needed.")
    K = None if K is None else checked_square(K, a.n)
    columns, limit = a.rows.shape[1], memory.call_bytes()
    if not a.is_held and 8 * a.n * columns > limit:
        raise Refusal(
            f"errors holds the factor, {in_bytes(8 * a.n * columns)} for n = {a.n} and {columns} columns, "
            f"and {in_bytes(limit)} are available; take nysviz.nystroem.measures.sampled_errors, which "
            "does not."
        )
    factor = a.factor
    fits, may_overwrite = matrix_fits(a.n), K is None
    if K is None and fits:
        K = kernel(X)
    # By what the machine has, so that the same call does not give a number at one time and NaN at another.
    few = a.n <= min(NUCLEAR_ROWS, memory.held_rows())
    # Before the residual overwrites a K that was made here.
    sizes = norms(X, kernel, K=K) if of is None else of
    nuclear = None if K is None or kernel.is_psd or not few else _nuclear_norm_of_indefinite(K)
    sizes = sizes if nuclear is None else replace(sizes, trace=nuclear)
    difference: FloatArray | LinearOperator
    if K is not None and fits:
        difference = residual(K, factor, out=K if may_overwrite else None)
        size = frobenius(difference)
    else:
        matrix = KernelMatrix(X, kernel, dense=K)
        difference, size = as_operator(matrix, factor), frobenius_in_blocks(matrix, factor)
    spectral = spectral_norm(difference, tolerance) if size > ROUNDING * sizes.frobenius else size
    trace = trace_error(X, kernel, a)
    # No nuclear norm is below the Frobenius norm, but rounding alone may leave a smaller diagonal.
    is_trace = trace >= size - DIAGONAL_ROUNDING * sizes.trace
    if nuclear is not None or not is_trace:
        all_values = few and isinstance(difference, np.ndarray)
        trace = float(np.abs(np.linalg.eigvalsh(difference)).sum()) if all_values else math.nan
    trace = trace if math.isnan(trace) else max(trace, size)
    return Errors(
        frobenius=size,
        spectral=spectral,
        trace=trace,
        relative_frobenius=ratio_of(size, sizes.frobenius),
        relative_spectral=ratio_of(spectral, sizes.spectral),
        relative_trace=ratio_of(trace, sizes.trace),
    )


def _nuclear_norm_of_indefinite(K: FloatArray) -> float | None:
    """Return the sum of the absolute eigenvalues where some are negative, else None; O(n³)."""
    values = np.linalg.eigvalsh(K)
    nuclear = float(np.abs(values).sum())
    return nuclear if values[0] < -NEGATIVE * nuclear else None


def trace_error(X: FloatArray, kernel: Kernel, a: LowRank) -> float:
    """Return the nuclear norm of K − K̃ from the diagonals alone; NaN where they do not determine it."""
    return nuclear_norm_of_diagonals(kernel.diag(X), a.diagonal()) if a.residual_is_psd else math.nan


def ratio_of(part: float, whole: float) -> float:
    """Return the part over the whole, 0 where the whole is not above 0; NaN for an unknown part."""
    # A kernel matrix of zeros (the linear kernel on zero rows) is approximated exactly.
    if math.isnan(part):
        return math.nan
    return part / whole if whole > 0 else 0.0
