"""One trial of a linear machine on Nyström or random Fourier features: split, fit, score on the test part."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nysviz import memory
from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.kernels import Gaussian, Kernel
from nysviz.learning.feature_map import feature_map
from nysviz.learning.feature_rows import FeatureRows
from nysviz.learning.ridge import kernel_ridge, ridge
from nysviz.learning.squared_hinge import COSTS, classes_of, support_vector_machine
from nysviz.learning.trial_setting import EXACT, FOLDS, Setting, split, targets_of
from nysviz.matrix import HELD_ROWS
from nysviz.refusal import Refusal

# Training rows of the exact machine, which holds their kernel matrix.
EXACT_ROWS = HELD_ROWS
# A bandwidth is chosen on at most so many random training rows; with the exact machine on fewer.
WIDTH_ROWS, EXACT_WIDTH_ROWS = 2_000, 1_000


@dataclass(frozen=True)
class Trial:
    """Score on the test part, and what cross-validation chose on the training part."""

    score: float
    penalty: float
    multiple: float
    columns: int
    train: int
    seconds: float


def exact_rows() -> int:
    """Return how many training rows the exact machine takes at most: fewer on a small machine.

    Always the same on one machine, however much of its memory is free, so that a run has all trials or none.
    """
    return min(EXACT_ROWS, memory.matrix_rows())


def trial(
    X: FloatArray,
    y: NDArray[Any],
    kernel: Kernel,
    setting: Setting,
    method: str,
    m: int,
    seed: int,
    reading: str = "frequencies",
    options: Mapping[str, object] = MappingProxyType({}),
) -> Trial:
    """Split the rows by the seed, learn on the one part, score on the other.

    Trials of one seed share the split and the folds, so that methods can be compared in pairs. Landmarks come
    from the training rows without their targets; the folds choose the penalty, the cost C (on 3 000 rows at
    most) and, where asked for, the bandwidth (by ridge regression on 2 000 rows at most).

    Parameters
    ----------
    X : (n, d) array
    y : (n,) array
    kernel : Kernel
    setting : Setting
    method : str
        An id of ``METHODS`` with landmarks, "rff", "orf", or "exact": the kernel machine itself, for up to
        ``exact_rows`` training rows, by kernel ridge regression or LIBSVM's ``SVC`` (hinge loss, one against
        one).
    m, reading, options
        See ``feature_map``; without effect on "exact".
    seed : int
    """
    started = time.perf_counter()
    if setting.machine == "svm" and setting.task != "classification":
        raise Refusal("The support vector machine tells classes apart; choose ridge to predict values.")
    train, test = split(len(X), seed, setting.sizes)
    if method == EXACT and len(train) > exact_rows():
        raise Refusal(
            f"{len(train)} training rows; the exact machine, which holds their kernel matrix, takes "
            f"{exact_rows()} at most on this machine: take fewer rows, or leave it out."
        )
    targets, codes = targets_of(y, setting, train)
    folds = np.random.default_rng([seed, 3]).permutation(np.arange(len(train)) % FOLDS)
    rows = np.ascontiguousarray(X[train])
    make = partial(feature_map, method=method, m=m, seed=seed, reading=reading, options=options)
    with one_blas_thread():
        multiple = 1.0
        if setting.multiples and isinstance(kernel, Gaussian):
            multiple = _best_multiple(rows, targets[train], folds, kernel, setting.multiples, make, method)
            kernel = Gaussian.from_width(multiple * kernel.width)
        if method == EXACT:
            outputs, penalty = _exact(rows, X[test], targets[train], codes[train], folds, kernel, setting)
            columns = len(rows)
        else:
            features = make(rows, kernel).of_training(rows)
            columns = features.columns
            learn = support_vector_machine if setting.machine == "svm" else ridge
            fitted = learn(features, targets[train], folds)
            unseen = FeatureRows(X[test], features.transform, columns)
            outputs = np.concatenate([fitted.outputs(Z) for _, Z in unseen.blocks()])
            penalty = fitted.penalty
    score = _score(outputs, targets[test], codes[test], setting)
    return Trial(score, penalty, multiple, columns, len(train), time.perf_counter() - started)


def _score(outputs: FloatArray, targets: FloatArray, codes: IntArray, setting: Setting) -> float:
    if setting.task == "regression":
        return float(np.square(outputs - targets).mean())
    return float((classes_of(outputs) == codes).mean())


def _best_multiple(
    X: FloatArray,
    targets: FloatArray,
    folds: IntArray,
    kernel: Gaussian,
    multiples: tuple[float, ...],
    make: Any,
    method: str,
) -> float:
    """Multiple of the width with the smallest cross-validation error of ridge regression on a sample."""
    count = min(len(X), EXACT_WIDTH_ROWS if method == EXACT else WIDTH_ROWS)
    # The training rows are in random order already.
    X, targets, folds = X[:count], targets[:count], folds[:count]
    errors = []
    for multiple in multiples:
        wider = Gaussian.from_width(multiple * kernel.width)
        if method == EXACT:
            fitted = kernel_ridge(wider(X), targets, folds)
        else:
            drawn = make(X, wider, m=min(make.keywords["m"], count))
            fitted = ridge(drawn.of_training(X), targets, folds)
        errors.append(min(fitted.errors))
    return multiples[int(np.argmin(errors))]


def _exact(
    X: FloatArray,
    unseen: FloatArray,
    targets: FloatArray,
    codes: IntArray,
    folds: IntArray,
    kernel: Kernel,
    setting: Setting,
) -> tuple[FloatArray, float]:
    """Outputs of the exact kernel machine on unseen rows, and its penalty."""
    K = kernel(X)
    if setting.machine == "ridge":
        fitted = kernel_ridge(K, targets, folds)
        return fitted.outputs(kernel(unseen, X)), fitted.penalty
    from sklearn.svm import SVC

    wrong = np.zeros(len(COSTS))
    for fold in range(FOLDS):
        inner, outer = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        for k, C in enumerate(COSTS):
            machine = SVC(C=C, kernel="precomputed").fit(K[np.ix_(inner, inner)], codes[inner])
            wrong[k] += (machine.predict(K[np.ix_(outer, inner)]) != codes[outer]).sum()
    C = COSTS[int(np.argmin(wrong))]
    found = SVC(C=C, kernel="precomputed").fit(K, codes).predict(kernel(unseen, X))
    signs = np.where(found[:, None] == np.arange(max(2, targets.shape[1])), 1.0, -1.0)
    return signs if targets.shape[1] > 1 else signs[:, 1:], C
