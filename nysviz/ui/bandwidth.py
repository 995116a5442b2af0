"""The bandwidth as the sidebar and the address write it: σ in multiples of the default σ.

Inside it is a multiple of the width 2σ². A link of a former version has that multiple as a plain number, and
keeps its meaning.
"""

import math

from nysviz.kernels import KERNELS

# Multiples of the default width at which the slider stops: 2^-10 … 2^10 in half steps.
MULTIPLES = tuple(float(f"{2.0 ** (k / 2):.3g}") for k in range(-20, 21))
# One width per feature: whether, and the widths of the six that vary most, in their standard deviations.
WIDTH_KEYS = ("widths", *(f"width_{i}" for i in range(1, 7)))
# Settings of the kernel, by their names in the address.
KERNEL_KEYS = ("kernel", "bandwidth", *WIDTH_KEYS, *(p.key for k in KERNELS.values() for p in k.parameters))
WIDTHS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
UNIT = " times"


def bandwidth_text(multiple: float) -> str:
    """Write a multiple of the default width as one of the default σ, with the digits that tell it apart."""
    if multiple == 1:
        return "default"
    return f"{math.sqrt(multiple):.{4 if multiple in MULTIPLES else 6}g}{UNIT}"


def multiple_of(text: str) -> float | None:
    """Return the multiple of the default width that a text of an address names, None if it names none."""
    stops = {bandwidth_text(stop): stop for stop in MULTIPLES}
    if text in stops:
        return stops[text]
    try:
        value = float(text.removesuffix(UNIT)) ** (2 if text.endswith(UNIT) else 1)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and value > 0 else None
