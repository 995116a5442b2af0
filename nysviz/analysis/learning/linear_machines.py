"""Ridge regression and the linear support vector machine on features, their penalty by cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.analysis.learning.feature_map import FeatureRows
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.numerics.lapack.symmetric import eigh, solve_by_factor
from nysviz.numerics.shifted import shifted_cholesky

# Penalties as parts of Σ‖z(xᵢ)‖², which is n for a Gaussian kernel: the λ of (1/n) Σ (yᵢ − f(xᵢ))² + λ‖w‖².
PENALTIES = tuple(float(f"{10.0 ** (k / 2):.4g}") for k in range(-18, 3))
# The exact machine needs a Cholesky factor for each: every second one.
KERNEL_PENALTIES = PENALTIES[::2]


@dataclass(frozen=True)
class LinearFit:
    """A machine z(x)ᵀ w + b, or k(x, X) w + b, for q targets, its penalty, and the errors of all tried."""

    weights: FloatArray
    intercept: FloatArray
    penalty: float
    errors: tuple[float, ...]

    def outputs(self, Z: FloatArray) -> FloatArray:
        """Return the outputs f of rows, (b, q), from features or kernel entries with the training rows."""
        return Z @ self.weights + self.intercept


def ridge(
    features: FeatureRows, targets: FloatArray, folds: IntArray, penalties: Sequence[float] = PENALTIES
) -> LinearFit:
    """Minimise Σ‖tᵢ − Wᵀz(xᵢ) − b‖² + p Σ‖z(xᵢ)‖² ‖W‖² over W and b; the intercept b is not penalised.

    The penalty p with the smallest squared error over the folds, (n,) numbers from 0, is taken. One
    eigen-decomposition of the D × D Gram matrix a fold serves all penalties, and errors follow from the
    folds' moments: one pass over the rows, exact up to rounding; O(n D² + D³) for each fold. On digits with
    100 features scikit-learn's ``GridSearchCV`` over ``Ridge`` takes the same penalty in 50 times the time,
    0.5 s, and ``RidgeCV`` leaves out single rows in place of folds.
    """
    D, q = features.columns, targets.shape[1]
    # Of each fold Σ (z, 1, t)(z, 1, t)ᵀ over its rows, of features z (D,), a one and targets t (q,).
    sums = np.zeros((int(folds.max()) + 1, D + 1 + q, D + 1 + q))
    with one_blas_thread():
        for rows, block in features.blocks():
            joined = np.column_stack([block, np.ones(len(block)), targets[rows]])
            for fold in np.unique(folds[rows]):
                part = joined[folds[rows] == fold]
                sums[fold] += part.T @ part
        whole = sums.sum(axis=0)
        errors = np.zeros(len(penalties))
        for products in sums if len(penalties) > 1 else []:
            tried, z, t = _path(whole - products, D, penalties)
            gram, cross, squares = _about(products, z, t)
            linear = np.einsum("pdq,dq->p", tried, cross)
            quadratic = np.einsum("pdq,pdq->p", tried, gram @ tried)
            errors += np.maximum(squares - 2.0 * linear + quadratic, 0.0)
        best = int(np.argmin(errors))
        weights, z, t = _path(whole, D, penalties[best : best + 1])
    intercept = t - z @ weights[0]
    return LinearFit(weights[0], intercept, penalties[best], tuple(errors / features.n))


def _about(P: FloatArray, z: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return Gram matrix (D, D), cross products (D, q) and squares after subtracting z and t."""
    D = len(z)
    gram, cross, sums, totals, count = P[:D, :D], P[:D, D + 1 :], P[D, :D], P[D, D + 1 :], P[D, D]
    gram = gram - np.outer(sums, z) - np.outer(z, sums - count * z)
    cross = cross - np.outer(z, totals - count * t) - np.outer(sums, t)
    squares = float(np.trace(P[D + 1 :, D + 1 :]) + t @ (count * t - 2.0 * totals))
    return gram, cross, squares


def _path(train: FloatArray, D: int, penalties: Sequence[float]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights for each penalty, (penalties, D, q), and the means that were subtracted."""
    means = train[D] / train[D, D]
    z, t = means[:D], means[D + 1 :]
    gram, cross, _ = _about(train, z, t)
    values, vectors = eigh(gram, overwrite=True)
    turned = vectors.T @ cross
    size = float(np.trace(train[:D, :D]))
    weights = np.zeros((len(penalties), *cross.shape))
    # Rows whose features are all 0, far from every landmark, leave nothing to learn but the intercept.
    if size > 0:
        for k, p in enumerate(penalties):
            weights[k] = vectors @ (turned / (np.maximum(values, 0.0) + p * size)[:, None])
    return weights, z, t


def kernel_ridge(
    K: FloatArray, targets: FloatArray, folds: IntArray, penalties: Sequence[float] = KERNEL_PENALTIES
) -> LinearFit:
    """Fit ridge regression in the whole space of the kernel, which the features approximate.

    Minimises Σ‖tᵢ − f(xᵢ) − b‖² + p tr(K) ‖f‖², f(x) = k(x, X) ``weights`` + ``intercept``, by a Cholesky
    factor of K + p tr(K) I for each penalty and fold; O(n³). scikit-learn's ``KernelRidge`` has no intercept.
    """
    errors = np.zeros(len(penalties))
    with one_blas_thread():
        for fold in range(int(folds.max()) + 1 if len(penalties) > 1 else 0):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            inner, outer = K[np.ix_(train, train)], K[np.ix_(test, train)]
            for k, p in enumerate(penalties):
                weights, b = _dual(inner, targets[train], p)
                errors[k] += np.square(targets[test] - outer @ weights - b).sum()
        best = int(np.argmin(errors))
        weights, b = _dual(K, targets, penalties[best])
    return LinearFit(weights, b, penalties[best], tuple(errors / len(K)))


def _dual(K: FloatArray, targets: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
    if not np.trace(K) > 0:
        return np.zeros_like(targets), targets.mean(axis=0)
    lower = shifted_cholesky(K.copy(), p * float(np.trace(K)))
    solved = solve_by_factor(lower, np.column_stack([targets, np.ones(len(K))]))
    ones = solved[:, -1]
    b = solved[:, :-1].sum(axis=0) / ones.sum()
    return solved[:, :-1] - np.outer(ones, b), b


COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
MOST_STEPS = 60
# Largest random sample of training rows on which the cost C is chosen; the machine is fitted to all.
COST_ROWS = 3_000


class SquaredHingeMachine:
    """Minimises ½‖v‖² + C Σ max(0, 1 − yᵢ (z(xᵢ), 1)ᵀv)² for one target of ±1, with warm starts.

    The objective of LIBLINEAR's and scikit-learn's ``LinearSVC``: the intercept is the weight of a column of
    ones and penalised like the others. Each step solves for the rows inside the margin (Keerthi and DeCoste,
    A modified finite Newton method, JMLR 2005) and searches the line exactly. Two passes over the rows and
    O(a D² + D³) a step, where a rows changed sides; nothing of n × D is held beyond what ``features`` hold.
    With warm starts the choice of C on digits, ten classes and 100 features takes 0.8 s, and 6 s with
    ``LinearSVC``, whose errors are the same.
    """

    def __init__(self, features: FeatureRows, y: FloatArray) -> None:
        self.features, self.y = features, y
        size = features.columns + 1
        self.v = np.zeros(size)
        self.outputs = np.zeros(features.n)
        self._inside = np.zeros(features.n, dtype=bool)
        self._gram = np.zeros((size, size))
        self._pull = np.zeros(size)
        self.converged = True

    def fit(self, C: float) -> FloatArray:
        """Return the weights, (D + 1,), the intercept last; ``converged`` says whether the steps ended."""
        self.converged = False
        value = self._objective(C)
        for _ in range(MOST_STEPS):
            inside = self.y * self.outputs < 1.0
            self._move_to(inside)
            system = 2.0 * C * self._gram
            system[np.diag_indices_from(system)] += 1.0
            goal = np.linalg.solve(system, 2.0 * C * self._pull)
            reached = np.concatenate([Z @ goal[:-1] + goal[-1] for _, Z in self.features.blocks()])
            # Where the goal leaves every row on its side it is the minimum.
            final = np.array_equal(self.y * reached < 1.0, inside)
            t = 1.0 if final else self._best_step(goal - self.v, reached - self.outputs, C)
            self.v = self.v + t * (goal - self.v)
            self.outputs = self.outputs + t * (reached - self.outputs)
            before, value = value, self._objective(C)
            if final or before - value <= 1e-10 * before:
                self.converged = True
                break
        return self.v

    def _objective(self, C: float) -> float:
        gap = np.maximum(1.0 - self.y * self.outputs, 0.0)
        return float(0.5 * self.v @ self.v + C * (gap @ gap))

    def _move_to(self, inside: np.ndarray) -> None:
        """Update the sums over the rows inside the margin by the rows that changed sides."""
        D = self.features.columns
        changed = inside != self._inside
        for rows, Z in self.features.blocks():
            for sign, moved in ((1.0, changed[rows] & inside[rows]), (-1.0, changed[rows] & ~inside[rows])):
                if not moved.any():
                    continue
                part = np.ones((int(moved.sum()), D + 1))
                part[:, :D] = Z[moved]
                self._gram += sign * (part.T @ part)
                self._pull += sign * (self.y[rows][moved] @ part)
        self._inside = inside

    def _best_step(self, d: FloatArray, moved: FloatArray, C: float) -> float:
        """Return the zero of the derivative along the line: increasing, linear where no row changes sides."""
        gap, slope = 1.0 - self.y * self.outputs, self.y * moved
        inside = (gap > 0) | ((gap == 0) & (slope < 0))
        change = np.flatnonzero(gap * slope > 0)
        change = change[np.argsort(gap[change] / slope[change])]
        sign, steep = np.where(inside[change], -1.0, 1.0), slope[change]
        # Of the rows inside at the start, then from each change on.
        squares = np.cumsum([slope[inside] @ slope[inside], *(sign * steep * steep)])
        products = np.cumsum([slope[inside] @ gap[inside], *(sign * steep * gap[change])])
        zeros = (2.0 * C * products - self.v @ d) / (d @ d + 2.0 * C * squares)
        # The first one that lies before the next change.
        return float(zeros[np.argmax(zeros <= np.append(gap[change] / steep, np.inf))])


def support_vector_machine(
    features: FeatureRows, signs: FloatArray, folds: IntArray, costs: Sequence[float] = COSTS
) -> LinearFit:
    """Fit a machine for each column of ``signs`` (n, q), one against the rest; C by the folds' errors.

    Only the first ``COST_ROWS`` rows, which are random where the rows are, take part in the choice of C, of
    which ties go to the smallest; one column serves two classes.
    """
    errors = np.zeros(len(costs))
    with one_blas_thread():
        if len(costs) > 1:
            few = np.arange(min(features.n, COST_ROWS))
            sample, sample_folds = features.take(few), folds[few]
            for fold in range(int(folds.max()) + 1):
                errors += _mistakes(sample, signs[few], sample_folds != fold, costs)
            errors /= len(few)
        best = int(np.argmin(errors))
        fitted = [SquaredHingeMachine(features, column).fit(costs[best]) for column in signs.T]
    v = np.column_stack(fitted)
    return LinearFit(v[:-1], v[-1], costs[best], tuple(errors))


def _mistakes(
    features: FeatureRows, signs: FloatArray, train: np.ndarray, costs: Sequence[float]
) -> FloatArray:
    """Count the left-out rows of wrong class for each C; each machine starts where the last ended."""
    inner, outer = features.take(np.flatnonzero(train)), features.take(np.flatnonzero(~train))
    machines = [SquaredHingeMachine(inner, column) for column in signs[train].T]
    wrong = np.zeros(len(costs))
    for k, C in enumerate(costs):
        v = np.column_stack([machine.fit(C) for machine in machines])
        outputs = np.concatenate([Z @ v[:-1] + v[-1] for _, Z in outer.blocks()])
        wrong[k] = int((classes_of(outputs) != classes_of(signs[~train])).sum())
    return wrong


def classes_of(outputs: FloatArray) -> IntArray:
    """Return the class number of each row: the sign of one output, or the largest of several."""
    chosen = outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    return chosen.astype(np.intp)
