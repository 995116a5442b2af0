"""The approximations of a nested method at every number of landmarks, from one choice."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks.nystroem import SAFE_PIVOT, nystroem_factor
from nysviz.landmarks.selection import Selection
from nysviz.lapack.triangular import solve_triangular
from nysviz.loops import cholesky_in_order
from nysviz.matrix import KernelMatrix


@dataclass(frozen=True)
class Nested:
    """Approximations from the first m = 1, 2, … landmarks of one choice.

    Attributes
    ----------
    factor : (n, r) array
        Its leading columns are the factors for fewer landmarks.
    columns : (count,) int array
        The first t landmarks span the first ``columns[t - 1]`` columns: a repeated or dependent landmark adds
        none.
    sure : int
        Up to so many landmarks the leading columns are what ``approximate`` makes of these landmarks. Beyond,
        W is so nearly singular that a factor in the given order would amplify rounding; ``at`` makes one from
        the eigenpairs of W instead, as ``approximate`` does.
    """

    factor: FloatArray
    columns: IntArray
    sure: int
    _E: FloatArray | None = None
    _pivots: IntArray | None = None
    _last: dict[int, FloatArray] = field(default_factory=dict)

    def reached(self, m: int) -> int:
        """Landmarks that stand for m: a method that stopped early has nothing to add."""
        return min(m, len(self.columns))

    def rank(self, m: int) -> int:
        """Columns of the factor for the first m landmarks."""
        m = self.reached(m)
        if m <= self.sure:
            return int(self.columns[m - 1]) if m else 0
        return int(self.at(m).shape[1])

    def at(self, m: int) -> FloatArray:
        """Factor (n, r) for the first m landmarks; O(n m² + m³) beyond ``sure``, else a view."""
        m = self.reached(m)
        if m <= self.sure or self._E is None or self._pivots is None:
            return self.factor[:, : int(self.columns[m - 1]) if m else 0]
        if m not in self._last:
            pivots = self._pivots[:m]
            distinct = np.sort(np.unique(pivots, return_index=True)[1])
            # A copy only where a landmark repeats: E may be large.
            E = self._E[:, :m] if len(distinct) == m else self._E[:, distinct]
            self._last.clear()
            self._last[m] = nystroem_factor(E, E[pivots[distinct]])[0]
        return self._last[m]


def nested(K: KernelMatrix, selection: Selection) -> Nested:
    """Return the approximations of a nested method at every number of landmarks; O(n m²).

    Raises
    ------
    ValueError
        When the selection is not that of a nested method.
    """
    if selection.factor is not None:
        columns = np.arange(1, selection.factor.shape[1] + 1)
        return Nested(selection.factor, columns, len(columns))
    if selection.pivots is None:
        raise ValueError("Only a nested method has one factor for every number of landmarks.")
    E = K.columns(selection.pivots)
    W = E[selection.pivots]
    m = len(W)
    L = np.zeros((m, m))
    kept = np.empty(m, dtype=np.intp)
    diagonal = np.diag(W)
    rank = cholesky_in_order(W, SAFE_PIVOT * diagonal, L, kept)
    kept = kept[:rank]
    triangle = L[np.ix_(kept, np.arange(rank))]
    factor = solve_triangular(triangle, E[:, kept].T).T
    columns = np.searchsorted(kept, np.arange(m), side="right")
    # What a landmark adds to those before it; where that is little, and not because it repeats one of them,
    # the order hurts.
    added = np.zeros(m)
    added[kept] = triangle.diagonal() ** 2
    equal = np.tril((diagonal == W) & (diagonal[:, None] == W), -1).any(axis=1)
    doubtful = ~equal & (added <= SAFE_PIVOT * np.maximum.accumulate(diagonal))
    sure = int(doubtful.argmax()) if doubtful.any() else m
    return Nested(factor, columns, sure, E, selection.pivots)


def nested_factor(K: KernelMatrix, selection: Selection) -> tuple[FloatArray, IntArray]:
    """Factor of a nested method whose leading columns are the factors for fewer landmarks.

    Returns
    -------
    factor : (n, r) array
    columns : (m',) int array
        The first t landmarks span the first ``columns[t - 1]`` columns: a repeated or dependent landmark
        adds none, and neither does one whose residual is below ``SAFE_PIVOT`` of its own entry.
    """
    found = nested(K, selection)
    return found.factor, found.columns
