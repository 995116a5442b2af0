"""A linear classifier on Nyström or random Fourier features, the latter at a chosen scale of frequencies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.features import FourierFeatures, NystroemFeatures
from nysviz.kernels import Gaussian
from nysviz.learning.feature_map import RANDOM_FEATURES

# Standard deviation of the frequencies u ~ N(0, s² I). Only 1/σ makes z(x)ᵀ z(y) an estimate of the kernel.
FREQUENCY_SCALES = ("1/σ", "1", "σ")
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
FOLDS = 5
# C is chosen on at most so many random training rows; the machine itself learns from all of them.
PENALTY_ROWS = 2_000
# Relative to the gradient at the start, as in LIBLINEAR; a smaller one changes no prediction worth the time.
SOLVER_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Score:
    """Test accuracy in [0, 1], the penalty C that cross-validation chose, and the number of features."""

    accuracy: float
    penalty: float
    features: int


def frequency_bandwidth(sigma: float, scale: str) -> float:
    """Bandwidth of the Gaussian kernel that frequencies of this scale belong to.

    Parameters
    ----------
    sigma : float
        Bandwidth of the kernel that is approximated.
    scale : str
        One of ``FREQUENCY_SCALES``: the standard deviation s of u ~ N(0, s² I).

    Returns
    -------
    float
        1/s: σ itself for 1/σ, as random Fourier features are defined (Rahimi & Recht 2007).
    """
    if scale not in FREQUENCY_SCALES:
        raise ValueError(f"Frequency scale {scale!r}; one of {', '.join(FREQUENCY_SCALES)} is needed.")
    return {"1/σ": sigma, "1": 1.0, "σ": 1.0 / sigma}[scale]


def feature_map(method: str, m: int, sigma: float, seed: int, scale: str = "1/σ") -> Any:
    """Feature map, not fitted: ``rff`` and ``orf`` with m frequencies (2m columns), else Nyström features.

    Parameters
    ----------
    method : str
        ``rff``, ``orf`` or an id of ``nysviz.METHODS``.
    m : int
        Frequencies or landmarks.
    sigma : float
        Of the Gaussian kernel exp(-‖x-y‖² / 2σ²).
    seed : int
    scale : str
        Of the frequencies, see ``frequency_bandwidth``; landmarks have none.
    """
    if method in RANDOM_FEATURES:
        width = frequency_bandwidth(sigma, scale)
        return FourierFeatures(width, m, orthogonal=method == "orf", random_state=seed)
    return NystroemFeatures(Gaussian(sigma), method, m, random_state=seed)


def split(n: int, seed: int) -> tuple[IntArray, IntArray]:
    """Random halves of n rows: training and test."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


def linear_machine(Z: FloatArray, y: IntArray, penalty: float) -> LinearSVC:
    """Linear support vector machine with squared hinge loss, fitted in the primal.

    Parameters
    ----------
    Z : (n, r) array
    y : (n,) array of two classes
    penalty : float
        C, the weight of the loss against ‖w‖²/2.
    """
    machine = LinearSVC(C=penalty, dual=False, tol=SOLVER_TOLERANCE)
    with warnings.catch_warnings(), one_blas_thread():
        # Of a machine that cannot separate anything the last step counts; its accuracy says the rest.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(Z, y)


def chosen_penalty(Z: FloatArray, y: IntArray, seed: int) -> float:
    """The C of ``PENALTIES`` with the best accuracy in 5-fold cross-validation; the smallest of equals.

    Of more than ``PENALTY_ROWS`` rows only the first take part: they have to be in a random order.
    """
    Z, y = Z[:PENALTY_ROWS], y[:PENALTY_ROWS]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    right = np.zeros(len(PENALTIES))
    for rest, held in folds.split(Z, y):
        for i, penalty in enumerate(PENALTIES):
            right[i] += np.sum(linear_machine(Z[rest], y[rest], penalty).predict(Z[held]) == y[held])
    return PENALTIES[int(right.argmax())]


def linear_score(
    X: FloatArray,
    y: IntArray,
    method: str,
    m: int,
    sigma: float,
    *,
    scale: str = "1/σ",
    seed: int = 0,
) -> Score:
    """Test accuracy of a linear machine on m landmarks or frequencies; half of the rows are the test.

    Parameters
    ----------
    X : (n, d) array
    y : (n,) array of two classes, each with at least ``FOLDS`` rows in the training half
    method, m, sigma, scale : see ``feature_map``
        Landmarks come from the training half alone; of a smaller half, all its rows.
    seed : int
        Of the halves, the landmarks or frequencies and the folds.

    Raises
    ------
    ValueError
        Unknown scale or method; too few rows of a class for the folds.
    """
    train, test = split(len(X), seed)
    counts = np.unique(y[train][:PENALTY_ROWS], return_counts=True)[1]
    if len(counts) != 2 or counts.min() < FOLDS:
        raise ValueError(
            f"The training half has {counts.min()} rows in its smallest class, of {len(counts)}; two classes "
            f"of at least {FOLDS} rows are needed for {FOLDS}-fold cross-validation."
        )
    features = feature_map(method, m, sigma, seed, scale).fit(X[train])
    Z = features.transform(X[train])
    penalty = chosen_penalty(Z, y[train], seed)
    machine = linear_machine(Z, y[train], penalty)
    accuracy = float(np.mean(machine.predict(features.transform(X[test])) == y[test]))
    return Score(accuracy, penalty, int(Z.shape[1]))
