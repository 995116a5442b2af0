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

from nysviz.datasets.upload.cleaning import listed, was
from nysviz.datasets.upload.limits import MAX_UNPACKED, UploadError, check_shape
from nysviz.datasets.upload.table import Table, named_numbers, plain, unique_names

NPY = b"\x93NUMPY"
MAX_MEMBERS = 100
MAX_HEADER = 10_000
IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
# Names under which points and labels are usually saved.
POINTS = ("x", "data", "fea", "features", "points", "images", "x_train")
LABELS = ("y", "gnd", "target", "targets", "label", "labels", "classes", "class", "y_train")


def read_npy(content: bytes) -> Table:
    """One array of numbers: a row a point, further dimensions one after the other; or named fields."""
    return _as_table(_array(content))


def read_npz(content: bytes) -> Table:
    """The points and, if there, the labels of a NumPy archive."""
    arrays: dict[str, NDArray[Any]] = {}
    if content.count(b"PK\x01\x02") > MAX_MEMBERS:  # one for each, counted before they are looked at
        raise UploadError(f"The file holds more than {MAX_MEMBERS} members; send the table alone.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        _check_members(members)
        for member in members:
            with archive.open(member) as file:
                arrays[plain(member.filename.removesuffix(".npy"))] = _array(file.read(member.file_size))
    return choose_arrays(arrays, "a NumPy archive")


def is_idx(content: bytes) -> bool:
    """Whether the file begins as an IDX file does and has the size that its header says."""
    if len(content) < 8 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES or not 1 <= content[3] <= 4:
        return False
    shape = _idx_shape(content)
    items = math.prod(shape) * np.dtype(IDX_TYPES[content[2]]).itemsize
    return len(content) == 4 + 4 * len(shape) + items


def read_idx(content: bytes) -> Table:
    """Pictures or labels as the MNIST files hold them: a picture becomes a row, line by line."""
    shape = _idx_shape(content)
    check_shape(shape[0], math.prod(shape[1:]))
    values = np.frombuffer(content, IDX_TYPES[content[2]], offset=4 + 4 * len(shape)).reshape(shape)
    table = _as_table(values.astype(values.dtype.newbyteorder("=")))
    return replace(table, reading=table.reading.replace("a NumPy array", "an IDX file"), one_unit=True)


def choose_arrays(arrays: dict[str, NDArray[Any]], source: str, *, stacked: bool = False) -> Table:
    """Return points and labels among named arrays, by their names and shapes; notes name the others.

    The points of more than two dimensions follow the first one, or the last where the labels do, or where
    there are none and ``stacked``.
    """
    shapes = {name: array.shape for name, array in arrays.items()}
    seen = ", ".join(
        f"'{name}' {' × '.join(map(str, shape)) or 'a number'}" for name, shape in list(shapes.items())[:6]
    )
    tables = [name for name, shape in shapes.items() if len(shape) >= 2 and max(shape[1:]) > 1]
    points = [name for name in tables if name.casefold() in POINTS] or tables
    if not points:
        points = [name for name, shape in shapes.items() if len(shape) >= 1 and math.prod(shape) > 0]
    if not points:
        raise UploadError(
            f"The file is {source} without a table of numbers (it holds {seen or 'nothing'}); send one with "
            "an array of one row a point."
        )
    if len(points) > 1 and points[0].casefold() not in POINTS:
        points.sort(key=lambda name: -math.prod(shapes[name]))  # stable: the first of equal size
    chosen = points[0]
    n, images = shapes[chosen][0], False
    labels = [name for name, shape in shapes.items() if name != chosen and _is_column(shape, n)]
    if not labels and len(shapes[chosen]) > 2:
        n = shapes[chosen][-1]
        labels = [name for name, shape in shapes.items() if name != chosen and _is_column(shape, n)]
        images = bool(labels) or stacked
    named = [name for name in labels if name.casefold() in LABELS]
    table = _as_table(np.moveaxis(arrays[chosen], -1, 0) if images else arrays[chosen])
    frame, texts, notes, target = table.frame, table.texts, list(table.notes), None
    if images:
        notes.append(f"'{chosen}' was read as {n} images along its last dimension.")
    if named or len(labels) == 1:
        target = (named or labels)[0]
        if arrays[target].dtype.kind not in "biufUS":
            raise UploadError(
                f"The labels '{target}' are neither numbers nor text; send them as one of these."
            )
        frame[target] = values = _column(arrays[target].ravel())
        frame.columns = pd.Index(unique_names([str(name) for name in frame.columns]))
        target = str(frame.columns[-1])
        texts |= {target} if values.dtype == object else set()
    left = [name for name in arrays if name not in (chosen, *(named or labels)[:1])]
    if left:
        shown = ", ".join(f"'{name}'" for name in left[:5]) + (" …" if len(left) > 5 else "")
        notes.append(f"The file also holds {shown}, left aside.")
    reading = table.reading.replace("a NumPy array", f"{source}, the array '{chosen}'")
    return Table(frame, reading, notes=tuple(notes), target=target, texts=texts)


def _is_column(shape: tuple[int, ...], n: int) -> bool:
    return math.prod(shape) == n and len(shape) <= 2 and max(shape, default=0) == n


def _column(values: NDArray[Any]) -> NDArray[Any]:
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


def _from_fields(array: NDArray[Any]) -> Table:
    """Return named fields as columns, those of several values as a column each."""
    fields = {name: array[name].reshape(len(array), -1) for name in array.dtype.names or ()}
    left = [plain(name, 40) for name, values in fields.items() if values.dtype.kind not in "biufUS"]
    kept = {name: values for name, values in fields.items() if values.dtype.kind in "biufUS"}
    check_shape(len(array), sum(values.shape[1] for values in kept.values()))
    names, columns = [], []
    for name, values in kept.items():
        for j in range(values.shape[1]):
            names.append(name if array[name].ndim == 1 else f"{name} {j + 1}")
            columns.append(_column(values[:, j]))
    names = unique_names(names)
    note = f"{listed(left)} held neither numbers nor text and {was(left)} left out."
    return Table(
        pd.DataFrame(dict(zip(names, columns, strict=True))),
        "Read as a NumPy array with named fields.",
        notes=(note,) if left else (),
        texts=frozenset(name for name, values in zip(names, columns, strict=True) if values.dtype == object),
    )


def _as_table(array: NDArray[Any]) -> Table:
    kind = array.dtype.kind
    if array.dtype.names and array.ndim == 1:
        return _from_fields(array)
    if kind not in "biuf" or array.ndim == 0:
        raise UploadError(
            f"The array holds values of type {plain(array.dtype, 40)} in {array.ndim} dimensions; send "
            "real numbers, one row a point."
        )
    shape = array.shape
    check_shape(shape[0], math.prod(shape[1:]))
    values = array.reshape(shape[0], -1)
    if kind == "f" and values.dtype.itemsize != 8:
        values = values.astype(np.float64)
    flat = " Each point's dimensions follow one another." if array.ndim > 2 else ""
    reading = f"Read as a NumPy array of {' × '.join(map(str, shape))} values.{flat}"
    return Table(named_numbers(values), reading)


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
    if any(size < 0 for size in shape) or len(shape) > 8:
        raise UploadError(f"The NumPy file announces the shape {plain(shape)}; save the array again.")
    needed, held = math.prod(shape) * dtype.itemsize, len(content) - file.tell()
    if needed != held:
        raise UploadError(
            f"The NumPy file announces {needed} bytes and holds {held}; it is cut off or damaged, so send it "
            "again."
        )
    if dtype.itemsize == 0:
        raise UploadError("The NumPy file holds values of no size; save an array of numbers.")
    array = np.frombuffer(content, dtype=dtype, offset=file.tell())
    array = array.reshape(shape, order="F" if fortran else "C")
    if dtype.names is None:
        array = array.astype(dtype.newbyteorder("="))
    return array


def _idx_shape(content: bytes) -> tuple[int, ...]:
    sizes = content[4 : 4 + 4 * content[3]]
    return tuple(int.from_bytes(sizes[k : k + 4], "big") for k in range(0, len(sizes), 4))


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    """Refuse what is no NumPy archive, or would grow too large, before anything is unpacked."""
    names = [plain(member.filename, 40) for member in members]
    strange = [name for name in names if not name.endswith(".npy")]
    if strange or not names:
        raise UploadError(
            f"The file is a zip archive that holds '{(strange or ['nothing'])[0]}' where only NumPy arrays "
            "are read; unpack it and send the table alone."
        )
    if any(name == "indptr.npy" for name in names):
        raise UploadError("The file is a sparse matrix of SciPy; save it as a dense array with numpy.save.")
    if (total := sum(member.file_size for member in members)) > MAX_UNPACKED:
        raise UploadError(
            f"The archive unpacks to {total / 1e6:.0f} MB; at most {MAX_UNPACKED / 1e6:.0f} MB are read, so "
            "send a sample of its rows or fewer columns."
        )
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise UploadError("The archive is packed in an unusual way; save it with numpy.savez_compressed.")
