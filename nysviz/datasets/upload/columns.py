"""What columns of text hold: numbers, truth values, dates and times, or texts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd

from nysviz.datasets.upload.numbers import OTHER_SIGN, are_thousands, as_number, thousands_sign
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, listed, one_line, short, text_columns, was
from nysviz.refusal import Refusal
from nysviz.text import counted

# A column of text with at least this share of numbers is one of numbers with slips.
NUMERIC_SHARE = 0.9
# With at least this share it is one of numbers too, where nothing but a few marks stands between them.
MARKED_SHARE = 0.5
MOST_MARKS = 3
# What people write where a number is missing; texts without a letter or digit are marks as well.
_WORDS = "x na n/a n.a. n.a nan none null nil missing miss unknown unk n.d. n.d nd xx xxx k.a. k.a fehlt"
_ERRORS = "#n/a #na #null! #value! #ref! #name? #num! #div/0!"
MARKS = frozenset([*_WORDS.split(), *_ERRORS.split()])
# Cells that decide whether a column of text is worth reading as numbers, or holds dates.
PROBE = 1000
TIMES_SHARE = 0.9
_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]{0,9}\.?"
_DAY = (
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}([-/])\d{1,2}\3\d{2}|\d{2}\.\d{2}\.\d{2}"
    rf"|\d{{1,2}}\.?[- ]?{_MONTH}[- ]?\d{{2,4}}|{_MONTH} \d{{1,2}},? \d{{4}}"
)
_HOUR = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_TIME = re.compile(rf"(?:{_DAY})(?:(?:T|,? ){_HOUR})?|{_HOUR}", re.IGNORECASE)


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
    """Truth values as 1 and 0, and columns of numbers with a few slips, which then count as missing.

    A column may have another decimal sign than the rest of the file, and signs between thousands: it is read
    with the decimal sign by which more of its cells are numbers, by that of the file where both do as well.
    Where the signs may as well be those of codes, such as phone numbers, it stays text.
    """
    frame = table.frame
    changed: dict[str, pd.Series] = {}
    # What is said of several columns alike, by their signs, with an example.
    remarks: dict[tuple[str, str, bool], tuple[str, list[str]]] = {}
    for column in [*frame.select_dtypes(bool).columns, *text_columns(frame)]:
        values = frame[column]
        if column in table.texts:
            continue
        filled = values[values.notna() & ~values.isin(CLASS_TEXTS)]
        if pd.api.types.infer_dtype(filled) == "boolean":
            changed[column] = filled.astype(np.float64).reindex(values.index)
            notes.append(f"{listed([column])} held true and false, read as 1 and 0.")
            continue
        decimal, numbers = _as_numbers(filled, table.decimal)
        others = filled[numbers.isna()] if len(numbers) else filled
        if numbers.empty or not (
            len(others) <= (1.0 - NUMERIC_SHARE) * len(filled) or _are_marks(others, len(filled))
        ):
            continue
        example, sign = _unusual(filled[numbers.notna()], decimal, table.decimal)
        codes = sign != "" and not are_thousands((cell for cell in filled if isinstance(cell, str)), decimal)
        if example:
            remarks.setdefault((decimal, sign, codes), (example, []))[1].append(column)
        if codes:
            continue
        changed[column] = numbers.reindex(values.index)
        if len(others):
            notes.append(
                f"{len(others)} of {counted(len(values), 'cell')} of column '{column}', such as "
                f"'{short(others.iloc[0])}', held no number and counted as missing."
            )
    for (decimal, _, codes), (example, columns) in remarks.items():
        said = f"{listed(columns)}: cells such as '{short(example)}'"
        if codes:
            said += " may be codes and stay text; take the signs between thousands out if they are numbers."
        else:
            said += f" were read as {as_number(example, decimal):.15g}."
        notes.append(said)
    return frame.assign(**changed) if changed else frame


def _are_marks(others: pd.Series, filled: int) -> bool:
    """Whether the cells beside the numbers are a few marks for what is missing, such as "-" or "n/a"."""
    if len(others) > (1.0 - MARKED_SHARE) * filled:
        return False
    marks = {str(cell).strip() for cell in others.unique()}
    return len(marks) <= MOST_MARKS and all(
        (mark.casefold() in MARKS and mark != "X") or not any(map(str.isalnum, mark)) for mark in marks
    )


def _as_numbers(filled: pd.Series, usual: str) -> tuple[str, pd.Series]:
    """The decimal sign of a column and its numbers; none where its first cells are text as it looks."""
    best, most = (usual, pd.Series(dtype=np.float64)), 0
    cells = filled.tolist()
    for decimal in (usual, OTHER_SIGN[usual]) if cells else ():
        numbers = [_number(cell, decimal) for cell in cells[:PROBE]]
        if 1.0 - np.isnan(numbers).mean() < NUMERIC_SHARE / 2:
            continue  # a file full of text would take long cell by cell
        found = np.array([*numbers, *(_number(cell, decimal) for cell in cells[PROBE:])])
        if (count := int(np.count_nonzero(~np.isnan(found)))) > most:
            best, most = (decimal, pd.Series(found, index=filled.index)), count
        if count == len(filled):
            break
    return best


def _number(cell: object, decimal: str) -> float:
    return as_number(cell, decimal) if isinstance(cell, str) else np.nan


def _unusual(cells: pd.Series, decimal: str, usual: str) -> tuple[str, str]:
    """A number with signs between thousands, and that sign, or one whose decimal sign the file has not."""
    for cell in cells:
        if sign := thousands_sign(cell, decimal):
            return cell, sign
    if decimal != usual:
        return next((cell for cell in cells if decimal in cell), cells.iloc[0]), ""
    return "", ""


def holds_times(values: pd.Series) -> bool:
    """Whether a column of text holds dates or times of the day."""
    texts = list(islice((cell for cell in values if isinstance(cell, str)), PROBE))
    times = sum(len(text) <= 60 and _TIME.fullmatch(text) is not None for text in texts)
    return bool(texts) and times >= TIMES_SHARE * len(texts)
