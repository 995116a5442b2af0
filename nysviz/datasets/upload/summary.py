"""Summary of a user's file before anything is changed, for the dialog that asks about it."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload import cleaning, limits
from nysviz.datasets.upload.meaning import Numbers, date_columns, filled_cells, missing_codes
from nysviz.datasets.upload.numbers import is_number
from nysviz.datasets.upload.square import holds_distances, holds_similarities
from nysviz.datasets.upload.table import Table, is_numeric, is_there, numeric_columns, short, text_columns

Scaling: TypeAlias = Literal["standardise", "unit box"] | None
# Features whose ranges differ by more than this: the widest alone would decide all distances.
RANGE_RATIO = 100.0
# Numbers that are described together.
CELLS_AT_ONCE = 50_000


@dataclass(frozen=True)
class Summary:
    """A file as read: its columns, what looks unusual, and what is suggested. Nothing is left out yet.

    Attributes
    ----------
    columns
        A row for each column: its ``kind``, which is "numbers", "whole numbers" or "text", the cells that are
        ``missing`` or infinite, the ``distinct`` others, ``low`` and ``high`` of numbers, and as an
        ``example`` the first text that is no number.
    target, target_reason
        The guessed target, and the end of the sentence that says why.
    left_out
        Columns of numbers that are better left out, and why.
    codes
        Values that may stand for a missing one: by value, the columns that have it and how often.
    dates
        Columns that hold dates.
    distances, similarities
        Whether the numbers that are not left out look like distances, or similarities, of all pairs of rows.
    range_ratio
        The widest range of a feature over the narrowest; scaling is suggested beyond ``RANGE_RATIO``.
    """

    table: Table
    columns: pd.DataFrame
    target: str | None
    target_reason: str
    left_out: dict[str, str]
    codes: dict[float, dict[str, int]]
    dates: tuple[str, ...]
    distances: bool
    similarities: bool
    range_ratio: float

    @property
    def scaling(self) -> Scaling:
        """The suggested scaling."""
        return "standardise" if self.range_ratio > RANGE_RATIO else None

    def looks_like_classes(self, column: str) -> bool | None:
        """Whether the numbers of a column look like classes; None where it cannot have any."""
        values = self.table.frame[column]
        return cleaning.looks_like_classes(values[is_there(values)]) if is_numeric(values) else None

    @property
    def texts(self) -> list[str]:
        """The columns of text with few enough different values for a column of 0 and 1 each."""
        few = (self.columns["kind"] == "text") & self.columns["distinct"].between(1, cleaning.MAX_CATEGORIES)
        return self.columns.index[few].tolist()


@limits.bounded()
def summarise(table: Table) -> Summary:
    """Describe every column and suggest target and scaling."""
    limits.check_table(table.nbytes)
    frame = table.frame
    target, reason = cleaning.guess_target(table)
    left_out = cleaning.suggested_out(table, target)
    features = [name for name in numeric_columns(frame) if name not in {target, *left_out}]
    descriptions = _describe_numeric_columns(frame)
    descriptions |= {name: _describe_text(frame[name]) for name in text_columns(frame)}
    columns = pd.DataFrame([descriptions[str(name)] for name in frame], index=frame.columns)
    ranges = (columns["high"] - columns["low"])[features]
    numbers = frame[features].to_numpy(dtype=np.float64)
    positive = ranges[(ranges > 0) & (ranges < np.inf)]
    ratio = float(positive.max() / positive.min()) if len(positive) else 1.0
    return Summary(
        table,
        columns,
        target,
        reason,
        left_out,
        missing_codes(Numbers.from_frame(frame, cleaning.find_value_columns(frame, features, target))),
        tuple(date_columns(frame, target)),
        holds_distances(numbers),
        table.is_similarities or holds_similarities(numbers),
        ratio,
    )


def _describe_numeric_columns(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Describe the columns of numbers, many short ones at once because numpy is slow to begin with each."""
    names, kinds = numeric_columns(frame), frame.dtypes
    size = max(1, CELLS_AT_ONCE // len(frame))
    descriptions: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(kinds[names]):
        alike = [name for name in names if kinds[name] == kind]
        for start in range(0, len(alike), size):
            limits.seconds_left()
            block = alike[start : start + size]
            descriptions |= zip(block, _describe_numbers(frame[block].to_numpy().T), strict=True)
    return descriptions


def _describe_numbers(values: NDArray[Any]) -> list[dict[str, Any]]:
    """Describe numbers of one kind, a column in each row."""
    finite = np.isfinite(values)
    whole = ((np.floor(values) == values) | ~finite).all(axis=1)
    if not finite.all():
        values = np.where(finite, values, np.nan)
    values = np.sort(values, axis=1)  # NaN behind all others
    counts = finite.sum(axis=1)
    steps = (values[:, 1:] != values[:, :-1]) & (np.arange(1, values.shape[1]) < counts[:, None])
    return [
        {
            "missing": len(row) - count,
            "low": float(row[0]) if count else np.nan,
            "high": float(row[count - 1]) if count else np.nan,
            "kind": "whole numbers" if is_whole else "numbers",
            "distinct": changes + 1 if count else 0,
            "example": None,
        }
        for row, count, is_whole, changes in zip(
            values, counts.tolist(), whole.tolist(), steps.sum(axis=1).tolist(), strict=True
        )
    ]


def _describe_text(values: pd.Series) -> dict[str, Any]:
    limits.seconds_left()
    cells = filled_cells(values)
    distinct = pd.unique(cells)
    return {
        "missing": len(values) - cells.size,
        "low": np.nan,
        "high": np.nan,
        "kind": "text",
        "distinct": len(distinct),
        "example": short(next((cell for cell in distinct if not is_number(str(cell))), distinct[0])),
    }
