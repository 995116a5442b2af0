"""What the bandwidth does to the landmarks that are needed, and with labels to what is learned."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nysviz.advice.curve import curve_of
from nysviz.advice.question import Question
from nysviz.advice.screening import screen
from nysviz.analysis.learning.feature_map import FeatureRows
from nysviz.analysis.learning.feature_trial import TrialSetting, targets_of
from nysviz.analysis.learning.linear_machines import classes_of, ridge
from nysviz.kernels import Kernel, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.sweep import Job

# Multiples of the default σ: narrower and wider by steps of √2 and 2.
MULTIPLES = (0.25, 0.5, 2**-0.5, 1.0, 2**0.5, 2.0, 4.0)
# The needed landmarks are tried with this method alone, since one run of it serves every m.
METHOD, REPEATS = "rpcholesky", 2
# Learning: rows, landmarks and folds, and choices of few landmarks.
LEARNING_ROWS, LEARNING_LANDMARKS, FOLDS, LEARNING_RUNS = 2_000, 300, 5, 2


@dataclass(frozen=True)
class Width:
    """One bandwidth.

    ``multiple`` is that of the kernel's own σ, or where none was named, of the default one. ``m`` landmarks
    are needed with randomly pivoted Cholesky by the expected error, ``low`` and ``high`` by the ends of its
    interval; None where ``most``, the most that were tried, fall short; ``error`` is the smallest reached.
    ``loss``, with its standard error, is the cross-validated share of wrong classes, or squared error over
    the variance, of ridge regression on Nyström features from ``landmarks`` landmarks, ``few_loss`` the same
    from ``few``: those that the target needs, or the most that were tried, no more than ``landmarks``. NaN
    and 0 without labels.
    """

    sigma: float
    multiple: float
    m: int | None
    low: int | None
    high: int | None
    most: int
    error: float
    loss: float = math.nan
    loss_se: float = math.nan
    landmarks: int = 0
    few_loss: float = math.nan
    few_loss_se: float = math.nan
    few: int = 0


def sigma_of(kernel: Kernel) -> float | None:
    """σ of a radial kernel; None for the others, which have no bandwidth."""
    return getattr(kernel, "sigma", None)


def task_of(y: Any) -> str:
    """Return "classification" where labels are words or few whole numbers, else "regression"."""
    values = np.asarray(y)
    if values.dtype.kind not in "fiub":
        return "classification"
    whole = bool((values == np.round(values)).all())
    # Labels with at most 50 values, all whole, are classes.
    return "classification" if whole and len(np.unique(values)) <= 50 else "regression"


def width_jobs(asked: Question, y: Any = None, task: str | None = None) -> list[Job]:
    """Return one job a bandwidth, the asked one first; none for a kernel without a bandwidth.

    Beside the asked one they lie around the default one, which suits the data however far off the asked one
    is; around the asked one where equal rows have no default.
    """
    if sigma_of(asked.kernel) is None:
        return []
    labels = None if y is None or len(np.unique(np.asarray(y))) < 2 else np.asarray(y)
    key = ("width", asked.digest, asked.kernel, asked.norm, asked.stop, asked.target, asked.seed)
    jobs = []
    for multiple in sorted(_multiples(asked), key=lambda value: abs(math.log(value))):
        work = partial(_width, asked, multiple, labels, task)
        jobs.append(Job((*key, multiple, labels is not None, task), "width", 1.0, work))
    return jobs


def width_sigmas(asked: Question) -> list[float]:
    """Return the bandwidths that are tried."""
    return [multiple * (sigma_of(asked.kernel) or math.nan) for multiple in _multiples(asked)]


def _multiples(asked: Question) -> set[float]:
    """Return the bandwidths that are tried, in multiples of the asked one."""
    width, own = default_width(asked.X), sigma_of(asked.kernel) or math.nan
    ratio = math.sqrt(width / 2.0) / own if width > 0 else 1.0
    # The default itself, up to rounding, has the multiples as they are written.
    ratio = 1.0 if math.isclose(ratio, 1.0, rel_tol=1e-6) else ratio
    return {1.0, *(multiple * ratio for multiple in MULTIPLES)}


def _width(asked: Question, multiple: float, y: Any, task: str | None) -> tuple[Width, ...]:
    sigma = (sigma_of(asked.kernel) or math.nan) * multiple
    kernel: Kernel = replace(asked.kernel, sigma=sigma)  # type: ignore[call-arg]
    other = replace(asked, kernel=kernel, methods=(METHOD,))
    size = other.sizes[-1]
    tried = [one for repeat in range(REPEATS) for one in screen(other, METHOD, size, repeat)]
    curve = curve_of(METHOD, tried, asked.n, asked.most(size))
    m, low, high = (curve.needed(asked.target, line) for line in ("value", "low", "high"))
    width = Width(sigma, multiple, m, low, high, asked.most(size), float(curve.value[-1]))
    if y is None:
        return (width,)
    # The loss with many landmarks, and with those that the target needs.
    many = min(LEARNING_LANDMARKS, min(asked.n, LEARNING_ROWS) // 2)
    few = min(width.most if m is None else m, many)
    loss, se = less, less_se = learned(asked.X, kernel, y, task, asked.seed, many)
    if few < many:
        less, less_se = learned(asked.X, kernel, y, task, asked.seed, few, LEARNING_RUNS)
    return (
        replace(width, loss=loss, loss_se=se, landmarks=many, few_loss=less, few_loss_se=less_se, few=few),
    )


def learned(
    X: FloatArray,
    kernel: Kernel,
    y: Any,
    task: str | None = None,
    seed: int = 0,
    landmarks: int = LEARNING_LANDMARKS,
    runs: int = 1,
) -> tuple[float, float]:
    """Cross-validated loss of ridge regression on Nyström features, with its standard error.

    The share of wrong classes; or mean squared error over the variance of y. The penalty is chosen anew
    within the training part of each fold, so that no row is used both to choose and to test. At most
    ``LEARNING_ROWS`` random rows, and ``landmarks`` of at most half of them; the loss of each row is averaged
    over ``runs`` choices.
    """
    task = task_of(y) if task is None else task
    rows = np.random.default_rng([seed, 3]).permutation(X.shape[0])[:LEARNING_ROWS]
    X, y = X[rows], np.asarray(y)[rows]
    if len(X) < 2 * FOLDS or len(np.unique(y)) < 2:
        return math.nan, math.nan
    folds = np.arange(len(X)) % FOLDS
    targets, codes = targets_of(y, TrialSetting(task), np.arange(len(X)))
    losses = np.zeros(len(X))
    for run in range(runs):
        a = approximate(X, kernel, METHOD, min(landmarks, len(X) // 2), seed + run)
        features = FeatureRows(X, a.transform, a.rank, a.factor)
        for fold in range(FOLDS):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            inner = np.arange(len(train)) % FOLDS
            outputs = ridge(features.take(train), targets[train], inner).outputs(a.factor[test])
            if task == "regression":
                losses[test] += np.square(outputs - targets[test]).sum(axis=1)
            else:
                losses[test] += classes_of(outputs) != codes[test]
    losses /= runs
    return float(losses.mean()), float(losses.std(ddof=1) / math.sqrt(len(losses)))


def chosen_width(found: Sequence[Width]) -> Width | None:
    """Return the widest bandwidth that predicts as well as the best, also with the landmarks of the target.

    As well is within one standard error of the best loss with many landmarks. A wide kernel, whose K is
    nearly constant, meets the target with a landmark or two, which tell nothing of the labels. Where the
    target's landmarks are nowhere enough, the widest within one standard error of the best that they do. None
    where nothing was learned: an error of approximation alone cannot choose, since a wider kernel is always
    easier.
    """
    near = [one for one in found if is_enough(one, found)]
    if not near:
        known = [one for one in found if math.isfinite(one.few_loss)]
        limit = min((one.few_loss, one.few_loss_se) for one in known) if known else (0.0, 0.0)
        near = [one for one in known if one.few_loss <= sum(limit)]
    return max(near, key=lambda one: one.sigma, default=None)


def is_enough(one: Width, found: Sequence[Width]) -> bool:
    """Whether many landmarks, and those for the target, predict within one standard error of the best."""
    known = [other for other in found if math.isfinite(other.loss)]
    best = min(known, key=lambda other: other.loss, default=one)
    limit = best.loss + best.loss_se
    return one.loss <= limit and not one.few_loss > limit
