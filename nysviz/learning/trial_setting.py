"""What the trials of a comparison share: the task, the split, the targets."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nysviz.blocks import FloatArray, IntArray
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
