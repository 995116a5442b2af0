"""NumPy's NPY and NPZ, never pickled, and IDX: arrays whose header is checked before they are read."""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload.limits import UploadError, check_shape, check_unpacked
from nysviz.datasets.upload.table import Table, listed, named_numbers, plain, quoted, unique_names, was

NPY = b"\x93NUMPY"
MAX_MEMBERS = 100
MAX_HEADER = 10_000
IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
# Names under which points and labels are usually saved.
POINTS = ("x", "data", "fea", "features", "points", "images", "x_train")
LABELS = ("y", "gnd", "target", "targets", "label", "labels", "classes", "class", "y_train")
# Truth values, numbers and texts.
_COLUMNS = "biufUS"


def read_npy(content: bytes) -> Table:
    """One array of numbers: a row a point, further dimensions one after the other; or named fields."""
    return _as_table(_array(content), "a NumPy array")


def read_npz(content: bytes) -> Table:
    """The points and, if there, the labels of a NumPy archive, which is checked before it is unpacked."""
    if content.count(b"PK\x01\x02") > MAX_MEMBERS:  # one for each, counted before they are looked at
        raise UploadError(f"The file holds more than {MAX_MEMBERS} members; send the table alone.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        names = [plain(member.filename, 40) for member in members]
        if strange := [name for name in names or ["nothing"] if not name.endswith(".npy")]:
            raise UploadError(
                f"The file is a zip archive that holds '{strange[0]}' where only NumPy arrays are read; "
                "unpack it and send the table alone."
            )
        if "indptr.npy" in names:
            raise UploadError(
                "The file is a sparse matrix of SciPy; save it as a dense array with numpy.save."
            )
        check_unpacked(sum(member.file_size for member in members), "The archive")
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
            raise UploadError("The archive is packed in an unusual way; save it with numpy.savez_compressed.")
        arrays = {}
        for member in members:
            with archive.open(member) as file:
                arrays[plain(member.filename.removesuffix(".npy"))] = _array(file.read(member.file_size))
    return choose_arrays(arrays, "a NumPy archive")


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
    return replace(_as_table(_native(values), "an IDX file"), one_unit=True)


def _idx_header(content: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    sizes = (
        np.frombuffer(content[4 : 4 + 4 * content[3]], ">u4") if len(content) >= 4 + 4 * content[3] else [0]
    )
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
        raise UploadError(
            f"The file is {source} without a table of numbers (it holds {quoted(list(arrays)) or 'nothing'}); "
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
    table = _as_table(array, f"{source}, the array '{chosen}',")
    frame, texts, target = table.frame, table.texts, None
    named = [name for name in labels if name.casefold() in LABELS] or labels[: len(labels) == 1]
    if named:
        values = arrays[named[0]]
        if values.dtype.kind not in _COLUMNS:
            raise UploadError(
                f"The labels '{named[0]}' are neither numbers nor text; send them as one of these."
            )
        frame[named[0]] = _native(values.ravel())
        frame.columns = pd.Index(unique_names(list(frame.columns)))
        target = str(frame.columns[-1])
        texts |= {target} if frame[target].dtype == object else set()
    if left := [name for name in arrays if name not in (chosen, *named[:1])]:
        notes.append(f"The file also holds {quoted(left)}, left aside.")
    return Table(frame, (*table.notes, *notes), target=target, texts=texts)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the machine's byte order, texts as Python's."""
    if values.dtype.kind == "S":
        texts = values.tolist()
        try:
            return np.array([text.decode("utf-8") for text in texts], dtype=object)
        except UnicodeDecodeError:
            return np.array([text.decode("latin-1") for text in texts], dtype=object)
    if values.dtype.kind == "U":
        return values.astype(object)
    return values.astype(np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("="))


def _from_fields(array: NDArray[Any], source: str) -> Table:
    """Return named fields as columns, those of several values as a column each."""
    fields = {name: array[name].reshape(len(array), -1) for name in array.dtype.names or ()}
    left = [plain(name, 40) for name, values in fields.items() if values.dtype.kind not in _COLUMNS]
    kept = {name: values for name, values in fields.items() if values.dtype.kind in _COLUMNS}
    check_shape(len(array), sum(values.shape[1] for values in kept.values()))
    names, columns = [], []
    for name, values in kept.items():
        for j in range(values.shape[1]):
            names.append(name if array[name].ndim == 1 else f"{name} {j + 1}")
            columns.append(_native(values[:, j]))
    table = dict(zip(unique_names(names), columns, strict=True))
    notes = [f"Read as {source} with named fields."]
    notes += [f"{listed(left)} held neither numbers nor text and {was(left)} left out."] if left else []
    texts = frozenset(name for name, values in table.items() if values.dtype == object)
    return Table(pd.DataFrame(table), tuple(notes), texts=texts)


def _as_table(array: NDArray[Any], source: str) -> Table:
    if array.dtype.names and array.ndim == 1:
        return _from_fields(array, source)
    if array.dtype.kind not in "biuf" or array.ndim == 0:
        raise UploadError(
            f"The array holds values of type {plain(array.dtype, 40)} in {array.ndim} dimensions; send "
            "real numbers, one row a point."
        )
    shape = array.shape
    check_shape(shape[0], math.prod(shape[1:]))
    values = array.reshape(shape[0], -1)
    flat = " Each point's dimensions follow one another." if array.ndim > 2 else ""
    reading = f"Read as {source} of {' × '.join(map(str, shape))} values.{flat}"
    return Table(named_numbers(_native(values)), (reading,))


def _array(content: bytes) -> NDArray[Any]:
    """An NPY file whose header agrees with its size and asks for no pickled objects."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=MAX_HEADER)
    elif version in ((2, 0), (3, 0)):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(file, max_header_size=MAX_HEADER)
        if version == (3, 0) and dtype.names:  # the same header, but its text is UTF-8
            dtype.names = tuple(name.encode("latin-1").decode("utf-8") for name in dtype.names)
    else:
        raise UploadError(f"The NumPy file has version {version[0]}; save it again with numpy.save.")
    if dtype.hasobject:
        raise UploadError(
            "The NumPy file holds pickled Python objects, which could run any program and are never read; "
            "save an array of numbers."
        )
    if any(size < 0 for size in shape) or len(shape) > 8 or dtype.itemsize == 0:
        raise UploadError(f"The NumPy file announces the shape {plain(shape)}; save the array again.")
    needed, held = math.prod(shape) * dtype.itemsize, len(content) - file.tell()
    if needed != held:
        raise UploadError(
            f"The NumPy file announces {needed} bytes and holds {held}; it is cut off or damaged, so send it "
            "again."
        )
    array = np.frombuffer(content, dtype=dtype, offset=file.tell())
    return array.reshape(shape, order="F" if fortran else "C")
