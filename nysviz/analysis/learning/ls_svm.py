"""The least-squares support vector machine, from K or an approximation of it, and two classes for it.

With Y = diag(y) and labels ±1, M⁻¹ = Y (K + I/C)⁻¹ Y, so two solutions with K + I/C give everything (Zhang
2008, sec. 4.3): b = 1ᵀu / 1ᵀv and Y α = u − b v for u = (K + I/C)⁻¹ y and v = (K + I/C)⁻¹ 1.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, KernelFunction, as_kernel
from nysviz.kernels.base import check_positive
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.lapack.symmetric import solve_by_factor
from nysviz.numerics.shifted import shifted_cholesky
from nysviz.nystroem.lowrank import LowRank, nystroem_features
from nysviz.refusal import Refusal

PAPER_C = 0.5  # the value of Zhang 2008, section 4.3


@dataclass(frozen=True)
class LeastSquaresMachine:
    """A trained LS-SVM of ridge 1/C: f(x) = Σ weights_i k(x, x_i) + bias, the weights being y_i α_i."""

    weights: FloatArray
    bias: float
    C: float


def train_exact(K: FloatArray, y: FloatArray, C: float = PAPER_C) -> LeastSquaresMachine:
    """Train on the kernel matrix, which is not changed, by one Cholesky factorisation of K + I/C; O(n³/3)."""
    sides = _right_sides(y, len(K), C)
    factor = shifted_cholesky(np.array(K, dtype=np.float64), 1.0 / C)
    return _machine(solve_by_factor(factor, sides), C)


def train(a: LowRank, y: FloatArray, C: float = PAPER_C) -> LeastSquaresMachine:
    """Train on K̃ = G Gᵀ in the place of K by Woodbury's identity (Zhang 2008, eq. 13); O(n r²)."""
    return _machine(a.solve(_right_sides(y, a.n, C), 1.0 / C), C)


def decide(
    machine: LeastSquaresMachine, X: FloatArray, kernel: Kernel | KernelFunction, X_new: FloatArray
) -> FloatArray:
    """Return f of new points (q, d) with the exact test kernel k(x, x_i); q·n kernel evaluations."""
    rows = nystroem_features(as_kernel(kernel), X, machine.weights[:, None], X_new)
    return rows[:, 0] + machine.bias


def decide_restricted(machine: LeastSquaresMachine, a: LowRank, X_new: FloatArray) -> FloatArray:
    """Return f of new points with the test kernel of the approximation itself; q·m evaluations."""
    return a.transform(X_new) @ a.transposed_times(machine.weights) + machine.bias


def predicted(values: FloatArray) -> FloatArray:
    """Return the class of each value of f, ±1; exactly 0 counts as +1."""
    return np.where(values >= 0.0, 1.0, -1.0)


def error_percent(values: FloatArray, y: FloatArray) -> float:
    """Return the share of wrong signs in per cent, as Zhang 2008, table 4 prints it."""
    return 100.0 * float((predicted(values) != y).mean())


def _machine(solutions: FloatArray, C: float) -> LeastSquaresMachine:
    of_y, of_ones = solutions[:, 0], solutions[:, 1]
    # 1ᵀ(K + I/C)⁻¹1 is positive, as K + I/C is positive definite.
    bias = float(of_y.sum() / of_ones.sum())
    return LeastSquaresMachine(of_y - bias * of_ones, bias, C)


def _right_sides(y: FloatArray, n: int, C: float) -> FloatArray:
    """Return labels and ones, (n, 2), or raise Refusal if the labels or C are invalid."""
    check_positive("C", C)
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise Refusal(f"y has the shape {labels.shape}, but there are {n} training rows; one label a row.")
    distinct = list(dict.fromkeys(labels.tolist()))
    if len(distinct) != 2 or not all(is_finite(label) and abs(label) == 1 for label in distinct):
        quoted_labels = ", ".join(map(quoted, distinct[:4]))
        raise Refusal(
            f"The labels are {quoted_labels}{' and others' * (len(distinct) > 4)}; -1 and +1, both of them, "
            "are needed, such as np.where(y == 'a', -1.0, 1.0) makes of text."
        )
    return np.column_stack([labels.astype(np.float64), np.ones(n)])


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
    max_rows: int | None = None,
    published: bool = False,
) -> TwoClasses:
    """Take two classes of a data set, values of ``data.y``, and split them by the seed.

    ``share`` of each class is tested on; at least one row of each remains on either side. Beyond ``max_rows``
    rows in all, a random choice is taken with the classes in proportion. ``published`` splits a set of the
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
    names_by_label = dict(zip(np.unique(data.y).tolist(), class_names(data), strict=True))
    names, groups = [], []
    for label in (first, second):
        if label not in names_by_label:
            classes = ", ".join(names_by_label.values())
            raise Refusal(f"{data.name} has no class {label:g}; its classes are {classes}.")
        names.append(names_by_label[label])
        groups.append(np.flatnonzero(data.y == label))
    for group, name in zip(groups, names, strict=True):
        if len(group) < 2:
            raise Refusal(f"Class {name} of {data.name} has 1 row; it needs one to train and one to test on.")
    border = PUBLISHED_SPLITS.get(data.name) if published and data.from_catalog else None
    if border is not None:
        both = np.sort(np.concatenate(groups))
        rows, tested = both[both < border], both[both >= border]
    else:
        rows, tested = _split(groups, share, seed, max_rows)
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


def _split(
    groups: list[IntArray], share: float, seed: int, max_rows: int | None
) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    total = sum(len(group) for group in groups)
    fraction = 1.0 if max_rows is None else min(1.0, max_rows / total)
    train, test = [], []
    for group in groups:
        shuffled = rng.permutation(group)[: max(2, round(fraction * len(group)))]
        count = min(len(shuffled) - 1, max(1, round(share * len(shuffled))))
        test.append(shuffled[:count])
        train.append(shuffled[count:])
    return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


def usable_classes(data: Dataset) -> dict[str, Any]:
    """Return text → label of the classes with a row to train and a row to test on."""
    labels, counts = np.unique(np.asarray(data.y), return_counts=True)
    rows = zip(class_names(data), labels, counts, strict=True)
    return {name: label for name, label, count in rows if count > 1}


def class_names(data: Dataset) -> list[str]:
    """Return each class's text in the order of the labels; the digit where the archive counts from 1."""
    if data.from_catalog and data.name == "usps" and data.y is not None:
        return [f"{label - 1:g}" for label in np.unique(data.y)]
    return list(data.classes)
