"""The numbers of a study as tidy rows, and as CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nysviz.numerics.blocks import FloatArray
from nysviz.sweep import Record

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[str, object]

# The columns of tidy records; a page's own columns stand before the measure.
FIRST = ("data", "n", "d", "kernel", "sigma", "method", "options", "m", "repeat", "seed")
LAST = ("measure", "value", "seconds")
# A spreadsheet takes a cell that begins with one of these for a formula; names in a user's file may.
FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def measured(begin: Row, values: Mapping[str, object]) -> list[dict[str, object]]:
    """Return a row for each measure that has a value, all with the same beginning."""
    return [
        {**begin, "measure": measure, "value": value}
        for measure, value in values.items()
        if value is not None
    ]


def of_records(
    records: Iterable[Record], data: str, more: Callable[[Record], Row] = lambda record: {}
) -> list[dict[str, object]]:
    """Return a row for each measure of each run, in the order of ``tidy``, with ``data`` as the data's name.

    ``more`` gives the further columns of a record.
    """
    rows = []
    for r in sorted(records, key=lambda r: (str(r.kernel), r.method, str(r.options), r.m, r.repeat)):
        begin = {"data": data, "n": r.n, "d": r.d, "kernel": str(r.kernel)}
        begin |= {"sigma": getattr(r.kernel, "sigma", None), "method": r.method, "seconds": r.seconds}
        begin |= {"options": repr(dict(r.options)), "m": r.m, "repeat": r.repeat, "seed": r.seed, **more(r)}
        rows += measured(begin, dict(sorted(r.values.items())))
    return rows


def columns_of(rows: Iterable[Row]) -> list[str]:
    """Return the columns that some row has, in the order of tidy records."""
    used = dict.fromkeys(name for row in rows for name, value in row.items() if value is not None)
    other_columns = [name for name in used if name not in FIRST + LAST]
    return [name for name in (*FIRST, *other_columns, *LAST) if name in used]


def frame_of(rows: Sequence[Row]) -> "pd.DataFrame":
    """Return rows as a table; whole numbers stay whole where some are missing."""
    import pandas as pd

    columns = columns_of(rows)
    frame = pd.DataFrame(rows, columns=columns)
    whole = [name for name in columns if all(isinstance(row.get(name), int | None) for row in rows)]
    return frame.astype(dict.fromkeys(whole, "Int64"))


def table(rows: Sequence[Row]) -> str:
    """Write rows as CSV: numbers with all their digits, and no cell that a spreadsheet would run.

    The columns have the order of tidy records; those that are empty in all rows are left out.
    """
    columns = columns_of(rows)
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(_cell(name) for name in columns)
    lines.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return repr(float(value))
    # One kind of line end: a lone carriage return would be taken for the end of the row.
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(value, str) and (text.lstrip().startswith(FORMULA) or text.startswith(("\t", "\n"))):
        return f"'{text}"
    return text


def npy_file(values: FloatArray) -> bytes:
    """Return an array as NumPy's own file."""
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()
