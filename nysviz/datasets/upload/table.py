"""The result of every reader of uploads: named columns as the file has them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.text import counted, listed

# Texts that pandas reads as missing, but a person may well mean: in a column of text they stay.
CLASS_TEXTS = ("NA", "N/A", "n/a", "NULL", "null", "None", "nan", "NaN")


@dataclass(frozen=True)
class Table:
    """A table as read: columns with unique plain names, numbers where every cell is one.

    Attributes
    ----------
    notes
        How the file was read, and what else was seen or left aside, a sentence each.
    decimal
        The decimal sign of its text; single columns may have the other one.
    target
        The column that the format itself declares to be the labels.
    header, encoding, sheets
        What was assumed of the first line, of the letters, and of the sheets of a workbook, the one that was
        read first; None or empty where the format leaves no choice.
    texts
        Columns that the format declares to be text, also where all their cells look like numbers.
    padded
        Columns of whole numbers with zeros in front, such as 00501, and the first of these.
    long
        Columns with whole numbers beyond those that a float holds.
    first_line
        The line of the file, from 1, in which its table begins; None where the format leaves no choice.
    is_similarities
        Whether the format says that the columns are the similarities of all pairs of rows.
    all_names
        The columns before those that hold nothing were left out.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]
    decimal: str = "."
    target: str | None = None
    header: bool | None = None
    encoding: str | None = None
    sheets: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    padded: Mapping[str, str] = field(default_factory=dict)
    long: frozenset[str] = frozenset()
    all_names: tuple[str, ...] = ()
    first_line: int | None = None
    is_similarities: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes that the table takes."""
        frame = self.frame
        # pandas takes long to ask many columns of numbers one by one.
        texts = text_columns(frame)
        numbers = sum(kind.itemsize for kind in frame.dtypes.drop(texts).tolist())
        return len(frame) * numbers + sum(
            int(frame[name].memory_usage(index=False, deep=True)) for name in texts
        )


def one_line(text: str) -> str:
    """Return a text without control characters, and without blanks at its ends or doubled within it."""
    line = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split())


def plain(text: object, length: int = 80) -> str:
    """Return a name on one line, without control characters, of at most ``length`` characters."""
    label = one_line(str(text)[: 20 * length])
    return label if len(label) <= length else label[: length - 1] + "…"


def short(text: object) -> str:
    """Return a cell as an example in a sentence."""
    return plain(text, 24)


def unique_names(names: Sequence[object]) -> list[str]:
    """Return plain column names, each once: an empty one becomes "column 3", a second "a" becomes "a (2)"."""
    labels: dict[str, None] = {}
    counts: dict[str, int] = {}
    for j, name in enumerate(names):
        base = plain(name) or f"column {j + 1}"
        label, count = base, counts.get(base, 1)
        while label in labels:
            count += 1
            label = f"{base} ({count})"
        counts[base] = count
        labels[label] = None
    return list(labels)


def named_numbers(values: NDArray[Any], first: int = 1) -> pd.DataFrame:
    """Turn a two-dimensional array into a table with columns x1, x2 and so on."""
    columns = pd.Index([f"x{first + j}" for j in range(values.shape[1])])
    return pd.DataFrame(values, columns=columns, copy=False)


def is_numeric(column: pd.Series) -> bool:
    """Whether the column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column))


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold numbers or truth values."""
    return [name for name, numeric in _kinds(frame) if numeric]


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the other columns."""
    return [name for name, numeric in _kinds(frame) if not numeric]


def _kinds(frame: pd.DataFrame) -> Iterator[tuple[str, bool]]:
    """Yield every column's name and whether it holds numbers."""
    # No select_dtypes, which copies the columns. Each kind is looked at once, for there may be many columns.
    kinds = frame.dtypes.tolist()
    numeric = {kind: bool(pd.api.types.is_numeric_dtype(kind)) for kind in set(kinds)}
    return zip(map(str, frame.columns), map(numeric.__getitem__, kinds), strict=True)


def is_there(values: pd.Series) -> NDArray[np.bool_]:
    """Return the mask of the cells that hold a finite number or a text."""
    # pandas' own check takes ten times longer on each of many short columns.
    return np.isfinite(values.to_numpy()) if is_numeric(values) else values.notna().to_numpy(dtype=bool)


def quoted(names: Sequence[object]) -> str:
    """Return up to ten names in quotation marks, and the number of the others."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(f"'{plain(name, 40)}'" for name in names[:10]) + more


def named(columns: Sequence[object]) -> str:
    """Return up to three names in quotation marks; for more columns, their number and the first three."""
    quoted_names = [f"'{plain(name, 40)}'" for name in columns[:3]]
    few = len(columns) == len(quoted_names)
    return (
        listed(quoted_names) if few else f"{counted(len(columns), 'column')} ({', '.join(quoted_names)}, …)"
    )
