"""Which column of an uploaded table is the target, and what its values mean."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.dataset import Task
from nysviz.datasets.upload.table import plain, unique_names

_NAMES = "category class classes diagnosis gnd label labels outcome quality response species target targets"
TARGET_NAMES = frozenset(_NAMES.split())
# More distinct whole numbers than this are values to predict rather than classes.
FEW_VALUES = 20
# More distinct texts than this are names or remarks rather than classes.
FEW_TEXTS = 100
# A column called so holds classes, also when they are as many as FEW_TEXTS whole numbers.
CLASS_NAMES = frozenset({"gnd", "label", "labels", "class", "classes"})


def is_numeric(column: pd.Series) -> bool:
    """Whether the column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column))


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold numbers, without a look at each column of a wide table."""
    numeric = {dtype for dtype in set(frame.dtypes) if pd.api.types.is_numeric_dtype(dtype)}
    return [str(name) for name, dtype in zip(frame.columns, frame.dtypes, strict=True) if dtype in numeric]


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the other columns."""
    numeric = set(numeric_columns(frame))
    return [name for name in map(str, frame.columns) if name not in numeric]


def asked_target(columns: list[str], target: str | int) -> str:
    """The name of the column that the caller asks for by name, or by index from 0.

    Raises
    ------
    ValueError
        When there is no such column; the sentence lists those that there are.
    """
    if isinstance(target, str) and plain(target) in columns:
        return plain(target)
    # numpy's and pandas' whole numbers are no int, but say that they can serve as an index.
    index: Any = target
    if hasattr(index, "__index__") and not isinstance(index, bool) and 0 <= index < len(columns):
        return columns[operator.index(index)]
    shown = ", ".join(f"'{column}'" for column in columns[:8]) + (" …" if len(columns) > 8 else "")
    raise ValueError(
        f"There is no column {plain(target)!r}; the target is one of {shown}, or an index from 0 to "
        f"{len(columns) - 1}."
    )


def guessed_target(frame: pd.DataFrame) -> tuple[str | None, str]:
    """Return the column whose name or texts say that it is the target, and the reason; None without one.

    Numbers of no such name may be counts, pixels or coordinates, and are never taken.
    """
    columns = [str(column) for column in frame.columns]
    folded = [column.casefold() for column in columns]
    numeric = numeric_columns(frame)
    named = [column for column, name in zip(columns, folded, strict=True) if name in TARGET_NAMES]
    if not named and "x" not in folded:  # beside x it is a coordinate
        named = [column for column, name in zip(columns, folded, strict=True) if name == "y"]
    for column in reversed(named):
        if numeric != [column]:
            return column, "because of its name"
    last = columns[-1]
    if not numeric or last in numeric:
        return None, ""
    distinct = frame[last].nunique()
    few = 2 <= distinct <= min(FEW_TEXTS, len(frame) // 2)
    return (last, "being the last column and text") if few else (None, "")


def labels(column: pd.Series, task: Task = None) -> tuple[NDArray[np.generic], Task, tuple[str, ...]]:
    """The values, the task, and the texts of the classes (empty where the classes are numbers).

    Text becomes the codes 0 … k - 1 in alphabetical order, each with a name of its own. Numbers are what
    ``task`` says, or what they look like: see ``looks_like_classes``.

    Raises
    ------
    ValueError
        When the column cannot be what is asked for.
    """
    if not is_numeric(column):
        if task == "regression":
            raise ValueError(
                f"Column '{plain(column.name)}' holds text, which is no number to predict; take its texts as "
                "classes, or choose another target."
            )
        texts, codes = np.unique(column.astype(str).to_numpy(dtype=object), return_inverse=True)
        return codes, "classification", tuple(unique_names([str(text) for text in texts]))
    if task is None:
        task = "classification" if looks_like_classes(column) else "regression"
    elif task == "classification" and not may_be_classes(column):
        raise ValueError(
            f"Column '{plain(column.name)}' holds {column.nunique()} different numbers; classes are at most "
            f"{FEW_TEXTS} whole numbers, so take it as values to predict, or choose another target."
        )
    return (column.to_numpy() if task == "classification" else column.to_numpy(dtype=np.float64)), task, ()


def looks_like_classes(column: pd.Series) -> bool:
    """Whether numbers are few distinct whole ones, up to ``FEW_TEXTS`` where the column is called a class."""
    distinct = _distinct(column)
    few = FEW_TEXTS if str(column.name).casefold() in CLASS_NAMES else FEW_VALUES
    return bool(distinct <= few and 2 * distinct <= max(len(column), 4) and _whole(column))


def may_be_classes(column: pd.Series) -> bool:
    """Whether numbers can be taken as classes, if somebody says so."""
    return _whole(column) and _distinct(column) <= FEW_TEXTS


# numpy's own, for pandas takes ten times longer on each of many short columns.
def _distinct(column: pd.Series) -> int:
    return len(np.unique(column.to_numpy()))


def _whole(column: pd.Series) -> bool:
    return bool((column.to_numpy() % 1 == 0).all())
