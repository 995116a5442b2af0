"""The approximations of a nested method at every number of landmarks, from one choice."""

from dataclasses import dataclass, field

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.nystroem import RANK_TOLERANCE, nystroem_factor
from nysviz.landmarks.selection import Selection
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.numerics.loops import cholesky_in_order
from nysviz.refusal import Refusal

# A factor in the order of the landmarks leaves out one that adds less than this part of its own entry to
# those before it, and one with which tr W · tr W⁻¹ would exceed the latter: its column would be rounding, and
# errors would rise. On 400 smooth sets of one dimension none rose by 5 %; with a limit of 1e18 those of 13
# did, up to 19 times.
LEAST_PIVOT = 1e-10
MOST_CONDITION = 1e17
# Of a given K whose entries have fewer digits: by how much tr W⁻¹ may exceed 1 over their rounding.
MOST_ROUNDING = 4.0


@dataclass(frozen=True)
class Nested:
    """Approximations from the first m = 1, 2, … landmarks of one choice.

    The leading columns of ``factor`` (n, r) are the factors for fewer landmarks: the first t landmarks span
    the first ``columns[t - 1]``, since a repeated or dependent one adds none. Up to ``sure`` landmarks they
    are what ``approximate`` makes of these. Beyond, W is so nearly singular that a factor in the given order
    would amplify rounding; ``at`` makes one from the eigenpairs of W instead, as ``approximate`` does.
    """

    factor: FloatArray
    columns: IntArray
    sure: int
    _rounding: float = 0.0
    _E: FloatArray | None = None
    _pivots: IntArray | None = None
    _last: dict[int, FloatArray] = field(default_factory=dict)

    def reached(self, m: int) -> int:
        """Return the landmarks that stand for m: a method that stopped early has nothing to add."""
        return min(m, len(self.columns))

    def rank(self, m: int) -> int:
        """Return the number of columns of the factor for the first m landmarks."""
        m = self.reached(m)
        if m <= self.sure:
            return int(self.columns[m - 1]) if m else 0
        return int(self.at(m).shape[1])

    def at(self, m: int) -> FloatArray:
        """Return the factor (n, r) for the first m landmarks; O(n m² + m³) beyond ``sure``, else a view."""
        m = self.reached(m)
        if m <= self.sure or self._E is None or self._pivots is None:
            return self.factor[:, : int(self.columns[m - 1]) if m else 0]
        if m not in self._last:
            pivots = self._pivots[:m]
            distinct = np.sort(np.unique(pivots, return_index=True)[1])
            # A copy only where a landmark repeats: E may be large.
            E = self._E[:, :m] if len(distinct) == m else self._E[:, distinct]
            self._last.clear()
            self._last[m] = nystroem_factor(E, E[pivots[distinct]], self._rounding)[0]
        return self._last[m]


def nested(K: KernelMatrix, selection: Selection) -> Nested:
    """Return a nested method's approximations at every number of landmarks; O(n m²).

    A repeated or dependent landmark adds no column to the factor, and neither does one that is left out by
    ``LEAST_PIVOT`` or ``MOST_CONDITION``.
    """
    if selection.factor is not None:
        columns = np.arange(1, selection.factor.shape[1] + 1)
        return Nested(selection.factor, columns, len(columns))
    if selection.pivots is None:
        raise Refusal("Only a nested method has one factor for every number of landmarks.")
    E = K.columns(selection.pivots)
    W = E[selection.pivots]
    m = len(W)
    triangle, inverse = np.zeros((m, m)), np.zeros((m, m))
    independent = np.empty(m, dtype=np.intp)
    diagonal = np.diag(W)
    floor, max_condition = np.maximum(LEAST_PIVOT * diagonal, K.rounding), MOST_CONDITION
    if K.rounding:
        max_condition = min(max_condition, MOST_ROUNDING * float(np.trace(W)) / K.rounding)
    rank = cholesky_in_order(W, floor, max_condition, triangle, inverse, independent)
    independent = independent[:rank]
    # The leading part of L⁻¹ is the inverse of the leading part of L.
    inverse_traces = np.cumsum([np.vdot(row, row) for row in inverse[:rank]])
    is_safe = np.maximum(RANK_TOLERANCE * np.cumsum(diagonal[independent]), K.rounding) * inverse_traces < 1.0
    del inverse
    factor = solve_triangular(triangle[:rank, :rank].T, E[:, independent].T).T
    columns = np.searchsorted(independent, np.arange(m), side="right")
    # Up to the first landmark, of those that repeat none before it, with which W is no longer safe.
    doubtful = ~np.tril((diagonal == W) & (diagonal[:, None] == W), -1).any(axis=1)
    doubtful[independent] = ~is_safe
    sure = int(doubtful.argmax()) if doubtful.any() else m
    return Nested(factor, columns, sure, K.rounding, E, selection.pivots)
