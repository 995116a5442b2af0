"""How numbers are written: with decimal points or commas, with or without signs between thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

# A cell beyond this is no number; nothing longer meets a pattern.
MOST_CHARACTERS = 400
# No pattern may backtrack, for the interpreter's lock is held all the while.
_END = r"(e[+-]?[0-9]++)?+|[+-]?inf(inity)?"
_NUMBERS = {
    ".": re.compile(rf"[+-]?([0-9]++\.?+[0-9]*+|\.[0-9]++){_END}", re.IGNORECASE),
    # With a digit behind the comma: in "34, 1.2" it separates.
    ",": re.compile(rf"[+-]?([0-9]*+,)?[0-9]++{_END}", re.IGNORECASE),
}
SIGNS = {".": "point", ",": "comma", "'": "apostrophe", "’": "apostrophe"}  # the others are blanks
# The minus sign, and the dash that writing programs put in place of a hyphen.
MINUS = re.compile("[−–]")
_BEGINNINGS = frozenset("+-.,0123456789iI−–")
_OTHER = {".": ",", ",": "."}
# Thousands by their decimal sign: beside the other sign, blanks of four kinds and apostrophes stand in them.
_THOUSANDS = {
    decimal: re.compile(
        rf"[+-]?[1-9][0-9]{{0,2}}([{other} \u00a0\u2009\u202f'’])[0-9]{{3}}(\1[0-9]{{3}})*"
        rf"({re.escape(decimal)}[0-9]+)?"
    )
    for decimal, other in _OTHER.items()
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
    sign = sign_between_thousands(text, decimal)
    return float(text.replace(sign, "").replace(decimal, ".")) if sign else math.nan


def sign_between_thousands(text: str, decimal: str) -> str:
    """The sign between the thousands of a number, empty where there is none."""
    text = text.strip()
    found = _THOUSANDS[decimal].fullmatch(MINUS.sub("-", text)) if len(text) <= MOST_CHARACTERS else None
    return found[1] if found else ""


def show_thousands(texts: Iterable[str], decimal: str) -> bool:
    """Whether texts with signs between thousands are numbers rather than codes, such as "612 345 678".

    Numbers differ in length: one is below 1000, or has a decimal sign, or more signs between thousands than
    another. None has a zero in front.
    """
    signs: set[int] = set()
    decimals = False
    for text in map(str.strip, texts):
        if _ZERO_IN_FRONT.match(text):
            return False
        number = as_number(text, decimal)
        if math.isnan(number):
            continue
        decimals = decimals or decimal in text
        if sign := sign_between_thousands(text, decimal):
            signs.add(text.count(sign))
        elif abs(number) < 1000:
            signs.add(0)
    return decimals or len(signs) > 1


def is_plain_number(text: str, decimal: str) -> bool:
    """Whether a text is a number with this decimal sign and nothing between thousands."""
    text = text.strip()
    return len(text) <= MOST_CHARACTERS and bool(_NUMBERS[decimal].fullmatch(text))


def is_number(text: str) -> bool:
    """Whether a text is a number with one decimal sign or the other."""
    return not (math.isnan(as_number(text, ".")) and math.isnan(as_number(text, ",")))


@dataclass(frozen=True)
class Decimals:
    """Which decimal sign texts have: how many allow one alone, and one that allows both, as "1,234" does."""

    points: int
    commas: int
    unclear_point: str | None
    unclear_comma: str | None

    @property
    def sign(self) -> str:
        """The sign that more texts ask for; where none does so, a comma if there is one, and no point."""
        if self.points or self.commas:
            return "," if self.commas > self.points else "."
        return "," if self.unclear_comma and not self.unclear_point else "."

    @property
    def unclear(self) -> str | None:
        """A text with the sign that could as well stand between thousands, where no other text decides."""
        if self.points or self.commas:
            return None
        return self.unclear_comma if self.sign == "," else self.unclear_point


def decimals_of(texts: Iterable[str]) -> Decimals:
    """Look at the decimal signs of texts, whether they are numbers or not."""
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
    return Decimals(points, commas, unclear.get("."), unclear.get(","))


def other_sign(decimal: str) -> str:
    """The decimal sign that this one is not."""
    return _OTHER[decimal]
