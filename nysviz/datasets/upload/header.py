"""What stands above the rows of a table of text: remarks, titles, and the names of the columns."""

from __future__ import annotations

from collections.abc import Iterable
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
    longer = all(len(row) == len(first) + 1 for row in rest)
    shift = 1 if longer and not ends_in_separators(cells) else 0
    above = [[row[j + shift] for row in rest if len(row) > j + shift] for j in range(len(first))]
    filled = [[cell for cell in column if cell.lower() not in MISSING] for column in above]
    numeric = [bool(column) and sum(map(is_number, column)) > 0.5 * len(column) for column in filled]
    if not any(numeric):
        return _names_texts(first, filled)
    texts = sum(below and name for name, below in zip(named, numeric, strict=True))
    return texts > sum(below and is_number(cell) for cell, below in zip(first, numeric, strict=True))


def count_as_names(cells: list[list[str]]) -> bool:
    """Whether the numbers of the first row are names: 0, 1, 2 …, years, or many that rise as in no row."""
    first, rest = cells[0], cells[1:]
    places = [j for j, cell in enumerate(first) if is_number(cell)]
    values = [as_number(first[j], ".") for j in places]
    if values and values[0] in (0, 1) and values == [values[0] + j for j in range(len(values))]:
        fractions = all("." in row[j] for row in rest for j in places if j < len(row))
        index = first[0] == "" and len(places) == len(first) - 1 > 1 and _differ(row[0] for row in rest)
        if index or (len(values) > 1 and fractions):
            return True
    elif len(values) < MANY_RISING:
        steps = {after - before for before, after in pairwise(values)}
        if len(steps) != 1 or any(value not in YEARS for value in values):
            return False
    return len(values) > 2 and _rise(values) and not any(_rise(_numbers(row, places)) for row in rest)


def _differ(cells: Iterable[str]) -> bool:
    listed = list(cells)
    return len(set(listed)) == len(listed)


def _numbers(row: list[str], places: list[int]) -> list[float]:
    return [as_number(row[j], ".") for j in places if j < len(row)]


def _rise(values: list[float]) -> bool:
    return all(before < after for before, after in pairwise(values))


def _names_texts(first: list[str], below: list[list[str]]) -> bool:
    """Whether the first row names columns of text: names differ, and none is one of its column's own texts.

    A column whose texts all differ says nothing of the kind; one of them must repeat a text of its own.
    """
    if "" in first or len(set(first)) < len(first):
        return False
    strange = all(name not in cells for name, cells in zip(first, below, strict=True))
    return strange and any(len(set(cells)) < len(cells) for cells in below)


def ends_in_separators(cells: list[list[str]]) -> bool:
    """Whether the rows go beyond the line of names by an empty cell."""
    return not any(cell for row in cells[1:] for cell in row[len(cells[0]) :])
