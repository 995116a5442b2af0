"""One trial of a linear machine on features: split, fit, score on the test part; paired tests."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from nysviz.analysis.learning.feature_map import FeatureRows, feature_map
from nysviz.analysis.learning.linear_machines import (
    COSTS,
    classes_of,
    kernel_ridge,
    ridge,
    support_vector_machine,
)
from nysviz.datasets import Dataset
from nysviz.kernels import Gaussian, Kernel, KernelFunction, as_kernel
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.refusal import Refusal

EXACT = "exact"
MACHINES = {"ridge": "ridge regression", "svm": "linear SVM"}
FOLDS = 5
TEST_PART = 0.2  # part of the rows that is tested on where no sizes are published


@dataclass(frozen=True)
class TrialSetting:
    """Settings that all trials of a comparison share.

    ``task`` is "classification" or "regression"; ``machine`` "ridge", on targets -1 and 1 for classes, or
    "svm", the linear one with squared hinge loss, for classes only. ``sizes`` are the rows of training and
    test part; None tests on a fifth. Cross-validation chooses among ``multiples`` of the kernel's width 2σ²,
    for each trial, method and m anew; empty, it keeps the kernel.
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
    """Return random training and test rows, in random order."""
    train, test = sizes or (n - round(TEST_PART * n), round(TEST_PART * n))
    if train < 2 * FOLDS or test < 1 or train + test > n:
        raise Refusal(
            f"{n} rows cannot be split into {train} for training and {test} for testing; at least "
            f"{2 * FOLDS} are needed for the folds and 1 for the test."
        )
    order = np.random.default_rng([seed, 1]).permutation(n)
    return order[:train], order[train : train + test]


def targets_of(y: NDArray[Any], setting: TrialSetting, train: IntArray) -> tuple[FloatArray, IntArray]:
    """Return standardised values, or a column of ±1 for each class (one for two), and class numbers (n,)."""
    if setting.task == "regression":
        values = np.asarray(y, dtype=np.float64)
        deviation = float(values[train].std()) or 1.0
        standard: FloatArray = ((values - values[train].mean()) / deviation)[:, None]
        return standard, np.zeros(len(y), dtype=np.intp)
    classes, numbers = np.unique(y, return_inverse=True)
    codes = numbers.astype(np.intp)
    if len(classes) < 2:
        raise Refusal("All rows have the same label; two classes are needed to tell them apart.")
    # One column is enough for two classes.
    columns = np.arange(len(classes))[1 if len(classes) == 2 else 0 :]
    signs: FloatArray = np.where(codes[:, None] == columns, 1.0, -1.0)
    return signs, codes


def single_target(data: Dataset, rows: IntArray | None = None) -> FloatArray:
    """Return the values, or ±1 for the first class and the others, of mean 0 and deviation 1 on ``rows``."""
    if data.y is None or data.task is None:
        raise Refusal(f"{data.name} has no target to learn; choose a data set with labels or values.")
    y = np.where(data.y == data.y.min(), 1.0, -1.0) if data.task == "classification" else data.y
    chosen = y if rows is None else y[rows]
    return (y - chosen.mean()) / (chosen.std() or 1.0)


# Largest random sample of training rows on which a bandwidth is chosen; smaller for the exact machine.
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
    """Return the most training rows that the exact machine takes here, however much memory is free."""
    return memory.held_rows()


def trial(
    X: FloatArray,
    y: NDArray[Any],
    kernel: Kernel | KernelFunction,
    setting: TrialSetting,
    method: str,
    m: int,
    seed: int,
    reading: str = "frequencies",
) -> Trial:
    """Split the rows (n, d) by the seed, learn on the one part, score on the other.

    Trials of one seed share the split and the folds, so that methods can be compared in pairs. Landmarks come
    from the training rows without their targets; the folds choose the penalty, the cost C (on 3 000 rows at
    most) and, where asked for, the bandwidth (by ridge regression on 2 000 rows at most). ``method`` is one
    of ``feature_map``, or "exact": the kernel machine itself, for up to ``exact_rows`` training rows, by
    kernel ridge regression or LIBSVM's ``SVC`` (hinge loss, one against one).
    """
    started, kernel = time.perf_counter(), as_kernel(kernel)
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

    def cross_validated(multiple: float) -> float:
        # The training rows are in random order already.
        few = slice(EXACT_WIDTH_ROWS if method == EXACT else WIDTH_ROWS)
        X, wider = rows[few], Gaussian.from_width(multiple * width)
        if method == EXACT:
            return min(kernel_ridge(wider(X), targets[train][few], folds[few]).errors)
        features = feature_map(X, wider, method, min(m, len(X)), seed, reading).of_training(X)
        return min(ridge(features, targets[train][few], folds[few]).errors)

    with one_blas_thread():
        multiple = 1.0
        if setting.multiples and isinstance(kernel, Gaussian):
            width = kernel.width
            multiple = min(setting.multiples, key=cross_validated)
            kernel = Gaussian.from_width(multiple * width)
        if method == EXACT:
            outputs, penalty = _exact(rows, X[test], targets[train], codes[train], folds, kernel, setting)
            columns = len(rows)
        else:
            features = feature_map(rows, kernel, method, m, seed, reading).of_training(rows)
            columns = features.columns
            learn = support_vector_machine if setting.machine == "svm" else ridge
            fitted = learn(features, targets[train], folds)
            unseen = FeatureRows(X[test], features.transform, columns)
            outputs = np.concatenate([fitted.outputs(Z) for _, Z in unseen.blocks()])
            penalty = fitted.penalty
    if setting.task == "regression":
        score = np.square(outputs - targets[test]).mean()
    else:
        score = (classes_of(outputs) == codes[test]).mean()
    return Trial(float(score), penalty, multiple, columns, time.perf_counter() - started)


def _exact(
    X: FloatArray,
    unseen: FloatArray,
    targets: FloatArray,
    codes: IntArray,
    folds: IntArray,
    kernel: Kernel,
    setting: TrialSetting,
) -> tuple[FloatArray, float]:
    """Return the outputs of the exact kernel machine on unseen rows, and its penalty."""
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
    predictions = SVC(C=C, kernel="precomputed").fit(K, codes).predict(kernel(unseen, X))
    signs = np.where(predictions[:, None] == np.arange(max(2, targets.shape[1])), 1.0, -1.0)
    return signs if targets.shape[1] > 1 else signs[:, 1:], C


LEVEL = 0.95


def half_width(values: FloatArray) -> float:
    """Return half the width of the t-interval of the values' mean; NaN below 2 values."""
    if len(values) < 2:
        return math.nan
    return float(stdtrit(len(values) - 1, 0.5 + LEVEL / 2) * values.std(ddof=1) / math.sqrt(len(values)))


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


def paired_test(a: Sequence[float] | FloatArray, b: Sequence[float] | FloatArray) -> Paired:
    """Test whether the mean of a − b, scores of the same trials, is 0; p = 0 where all gaps are one."""
    gaps = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    n = len(gaps)
    mean = float(gaps.mean()) if n else math.nan
    if n < 2:
        return Paired(mean, math.nan, math.nan, math.nan, n)
    error = float(gaps.std(ddof=1)) / math.sqrt(n)
    t = mean / error if error else math.copysign(math.inf, mean) if mean else 0.0
    return Paired(mean, half_width(gaps), t, float(2.0 * stdtr(n - 1, -abs(t))), n)
