"""What columns of numbers may stand for: numbers of the rows, codes, dates, codes for missing values."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload.table import Table, is_numeric, is_there, numeric_columns

# With fewer rows, different whole numbers say little.
LEAST_ROWS = 10
# A name that begins or ends with one of these is that of a number given to a row.
IDS = frozenset(("id", "ids", "uid", "idx", "rownames", "sampleid", "rowid", "objectid"))
# So is a name that ends with one of these, and one that consists of one of the others.
NUMBERS = frozenset(("no", "nr", "key"))
THINGS = frozenset(("index", "row", "sample", "case", "record"))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_NAMELESS = re.compile(r"column \d+|Unnamed: \d+")

# A code for a missing value stands so often; among few others, in this part of the cells of its column.
OFTEN, OFTEN_SHARE, FEW_OTHERS = 3, 0.01, 10
# So many codes stand together, such as 97, 98 and 99.
CODES_TOGETHER = 3
# Among few other values only a number such as 9, 99, 998, -9, -200 or -99.9 is taken for a code.
_CODE = re.compile(r"-?[789]+(\.9+)?|-[0-9]{2,}(\.[0-9]+)?")
# Cells that show that most columns have no code.
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
    numeric = [name for name in numeric_columns(frame) if name != target]
    enough = len(frame) >= LEAST_ROWS
    return tuple(name for name in numeric if enough and _numbers_rows(frame[name].to_numpy(), name))


def _numbers_rows(values: NDArray[Any], name: str) -> bool:
    if _NAMELESS.fullmatch(name):
        return counts_rows(values)
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words:
        return False
    first, last = words[0], words[-1]
    is_id = not IDS.isdisjoint((first, last)) or last in NUMBERS
    is_id |= first in IDS | NUMBERS | THINGS and {"number", "num", "code"}.issuperset(words[1:])
    # A measurement may be called refractive_index, worst_case or world_record.
    if not is_id and not (last in THINGS and counts_rows(values)):
        return False
    # Nor is NaN a whole number.
    return bool(np.all(np.floor(values) == values)) and len(np.unique(values)) == len(values)


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether the numbers count the rows, from 0 or 1 on."""
    low, high = float(values[0]), float(values[-1])
    return low in (0, 1) and high - low == len(values) - 1 and bool(np.all(np.diff(values) == 1))


def code_columns(table: Table, target: str | None) -> tuple[str, ...]:
    """Return the columns other than the target whose zeros in front make them codes, such as 00501.

    Where most columns have them they are a way to write numbers.
    """
    numeric = [name for name in numeric_columns(table.frame) if name != target]
    padded = tuple(name for name in numeric if name in table.padded)
    return padded if 2 * len(padded) <= len(numeric) else ()


def missing_codes(frame: pd.DataFrame, columns: Iterable[str]) -> dict[float, dict[str, int]]:
    """Return values that may stand for a missing one; by value, the columns that have it and how often.

    In one column at least such a value stands often, alone at the end, and as far from the others as these
    are from one another; at the end of other columns it counts as well.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers that are refused for their size
        values = {name: _finite(frame[name].to_numpy(dtype=np.float64)) for name in columns}
        codes = [code for column in values.values() for code in _far_values(column)]
    found: dict[float, dict[str, int]] = {code: {} for code in codes}
    for name, column in values.items() if found else ():
        others = column[~np.isin(column, list(found))]
        for code in found:
            if others.size == 0 or code > others.max() or code < others.min():
                count = int((column == code).sum())
                found[code] |= {name: count} if count else {}
    return found


def _finite(values: NDArray[Any]) -> NDArray[Any]:
    # The sum of a column is quick, and finite where all of it is.
    return values if np.isfinite(values.sum()) else values[np.isfinite(values)]


def _far_values(values: NDArray[Any]) -> list[float]:
    """Return the values of one column that stand often and far above or below all others."""
    found: list[float] = []
    for sign in (1, -1, 1):  # one far above may show only without those that are farther below
        if values.size == 0:
            break
        first, middle = values[:PROBE], 0.5 * values.max() + 0.5 * values.min()
        # Where there are codes, all others lie on the other side of the middle.
        if len(np.unique(first[sign * first > sign * middle])) <= CODES_TOGETHER:
            codes, others = _beyond_gap(values, sign)
            found += codes
            values = others if codes else values
    return found


def _beyond_gap(values: NDArray[Any], sign: int) -> tuple[list[float], NDArray[Any]]:
    """Return up to ``CODES_TOGETHER`` values beyond a gap as wide as the range of the others, and these."""
    codes, others = dict[float, int](), sign * values
    while len(codes) < CODES_TOGETHER and others.size:
        code, before = others.max(), others.size
        others = others[others < code]
        codes[float(sign * code)] = before - others.size
        if others.size and code - others.max() >= others.max() - others.min() > 0:
            others, counts = sign * others, codes.values()
            few = len(np.unique(others)) < FEW_OTHERS
            often = max(OFTEN, OFTEN_SHARE * values.size) if few else OFTEN
            strange = few and not all(_CODE.fullmatch(f"{code:.15g}") for code in codes)
            if 0 in codes or min(counts) < often or 2 * sum(counts) > values.size or strange:
                break
            return [*codes], others
    return [], values


def date_columns(frame: pd.DataFrame, target: str | None) -> dict[str, str]:
    """Return the columns other than the target that hold dates, and how these are written in each.

    Numbers are dates where all are such as 19991225; texts are so if the first of them are.
    """
    found = {}
    for name in map(str, frame.columns):
        if name != target and (written := date_format(frame[name])):
            found[name] = written
    return found


def date_format(column: pd.Series) -> str | None:
    """Return the way of ``DATE_FORMATS`` in which a column writes its dates; None where it has none."""
    if is_numeric(column):
        return "ISO8601" if all(_in_digits(part) for part in (column.iloc[:PROBE], column)) else None
    texts = column.iloc[:PROBE].dropna().unique()
    if not all(isinstance(text, str) and _DATE.match(text) for text in texts[:2]) or len(texts) < 2:
        return None
    dates = pd.Series(texts)
    return next((one for one in DATE_FORMATS if bool(_dates(dates, one).notna().all())), None)


def _in_digits(column: pd.Series) -> bool:
    """Whether all numbers are such as 19991225, and some differ."""
    values = column.to_numpy(dtype=np.float64)[is_there(column)]
    if values.size == 0:
        return False
    years, months, days = values // 10_000, values // 100 % 100, values % 100
    valid = (years >= FIRST_YEAR) & (years <= LAST_YEAR) & (months >= 1) & (months <= 12)
    valid &= (days >= 1) & (days <= 31) & (days % 1 == 0)
    return bool(valid.all() and values.min() < values.max())


def _dates(texts: pd.Series, written: str) -> pd.Series:
    return pd.to_datetime(texts, format=written, errors="coerce", utc=True)


def in_days(column: pd.Series, written: str) -> pd.Series:
    """Return dates as days since 1970-01-01, with the time as a part of a day; NaN where none is."""
    texts = column.map("{:.0f}".format, "ignore") if is_numeric(column) else column
    return (_dates(texts, written) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
