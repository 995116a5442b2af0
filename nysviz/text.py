"""Numbers, lists and plurals as they stand in sentences, tables and charts."""

import html
import math
from collections.abc import Iterable, Sequence

SUPERSCRIPTS = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
SIZES = ("B", "kB", "MB", "GB")
# Four digits are read at a glance, as those of a year.
APART_FROM = 10_000


def three_digits(value: float) -> str:
    """Write a number with three significant digits, with a power of ten below 0.001 and from a million on."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
    # The exponent after rounding: 9.999 is 10.0.
    mantissa, exponent = f"{value:.2e}".split("e")
    if 4 <= int(exponent) <= 5:
        return grouped(round(float(f"{value:.2e}")))
    if -3 <= int(exponent) <= 3:
        # Fixed notation with trailing zeros kept: 0.250 says more than 0.25.
        return f"{value:.{max(0, 2 - int(exponent))}f}"
    return f"{mantissa}·10{''.join(SUPERSCRIPTS[c] for c in str(int(exponent)))}"


def signed(value: float) -> str:
    """Write a number with three significant digits and a true minus."""
    return f"−{three_digits(-value)}" if value < 0 else three_digits(value)


def grouped(number: int) -> str:
    """Write a whole number, its thousands apart from 10 000 on: 1797, and 20 000 with a thin space."""
    if abs(number) < APART_FROM:
        return str(number)
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def in_seconds(value: float) -> str:
    """Write a time with its unit: milliseconds below one second, hours from 1000 seconds on."""
    if value < 1:
        return f"{three_digits(1000 * value)}\N{NO-BREAK SPACE}ms"
    if value < 1000:
        return f"{three_digits(value)}\N{NO-BREAK SPACE}s"
    return f"{three_digits(value / 3600)}\N{NO-BREAK SPACE}h"


def in_bytes(count: float) -> str:
    """Write a size with its unit; 1000 B are 1 kB."""
    power = 0
    while count >= 1000 and power < len(SIZES) - 1:
        count, power = count / 1000, power + 1
    return f"{three_digits(count) if power else round(count)}\N{NO-BREAK SPACE}{SIZES[power]}"


def percent(share: float) -> str:
    """Write a share in per cent, with one significant digit below 1 %: what is not nothing is not 0 %."""
    value = 100 * abs(share)
    digits = three_digits(value) if 0 < value < 0.001 else f"{value:.1g}" if value < 1 else f"{value:.0f}"
    return f"{'−' if share < 0 else ''}{digits}\N{NO-BREAK SPACE}%"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: 1 point, 20 000 points."""
    return f"{grouped(count)} {noun if count == 1 else plural or noun + 's'}"


def of_all(count: int, whole: int, noun: str, plural: str = "") -> str:
    """Write a part of a whole: 3 of 20 000 rows, 1 of 1 row."""
    return f"{grouped(count)} of {counted(whole, noun, plural)}"


def listed(items: Sequence[str]) -> str:
    """Join the items of a list in a sentence: a, b and c."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def capital(text: str) -> str:
    """Begin a sentence or a title with a capital letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def ranged(counts: Iterable[int], noun: str) -> str:
    """Write the range of several counts: 3 repeats, or 2 to 3 repeats."""
    values = list(counts) or [0]
    low, high = min(values), max(values)
    return counted(high, noun) if low == high else f"{low} to {counted(high, noun)}"


def html_table(*rows: Sequence[str]) -> str:
    """Return a table for a notebook; the first cell of each row is its name."""
    lines = (
        f"<tr><th>{html.escape(name)}</th>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return f"<table>{''.join(lines)}</table>"
