"""Random generators that keep what they handed out, and that hand it out again."""

from __future__ import annotations

from typing import Any

import numpy as np


class Taped(np.random.Generator):
    """The same stream as ``Generator(bit_generator)``; each answer is also kept, in order, on ``tape``."""

    def __init__(self, bit_generator: np.random.BitGenerator) -> None:
        super().__init__(bit_generator)
        self.tape: list[Any] = []

    def _kept(self, answer: Any) -> Any:
        # A method may shuffle what it was given in place.
        self.tape.append(np.array(answer))
        return answer

    def random(self, *args: Any, **kwargs: Any) -> Any:
        """Uniform numbers."""
        return self._kept(super().random(*args, **kwargs))

    def integers(self, *args: Any, **kwargs: Any) -> Any:
        """Whole numbers."""
        return self._kept(super().integers(*args, **kwargs))

    def permutation(self, *args: Any, **kwargs: Any) -> Any:
        """A permutation."""
        return self._kept(super().permutation(*args, **kwargs))

    def choice(self, *args: Any, **kwargs: Any) -> Any:
        """Some of several."""
        return self._kept(super().choice(*args, **kwargs))

    def standard_exponential(self, *args: Any, **kwargs: Any) -> Any:
        """Waiting times."""
        return self._kept(super().standard_exponential(*args, **kwargs))


class Replayed(np.random.Generator):
    """Hands out a tape's answers once more, as many numbers of each as are asked for.

    A method that draws all its numbers before its first step, and is asked for fewer steps, then goes just as
    far along the very same path.
    """

    def __init__(self, tape: list[Any]) -> None:
        super().__init__(np.random.PCG64(0))
        self._left = iter(tape)

    def _again(self, size: int | None = None) -> Any:
        return next(self._left)[:size].copy()

    def random(self, *args: Any, **kwargs: Any) -> Any:
        """Uniform numbers, as before."""
        return self._again(*args, **kwargs)

    def integers(self, *args: Any, **kwargs: Any) -> Any:
        """Whole numbers, as before."""
        return self._again(kwargs["size"])

    def permutation(self, *args: Any, **kwargs: Any) -> Any:
        """The same permutation."""
        return self._again()
