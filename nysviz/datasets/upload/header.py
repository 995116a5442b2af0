"""Where a table of text begins: lines above it, the names of its columns, units or types below them."""

import math
from collections.abc import Iterable
from itertools import pairwise, takewhile

from nysviz.datasets.upload.numbers import MARKS, as_number, decimal_sign, is_number
from nysviz.datasets.upload.table import CLASS_TEXTS
from nysviz.datasets.upload.units import has_number

# Cells that are missing in any column; GAPS adds those that are missing only among numbers.
MISSING = ("", "?", "#N/A", "<NA>")
GAPS = frozenset({*MISSING, *CLASS_TEXTS})
# Largest step over smallest step of names that are numbers, rising or falling.
STEP_RATIO = 2.0
# Fewer names than this say that they are names by equal steps alone.
MANY_NAMES = 6
LEAST_ROWS = 3
# Of the rows below such names, at most this part rises or falls throughout as well.
MOST_ORDERED = 0.1
# Names, units and types, and in some formats a line of flags.
MOST_UNITS = 2


def lines_above(cells: list[list[str]]) -> int:
    """Return the number of rows at the top that are a title, counts or keys: shorter than most rows.

    The line of column names may be one cell short, where the rows have names or end in a separator.
    """
    lengths = [len(row) for row in cells]
    width = max(set(lengths), key=lengths.count)
    filled = [max((j + 1 for j, cell in enumerate(row) if cell), default=0) for row in cells]

    def is_above(k: int) -> bool:
        texts = [cell for cell in cells[k] if cell]
        if k + 1 == len(cells) or filled[k] >= width or not texts:
            return False
        if not any(map(is_number, texts + cells[k + 1])):
            return True
        # The first of the longest rows below: the names of columns, or a row of numbers.
        longest = cells[filled.index(max(filled[k + 1 :]), k + 1)]
        if not any(map(is_number, longest)) and sum(map(bool, longest)) > len(texts):
            return True
        return len(cells[k]) < width - 1 and not all(map(is_number, texts))

    return sum(1 for _ in takewhile(is_above, range(len(cells))))


def has_header(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns: more of its texts than of its numbers stand above numbers."""
    first, lower_rows = cells[0], cells[1:]
    named = [any(map(str.isalnum, cell)) and not (cell in GAPS or is_number(cell)) for cell in first]
    if not lower_rows:
        return any(named) and not any(map(is_number, first))
    if numbers_are_names(cells):
        return True
    # As R writes tables, the names of the rows have no name above them; or the rows end in a separator.
    longer = all(len(row) == len(first) + 1 for row in lower_rows)
    shift = int(longer and any(row[-1] for row in lower_rows))
    columns = [[row[j + shift] for row in lower_rows if len(row) > j + shift] for j in range(len(first))]
    filled = [[cell for cell in column if cell not in GAPS] for column in columns]
    numeric = [bool(column) and sum(map(has_number, column)) > 0.5 * len(column) for column in filled]
    if not any(numeric):
        # Columns of text: the names differ, none is a text of its column, and a text repeats below.
        differ = "" not in first and len(set(first)) == len(first)
        strange = all(name not in texts for name, texts in zip(first, filled, strict=True))
        return differ and strange and any(len(set(texts)) < len(texts) for texts in filled)
    texts = sum(below and name for name, below in zip(named, numeric, strict=True))
    return texts > sum(below and is_number(cell) for cell, below in zip(first, numeric, strict=True))


def numbers_are_names(cells: list[list[str]]) -> bool:
    """Whether the numbers of the first row are names, such as years, wavelengths or what stands beside."""
    first, lower_rows = cells[0], cells[1:]
    if names_stand_beside(cells):
        return True
    places = [j for j, cell in enumerate(first) if is_number(cell)]
    in_order = {
        sign: names for sign in ".," if _rise_or_fall(names := [as_number(first[j], sign) for j in places])
    }
    # Looking for the decimal sign in all cells is worth its time only then.
    sign = decimal_sign(cell for row in cells for cell in row)[0] if in_order else ""
    if sign not in in_order:
        return False
    names = in_order[sign]
    steps = [b - a for a, b in pairwise(names)]
    texts = [[row[j] for j in places if j < len(row)] for row in lower_rows]
    below = [[as_number(cell, sign) for cell in row] for row in texts]
    ordered = sum(_is_ordered(row) for row in below)
    low, high = min(names), max(names)
    if set(steps) == {1.0}:
        # Numbered columns, as pandas and R write them, or years.
        if low in (0, 1) and all("." in cell for row in texts for cell in row):
            return True
        if len(names) > 2 and (low in (0, 1) or _are_years(names)) and not ordered:
            return True
    values = [value for row in below for value in row if math.isfinite(value)]
    if len(names) < 3 or len(lower_rows) < LEAST_ROWS or not values:
        return False
    regular = _have_equal_steps(names, _last_digit(first[j] for j in places))
    gap = max(low - max(values), min(values) - high)
    apart = gap > max(high - low, max(values) - min(values)) or (gap > 0 and _are_years(names))
    if regular and apart and 2 * sum(map(_have_equal_steps, below)) < len(below):
        return True
    return are_steps(names) and ordered <= MOST_ORDERED * len(below)


def names_stand_beside(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns as the first column names the rows, in a square table."""
    first, lower_rows = cells[0], cells[1:]
    beside = [row[0] for row in lower_rows if row]
    width = max((len(row) for row in lower_rows), default=0)
    # A first cell that is a number belongs to a symmetric table without names.
    has_corner = len(first) == width and not is_number(first[0])
    above = first[1:] if has_corner else first if len(first) == width - 1 else []
    count = min(len(beside), len(above))
    return count >= LEAST_ROWS and above[:count] == beside[:count] and len(set(above)) == len(above)


def are_steps(values: list[float]) -> bool:
    """Whether numbers rise or fall by steps that are nearly the same."""
    steps = [b - a for a, b in pairwise(values)]
    if len(steps) < MANY_NAMES - 1 or not (min(steps) > 0 or max(steps) < 0):
        return False
    return max(map(abs, steps)) <= STEP_RATIO * min(map(abs, steps))


def _rise_or_fall(values: list[float]) -> bool:
    """Whether there are two numbers or more, each larger than the one before, or each smaller; no NaN."""
    steps = [b - a for a, b in pairwise(values)]
    return bool(steps) and (all(step > 0 for step in steps) or all(step < 0 for step in steps))


def _is_ordered(row: list[float]) -> bool:
    steps = [b - a for a, b in pairwise(value for value in row if math.isfinite(value))]
    return len(steps) > 1 and (min(steps) >= 0 or max(steps) <= 0)


def _are_years(names: list[float]) -> bool:
    return all(1500 <= name <= 2100 and name % 1 == 0 for name in names)


def _have_equal_steps(row: list[float], digit: float = 0.0) -> bool:
    """Whether numbers rise or fall by equal steps, which are rounded to a digit."""
    steps = [b - a for a, b in pairwise(row)]
    rounding = 2.0 * digit + 1e-9 * max(map(abs, row), default=0.0)
    return len(steps) > 1 and max(steps) - min(steps) <= rounding and abs(steps[0]) > rounding


def _last_digit(texts: Iterable[str]) -> float:
    """Return the value of the last decimal, 0 for whole numbers."""
    digits = [
        len(text) - 1 - max(text.rfind("."), text.rfind(",")) for text in texts if set(text) & set(".,")
    ]
    return 10.0 ** -max(digits) if digits else 0.0


def unit_lines(cells: list[list[str]]) -> int:
    """Return the number of rows below the names with units or types: no number in columns of numbers."""
    count = 0
    while count < MOST_UNITS and len(cells) >= MOST_UNITS + LEAST_ROWS:
        row, lower_rows = cells[count], cells[MOST_UNITS:]
        columns = [[lower_row[j] for lower_row in lower_rows if j < len(lower_row)] for j in range(len(row))]
        filled = [[cell for cell in column if cell not in GAPS] for column in columns]
        numeric = [
            j for j, column in enumerate(filled) if column and sum(map(is_number, column)) > 0.9 * len(column)
        ]
        units = [
            row[j] for j in numeric if row[j] and row[j].casefold() not in MARKS and not is_number(row[j])
        ]
        numbers = [row[j] for j in numeric if is_number(row[j])]
        repeated = any(row[j] and row[j] in column for j, column in enumerate(filled) if j not in numeric)
        if not units or numbers or repeated or 2 * len(units) < len(numeric):
            break
        count += 1
    return count
