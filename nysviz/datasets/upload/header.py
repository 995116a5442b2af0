"""What stands above the rows of a table of text: titles, and the names of the columns."""

from __future__ import annotations

from itertools import pairwise
from statistics import mode

from nysviz.datasets.upload.numbers import as_number, is_number

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "-nan", "#n/a", "<na>"})
# Cells that are read as missing wherever they stand: with small letters "Na" may be the name of a column.
GAPS = frozenset(
    {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "#NA", "#N/A", "<NA>"}
)
# Numbers that rise from cell to cell are names, such as wavelengths, where so many do and no row does.
MANY_RISING = 8
YEARS = range(1500, 2101)


def titles_above(cells: list[list[str]]) -> int:
    """How many rows at the top are a title: texts in fewer cells, with names or longer rows below.

    In a single column the last text above the numbers is its name.
    """
    width = mode(len(row) for row in cells)
    count = 0
    for row in cells[:-1]:
        texts = [cell for cell in row if cell]
        length = len(texts) if len(texts) == 1 else len(row)
        if not texts or any(map(is_number, texts)) or length >= width > 1:
            break
        if 1 < width == length + 1 and not has_header(cells[count + 1 :]):
            break  # as R writes names
        count += 1
    if width == 1:
        count = max(count - 1, 0)
    alone = all(sum(map(bool, row)) == 1 for row in cells[:count]) and width > 2
    return count if alone or has_header(cells[count:]) else 0


def has_header(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns: more of its texts than of its numbers stand above numbers."""
    first, rest = cells[0], cells[1:]
    named = [any(map(str.isalnum, cell)) and not (cell in GAPS or is_number(cell)) for cell in first]
    if not rest:
        return any(named) and not any(map(is_number, first))
    if count_as_names(cells):
        return True
    # As R writes tables, the names of the rows have no name above them; or the rows end in a separator.
    longer = all(len(row) == len(first) + 1 for row in rest)
    shift = 1 if longer and any(cell for row in rest for cell in row[len(first) :]) else 0
    above = [[row[j + shift] for row in rest if len(row) > j + shift] for j in range(len(first))]
    filled = [[cell for cell in column if cell.lower() not in MISSING] for column in above]
    numeric = [bool(column) and sum(map(is_number, column)) > 0.5 * len(column) for column in filled]
    if not any(numeric):
        # Columns of text: the names differ, none is a text of its column, and a text repeats below.
        differ = "" not in first and len(set(first)) == len(first)
        strange = all(name not in texts for name, texts in zip(first, filled, strict=True))
        return differ and strange and any(len(set(texts)) < len(texts) for texts in filled)
    texts = sum(below and name for name, below in zip(named, numeric, strict=True))
    return texts > sum(below and is_number(cell) for cell, below in zip(first, numeric, strict=True))


def count_as_names(cells: list[list[str]]) -> bool:
    """Whether the numbers of the first row are names: 0, 1, 2 …, years, or many that rise as in no row."""
    first, rest = cells[0], cells[1:]
    places = [j for j, cell in enumerate(first) if is_number(cell)]
    values = [as_number(first[j], ".") for j in places]
    if values and values[0] in (0, 1) and values == [values[0] + j for j in range(len(values))]:
        fractions = all("." in row[j] for row in rest for j in places if j < len(row))
        index = first[0] == "" and len(places) == len(first) - 1 > 1
        if (index and len({row[0] for row in rest}) == len(rest)) or (len(values) > 1 and fractions):
            return True
    elif len(values) < MANY_RISING:
        steps = {after - before for before, after in pairwise(values)}
        if len(steps) != 1 or any(value not in YEARS for value in values):
            return False
    below = [[as_number(row[j], ".") for j in places if j < len(row)] for row in rest]
    return len(values) > 2 and _rise(values) and not any(map(_rise, below))


def _rise(values: list[float]) -> bool:
    return all(before < after for before, after in pairwise(values))
