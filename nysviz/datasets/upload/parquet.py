"""Parquet: read by pyarrow in a process of its own, for a few bytes can ask it for gigabytes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import listed
from nysviz.datasets.upload.limits import (
    FILE_COPIES,
    MAX_CELLS,
    MAX_UNPACKED,
    UploadError,
    check_limits,
    check_shape,
)
from nysviz.datasets.upload.own_process import read_apart
from nysviz.datasets.upload.table import Table, plain, unique_names

# Beyond, a float does not hold every whole number.
MAX_WHOLE = 2**53
# The mark and the first byte of a page: a column of text may be called PAR1.
PARQUET = b"PAR1\x15"
# The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_[0-9]++__")


def read_parquet(content: bytes) -> Table:
    """Columns of numbers, truth values and text; others and an index without a name are left out and told."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
    except ImportError as problem:
        raise UploadError("Parquet files need the package pyarrow, which is not here; send CSV.") from problem
    described, stream = read_apart(content, "Parquet file", _check, most_cells=MAX_CELLS)
    table = pa.ipc.open_stream(stream).read_all()
    names = [name for name in table.column_names if not _INDEX.fullmatch(name)] or table.column_names
    notes = []
    if index := [name for name in table.column_names if name not in names]:
        notes.append(f"The index of the table, '{index[0]}', was left out.")
    if left := [plain(name, 40) for name in described["left"]]:
        shown = ", ".join(f"'{name}'" for name in left[:5]) + (" …" if len(left) > 5 else "")
        notes.append(f"The columns {shown} hold neither numbers nor text and were left out.")
    frame = pd.DataFrame({name: _series(table[name], pa) for name in names})
    texts = [pa.types.is_dictionary(table[name].type) for name in names]
    whole = [name for name in names if pa.types.is_integer(table[name].type)]
    if rounded := [name for name in whole if frame[name].abs().max() > MAX_WHOLE]:
        notes.append(f"{listed(rounded)}: whole numbers beyond {MAX_WHOLE} were rounded.")
    frame.columns = pd.Index(unique_names(names))
    declared = frozenset(frame.columns[texts])
    return Table(frame, "Read as Parquet.", notes=tuple(notes), texts=declared)


def _check(described: dict[str, Any]) -> None:
    rows, columns, total = described["rows"], described["columns"], described["bytes"]
    check_limits(rows, columns)
    if not 0 <= total <= MAX_UNPACKED:
        raise UploadError(
            f"The Parquet file unpacks to {total / 1e6:.0f} MB where at most {MAX_UNPACKED / 1e6:.0f} MB are "
            "read; send a sample of its rows or fewer columns."
        )
    check_shape(rows, columns, beside=FILE_COPIES * total)
    if not described["kept"]:
        raise UploadError("The Parquet file has no column of numbers or text; send at least one.")
    every = [*described["kept"], *described["left"]]
    if len(set(every)) < len(every):
        raise UploadError("The Parquet file has two columns of the same name; name each column differently.")


def _series(column: Any, pa: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        values = column.to_pandas()
        lengths = np.array([len(text) for text in values.cat.categories] + [0])
        if (total := int(lengths[values.cat.codes].sum())) > MAX_UNPACKED:
            raise UploadError(
                f"A column of text of the Parquet file holds {total / 1e6:.0f} MB; leave that column out."
            )
        return values.astype(object)
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return column.to_pandas()
    return column.cast(pa.float64(), safe=False).to_pandas()
