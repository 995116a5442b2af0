"""A matrix as a kernel: its points are the numbers of its rows."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nysviz.kernels.base import Fill, Kernel, as_rows
from nysviz.kernels.similarities import checked_similarities, points_of, rounding_of
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.rows import as_table
from nysviz.refusal import Refusal


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Precomputed(Kernel):
    """A kernel matrix that is there already; k(i, j) = K[i, j] between the numbers of its rows.

    Its ``indices`` take the place of X, some of them for some of the rows: ``approximate(k.indices, k)``.
    Rows of new objects, if wanted, belong to K too.

    Parameters
    ----------
    K : (n, n) array
        Finite, symmetric and positive semidefinite up to rounding, which is checked, O(n³): else ValueError.
    repair : {"clip", "shift"}, optional
        What to do with a K that has negative eigenvalues: set them to 0, or add the size of the smallest one
        to the diagonal. It is refused when not given.

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
        object.__setattr__(self, "K", checked_similarities(as_table(K, "K"), repair))

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

    @lazy_property
    def rounding(self) -> float:
        """Size up to which eigenvalues of K are rounding of its entries; 0 for double precision. O(n³)."""
        return rounding_of(self.K)

    def points(self) -> FloatArray:
        """Return points X (n, r) with X Xᵀ = K, for k-means and others that need points; O(n³).

        The linear kernel of them is this kernel.
        """
        return points_of(self.K)

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
        return lambda X, first, out: np.copyto(
            out, self.K[np.ix_(self._numbers(X), columns[first : first + out.shape[1]])]
        )
