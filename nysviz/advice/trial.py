"""How many landmarks are enough, tried with randomly pivoted Cholesky."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.kernels import Kernel
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.rows import dense_rows
from nysviz.nystroem.approximation import approximate
from nysviz.refusal import Refusal

# Rows among which landmarks are chosen, rows on which they are tried, and how often.
TRIAL_ROWS = 2_000
TRIALS = 5
MOST_LANDMARKS = 1_000
FIRST_LANDMARKS = 64
MARGIN = 1.1  # landmarks of the next trial for each that the last one needed
TARGETS = (0.2, 0.1, 0.05, 0.02, 0.01)  # relative trace errors that can be asked for
# Landmarks are worth their rows up to this part of them: Zhang, Tsang and Kwok 2008, figure 1, ends there.
WORTH = 0.1


@dataclass(frozen=True, eq=False)
class Trials:
    """Relative trace errors after t = 0, …, M landmarks, (trials, M + 1); estimated where ``rows < n``."""

    errors: FloatArray
    rows: int
    n: int


def trials(
    X: FloatArray,
    kernel: Kernel,
    *,
    rows: int = TRIAL_ROWS,
    repeats: int = TRIALS,
    seed: int = 0,
    most: int = MOST_LANDMARKS,
    least_error: float = TARGETS[-1],
) -> Trials:
    """Try how many landmarks are enough, by randomly pivoted Cholesky (Chen et al. 2022).

    Up to ``rows`` rows all of them are used and the errors are exact. Above, each trial chooses its landmarks
    among ``rows`` random rows, and measures on others, drawn afresh from all rows, so that the mean of
    their residuals estimates that of all rows without bias. The curves end where the last trial falls to
    ``least_error``; one that falls short with ``most`` landmarks is the last. O(repeats · rows · m (d + m))
    for m landmarks tried.
    """
    X = dense_rows(X)
    most = min(most, rows, len(X))
    m, curves = min(FIRST_LANDMARKS, most), []
    for trial in range(repeats):
        curve = _trial(X, kernel, rows, seed + trial, m)
        while m < most and curve[-1] > least_error:
            m = min(most, 2 * m)
            curve = _trial(X, kernel, rows, seed + trial, m)
        curves.append(curve)
        if curve[-1] > least_error:
            # More trials would cost most where they can no longer change the answer.
            break
        # The next one needs about as many.
        m = min(most, max(FIRST_LANDMARKS, math.ceil(MARGIN * int((curve > least_error).sum()))))
    # What lies behind the end of the shortest curve that is below ``least_error`` is not asked for. One that
    # found K reproduced before its last landmark keeps its last error.
    longest = max(len(curve) for curve in curves)
    stop = min(longest, 1 + max(int((curve > least_error).sum()) for curve in curves))
    fitted = [np.pad(curve, (0, max(0, stop - len(curve))), mode="edge")[:stop] for curve in curves]
    return Trials(np.array(fitted), min(rows, len(X)), len(X))


def _trial(X: FloatArray, kernel: Kernel, rows: int, seed: int, m: int) -> FloatArray:
    """Relative trace errors after 0, 1, …, m landmarks, (m + 1,) or fewer."""
    if len(X) <= rows:
        features = approximate(X, kernel, "rpcholesky", m, seed).factor
        diagonal = kernel.diag(X)
    else:
        rng = np.random.default_rng(seed)
        chosen, checked = (X[rng.permutation(len(X))[:rows]] for _ in range(2))
        # The features of other rows come in the order of the landmarks too: the projection is a triangle.
        features = approximate(chosen, kernel, "rpcholesky", m, seed).transform(checked)
        diagonal = kernel.diag(checked)
    total = float(diagonal.sum())
    explained = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->j", features, features))])
    if not total > 0:
        return np.zeros(len(explained))
    return np.maximum(1.0 - explained / total, 0.0)


@dataclass(frozen=True)
class Landmarks:
    """How many landmarks reach an error: median, least and most of the trials; None where one fell short."""

    target: float
    m: int | None
    low: int | None
    high: int | None


def enough_landmarks(found: Trials, target: float) -> Landmarks:
    """Return the smallest numbers of landmarks whose relative trace error is at most ``target``."""
    if not 0.0 < target < 1.0:
        raise Refusal(f"The error asked for is {target:g}; a number between 0 and 1 is needed.")
    reached = found.errors <= target
    firsts = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    if (firsts < 0).any():
        some = firsts[firsts >= 0]
        return Landmarks(target, None, int(some.min()) if len(some) else None, None)
    # An even number of trials has two middles; the larger one is the safer.
    middle = int(np.sort(firsts)[len(firsts) // 2])
    return Landmarks(target, middle, int(firsts.min()), int(firsts.max()))


def suggested(found: Sequence[Landmarks], n: int) -> int | None:
    """Index of the narrowest bandwidth that needs at most ``WORTH`` of the rows, else of the least needy."""
    reached = [(one.m, index) for index, one in enumerate(found) if one.m is not None]
    worth = (index for m, index in reached if m <= WORTH * n)
    return next(worth, min(reached)[1] if reached else None)
