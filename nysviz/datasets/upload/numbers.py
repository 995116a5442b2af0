"""How numbers are written: with decimal points or commas, with or without signs between thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

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
