"""Tables made of arrays, with the points and labels among several."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, named_numbers, plain, quoted, unique_names
from nysviz.refusal import Refusal

# Names under which points and labels are usually saved.
POINTS = ("x", "data", "fea", "features", "points", "images", "x_train")
LABELS = ("y", "gnd", "target", "targets", "label", "labels", "classes", "class", "y_train")


def choose_arrays(arrays: dict[str, NDArray[Any]], source: str, *, stacked: bool = False) -> Table:
    """Return points and labels among named arrays, by their names and shapes; notes name the others.

    The points of more than two dimensions follow the first one, or the last where the labels do, or where
    there are none and ``stacked``.
    """
    tables = [name for name, array in arrays.items() if array.ndim > 1 and max(array.shape[1:]) > 1]
    tables = tables or [name for name, array in arrays.items() if array.ndim and array.size]
    if not tables:
        raise Refusal(
            f"The file is {source} without a table of numbers (it has {quoted(list(arrays)) or 'nothing'}); "
            "send one with an array of one row a point."
        )
    largest = max(tables, key=lambda name: arrays[name].size)
    chosen = next((name for name in tables if name.casefold() in POINTS), largest)
    points, notes = arrays[chosen], []

    def labels_of(count: int) -> list[str]:
        others = {name: array for name, array in arrays.items() if name != chosen and array.ndim in (1, 2)}
        found = [name for name, array in others.items() if array.size == count and count in array.shape]
        return [name for name in found if name.casefold() in LABELS] or found[: len(found) == 1]

    labels = labels_of(len(points))
    if points.ndim > 2 and not labels and ((labels := labels_of(points.shape[-1])) or stacked):
        notes.append(f"'{chosen}' was read as {points.shape[-1]} images along its last dimension.")
        points = np.moveaxis(points, -1, 0)
    table = as_table(points, f"{source}, the array '{chosen}',")
    frame, texts, target = table.frame, table.texts, None
    for name in labels[:1]:
        values = arrays[name]
        if values.dtype.kind not in "biufUS":
            raise Refusal(f"The labels '{name}' are neither numbers nor text; send them as one of these.")
        frame[name] = column = _native(values.ravel())
        frame.columns = pd.Index(unique_names(list(frame.columns)))
        target = str(frame.columns[-1])
        texts |= {target} if column.dtype == object else set()
    if left := [name for name in arrays if name not in (chosen, *labels[:1])]:
        notes.append(f"The file also holds {quoted(left)}, left aside.")
    return Table(frame, (*table.notes, *notes), target=target, texts=texts)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the machine's byte order, texts as Python's."""
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8", "replace").astype(object)
    if values.dtype.kind == "U":
        return values.astype(object)
    return values.astype(np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("="))


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
