"""Checks of the numbers that a caller gives to a data set with knobs."""

from __future__ import annotations

import math
import operator
from typing import SupportsIndex

from nysviz.refusal import Refusal


def whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """The value as int.

    Raises
    ------
    ValueError
        When it is not a whole number from low to high.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a whole number from {low} to {high}.")
    return number


def real(name: str, value: float, low: float, high: float = math.inf) -> float:
    """The value as float.

    Raises
    ------
    ValueError
        When it is not a finite number from low to high.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        needed = f"from {low:.4g} to {high:.4g}" if math.isfinite(high) else f"not below {low:.4g}"
        raise Refusal(f"{name} is {str(value)[:40]}; it must be a finite number {needed}.")
    return number
