"""How numbers are written in tables of text, and whether the first row names the columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import pairwise
from statistics import mode

from nysviz.datasets.upload.table import CLASS_TEXTS

# A cell beyond this is no number; nothing longer meets a pattern.
MOST_CHARACTERS = 400
# No pattern may backtrack, for the interpreter's lock is held all the while.
_END = r"(e[+-]?[0-9]++)?+|[+-]?inf(inity)?"
_NUMBERS = {
    ".": re.compile(rf"[+-]?([0-9]++\.?+[0-9]*+|\.[0-9]++){_END}", re.IGNORECASE),
    # With a digit behind the comma: in "34, 1.2" it separates.
    ",": re.compile(rf"[+-]?([0-9]*+,)?[0-9]++{_END}", re.IGNORECASE),
}
# The minus sign, and the dash that writing programs put in place of a hyphen.
MINUS = re.compile("[−–]")
_BEGINNINGS = frozenset("+-.,0123456789iI−–")
OTHER_SIGN = {".": ",", ",": "."}
# Thousands by their decimal sign: beside the other sign, blanks of four kinds and apostrophes stand in them.
_THOUSANDS = {
    decimal: re.compile(
        rf"[+-]?[1-9][0-9]{{0,2}}([{other} \u00a0\u2009\u202f'’])[0-9]{{3}}(\1[0-9]{{3}})*"
        rf"({re.escape(decimal)}[0-9]+)?"
    )
    for decimal, other in OTHER_SIGN.items()
}
_ZERO_IN_FRONT = re.compile(r"[+-]?0[0-9]")


def as_number(text: str, decimal: str) -> float:
    """What a text says as a number with this decimal sign, NaN if it is none.

    With a decimal comma "1.234" is 1234, and "1.5" is no number.
    """
    text = text.strip()
    if text[:1] not in _BEGINNINGS or len(text) > MOST_CHARACTERS:
        return math.nan  # at once, for most texts are none
    if not text.isascii():
        text = MINUS.sub("-", text)
    if _NUMBERS[decimal].fullmatch(text):
        return float(text.replace(",", "."))
    sign = thousands_sign(text, decimal)
    return float(text.replace(sign, "").replace(decimal, ".")) if sign else math.nan


def thousands_sign(text: str, decimal: str) -> str:
    """The sign between the thousands of a number, empty where there is none."""
    text = text.strip()
    found = _THOUSANDS[decimal].fullmatch(MINUS.sub("-", text)) if len(text) <= MOST_CHARACTERS else None
    return found[1] if found else ""


def are_thousands(texts: Iterable[str], decimal: str) -> bool:
    """Whether texts with signs between thousands are numbers rather than codes, such as "612 345 678".

    Numbers differ in length: one is below 1000, or has a decimal sign, or more signs between thousands than
    another. None has a zero in front.
    """
    counts: set[int] = set()
    decimals = False
    for text in map(str.strip, texts):
        if _ZERO_IN_FRONT.match(text):
            return False
        number = as_number(text, decimal)
        if math.isnan(number):
            continue
        decimals = decimals or decimal in text
        sign = thousands_sign(text, decimal)
        if sign or abs(number) < 1000:
            counts.add(text.count(sign) if sign else 0)
    return decimals or len(counts) > 1


def is_plain_number(text: str, decimal: str) -> bool:
    """Whether a text is a number with this decimal sign and nothing between thousands."""
    text = text.strip()
    return len(text) <= MOST_CHARACTERS and bool(_NUMBERS[decimal].fullmatch(text))


def is_number(text: str) -> bool:
    """Whether a text is a number with one decimal sign or the other."""
    return not (math.isnan(as_number(text, ".")) and math.isnan(as_number(text, ",")))


def decimal_sign(texts: Iterable[str]) -> tuple[str, str]:
    """The decimal sign of most texts, and a number such as "1,234" that allows both where none decides."""
    points = commas = 0
    unclear: dict[str, str] = {}
    for text in texts:
        point, comma = as_number(text, "."), as_number(text, ",")
        if math.isnan(comma):
            points += not math.isnan(point)
        elif math.isnan(point):
            commas += 1
        elif point != comma:
            unclear.setdefault("," if "," in text else ".", text)
    if points or commas:
        return "," if commas > points else ".", ""
    sign = "," if "," in unclear and "." not in unclear else "."
    return sign, unclear.get(sign, "")


# Cells that are read as missing wherever they stand: with small letters "Na" may be the name of a column.
GAPS = frozenset({"", "?", *CLASS_TEXTS, "-NaN", "-nan", "#NA", "#N/A", "<NA>"})
MISSING = frozenset(map(str.lower, GAPS))
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
