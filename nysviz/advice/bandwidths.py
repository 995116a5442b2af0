"""The number of landmarks needed at several bandwidths, and the loss of a learner at one."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nysviz.advice.curve import curve_of
from nysviz.advice.request import AdviceRequest
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

    ``multiple`` counts from the σ of the request. ``m`` landmarks are needed with randomly pivoted Cholesky
    by the expected error, ``low`` and ``high`` by the ends of its interval; None where ``most_tried``
    landmarks are not enough; ``error`` is the smallest reached.
    """

    sigma: float
    multiple: float
    m: int | None
    low: int | None
    high: int | None
    most_tried: int
    error: float


def sigma_of(kernel: Kernel) -> float | None:
    """Return σ of a radial kernel; None for other kernels, which have no bandwidth."""
    return getattr(kernel, "sigma", None)


def task_of(y: Any) -> str:
    """Return "classification" where labels are words or few whole numbers, else "regression"."""
    values = np.asarray(y)
    if values.dtype.kind not in "fiub":
        return "classification"
    whole = bool((values == np.round(values)).all())
    # Labels with at most 50 values, all whole, are classes.
    return "classification" if whole and len(np.unique(values)) <= 50 else "regression"


def width_jobs(request: AdviceRequest) -> list[Job]:
    """Return one job per bandwidth, that of the request first; none for a kernel without a bandwidth.

    The others lie around the default bandwidth, which suits the data even where the requested one does not;
    around the requested one where all rows are equal and have no default.
    """
    if sigma_of(request.kernel) is None:
        return []
    key = ("width", request.digest, request.kernel, request.norm, request.stop, request.target, request.seed)
    jobs = []
    for multiple in sorted(_multiples(request), key=lambda value: abs(math.log(value))):
        jobs.append(Job((*key, multiple), "width", 1.0, partial(_width, request, multiple)))
    return jobs


def width_sigmas(request: AdviceRequest) -> list[float]:
    """Return the bandwidths that are tried."""
    return [multiple * (sigma_of(request.kernel) or math.nan) for multiple in _multiples(request)]


def _multiples(request: AdviceRequest) -> set[float]:
    """Return the bandwidths that are tried, in multiples of the requested one."""
    width, sigma = default_width(request.X), sigma_of(request.kernel) or math.nan
    ratio = math.sqrt(width / 2.0) / sigma if width > 0 else 1.0
    # A bandwidth equal to the default up to rounding has exactly the multiples above.
    ratio = 1.0 if math.isclose(ratio, 1.0, rel_tol=1e-6) else ratio
    return {1.0, *(multiple * ratio for multiple in MULTIPLES)}


def _width(request: AdviceRequest, multiple: float) -> tuple[Width, ...]:
    sigma = (sigma_of(request.kernel) or math.nan) * multiple
    kernel: Kernel = replace(request.kernel, sigma=sigma)  # type: ignore[call-arg]
    narrowed = replace(request, kernel=kernel, methods=(METHOD,))
    size = narrowed.sizes[-1]
    records = [record for repeat in range(REPEATS) for record in screen(narrowed, METHOD, size, repeat)]
    curve = curve_of(METHOD, records, request.n, request.most_landmarks(size))
    m, low, high = (curve.landmarks_for(request.target, line) for line in ("value", "low", "high"))
    return (Width(sigma, multiple, m, low, high, request.most_landmarks(size), float(curve.value[-1])),)


def cross_validate(
    X: FloatArray,
    kernel: Kernel,
    y: Any,
    task: str | None = None,
    seed: int = 0,
    landmarks: int = LEARNING_LANDMARKS,
    runs: int = 1,
) -> tuple[float, float]:
    """Return the cross-validated loss of ridge regression on Nyström features, with its standard error.

    The loss is the share of wrong classes, or the mean squared error over the variance of y. The penalty is
    chosen within the training part of each fold, so that no row is used both to choose and to test. At most
    ``LEARNING_ROWS`` random rows are used, and at most half of them as landmarks; the loss of each row is
    averaged over ``runs`` choices of landmarks.
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
