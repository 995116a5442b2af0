"""How numbers are written in tables of text, and the columns of text that hold them."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, one_line, quoted, short, text_columns
from nysviz.refusal import Refusal
from nysviz.text import counted

# A cell beyond this is no number; nothing longer meets a pattern.
MOST_CHARACTERS = 400
# No pattern may backtrack, for the interpreter's lock is held all the while.
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:e[+-]?[0-9]++)?+|[+-]?inf(?:inity)?", re.IGNORECASE
)
# Commas, blanks of four kinds and apostrophes stand between thousands.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([, \u00a0\u2009\u202f'’])[0-9]{3}(\1[0-9]{3})*(\.[0-9]+)?")
# The minus sign, and the dash that writing programs put in place of a hyphen.
_MINUS = re.compile("[−–]")
_BEGINNINGS = frozenset("+-.,0123456789iI−–")
_OTHER = {".": ",", ",": "."}
# In "34, 1.2" the comma separates.
_NO_DECIMAL_COMMA = re.compile(",(?![0-9])")
# A column of text with at least this share of numbers beside missing cells is one of numbers with slips.
NUMERIC_SHARE = 0.9
# Cells that decide whether a column of text is worth reading as numbers.
PROBE = 1000
TRUTH_REMARK = "true and false were read as 1 and 0"
# What people and programs write where a number is missing.
_WORDS = "x na n/a n.a. n.a nan -nan none null nil missing miss unknown unk n.d. n.d nd xx xxx k.a. k.a fehlt"
_SIGNS = "#n/a #na #null! #value! #ref! #name? #num! #div/0! <na> 1.#ind -1.#ind 1.#qnan -1.#qnan"
MARKS = frozenset([*_WORDS.split(), *_SIGNS.split()])


def _written(text: str, decimal: str) -> str:
    """Return the text with a decimal point and a hyphen as its minus; empty where it can be no number."""
    text = text.strip()
    if text[:1] not in _BEGINNINGS or len(text) > MOST_CHARACTERS:
        return ""  # at once, for most texts are none
    if not text.isascii():
        text = _MINUS.sub("-", text)
    if decimal == ",":
        return "" if _NO_DECIMAL_COMMA.search(text) else text.translate({44: ".", 46: ","})
    return text


def as_number(text: str, decimal: str) -> float:
    """Return what a text says as a number with this decimal sign, NaN if it is none.

    With a decimal comma "1.234" is 1234, and "1.5" is no number.
    """
    text = _written(text, decimal)
    if _NUMBER.fullmatch(text):
        return float(text)
    found = _THOUSANDS.fullmatch(text)
    return float(text.replace(found[1], "")) if found else math.nan


def is_plain_number(text: str, decimal: str) -> bool:
    """Whether a text is a number with this decimal sign and nothing between thousands."""
    return bool(_NUMBER.fullmatch(_written(text, decimal)))


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
    notes, names = list(table.notes), tuple(map(str, table.frame.columns))
    frame, changed = _with_numbers(table, notes), {}
    for column in text_columns(frame):
        limits.seconds_left()
        # "Yes" and "Yes " are one text, and blanks alone are none.
        texts = {cell: one_line(str(cell)) or np.nan for cell in frame[column].dropna().unique()}
        if any(text != cell for cell, text in texts.items()):
            changed[column] = frame[column].astype(object).map(texts)
    frame = frame.assign(**changed)
    if empty := [str(column) for column in frame.columns[frame.isna().all()]]:
        notes.append(f"Left out because they hold nothing: {quoted(empty)}.")
        frame = frame.drop(columns=empty)
    if frame.shape[1] == 0:
        size = f"{counted(len(frame), 'row')} and {counted(len(names), 'column')}"
        raise Refusal(f"The file holds a table of {size} whose cells are all empty; send rows of numbers.")
    return replace(table, frame=frame, notes=tuple(notes), all_names=names)


def _with_numbers(table: Table, notes: list[str]) -> pd.DataFrame:
    """Return truth values as 1 and 0, and columns of numbers with a few slips, which then are missing.

    A column may have another decimal sign than the rest of the file, and signs between thousands: it is read
    with the decimal sign by which more of its cells are numbers. Where the signs may as well be those of
    codes, such as phone numbers, it stays text.
    """
    frame, changed = table.frame, {}
    # By what became of columns, an example and all of them.
    remarks: dict[str, tuple[str, list[str]]] = {}
    for column in [*frame.select_dtypes(bool).columns, *text_columns(frame)]:
        limits.seconds_left()
        if column in table.texts:
            continue
        if frame[column].dtype == bool:
            changed[column] = frame[column].astype(np.float64)
            remarks.setdefault("truth", (TRUTH_REMARK, []))[1].append(column)
            continue
        cells = frame[column].dropna()
        cells = cells[~cells.isin(CLASS_TEXTS)]
        distinct = cells.unique()
        if len(distinct) <= 6 and {str(value).casefold() for value in distinct} <= {"true", "false"}:
            changed[column] = cells.map({cell: float(str(cell).casefold() == "true") for cell in distinct})
            changed[column] = changed[column].astype(np.float64)
            if len(cells):
                remarks.setdefault("truth", (TRUTH_REMARK, []))[1].append(column)
            continue
        cells = cells.astype(str)
        decimal, numbers, one_by_one = _as_numbers(cells, table.decimal)
        slips = cells[numbers.isna()]
        there = len(cells) - len(slips)
        if len(slips) > there:
            continue
        others = sum(not _is_mark(cell) for cell in slips)
        if others > (1.0 - NUMERIC_SHARE) * (there + others):
            continue
        grouped = [cell for cell in one_by_one if not is_plain_number(cell, decimal)]
        codes = bool(grouped) and _may_be_codes(cells.unique(), decimal)
        if decimal != table.decimal:
            grouped += [cell for cell in cells[numbers.notna()] if decimal in cell][:1]
        if grouped:
            said = f"were read as {as_number(grouped[0], decimal):.15g}"
            if codes:
                said = "may be codes and stay text; take the signs out if they are numbers"
            said = f"cells such as '{short(grouped[0])}' {said}"
            remarks.setdefault("codes" if codes else "numbers", (said, []))[1].append(column)
        if codes:
            continue
        changed[column] = numbers
        if len(slips):
            notes.append(
                f"{len(slips)} of {counted(len(frame), 'cell')} of column '{column}', such as "
                f"'{short(slips.iloc[0])}', held no number and counted as missing."
            )
    notes += [f"In {quoted(columns)} {said}." for said, columns in remarks.values()]
    return frame.assign(**changed)  # by the numbers of the rows: the others are missing


def _as_numbers(cells: pd.Series, usual: str) -> tuple[str, pd.Series, list[str]]:
    """Return the decimal sign of a column of text, its cells as numbers, and those that pandas cannot read.

    All are NaN where the first of them are no numbers.
    """
    best, count, sign, one_by_one = np.full(len(cells), np.nan), 0, usual, list[str]()
    for decimal in (usual, _OTHER[usual]):
        first = cells.iloc[:PROBE]
        if sum(not math.isnan(as_number(cell, decimal)) for cell in first) < NUMERIC_SHARE / 2 * len(first):
            continue  # a file full of text would take long cell by cell
        numbers = np.full(len(cells), np.nan)
        if decimal == ".":
            numbers = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, copy=True)
        odd = np.isnan(numbers)
        known = {text: as_number(text, decimal) for text in cells[odd].unique()}
        numbers[odd] = [known[text] for text in cells[odd]]
        read = int((~np.isnan(numbers)).sum())
        if read > count:
            best, count, sign = numbers, read, decimal
            one_by_one = [text for text, number in known.items() if not math.isnan(number)]
        if read == len(cells):
            break
    return sign, pd.Series(best, cells.index), one_by_one


def _is_mark(cell: str) -> bool:
    """Whether a cell says that a number is missing, such as "-" or "n/a"."""
    mark = cell.strip()
    # A capital X may well be a class.
    return (mark if len(mark) == 1 else mark.casefold()) in MARKS or not any(map(str.isalnum, mark))


def _may_be_codes(cells: Sequence[str], decimal: str) -> bool:
    """Whether numbers of which some have signs between thousands may be codes, such as "612 345 678".

    They are numbers where one has a decimal sign, or more signs between thousands than another, or is below
    1000; and none has a zero in front.
    """
    texts = [_written(cell, decimal).lstrip("+-") for cell in cells]
    numbers = [text for text in texts if _THOUSANDS.fullmatch(text) or (text.isdigit() and len(text) < 4)]
    signs = {len(re.findall("[^0-9.]", text)) for text in numbers}
    zeros = any(text[:1] == "0" and text[1:2].isdigit() for text in texts)
    return zeros or (len(signs) < 2 and not any("." in text for text in texts))
