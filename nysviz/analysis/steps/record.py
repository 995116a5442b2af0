"""Records of the steps of a method."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.numerics.blocks import FloatArray, IntArray


@dataclass(frozen=True)
class TracedStep:
    """One choice.

    ``pick`` is the row chosen, or proposed by a swap chain; None where landmarks move. ``criterion`` (n,)
    holds the values that the choice was made by; NaN where a row was not looked at. ``landmarks`` are rows
    after the step, or ``points`` (m, d) where centres are no rows. ``leaving`` is the row that a swap chain
    proposed to give up, ``accepted`` whether it was, ``moves`` (m,) how far each landmark moved, and
    ``round_place`` the round of a pick, its place in it and its size, counted from 1.
    """

    pick: int | None
    criterion: FloatArray
    landmarks: IntArray | None = None
    points: FloatArray | None = None
    leaving: int | None = None
    accepted: bool = True
    moves: FloatArray | None = None
    round_place: tuple[int, int, int] | None = None

    @property
    def value(self) -> float:
        """The criterion of the pick."""
        return float("nan") if self.pick is None else float(self.criterion[self.pick])

    @property
    def place(self) -> int:
        """The pick's place among all rows by its criterion; 1 is the largest, equals share a place."""
        return 0 if self.pick is None else 1 + int((self.criterion > self.value).sum())

    @property
    def candidates(self) -> int:
        """Number of rows that could have been chosen: those whose criterion is above 0."""
        return int((self.criterion > 0).sum())


@dataclass(frozen=True)
class Trace:
    """A method's T steps, and the approximation after each of them.

    ``errors`` (T + 1,) are ‖K − K̃‖_F / ‖K‖_F and ``residuals`` (T + 1, n) the diagonal of K − K̃, before the
    first step and after each. ``notes`` say why it ended before the steps asked for, and other shortfalls;
    ``start`` (m, d) are the first places of landmarks that move. ``factors`` are one factor whose leading
    columns, as many as ``ranks`` say, serve all steps of a nested method, or one before the first step and
    one after each; ``factor`` chooses.
    """

    method: str
    steps: tuple[TracedStep, ...]
    errors: FloatArray
    residuals: FloatArray
    notes: tuple[str, ...] = ()
    start: FloatArray | None = None
    factors: tuple[FloatArray, ...] = ()
    ranks: IntArray | None = None

    @property
    def picks(self) -> IntArray:
        """Rows chosen, in order; of a swap chain, the rows it proposed."""
        return np.array([step.pick for step in self.steps if step.pick is not None], dtype=np.intp)

    def factor(self, t: int) -> FloatArray:
        """Return G (n, r) with K̃ = G Gᵀ after t steps."""
        if self.ranks is None:
            return self.factors[t]
        return self.factors[0][:, : self.ranks[t]]

    def rows(self, numbers: IntArray) -> list[dict[str, object]]:
        """Return tidy rows: the error before the first step and after each, its choice and criterion.

        ``numbers`` (n,) are those of the rows of K.
        """
        records: list[dict[str, object]] = []
        for t, error in enumerate(self.errors):
            values = {"relative_frobenius": error, "trace": self.residuals[t].sum()}
            step = self.steps[t - 1] if t else None
            if step and step.pick is not None:
                values |= {"row": int(numbers[step.pick]), "criterion": step.value, "place": step.place}
            if step and step.leaving is not None:
                values |= {"leaving": int(numbers[step.leaving]), "accepted": int(step.accepted)}
            if step and step.moves is not None:
                values |= {"largest_move": step.moves.max(), "moving": int((step.moves > 0).sum())}
            records += [{"step": t, "measure": name, "value": value} for name, value in values.items()]
        return records

    def __len__(self) -> int:
        return len(self.steps)


# Attributes of a generator that are not drawing methods.
NO_DRAWS = ("answers", "bit_generator", "spawn")


class RecordingGenerator(np.random.Generator):
    """The same stream as ``Generator(bit_generator)``; each answer is also kept, in order, in ``answers``."""

    def __init__(self, bit_generator: np.random.BitGenerator) -> None:
        super().__init__(bit_generator)
        self.answers: list[Any] = []

    def __getattribute__(self, name: str) -> Any:
        """Return what numpy has under this name; a drawing method as one that keeps its answers."""
        attribute = super().__getattribute__(name)
        if name.startswith("_") or name in NO_DRAWS:
            return attribute

        def draw(*args: Any, **kwargs: Any) -> Any:
            begun = len(self.answers)
            answer = attribute(*args, **kwargs)
            # One answer a call, also where numpy draws it by another of these methods; what is shuffled
            # in place is the answer, and a method may do that with any answer later on.
            self.answers[begun:] = [np.array(args[0] if answer is None else answer)]
            return answer

        return draw
