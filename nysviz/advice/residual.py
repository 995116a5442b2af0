"""From the residual on some rows to the relative error of all n."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.advice.question import Question
from nysviz.blocks import FloatArray
from nysviz.curves import nested_errors
from nysviz.measures import frobenius

Features = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Parts:
    """Means over rows that are no landmarks: of the residual's diagonal, of squares on and off it."""

    trace: float
    diagonal: float
    off: float

    def norm(self, n: int, landmarks: int, norm: str) -> float:
        """Norm of the n × n residual whose rows of landmarks, so many, are 0.

        The mean of squares off the diagonal over s rows estimates that over n without bias, but it stands
        for (n − 1)/(s − 1) times as many entries a row as the diagonal's; hence the two parts.
        """
        rest = n - landmarks
        if norm == "trace":
            return rest * self.trace
        return math.sqrt(rest * self.diagonal + rest * (rest - 1.0) * self.off)


class Residuals:
    """Residuals of approximations on the rows that landmarks come from, and on other rows.

    Parameters
    ----------
    asked : Question
    part : (s, d) array
    fresh : (t, d) array or None
        None where the part is all there is.
    """

    def __init__(self, asked: Question, part: FloatArray, fresh: FloatArray | None) -> None:
        self.asked = asked
        self.fresh = fresh
        self._inner = _Rows(asked, part)
        self._outer = None if fresh is None else _Rows(asked, fresh)

    def of_factor(
        self, factor: FloatArray, ranks: Sequence[int], landmarks: Sequence[int], features: Features
    ) -> list[tuple[float, float]]:
        """Relative errors (inner, outer) of the first columns of a factor, as many as ``ranks`` say.

        Parameters
        ----------
        factor : (s, r) array
        ranks : sequence of int
            Ascending.
        landmarks : sequence of int
            Rows of the part that are landmarks, for each rank.
        features : callable
            From other rows to their features, in the order of the factor's columns.

        Returns
        -------
        list of (inner, outer)
            O(s r) for the trace, O(s² r) for the Frobenius norm.
        """
        inner = self._inner.errors(factor, ranks, landmarks, landmarks)
        if self._outer is None or self.fresh is None:
            return [(error, math.nan) for error in inner]
        outer = self._outer.errors(features(self.fresh), ranks, [0] * len(ranks), landmarks)
        return list(zip(inner, outer, strict=True))


class _Rows:
    """The kernel on some rows, and what an approximation leaves of it."""

    def __init__(self, asked: Question, rows: FloatArray) -> None:
        self.asked = asked
        self.diagonal = asked.kernel.diag(rows)
        self.K: FloatArray | None = None
        if asked.norm == "frobenius":
            self.K = asked.whole if rows is asked.X else asked.kernel(rows)
        self.frobenius = 0.0 if self.K is None else frobenius(self.K)
        whole = _parts(self.diagonal, None if self.K is None else self.frobenius**2, 0)
        self.size = whole.norm(asked.n, 0, asked.norm)

    def errors(
        self, factor: FloatArray, ranks: Sequence[int], zero: Sequence[int], landmarks: Sequence[int]
    ) -> list[float]:
        """Relative errors for all n rows; ``zero`` of these rows, and ``landmarks`` of all, are landmarks."""
        squares = None
        if self.K is not None:
            whole = factor[:, : ranks[-1]]
            squares = np.square(nested_errors(self.K, whole, size=self.frobenius, ranks=ranks))
        left = self.diagonal.copy()
        found, before = [], 0
        for place, (rank, none, count) in enumerate(zip(ranks, zero, landmarks, strict=True)):
            step = factor[:, before:rank]
            before = rank
            left -= np.einsum("ij,ij->i", step, step)
            if squares is None:
                # Rounding may leave a little less than nothing.
                part = _parts(np.maximum(left, 0.0), None, none)
            else:
                part = _parts(left, float(squares[place]), none)
            error = part.norm(self.asked.n, min(count, self.asked.n), self.asked.norm)
            found.append(error / self.size if self.size > 0 else 0.0)
        return found


def _parts(diagonal: FloatArray, squares: float | None, zero: int) -> Parts:
    """Means over the rows beside the ``zero`` ones whose entries are all 0, from the sum of all squares."""
    count = len(diagonal) - zero
    if count <= 0:
        return Parts(0.0, 0.0, 0.0)
    own = float(diagonal @ diagonal)
    off = 0.0
    if squares is not None and count > 1:
        off = max(0.0, squares - own) / (count * (count - 1.0))
    return Parts(float(diagonal.sum()) / count, own / count, off)
