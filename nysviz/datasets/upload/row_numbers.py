"""Columns that only number the rows of an uploaded table: they tell points apart, but not what they are."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from nysviz.datasets.upload.target import numeric_columns

# With fewer rows, different whole numbers say little.
LEAST_ROWS = 10
# A column whose name begins or ends with one of these words, and in which no value comes twice.
NUMBERING_NAMES = frozenset(
    {
        "id",
        "ids",
        "uid",
        "idx",
        "index",
        "nr",
        "no",
        "row",
        "rownames",
        "sample",
        "case",
        "record",
        "key",
        "sampleid",
        "rowid",
        "objectid",
    }
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_NAMELESS = re.compile(r"column \d+|Unnamed: \d+")


def numbering_columns(frame: pd.DataFrame, target: str | None) -> tuple[str, ...]:
    """The columns other than the target that look like numbers given to the rows.

    Such a column holds whole numbers, each once, and is called so ("id", "sample_no", "PassengerId"), or has
    no name and counts on by one from 0 or 1. None is named where no column of numbers would be left.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str or None

    Returns
    -------
    tuple of str
        Cost: a sort of the whole-numbered columns that are called so.
    """
    if len(frame) < LEAST_ROWS:
        return ()
    numeric = [name for name in numeric_columns(frame) if name != target]
    found = tuple(name for name in numeric if _numbers_rows(frame[name].to_numpy(), name))
    return found if len(found) < len(numeric) else ()


def _numbers_rows(values: np.ndarray, name: str) -> bool:
    nameless = _NAMELESS.fullmatch(name) is not None
    if not (nameless or _is_called_so(name)):
        return False
    # NaN is no whole number either.
    if not bool(np.all(np.floor(values) == values)):
        return False
    if nameless:
        return values[0] in (0, 1) and bool(np.all(np.diff(values) == 1))
    return len(np.unique(values)) == len(values)


def _is_called_so(name: str) -> bool:
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and not NUMBERING_NAMES.isdisjoint((words[0], words[-1]))
