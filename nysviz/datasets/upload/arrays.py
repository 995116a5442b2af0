"""Tables made of arrays, with the points and labels among several; and IDX."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, listed, named_numbers, plain, quoted, unique_names, was
from nysviz.refusal import Refusal

IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
# Names under which points and labels are usually saved.
POINTS = ("x", "data", "fea", "features", "points", "images", "x_train")
LABELS = ("y", "gnd", "target", "targets", "label", "labels", "classes", "class", "y_train")
# Truth values, numbers and texts.
_COLUMNS = "biufUS"


def is_idx(content: bytes) -> bool:
    """Whether the file begins as an IDX file does and has the size that its header says."""
    if len(content) < 8 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES or not 1 <= content[3] <= 4:
        return False
    shape, dtype = _idx_header(content)
    return len(content) == 4 + 4 * len(shape) + math.prod(shape) * dtype.itemsize


def idx_array(content: bytes) -> NDArray[Any]:
    """The array of an IDX file, which ``is_idx``."""
    shape, dtype = _idx_header(content)
    return np.frombuffer(content, dtype, offset=4 + 4 * len(shape)).reshape(shape)


def read_idx(content: bytes) -> Table:
    """Pictures or labels as the MNIST files hold them: a picture becomes a row, line by line."""
    values = idx_array(content)
    return replace(as_table(_native(values), "an IDX file"), one_unit=True)


def _idx_header(content: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    end = 4 + 4 * content[3]
    sizes = np.frombuffer(content[4:end], ">u4") if len(content) >= end else [0]
    return tuple(map(int, sizes)), np.dtype(IDX_TYPES[content[2]])


def choose_arrays(arrays: dict[str, NDArray[Any]], source: str, *, stacked: bool = False) -> Table:
    """Return points and labels among named arrays, by their names and shapes; notes name the others.

    The points of more than two dimensions follow the first one, or the last where the labels do, or where
    there are none and ``stacked``.
    """
    shapes = {name: array.shape for name, array in arrays.items()}
    tables = [name for name, shape in shapes.items() if len(shape) >= 2 and max(shape[1:]) > 1]
    points = [name for name in tables if name.casefold() in POINTS] or tables
    points = points or [name for name, shape in shapes.items() if shape and math.prod(shape) > 0]
    if not points:
        raise Refusal(
            f"The file is {source} without a table of numbers (it has {quoted(list(arrays)) or 'nothing'}); "
            "send one with an array of one row a point."
        )
    if points[0].casefold() not in POINTS:
        points.sort(key=lambda name: -math.prod(shapes[name]))  # stable: the first of equal size
    chosen = points[0]

    def columns_of(count: int) -> list[str]:
        return [
            name
            for name, shape in shapes.items()
            if name != chosen and math.prod(shape) == count and len(shape) <= 2 and count in shape
        ]

    labels, array, notes, images = columns_of(shapes[chosen][0]), arrays[chosen], [], False
    if not labels and array.ndim > 2:
        labels = columns_of(array.shape[-1])
        images = bool(labels) or stacked
    if images:
        notes.append(f"'{chosen}' was read as {array.shape[-1]} images along its last dimension.")
        array = np.moveaxis(array, -1, 0)
    table = as_table(array, f"{source}, the array '{chosen}',")
    frame, texts, target = table.frame, table.texts, None
    named = [name for name in labels if name.casefold() in LABELS] or labels[: len(labels) == 1]
    if named:
        values = arrays[named[0]]
        if values.dtype.kind not in _COLUMNS:
            raise Refusal(f"The labels '{named[0]}' are neither numbers nor text; send them as one of these.")
        frame[named[0]] = column = _native(values.ravel())
        frame.columns = pd.Index(unique_names(list(frame.columns)))
        target = str(frame.columns[-1])
        texts |= {target} if column.dtype == object else set()
    if left := [name for name in arrays if name not in (chosen, *named[:1])]:
        notes.append(f"The file also holds {quoted(left)}, left aside.")
    return Table(frame, (*table.notes, *notes), target=target, texts=texts)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the machine's byte order, texts as Python's."""
    if values.dtype.kind == "S":
        try:
            return np.char.decode(values, "utf-8").astype(object)
        except UnicodeDecodeError:
            return np.char.decode(values, "latin-1").astype(object)
    if values.dtype.kind == "U":
        return values.astype(object)
    return values.astype(np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("="))


def from_fields(fields: dict[str, NDArray[Any]]) -> Table:
    """Return the named fields of an array as columns, those of several values as a column each."""
    left = [name for name, values in fields.items() if values.dtype.kind not in _COLUMNS]
    kept = {name: values for name, values in fields.items() if name not in left}
    rows = len(next(iter(fields.values())))
    limits.check_shape(rows, sum(math.prod(values.shape[1:]) for values in kept.values()))
    names, columns = [], []
    for name, values in kept.items():
        for j, column in enumerate(values.reshape(rows, -1).T):
            names.append(name if values.ndim == 1 else f"{name} {j + 1}")
            columns.append(_native(column))
    table = dict(zip(unique_names(names), columns, strict=True))
    notes = ["Read as a NumPy array with named fields."]
    notes += [f"{listed(left)} held neither numbers nor text and {was(left)} left out."] if left else []
    texts = frozenset(name for name, values in table.items() if values.dtype == object)
    return Table(pd.DataFrame(table), tuple(notes), texts=texts)


def as_table(array: NDArray[Any], source: str) -> Table:
    """Return an array as a table: a row a point, its further dimensions one after the other."""
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise Refusal(
            f"The array holds values of type {plain(array.dtype, 40)} in {array.ndim} dimensions; send "
            "real numbers, one row a point."
        )
    shape = array.shape
    limits.check_shape(shape[0], math.prod(shape[1:]))
    values = array.reshape(shape[0], -1)
    flat = " Each point's dimensions follow one another." if array.ndim > 2 else ""
    reading = f"Read as {source} of {' × '.join(map(str, shape))} values.{flat}"
    return Table(named_numbers(_native(values)), (reading,))
