"""Parquet: shape and sizes are checked in the metadata, then columns of numbers and text are read."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd

from nysviz.datasets.table import Table, plain, unique_names
from nysviz.datasets.upload_limits import FILE_COPIES, MAX_UNPACKED, UploadError, check_limits, check_shape

# The mark and the first byte of a page: a column of text may be called PAR1.
PARQUET = b"PAR1\x15"
# Room for the file's own description, whose sizes could lie.
MAX_DESCRIPTION = 10_000_000


def read_parquet(content: bytes) -> Table:
    """Columns of numbers, truth values and text; others are told and left out."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError as problem:
        raise UploadError("Parquet files need the package pyarrow, which is not here; send CSV.") from problem
    file = parquet.ParquetFile(
        io.BytesIO(content),
        thrift_string_size_limit=MAX_DESCRIPTION,
        thrift_container_size_limit=MAX_DESCRIPTION,
    )
    _check(file.metadata)
    schema = file.schema_arrow
    kept = [field for field in schema if _is_plain(field.type, pa.types)]
    if not kept:
        raise UploadError("The Parquet file has no column of numbers or text; send at least one.")
    texts = [field.name for field in kept if _is_text(field.type, pa.types)]
    # As dictionaries, texts that repeat take no more room here than in the file.
    file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts)
    names = [field.name for field in kept]
    if len(set(schema.names)) < len(schema.names):
        raise UploadError("The Parquet file has two columns of the same name; name each column differently.")
    table = file.read(columns=names, use_threads=False, use_pandas_metadata=False)
    columns = {}
    for name, column in zip(names, table.columns, strict=True):
        columns[name] = _series(column, pa)
    frame = pd.DataFrame(columns)
    frame.columns = pd.Index(unique_names([str(name) for name in names]))
    left = [plain(field.name, 40) for field in schema if field not in kept]
    notes: tuple[str, ...] = ()
    if left:
        shown = ", ".join(f"'{name}'" for name in left[:5]) + (" …" if len(left) > 5 else "")
        notes = (f"The columns {shown} hold neither numbers nor text and were left out.",)
    return Table(frame, "Read as Parquet.", notes=notes)


def _check(metadata: Any) -> None:
    check_limits(metadata.num_rows, metadata.num_columns)
    total = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if not 0 <= total <= MAX_UNPACKED:
        raise UploadError(
            f"The Parquet file unpacks to {total / 1e6:.0f} MB where at most {MAX_UNPACKED / 1e6:.0f} MB are "
            "read; send a sample of its rows or fewer columns."
        )
    check_shape(metadata.num_rows, metadata.num_columns, beside=FILE_COPIES * total)


def _is_text(kind: Any, types: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_plain(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return bool(number or types.is_boolean(kind) or types.is_null(kind) or _is_text(kind, types))


def _series(column: Any, pa: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        values = column.to_pandas()
        lengths = np.array([len(str(text)) for text in values.cat.categories] + [0])
        if (total := int(lengths[values.cat.codes].sum())) > MAX_UNPACKED:
            raise UploadError(
                f"A column of text of the Parquet file holds {total / 1e6:.0f} MB; leave that column out."
            )
        values = values.astype(object)
        return values if values.map(type).isin([str, float, type(None)]).all() else pd.to_numeric(values)
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return column.to_pandas()
    return column.cast(pa.float64()).to_pandas()
