"""Counts, seeds and other single numbers of callers, checked."""

import math
import operator
from numbers import Number
from typing import Any

import numpy as np

from nysviz.refusal import Refusal

# Most characters shown of a value that is not a number.
SHOWN = 40


class WithRows:
    """An object with rows X (n, d)."""

    X: Any

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])


def whole(value: Any) -> int | None:
    """Return a whole number, such as 2.0, as int; None for anything else, also True and False."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, float | np.floating):
        return int(value) if value.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def from_one(name: str, value: Any, requirement: str = "a whole number from 1") -> int:
    """Return a whole number from 1 as int; ValueError in one sentence for anything else."""
    count = whole(value)
    if count is None or count < 1:
        raise Refusal(f"{name} = {quoted(value)}; {requirement} is needed.")
    return count


def checked_sequence(name: str, values: Any) -> list[Any]:
    """Return values as a list; ValueError if they are not a sequence."""
    try:
        return list(values)
    except TypeError:
        raise Refusal(f"{name} = {quoted(values)}; a sequence is needed.") from None


def is_finite(value: Any) -> bool:
    """Whether a value is one finite real number."""
    try:
        return math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False


def quoted(value: Any) -> str:
    """Format a value for a sentence: numbers plainly, anything else by its repr."""
    if isinstance(value, float):
        return f"{value:g}"
    text = " ".join((str(value) if isinstance(value, Number) else repr(value)).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def generator(seed: Any, *stream: int) -> np.random.Generator:
    """Return the random generator of a seed and one of its streams; ValueError for an invalid seed."""
    try:
        return np.random.default_rng([seed, *stream] if stream else seed)
    except (TypeError, ValueError):
        raise Refusal(f"seed = {quoted(seed)}; a whole number from 0 is needed.") from None
