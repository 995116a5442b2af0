"""What columns of numbers may stand for: numbers of the rows, codes, dates, codes for missing values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload.table import Table, is_numeric, numeric_columns, text_columns
from nysviz.numerics.blocks import FloatArray

# Fewest rows in which different whole numbers suggest that they number the rows.
LEAST_ROWS = 10
# A name that begins or ends with one of these is that of a number given to a row.
IDS = frozenset(("id", "ids", "uid", "idx", "rownames", "sampleid", "rowid", "objectid"))
# So is a name that ends with one of these, and one that consists of one of the others.
NUMBERS = frozenset(("no", "nr", "key"))
THINGS = frozenset(("index", "row", "sample", "case", "record"))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_NAMELESS = re.compile(r"column \d+|Unnamed: \d+")

# Fewest cells with a code for a missing value; among few other values, its smallest share of the column.
OFTEN, OFTEN_SHARE, FEW_OTHERS = 3, 0.01, 10
# Most codes that stand together, such as 97, 98 and 99.
CODES_TOGETHER = 3
# Among few other values only a number such as 9, 99, 998, -9, -200 or -99.9 is taken for a code.
_CODE = re.compile(r"-?[789]+(\.9+)?|-[0-9]{2,}(\.[0-9]+)?")
# Number of cells that suffice to show that most columns have no code.
PROBE = 1000

# Ways to write a date, and their names in a sentence; years have four digits unless it says otherwise.
DATE_FORMATS = {
    "ISO8601": "year-month-day",
    "%d.%m.%Y": "day.month.year",
    "%m/%d/%Y": "month/day/year",
    "%d/%m/%Y": "day/month/year",
    "%Y/%m/%d": "year/month/day",
    "%d-%m-%Y": "day-month-year",
    "%d.%m.%y": "day.month.year of two digits",
    "%m/%d/%y": "month/day/year of two digits",
    "%d/%m/%y": "day/month/year of two digits",
    "%d %b %Y": "day month year",
    "%d-%b-%Y": "day-month-year",
    "%d-%b-%y": "day-month-year of two digits",
    "%b %d, %Y": "month day, year",
}
_DATE = re.compile(r"\d{1,4}([-/. ])(\d{1,2}|[A-Za-z]{3})\1\d{1,4}(?!\d)|[A-Za-z]{3} \d{1,2}, \d{4}")
# Dates in digits, such as 19991225, of these years.
FIRST_YEAR, LAST_YEAR = 1700, 2200


def numbering_columns(frame: pd.DataFrame, target: str | None) -> tuple[str, ...]:
    """Return the columns other than the target that look like numbers given to the rows.

    Such a column holds whole numbers, each once, and is called so ("id", "sample_no", "PassengerId"), or has
    no name and counts on by one from 0 or 1.
    """
    if len(frame) < LEAST_ROWS:
        return ()
    return tuple(name for name in numeric_columns(frame) if name != target and _numbers_rows(frame, name))


def _numbers_rows(frame: pd.DataFrame, name: str) -> bool:
    if _NAMELESS.fullmatch(name):
        return counts_rows(frame[name].to_numpy())
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words:
        return False
    first, last = words[0], words[-1]
    is_id = not IDS.isdisjoint((first, last)) or last in NUMBERS
    is_id |= first in IDS | NUMBERS | THINGS and {"number", "num", "code"}.issuperset(words[1:])
    if not is_id and last not in THINGS:
        return False
    values = frame[name].to_numpy()
    # A measurement may be called refractive_index, worst_case or world_record.
    if not is_id and not counts_rows(values):
        return False
    # Nor is NaN a whole number.
    return bool(np.all(np.floor(values) == values)) and len(np.unique(values)) == len(values)


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether the numbers count the rows, from 0 or 1 on."""
    first, last = float(values[0]), float(values[-1])
    return first in (0, 1) and last - first == len(values) - 1 and bool(np.all(np.diff(values) == 1))


def code_columns(table: Table, target: str | None) -> tuple[str, ...]:
    """Return the columns other than the target whose zeros in front make them codes, such as 00501.

    Where most columns have them they are a way to write numbers.
    """
    numeric = [name for name in numeric_columns(table.frame) if name != target]
    padded = tuple(name for name in numeric if name in table.padded)
    return padded if 2 * len(padded) <= len(numeric) else ()


@dataclass(frozen=True)
class Numbers:
    """Columns of numbers (n, d) with their names, and the smallest and largest finite number of each.

    A column without finite numbers has inf and -inf.
    """

    values: FloatArray
    names: Sequence[str]
    finite: NDArray[np.bool_]
    low: FloatArray
    high: FloatArray

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, names: Sequence[str]) -> Self:
        """Return these columns of a table."""
        values = frame[list(names)].to_numpy(dtype=np.float64)
        finite = np.isfinite(values)
        if finite.all():
            return cls(values, names, finite, values.min(axis=0), values.max(axis=0))
        low = values.min(axis=0, where=finite, initial=np.inf)
        return cls(values, names, finite, low, values.max(axis=0, where=finite, initial=-np.inf))

    def finite_column(self, j: int) -> FloatArray:
        """Return the finite numbers of a column."""
        column, finite = self.values[:, j], self.finite[:, j]
        return column if finite.all() else column[finite]


def missing_codes(numbers: Numbers) -> dict[float, dict[str, int]]:
    """Return the values that may stand for a missing one, each with its columns and its counts there.

    In one column at least such a value stands often, alone at the end, and as far from the others as these
    are from one another; at the end of other columns it counts as well.
    """
    low, high = numbers.low, numbers.high
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers that are refused for their size
        first, middle = numbers.values[:PROBE], 0.5 * low + 0.5 * high
        # Where there are codes, all others lie on the other side of the middle.
        likely = (low < high) & (_few_beyond(first, middle) | _few_beyond(-first, -middle))
        codes = [code for j in np.flatnonzero(likely) for code in _far_values(numbers.finite_column(int(j)))]
    counts_by_code: dict[float, dict[str, int]] = {code: {} for code in codes}
    for j in np.flatnonzero(np.isin(low, codes) | np.isin(high, codes)).tolist():
        column = numbers.finite_column(j)
        other_values = column[~np.isin(column, codes)]
        for code in counts_by_code:
            if other_values.size == 0 or code > other_values.max() or code < other_values.min():
                count = int((column == code).sum())
                counts_by_code[code] |= {numbers.names[j]: count} if count else {}
    return counts_by_code


def _few_beyond(first: FloatArray, middle: FloatArray) -> NDArray[np.bool_]:
    """Whether at most ``CODES_TOGETHER`` different numbers of each column are above the middle."""
    lower_values = np.where(np.isfinite(first), first, -np.inf)
    for _ in range(CODES_TOGETHER):
        lower_values = np.where(lower_values < lower_values.max(axis=0), lower_values, -np.inf)
    few: NDArray[np.bool_] = lower_values.max(axis=0) <= middle
    return few


def _far_values(values: FloatArray) -> list[float]:
    """Return the values of one column that stand often and far above or below all others."""
    far_codes: list[float] = []
    at_ends = [np.count_nonzero(values == end) for end in (values.min(), values.max())]
    if max(at_ends) < OFTEN or sum(at_ends) == len(values):
        return far_codes  # as in columns of 0 and 1, which are many
    for sign in (1, -1, 1):  # one far above may show only without those that are farther below
        codes, values = _beyond_gap(values, sign)
        far_codes += codes
    return far_codes


def _beyond_gap(values: NDArray[Any], sign: int) -> tuple[list[float], NDArray[Any]]:
    """Return up to ``CODES_TOGETHER`` values beyond a gap as wide as the range of the others, and these."""
    codes, other_values = dict[float, int](), sign * values
    while len(codes) < CODES_TOGETHER and other_values.size:
        code, before = other_values.max(), other_values.size
        other_values = other_values[other_values < code]
        codes[float(sign * code)] = before - other_values.size
        if other_values.size and code - other_values.max() >= other_values.max() - other_values.min() > 0:
            other_values, counts = sign * other_values, codes.values()
            if 0 in codes or min(counts) < OFTEN or 2 * sum(counts) > values.size:
                break
            if len(np.unique(other_values)) < FEW_OTHERS:
                strange = not all(_CODE.fullmatch(f"{code:.15g}") for code in codes)
                if strange or min(counts) < OFTEN_SHARE * values.size:
                    break
            return [*codes], other_values
    return [], values


def dates_in_digits(numbers: Numbers) -> list[int]:
    """Return the indices of the columns of dates such as 19991225 that are not all the same."""
    low, high = numbers.low, numbers.high
    likely = (low >= 10_000 * FIRST_YEAR) & (high < 10_000 * (LAST_YEAR + 1)) & (low < high)
    return [j for j in np.flatnonzero(likely).tolist() if _are_dates(numbers.finite_column(j))]


def _are_dates(values: FloatArray) -> bool:
    months, days = values // 100 % 100, values % 100
    valid = (months >= 1) & (months <= 12) & (days >= 1) & (days <= 31) & (days % 1 == 0)
    return bool(valid.all())


def date_columns(frame: pd.DataFrame, target: str | None) -> dict[str, str]:
    """Return the columns other than the target that hold dates, each with its key of ``DATE_FORMATS``.

    Numbers are dates where all are such as 19991225; texts are dates if the first of them are.
    """
    numeric = numeric_columns(frame)
    # All columns of numbers at once: there may be thousands.
    in_digits = (
        {numeric[j] for j in dates_in_digits(Numbers.from_frame(frame, numeric))} if numeric else set()
    )
    formats: dict[str, str | None] = dict.fromkeys(in_digits, "ISO8601")
    formats |= {name: date_format(frame[name]) for name in text_columns(frame)}
    names = map(str, frame)
    return {name: pattern for name in names if name != target and (pattern := formats.get(name))}


def date_format(column: pd.Series) -> str | None:
    """Return the key of ``DATE_FORMATS`` for the dates of a column; None where it has no dates."""
    if is_numeric(column):
        return "ISO8601" if dates_in_digits(Numbers.from_frame(column.to_frame("date"), ["date"])) else None
    texts = pd.unique(filled_cells(column.iloc[:PROBE])).tolist()
    if not all(isinstance(text, str) and _DATE.match(text) for text in texts[:2]) or len(texts) < 2:
        return None
    dates = pd.Series(texts)
    return next((pattern for pattern in DATE_FORMATS if bool(_dates(dates, pattern).notna().all())), None)


def filled_cells(column: pd.Series) -> NDArray[Any]:
    """Return the cells of a column of text that are not missing."""
    cells = column.to_numpy()  # pandas takes ten times longer on each of many short columns
    return cells[pd.notna(cells)]


def _dates(texts: pd.Series, pattern: str) -> pd.Series:
    return pd.to_datetime(texts, format=pattern, errors="coerce", utc=True)


def in_days(column: pd.Series, pattern: str) -> pd.Series:
    """Return dates as days since 1970-01-01, with the time as a fraction of a day; NaN for a missing date."""
    texts = column.map("{:.0f}".format, "ignore") if is_numeric(column) else column
    return (_dates(texts, pattern) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
