"""Matrix error and test error of the same runs: ridge regression and a support vector machine on K̃."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, eigvalsh, solve

from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.papers.records import Row, rows
from nysviz.papers.tournament.jobs import label_of

EXPERIMENT = "learners"
EXACT = "exact"
LEARNERS = ("ridge", "svm")
# Rows of the training set, at most half of all, and most rows of the test set.
TRAINING_ROWS, TEST_ROWS = 1_000, 2_000
MULTIPLES = (1 / 4, 1.0, 4.0)
PERCENTS = (1, 2, 5, 10, 20, 40)
CANDIDATES = ("uniform", "kmeans", "rpcholesky")
# The hyperparameters that are tried, λ by leave-one-out and C by cross-validation.
RIDGES = tuple(10.0**k for k in range(-6, 3))
COSTS = (1.0, 10.0, 100.0)
FOLDS = 5
# Errors below it are rounding.
SMALLEST = 1e-8


@dataclass(frozen=True)
class LearningTask:
    """Training and test rows; classes are numbers from 0 on, other targets have mean 0 and variance 1."""

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray
    is_classification: bool

    @property
    def targets(self) -> FloatArray:
        """What the ridge fits, (n, c): ±1 for each class, or the values."""
        if not self.is_classification:
            return self.y[:, None]
        return np.where(self.y[:, None] == np.unique(self.y), 1.0, -1.0)

    def test_error(self, predicted: NDArray[np.floating]) -> float:
        """Return the per cent of the test rows in a wrong class, or of the test variance not explained."""
        if self.is_classification:
            return 100.0 * float(np.mean(predicted != self.y_test))
        return 100.0 * float(np.mean((predicted - self.y_test) ** 2) / np.var(self.y_test))


def split(data: Dataset, seed: int) -> LearningTask:
    """Divide random rows into a training and a test set."""
    order = np.random.default_rng(seed).permutation(data.n)
    count = min(TRAINING_ROWS, data.n // 2)
    train, test = order[:count], order[count : count + TEST_ROWS]
    y = np.asarray(data.y, dtype=float)
    is_classification = data.task == "classification"
    if is_classification:
        y = np.unique(y, return_inverse=True)[1].astype(float)
    else:
        y = (y - y[train].mean()) / y[train].std()
    return LearningTask(data.X[train], y[train], data.X[test], y[test], is_classification)


def choose_ridge(K: FloatArray, targets: FloatArray) -> float:
    """Return the λ of the least leave-one-out error of (K + λI)⁻¹y; O(n³)."""
    values, vectors = eigh(K)
    rotated = vectors.T @ targets

    def error(ridge: float) -> float:
        inverse = 1.0 / (np.maximum(values, 0.0) + ridge)
        # Golub, Heath and Wahba 1979: row i without itself is wrong by α_i / ((K + λI)⁻¹)_ii.
        diagonal = (vectors**2) @ inverse
        return float(np.mean((vectors @ (inverse[:, None] * rotated) / diagonal[:, None]) ** 2))

    return min(RIDGES, key=error)


def choose_cost(K: FloatArray, task: LearningTask, seed: int) -> float:
    """Return the C of the best mean score over random folds."""
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

    folds = (StratifiedKFold if task.is_classification else KFold)(FOLDS, shuffle=True, random_state=seed)
    return max(COSTS, key=lambda C: float(cross_val_score(_machine(task, C), K, task.y, cv=folds).mean()))


def _machine(task: LearningTask, C: float):  # type: ignore[no-untyped-def]  # scikit-learn has no types
    from sklearn.svm import SVC, SVR

    return (SVC if task.is_classification else SVR)(kernel="precomputed", C=C)


def learn(task: LearningTask, K: FloatArray, K_test: FloatArray, ridge: float, C: float) -> dict[str, float]:
    """Return the test errors of both learners, given K of the training rows and K_test (q, n)."""
    scores = K_test @ solve(K + ridge * np.eye(len(K)), task.targets, assume_a="pos")
    predicted = np.unique(task.y)[scores.argmax(axis=1)] if task.is_classification else scores[:, 0]
    machine = _machine(task, C).fit(K, task.y)
    return {
        "ridge_error": task.test_error(predicted),
        "svm_error": task.test_error(machine.predict(K_test)),
    }


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the rows of a data set; repeat r has other training rows, test rows and random numbers.

    λ and C are chosen with K, and stay for K̃. The measures are ridge_error and svm_error, per cent of the
    test rows in a wrong class or of the test variance that is not explained; of approximations also
    relative_frobenius, and residual_over_ridge, the largest eigenvalue of K − K̃ divided by λ.
    """
    data = load(name)
    for multiple, repeat in product(MULTIPLES, range(repeats)):
        task = split(data, seed + repeat)
        n, d = task.X.shape
        kernel = Gaussian.from_width(multiple * default_width(task.X))
        K = kernel(task.X, task.X)
        ridge, C = choose_ridge(K, task.targets), choose_cost(K, task, seed + repeat)
        begin = EXPERIMENT, label_of(name, multiple), n, d
        exact = learn(task, K, kernel(task.X_test, task.X), ridge, C)
        yield from rows((*begin, EXACT, n, repeat), exact | {"ridge": ridge, "cost": C})
        size = np.linalg.norm(K)
        for method, percent in product(CANDIDATES, PERCENTS):
            m = max(1, round(percent * n / 100))
            a = approximate(task.X, kernel, method, m, seed + repeat)
            K_tilde = a.factor @ a.factor.T
            residual = K - K_tilde
            largest = float(eigvalsh(residual, subset_by_index=[n - 1, n - 1])[0])
            measured = {
                "relative_frobenius": max(float(np.linalg.norm(residual) / size), SMALLEST),
                "residual_over_ridge": max(largest / ridge, SMALLEST),
                **learn(task, K_tilde, a.transform(task.X_test) @ a.factor.T, ridge, C),
            }
            yield from rows((*begin, method, m, repeat), measured)
