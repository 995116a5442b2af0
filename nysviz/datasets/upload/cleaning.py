"""What is done to the columns of an uploaded table; every step says what it changed or left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nysviz.datasets.dataset import FloatArray
from nysviz.datasets.upload.limits import check_shape
from nysviz.datasets.upload.table import (
    Table,
    is_there,
    listed,
    numeric_columns,
    plain,
    short,
    text_columns,
    unique_names,
    was,
)
from nysviz.datasets.upload.target import numbering_columns
from nysviz.refusal import Refusal
from nysviz.text import counted

# Distances are sums of squares, and are summed over rows again: below this they stay finite at any size.
MAX_MAGNITUDE = 1e100
# More distinct texts than this are names or remarks rather than categories.
MAX_CATEGORIES = 50


def features_of(
    table: Table,
    target: str | None,
    leave_out: Sequence[str] | None,
    encode: Sequence[str] | bool,
    notes: list[str],
) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with the texts asked for as columns of 0 and 1, and the names of all features.

    ``leave_out`` and ``encode`` as of ``nv.parse``; what is changed or left out is added to the notes.
    """
    frame = table.with_gaps(target)
    if leave_out is None:
        away = list(numbering_columns(frame, target))
        why = " because it numbers the rows" if len(away) == 1 else " because they number the rows"
    else:
        away, why = list(dict.fromkeys(plain(name) for name in leave_out)), ", as chosen"
        if strange := [name for name in away if name == target or name not in frame]:
            raise Refusal(
                f"{listed(strange)} cannot be left out, being the target or not in the table; name features, "
                "or none."
            )
    if away:
        notes.append(f"{listed(away)} {was(away)} left out{why}.")
        frame = frame.drop(columns=away)
    texts = [column for column in text_columns(frame) if column != target]
    features = [column for column in numeric_columns(frame) if column != target]
    if isinstance(encode, bool):
        asked = [column for column in texts if frame[column].nunique() <= MAX_CATEGORIES] if encode else []
    else:
        asked = list(dict.fromkeys(plain(name) for name in encode))
        if strange := [name for name in asked if name not in texts]:
            raise Refusal(
                f"{listed(strange)} cannot become columns of 0 and 1; name features of text, or none."
            )
    whole, made = _encoded(frame, asked, notes) if asked else (frame, [])
    if not features and not made:
        if leave_out:
            raise Refusal("Every column but the target is left out; keep at least one of them.")
        encode_them = "let columns of text become columns of 0 and 1, or " if texts else ""
        raise Refusal(
            f"None of the {counted(len(table.all_names), 'column')} can serve as a feature, for none but the "
            f"target holds numbers; {encode_them}send columns of numbers, their cells separated by commas, "
            "semicolons, tabs or blanks."
        )
    if left := [column for column in texts if column not in asked]:
        example = short(frame[left[0]].dropna().iloc[0])
        notes.append(f"{listed(left)} held text, such as '{example}', and {was(left)} left out.")
    return whole, [*features, *made]


def _encoded(frame: pd.DataFrame, texts: list[str], notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """One column of 0 and 1 for each text of the columns, missing where the text is; also their names."""
    counts = {column: frame[column].nunique() for column in texts}
    if many := [column for column, count in counts.items() if count > MAX_CATEGORIES]:
        raise Refusal(
            f"Column '{many[0]}' holds {counts[many[0]]} different texts; at most {MAX_CATEGORIES} become "
            "columns of 0 and 1, so leave that column out."
        )
    # Before they are made, for they may take much more memory than the texts did.
    check_shape(len(frame), frame.shape[1] - len(texts) + sum(counts.values()))
    kept = frame.drop(columns=texts)
    parts = [kept]
    for column in texts:
        there = frame[column].notna()
        cells = frame[column].astype(str).where(there)
        flags = pd.get_dummies(cells, prefix=column, prefix_sep=" = ", dtype=np.float64)
        parts.append(flags.where(there, np.nan))
        notes.append(f"{listed([column])} became {counted(counts[column], 'column')} of 0 and 1.")
    # Side by side, then named once more: "a = b" may already be the name of a column.
    whole = pd.concat(parts, axis=1)
    names = unique_names(list(whole.columns))
    return whole.set_axis(pd.Index(names), axis=1), names[kept.shape[1] :]


def filled(frame: pd.DataFrame, features: Sequence[str], how: str, notes: list[str]) -> pd.DataFrame:
    """Missing and infinite cells of the features replaced by the column's mean or median."""
    gaps = {column: ~is_there(frame[column]) for column in features}
    gaps = {column: missing for column, missing in gaps.items() if missing.any()}
    changed = {}
    for column, missing in gaps.items():
        if missing.all():
            raise Refusal(f"Column '{column}' has no finite value to fill its gaps with; leave it out.")
        # Infinite cells count as missing, in the mean as well.
        values = frame[column].astype(np.float64).mask(missing)
        changed[column] = values.fillna(values.mean() if how == "mean" else values.median())
    if not changed:
        return frame
    total = counted(int(sum(missing.sum() for missing in gaps.values())), "missing or infinite value")
    notes.append(f"{listed(list(changed))}: {total} filled with the column's {how}.")
    return frame.assign(**changed)


def complete_rows(used: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The rows in which every used cell is there and finite."""
    usable = np.ones(len(used), dtype=bool)
    worst, most = "", 0
    for column in map(str, used.columns):
        good = is_there(used[column])
        usable &= good
        if (missing := int((~good).sum())) > most:
            worst, most = column, missing
    left_out = int((~usable).sum())
    if left_out == len(used):
        raise Refusal(
            f"No row is complete: column '{worst}' alone has {most} missing or infinite values in {left_out} "
            "rows; fill the gaps or remove such columns."
        )
    if not left_out:
        return used  # and no copy of what may be large
    had = "a missing or infinite value and was" if left_out == 1 else "missing or infinite values and were"
    notes.append(f"{left_out} of {counted(len(used), 'row')} had {had} left out.")
    return used[usable]


def check_magnitude(X: FloatArray, columns: Sequence[str]) -> None:
    """Refuse numbers whose squares overflow."""
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    for j in np.flatnonzero(largest > MAX_MAGNITUDE)[:1]:
        raise Refusal(
            f"Column '{columns[j]}' holds {largest[j]:.3g}, whose squared distances overflow; values must "
            f"stay within ±{MAX_MAGNITUDE:g}, so change the unit of the column."
        )


def repeated_rows(frame: pd.DataFrame) -> int:
    """Count the rows that equal an earlier one, by a hash of 64 bits each."""
    return len(frame) - int(pd.util.hash_pandas_object(frame, index=False).nunique())
