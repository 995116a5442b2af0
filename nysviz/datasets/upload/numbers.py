"""How numbers are written in tables of text, and the columns of text that hold them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nysviz.datasets.upload.table import CLASS_TEXTS, Table, listed, one_line, short, text_columns, was
from nysviz.refusal import Refusal
from nysviz.text import counted

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
# A column of text with at least this share of numbers beside missing cells is one of numbers with slips.
NUMERIC_SHARE = 0.9
# Cells that decide whether a column of text is worth reading as numbers.
PROBE = 1000
# What people and programs write where a number is missing.
_WORDS = "x na n/a n.a. n.a nan none null nil missing miss unknown unk n.d. n.d nd xx xxx k.a. k.a fehlt"
_SIGNS = "? - -- --- – — . .. * / + #n/a #na #null! #value! #ref! #name? #num! #div/0!"
MARKS = frozenset([*_WORDS.split(), *_SIGNS.split()])


def as_number(text: str, decimal: str) -> float:
    """Return what a text says as a number with this decimal sign, NaN if it is none.

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
    """Return the sign between the thousands of a number, empty where there is none."""
    text = text.strip()
    found = _THOUSANDS[decimal].fullmatch(MINUS.sub("-", text)) if len(text) <= MOST_CHARACTERS else None
    return found[1] if found else ""


def is_plain_number(text: str, decimal: str) -> bool:
    """Whether a text is a number with this decimal sign and nothing between thousands."""
    text = text.strip()
    return len(text) <= MOST_CHARACTERS and bool(_NUMBERS[decimal].fullmatch(text))


def is_number(text: str) -> bool:
    """Whether a text is a number with one decimal sign or the other."""
    return not (math.isnan(as_number(text, ".")) and math.isnan(as_number(text, ",")))


def decimal_sign(texts: Iterable[str]) -> tuple[str, str]:
    """Return the decimal sign of most texts, and one such as "1,234" where none decides."""
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


def finished(table: Table) -> Table:
    """Tell numbers from text and set empty columns aside; the notes say what was changed."""
    notes = list(table.notes)
    frame, changed = _with_numbers(table, notes), {}
    for column in text_columns(frame):
        # "Yes" and "Yes " are one text, and blanks alone are none.
        cells = frame[column].tolist()
        lines = {text: one_line(text) or np.nan for text in set(cells) if isinstance(text, str)}
        if any(line != text for text, line in lines.items()):
            changed[column] = pd.Series([lines.get(cell, cell) for cell in cells], frame.index, object)
    frame = frame.assign(**changed)
    if empty := [str(column) for column in frame.columns[frame.isna().all()]]:
        notes.append(f"{listed(empty)} held nothing and {was(empty)} left out.")
        frame = frame.drop(columns=empty)
    if frame.shape[1] == 0:
        rows, columns = table.frame.shape
        raise Refusal(
            f"The file holds a table of {counted(rows, 'row')} and {counted(columns, 'column')} whose cells "
            "are all empty; send at least one row of numbers."
        )
    return replace(table, frame=frame, notes=tuple(notes), all_names=tuple(map(str, table.frame.columns)))


def _with_numbers(table: Table, notes: list[str]) -> pd.DataFrame:
    """Return truth values as 1 and 0, and columns of numbers with a few slips, which then are missing.

    A column may have another decimal sign than the rest of the file, and signs between thousands: it is read
    with the decimal sign by which more of its cells are numbers. Where the signs may as well be those of
    codes, such as phone numbers, it stays text.
    """
    frame = table.frame
    changed: dict[str, pd.Series] = {}
    # Of columns that stay text for their signs, and of those that were read in spite of them: an example.
    remarks: dict[bool, tuple[str, list[str]]] = {}
    for column in [*frame.select_dtypes(bool).columns, *text_columns(frame)]:
        values = frame[column]
        if column in table.texts:
            continue
        filled = values[values.notna() & ~values.isin(CLASS_TEXTS)]
        if pd.api.types.infer_dtype(filled) == "boolean":
            changed[column] = filled.astype(np.float64).reindex(values.index)
            notes.append(f"{listed([column])} held true and false, read as 1 and 0.")
            continue
        cells = [str(cell) for cell in filled]
        decimal, numbers = _as_numbers(cells, table.decimal)
        read = [cell for cell, number in zip(cells, numbers, strict=True) if not math.isnan(number)]
        slips = [cell for cell, number in zip(cells, numbers, strict=True) if math.isnan(number)]
        others = sum(not _is_mark(cell) for cell in slips)
        if len(slips) > len(read) or others > (1.0 - NUMERIC_SHARE) * (len(read) + others):
            continue
        grouped = next((cell for cell in read if thousands_sign(cell, decimal)), "")
        codes = grouped != "" and _may_be_codes(cells, decimal, thousands_sign(grouped, decimal))
        if example := grouped or (decimal != table.decimal and next((c for c in read if decimal in c), "")):
            said = f"'{short(example)}' were read as {as_number(example, decimal):.15g}"
            if codes:
                said = (
                    f"'{short(example)}' may be codes and stay text; take the signs out if they are numbers"
                )
            remarks.setdefault(codes, (said, []))[1].append(column)
        if codes:
            continue
        changed[column] = pd.Series(numbers, filled.index, np.float64).reindex(values.index)
        if slips:
            notes.append(
                f"{len(slips)} of {counted(len(values), 'cell')} of column '{column}', such as "
                f"'{short(slips[0])}', held no number and counted as missing."
            )
    notes += [f"{listed(columns)}: cells such as {said}." for said, columns in remarks.values()]
    return frame.assign(**changed) if changed else frame


def _as_numbers(cells: Sequence[str], usual: str) -> tuple[str, Sequence[float]]:
    """Return the decimal sign of a column and its cells as numbers, all NaN where the first are text."""
    best: tuple[str, Sequence[float]] = (usual, [math.nan] * len(cells))
    most = 0
    for decimal in (usual, OTHER_SIGN[usual]):
        first = sum(not math.isnan(as_number(cell, decimal)) for cell in cells[:PROBE])
        if first < NUMERIC_SHARE / 2 * len(cells[:PROBE]):
            continue  # a file full of text would take long cell by cell
        numbers = [as_number(cell, decimal) for cell in cells]
        count = sum(not math.isnan(number) for number in numbers)
        if count > most:
            best, most = (decimal, numbers), count
        if count == len(cells):
            break
    return best


def _is_mark(cell: str) -> bool:
    """Whether a cell says that a number is missing, such as "-" or "n/a"."""
    mark = cell.strip()
    # A capital X may well be a class.
    return (mark if len(mark) == 1 else mark.casefold()) in MARKS or not any(map(str.isalnum, mark))


def _may_be_codes(cells: Sequence[str], decimal: str, sign: str) -> bool:
    """Whether texts with this sign between thousands may be codes, such as "612 345 678".

    They are numbers where one has a decimal sign, or more signs between thousands than another, or is below
    1000; and none has a zero in front.
    """
    texts = [cell.strip().lstrip("+-−–") for cell in cells]
    if any(text[:1] == "0" and text[1:2].isdigit() for text in texts):
        return True
    counts = {text.count(sign) for text in texts if sign in text or abs(as_number(text, decimal)) < 1000}
    return len(counts) < 2 and not any(decimal in text for text in texts)
