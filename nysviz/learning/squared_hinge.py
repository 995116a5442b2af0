"""The linear support vector machine with squared hinge loss, by Newton steps over blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.lapack.symmetric import cholesky, solve_by_factor
from nysviz.learning.feature_rows import FeatureRows
from nysviz.learning.ridge import LinearFit

COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
# Newton steps stop when one lowers the objective by less than this part, or after so many.
DECREASE = 1e-10
MOST_STEPS = 60
# The cost C is chosen on at most so many random training rows; the machine itself is fitted to all.
COST_ROWS = 3_000


class Machine:
    """Minimises ½‖v‖² + C Σ max(0, 1 − yᵢ (z(xᵢ), 1)ᵀv)² for one target, from where it last was.

    The objective of LIBLINEAR's and scikit-learn's ``LinearSVC``: the intercept is the weight of a column of
    ones and penalised like the others. Each step solves for the rows inside the margin (Keerthi and DeCoste,
    A modified finite Newton method, JMLR 2005) and searches the line exactly. Two passes over the rows and
    O(a D² + D³) a step, where a rows changed sides; nothing of n × D is held beyond what ``features`` hold.

    Parameters
    ----------
    features : FeatureRows
    y : (n,) array of -1 and 1
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
            goal = solve_by_factor(cholesky(system, overwrite=True), 2.0 * C * self._pull)
            reached = self._outputs_of(goal)
            # Where the goal leaves every row on its side it is the minimum.
            final = np.array_equal(self.y * reached < 1.0, inside)
            t = 1.0 if final else self._best_step(goal - self.v, reached - self.outputs, C)
            self.v = self.v + t * (goal - self.v)
            self.outputs = self.outputs + t * (reached - self.outputs)
            before, value = value, self._objective(C)
            if final or before - value <= DECREASE * before:
                self.converged = True
                break
        return self.v

    def _objective(self, C: float) -> float:
        gap = np.maximum(1.0 - self.y * self.outputs, 0.0)
        return float(0.5 * self.v @ self.v + C * (gap @ gap))

    def _move_to(self, inside: np.ndarray) -> None:
        """Bring the sums over the rows inside the margin up to date: only rows that changed sides count."""
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

    def _outputs_of(self, v: FloatArray) -> FloatArray:
        outputs = np.empty(self.features.n)
        for rows, Z in self.features.blocks():
            outputs[rows] = Z @ v[:-1] + v[-1]
        return outputs

    def _best_step(self, d: FloatArray, moved: FloatArray, C: float) -> float:
        """Zero of the derivative along the line, which is increasing and piecewise linear."""
        gap, slope = 1.0 - self.y * self.outputs, self.y * moved
        vd, dd = float(self.v @ d), float(d @ d)
        low, high, t = 0.0, np.inf, 1.0
        for _ in range(100):
            left = gap - t * slope
            inside = left > 0
            first = vd + t * dd - 2.0 * C * float(slope[inside] @ left[inside])
            second = dd + 2.0 * C * float(slope[inside] @ slope[inside])
            low, high = (t, high) if first < 0 else (low, t)
            step = t - first / second
            # A Newton step that leaves the bracket is replaced by its middle.
            step = step if low < step < high else 0.5 * (low + high) if np.isfinite(high) else 2.0 * t
            if abs(step - t) <= 1e-12 * max(t, 1e-3):
                break
            t = step
        return t


def support_vector_machine(
    features: FeatureRows, signs: FloatArray, folds: IntArray, costs: Sequence[float] = COSTS
) -> LinearFit:
    """One machine a column of ``signs`` (one against the rest); C by the errors over the folds.

    Parameters
    ----------
    features : FeatureRows
    signs : (n, q) array of -1 and 1
        One column for two classes, else one for each class.
    folds : (n,) int array
        Only the first ``COST_ROWS`` rows, which are random where the rows are, take part in the choice of C.
    costs : sequence of float
        Ascending; ties go to the smallest.
    """
    errors = np.zeros(len(costs))
    with one_blas_thread():
        if len(costs) > 1:
            few = np.arange(min(features.n, COST_ROWS))
            sample, own = features.take(few), folds[few]
            for fold in range(int(folds.max()) + 1):
                errors += _mistakes(sample, signs[few], own != fold, costs)
            errors /= len(few)
        best = int(np.argmin(errors))
        fitted = [Machine(features, column).fit(costs[best]) for column in signs.T]
    v = np.column_stack(fitted)
    return LinearFit(v[:-1], v[-1], costs[best], tuple(errors))


def _mistakes(
    features: FeatureRows, signs: FloatArray, train: np.ndarray, costs: Sequence[float]
) -> FloatArray:
    """Number of left out rows with the wrong class, for each C; each machine starts where the last ended."""
    inner, outer = features.take(np.flatnonzero(train)), features.take(np.flatnonzero(~train))
    machines = [Machine(inner, column) for column in signs[train].T]
    wrong = np.zeros(len(costs))
    for k, C in enumerate(costs):
        v = np.column_stack([machine.fit(C) for machine in machines])
        outputs = np.concatenate([Z @ v[:-1] + v[-1] for _, Z in outer.blocks()])
        wrong[k] = int((classes_of(outputs) != classes_of(signs[~train])).sum())
    return wrong


def classes_of(outputs: FloatArray) -> IntArray:
    """Class number of each row: the sign of one output, or the largest of several."""
    chosen = outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1)
    return chosen.astype(np.intp)
