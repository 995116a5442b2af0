"""The columns of a table as read: which of text hold numbers, which cells and which columns hold nothing."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.numbers import (
    as_number,
    is_mark,
    is_number,
    is_plain_number,
    may_be_codes,
)
from nysviz.datasets.upload.table import (
    CLASS_TEXTS,
    Table,
    is_numeric,
    named,
    one_line,
    plain,
    short,
    text_columns,
)
from nysviz.datasets.upload.units import has_number, measures
from nysviz.refusal import Refusal
from nysviz.text import counted

_OTHER = {".": ",", ",": "."}
# A column of text with at least this share of numbers beside missing cells is one of numbers with slips.
NUMERIC_SHARE = 0.9
# Cells that decide whether a column of text is worth reading as numbers.
PROBE = 1000
# Cells that pandas reads as numbers at a time.
BLOCK = 50_000


def checked_codes(missing_values: Sequence[str | float]) -> dict[str, float]:
    """Return the codes for missing values as texts, and the number that each is, NaN where it is none."""
    if isinstance(missing_values, str) or not isinstance(missing_values, Iterable):
        raise Refusal(
            f"missing_values is {plain(repr(missing_values))}; give a list of numbers and texts, such as "
            "[-999, '**']."
        )
    texts = [one_line(str(code)) for code in missing_values]
    return {text: as_number(text, ".") for text in texts if text}


def finished(table: Table, codes: Mapping[str, float] = MappingProxyType({})) -> Table:
    """Tell numbers from text and set empty columns aside; the notes say what was changed.

    Cells that hold one of the ``codes``, as text or as number, are missing.
    """
    notes, names = list(table.notes), tuple(map(str, table.frame.columns))
    if codes:
        table = replace(table, frame=_without_codes(table, codes, notes))
    frame, changed = _with_numbers(table, notes), {}
    for column in text_columns(frame):
        limits.seconds_left()
        # "Yes" and "Yes " are one text, and blanks alone are none.
        cells = frame[column].dropna().unique().tolist()
        texts = {cell: one_line(str(cell)) or np.nan for cell in cells}
        if any(text != cell for cell, text in texts.items()):
            changed[column] = frame[column].astype(object).map(texts)
    frame = frame.assign(**changed)
    if len(frame) < frame.shape[1]:
        frame = frame.copy()  # puts columns together, which pandas would look at one by one
    if empty := [str(column) for column in frame.columns[frame.isna().all()]]:
        notes.append(f"Left out because they hold nothing: {named(empty)}.")
        frame = frame.drop(columns=empty)
    if frame.shape[1] == 0:
        size = f"{counted(len(frame), 'row')} and {counted(len(names), 'column')}"
        raise Refusal(f"The file holds a table of {size} whose cells are all empty; send rows of numbers.")
    return replace(table, frame=frame, notes=tuple(notes), all_names=names)


def _without_codes(table: Table, codes: Mapping[str, float], notes: list[str]) -> pd.DataFrame:
    """Return the table without the cells that hold one of the codes."""
    counts, changed = dict.fromkeys(codes, 0), {}
    for column, values in table.frame.items():
        cells = values if is_numeric(values) else values.map(lambda cell: one_line(str(cell)), "ignore")
        away = pd.Series(False, values.index)
        for code, number in codes.items():
            texts = () if is_numeric(values) else cells.dropna().unique()
            same = [text for text in texts if text == code or as_number(text, table.decimal) == number]
            holds = cells.isin(same) if len(texts) else cells == number
            counts[code] += int(holds.sum())
            away |= holds
        if away.any():
            changed[str(column)] = values.mask(away)
    shown = ", ".join(f"'{plain(code)}' in {counted(count, 'cell')}" for code, count in counts.items())
    notes.append(f"Read as missing, as chosen: {shown}.")
    return table.frame.assign(**changed)


@dataclass(frozen=True)
class _Reading:
    """A column of text as numbers, NaN in its slips, or as text; a remark of some kind says how."""

    numbers: pd.Series | None
    kind: str = ""
    remark: str = ""
    slips: tuple[str, ...] = ()


def _with_numbers(table: Table, notes: list[str]) -> pd.DataFrame:
    """Return truth values as 1 and 0, and columns of numbers with a few slips, which then are missing."""
    frame, changed = table.frame, {}
    # By the kind of remark: the first one, and all columns that it is about.
    remarks: dict[str, tuple[str, list[str]]] = {}
    slips: dict[str, tuple[str, ...]] = {}
    for column in map(str, [*frame.select_dtypes(bool).columns, *text_columns(frame)]):
        limits.seconds_left()
        if column in table.texts:
            continue
        cells = frame[column].dropna()
        cells = cells[~cells.isin(CLASS_TEXTS)]
        distinct = cells.unique().tolist()
        if len(distinct) <= 6 and {str(cell).casefold() for cell in distinct} <= {"true", "false"}:
            truth = cells.map({cell: float(str(cell).casefold() == "true") for cell in distinct})
            said = "true and false were read as 1 and 0" if distinct else ""
            reading = _Reading(truth.astype(np.float64), "truth", said)
        else:
            cells = cells.astype(str)
            reading = _read_numbers(cells, table.decimal)
        if reading.remark:
            remarks.setdefault(reading.kind, (reading.remark, []))[1].append(column)
        if reading.numbers is not None:
            changed[column] = reading.numbers
            slips |= {column: reading.slips} if reading.slips else {}
    if slips:
        count, example = sum(map(len, slips.values())), next(iter(slips.values()))[0]
        notes.append(
            f"{count} of {counted(len(frame) * len(slips), 'cell')} of "
            f"{'column ' if len(slips) == 1 else ''}{named([*slips])}, such as '{short(example)}', held no "
            "number and counted as missing."
        )
    notes += [f"In {named(columns)} {remark}." for remark, columns in remarks.values()]
    return frame.assign(**changed)  # by the numbers of the rows: the others are missing


def _read_numbers(cells: pd.Series, usual: str) -> _Reading:
    """Return the numbers of a column of text whose cells are numbers, but for marks and a few slips.

    The column may have another decimal sign than the rest of the file, signs between thousands, or signs and
    units beside its numbers. Where the signs may as well be those of codes, such as phone numbers, or where
    units differ, it stays text.
    """
    sample = [cell for cell in cells.iloc[:PROBE].tolist() if not is_mark(cell)]
    if sum(is_number(cell) or has_number(cell) for cell in sample) < NUMERIC_SHARE / 2 * len(sample):
        return _Reading(None)  # a file full of text would take long cell by cell
    decimal, numbers, one_by_one = _as_numbers(cells, usual)
    marks = [text for text in cells[numbers.isna()].unique().tolist() if is_mark(text)]
    filled = cells[~cells.isin(marks)]
    units = measures(filled.tolist()) if numbers[filled.index].isna().any() else None
    if units is not None:
        if not units.numbers:
            first, second = map(short, units.examples)
            return _Reading(None, "units", f"units differ, as in '{first}' and '{second}', so it stays text")
        decimal, numbers, _ = _as_numbers(filled.map(units.numbers).dropna(), usual)
        numbers = numbers.reindex(cells.index)
    slips = cells[numbers.isna()]
    there, others = len(cells) - len(slips), int(numbers[filled.index].isna().sum())
    if others > (1.0 - NUMERIC_SHARE) * (there + others):
        return _Reading(None)
    if len(slips) > there and numbers.nunique() < 2:
        return _Reading(None)  # "-" and "1" may be no and yes
    kind, remark = "", ""
    if units is not None:
        number = as_number(units.numbers[units.examples[0]], decimal)
        kind, remark = units.sign, f"cells such as '{short(units.examples[0])}' were read as {number:.15g}"
    else:
        grouped = [cell for cell in one_by_one if not is_plain_number(cell, decimal)]
        codes = bool(grouped) and may_be_codes(cells.unique().tolist(), decimal)
        if decimal != usual:
            grouped += [cell for cell in cells[numbers.notna()] if decimal in cell][:1]
        if codes:
            remark = "may be codes and stay text; take the signs out if they are numbers"
            return _Reading(None, "codes", f"cells such as '{short(grouped[0])}' {remark}")
        if grouped:
            number = as_number(grouped[0], decimal)
            kind, remark = "numbers", f"cells such as '{short(grouped[0])}' were read as {number:.15g}"
    return _Reading(numbers, kind, remark, tuple(slips))


def _as_numbers(cells: pd.Series, usual: str) -> tuple[str, pd.Series, list[str]]:
    """Return the decimal sign of a column of text, its cells as numbers, and those that pandas cannot read.

    All are NaN where the first of them are no numbers.
    """
    best, count, sign, one_by_one = np.full(len(cells), np.nan), 0, usual, list[str]()
    first = [cell for cell in cells.iloc[:PROBE].tolist() if not is_mark(cell)]
    for decimal in (usual, _OTHER[usual]):
        if sum(not math.isnan(as_number(cell, decimal)) for cell in first) < NUMERIC_SHARE / 2 * len(first):
            continue
        numbers = np.full(len(cells), np.nan)
        if decimal == ".":
            # In blocks, for pandas holds the interpreter's lock all the while.
            for start in range(0, len(cells), BLOCK):
                limits.seconds_left()
                block = slice(start, start + BLOCK)
                numbers[block] = pd.to_numeric(cells.iloc[block], errors="coerce")
        odd = np.isnan(numbers)
        known = {text: as_number(text, decimal) for text in cells[odd].unique().tolist()}
        numbers[odd] = [known[text] for text in cells[odd]]
        read = int((~np.isnan(numbers)).sum())
        if read > count:
            best, count, sign = numbers, read, decimal
            one_by_one = [text for text, number in known.items() if not math.isnan(number)]
        if read == len(cells):
            break
    return sign, pd.Series(best, cells.index), one_by_one
