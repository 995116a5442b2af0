"""Parquet, NumPy, MATLAB and workbooks: read in a process of their own, with the memory free for it.

A few bytes can ask their parsers for gigabytes, or crash them: then that process alone ends.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, named_numbers, plain, quoted, text_columns, unique_names
from nysviz.datasets.upload.text import read_text
from nysviz.refusal import Refusal
from nysviz.text import counted

# Bytes that the process may take beside its start.
LEAST_MEMORY, MOST_MEMORY = 64_000_000, 600_000_000
CHILD = Path(__file__).with_name("child.py")
# One thread, and an allocator that reserves no memory in advance.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}

# What the process says where it has no table.
_PROBLEMS = {
    "password": "The {kind} is locked by a password or damaged; save it again without a password.",
    "pickled": "The {kind} holds pickled objects, which are never read; save its numbers as floats.",
    "memory": "The {kind} unpacks to more than the {megabytes} MB of memory that are free now; "
    "send a sample of its rows.",
    "not UTF-8": "A text of the {kind} is not UTF-8; write its texts as UTF-8, or send the table as CSV.",
    "archive": "The file is a ZIP archive without an array of NumPy; unpack it and send the table alone.",
    "damaged": "The {kind} is damaged or cut off; save it again, or send the table as CSV.",
    "crash": "The {kind} is damaged, or unpacks to more than the {megabytes} MB of memory that are free now; "
    "save it again, or send a sample of its rows as CSV.",
}

# The mark and the first byte of a page: a column of text may be called PAR1.
PARQUET = b"PAR1\x15"
HDF, MATLAB, NPY = b"\x89HDF", b"MATLAB 5.0", b"\x93NUMPY"
# The mark of the container of xls files, and of xlsx files with a password.
XLS = b"\xd0\xcf\x11\xe0"
# The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_[0-9]++__")
# Names under which points and labels are usually saved.
POINTS = ("x", "data", "fea", "features", "points", "images", "x_train")
LABELS = ("y", "gnd", "target", "targets", "label", "labels", "classes", "class", "y_train")


def _read_apart(content: bytes, kind: str, **options: object) -> tuple[dict[str, Any], bytes]:
    """Return the process's description of a file and its table as bytes; refuse one beyond the limits."""
    memory = int(min(max(limits.free_for_reading(), LEAST_MEMORY), MOST_MEMORY))
    request = {"kind": kind, "memory": memory, "most_bytes": limits.MAX_UNPACKED, **options}
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(CHILD)],
            input=json.dumps(request).encode() + b"\n" + content,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            timeout=limits.seconds_left(),
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise Refusal(
            f"Reading the {kind} takes more than the {limits.SECONDS:.0f} s that a file may take; send its "
            "table as CSV."
        ) from problem
    line, _, table = done.stdout.partition(b"\n")
    facts: dict[str, Any] = {"problem": "crash"} if done.returncode else json.loads(line)
    if reason := facts.get("problem"):
        if reason in ("memory", "crash"):
            limits.check_small()
        # A workbook with a password is an old container that cannot be read.
        reason = "password" if reason == "damaged" and content.startswith(XLS) else reason
        raise Refusal(_PROBLEMS[reason].format(kind=kind, megabytes=memory // 10**6))
    limits.check_unpacked(facts["bytes"], f"The {kind}")
    if facts.get("rows"):
        limits.check_shape(facts["rows"], max(facts["columns"], 1))
    return facts, table


def is_workbook(content: bytes) -> bool:
    """Whether the file is a workbook of Excel or OpenDocument rather than another archive."""
    members = (b"[Content_Types].xml", b"content.xml")
    return content.startswith(XLS) or (
        content.startswith(b"PK") and any(member in content for member in members)
    )


def read_workbook(
    content: bytes, header: bool | None = None, sheet: str | None = None, first_line: int | None = None
) -> Table:
    """Read a sheet as the CSV saved from it; without a name, the first visible one of two rows or more."""
    facts, text = _read_apart(content, "workbook", sheet_name=sheet, most_cells=limits.MAX_CELLS)
    name, sheets = facts["sheet"], facts["sheets"]
    if sheet not in (None, *sheets):
        raise Refusal(f"The workbook has no sheet '{plain(sheet, 40)}'; name one of {quoted(sheets)}.")
    if not text:
        raise Refusal("The workbook has no sheet with a table; send one with at least one row of numbers.")
    table = read_text(text, header, "utf-8", ",", first_line)
    sheet_count = f" of {len(sheets)}" if len(sheets) > 1 else ""
    return replace(
        table,
        notes=(f"Read from the sheet '{plain(name, 40)}'{sheet_count}.", *table.notes[1:]),
        encoding=None,
        sheets=(name, *(sheet_name for sheet_name in sheets if sheet_name != name)),
    )


def read_parquet(content: bytes) -> Table:
    """Read columns of numbers, truth values and text; notes name the other columns, which are left out."""
    import pyarrow as pa  # type: ignore[import-untyped]

    facts, stream = _read_apart(content, "Parquet file", most_cells=limits.MAX_CELLS)
    if not stream:
        raise Refusal("The Parquet file has no column of numbers or text; send at least one.")
    limits.check_shape(facts["rows"], facts["columns"], beside=limits.FILE_COPIES * facts["bytes"])
    frame: pd.DataFrame = pa.ipc.open_stream(stream).read_all().to_pandas()
    notes = ["Read as Parquet."]
    index = [name for name in frame.columns if _INDEX.fullmatch(name)]
    if 0 < len(index) < frame.shape[1]:
        frame = frame.drop(columns=index)
        notes.append(f"The index of the table, '{index[0]}', was left out.")
    if columns := facts["left"]:
        notes.append(f"The columns {quoted(columns)} hold neither numbers nor text and were left out.")
    if rounded := facts["rounded"]:
        notes.append(f"In {quoted(rounded)} whole numbers beyond {2**53} were rounded.")
    frame.columns = pd.Index(unique_names(list(frame.columns)))
    texts = [name for name in frame.columns if isinstance(frame[name].dtype, pd.StringDtype)]
    return Table(frame, tuple(notes), texts=frozenset(texts))


def read_arrays(content: bytes, turn: bool = False) -> Table:
    """Read the points and any labels from the arrays of NumPy (never pickled) or MATLAB 5.

    ``turn`` takes the points of a two-dimensional array from its columns.
    """
    if content.startswith((HDF, b"MATLAB 7.3")):
        raise Refusal(
            "The file is HDF5, as MATLAB's version 7.3 writes it, which is not read; save it with "
            "save('file.mat', '-v7') and send that."
        )
    kind = "MATLAB file" if content.startswith(MATLAB) else "NumPy file"
    facts, values = _read_apart(content, kind)
    arrays, at = {}, 0
    for name, shape, dtype in facts["arrays"]:
        arrays[plain(name)] = np.frombuffer(values, dtype, math.prod(shape), at).reshape(shape)
        at += math.prod(shape) * np.dtype(dtype).itemsize
    if content.startswith(NPY):
        return _as_table(arrays[""].T if turn else arrays[""], "a NumPy array")
    skipped_variables = facts["others"]
    table = _choose_arrays(arrays, kind, skipped_variables, turn)
    if not skipped_variables:
        return table
    note = f"{counted(len(skipped_variables), 'variable')} without real numbers left aside."
    return replace(table, notes=(*table.notes, note))


def _choose_arrays(
    arrays: dict[str, NDArray[Any]], kind: str, skipped_variables: Sequence[str] = (), turn: bool = False
) -> Table:
    """Return the points and labels among named arrays, by name and shape; notes name the unused arrays.

    The points of more than two dimensions follow the first one, or the last where the labels do, or where
    there are none in a MATLAB file.
    """
    if "indptr" in arrays:
        raise Refusal("The file is a sparse matrix of SciPy; save it as a dense array with numpy.save.")
    tables = [name for name, array in arrays.items() if array.ndim > 1 and max(array.shape[1:]) > 1]
    tables = tables or [name for name, array in arrays.items() if array.ndim and array.size]
    if not tables:
        raise Refusal(
            f"The {kind} has no table of numbers ({quoted([*arrays, *skipped_variables]) or 'nothing'}); "
            "send one with an array of one row a point."
        )
    largest = max(tables, key=lambda name: arrays[name].size)
    chosen = next((name for name in tables if name.casefold() in POINTS), largest)
    points, notes = arrays[chosen].T if turn else arrays[chosen], []

    def labels_of(count: int) -> list[str]:
        candidates = []
        for name, array in arrays.items():
            if name != chosen and array.ndim in (1, 2) and array.dtype.kind in "biufUS":
                candidates += [name] if array.size == max(array.shape) == count else []
        return [name for name in candidates if name.casefold() in LABELS] or candidates[
            : len(candidates) == 1
        ]

    labels = labels_of(len(points))
    if points.ndim > 2 and not labels and ((labels := labels_of(points.shape[-1])) or kind == "MATLAB file"):
        notes.append(f"'{chosen}' was read as {points.shape[-1]} images along its last dimension.")
        points = np.moveaxis(points, -1, 0)
    elif points.ndim == 2 and not labels and (across := labels_of(points.shape[1])):
        notes.append(
            f"'{across[0]}' has a value for each of the {points.shape[1]} columns of '{chosen}': if the "
            "columns are the points, say that each point is a column (in Python turn=True)."
        )
    table = _as_table(points, f"a {kind}, the array '{chosen}',")
    frame, target, texts = table.frame, None, frozenset[str]()
    for name in labels[:1]:
        frame[name] = _to_native(arrays[name].ravel())
        frame.columns = pd.Index(unique_names(list(frame.columns)))
        target, texts = str(frame.columns[-1]), frozenset(text_columns(frame))
    if unused_arrays := [name for name in arrays if name not in (chosen, *labels[:1])]:
        notes.append(f"The file also holds {quoted(unused_arrays)}, left aside.")
    return Table(frame, (*table.notes, *notes), target=target, texts=texts)


def _to_native(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the machine's byte order, texts as Python's."""
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8", "replace").astype(object)
    if values.dtype.kind == "U":
        return values.astype(object)
    return values.astype(np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("="))


def _as_table(array: NDArray[Any], source: str) -> Table:
    """Return an array as a table: a row a point, its further dimensions one after the other."""
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise Refusal(
            f"The array holds values of type {plain(array.dtype, 40)} in {array.ndim} dimensions; send "
            "real numbers, one row a point."
        )
    shape = array.shape
    limits.check_shape(shape[0], math.prod(shape[1:]))
    flat = " Each point's dimensions follow one another." if array.ndim > 2 else ""
    reading = f"Read as {source} of {' × '.join(map(str, shape))} values.{flat}"
    return Table(named_numbers(_to_native(array.reshape(shape[0], -1))), (reading,))
