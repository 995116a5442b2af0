"""One trial of a linear machine on features: split, fit, score on the test part; paired tests."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from nysviz import memory
from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.kernels import Gaussian, Kernel
from nysviz.learning.feature_map import FeatureRows, feature_map
from nysviz.learning.linear_machines import COSTS, classes_of, kernel_ridge, ridge, support_vector_machine
from nysviz.matrix import HELD_ROWS
from nysviz.refusal import Refusal

EXACT = "exact"
MACHINES = MappingProxyType({"ridge": "ridge regression", "svm": "linear SVM"})
FOLDS = 5
# Part of the rows that is tested on where no sizes are published.
TEST_PART = 0.2


@dataclass(frozen=True)
class Setting:
    """What all trials of a comparison share.

    Attributes
    ----------
    task : "classification" or "regression"
    machine : "ridge" or "svm"
        Ridge regression, on targets -1 and 1 (one column for each of more than two classes) where classes are
        to be told apart; or the linear support vector machine with squared hinge loss, for classes only.
    sizes : (train, test) or None
        Rows of the two parts; None tests on a fifth.
    multiples : tuple of float
        Multiples of the kernel's width 2σ² among which cross-validation chooses, for each trial, method and m
        anew. Empty: the kernel as it is.
    """

    task: str
    machine: str = "ridge"
    sizes: tuple[int, int] | None = None
    multiples: tuple[float, ...] = ()

    @property
    def measure(self) -> str:
        """Name of the score: "accuracy" (in [0, 1]) or "mse", in units of the training targets' variance."""
        return "accuracy" if self.task == "classification" else "mse"


def split(n: int, seed: int, sizes: tuple[int, int] | None = None) -> tuple[IntArray, IntArray]:
    """Random training and test rows, in random order."""
    train, test = sizes or (n - round(TEST_PART * n), round(TEST_PART * n))
    if train < 2 * FOLDS or test < 1 or train + test > n:
        raise Refusal(
            f"{n} rows cannot be split into {train} for training and {test} for testing; at least "
            f"{2 * FOLDS} are needed for the folds and 1 for the test."
        )
    order = np.random.default_rng([seed, 1]).permutation(n)
    return order[:train], order[train : train + test]


def targets_of(y: NDArray[Any], setting: Setting, train: IntArray) -> tuple[FloatArray, IntArray]:
    """Targets (n, q), and the class numbers (n,) that they stand for.

    Values to predict are standardised by the mean and deviation of the training rows, so that predicting the
    mean scores 1 or so. Two classes become one column of -1 and 1, more become one column each.
    """
    if setting.task == "regression":
        values = np.asarray(y, dtype=np.float64)
        deviation = float(values[train].std()) or 1.0
        standard: FloatArray = ((values - values[train].mean()) / deviation)[:, None]
        return standard, np.zeros(len(y), dtype=np.intp)
    classes, found = np.unique(y, return_inverse=True)
    codes = found.astype(np.intp)
    if len(classes) < 2:
        raise Refusal("All rows have the same label; two classes are needed to tell them apart.")
    # Of two classes one column says it all.
    columns = np.arange(len(classes))[1 if len(classes) == 2 else 0 :]
    signs: FloatArray = np.where(codes[:, None] == columns, 1.0, -1.0)
    return signs, codes


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
    m, reading
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
    make = partial(feature_map, method=method, m=m, seed=seed, reading=reading)
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
    return Trial(score, penalty, multiple, columns, time.perf_counter() - started)


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


LEVEL = 0.95


def half_width(values: FloatArray) -> float:
    """Half of the t-interval of the values' mean; NaN below 2 values."""
    if len(values) < 2:
        return math.nan
    return float(student.ppf(0.5 + LEVEL / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))


@dataclass(frozen=True)
class Paired:
    """Mean difference of the pairs, its interval, t and the two-sided p-value; NaN below 2 pairs."""

    difference: float
    half_width: float
    t: float
    p: float
    pairs: int

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at the level; never where it cannot be tested."""
        return bool(self.p < 1.0 - LEVEL)


def paired_test(a: Sequence[float], b: Sequence[float]) -> Paired:
    """Test whether the mean of a − b is 0.

    Parameters
    ----------
    a, b : sequences of equal length
        Scores of the same trials. Differences that are all equal but not 0 give p = 0, all 0 give p = 1.
    """
    gaps = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    n = len(gaps)
    mean = float(gaps.mean()) if n else math.nan
    if n < 2:
        return Paired(mean, math.nan, math.nan, math.nan, n)
    error = float(gaps.std(ddof=1)) / math.sqrt(n)
    t = mean / error if error else math.copysign(math.inf, mean) if mean else 0.0
    return Paired(mean, half_width(gaps), t, float(2.0 * student.sf(abs(t), n - 1)), n)
