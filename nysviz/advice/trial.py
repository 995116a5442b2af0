"""The number of landmarks that is enough for an error, by trials of randomly pivoted Cholesky."""

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
# Approximation is worth while up to this m/n: Zhang, Tsang and Kwok 2008, figure 1, ends there.
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
    max_landmarks: int = MOST_LANDMARKS,
    least_error: float = TARGETS[-1],
) -> Trials:
    """Try how many landmarks are enough, by randomly pivoted Cholesky (Chen et al. 2022).

    With at most ``rows`` rows all of them are used and the errors are exact. Otherwise each trial chooses its
    landmarks among ``rows`` random rows and measures on another random sample, so that the mean of their
    residuals estimates that of all rows without bias. The curves end where the last trial falls to
    ``least_error``; after a trial that does not with ``max_landmarks`` landmarks there is no further one.
    O(repeats · rows · m (d + m)) for m landmarks tried.
    """
    X = dense_rows(X)
    max_landmarks = min(max_landmarks, rows, len(X))
    m, curves = min(FIRST_LANDMARKS, max_landmarks), []
    for trial in range(repeats):
        curve = _trial(X, kernel, rows, seed + trial, m)
        while m < max_landmarks and curve[-1] > least_error:
            m = min(max_landmarks, 2 * m)
            curve = _trial(X, kernel, rows, seed + trial, m)
        curves.append(curve)
        if curve[-1] > least_error:
            # Further trials would be the most expensive ones and could not change the answer.
            break
        # The next trial needs about as many landmarks.
        m = min(max_landmarks, max(FIRST_LANDMARKS, math.ceil(MARGIN * int((curve > least_error).sum()))))
    # Errors beyond the first below ``least_error`` in every curve are cut off. A curve that reproduced K
    # before its last landmark keeps its last error.
    longest = max(len(curve) for curve in curves)
    stop = min(longest, 1 + max(int((curve > least_error).sum()) for curve in curves))
    fitted = [np.pad(curve, (0, max(0, stop - len(curve))), mode="edge")[:stop] for curve in curves]
    return Trials(np.array(fitted), min(rows, len(X)), len(X))


def _trial(X: FloatArray, kernel: Kernel, rows: int, seed: int, m: int) -> FloatArray:
    """Return relative trace errors after 0, 1, …, m landmarks, (m + 1,) or fewer."""
    if len(X) <= rows:
        features = approximate(X, kernel, "rpcholesky", m, seed).factor
        diagonal = kernel.diag(X)
    else:
        rng = np.random.default_rng(seed)
        chosen, checked = (X[rng.permutation(len(X))[:rows]] for _ in range(2))
        # The projection is triangular, so features of other rows also come in the order of the landmarks.
        features = approximate(chosen, kernel, "rpcholesky", m, seed).transform(checked)
        diagonal = kernel.diag(checked)
    total = float(diagonal.sum())
    explained = np.concatenate([[0.0], np.cumsum(np.einsum("ij,ij->j", features, features))])
    if not total > 0:
        return np.zeros(len(explained))
    return np.maximum(1.0 - explained / total, 0.0)


@dataclass(frozen=True)
class LandmarkCounts:
    """Numbers of landmarks that reach an error: median, smallest and largest; None where a trial did not."""

    target: float
    m: int | None
    low: int | None
    high: int | None


def enough_landmarks(measured: Trials, target: float) -> LandmarkCounts:
    """Return the smallest numbers of landmarks whose relative trace error is at most ``target``."""
    if not 0.0 < target < 1.0:
        raise Refusal(f"The error asked for is {target:g}; a number between 0 and 1 is needed.")
    reached = measured.errors <= target
    firsts = np.where(reached.any(axis=1), reached.argmax(axis=1), -1)
    if (firsts < 0).any():
        known_counts = firsts[firsts >= 0]
        return LandmarkCounts(target, None, int(known_counts.min()) if len(known_counts) else None, None)
    # An even number of trials has two middle values; the larger one is safer.
    middle = int(np.sort(firsts)[len(firsts) // 2])
    return LandmarkCounts(target, middle, int(firsts.min()), int(firsts.max()))


def suggest_index(counts: Sequence[LandmarkCounts], n: int) -> int | None:
    """Return the index of the narrowest bandwidth with m up to ``WORTH`` n, else that with the smallest m."""
    reached = [(count.m, index) for index, count in enumerate(counts) if count.m is not None]
    worth = (index for m, index in reached if m <= WORTH * n)
    return next(worth, min(reached)[1] if reached else None)
