"""Numbers with a percent sign, a currency, a unit or a flag: the columns of text that hold them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nysviz.datasets.upload.numbers import is_number

# No form may backtrack. A unit has no blank, and begins neither like a number nor like a date or a time.
_MEASURE = re.compile(
    r"(?P<minus>[+\-−–]?+)[^\S\n]*+(?P<before>[$€£¥₹₽₩₺₪฿]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR)(?=[\s\d]))?+[^\S\n]*+"
    r"(?P<number>[+\-−–]?+\.?+[0-9](?:[0-9.,'’]|[ \u00a0\u2009\u202f](?=[0-9]))*+(?:[eE][+-]?+[0-9]++)?+)"
    r"[^\S\n]*+(?P<after>[^\s\d.,:;+\-−–/()<>=][^\s:;,]{0,11}|\([a-z*]{1,2}\))?+"
)
MOST_CHARACTERS = 60
# Marks that statistical offices put behind some numbers of a column: provisional, estimated, revised, …
FLAGS = re.compile(r"[bcdefnprsuz]{1,3}|[*†‡§#^]{1,3}|\([bcdefnprsuz*]{1,2}\)")
_PADDED = re.compile(r"[+\-−–]?+0[0-9]")
# Most different signs that may be units; a column of addresses has more.
MOST_SIGNS = 5
# Smallest share of such numbers among the first cells of a column that is read.
SHARE, PROBE = 0.9, 1000


@dataclass(frozen=True)
class Measures:
    """A column of numbers with signs: the number in each text, and examples.

    Attributes
    ----------
    numbers
        By text, the number in it as text, such as "30" of "30%"; empty where different signs leave open what
        the numbers mean.
    examples
        A text with a sign; where signs differ, two texts.
    sign
        What stands beside the numbers.
    """

    numbers: dict[str, str]
    examples: tuple[str, ...]
    sign: str = ""


def has_number(text: str) -> bool:
    """Whether a text is a number, with or without a sign or unit."""
    return _split_measure(text) is not None


def find_measures(cells: Sequence[str]) -> Measures | None:
    """Return the numbers in the cells if nearly all are numbers, some with a sign or unit; else None."""
    first = cells[:PROBE]
    if sum(map(has_number, first)) < SHARE * len(first):
        return None
    parts_by_text = {text: _split_measure(text) for text in dict.fromkeys(cells)}
    counts = Counter(sign for text in cells if (parts := parts_by_text[text]) for sign in [parts[1]])
    signs = [sign for sign in counts if sign != ("", "")]
    if counts.total() < SHARE * len(cells) or not 0 < len(signs) <= MOST_SIGNS:
        return None
    numbers = {text: parts[0] for text, parts in parts_by_text.items() if parts}
    if any(map(_PADDED.match, numbers.values())):
        return None  # codes such as 007a
    # The first text with each sign.
    examples = {parts[1]: text for text, parts in reversed(parts_by_text.items()) if parts}
    if len(counts) == 1 or all(not before and FLAGS.fullmatch(after) for before, after in signs):
        return Measures(numbers, (examples[signs[0]],), " ".join(signs[0]))
    return Measures({}, tuple(examples[sign] for sign in list(counts)[:2]))


def _split_measure(text: str) -> tuple[str, tuple[str, str]] | None:
    """Split a text into its number and the signs before and after it; None if it holds no number."""
    match = _MEASURE.fullmatch(text.strip()) if len(text) <= MOST_CHARACTERS else None
    if match is None or not is_number(number := match["minus"] + match["number"]):
        return None
    return number, (match["before"] or "", match["after"] or "")
