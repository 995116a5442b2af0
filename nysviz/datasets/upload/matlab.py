"""MATLAB files of version 5: their numeric variables, every size checked before it is believed.

SciPy's reader is not used here: a damaged type code makes it end the whole process, and with it the sessions
of all users. Only arrays of numbers are read; cells, structures and objects, which may nest, are passed over.
The format is MathWorks' "MAT-File Format", level 5.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nysviz.datasets.upload.arrays import choose_arrays
from nysviz.datasets.upload.limits import MAX_UNPACKED, READ_COPIES, UploadError, check_shape
from nysviz.datasets.upload.table import Table, plain

HDF = b"\x89HDF"
_HEADER = 128
MAX_VARIABLES = 1_000
_MATRIX, _COMPRESSED = 14, 15
# Types of stored values by their codes.
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_SPARSE = 5
_NUMERIC = frozenset(range(6, 16))
_COMPLEX = 0x0800
_DAMAGED = "The MATLAB file is cut off or damaged; send it again."


class _Element(NamedTuple):
    kind: int
    body: memoryview


def read_mat(content: bytes) -> Table:
    """The points and, if there, the labels among the variables of a MATLAB file."""
    if content.startswith((HDF, b"MATLAB 7.3")):
        raise UploadError(
            "The file is HDF5, as MATLAB's version 7.3 writes it, which is not read; save it with "
            "save('file.mat', '-v7') and send that."
        )
    order = {b"IM": "<", b"MI": ">"}.get(content[126:_HEADER])
    if order is None:
        raise UploadError(_DAMAGED)
    arrays: dict[str, NDArray[Any]] = {}
    others = 0
    for matrix in _matrices(content, order):
        name, array = _variable(matrix, order, sum(array.nbytes for array in arrays.values()))
        if name in arrays:
            raise UploadError("The MATLAB file holds two variables of the same name; save it again.")
        if array is None:
            others += 1
        else:
            arrays[name] = array
    table = choose_arrays(arrays, "a MATLAB file", stacked=True)
    if not others:
        return table
    note = f"{others} {'variable' if others == 1 else 'variables'} without real numbers left aside."
    return replace(table, notes=(*table.notes, note))


def _elements(body: memoryview, order: str, padded: bool = True) -> Iterator[_Element]:
    """The elements that follow one another; a short one has its length and kind in a single word."""
    at = 0
    while at + 8 <= len(body):
        kind, size = struct.unpack_from(f"{order}II", body, at)
        start, step = at + 8, 8 + size + (-size % 8 if padded else 0)
        if padded and kind >> 16:
            kind, size, start, step = kind & 0xFFFF, kind >> 16, at + 4, 8
            if size > 4:
                raise UploadError(_DAMAGED)
        if start + size > len(body):
            raise UploadError(_DAMAGED)
        yield _Element(kind, body[start : start + size])
        at += step


def _matrices(content: bytes, order: str) -> Iterator[memoryview]:
    """The variables one by one, unpacked where they are packed, all together below the ceiling."""
    total = 0
    for count, element in enumerate(_elements(memoryview(content)[_HEADER:], order, padded=False)):
        if count >= MAX_VARIABLES:
            raise UploadError(f"The MATLAB file holds more than {MAX_VARIABLES} variables; save fewer.")
        body = element.body
        if element.kind == _COMPRESSED:
            body = memoryview(zlib.decompressobj().decompress(body, MAX_UNPACKED + 1 - total))
        total += len(body)
        if total > MAX_UNPACKED:
            raise UploadError(
                f"The MATLAB file unpacks to more than the {MAX_UNPACKED / 1e6:.0f} MB that are read; send a "
                "sample of its rows or fewer columns."
            )
        if element.kind == _COMPRESSED:
            inner = next(_elements(body, order, padded=False), None)
            if inner is None:
                raise UploadError(_DAMAGED)
            element, body = inner, inner.body
        if element.kind == _MATRIX:
            yield body


def _variable(matrix: memoryview, order: str, held: int) -> tuple[str, NDArray[Any] | None]:
    """Name and numbers of a variable, read beside ``held`` bytes; None where it holds something else."""
    elements = _elements(matrix, order)
    flags = _numbers(next(elements), order)
    shape = tuple(int(size) for size in _numbers(next(elements), order))
    name = plain(bytes(next(elements).body).decode("latin-1"))
    kind = int(flags[0]) & 0xFF
    if int(flags[0]) & _COMPLEX or kind not in (_SPARSE, *_NUMERIC):
        return name, None
    if len(shape) < 2 or min(shape) < 0:
        raise UploadError(_DAMAGED)
    if kind == _SPARSE:
        return name, _dense(shape, [_numbers(next(elements), order) for _ in range(3)], held)
    values = _numbers(next(elements), order)
    if values.size != math.prod(shape):
        raise UploadError(_DAMAGED)
    return name, values.reshape(shape, order="F")


def _numbers(element: _Element, order: str) -> NDArray[Any]:
    if element.kind not in _TYPES:
        raise UploadError(_DAMAGED)
    values = np.frombuffer(element.body, dtype=np.dtype(order + _TYPES[element.kind]))
    return values.astype(values.dtype.newbyteorder("="))


def _dense(shape: tuple[int, ...], parts: list[NDArray[Any]], held: int) -> NDArray[Any]:
    """Return a sparse variable with all its zeros; every start of a column and every row is checked first."""
    rows, starts, values = parts
    if len(shape) != 2:
        raise UploadError(_DAMAGED)
    check_shape(
        *shape, "send fewer columns, for a sparse table is read with all its zeros", beside=READ_COPIES * held
    )
    counts = starts[1:].astype(np.int64) - starts[:-1].astype(np.int64)
    if starts.size != shape[1] + 1 or starts[0] != 0 or (counts < 0).any():
        raise UploadError(_DAMAGED)
    used = int(starts[-1])
    if used > min(rows.size, values.size) or not ((rows[:used] >= 0) & (rows[:used] < shape[0])).all():
        raise UploadError(_DAMAGED)
    dense = np.zeros(shape)
    # A cell that is stored twice is the sum, as MATLAB and SciPy have it.
    np.add.at(dense, (rows[:used].astype(np.int64), np.repeat(np.arange(shape[1]), counts)), values[:used])
    return dense
