"""A linear classifier on Nyström or random Fourier features, the latter at a chosen scale of frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.kernels import Gaussian
from nysviz.learning.feature_map import RANDOM_FEATURES, FeatureMap, FeatureRows, feature_map
from nysviz.learning.linear_machines import COST_ROWS, LinearFit, support_vector_machine
from nysviz.refusal import Refusal

# Standard deviation of the frequencies u ~ N(0, s² I). Only 1/σ makes z(x)ᵀ z(y) an estimate of the kernel.
FREQUENCY_SCALES = ("1/σ", "1", "σ")
FOLDS = 5


@dataclass(frozen=True)
class Score:
    """Test accuracy in [0, 1], the penalty C that cross-validation chose, and the number of features."""

    accuracy: float
    penalty: float
    features: int


def scaled_map(X: FloatArray, method: str, m: int, sigma: float, seed: int, scale: str = "1/σ") -> FeatureMap:
    """Map to Nyström features of m of the rows (all, where they are fewer), or to m random frequencies.

    ``scale`` is the standard deviation s of the frequencies u ~ N(0, s² I), which belong to the Gaussian
    kernel of bandwidth 1/s: σ itself for 1/σ, as random Fourier features are defined (Rahimi & Recht 2007).
    """
    if method in RANDOM_FEATURES:
        bandwidth = {"1/σ": sigma, "1": 1.0, "σ": 1.0 / sigma}[scale]
        return feature_map(X, Gaussian(bandwidth), method, m, seed)
    return feature_map(X, Gaussian(sigma), method, min(m, len(X)), seed)


def split(n: int, seed: int) -> tuple[IntArray, IntArray]:
    """Random halves of n rows: training and test."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


def linear_machine(Z: FloatArray, y: IntArray, seed: int) -> LinearFit:
    """Fit a linear support vector machine with squared hinge loss to (n, r) rows of two classes.

    C by 5-fold cross-validation on the first ``COST_ROWS`` rows, which stand in a random order; the machine
    learns from all. Outputs above 0 mean the larger class.
    """
    # Imported late: scikit-learn is slow to import.
    from sklearn.model_selection import StratifiedKFold

    few, folds = y[:COST_ROWS], np.zeros(len(y), dtype=np.intp)
    spread = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(few, few)
    for number, (_, held) in enumerate(spread):
        folds[held] = number
    features = FeatureRows(Z, lambda rows: rows, Z.shape[1], Z)
    signs = np.where(y == y.max(), 1.0, -1.0)
    return support_vector_machine(features, signs[:, None], folds)


def linear_score(
    X: FloatArray, y: IntArray, method: str, m: int, sigma: float, *, scale: str = "1/σ", seed: int = 0
) -> Score:
    """Score a linear machine on m landmarks or frequencies (``scaled_map``); half of the rows are the test.

    The seed is that of the halves, the landmarks or frequencies and the folds. Landmarks come from the
    training half alone. ValueError where it has fewer than ``FOLDS`` rows of a class, or not two classes.
    """
    train, test = split(len(X), seed)
    counts = np.unique(y[train][:COST_ROWS], return_counts=True)[1]
    if len(counts) != 2 or counts.min() < FOLDS:
        raise Refusal(
            f"The training half has {counts.min()} rows in its smallest class, of {len(counts)}; two classes "
            f"of at least {FOLDS} rows are needed for {FOLDS}-fold cross-validation."
        )
    features = scaled_map(X[train], method, m, sigma, seed, scale)
    Z = features.transform(X[train])
    machine = linear_machine(Z, y[train], seed)
    larger = machine.outputs(features.transform(X[test]))[:, 0] > 0
    accuracy = float(np.mean(larger == (y[test] == y[train].max())))
    return Score(accuracy, machine.penalty, int(Z.shape[1]))
