"""The rows of a text file below its names: read by pandas, with remarks on what pandas does not say."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pandas as pd

from nysviz.datasets.upload.table import plain
from nysviz.datasets.upload.target import text_columns

# Texts that pandas reads as missing, but a person may well mean: in the target of a file they are classes.
CLASS_TEXTS = frozenset({"NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN"})
MOST_REMARKS = 5
NO_TABLE = (
    "The file could not be read as a table of text; save it as CSV with one row a line, and close every "
    "quotation mark."
)
SAMPLE_BYTES = 200_000

_PADDED = re.compile(r"[+-]?0[0-9]{1,39}")
_CLASS_TEXT = re.compile(rb"\b(?:NA|N/A|n/a|NULL|null|None|nan|NaN)\b")


def rows_below_names(text: bytes, delimiter: str) -> bytes:
    """The rows below the names of the columns; a name in quotation marks may take several lines.

    Raises
    ------
    ValueError
        One sentence, where a quotation mark stays open.
    """
    sample = io.StringIO(text[:SAMPLE_BYTES].decode("utf-8", errors="replace"))
    names = csv.reader(sample, delimiter=delimiter, skipinitialspace=True, strict=True)
    lines = 1
    try:
        next(names, None)
        lines = names.line_num
    except csv.Error as problem:
        if "end of data" in str(problem):
            raise ValueError(NO_TABLE) from problem
    end = -1
    for _ in range(lines):
        end = text.find(b"\n", end + 1)
        if end < 0:
            return b""
    return text[end + 1 :]


def frame_of(body: bytes, delimiter: str, decimal: str, named: int) -> pd.DataFrame:
    """The table, its columns numbered from 0; ``named`` is the number of cells of the line of names.

    Raises
    ------
    ValueError
        One sentence, where rows differ in their numbers of cells or a quotation mark stays open.
    """
    try:
        return _parsed(body, delimiter, decimal)
    except (ValueError, OverflowError, IndexError) as problem:  # pandas' own errors are ValueErrors
        if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem)):
            needed, line, seen = found.groups()
            if int(seen) == named:
                raise ValueError(
                    f"Row 1 of the data has {_cells(needed)} where the line of column names and row {line} "
                    f"have {seen}; give every row the same number of cells."
                ) from problem
            beside = f", and the line of column names has {named}" if named else ""
            raise ValueError(
                f"Row {line} of the data has {seen} cells where the rows before have {needed}{beside}; "
                "give every row the same number of cells."
            ) from problem
        raise ValueError(NO_TABLE) from problem


def _cells(count: str) -> str:
    return f"{count} cell" if count == "1" else f"{count} cells"


def _parsed(body: bytes, delimiter: str, decimal: str, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(body),
        sep=r"\s+" if delimiter == " " else delimiter,
        header=None,
        decimal=decimal,
        skipinitialspace=True,
        low_memory=False,
        encoding="utf-8",
        encoding_errors="replace",
        **{"na_values": ["?"], **options},
    )
    return frame


def gaps_of(body: bytes, frame: pd.DataFrame, delimiter: str, decimal: str) -> dict[int, pd.Series]:
    """Of columns of text, the cells that were read as missing but hold a text that may be a class."""
    columns = [j for j in map(int, text_columns(frame)) if frame[j].isna().any()]
    if not columns or not _CLASS_TEXT.search(body):
        return {}
    as_written = _parsed(
        body, delimiter, decimal, usecols=columns, dtype="category", keep_default_na=False, na_values=[]
    )
    found: dict[int, pd.Series] = {}
    for j in columns:
        texts = as_written[j]
        if (kept := texts[texts.isin(list(CLASS_TEXTS))]).size:
            found[j] = kept.astype(object)
    return found


def short_rows(body: bytes, frame: pd.DataFrame, delimiter: str) -> tuple[str, ...]:
    """A sentence about rows with fewer cells than others have: pandas fills them."""
    width = frame.shape[1]
    if width < 2 or not frame.iloc[:, -1].isna().any():
        return ()
    lines: Iterable[str] = io.TextIOWrapper(io.BytesIO(body), "utf-8", errors="replace", newline="\n")
    if delimiter == " ":
        lines = (line.replace("\t", " ").strip(" ") for line in lines)
    count, first, number = 0, 0, 0
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True):
            if not row or (len(row) == 1 and not row[0].strip()):
                continue
            number += 1
            if len(row) < width:
                count += 1
                first = first or number
    if not count:
        return ()
    if count == 1:
        return (
            f"Row {first} of the data has fewer cells than the others; the cells it lacks count as missing.",
        )
    return (
        f"{count} rows have fewer cells than the others, the first of them row {first} of the data; the "
        "cells they lack count as missing.",
    )


def padded(cells: list[list[str]], frame: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for every column of numbers that may be codes, for zeros stand in front of them."""
    notes = []
    for j, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        if dtype.kind not in "iu":
            continue
        if shown := next((row[j] for row in cells if len(row) > j and _PADDED.fullmatch(row[j])), None):
            notes.append(
                f"Column '{name}' was read as numbers, '{plain(shown, 24)}' as {int(shown)}; leave it out of "
                "the features if these are codes."
            )
    return tuple(notes[:MOST_REMARKS])
