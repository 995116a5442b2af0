"""A user's own file: ``parse`` gives a data set, or one sentence that says what is wrong."""

from __future__ import annotations

from pathlib import PurePosixPath

import numpy as np
import pandas as pd

from nysviz.datasets.dataset import Dataset, Task
from nysviz.datasets.target import asked_target, guessed_target, is_numeric, labels
from nysviz.datasets.text_table import MAX_BYTES, TextTable, plain, read_text

ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data")
# Distances are sums of squares, and are summed over rows again: below this they stay finite at any size.
MAX_MAGNITUDE = 1e100
# A column of text with at least this share of numbers is one of numbers with slips.
NUMERIC_SHARE = 0.9
# Cells that decide whether a column of text is worth reading as numbers.
PROBE = 1000


def parse(content: bytes, filename: str, target: str | int | None = None) -> Dataset:
    """A data set from an uploaded text table (CSV, TSV, semicolons, bars or blanks).

    Parameters
    ----------
    content : bytes
        The file, at most ``MAX_BYTES``.
    filename : str
        Its ending decides whether the file is read, its stem names the data set.
    target : str, int, False or None
        The column to predict: its name, or its index from 0. None guesses (a column called target, label,
        class or y; else a last column of text, or of few distinct whole numbers) and says so in the notes;
        False takes none.

    Returns
    -------
    Dataset
        The numeric columns and the target. Every column or row left out is told in ``notes``.

    Raises
    ------
    ValueError
        One sentence: what was seen, what is needed, what to do. No other exception.
    """
    try:
        return _parse(content, filename, target)
    except MemoryError as problem:
        raise ValueError("The file needs more memory than there is; send a sample of its rows.") from problem


def _parse(content: bytes, filename: str, target: str | int | None) -> Dataset:
    path = PurePosixPath(str(filename).replace("\\", "/"))
    _check_file(content, path.suffix.lower())
    table = read_text(bytes(content))
    notes = [table.reading]
    frame = _without_empty(_with_numbers(table, notes), notes)
    chosen = _target(frame, _names(table.frame), target, notes)
    features = [column for column in _names(frame) if column != chosen and is_numeric(frame[column])]
    if not features:
        raise ValueError(
            f"None of the {table.frame.shape[1]} columns can serve as a feature, for none but the target "
            "holds numbers; send at least one, its cells separated by commas, semicolons, tabs or blanks."
        )
    texts = [column for column in _names(frame) if column != chosen and column not in features]
    if texts:
        notes.append(f"{_listed(texts)} held text and {_was(texts)} left out.")
    kept = _complete_rows(frame[[*features, *([chosen] if chosen is not None else [])]], notes)
    _check_magnitude(kept)
    X = kept[features].to_numpy(dtype=np.float64)
    _note_repeats(kept[features], notes)
    task: Task = None
    y, classes = None, tuple[str, ...]()
    if chosen is not None:
        y, task, classes = labels(kept[chosen])
    return Dataset.from_arrays(
        plain(path.stem),
        X,
        y,
        task=task,
        feature_names=features,
        classes=classes,
        title=plain(path.name),
        sentence=f"{X.shape[0]} rows and {X.shape[1]} columns of numbers from your file.",
        source="your own file",
        licence="your own",
        notes=notes,
    )


def _check_file(content: bytes, ending: str) -> None:
    if ending not in ENDINGS:
        raise ValueError(
            f"Files ending in {plain(ending, 20) or 'nothing'} cannot be read; save the table as text "
            f"ending in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}."
        )
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"The file has {len(content) / 1e6:.1f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read, so send a "
            "sample of its rows or fewer columns."
        )
    if not bytes(content).strip():
        raise ValueError("The file is empty; send a table with at least one row of numbers.")


def _with_numbers(table: TextTable, notes: list[str]) -> pd.DataFrame:
    """Truth values as 1 and 0, and columns of numbers with a few slips, which then count as missing."""
    frame = table.frame
    changed: dict[str, pd.Series] = {}
    for column in _names(frame):
        values = frame[column]
        if pd.api.types.infer_dtype(values, skipna=True) == "boolean":
            changed[column] = values.astype(np.float64)
            notes.append(f"{_listed([column])} held true and false, read as 1 and 0.")
        elif not is_numeric(values):
            filled = values.dropna()
            if filled.head(PROBE).map(table.number).notna().mean() < NUMERIC_SHARE / 2:
                continue  # text as it looks: a file full of text would take long cell by cell
            numbers = filled.map(table.number).astype(np.float64)
            other = int(numbers.isna().sum())
            if other <= (1.0 - NUMERIC_SHARE) * len(filled):
                changed[column] = numbers.reindex(values.index)
                if other:
                    notes.append(
                        f"Column '{column}': {other} of {len(values)} cells not a number, taken as missing."
                    )
    return frame.assign(**changed) if changed else frame


def _without_empty(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    empty = [column for column in _names(frame) if frame[column].isna().all()]
    if not empty:
        return frame
    notes.append(f"{_listed(empty)} held nothing and {_was(empty)} left out.")
    return frame.drop(columns=empty)


def _target(
    frame: pd.DataFrame, columns: list[str], target: str | int | None, notes: list[str]
) -> str | None:
    if target is False:
        return None
    if target is not None:
        asked = asked_target(columns, target)
        if asked not in frame:
            raise ValueError(f"The target column '{asked}' holds nothing; choose another column.")
        return asked
    guessed, reason = guessed_target(frame)
    if guessed is None:
        notes.append("No target was found; every column of numbers is a feature.")
    else:
        notes.append(f"Column '{guessed}' was taken as the target, {reason}.")
    return guessed


def _complete_rows(used: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The rows in which every used cell is there and finite."""
    usable = pd.Series(True, index=used.index)
    worst, most = "", 0
    for column in _names(used):
        good = np.isfinite(used[column]) if is_numeric(used[column]) else used[column].notna()
        usable &= good
        if (missing := int((~good).sum())) > most:
            worst, most = column, missing
    left_out = int((~usable).sum())
    if left_out == len(used):
        raise ValueError(
            f"No row is complete: column '{worst}' alone has {most} missing or infinite values in {left_out} "
            "rows; fill the gaps or remove such columns."
        )
    if left_out:
        notes.append(f"{left_out} of {len(used)} rows had missing or infinite values and were left out.")
    return used[usable]


def _check_magnitude(kept: pd.DataFrame) -> None:
    for column in _names(kept):
        largest = float(kept[column].abs().max()) if is_numeric(kept[column]) else 0.0
        if largest > MAX_MAGNITUDE:
            raise ValueError(
                f"Column '{column}' holds {largest:.3g}, whose squared distances overflow; values must stay "
                f"within ±{MAX_MAGNITUDE:g}, so change the unit of the column."
            )


def _note_repeats(frame: pd.DataFrame, notes: list[str]) -> None:
    constant = [column for column in _names(frame) if frame[column].min() == frame[column].max()]
    if constant and len(frame) > 1:
        notes.append(f"{_listed(constant)} {'is' if len(constant) == 1 else 'are'} constant.")
    if repeats := int(frame.duplicated().sum()):
        notes.append(
            f"{repeats} of {len(frame)} rows {'repeats' if repeats == 1 else 'repeat'} an earlier row."
        )


def _names(frame: pd.DataFrame) -> list[str]:
    return [str(column) for column in frame.columns]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{'Column' if len(names) == 1 else f'{len(names)} columns:'} {shown}{more}"


def _was(names: list[str]) -> str:
    return "was" if len(names) == 1 else "were"
