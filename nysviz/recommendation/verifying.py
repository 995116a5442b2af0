"""The proposed number of landmarks tried on all rows, and mended until it is the smallest that suffices."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from nysviz.approximation import approximate
from nysviz.landmarks import METHODS
from nysviz.measures import SAMPLED_ROWS, residual_diagonal, sampled_errors
from nysviz.recommendation.curve import Curve, Estimate
from nysviz.recommendation.question import Question

# Numbers of landmarks that are tried at most, and the part of the target that an error may stay below it
# without another one being tried.
STEPS = 5
CLOSE = 0.96
# A second and a third seed are tried where a run takes no longer.
AGAIN_SECONDS = 1.0
SEEDS = 3


@dataclass(frozen=True)
class Verified:
    """A method and a number of landmarks, measured on all rows.

    Attributes
    ----------
    method : str
    m : int
    error : Estimate
        ``value`` is that of the question's seed. The interval holds that of another seed 19 times of 20, and
        what sampled rows leave open.
    meets : bool
        Whether the interval's upper end is at most the target.
    seconds : Estimate
        Median of the runs with this m, and their range.
    evaluations : float
    bytes : int
        Of the factor, or of what makes it.
    rows : int
        Rows of K − K̃ that the error comes from.
    seeds : int
    path : tuple of (m, error)
        Numbers of landmarks in the order of trial, with the upper end of the error's interval.
    """

    method: str
    m: int
    error: Estimate
    meets: bool
    seconds: Estimate
    evaluations: float
    bytes: int
    rows: int
    seeds: int
    path: tuple[tuple[int, float], ...]


def verify(asked: Question, curve: Curve, start: int, most: int) -> Verified:
    """Measure on all rows, and move m along the curve's slope until it is the smallest that meets the target.

    Parameters
    ----------
    asked : Question
    curve : Curve
        Expected errors of the method: their slope, and the spread from run to run.
    start : int
        Landmarks to begin with.
    most : int
        At most so many.

    Returns
    -------
    Verified
        The smallest m tried that meets the target, or the largest tried where none does. Trace errors are
        exact; Frobenius errors are where the rows are few, and else from sampled rows. At most ``STEPS``
        times ``SEEDS`` approximations.
    """
    tried: dict[int, Verified] = {}
    failing, meeting = 0, most + 1
    m = min(max(1, start), most)
    for _ in range(STEPS):
        one = tried[m] = _measure(asked, curve, m)
        ratio = one.error.high / asked.target
        if one.meets:
            meeting = min(meeting, m)
            if ratio > CLOSE or m == 1:
                break
        else:
            failing = max(failing, m)
            if m == most:
                break
        step = m * max(ratio, 1e-3) ** (1.0 / curve.slope(m))
        # A little more than the line says where it fell short: the next one shall suffice.
        wanted = math.ceil(1.01 * step) if ratio > 1 else math.ceil(step)
        m = min(max(wanted, failing + 1), meeting - 1, most)
        if m in tried or m <= failing:
            break
    best = tried[meeting] if meeting in tried else tried[max(tried)]
    path = tuple((count, one.error.high) for count, one in tried.items())
    return replace(best, path=path)


def _measure(asked: Question, curve: Curve, m: int) -> Verified:
    """One number of landmarks with the question's seed, and with others where that is quick."""
    runs: list[Estimate] = []
    seconds: list[float] = []
    evaluations, size, rows = 0.0, 0, asked.n
    wanted = SEEDS if METHODS[curve.method].random else 1
    started = time.perf_counter()
    for seed in range(wanted):
        a = approximate(asked.X, asked.kernel, curve.method, m, asked.seed + seed)
        seconds.append(a.seconds)
        if asked.norm == "trace":
            whole = float(asked.kernel.diag(asked.X).sum())
            rest = float(residual_diagonal(asked.X, asked.kernel, a).sum())
            part = rest / whole if whole > 0 else 0.0
            runs.append(Estimate(part, part, part))
        else:
            rows = asked.n if asked.uses_all_rows else SAMPLED_ROWS
            found = sampled_errors(asked.X, asked.kernel, a, rows, asked.seed)
            runs.append(Estimate(found.relative_frobenius, *found.interval))
        if seed == 0:
            evaluations, size = float(a.kernel_evaluations), a.nbytes
        if time.perf_counter() - started > AGAIN_SECONDS:
            break
    error = _pooled(runs, curve, m)
    times = Estimate(float(np.median(seconds)), min(seconds), max(seconds))
    meets = error.high <= asked.target
    return Verified(curve.method, m, error, meets, times, evaluations, size, rows, len(runs), ())


def _pooled(runs: list[Estimate], curve: Curve, m: int) -> Estimate:
    """The first run's error, with the interval for another seed."""
    floor = 1e-15
    middle = math.exp(float(np.mean([math.log(max(run.value, floor)) for run in runs])))
    # The curve's spread is that of one more run beside so many; here there are others.
    share = math.sqrt((1.0 + 1.0 / len(runs)) / (1.0 + 1.0 / curve.runs))
    spread = curve.spread_at(m) ** share if METHODS[curve.method].random else 1.0
    # What sampled rows leave open is nearly the same for all seeds, which share most of the rows.
    below = max(run.value - run.low for run in runs)
    above = max(run.high - run.value for run in runs)
    low, high = min(middle / spread, runs[0].value), max(middle * spread, runs[0].value)
    return Estimate(runs[0].value, max(0.0, low - below), high + above)
