"""Read Parquet, NumPy, MATLAB or a workbook in a process of its own, which ends alone if it crashes.

Run by its path; imports nothing of the package, whose start takes seconds. Standard input is a line of JSON
with the format and the limits, then the file. Standard output is a line of JSON that describes the file, then
its table: Parquet's columns of numbers and text as an Arrow stream; a sheet as CSV; arrays one after the
other, line by line.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from typing import Any

# Room for the file's own description, whose sizes could lie.
MAX_DESCRIPTION = 10_000_000


def parquet(memory: int, most_cells: int, most_bytes: int) -> None:
    """Describe the file and, unless it has too many cells or too much text, write its columns."""
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    _limit(memory)
    limits = {"thrift_string_size_limit": MAX_DESCRIPTION, "thrift_container_size_limit": MAX_DESCRIPTION}
    file = parquet.ParquetFile(pa.BufferReader(pa.py_buffer(sys.stdin.buffer.read())), **limits)
    schema, metadata = file.schema_arrow, file.metadata
    kept = [field.name for field in schema if _is_plain(field.type, pa)]
    described = {
        "rows": metadata.num_rows,
        "columns": metadata.num_columns,
        "bytes": sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups)),
        "kept": kept,
        "left": [field.name for field in schema if field.name not in kept],
        "text": 0,
    }
    if metadata.num_rows * metadata.num_columns > most_cells:
        _described(described)
        return
    columns = [_without_categories(one, pa) for one in file.read(columns=kept, use_threads=False).columns]
    described["text"] = sum(column.nbytes for column in columns if _is_text(column.type, pa))
    out = _described(described)
    if described["text"] <= most_bytes:
        table = pa.table(columns, names=kept)
        with pa.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)


def workbook(memory: int, most_cells: int, most_bytes: int, asked: str | None) -> None:
    """Describe the workbook and write a sheet: the one asked for by name, else the first of two rows or more.

    A formula counts by the value stored beside it; a merged cell has its value at its upper left.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    _limit(memory)
    book = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    kind, shown = SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible
    sheets = [sheet.name for sheet in book.sheets_metadata if sheet.typ == kind and sheet.visible == shown]
    name, text, rows, columns = "", "", 0, 0
    for name in sheets if asked is None else [asked] if asked in sheets else []:
        sheet = book.get_sheet_by_name(name)
        rows, columns = sheet.height, sheet.width
        if rows * columns > most_cells:
            break
        text = _csv(sheet, most_bytes)
        rows = text.count("\n")
        if rows > 1:
            break
    out = _described({"sheets": sheets, "sheet": name, "rows": rows, "columns": columns, "bytes": len(text)})
    if len(text) <= most_bytes:
        out.write(text.encode())


def numpy(memory: int, most_bytes: int) -> None:
    """Describe the arrays of an NPY or NPZ file and, unless they are too large, write them."""
    import zipfile

    import numpy as np

    _limit(memory)
    content = sys.stdin.buffer.read()
    if not content.startswith(b"PK"):
        _write_arrays([], {"": _npy(content, np)})
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(info.filename.removesuffix(".npy"), info) for info in archive.infolist()]
        sizes = [(name, (0,), info.file_size, False) for name, info in members]
        fits = sum(info.file_size for _, info in members) <= most_bytes
        _write_arrays(sizes, {name: _npy(archive.read(info), np) for name, info in members} if fits else {})


def _npy(content: bytes, np: Any) -> Any:
    """The array of an NPY file, which is never unpickled."""
    file = io.BytesIO(content)
    array = np.load(file, allow_pickle=False)
    if not isinstance(array, np.ndarray) or file.read(1):
        raise ValueError("no array, or more bytes than its header says")
    return array


def matlab(memory: int, most_bytes: int) -> None:
    """Describe the numeric variables of a MATLAB file and, unless they are too large, write them."""
    import warnings

    import numpy as np
    from scipy import sparse
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadWarning

    _limit(memory)
    warnings.simplefilter("error", MatReadWarning)  # two variables of the same name
    file = io.BytesIO(sys.stdin.buffer.read())
    widths = {f"{sign}int{8 * width}": width for width in (1, 2, 4, 8) for sign in ("", "u")}
    widths |= {"logical": 1, "single": 4, "double": 8, "sparse": 8}
    listed = whosmat(file)
    sizes = [
        (name, shape, widths[kind] * math.prod(shape), kind == "sparse")
        for name, shape, kind in listed
        if kind in widths
    ]
    arrays = {}
    if sizes and sum(size for _, _, size, _ in sizes) <= min(memory, 2 * most_bytes):
        held = loadmat(file, variable_names=[name for name, *_ in sizes], spmatrix=False)
        for name, *_ in sizes:
            values = held[name]
            if sparse.issparse(values):
                values = sparse.csc_array(values)
                values.check_format(full_check=True)
                if (np.diff(values.indptr) < 0).any():
                    raise ValueError("the starts of its columns fall")
                values = values.toarray()
            if values.dtype.kind in "biuf":
                arrays[name] = values
    _write_arrays(sizes, arrays, len(listed) - (len(arrays) or len(sizes)))


def _write_arrays(sizes: list[Any], arrays: dict[str, Any], others: int = 0) -> None:
    """Write what is said of arrays, their shapes and types, and their values line by line."""
    listed = [(name, values.shape, values.dtype.str) for name, values in arrays.items()]
    out = _described({"sizes": sizes, "others": others, "arrays": listed})
    for values in arrays.values():
        out.write(values.tobytes())


def _csv(sheet: Any, most_bytes: int) -> str:
    """The rows that hold anything."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in sheet.iter_rows():
        if out.tell() > most_bytes:
            break
        if any(cell != "" for cell in row):
            writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A cell as text of one line; whole numbers, which a workbook keeps as floats too, without a point."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return " ".join(value.split()) if isinstance(value, str) else value


def _described(description: dict[str, Any]) -> Any:
    sys.stdout.buffer.write(json.dumps(description).encode() + b"\n")
    return sys.stdout.buffer


def _limit(memory: int) -> None:
    """Let this process take so many bytes beside those that it has."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            held = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return  # Windows and macOS have no such limit
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))


def _is_text(kind: Any, pa: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_plain(kind: Any, pa: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return bool(number or pa.types.is_boolean(kind) or pa.types.is_null(kind) or _is_text(kind, pa))


def _without_categories(column: Any, pa: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.readline())
    readers: dict[str, Any] = {
        "workbook": workbook,
        "Parquet file": parquet,
        "NumPy file": numpy,
        "MATLAB file": matlab,
    }
    readers[request.pop("kind")](**request)
