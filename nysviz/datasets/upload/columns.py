"""What columns of text hold: numbers, truth values, dates and times, or texts."""

from __future__ import annotations

import re
from itertools import islice

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import listed
from nysviz.datasets.upload.numbers import (
    MINUS,
    SIGNS,
    as_number,
    is_number,
    other_sign,
    show_thousands,
    sign_between_thousands,
)
from nysviz.datasets.upload.table import Table, one_line, plain
from nysviz.datasets.upload.target import text_columns

# A column of text with at least this share of numbers is one of numbers with slips.
NUMERIC_SHARE = 0.9
# With at least this share it is one of numbers too, where nothing but a few marks stands between them.
MARKED_SHARE = 0.5
MOST_MARKS = 3
# What people write where a number is missing; texts without a letter or digit are marks as well.
_WORDS = "na n/a n.a. n.a nan none null nil missing miss unknown unk n.d. n.d nd xx xxx k.a. k.a fehlt"
_ERRORS = "#n/a #na #null! #value! #ref! #name? #num! #div/0!"
MARKS = frozenset([*_WORDS.split(), *_ERRORS.split()])
# With at least this share of dates or times it holds these.
TIMES_SHARE = 0.9
# No date with its time is longer, so that no longer text meets their pattern.
MOST_OF_A_TIME = 60
# Cells that decide whether a column of text is worth reading as numbers, or holds dates.
PROBE = 1000
EXAMPLE_CHARACTERS = 24

_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]*\.?"
_D, _M = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_D2, _M2 = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|1[0-2])"
_LONG, _SHORT = r"\d{4}", r"\d{2}"
_DAY = "|".join(
    [
        *(rf"{_LONG}{sign}{_M}{sign}{_D}" for sign in ("-", "/", r"\.")),
        *(rf"(?:{_D}{sign}{_M}|{_M}{sign}{_D}){sign}{_LONG}" for sign in ("-", "/", r"\.")),
        *(rf"(?:{_D}{sign}{_M}|{_M}{sign}{_D}){sign}{_SHORT}" for sign in "-/"),
        # With points and a short year all have two digits, for 1.2.10 is a version or a section.
        rf"(?:{_D2}\.{_M2}|{_M2}\.{_D2})\.{_SHORT}",
        rf"{_D}\.?[- ]?{_MONTH}[- ]?(?:{_LONG}|{_SHORT})",
        rf"{_MONTH} {_D},? {_LONG}",
    ]
)
_HOUR = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_TIME = re.compile(rf"(?:{_DAY})(?:(?:T|,? ){_HOUR})?|{_HOUR}", re.IGNORECASE)


def with_numbers(table: Table, notes: list[str]) -> pd.DataFrame:
    """Truth values as 1 and 0, and columns of numbers with a few slips, which then count as missing.

    A column may have another decimal sign than the rest of the file, and signs between thousands: it is read
    with the decimal sign by which more of its cells are numbers, by that of the file where both do as well.
    Where the signs may as well be those of codes, such as phone numbers, it stays text.
    """
    frame = table.frame
    changed: dict[str, pd.Series] = {}
    # Columns by what was unusual about their numbers, with an example.
    unusual: dict[tuple[str, str], tuple[str, list[str]]] = {}
    codes: dict[tuple[str, str], tuple[str, list[str]]] = {}
    # Columns whose minus is no hyphen, by that sign.
    signs: dict[str, tuple[str, list[str]]] = {}
    flags = [str(name) for name in frame.select_dtypes(bool).columns]
    for column in [*flags, *text_columns(frame)]:
        values = frame[column]
        if column in table.texts:
            continue
        if pd.api.types.infer_dtype(values, skipna=True) == "boolean":
            changed[column] = values.astype(np.float64)
            notes.append(f"{listed([column])} held true and false, read as 1 and 0.")
            continue
        filled = values.dropna()
        decimal, numbers = _as_numbers(filled, table.decimal)
        others = filled[numbers.isna()] if len(numbers) else filled
        other = len(others)
        if numbers.empty or not (
            other <= (1.0 - NUMERIC_SHARE) * len(filled) or _are_marks(others, len(filled))
        ):
            continue
        example, sign = _unusual(filled[numbers.notna()], decimal, table.decimal)
        if sign and not show_thousands((cell for cell in filled if isinstance(cell, str)), decimal):
            codes.setdefault((decimal, sign), (example, []))[1].append(column)
            continue
        changed[column] = numbers.reindex(values.index)
        if other:
            notes.append(_counted_as_missing(column, others, len(values)))
        if shown := next((cell for cell in filled[numbers.notna()] if MINUS.search(cell)), None):
            signs.setdefault(MINUS.findall(shown)[0], (shown, []))[1].append(column)
        if example:
            unusual.setdefault((decimal, sign), (example, []))[1].append(column)
    for example, columns in signs.values():
        shown = plain(example, EXAMPLE_CHARACTERS)
        notes.append(f"{listed(columns)}: the sign in front of '{shown}' was read as a minus.")
    for (decimal, sign), (example, columns) in unusual.items():
        notes.append(_sentence(columns, example, decimal, sign, decimal != table.decimal))
    for (decimal, sign), (example, columns) in codes.items():
        notes.append(_left_as_text(columns, example, decimal, sign))
    return frame.assign(**changed) if changed else frame


def _are_marks(others: pd.Series, filled: int) -> bool:
    """Whether the cells beside the numbers are a few marks for what is missing, such as "-" or "n/a"."""
    if len(others) > (1.0 - MARKED_SHARE) * filled:
        return False
    marks = {str(cell).strip() for cell in others.unique()}
    return len(marks) <= MOST_MARKS and all(
        mark == "x" or mark.casefold() in MARKS or not any(map(str.isalnum, mark)) for mark in marks
    )


def _counted_as_missing(column: str, others: pd.Series, rows: int) -> str:
    shown = f"'{plain(others.iloc[0], EXAMPLE_CHARACTERS)}'"
    cells = f"{len(others)} of {rows} {'cell' if rows == 1 else 'cells'} of column '{column}'"
    if len(others) == 1:
        return f"{cells}, {shown}, is no number and counts as missing."
    such = "all" if others.nunique() == 1 else "such as"
    return f"{cells}, {such} {shown}, are no numbers and count as missing."


def _as_numbers(filled: pd.Series, usual: str) -> tuple[str, pd.Series]:
    """The decimal sign of a column and its numbers; none where its first cells are text as it looks."""
    best, most = (usual, pd.Series(dtype=np.float64)), 0
    cells = filled.tolist()
    for decimal in (usual, other_sign(usual)) if cells else ():
        probe = [_number(cell, decimal) for cell in cells[:PROBE]]
        if 1.0 - np.isnan(probe).mean() < NUMERIC_SHARE / 2:
            continue  # a file full of text would take long cell by cell
        numbers = np.array([*probe, *(_number(cell, decimal) for cell in cells[PROBE:])])
        if (count := int(np.count_nonzero(~np.isnan(numbers)))) > most:
            best, most = (decimal, pd.Series(numbers, index=filled.index)), count
        if count == len(filled):
            break
    return best


def _number(cell: object, decimal: str) -> float:
    return as_number(cell, decimal) if isinstance(cell, str) else np.nan


def _unusual(cells: pd.Series, decimal: str, usual: str) -> tuple[str, str]:
    """An example of signs between thousands, with that sign, or of a decimal sign unlike that of the file.

    Empty where nothing is unusual.
    """
    for cell in cells:
        if sign := sign_between_thousands(cell, decimal):
            return cell, sign
    if decimal != usual:
        return next((cell for cell in cells if decimal in cell), cells.iloc[0]), ""
    return "", ""


def _sentence(columns: list[str], example: str, decimal: str, sign: str, unlike: bool) -> str:
    taken = [f"the {SIGNS[decimal]} was taken as the decimal sign"] if unlike else []
    if sign:
        taken += [f"the {SIGNS.get(sign, 'blank')} was taken to stand between thousands"]
    shown, value = plain(example, EXAMPLE_CHARACTERS), as_number(example, decimal)
    return f"{listed(columns)}: {' and '.join(taken)}, so '{shown}' was read as {value:.15g}."


def _left_as_text(columns: list[str], example: str, decimal: str, sign: str) -> str:
    word, other = SIGNS.get(sign, "blank"), other_sign(decimal)
    either = sign == other and not np.isnan(as_number(example, other))
    instead = f", or put a {SIGNS[decimal]} in its place if it is the decimal sign" if either else ""
    article, shown = "an" if word == "apostrophe" else "a", plain(example, EXAMPLE_CHARACTERS)
    return (
        f"{listed(columns)}: cells such as '{shown}' may be codes, or numbers with {article} {word} between "
        f"thousands, and stay text; take the {word} out of them if they are numbers{instead}."
    )


def with_plain_texts(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Texts without blanks at their ends or doubled within them: "Yes" and "Yes " are one."""
    changed: dict[str, pd.Series] = {}
    for column in text_columns(frame):
        values = frame[column]
        cells = values.to_numpy(dtype=object)
        if other := _written_otherwise({cell for cell in cells if isinstance(cell, str)}):
            cells = np.array([other.get(cell, cell) for cell in cells], dtype=object)
            changed[column] = pd.Series(cells, index=values.index, dtype=object)
    if not changed:
        return frame
    notes.append(
        f"{listed(list(changed))}: blanks before, after or doubled within a text were taken out, so texts "
        "that differ in blanks alone are one."
    )
    return frame.assign(**changed)


def _written_otherwise(texts: set[str]) -> dict[object, object]:
    """The texts that are changed, with what they become; a text of blanks alone is missing."""
    # All of them at once first, for most columns have none.
    joined = "\n".join(["", *texts, ""])
    strange = any(blanks in joined for blanks in ("  ", " \n", "\n "))
    if not strange and joined.count("\n") == len(texts) + 1 and joined.replace("\n", "").isprintable():
        return {}
    found = {text: one_line(text) for text in texts}
    return {text: line or np.nan for text, line in found.items() if line != text}


def count_numbers(texts: pd.Series) -> int:
    """Return how many cells of a column of text are numbers, 0 where none of its first ones is."""
    if not any(is_number(str(text)) for text in islice(texts, PROBE)):
        return 0  # at once, for names may be a million different ones
    counts = texts.value_counts(sort=False)
    return sum(int(count) for text, count in counts.items() if is_number(str(text)))


def holds_times(values: pd.Series) -> bool:
    """Whether a column of text holds dates or times of the day."""
    texts = list(islice((cell for cell in values if isinstance(cell, str)), PROBE))
    return bool(texts) and sum(
        bool(_TIME.fullmatch(text[:MOST_OF_A_TIME])) for text in texts
    ) >= TIMES_SHARE * len(texts)
