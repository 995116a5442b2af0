"""What a user's file holds, before anything is changed: for the dialog that asks about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import (
    MAX_CATEGORIES,
    guess_target,
    looks_like_classes,
    may_be_classes,
    numbering_columns,
    repeated_rows,
)
from nysviz.datasets.upload.numbers import is_number
from nysviz.datasets.upload.table import Table, is_numeric, is_there, short

Scaling: TypeAlias = Literal["standardise", "unit box"] | None
# Features whose ranges differ by more than this: the widest alone would decide all distances.
RANGE_RATIO = 100.0


@dataclass(frozen=True)
class Column:
    """One column: ``kind`` is "numbers", "whole numbers" or "text"; ``low`` and ``high`` only of numbers.

    ``example`` is the first text of a column of text that is no number, shortened. ``classes`` says whether
    its numbers look like classes, None where they cannot be any.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | None
    high: float | None
    constant: bool
    example: str | None
    classes: bool | None


@dataclass(frozen=True)
class Summary:
    """A file as read: its columns, what looks unusual, and what is suggested. Nothing is left out yet.

    Attributes
    ----------
    target, target_reason
        The guessed target, and the end of the sentence that says why.
    numbering
        Columns that only number the rows; to leave them out is suggested.
    incomplete_rows
        Rows with a missing or infinite value in a column of numbers, or in the target.
    duplicate_rows
        Rows whose numbers and texts all equal those of an earlier row.
    scaling
        Suggested when the ranges of the features differ by more than ``RANGE_RATIO``; ``range_ratio`` says
        how much they do.
    """

    table: Table
    columns: tuple[Column, ...]
    target: str | None
    target_reason: str
    numbering: tuple[str, ...]
    incomplete_rows: int
    duplicate_rows: int
    scaling: Scaling
    range_ratio: float

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return len(self.table.frame)

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of text with few enough different values for a column of 0 and 1 each."""
        few = (column for column in self.columns if 1 <= column.distinct <= MAX_CATEGORIES)
        return tuple(column.name for column in few if column.kind == "text")


def summarise(table: Table) -> Summary:
    """Describe every column and suggest target and scaling."""
    target, reason = guess_target(table)
    frame = table.frame
    numbering = numbering_columns(frame, target)
    columns = [_column(frame[name]) for name in map(str, frame.columns)]
    ranges = [
        column.high - column.low
        for column in columns
        if column.name not in (target, *numbering) and column.low is not None and column.high is not None
    ]
    positive = [size for size in ranges if 0 < size < np.inf]
    ratio = max(positive) / min(positive) if positive else 1.0
    complete = np.ones(len(frame), dtype=bool)
    for column in columns:
        if column.missing and (column.name == target or column.kind != "text"):
            complete &= is_there(frame[column.name])
    return Summary(
        table=table,
        columns=tuple(columns),
        target=target,
        target_reason=reason,
        numbering=numbering,
        incomplete_rows=int((~complete).sum()),
        duplicate_rows=repeated_rows(frame),
        scaling="standardise" if ratio > RANGE_RATIO else None,
        range_ratio=float(ratio),
    )


def _column(values: pd.Series) -> Column:
    there, numeric = is_there(values), is_numeric(values)
    filled = values if there.all() else values[there]
    kept = filled.to_numpy()
    kind, low, high, example = "text", None, None, None
    # numpy's own, for pandas takes ten times longer on each of many short columns.
    distinct = len(np.unique(kept) if numeric else pd.unique(kept))
    if numeric:
        kind = "whole numbers" if bool((np.floor(kept) == kept).all()) else "numbers"
        low, high = (float(kept.min()), float(kept.max())) if kept.size else (None, None)
    elif kept.size:
        example = short(next((cell for cell in kept if not is_number(str(cell))), kept[0]))
    return Column(
        name=str(values.name),
        kind=kind,
        missing=len(values) - kept.size,
        distinct=distinct,
        low=low,
        high=high,
        constant=distinct <= 1,
        example=example,
        classes=looks_like_classes(filled) if numeric and may_be_classes(filled) else None,
    )
