"""Which column of an uploaded table is the target, which only number the rows, and what labels mean."""

from __future__ import annotations

import operator
import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.dataset import Task
from nysviz.datasets.upload.columns import holds_times
from nysviz.datasets.upload.table import Table, is_numeric, numeric_columns, plain, quoted, unique_names
from nysviz.refusal import Refusal

_NAMES = "category class classes diagnosis gnd label labels outcome quality response species target targets"
TARGET_NAMES = frozenset(_NAMES.split())
# More distinct whole numbers than this are values to predict rather than classes.
FEW_VALUES = 20
# More distinct texts than this are names or remarks rather than classes.
FEW_TEXTS = 100
# A column called so holds classes, also when they are as many as FEW_TEXTS whole numbers.
CLASS_NAMES = frozenset({"gnd", "label", "labels", "class", "classes"})
# With fewer rows, different whole numbers say little.
LEAST_ROWS = 10
# A column whose name begins or ends with one of these words, and in which no value comes twice.
_NUMBERING = "id ids uid idx index nr no row rownames sample case record key sampleid rowid objectid"
NUMBERING_NAMES = frozenset(_NUMBERING.split())
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_NAMELESS = re.compile(r"column \d+|Unnamed: \d+")


def choose_target(table: Table, asked: str | int | None) -> tuple[str | None, str]:
    """Return the target and a sentence about a guess; the column is asked for by name, or index from 0."""
    if asked is False:
        return None, ""
    if asked is not None:
        column = _asked(table.all_names, asked)
        if column not in table.frame:
            raise Refusal(f"The target column '{column}' holds nothing; choose another column.")
        return column, ""
    guess, reason = guess_target(table)
    if guess is None:
        return None, "No target was found; every column of numbers is a feature."
    return guess, f"Column '{guess}' was taken as the target, {reason}."


def _asked(columns: tuple[str, ...], target: str | int) -> str:
    if isinstance(target, str) and plain(target) in columns:
        return plain(target)
    # numpy's and pandas' whole numbers are no int, but say that they can serve as an index.
    index: Any = target
    if hasattr(index, "__index__") and not isinstance(index, bool) and 0 <= index < len(columns):
        return columns[operator.index(index)]
    raise Refusal(
        f"There is no column {plain(target)!r}; the target is one of {quoted(columns)}, or an index from 0 "
        f"to {len(columns) - 1}."
    )


def guess_target(table: Table) -> tuple[str | None, str]:
    """Return the column that the format, its name or its texts say is the target, and why; None without one.

    Numbers of no such name may be counts, pixels or coordinates, and are never taken.
    """
    frame = table.frame
    numeric = numeric_columns(frame)
    if table.target in frame and numeric != [table.target]:
        return table.target, "being the labels of such a file"
    folded = {str(column): str(column).casefold() for column in frame.columns}
    named = [column for column, name in folded.items() if name in TARGET_NAMES]
    if not named and "x" not in folded.values():  # beside x it is a coordinate
        named = [column for column, name in folded.items() if name == "y"]
    named = [column for column in named if numeric != [column]]
    found, reason = named[-1] if named else None, "because of its name"
    last = str(frame.columns[-1])
    if found is None and numeric and last not in numeric:
        few = 2 <= frame[last].nunique() <= min(FEW_TEXTS, len(frame) // 2)
        found, reason = last if few else None, "being the last column and text"
    if found is None or (found not in numeric and holds_times(frame[found])):
        return None, ""
    return found, reason


def labels(column: pd.Series, task: Task = None) -> tuple[NDArray[np.generic], Task, tuple[str, ...]]:
    """The values, the task, and the texts of the classes (empty where the classes are numbers).

    Text becomes the codes 0 … k - 1 in alphabetical order, each with a name of its own. Numbers are what
    ``task`` says, or what they look like: see ``looks_like_classes``.
    """
    name = plain(column.name)
    if not is_numeric(column):
        if task == "regression":
            raise Refusal(
                f"Column '{name}' holds text, which is no number to predict; take its texts as classes, or "
                "choose another target."
            )
        texts, codes = np.unique(column.astype(str).to_numpy(dtype=object), return_inverse=True)
        return codes, "classification", tuple(unique_names(texts.tolist()))
    if task is None:
        task = "classification" if looks_like_classes(column) else "regression"
    elif task == "classification" and not may_be_classes(column):
        raise Refusal(
            f"Column '{name}' holds {column.nunique()} different numbers; classes are at most {FEW_TEXTS} "
            "whole numbers, so take it as values to predict, or choose another target."
        )
    return column.to_numpy(dtype=None if task == "classification" else np.float64), task, ()


def looks_like_classes(column: pd.Series) -> bool:
    """Whether numbers are few distinct whole ones, up to ``FEW_TEXTS`` where the column is called a class."""
    distinct = len(np.unique(column.to_numpy()))  # pandas takes ten times longer on many short columns
    few = FEW_TEXTS if str(column.name).casefold() in CLASS_NAMES else FEW_VALUES
    return bool(distinct <= few and 2 * distinct <= max(len(column), 4) and may_be_classes(column))


def may_be_classes(column: pd.Series) -> bool:
    """Whether numbers can be taken as classes, if somebody says so."""
    values = column.to_numpy()
    return bool((values % 1 == 0).all()) and len(np.unique(values)) <= FEW_TEXTS


def numbering_columns(frame: pd.DataFrame, target: str | None) -> tuple[str, ...]:
    """The columns other than the target that look like numbers given to the rows.

    Such a column holds whole numbers, each once, and is called so ("id", "sample_no", "PassengerId"), or has
    no name and counts on by one from 0 or 1. None is named where no column of numbers would be left.
    """
    if len(frame) < LEAST_ROWS:
        return ()
    numeric = [name for name in numeric_columns(frame) if name != target]
    found = tuple(name for name in numeric if _numbers_rows(frame[name].to_numpy(), name))
    return found if len(found) < len(numeric) else ()


def _numbers_rows(values: np.ndarray, name: str) -> bool:
    words = [word.casefold() for word in _WORDS.findall(name)]
    nameless = _NAMELESS.fullmatch(name) is not None
    if not nameless and (not words or NUMBERING_NAMES.isdisjoint((words[0], words[-1]))):
        return False
    if not bool(np.all(np.floor(values) == values)):  # nor is NaN a whole number
        return False
    if nameless:
        return values[0] in (0, 1) and bool(np.all(np.diff(values) == 1))
    return len(np.unique(values)) == len(values)
