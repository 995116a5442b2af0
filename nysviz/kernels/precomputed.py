"""A matrix as a kernel: its points are the numbers of its rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.kernels.base import Fill, Kernel, as_rows
from nysviz.refusal import Refusal
from nysviz.rows import as_table

# By so much of its largest entry K may differ from Kᵀ, as products in single precision do.
ASYMMETRY = 1e-6
# The part of the trace that a negative eigenvalue may have: rounding each entry to single precision leaves
# 6e-8 of it at most.
NEGATIVE = 1e-7


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Precomputed(Kernel):
    """A kernel matrix that is there already; k(i, j) = K[i, j] between the numbers of its rows.

    Its ``indices`` take the place of X, some of them for some of the rows: ``approximate(k.indices, k)``.
    Rows of new objects, if wanted, belong to K too.

    Parameters
    ----------
    K : (n, n) array
        Symmetric and positive semidefinite, which is checked: O(n³).
    repair : {"clip", "shift"}, optional
        What to do with a K that has negative eigenvalues: set them to 0, or add the size of the smallest one
        to the diagonal. It is refused when not given.

    Raises
    ------
    ValueError
        K not square, finite and symmetric, or with a negative eigenvalue beyond rounding.

    Examples
    --------
    >>> import nysviz as nv
    >>> kernel = nv.Precomputed(nv.Gaussian(1.0)(nv.load("iris").X))
    >>> nv.approximate(kernel.indices, kernel, "rpcholesky", m=10).rank
    10
    """

    K: FloatArray
    label: ClassVar[str] = "precomputed"

    def __init__(self, K: FloatArray, repair: Literal["clip", "shift"] | None = None) -> None:
        if repair not in (None, "clip", "shift"):
            raise Refusal(f"repair = {repair!r}; 'clip', 'shift' or None is needed.")
        object.__setattr__(self, "K", _semidefinite(_symmetric(as_table(K, "K")), repair))

    def __eq__(self, other: object) -> bool:
        """Whether the other is a precomputed kernel with the same matrix."""
        return isinstance(other, Precomputed) and np.array_equal(self.K, other.K)

    def __hash__(self) -> int:
        return hash(self.K.shape)

    def __repr__(self) -> str:
        return f"Precomputed(<{len(self.K)} × {len(self.K)} matrix>)"

    @property
    def indices(self) -> FloatArray:
        """The numbers of all rows, (n, 1), to be given as X."""
        return np.arange(len(self.K), dtype=np.float64)[:, None]

    def diag(self, X: FloatArray) -> FloatArray:
        """Return K_ii for each row number in X, (n,)."""
        return self.K.diagonal()[self._numbers(as_rows(X, "X"))]

    def _numbers(self, X: FloatArray) -> IntArray:
        n = len(self.K)
        if X.shape[1] != 1 or not ((X >= 0) & (n > X) & (np.floor(X) == X)).all():
            raise Refusal(
                f"The points of a precomputed kernel are numbers of its rows, one column from 0 to {n - 1}; "
                f"others of the shape {X.shape} were given: take kernel.indices, or some of its rows."
            )
        return X[:, 0].astype(np.intp)

    def _filler(self, Y: FloatArray) -> Fill:
        columns = self._numbers(Y)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            out[:] = self.K[np.ix_(self._numbers(X), columns[first : first + out.shape[1]])]

        return fill


def _symmetric(K: FloatArray) -> FloatArray:
    """(K + Kᵀ) / 2, or one sentence where K is not square, finite and symmetric but for rounding."""
    n = len(K)
    if K.shape != (n, n) or not n:
        raise Refusal(f"K has the shape {K.shape}; a kernel matrix has as many rows as columns, from 1.")
    if not np.isfinite(K).all():
        raise Refusal("K holds NaN or infinity; a kernel matrix is needed whose entries are all known.")
    gaps = np.abs(K - K.T)
    i, j = np.unravel_index(int(gaps.argmax()), K.shape)
    if gaps[i, j] > ASYMMETRY * np.abs(K).max():
        raise Refusal(
            f"K is not symmetric: K[{i}, {j}] = {K[i, j]:.6g} and K[{j}, {i}] = {K[j, i]:.6g}; give "
            "(K + K.T) / 2 if their mean is meant."
        )
    return 0.5 * (K + K.T)


def _semidefinite(K: FloatArray, repair: str | None) -> FloatArray:
    """K, or where it has negative eigenvalues beyond rounding what becomes of it, or one sentence."""
    least = -NEGATIVE * K.trace()
    with suppress(np.linalg.LinAlgError):
        np.linalg.cholesky(K - least * np.eye(len(K)))
        return K
    values, vectors = np.linalg.eigh(K)
    if values[0] >= least:
        return K
    if repair is None:
        raise Refusal(
            f"K is not positive semidefinite: its eigenvalues reach from {values[0]:.3g} to "
            f"{values[-1]:.3g}; Precomputed(K, repair='clip') sets the negative ones to 0, and 'shift' adds "
            f"{-values[0]:.3g} to the diagonal."
        )
    raised = np.maximum(values, 0.0) if repair == "clip" else values - values[0]
    repaired: FloatArray = (vectors * raised) @ vectors.T
    return 0.5 * (repaired + repaired.T)
