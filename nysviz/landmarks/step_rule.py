"""The criterion by which a method makes each choice, for following it step by step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.blocks import FloatArray, IntArray


@dataclass(frozen=True)
class RecordedRun:
    """A finished run: what was chosen, the residual K − K̃ before each pick, and the numbers drawn.

    ``diagonals`` and ``squares`` (T + 1, n) are the diagonal and squared column norms of the residual before
    each pick and after the last; below ``floor`` a diagonal is rounding. The leading ``ranks[t]`` columns of
    ``factor`` are those of t picks, ``answers`` the numbers drawn, in order, ``options`` all of the method's.
    """

    K: KernelMatrix
    pivots: IntArray
    diagonals: FloatArray
    squares: FloatArray
    floor: float
    factor: FloatArray
    ranks: IntArray
    answers: list[Any]
    options: dict[str, Any]

    def open_diagonal(self, t: int) -> FloatArray:
        """Return the residual diagonal after t picks, (n,), 0 where only rounding is left."""
        return np.where(self.diagonals[t] > self.floor, self.diagonals[t], 0.0)


@dataclass(frozen=True)
class StepRule:
    """How a method chooses, in words and in numbers.

    Attributes
    ----------
    sentence : str
        How it chooses; the method's name is the subject.
    criterion : str
        What the choice is made by: ``"probability"`` where it is drawn.
    values : callable, or {"swaps", "moves", "descent"}
        ``values(run)`` yields the criterion (n,) before every pick of a ``RecordedRun``. It follows the
        definition and not the method's code, whose recursions and block updates give the same numbers faster.
        Of methods that keep their number of landmarks: whether a step proposes a swap, as the chain of
        ``dpp``, or moves all of them, as an iteration of ``kmeans`` or of ``gradient``.
    rounds : callable, optional
        ``rounds(run)`` lists the round of every pick, its place in the round and the size of the round,
        counted from 1.
    landmark : str
        What a landmark is called.
    """

    sentence: str
    criterion: str
    values: Callable[[RecordedRun], Iterator[FloatArray]] | Literal["swaps", "moves", "descent"]
    rounds: Callable[[RecordedRun], list[tuple[int, int, int]]] | None = None
    landmark: str = "landmark"

    @property
    def keeps_landmarks(self) -> bool:
        """Whether all steps have the same number of landmarks."""
        return isinstance(self.values, str)

    @property
    def moves_landmarks(self) -> bool:
        """Whether a step moves all landmarks."""
        return self.values in ("moves", "descent")
