"""Two classes of a data set, with labels ±1, parted into rows to train on and rows to test on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray, IntArray
from nysviz.datasets import Dataset
from nysviz.refusal import Refusal

# Rows of the archive's training file, where training and test file are one data set of the catalog.
PUBLISHED_SPLITS = {"usps": 7_291}


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """Rows of two classes, the first of label -1, to train and to test on, with their numbers in the data."""

    name: str
    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray
    rows: IntArray
    test_rows: IntArray
    digest: str


def two_classes(
    data: Dataset,
    first: float,
    second: float,
    *,
    share: float = 0.5,
    seed: int = 0,
    most: int | None = None,
    published: bool = False,
) -> TwoClasses:
    """Take two classes of a data set, values of ``data.y``, and part them by the seed.

    ``share`` of each class is tested on; at least one row of each remains on either side. Beyond ``most``
    rows in all, a random choice is taken with the classes in proportion. ``published`` parts a set of the
    catalog as its archive does, where its files do (``PUBLISHED_SPLITS``). ValueError for no classes, equal
    or absent ones, a class with one row, or a share outside (0, 1).
    """
    if data.task != "classification" or data.y is None:
        raise Refusal(f"{data.name} has no classes; choose a classification set, digits for example.")
    if sparse.issparse(data.X):
        raise Refusal(f"{data.name} is sparse; choose a set with a dense table, digits for example.")
    if not 0.0 < share < 1.0:
        raise Refusal(f"share = {share:g}; a part between 0 and 1 is needed for the test.")
    if first == second:
        raise Refusal(f"Both classes are {first:g}; two different ones are needed.")
    known = dict(zip(np.unique(data.y).tolist(), class_names(data), strict=True))
    names = []
    for label in (first, second):
        if label not in known:
            classes = ", ".join(known.values())
            raise Refusal(f"{data.name} has no class {label:g}; its classes are {classes}.")
        names.append(known[label])
    groups = [np.flatnonzero(data.y == label) for label in (first, second)]
    for group, name in zip(groups, names, strict=True):
        if len(group) < 2:
            raise Refusal(
                f"Class {name} of {data.name} has {len(group)} row; it needs one to train and one to test on."
            )
    border = PUBLISHED_SPLITS.get(data.name) if published and data.from_catalog else None
    if border is not None:
        both = np.sort(np.concatenate(groups))
        rows, tested = both[both < border], both[both >= border]
    else:
        rows, tested = _parted(groups, share, seed, most)
    y = np.where(data.y == second, 1.0, -1.0)
    digest = hashlib.sha256(f"{data.digest} {first} {second}".encode() + rows.tobytes() + tested.tobytes())
    return TwoClasses(
        f"{data.name} {names[0]}-{names[1]}",
        np.ascontiguousarray(data.X[rows]),
        y[rows],
        np.ascontiguousarray(data.X[tested]),
        y[tested],
        rows,
        tested,
        digest.hexdigest(),
    )


def _parted(groups: list[IntArray], share: float, seed: int, most: int | None) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    total = sum(len(group) for group in groups)
    kept = 1.0 if most is None else min(1.0, most / total)
    train, test = [], []
    for group in groups:
        shuffled = rng.permutation(group)[: max(2, round(kept * len(group)))]
        count = min(len(shuffled) - 1, max(1, round(share * len(shuffled))))
        test.append(shuffled[:count])
        train.append(shuffled[count:])
    return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


def usable_classes(data: Dataset) -> dict[str, Any]:
    """Text → label of the classes with a row to train and a row to test on."""
    labels, counts = np.unique(np.asarray(data.y), return_counts=True)
    rows = zip(class_names(data), labels, counts, strict=True)
    return {name: label for name, label, count in rows if count > 1}


def class_names(data: Dataset) -> list[str]:
    """Text of each class, in the order of the labels; the digit itself where the archive counts from 1."""
    if data.from_catalog and data.name == "usps" and data.y is not None:
        return [f"{label - 1:g}" for label in np.unique(data.y)]
    return list(data.classes)
