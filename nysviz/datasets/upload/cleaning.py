"""What is done to the columns of an uploaded table; every step says what it changed or left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.dataset import FloatArray
from nysviz.datasets.upload.limits import check_shape
from nysviz.datasets.upload.table import plain, unique_names
from nysviz.datasets.upload.target import is_numeric

# Distances are sums of squares, and are summed over rows again: below this they stay finite at any size.
MAX_MAGNITUDE = 1e100
# More distinct texts than this are names or remarks rather than categories.
MAX_CATEGORIES = 50
# Cells looked at at once in the search for repeated rows.
BLOCK_CELLS = 250_000


def without_empty(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The columns that hold anything."""
    empty = [str(column) for column in frame.columns[frame.isna().all()]]
    if not empty:
        return frame
    notes.append(f"{listed(empty)} held nothing and {was(empty)} left out.")
    return frame.drop(columns=empty)


def without(
    frame: pd.DataFrame, leave_out: Sequence[str], chosen: str | None, notes: list[str]
) -> pd.DataFrame:
    """The columns that are not named.

    Raises
    ------
    ValueError
        When there is no such column, or it is the target.
    """
    asked = list(dict.fromkeys(plain(name) for name in leave_out))
    if strange := [name for name in asked if name == chosen or name not in frame]:
        raise ValueError(
            f"{listed(strange)} cannot be left out, being the target or not in the table; name features, "
            "or none."
        )
    if asked:
        notes.append(f"{listed(asked)} {was(asked)} left out, as chosen.")
    return frame.drop(columns=asked) if asked else frame


def without_constant(frame: pd.DataFrame, chosen: str | None, notes: list[str]) -> pd.DataFrame:
    """The columns with more than one value, the target in any case."""
    constant = [column for column in names(frame) if column != chosen and is_constant(frame[column])]
    if not constant:
        return frame
    notes.append(
        f"{listed(constant)} {'is' if len(constant) == 1 else 'are'} constant and {was(constant)} left out."
    )
    if len(constant) == frame.shape[1] - (chosen is not None):
        raise ValueError("Every column is constant; keep the constant columns, or send others.")
    return frame.drop(columns=constant)


def encoded(frame: pd.DataFrame, texts: Sequence[str], notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """One column of 0 and 1 for every text of the columns named; also returns their names.

    A missing text is missing in all of them.

    Raises
    ------
    ValueError
        When a column has more than ``MAX_CATEGORIES`` texts.
    """
    categories: dict[str, NDArray[np.object_]] = {}
    for column in texts:
        found = np.unique(frame[column].dropna().astype(str).to_numpy(dtype=object))
        if len(found) > MAX_CATEGORIES:
            raise ValueError(
                f"Column '{column}' holds {len(found)} different texts; at most {MAX_CATEGORIES} become "
                "columns of 0 and 1, so leave that column out."
            )
        categories[column] = found
    if not categories:
        return frame, []
    # Before they are made, for they may take much more room than the texts did.
    check_shape(len(frame), frame.shape[1] - len(categories) + sum(map(len, categories.values())))
    parts = []
    for column, found in categories.items():
        there = frame[column].notna().to_numpy()
        cells = frame[column].astype(str).to_numpy(dtype=object)
        flags = np.where(there[:, None], cells[:, None] == found[None, :], np.nan).astype(np.float64)
        parts.append(pd.DataFrame(flags, columns=[f"{column} = {text}" for text in found], index=frame.index))
        now = "one text, now a column" if len(found) == 1 else f"{len(found)} texts, now columns"
        notes.append(f"{listed([column])} held {now} of 0 and 1.")
    kept = frame.drop(columns=list(texts))
    # Side by side, then named once more: "a = b" may already be the name of a column.
    whole = pd.concat([kept, *parts], axis=1)
    whole.columns = pd.Index(unique_names([str(name) for name in whole.columns]))
    return whole, names(whole)[kept.shape[1] :]


def filled(frame: pd.DataFrame, features: Sequence[str], how: str, notes: list[str]) -> pd.DataFrame:
    """Missing and infinite cells of the features replaced by the column's mean or median."""
    changed: dict[str, pd.Series] = {}
    total = 0
    for column in features:
        finite = is_there(frame[column])
        if finite.all():
            continue
        if not finite.any():
            raise ValueError(f"Column '{column}' has no finite value to fill its gaps with; leave it out.")
        # Infinite cells count as missing, in the mean as well.
        values = frame[column].astype(np.float64)
        good = values[finite]
        largest = float(good.abs().max()) or 1.0
        value = largest * float((good / largest).mean()) if how == "mean" else float(good.median())
        total += int((~finite).sum())
        changed[column] = values.where(finite, value)
    if not changed:
        return frame
    values_were = "value was" if total == 1 else "values were"
    notes.append(
        f"{listed(list(changed))}: {total} missing or infinite {values_were} filled with the column's {how}."
    )
    return frame.assign(**changed)


def complete_rows(used: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The rows in which every used cell is there and finite."""
    usable = np.ones(len(used), dtype=bool)
    worst, most = "", 0
    for column in names(used):
        good = is_there(used[column])
        usable &= good
        if (missing := int((~good).sum())) > most:
            worst, most = column, missing
    left_out = int((~usable).sum())
    if left_out == len(used):
        raise ValueError(
            f"No row is complete: column '{worst}' alone has {most} missing or infinite values in {left_out} "
            "rows; fill the gaps or remove such columns."
        )
    if not left_out:
        return used  # and no copy of what may be large
    had = "a missing or infinite value and was" if left_out == 1 else "missing or infinite values and were"
    notes.append(f"{left_out} of {len(used)} rows had {had} left out.")
    return used[usable]


def check_magnitude(X: FloatArray, columns: Sequence[str]) -> None:
    """Refuse numbers whose squares overflow.

    Raises
    ------
    ValueError
    """
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    for j in np.flatnonzero(largest > MAX_MAGNITUDE)[:1]:
        raise ValueError(
            f"Column '{columns[j]}' holds {largest[j]:.3g}, whose squared distances overflow; values must "
            f"stay within ±{MAX_MAGNITUDE:g}, so change the unit of the column."
        )


def note_repeats(X: FloatArray, columns: Sequence[str], notes: list[str]) -> None:
    """Tell which columns are constant, which repeat an earlier one, and how many rows do."""
    constant = [
        name for name, low, high in zip(columns, X.min(axis=0), X.max(axis=0), strict=True) if low == high
    ]
    if constant and len(X) > 1:
        notes.append(f"{listed(constant)} {'is' if len(constant) == 1 else 'are'} constant.")
    if len(X) > 1 and (twins := [k for k in repeated_rows(X.T) if columns[k] not in constant]):
        named = [columns[k] for k in twins]
        notes.append(f"{listed(named)} {'repeats' if len(named) == 1 else 'repeat'} an earlier column.")
    if repeats := len(repeated_rows(X)):
        notes.append(f"{repeats} of {len(X)} rows {'repeats' if repeats == 1 else 'repeat'} an earlier row.")


def repeated_rows(X: FloatArray) -> dict[int, int]:
    """Which rows equal an earlier row: from the index of each to that of the first of its kind.

    Rows with the same weighted sum of their bits are compared in full, so that one pass and no copy of the
    table are needed. Cost: n d operations and a sort of n numbers.
    """
    n, d = X.shape
    # Odd, so that no bit of a column is lost.
    drawn = np.random.default_rng(0).integers(0, 2**63, size=d, dtype=np.uint64)
    weights: NDArray[np.uint64] = np.asarray(drawn) * _TWO + _ONE
    sums = np.zeros(n, dtype=np.uint64)
    # In blocks that lie together in memory.
    if X.flags.c_contiguous:
        for rows in _blocks(n, d):
            sums[rows] = (_mixed(X[rows]) * weights).sum(axis=1, dtype=np.uint64)
    else:
        for columns in _blocks(d, n):
            sums += (_mixed(X[:, columns]) * weights[columns]).sum(axis=1, dtype=np.uint64)
    order = np.argsort(sums, kind="stable")
    same = np.flatnonzero(sums[order[1:]] == sums[order[:-1]]) + 1
    # The first row of each run of equal sums.
    first = np.arange(n)
    first[same] = 0
    first = np.maximum.accumulate(first)
    repeats: dict[int, int] = {}
    for part in _blocks(same.size, d):
        later, earlier = order[same[part]], order[first[same[part]]]
        equal = (X[later] == X[earlier]).all(axis=1)
        repeats.update(zip(later[equal].tolist(), earlier[equal].tolist(), strict=True))
    return dict(sorted(repeats.items()))


_ONE, _TWO = np.uint64(1), np.uint64(2)


def _blocks(length: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK_CELLS // max(1, width))
    return (slice(start, start + step) for start in range(0, length, step))


def _mixed(values: FloatArray) -> NDArray[np.uint64]:
    """The bits of numbers, spread: those of whole numbers differ in the upper ones alone."""
    bits: NDArray[np.uint64] = (values + 0.0).view(
        np.uint64
    )  # adding 0 makes -0 equal 0, as their values are
    bits = (bits ^ (bits >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))


def is_there(values: pd.Series) -> NDArray[np.bool_]:
    """Which cells hold a finite number or a text."""
    # numpy's own, for pandas takes ten times longer on each of many short columns.
    there: NDArray[np.bool_] = (
        np.isfinite(values.to_numpy()) if is_numeric(values) else values.notna().to_numpy(dtype=bool)
    )
    return there


def is_constant(values: pd.Series) -> bool:
    """Whether the cells that are there hold a single value."""
    there = is_there(values)
    if is_numeric(values):
        kept = values.to_numpy()[there]
        return not kept.size or bool(kept.min() == kept.max())
    return int(values[there].nunique()) <= 1


def names(frame: pd.DataFrame) -> list[str]:
    """The names of the columns."""
    return [str(column) for column in frame.columns]


def listed(columns: Sequence[str]) -> str:
    """A few columns by their names, and the number of the others."""
    shown = ", ".join(f"'{plain(name)}'" for name in columns[:5])
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    return f"{'Column' if len(columns) == 1 else f'{len(columns)} columns:'} {shown}{more}"


def was(columns: Sequence[str]) -> str:
    """The verb of a sentence about these columns."""
    return "was" if len(columns) == 1 else "were"
