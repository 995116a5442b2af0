"""How numbers are written in tables of text, and what stands where one is missing."""

import math
import re
from collections.abc import Iterable, Sequence

# A cell beyond this is no number; nothing longer meets a pattern.
MOST_CHARACTERS = 400
# No pattern may backtrack, since it holds the interpreter's lock.
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:e[+-]?[0-9]++)?+|[+-]?inf(?:inity)?", re.IGNORECASE
)
# Commas, blanks of four kinds and apostrophes stand between thousands.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([, \u00a0\u2009\u202f'’])[0-9]{3}(\1[0-9]{3})*(\.[0-9]+)?")
# Beyond, a float does not hold every whole number.
MOST_EXACT = 2**53
# The minus sign, and the dash that writing programs put in place of a hyphen.
_MINUS = re.compile("[−–]")
_BEGINNINGS = frozenset("+-.,0123456789iI−–")
# In "34, 1.2" the comma separates.
_NO_DECIMAL_COMMA = re.compile(",(?![0-9])")
# What people and programs write where a number is missing.
_WORDS = "x na n/a n.a. n.a nan -nan none null nil missing miss unknown unk n.d. n.d nd xx xxx k.a. k.a fehlt"
_SIGNS = "#n/a #na #null! #value! #ref! #name? #num! #div/0! <na> 1.#ind -1.#ind 1.#qnan -1.#qnan"
MARKS = frozenset([*_WORDS.split(), *_SIGNS.split()])


def _normalise(text: str, decimal: str) -> str:
    """Return the text with a decimal point and a hyphen as its minus; empty where it can be no number."""
    text = text.strip()
    if text[:1] not in _BEGINNINGS or len(text) > MOST_CHARACTERS:
        return ""  # early exit: most texts are not numbers
    if not text.isascii():
        text = _MINUS.sub("-", text)
    if decimal == ",":
        return "" if _NO_DECIMAL_COMMA.search(text) else text.translate({44: ".", 46: ","})
    return text


def as_number(text: str, decimal: str) -> float:
    """Return the number that a text holds with this decimal sign, NaN if it holds none.

    With a decimal comma "1.234" is 1234, and "1.5" is no number.
    """
    text = _normalise(text, decimal)
    if _NUMBER.fullmatch(text):
        return float(text)
    match = _THOUSANDS.fullmatch(text)
    return float(text.replace(match[1], "")) if match else math.nan


def is_plain_number(text: str, decimal: str) -> bool:
    """Whether a text is a number with this decimal sign and nothing between thousands."""
    return bool(_NUMBER.fullmatch(_normalise(text, decimal)))


def is_number(text: str) -> bool:
    """Whether a text is a number with one decimal sign or the other."""
    return not (math.isnan(as_number(text, ".")) and math.isnan(as_number(text, ",")))


def decimal_sign(texts: Iterable[str]) -> tuple[str, str]:
    """Return the decimal sign of most texts, and a text such as "1,234" if no text decides."""
    points = commas = 0
    unclear = ""
    for text in texts:
        point, comma = as_number(text, "."), as_number(text, ",")
        points += math.isnan(comma) and not math.isnan(point)
        commas += math.isnan(point) and not math.isnan(comma)
        if abs(point - comma) > 0:  # false for NaN
            unclear = unclear or text
    if points or commas:
        return "," if commas > points else ".", ""
    return "," if "," in unclear else ".", unclear


def is_mark(cell: str) -> bool:
    """Whether a cell says that a number is missing, such as "-" or "n/a"."""
    mark = cell.strip()
    # A capital X may well be a class.
    return (mark if len(mark) == 1 else mark.casefold()) in MARKS or not any(map(str.isalnum, mark))


def may_be_codes(cells: Sequence[str], decimal: str) -> bool:
    """Whether numbers, some with signs between thousands, may be codes such as "612 345 678".

    They are numbers if one of them has a decimal sign, or more signs between thousands than another, or is
    below 1000, and none has a zero in front.
    """
    texts = [_normalise(cell, decimal).lstrip("+-") for cell in cells]
    numbers = [text for text in texts if _THOUSANDS.fullmatch(text) or (text.isdigit() and len(text) < 4)]
    signs = {len(re.findall("[^0-9.]", text)) for text in numbers}
    zeros = any(text[:1] == "0" and text[1:2].isdigit() for text in texts)
    return zeros or (len(signs) < 2 and not any("." in text for text in texts))


def long_numbers(rows: Sequence[Sequence[str]]) -> set[int]:
    """Return the columns that have a whole number too large for a float to hold exactly."""
    cells = ((j, cell) for row in rows for j, cell in enumerate(row) if 15 < len(cell) <= MOST_CHARACTERS)
    return {j for j, cell in cells if cell.lstrip("+-").isdecimal() and abs(float(cell)) > MOST_EXACT}


def zeros_in_front(rows: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the columns of digits alone that have zeros in front, each with the first such cell.

    A zero before one digit does not count: it may be a month.
    """
    examples: dict[int, str] = {}
    for row in rows:
        for j, cell in enumerate(row):
            if cell[:1] == "0" and len(cell) > 2 and cell.isdecimal():
                examples.setdefault(j, cell)
    columns = {j: [row[j] for row in rows if len(row) > j] for j in examples}
    return {j: examples[j] for j, cells in columns.items() if all(c.isdecimal() or is_mark(c) for c in cells)}
