"""Numbers that stand on logarithmic axes: two of them at least."""

from __future__ import annotations

import math
from typing import Any

# Round numbers for a log axis of less than so many decades.
ROUND, DECADES = (1.0, 2.0, 5.0), 2.0


def short_log_ticks(settings: dict[str, Any]) -> dict[str, Any]:
    """Ticks of a log axis of less than two decades, or on which fewer than two of its own would stand."""
    span, step = settings.get("range"), settings.get("dtick", 1)
    if span is None or settings.get("tickvals") is not None:
        return {}
    low, high = sorted(map(float, span))
    if not isinstance(step, str):
        own = math.floor(high / step + 1e-9) - math.ceil(low / step - 1e-9) + 1
        if high - low >= DECADES and own >= 2:
            return {}
    return {"dtick": None, **log_ticks(low, high)}


def log_ticks(low: float, high: float, wide: float = DECADES) -> dict[str, Any]:
    """Ticks of a log axis between two exponents: 1, 2 and 5 of each decade, or decades where it is wide.

    Where fewer than two of these lie on the axis, round numbers in even steps.
    """
    decades = range(math.floor(low), math.ceil(high) + 1)
    digits = ROUND if high - low <= wide else ROUND[:1]
    every = max(1, math.ceil((high - low) / 8)) if digits == ROUND[:1] else 1
    found = [digit * 10.0**decade for decade in decades if decade % every == 0 for digit in digits]
    found = [value for value in found if low - 1e-9 <= math.log10(value) <= high + 1e-9]
    if len(found) < 2 and high > low:
        found = _even_ticks(10.0**low, 10.0**high)
    return {"tickvals": found, "ticktext": [_as_tick(value) for value in found]}


def _even_ticks(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between two numbers, two to some six of them."""
    power = math.floor(math.log10(high - low))
    for step, exponent in ((2, power), (1, power), (5, power - 1), (2, power - 1)):
        unit = step * 10.0**exponent
        counts = range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)
        if len(counts) >= 2:
            break
    # Rounded in decimals, so that 3 times 0.1 is written as 0.3.
    return [float(f"{count * step}e{exponent}") for count in counts]


def _as_tick(value: float) -> str:
    if 1e-3 <= value < 1e5:
        return f"{value:.12g}"
    digits, exponent = f"{value:.6e}".split("e")
    digits = digits.rstrip("0").rstrip(".")
    return f"{'' if digits == '1' else f'{digits}·'}10<sup>{int(exponent)}</sup>"
