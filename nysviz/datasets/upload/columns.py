"""The columns of a table as read: which of text hold numbers, which cells and which columns hold nothing."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
from nysviz.datasets.upload.units import find_measures, has_number
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.text import counted

# Cells of one column: an array of numpy's or of pandas'.
Cells: TypeAlias = Any
_OTHER = {".": ",", ",": "."}
# A column of text with at least this share of numbers beside missing cells is one of numbers with slips.
NUMERIC_SHARE = 0.9
# Number of cells that decide whether a column of text is worth reading as numbers.
PROBE = 1000
# Cells that pandas reads as numbers at a time.
BLOCK = 50_000


def checked_codes(missing_values: Sequence[str | float]) -> dict[str, float]:
    """Return the codes for missing values as texts, each with its number or NaN."""
    if isinstance(missing_values, str) or not isinstance(missing_values, Iterable):
        raise Refusal(
            f"missing_values is {plain(repr(missing_values))}; give a list of numbers and texts, such as "
            "[-999, '**']."
        )
    texts = [one_line(str(code)) for code in missing_values]
    return {text: as_number(text, ".") for text in texts if text}


def finish_table(table: Table, codes: Mapping[str, float] = MappingProxyType({})) -> Table:
    """Tell numbers from text and set empty columns aside; the notes say what was changed.

    Cells that hold one of the ``codes``, as text or as number, are missing.
    """
    notes, names = list(table.notes), tuple(map(str, table.frame.columns))
    if codes:
        table = replace(table, frame=_remove_codes(table, codes, notes))
    frame, changed = _convert_texts(table, notes), {}
    for column, filled_cells, values in _iterate_columns(frame, text_columns(frame)):
        # "Yes" and "Yes " are one text, and blanks alone are none.
        cells = pd.unique(values[filled_cells]).tolist()
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


def _remove_codes(table: Table, codes: Mapping[str, float], notes: list[str]) -> pd.DataFrame:
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
    code_list = ", ".join(f"'{plain(code)}' in {counted(count, 'cell')}" for code, count in counts.items())
    notes.append(f"Read as missing, as chosen: {code_list}.")
    return table.frame.assign(**changed)


@dataclass(frozen=True)
class _Reading:
    """A column of text as numbers, NaN in its slips, or as text; a remark of some kind says how."""

    numbers: FloatArray | None
    kind: str = ""
    remark: str = ""
    slips: tuple[str, ...] = ()


def _convert_texts(table: Table, notes: list[str]) -> pd.DataFrame:
    """Return truth values as 1 and 0, and columns of numbers with a few slips, which then are missing."""
    frame, changed = table.frame, {}
    # By the kind of remark: the first one, and all columns that it is about.
    remarks: dict[str, tuple[str, list[str]]] = {}
    slips: dict[str, tuple[str, ...]] = {}
    columns = [str(column) for column in [*frame.select_dtypes(bool).columns, *text_columns(frame)]]
    columns = [name for name in columns if name not in table.texts]
    for column, filled_cells, values in _iterate_columns(frame, columns):
        filled_cells &= ~_are_among(values, CLASS_TEXTS)
        cells = values[filled_cells]
        distinct = pd.unique(cells).tolist()
        if len(distinct) <= 6 and {str(cell).casefold() for cell in distinct} <= {"true", "false"}:
            truth = np.array([str(cell).casefold() == "true" for cell in cells.tolist()], dtype=np.float64)
            reading = _Reading(truth, "truth", "true and false were read as 1 and 0" if distinct else "")
        else:
            reading = _read_numbers(cells, table.decimal)
        if reading.remark:
            remarks.setdefault(reading.kind, (reading.remark, []))[1].append(column)
        if reading.numbers is not None:
            changed[column] = np.full(len(frame), np.nan)
            changed[column][filled_cells] = reading.numbers
            slips |= {column: reading.slips} if reading.slips else {}
    if slips:
        count, example = sum(map(len, slips.values())), next(iter(slips.values()))[0]
        notes.append(
            f"{count} of {counted(len(frame) * len(slips), 'cell')} of "
            f"{'column ' if len(slips) == 1 else ''}{named([*slips])}, such as '{short(example)}', held no "
            "number and counted as missing."
        )
    notes += [f"In {named(columns)} {remark}." for remark, columns in remarks.values()]
    return frame.assign(**changed)


def _iterate_columns(frame: pd.DataFrame, names: list[str]) -> Iterator[tuple[str, NDArray[np.bool_], Cells]]:
    """Yield the name, the mask of filled cells and all cells of each of these columns.

    The cells of few rows are arrays, since pandas is slow to begin with each of many columns.
    """
    few = frame[names].to_numpy(dtype=object) if len(frame) <= PROBE else None
    for j, name in enumerate(names):
        limits.seconds_left()
        values = frame[name].array if few is None else few[:, j]
        yield name, np.array(pd.notna(values), dtype=bool), values


def _are_among(values: Cells, texts: Collection[str]) -> NDArray[np.bool_]:
    """Whether each cell is one of some texts."""
    if isinstance(values, np.ndarray):
        return np.fromiter((cell in texts for cell in values), bool, len(values))
    return np.asarray(values.isin(texts), dtype=bool)


def _read_numbers(cells: Cells, usual: str) -> _Reading:
    """Return the numbers of a column of text whose cells are numbers, but for marks and a few slips.

    The column may have another decimal sign than the rest of the file, signs between thousands, or signs and
    units beside its numbers. Where the signs may as well be those of codes, such as phone numbers, or where
    units differ, it stays text.
    """
    sample = [str(cell) for cell in cells[:PROBE].tolist()]
    sample = [cell for cell in sample if not is_mark(cell)]
    if sum(is_number(cell) or has_number(cell) for cell in sample) < NUMERIC_SHARE / 2 * len(sample):
        return _Reading(None)  # a file full of text would take long cell by cell
    texts = np.fromiter(map(str, cells.tolist()), object, len(cells))
    decimal, numbers, one_by_one = _parse_numbers(texts, usual)
    marks = {text for text in texts[np.isnan(numbers)].tolist() if is_mark(text)}
    filled = ~_are_among(texts, marks)
    units = find_measures(texts[filled].tolist()) if np.isnan(numbers[filled]).any() else None
    if units is not None:
        if not units.numbers:
            first, second = map(short, units.examples)
            return _Reading(None, "units", f"units differ, as in '{first}' and '{second}', so it stays text")
        measured_cells = filled & _are_among(texts, units.numbers)
        bare = np.array([units.numbers[text] for text in texts[measured_cells]], dtype=object)
        numbers = np.full(len(texts), np.nan)
        decimal, numbers[measured_cells], _ = _parse_numbers(bare, usual)
    slips = texts[np.isnan(numbers)].tolist()
    number_count, slip_count = len(texts) - len(slips), int(np.isnan(numbers[filled]).sum())
    if slip_count > (1.0 - NUMERIC_SHARE) * (number_count + slip_count):
        return _Reading(None)
    if len(slips) > number_count and len(np.unique(numbers[~np.isnan(numbers)])) < 2:
        return _Reading(None)  # "-" and "1" may be no and yes
    kind, remark = "", ""
    if units is not None:
        number = as_number(units.numbers[units.examples[0]], decimal)
        kind, remark = units.sign, f"cells such as '{short(units.examples[0])}' were read as {number:.15g}"
    else:
        grouped = [cell for cell in one_by_one if not is_plain_number(cell, decimal)]
        codes = bool(grouped) and may_be_codes(pd.unique(texts).tolist(), decimal)
        if decimal != usual:
            grouped += [text for text in texts[~np.isnan(numbers)] if decimal in text][:1]
        if codes:
            remark = "may be codes and stay text; take the signs out if they are numbers"
            return _Reading(None, "codes", f"cells such as '{short(grouped[0])}' {remark}")
        if grouped:
            number = as_number(grouped[0], decimal)
            kind, remark = "numbers", f"cells such as '{short(grouped[0])}' were read as {number:.15g}"
    return _Reading(numbers, kind, remark, tuple(slips))


def _parse_numbers(texts: NDArray[np.object_], usual: str) -> tuple[str, FloatArray, list[str]]:
    """Return the decimal sign of a column of text, its cells as numbers, and those that pandas cannot read.

    All are NaN where the first of them are no numbers.
    """
    best, count, sign, one_by_one = np.full(len(texts), np.nan), 0, usual, list[str]()
    first = [cell for cell in texts[:PROBE].tolist() if not is_mark(cell)]
    for decimal in (usual, _OTHER[usual]):
        if sum(not math.isnan(as_number(cell, decimal)) for cell in first) < NUMERIC_SHARE / 2 * len(first):
            continue
        numbers = np.full(len(texts), np.nan)
        if decimal == ".":
            # In blocks, since pandas holds the interpreter's lock.
            for start in range(0, len(texts), BLOCK):
                limits.seconds_left()
                block = slice(start, start + BLOCK)
                numbers[block] = pd.to_numeric(texts[block], errors="coerce")
        odd = np.isnan(numbers)
        numbers_by_text = {text: as_number(text, decimal) for text in pd.unique(texts[odd]).tolist()}
        numbers[odd] = [numbers_by_text[text] for text in texts[odd]]
        read = int((~np.isnan(numbers)).sum())
        if read > count:
            best, count, sign = numbers, read, decimal
            one_by_one = [text for text, number in numbers_by_text.items() if not math.isnan(number)]
        if read == len(texts):
            break
    return sign, best, one_by_one
