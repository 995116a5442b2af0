"""Read Parquet, NumPy, MATLAB or a workbook in a process of its own, which ends alone if it crashes.

Run by its path; imports nothing of the package, whose start takes seconds. Standard input is a line of JSON
with the format and the limits, then the file. Standard output is a line of JSON that describes the file, then
its table unless that is beyond the limits: Parquet's columns of numbers and text as an Arrow stream; a sheet
as CSV; arrays one after the other, line by line.
"""

import csv
import io
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

# Room for the file's own description, whose sizes could lie.
MAX_DESCRIPTION = 10_000_000


class UnreadError(Exception):
    """Raised with the name of a problem for an intact file that is not read."""


def parquet(memory: int, most_cells: int, most_bytes: int) -> None:
    """Write the columns: numbers as floats, text without categories."""
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import compute, parquet, types

    _limit(memory)
    thrift = {"thrift_string_size_limit": MAX_DESCRIPTION, "thrift_container_size_limit": MAX_DESCRIPTION}
    file = parquet.ParquetFile(pa.BufferReader(pa.py_buffer(sys.stdin.buffer.read())), **thrift)
    rows, columns = file.metadata.num_rows, file.metadata.num_columns
    size = sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))
    names, written_columns, rounded, text_bytes = [], [], [], 0
    if rows * columns <= most_cells and size <= most_bytes:
        kinds = {field.name: field.type for field in file.schema_arrow}
        kinds = {name: kind.value_type if types.is_dictionary(kind) else kind for name, kind in kinds.items()}
        is_text = (types.is_string, types.is_large_string, types.is_string_view)
        is_number = (types.is_integer, types.is_floating, types.is_decimal)
        is_read = (*is_text, *is_number, types.is_boolean, types.is_null)
        names = [name for name, kind in kinds.items() if any(predicate(kind) for predicate in is_read)]
        for name, column in zip(names, file.read(columns=names, use_threads=False).columns, strict=True):
            values = column.cast(kinds[name])
            if any(predicate(kinds[name]) for predicate in is_number):
                values = values.cast(pa.float64(), safe=False)
                # Beyond, a float does not hold every whole number.
                largest = compute.max(compute.abs(values)).as_py() or 0
                rounded += [name] if types.is_integer(kinds[name]) and largest > 2**53 else []
            elif any(predicate(kinds[name]) for predicate in is_text):
                try:
                    values.validate(full=True)
                except pa.ArrowInvalid as error:
                    raise UnreadError("not UTF-8") from error
                text_bytes += values.nbytes
            written_columns.append(values)
    skipped_names = [name for name in file.schema_arrow.names if name not in names]
    size = max(size, text_bytes)
    description = {"rows": rows, "columns": columns, "bytes": size, "left": skipped_names, "rounded": rounded}
    out = _write_description(description)
    if written_columns and text_bytes <= most_bytes:
        table = pa.table(written_columns, names=names)
        with pa.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)


def workbook(memory: int, most_cells: int, most_bytes: int, sheet_name: str | None) -> None:
    """Write a sheet: the named one, else the first visible one of two rows or more.

    A formula counts by the value stored beside it; a merged cell has its value at its upper left.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    _limit(memory)
    book = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    kind, visibility = SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible
    sheets = [
        sheet.name for sheet in book.sheets_metadata if sheet.typ == kind and sheet.visible == visibility
    ]
    name, text, rows, columns = "", "", 0, 0
    for name in sheets if sheet_name is None else [sheet_name] if sheet_name in sheets else []:
        sheet = book.get_sheet_by_name(name)
        rows, columns = sheet.height, sheet.width
        if rows < 2 and sheet_name is None and name != sheets[-1]:
            continue  # without the million rows above a cell that stands alone
        if rows * columns > most_cells:
            break
        text = _csv(sheet, most_bytes)
        rows = text.count("\n")
        if rows > 1:
            break
    description = {"sheets": sheets, "sheet": name, "rows": rows, "columns": columns, "bytes": len(text)}
    out = _write_description(description)
    if len(text) <= most_bytes:
        out.write(text.encode())


def _csv(sheet: Any, most_bytes: int) -> str:
    """Return the rows that are not empty as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in sheet.iter_rows():
        if out.tell() > most_bytes:
            break
        if any(cell != "" for cell in row):
            writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a cell as one line of text; whole numbers, stored as floats, without a point."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return " ".join(value.split()) if isinstance(value, str) else value


def numpy(memory: int, most_bytes: int) -> None:
    """Write the arrays of an NPY or NPZ file."""
    import zipfile

    import numpy as np

    _limit(memory)
    content = sys.stdin.buffer.read()
    if not content.startswith(b"PK"):
        _write_arrays({"": _npy(content, np)}, 0)
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(info.file_size for info in archive.infolist())
        names = archive.namelist() if size <= most_bytes else []
        if names and not any(name.endswith(".npy") for name in names):
            raise UnreadError("archive")
        _write_arrays({name.removesuffix(".npy"): _npy(archive.read(name), np) for name in names}, size)


def _npy(content: bytes, np: Any) -> Any:
    """Return the array of an NPY file, which is never unpickled."""
    file = io.BytesIO(content)
    try:
        array = np.load(file, allow_pickle=False)
    except ValueError as error:
        # In numpy's words, which are the same for a pickle and for an array of objects.
        raise UnreadError("pickled") if "allow_pickle=False" in str(error) else error from error
    if not isinstance(array, np.ndarray) or file.read(1):
        raise ValueError("no array, or more bytes than its header says")
    return array


def matlab(memory: int, most_bytes: int) -> None:
    """Write the numeric variables of a MATLAB file, sparse ones with their zeros."""
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
    sizes = {name: widths[kind] * math.prod(shape) for name, shape, kind in listed if kind in widths}
    arrays, size = {}, sum(sizes.values())
    # With no names loadmat reads all.
    variables = (
        loadmat(file, variable_names=list(sizes), spmatrix=False) if sizes and size <= most_bytes else {}
    )
    for name, values in variables.items():
        if sparse.issparse(values):
            columns = sparse.csc_array(values)
            columns.check_format(full_check=True)
            if (np.diff(columns.indptr) < 0).any():
                raise ValueError("the starts of its columns fall")
            values = columns.toarray()
        if name in sizes and values.dtype.kind in "biuf":
            arrays[name] = values
    _write_arrays(arrays, size, [f"{name} ({kind})" for name, _, kind in listed if name not in arrays])


def _write_arrays(arrays: dict[str, Any], size: int, skipped_variables: Sequence[str] = ()) -> None:
    """Write the shapes and types of arrays, then their values one array after the other."""
    listed = [(name, values.shape, values.dtype.str) for name, values in arrays.items()]
    out = _write_description({"bytes": size, "others": skipped_variables, "arrays": listed})
    for values in arrays.values():
        out.write(values.tobytes())


def _problem(error: Exception) -> str:
    """Name why a file was not read."""
    if isinstance(error, MemoryError):
        return "memory"
    if type(error).__name__ == "PasswordError":
        return "password"
    if isinstance(error, UnreadError):
        return str(error)
    return "damaged"


def _write_description(description: dict[str, Any]) -> Any:
    sys.stdout.buffer.write(json.dumps(description).encode() + b"\n")
    return sys.stdout.buffer


def _limit(memory: int) -> None:
    """Limit the memory of this process to ``memory`` bytes more than it has."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            used_bytes = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return  # Windows and macOS have no such limit
    resource.setrlimit(resource.RLIMIT_AS, (used_bytes + memory, used_bytes + memory))


if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.readline())
    kind = request.pop("kind").partition(" ")[0].casefold()
    readers: dict[str, Any] = {"workbook": workbook, "parquet": parquet, "numpy": numpy, "matlab": matlab}
    try:
        readers[kind](**request)
    except Exception as error:  # the parsers raise a dozen types
        _write_description({"problem": _problem(error)})
