"""Which columns of a user's file become features, and what is said of those that do not."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from nysviz.datasets.upload.cleaning import MAX_CATEGORIES, encoded, listed, was, without
from nysviz.datasets.upload.columns import MARKED_SHARE, count_numbers, holds_times
from nysviz.datasets.upload.numbers import is_number
from nysviz.datasets.upload.row_numbers import numbering_columns
from nysviz.datasets.upload.summary import EXAMPLE_CHARACTERS, Reading
from nysviz.datasets.upload.table import plain
from nysviz.datasets.upload.target import numeric_columns, text_columns


def features_of(
    reading: Reading,
    chosen: str | None,
    leave_out: Sequence[str] | None,
    encode: Sequence[str] | bool,
    notes: list[str],
) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with the texts asked for as columns of 0 and 1, and the names of all features.

    Parameters
    ----------
    reading : Reading
    chosen : str or None
        The target, which is no feature.
    leave_out, encode
        As of ``nv.parse``.
    notes : list of str
        What is changed or left out is added, a sentence each.

    Raises
    ------
    ValueError
        One sentence: a name is unknown, or nothing is left that could be a feature.
    """
    width = len(reading.all_names)
    if leave_out is None:
        frame = reading.frame.drop(columns=list(numbering := numbering_columns(reading.frame, chosen)))
        if numbering:
            only = "only numbers" if len(numbering) == 1 else "only number"
            notes.append(f"{listed(numbering)} {only} the rows and {was(numbering)} left out.")
    else:
        frame = without(reading.frame, leave_out, chosen, notes)
    texts = [column for column in text_columns(frame) if column != chosen]
    features = [column for column in numeric_columns(frame) if column != chosen]
    if encode is True:
        asked = [column for column in texts if frame[column].nunique() <= MAX_CATEGORIES]
    else:
        asked = [] if encode is False else [plain(name) for name in encode]
        if strange := [name for name in asked if name not in texts]:
            raise ValueError(
                f"{listed(strange)} cannot become columns of 0 and 1; name features of text, or none."
            )
    whole, made = encoded(frame, list(dict.fromkeys(asked)), notes)
    if not features and not made:
        raise ValueError(_no_feature(width, texts, leave_out))
    left = [column for column in texts if column not in asked]
    times = [column for column in left if holds_times(frame[column])]
    if times:
        example = plain(frame[times[0]].dropna().iloc[0], EXAMPLE_CHARACTERS)
        notes.append(
            f"{listed(times)} held dates or times, such as '{example}', and {was(times)} left out; send a "
            "number instead, such as the days since the first of them, if it is to be a feature."
        )
    others = [column for column in left if column not in times]
    for column in list(others):
        cells = frame[column].dropna()
        if len(cells) > (numbers := count_numbers(cells)) >= MARKED_SHARE * len(cells):
            shown = plain(next(cell for cell in cells if not is_number(str(cell))), EXAMPLE_CHARACTERS)
            notes.append(
                f"Column '{column}' held text and was left out, though {numbers} of its {len(cells)} cells "
                f"are numbers; write all as numbers, or empty cells such as '{shown}', if it is to be a "
                "feature."
            )
            others.remove(column)
    if others:
        notes.append(f"{listed(others)} held text and {was(others)} left out.")
    return whole, [*features, *made]


def _no_feature(width: int, texts: Sequence[str], leave_out: Sequence[str] | None) -> str:
    """Say why there is no feature, and what to do."""
    seen = "The only column" if width == 1 else f"None of the {width} columns"
    can = "cannot serve as a feature" if width == 1 else "can serve as a feature"
    if leave_out:
        return f"{seen} {can}, for all but the target are left out; keep at least one of them."
    if texts:
        return (
            f"{seen} {can}, for none but the target holds numbers; let columns of text become columns of 0 "
            "and 1, or send columns of numbers, their cells separated by commas, semicolons, tabs or blanks."
        )
    return (
        f"{seen} {can}, for none but the target holds numbers; send at least one, its cells separated by "
        "commas, semicolons, tabs or blanks."
    )
