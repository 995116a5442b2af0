"""From an uploaded table to features and a target; every step says what it changed or left out."""

import operator
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.dataset import Task
from nysviz.datasets.upload import limits
from nysviz.datasets.upload.meaning import (
    DATE_FORMATS,
    LEAST_ROWS,
    Numbers,
    code_columns,
    counts_rows,
    date_columns,
    date_format,
    dates_in_digits,
    in_days,
    missing_codes,
    numbering_columns,
)
from nysviz.datasets.upload.numbers import MOST_EXACT
from nysviz.datasets.upload.table import (
    Table,
    is_numeric,
    is_there,
    named,
    numeric_columns,
    plain,
    quoted,
    short,
    text_columns,
    unique_names,
)
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.text import counted

_NAMES = "category class classes diagnosis gnd label labels outcome quality response species target targets"
TARGET_NAMES = frozenset(_NAMES.split())
# More distinct whole numbers than this are values to predict rather than classes.
FEW_VALUES = 20
# More distinct texts than this are names or remarks rather than classes.
FEW_TEXTS = 100
# A column called so holds classes, also when they are as many as FEW_TEXTS whole numbers.
CLASS_NAMES = frozenset({"gnd", "label", "labels", "class", "classes"})
# Distances are sums of squares, and are summed over rows again: below this they stay finite at any size.
MAX_MAGNITUDE = 1e100
# More distinct texts than this are names or remarks rather than categories.
MAX_CATEGORIES = 50


def choose_target(table: Table, target: str | int | None) -> tuple[str | None, str]:
    """Return the target column and a sentence about a guess; ``target`` is a name or an index from 0."""
    if target is False:
        return None, ""
    if target is None:
        guess, reason = guess_target(table)
        if guess is None:
            return None, "No target was found; every column of numbers is a feature."
        return guess, f"Column '{guess}' was taken as the target, {reason}."
    columns = table.all_names
    # numpy's and pandas' whole numbers are no int, but say that they can serve as an index.
    index: Any = target
    if isinstance(target, str) and plain(target) in columns:
        column = plain(target)
    elif hasattr(index, "__index__") and not isinstance(index, bool) and 0 <= index < len(columns):
        column = columns[operator.index(index)]
    else:
        raise Refusal(
            f"There is no column {plain(target)!r}; the target is one of {quoted(columns)}, or an index from "
            f"0 to {len(columns) - 1}."
        )
    if column not in table.frame:
        raise Refusal(f"The target column '{column}' holds nothing; choose another column.")
    return column, ""


def guess_target(table: Table) -> tuple[str | None, str]:
    """Return the column that the format, its name or its texts say is the target, and why; None without one.

    Numbers of no such name may be counts, pixels or coordinates, and are never taken.
    """
    frame, numeric = table.frame, numeric_columns(table.frame)
    folded = {str(column): str(column).casefold() for column in frame.columns}
    named, reason = [column for column in folded if column == table.target], "being the labels of such a file"
    if not named:
        named = [column for column, name in folded.items() if name in TARGET_NAMES]
        reason = "because of its name"
    if not named and "x" not in folded.values():  # beside x it is a coordinate
        named = [column for column, name in folded.items() if name == "y"]
    if named := [column for column in named if numeric != [column]]:
        return named[-1], reason
    last = str(frame.columns[-1])
    if not numeric or last in numeric:
        return None, ""
    few = 2 <= frame[last].nunique() <= min(FEW_TEXTS, len(frame) // 2)
    # Texts that begin with a digit are mostly dates and times.
    if few and frame[last].dropna().astype(str).str[:1].str.isdigit().mean() < 0.5:
        return last, "being the last column and text"
    return None, ""


def labels(column: pd.Series, task: Task = None) -> tuple[NDArray[np.generic], Task, tuple[str, ...]]:
    """Return the values, the task, and the texts of the classes (empty where the classes are numbers).

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
    classes = looks_like_classes(column)
    if task == "classification" and classes is None:
        raise Refusal(
            f"Column '{name}' holds {column.nunique()} different numbers; classes are at most {FEW_TEXTS} "
            "whole numbers, so take it as values to predict, or choose another target."
        )
    task = task or ("classification" if classes else "regression")
    return column.to_numpy(dtype=None if task == "classification" else np.float64), task, ()


def looks_like_classes(column: pd.Series) -> bool | None:
    """Whether a column has few distinct whole numbers; None where it has no numbers, or too many for classes.

    Of a column that is called a class ``FEW_TEXTS`` are few.
    """
    values = column.to_numpy()
    distinct = len(np.unique(values))  # pandas takes ten times longer on many short columns
    if distinct > FEW_TEXTS or bool((values % 1 != 0).any()):
        return None
    few = FEW_TEXTS if str(column.name).casefold() in CLASS_NAMES else FEW_VALUES
    return distinct <= few and 2 * distinct <= max(len(column), 4)


def select_features(
    table: Table,
    target: str | None,
    leave_out: Sequence[str] | None,
    encode: Sequence[str] | bool,
    notes: list[str],
) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with the texts to encode as columns of 0 and 1, and the names of all features.

    ``leave_out`` and ``encode`` as of ``nv.parse``; what is changed or left out is added to the notes.
    """
    frame = table.frame
    texts = [column for column in text_columns(frame) if column != target]
    suggested = suggested_out(table, target)
    away = list(suggested) if leave_out is None else list(dict.fromkeys(plain(name) for name in leave_out))
    if isinstance(encode, bool):
        encoded_texts = (
            [column for column in texts if frame[column].nunique() <= MAX_CATEGORIES] if encode else []
        )
    else:
        encoded_texts = list(dict.fromkeys(plain(name) for name in encode))
    for chosen_names, allowed_names, action in (
        (away, set(frame.columns) - {target}, "be left out; name features, or none"),
        (encoded_texts, set(texts) - {*away}, "become columns of 0 and 1; name features of text, or none"),
    ):
        if strange := [name for name in chosen_names if name not in allowed_names]:
            raise Refusal(f"{quoted(strange)} cannot {action}.")
    if away:
        reasons: dict[str, list[str]] = {}
        for name in away:
            reason = "Left out, as chosen" if leave_out is not None else suggested[name]
            reasons.setdefault(reason, []).append(name)
        notes += [f"{reason}: {named(names)}." for reason, names in reasons.items()]
        frame = frame.drop(columns=away)
        texts = [column for column in texts if column not in away]
    features = [column for column in numeric_columns(frame) if column != target]
    if encoded_texts:
        frame, flag_columns = _encode_texts(frame, encoded_texts, notes)
        features += flag_columns
    unused_texts = [column for column in texts if column not in encoded_texts]
    examples = {column: short(frame[column].dropna().iloc[0]) for column in unused_texts}
    if not features:
        text = ""
        if unused_texts:
            # Text with a digit may be meant as a number.
            column = next(
                (name for name in unused_texts if any(map(str.isdigit, examples[name]))), unused_texts[0]
            )
            text = f", while '{plain(column, 40)}' holds text such as '{examples[column]}'"
        raise Refusal(
            f"None of the {counted(len(table.all_names), 'column')} is left as a feature, for but the target "
            f"and those left out none holds numbers{text}; let columns of text become columns of 0 and 1, or "
            "send columns of numbers, their cells separated by commas, semicolons, tabs or blanks."
        )
    if unused_texts:
        example = examples[unused_texts[0]]
        notes.append(f"Left out because they hold text, such as '{example}': {named(unused_texts)}.")
    if leave_out is None and not suggested and set(features) <= {*numbering_columns(frame, target)}:
        notes.append(f"No feature but numbers of the rows: {named(features)}.")
    return frame, features


def suggested_out(table: Table, target: str | None) -> dict[str, str]:
    """Return the columns of numbers that are better left out, unless all are, and why."""
    padded = code_columns(table, target)
    reasons = dict.fromkeys(numbering_columns(table.frame, target), "Left out because they number the rows")
    example = short(table.padded[padded[0]]) if padded else ""
    reasons |= dict.fromkeys(padded, f"Left out as codes with leading zeros, such as '{example}'")
    return reasons if {*numeric_columns(table.frame)} - {target, *reasons} else {}


def convert_dates(
    table: Table, target: str | None, dates: Sequence[str] | bool, notes: list[str]
) -> pd.DataFrame:
    """Return the table with columns of dates as days since 1970-01-01; ``dates`` as of ``nv.parse``."""
    if isinstance(dates, bool):
        formats = date_columns(table.frame, target) if dates else {}
    else:
        frame = table.frame
        checked_formats = {
            name: date_format(frame[name]) for name in map(plain, dates) if name in frame and name != target
        }
        if strange := [name for name in map(plain, dates) if not checked_formats.get(name)]:
            raise Refusal(
                f"{quoted(strange)} cannot become days; name features whose dates are written alike, such as "
                "2024-05-31, 31.05.2024 or 20240531."
            )
        formats = {name: pattern for name, pattern in checked_formats.items() if pattern}
    if not formats:
        return table.frame
    for pattern in dict.fromkeys(formats.values()):
        names = [name for name in formats if formats[name] == pattern]
        notes.append(f"Days since 1970-01-01, from {DATE_FORMATS[pattern]}: {named(names)}.")
    return table.frame.assign(**{name: in_days(table.frame[name], formats[name]) for name in formats})


def describe_doubts(numbers: Numbers, target: str | None, whole: Set[str]) -> list[str]:
    """Return sentences about what numbers may be: codes for missing values, rounded, dates, or a count.

    ``whole`` are columns of whole numbers.
    """
    names, notes = numbers.names, [code_note(*about) for about in missing_codes(numbers).items()]
    large = np.maximum(numbers.high, -numbers.low) > MOST_EXACT
    if rounded := [names[j] for j in np.flatnonzero(large).tolist() if names[j] in whole]:
        notes.append(f"In {named(rounded)} whole numbers beyond {MOST_EXACT} were rounded.")
    if dates := [j for j in dates_in_digits(numbers) if names[j] != target]:
        example = f"{numbers.finite_column(dates[0])[0]:.0f}"
        notes.append(
            f"Dates written as numbers such as {example}, whose differences are no days, in "
            f"{named([names[j] for j in dates])}; let them become days, or leave them out."
        )
    counting = [name for name, column in zip(names, numbers.values.T, strict=True) if counts_rows(column)]
    counting = [name for name in counting if name != target and len(numbers.values) >= LEAST_ROWS]
    if counting:
        notes.append(f"Counting the rows: {named(counting)}; leave such a column out if it says no more.")
    return notes


def find_value_columns(frame: pd.DataFrame, features: Sequence[str], target: str | None) -> list[str]:
    """Return the names of the features, and of a target whose numbers are no classes."""
    if target is None or not is_numeric(values := frame[target]):
        return list(features)
    return [*features, *([] if looks_like_classes(values[is_there(values)]) else [target])]


def code_note(code: float, counts: Mapping[str, int]) -> str:
    """Ask whether a value stands for a missing one, by how often it stands in which columns."""
    names = quoted([*counts][:3]) + (", …" if len(counts) > 3 else "")
    times = f"{counted(sum(counts.values()), 'time')} in {counted(len(counts), 'column')} ({names})"
    return f"{code:.15g} stands {times}, far from the others: missing?"


def _encode_texts(frame: pd.DataFrame, texts: list[str], notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return a column of 0 and 1 for each text of the columns, missing where the text is, and their names."""
    counts = {column: frame[column].nunique() for column in texts}
    if many := [column for column, count in counts.items() if count > MAX_CATEGORIES]:
        raise Refusal(
            f"Column '{many[0]}' holds {counts[many[0]]} different texts; at most {MAX_CATEGORIES} become "
            "columns of 0 and 1, so leave that column out."
        )
    # Checked before they are made: they may take much more memory than the texts.
    limits.check_shape(len(frame), frame.shape[1] - len(texts) + sum(counts.values()))
    blocks = [frame.drop(columns=texts)]
    for column in texts:
        flags = pd.get_dummies(frame[column], prefix=column, prefix_sep=" = ", dtype=np.float64)
        blocks.append(flags.where(frame[column].notna(), np.nan))
    notes.append(f"{counted(sum(counts.values()), 'column')} of 0 and 1 made of text: {named(texts)}.")
    # Side by side, then named once more: "a = b" may already be the name of a column.
    whole = pd.concat(blocks, axis=1)
    names = unique_names(list(whole.columns))
    return whole.set_axis(pd.Index(names), axis=1), names[blocks[0].shape[1] :]


def fill_gaps(frame: pd.DataFrame, features: Sequence[str], how: str, notes: list[str]) -> pd.DataFrame:
    """Replace missing and infinite cells of the features by the column's mean or median."""
    total, changed = 0, {}
    for column in features:
        missing = ~is_there(frame[column])
        if missing.all():
            raise Refusal(f"Column '{column}' has no finite value to fill its gaps with; leave it out.")
        if missing.any():
            total += int(missing.sum())
            # Infinite cells count as missing, in the mean as well.
            values = frame[column].astype(np.float64).mask(missing)
            changed[column] = values.fillna(values.mean() if how == "mean" else values.median())
    if changed:
        cells = counted(total, "missing or infinite value")
        notes.append(f"{cells} filled with the column's {how} in {named(list(changed))}.")
    return frame.assign(**changed)


def complete_rows(
    filled_cells: NDArray[np.bool_], names: Sequence[str], target: str | None, notes: list[str]
) -> NDArray[np.bool_]:
    """Return which rows have all their cells (n, d); a note names the column that costs the most rows."""
    usable = np.asarray(filled_cells.all(axis=1))
    left_out = int((~usable).sum())
    if not left_out:
        return usable
    gaps = ~filled_cells[~usable]
    alone = gaps[gaps.sum(axis=1) == 1].sum(axis=0)
    counts, only = (alone, " alone") if alone.any() else (gaps.sum(axis=0), "")
    worst = int(counts.argmax())
    reason = f"column '{plain(names[worst], 40)}'{only} lacks a value in {counts[worst]} of them"
    remedy = "leave that column out, or fill its gaps"
    if names[worst] == target:
        verb = "has" if counts[worst] == 1 else "have"
        reason, remedy = f"{counts[worst]} of them {verb} no target", "choose another target"
    if left_out == len(filled_cells):
        raise Refusal(f"No row is complete: of {counted(left_out, 'row')} {reason}; {remedy}.")
    keep = "" if names[worst] == target else f": to keep them, {remedy}"
    rows = f"{left_out} of {counted(len(filled_cells), 'row')}"
    notes.append(f"{rows} left out for missing or infinite values; {reason}{keep}.")
    return usable


def check_magnitude(X: FloatArray, columns: Sequence[str]) -> None:
    """Refuse numbers whose squares overflow."""
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    for j in np.flatnonzero(largest > MAX_MAGNITUDE)[:1]:
        raise Refusal(
            f"Column '{columns[j]}' holds {largest[j]:.3g}, whose squared distances overflow; values must "
            f"stay within ±{MAX_MAGNITUDE:g}, so change the unit of the column."
        )
