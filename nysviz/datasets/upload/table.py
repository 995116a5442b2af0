"""What every reader of uploads hands on: named columns as the file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Table:
    """A table as read.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns with unique plain names; numbers where every cell is one.
    reading : str
        A sentence: how the file was understood.
    decimal : str
        The decimal sign of its text; single columns may have the other one.
    notes : tuple of str
        What else was seen or left aside, a sentence each.
    target : str or None
        The column that the format itself declares to be the labels.
    one_unit : bool
        Whether all columns are known to share a unit, as the pixels of pictures do.
    header : bool or None
        Whether the first line was taken for the names of the columns; None where the format leaves no doubt.
    encoding : str or None
        How the letters of a table of text are stored; None where the format leaves no doubt.
    sheets : tuple of str
        The sheets of a workbook, the one that was read first.
    texts : frozenset of str
        Columns that the format declares to be text, also where all their cells look like numbers.
    gaps : mapping of str to pandas.Series
        Of columns of text, the cells that count as missing but hold a text such as "None", by their rows.
    """

    frame: pd.DataFrame
    reading: str
    decimal: str = "."
    notes: tuple[str, ...] = ()
    target: str | None = None
    one_unit: bool = False
    header: bool | None = None
    encoding: str | None = None
    sheets: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    gaps: Mapping[str, pd.Series] = field(default_factory=dict)


def one_line(text: str) -> str:
    """A text without control characters, and without blanks at its ends or doubled within it."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())


def plain(text: object, length: int = 80) -> str:
    """A name on one line, without control characters, and not longer than a label can be."""
    shown = one_line(str(text)[: 20 * length])
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def unique_names(names: list[str]) -> list[str]:
    """Plain column names, each once: an empty one becomes "column 3", a second "a" becomes "a (2)"."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for j, name in enumerate(names):
        base = plain(name) or f"column {j + 1}"
        shown, count = base, counts.get(base, 1)
        while shown in taken:
            count += 1
            shown = f"{base} ({count})"
        counts[base] = count
        names[j] = shown
        taken.add(shown)
    return names


def named_numbers(values: NDArray[Any], prefix: str = "x") -> pd.DataFrame:
    """Turn a two-dimensional array into a table whose columns are called x1 to xd."""
    columns = pd.Index([f"{prefix}{j + 1}" for j in range(values.shape[1])])
    return pd.DataFrame(values, columns=columns, copy=False)
