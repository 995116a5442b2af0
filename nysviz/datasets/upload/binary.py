"""Parquet, NumPy, MATLAB and workbooks: read in a process of their own, with the memory free for it.

A few bytes can ask their parsers for gigabytes, or crash them: then that process alone ends.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.arrays import as_table, choose_arrays
from nysviz.datasets.upload.table import Table, listed, plain, quoted, unique_names
from nysviz.datasets.upload.text import read_text
from nysviz.refusal import Refusal
from nysviz.text import counted

# Bytes that the process may take beside its start, and the seconds that it may run.
LEAST_MEMORY, MOST_MEMORY, SECONDS = 64_000_000, 600_000_000, 60
_CHILD = Path(__file__).with_name("child.py")
# One thread, and an allocator that reserves no memory in advance.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}

# The mark and the first byte of a page: a column of text may be called PAR1.
PARQUET = b"PAR1\x15"
HDF, MATLAB, NPY = b"\x89HDF", b"MATLAB 5.0", b"\x93NUMPY"
# The mark of the container of xls files, and of xlsx files with a password.
XLS = b"\xd0\xcf\x11\xe0"
# Beyond, a float does not hold every whole number.
MAX_WHOLE = 2**53
MAX_ARRAYS = 1_000
# The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_[0-9]++__")


def read_apart(
    content: bytes, kind: str, check: Callable[[dict[str, Any]], None], **options: object
) -> tuple[dict[str, Any], bytes]:
    """Return what the process says of a file, and its table as bytes.

    ``check`` refuses what is said of the file; it is called first, for a file that is too large has no table.
    """
    memory = int(min(max(limits.free_for_reading(), LEAST_MEMORY), MOST_MEMORY))
    request = json.dumps({"kind": kind, "memory": memory, **options})
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_CHILD)],
            input=request.encode() + b"\n" + content,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise Refusal(f"Reading the {kind} takes more than {SECONDS} s; send the table as CSV.") from problem
    line, ended, table = done.stdout.partition(b"\n")
    described: dict[str, Any] = json.loads(line) if ended else {}
    if described:
        check(described)
    if done.returncode:
        raise Refusal(
            f"The {kind} is damaged, cut off or locked by a password, holds pickled objects, which are never "
            f"read, or unpacks to more than the {memory / 1e6:.0f} MB of memory that are free now; save it "
            "again, or send the table as CSV."
        )
    return described, table


def is_workbook(content: bytes) -> bool:
    """Whether the file is a workbook of Excel or OpenDocument rather than another archive."""
    members = (b"[Content_Types].xml", b"content.xml")
    return content.startswith(XLS) or (
        content.startswith(b"PK") and any(member in content for member in members)
    )


def read_workbook(content: bytes, header: bool | None = None, sheet: str | None = None) -> Table:
    """A sheet, read as the CSV saved from it; without a name, the first shown that has two rows or more."""
    most = {"most_cells": limits.MAX_CELLS, "most_bytes": limits.MAX_UNPACKED}
    check = partial(_check_workbook, asked=sheet)
    described, text = read_apart(content, "workbook", check, asked=sheet, **most)
    table = read_text(text, header, "utf-8", ",")
    name, sheets = described["sheet"], described["sheets"]
    others = f" of {len(sheets)}" if len(sheets) > 1 else ""
    reading = f"Read from the sheet '{plain(name, 40)}'{others}."
    return replace(
        table,
        notes=(reading, *table.notes[1:]),
        encoding=None,
        sheets=(name, *(one for one in sheets if one != name)),
    )


def _check_workbook(described: dict[str, Any], asked: str | None) -> None:
    sheets, rows, columns = described["sheets"], described["rows"], described["columns"]
    if asked is not None and asked not in sheets:
        raise Refusal(f"The workbook has no sheet '{plain(asked, 40)}'; name one of {quoted(sheets)}.")
    if not rows * columns:
        raise Refusal("The workbook has no sheet with a table; send one with at least one row of numbers.")
    limits.check_limits(rows, columns)
    limits.check_unpacked(described["bytes"], "The sheet")


def read_arrays(content: bytes) -> Table:
    """The points and, if there, the labels among the arrays of NumPy (never pickled) or MATLAB 5."""
    if content.startswith((HDF, b"MATLAB 7.3")):
        raise Refusal(
            "The file is HDF5, as MATLAB's version 7.3 writes it, which is not read; save it with "
            "save('file.mat', '-v7') and send that."
        )
    kind = "MATLAB file" if content.startswith(MATLAB) else "NumPy file"
    check = partial(_check_arrays, kind=kind)
    described, values = read_apart(content, kind, check, most_bytes=limits.MAX_UNPACKED)
    arrays, at = {}, 0
    for name, shape, dtype in described["arrays"]:
        arrays[plain(name)] = np.frombuffer(values, dtype, math.prod(shape), at).reshape(shape)
        at += math.prod(shape) * np.dtype(dtype).itemsize
    if content.startswith(NPY):
        return as_table(arrays[""], "a NumPy array")
    table = choose_arrays(arrays, f"a {kind}", stacked=kind == "MATLAB file")
    if not (others := described["others"]):
        return table
    note = f"{counted(others, 'variable')} without real numbers left aside."
    return replace(table, notes=(*table.notes, note))


def _check_arrays(described: dict[str, Any], kind: str) -> None:
    names = [name for name, *_ in described["sizes"]]
    if len(names) > MAX_ARRAYS or len(set(names)) < len(names):
        raise Refusal(f"The {kind} holds more than {MAX_ARRAYS} arrays, or two of the same name.")
    if "indptr" in names:
        raise Refusal("The file is a sparse matrix of SciPy; save it as a dense array with numpy.save.")
    held = unpacked = 0
    for _, (rows, *columns), size, is_sparse in described["sizes"]:
        if is_sparse:
            remedy = "send fewer columns, for a sparse table is read with all its zeros"
            limits.check_shape(rows, math.prod(columns), remedy, beside=limits.READ_COPIES * held)
        else:
            unpacked += size
        held += size
    limits.check_unpacked(unpacked, f"The {kind}")


def read_parquet(content: bytes) -> Table:
    """Columns of numbers, truth values and text; others and an index without a name are left out and told."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
    except ImportError as problem:
        raise Refusal("Parquet files need the package pyarrow, which is not here; send CSV.") from problem
    most = {"most_cells": limits.MAX_CELLS, "most_bytes": limits.MAX_UNPACKED}
    described, stream = read_apart(content, "Parquet file", _check_parquet, **most)
    table = pa.ipc.open_stream(stream).read_all()
    names = [name for name in table.column_names if not _INDEX.fullmatch(name)] or table.column_names
    notes = ["Read as Parquet."]
    if index := [name for name in table.column_names if name not in names]:
        notes.append(f"The index of the table, '{index[0]}', was left out.")
    if left := described["left"]:
        notes.append(f"The columns {quoted(left)} hold neither numbers nor text and were left out.")
    frame = pd.DataFrame({name: _series(table[name], pa) for name in names})
    texts = [isinstance(dtype, pd.StringDtype) for dtype in frame.dtypes]
    whole = [name for name in names if pa.types.is_integer(table[name].type)]
    if rounded := [name for name in whole if frame[name].abs().max() > MAX_WHOLE]:
        notes.append(f"{listed(rounded)}: whole numbers beyond {MAX_WHOLE} were rounded.")
    frame.columns = pd.Index(unique_names(names))
    return Table(frame, tuple(notes), texts=frozenset(frame.columns[texts]))


def _check_parquet(described: dict[str, Any]) -> None:
    rows, columns, total = described["rows"], described["columns"], described["bytes"]
    limits.check_limits(rows, columns)
    limits.check_unpacked(total, "The Parquet file")
    limits.check_unpacked(described["text"], "The text of the Parquet file")
    limits.check_shape(rows, columns, beside=limits.FILE_COPIES * total)
    if not described["kept"]:
        raise Refusal("The Parquet file has no column of numbers or text; send at least one.")
    every = [*described["kept"], *described["left"]]
    if len(set(every)) < len(every):
        raise Refusal("The Parquet file has two columns of the same name; name each column differently.")


def _series(column: Any, pa: Any) -> Any:
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return (column.cast(pa.float64(), safe=False) if number else column).to_pandas()
