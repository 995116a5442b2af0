"""What a user's file holds, before anything is changed: for the dialog that asks about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import MAX_CATEGORIES, is_there, names, repeated_rows, without_empty
from nysviz.datasets.upload.columns import count_numbers, holds_times, with_numbers, with_plain_texts
from nysviz.datasets.upload.limits import UploadError
from nysviz.datasets.upload.numbers import is_number
from nysviz.datasets.upload.row_numbers import numbering_columns
from nysviz.datasets.upload.sentinels import stand_ins
from nysviz.datasets.upload.table import Table, plain
from nysviz.datasets.upload.target import (
    guessed_target,
    is_numeric,
    looks_like_classes,
    may_be_classes,
    numeric_columns,
    text_columns,
)

Scaling: TypeAlias = Literal["standardise", "unit box"] | None
# Features whose ranges differ by more than this: the widest alone would decide all distances.
RANGE_RATIO = 100.0
# So much of a text is shown as an example.
EXAMPLE_CHARACTERS = 24


@dataclass(frozen=True)
class Column:
    """One column: ``kind`` is "numbers", "whole numbers" or "text"; ``low`` and ``high`` only of numbers.

    ``repeats`` names the earlier column whose cells are all the same, if there is one. ``example`` is the
    first text of a column of text that is no number, shortened; ``times`` says whether its texts are dates or
    times, ``numbers`` how many of them are numbers. ``classes`` says whether its numbers look like classes,
    None where they cannot be any. ``gaps`` counts the texts, such as "None", that are missing in a feature
    and classes in a target.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | None
    high: float | None
    constant: bool
    repeats: str | None
    example: str | None = None
    times: bool = False
    classes: bool | None = None
    numbers: int = 0
    gaps: tuple[tuple[str, int], ...] = ()

    @property
    def can_be_encoded(self) -> bool:
        """Whether it is text with few enough different values for a column of 0 and 1 each."""
        return self.kind == "text" and 1 <= self.distinct <= MAX_CATEGORIES


@dataclass(frozen=True)
class Summary:
    """A file as read: its columns, what looks unusual, and what is suggested. Nothing is left out yet.

    Attributes
    ----------
    rows : int
    columns : tuple of Column
    notes : tuple of str
        How it was read and what was found, a sentence each.
    target : str or None
        The guessed target; ``target_reason`` ends the sentence that says why.
    numbering : tuple of str
        Columns that only number the rows; to leave them out is suggested.
    incomplete_rows : int
        Rows with a missing or infinite value in a column of numbers, or in the target.
    duplicate_rows : int
        Rows whose numbers and texts all equal those of an earlier row.
    scaling : "standardise" or None
        Suggested when the ranges of the features differ by more than ``RANGE_RATIO``; ``range_ratio`` says
        how much they do.
    header : bool or None
        Whether the first line was taken for the names of the columns; None where there is no doubt.
    encoding : str or None
        How the letters of a table of text are stored; None where there is no doubt.
    sheets : tuple of str
        The sheets of a workbook, the one that was read first.
    """

    rows: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    target: str | None
    target_reason: str
    incomplete_rows: int
    duplicate_rows: int
    scaling: Scaling
    range_ratio: float
    numbering: tuple[str, ...] = ()
    header: bool | None = None
    encoding: str | None = None
    sheets: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of text that can become columns of 0 and 1."""
        return tuple(column.name for column in self.columns if column.can_be_encoded)


@dataclass(frozen=True)
class Reading:
    """A file once read, so that it can be described and turned into a data set without reading it again."""

    frame: pd.DataFrame
    all_names: tuple[str, ...]
    notes: tuple[str, ...]
    declared_target: str | None
    one_unit: bool = False
    header: bool | None = None
    encoding: str | None = None
    gaps: Mapping[str, pd.Series] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Reading:
        """Tell numbers from text and set empty columns aside.

        Raises
        ------
        UploadError
            Every cell is empty.
        """
        notes = [table.reading, *table.notes]
        frame = without_empty(with_plain_texts(with_numbers(table, notes), notes), notes)
        if frame.shape[1] == 0:
            rows, columns = table.frame.shape
            raise UploadError(
                f"The file holds a table of {_counted(rows, 'row')} and {_counted(columns, 'column')} whose "
                "cells are all empty; send at least one row of numbers."
            )
        every = tuple(names(table.frame))
        notes += [note for note in stand_ins(frame) if note not in notes]
        gaps = {name: texts for name, texts in table.gaps.items() if name in frame}
        gaps = {name: texts for name, texts in gaps.items() if not is_numeric(frame[name])}
        return cls(
            frame,
            every,
            tuple(notes),
            table.target,
            table.one_unit,
            table.header,
            table.encoding,
            gaps,
            table.sheets,
        )

    @property
    def nbytes(self) -> int:
        """Bytes that the table takes."""
        held = sum(texts.memory_usage() for texts in self.gaps.values())
        return int(self.frame.memory_usage(deep=True).sum() + held)

    def with_classes(self, column: str | None) -> pd.DataFrame:
        """Return the table; texts such as "None" are texts in this column and missing in the others."""
        if column is None or column not in self.gaps:
            return self.frame
        return self.frame.assign(**{column: self.frame[column].fillna(self.gaps[column])})

    def counted_gaps(self, column: str) -> tuple[tuple[str, int], ...]:
        """Return the texts such as "None" of a column of text, with how many cells hold each."""
        if column not in self.gaps:
            return ()
        return tuple((str(text), int(count)) for text, count in self.gaps[column].value_counts().items())

    def guess(self) -> tuple[str | None, str]:
        """Return the target, None where it is unsure, and why: by the format, its name, or its texts."""
        numeric = numeric_columns(self.frame)
        if self.declared_target in self.frame and numeric != [self.declared_target]:
            return self.declared_target, "being the labels of such a file"
        column, reason = guessed_target(self.with_classes(names(self.frame)[-1]))
        dates = column is not None and not is_numeric(self.frame[column]) and holds_times(self.frame[column])
        return (None, "") if dates else (column, reason)


def summarise(reading: Reading) -> Summary:
    """Describe every column and suggest target and scaling."""
    target, reason = reading.guess()
    frame = reading.frame
    codes = _codes(frame)
    twins = _twins(codes, names(frame))
    numbering = numbering_columns(frame, target)
    columns = tuple(
        _column(frame[name], name, twins.get(name), reading.counted_gaps(name)) for name in names(frame)
    )
    ranges = [
        column.high - column.low
        for column in columns
        if column.name != target
        and column.name not in numbering
        and column.low is not None
        and column.high is not None
        and not column.constant
    ]
    positive = [size for size in ranges if 0 < size < np.inf]
    ratio = max(positive) / min(positive) if positive else 1.0
    complete = np.ones(len(frame), dtype=bool)
    frame = reading.with_classes(target)
    for column in columns:
        if column.missing and (column.kind != "text" or column.name == target):
            complete &= is_there(frame[column.name])
    return Summary(
        rows=len(frame),
        columns=columns,
        notes=reading.notes,
        target=target,
        target_reason=reason,
        incomplete_rows=int((~complete).sum()),
        duplicate_rows=len(repeated_rows(codes)),
        scaling="standardise" if ratio > RANGE_RATIO and not reading.one_unit else None,
        range_ratio=float(ratio),
        numbering=numbering,
        header=reading.header,
        encoding=reading.encoding,
        sheets=reading.sheets,
    )


def _column(values: pd.Series, name: str, repeats: str | None, gaps: tuple[tuple[str, int], ...]) -> Column:
    there, numeric = is_there(values), is_numeric(values)
    filled = values if there.all() else values[there]
    kept = filled.to_numpy()
    low = high = example = None
    numbers = 0
    # numpy's own, for pandas takes ten times longer on each of many short columns.
    kind, distinct = "text", len(np.unique(kept) if numeric else pd.unique(kept))
    if numeric:
        kind = "whole numbers" if bool((np.floor(kept) == kept).all()) else "numbers"
        if kept.size:
            low, high = float(kept.min()), float(kept.max())
    elif kept.size:
        numbers = count_numbers(filled)
        shown = next((cell for cell in kept if not is_number(str(cell))), kept[0])
        example = plain(shown, EXAMPLE_CHARACTERS)
    return Column(
        name=name,
        kind=kind,
        missing=len(values) - kept.size,
        distinct=distinct,
        low=low,
        high=high,
        constant=distinct <= 1,
        repeats=repeats,
        example=example,
        numbers=numbers,
        gaps=gaps,
        times=kind == "text" and holds_times(values),
        classes=looks_like_classes(filled) if numeric and may_be_classes(filled) else None,
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what if count == 1 else what + 's'}"


def _codes(frame: pd.DataFrame) -> np.ndarray:
    """The cells as numbers, texts by their place among the column's texts; a missing cell is a number too."""
    codes = np.empty(frame.shape, dtype=np.float64, order="F")
    texts = set(text_columns(frame))
    for j, (name, values) in enumerate(frame.items()):
        codes[:, j] = pd.factorize(values)[0] if name in texts else values.to_numpy()
    # NaN equals nothing: stand-in far beyond what an upload may hold.
    codes[np.isnan(codes)] = np.finfo(np.float64).max
    return codes


def _twins(codes: np.ndarray, columns: list[str]) -> dict[str, str]:
    """For each column that repeats an earlier one, the name of that one."""
    found: dict[str, str] = {}
    for later, first in repeated_rows(codes.T).items():
        found[columns[later]] = columns[first]
    return found
