"""The smallest number of landmarks that keeps to the target in 95 % of runs, from repeated runs on all rows.

A bracket closes around it: with its lower end the 95 % quantile of the errors of runs, plus one standard
error, misses the target, with its upper end it meets it. No law of the errors is assumed where there is time
for enough runs, and their slope only says where to look next.
"""

import math
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from nysviz.advice.candidates import Budget, Verified, allowed, candidates
from nysviz.advice.curve import QUANTILE, ROUNDING, Curve, Estimate
from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.measures import SAMPLED_ROWS, frobenius, residual_diagonal, sampled_errors
from nysviz.sweep import Job

# Candidates that are measured on all rows, and the most of them where measuring changes the order.
MEASURED, MOST_MEASURED = 2, 4
# Without a budget of time, a run on all rows is made where it takes no longer.
VERIFY_SECONDS = 30.0
# The part of the runs that must meet the target. Under the normal law the standard error of this quantile is
# NORMAL_ERROR standard deviations over √runs.
MEETING, NORMAL_ERROR = 0.95, 2.1
# Width of the bracket in ln m at which it is closed.
BRACKET = 0.04
# The largest error of fewer runs is no bound with one standard error to spare; with the most runs 97.2 % must
# meet the target. None begins after MOST_SECONDS.
LEAST_RUNS, MOST_RUNS = 40, 100
MOST_SECONDS = 5.0
NEAR = 0.05  # runs count for an m within this distance of theirs, in ln m
STEPS = 10  # numbers of landmarks that are tried at most


def second_stage_job(asked: Question, budget: Budget, tried: Sequence[Tried]) -> Job:
    """Return the job of ``second_stage``, which depends on the order that the first stage has found."""
    order = tuple((one.method, one.m) for one in candidates(asked, budget, tried))
    key = ("all rows", asked.digest, asked.kernel, asked.norm, asked.target, asked.seed, budget, order)
    return Job(key, "all rows", 1.0, partial(second_stage, asked, budget, tuple(tried)))


def second_stage(asked: Question, budget: Budget, tried: Sequence[Tried]) -> tuple[Verified, ...]:
    """Measure candidates on all rows until a measured one is first, where that is quick enough."""
    found: dict[str, Verified] = {}
    limit = VERIFY_SECONDS if budget.seconds is None else budget.seconds
    while len(found) < MOST_MEASURED:
        suited = [
            one
            for one in candidates(asked, budget, tried, found)
            if one.method in found or (one.m > 0 and one.seconds <= limit)
        ]
        missing = [one for one in suited[:MEASURED] if one.method not in found]
        if not missing or (len(found) >= MEASURED and suited[0].method in found):
            break
        one = missing[0]
        found[one.method] = verify(asked, one.curve, one.m, max(1, allowed(asked, budget, one.cost)))
    return tuple(found.values())


def verify(asked: Question, curve: Curve, start: int, most: int) -> Verified:
    """Find the smallest m, from ``start`` on and at most ``most``, with which 95 % of runs meet the target.

    The slope of the method's expected errors leads from one m to the next; the result is the largest m tried
    where none meets the target. Frobenius errors come from sampled rows where the rows are many; all others
    are exact. At most ``STEPS`` times ``MOST_RUNS`` approximations.
    """
    m, failing, meeting = min(max(1, start), most), 0, most + 1
    tried: dict[int, Verified] = {}
    known: list[tuple[int, float]] = []
    while len(tried) < STEPS:
        found = tried[m] = _measured(asked, curve, m, known)
        failing, meeting = (failing, m) if found.meets else (m, meeting)
        if meeting - failing <= max(1.0, BRACKET * m):
            break
        times = (max(found.error.high, ROUNDING) / asked.target) ** (1.0 / curve.slope(m))
        step = math.ceil(m * min(2.0, max(0.5, times)))
        m = min(max(step, failing + 1), meeting - 1)
    return tried[meeting if meeting in tried else max(tried)]


def _measured(asked: Question, curve: Curve, m: int, known: list[tuple[int, float]]) -> Verified:
    """Runs with m landmarks until their quantile is known, or known to be on one side of the target.

    ``known`` are the m and ln error of the runs so far: those with nearly m landmarks count as well,
    with the error that the curve's slope makes of theirs. The new ones are added. The upper end of the error
    is the quantile plus one standard error.
    """
    method, slope, began = curve.method, curve.slope(m), time.perf_counter()
    goal = math.log(asked.target)
    near = [log - slope * math.log(m / other) for other, log in known if abs(math.log(m / other)) <= NEAR]
    runs: list[tuple[Estimate, float, float]] = []
    is_over = False
    while not is_over:
        # The first has the seed that was asked for, each other one a seed of its own.
        runs.append(_run(asked, method, m, asked.seed + (len(known) if runs else 0)))
        log = math.log(max(runs[-1][0].value, ROUNDING))
        near.append(log)
        if len(runs) > 1 or not known:
            # The first seed counts once, with the first m.
            known.append((m, log))
        error, _, evaluations = runs[0]
        is_over = not METHODS[method].random or len(runs) == MOST_RUNS
        is_over |= time.perf_counter() - began > MOST_SECONDS
        if METHODS[method].random:
            low, missing, high, meeting = _quantiles(near, curve.deviation(m))
            error = Estimate(error.value, math.exp(low), math.exp(high))
            # Twice the standard error on one side is enough; few runs only show that the target is missed.
            is_over |= missing > goal or (len(near) >= LEAST_RUNS and meeting <= goal)
    rows = asked.n if asked.norm == "trace" or asked.uses_all_rows else SAMPLED_ROWS
    meets = error.high <= asked.target * (1.0 + ROUNDING)
    seconds = float(np.median([seconds for _, seconds, _ in runs]))
    return Verified(method, m, error, meets, seconds, evaluations, rows)


def _quantiles(logs: Sequence[float], deviation: float) -> FloatArray:
    """Return quantiles of log errors: 5 %, and 95 % less two, plus one and plus two standard errors.

    The standard error is that of the share of runs, binomial, so that no law of the errors is assumed. Fewer
    runs than ``LEAST_RUNS`` have the normal law with the given standard deviation.
    """
    errors = np.array([-2.0, 1.0, 2.0]) / math.sqrt(len(logs))
    if len(logs) < LEAST_RUNS:
        steps = [-QUANTILE, *(QUANTILE + NORMAL_ERROR * errors)]
        return np.mean(logs) + deviation * np.array(steps)
    levels = [1.0 - MEETING, *(MEETING + math.sqrt(MEETING * (1.0 - MEETING)) * errors)]
    return np.quantile(logs, np.minimum(levels, 1.0), method="weibull")


def _run(asked: Question, method: str, m: int, seed: int) -> tuple[Estimate, float, float]:
    """Error, seconds and evaluations of one approximation of all rows."""
    a = approximate(asked.X, asked.kernel, method, m, seed)
    if asked.norm == "frobenius" and not asked.uses_all_rows:
        found = sampled_errors(asked.X, asked.kernel, a, SAMPLED_ROWS, seed)
        error = found.relative_frobenius
        # Other rows for each seed: what they leave open is a part of how runs of a random method differ.
        ends = (error, error) if METHODS[method].random else found.interval
        # Without an interval nothing is promised.
        low, high = ends if ends is not None else (0.0, math.inf)
        return Estimate(error, low, high), a.seconds, a.kernel_evaluations
    if asked.norm == "trace":
        whole = float(asked.kernel.diag(asked.X).sum())
        rest = float(residual_diagonal(asked.X, asked.kernel, a).sum())
    else:
        whole = frobenius(asked.whole)
        rest = residual_frobenius(asked.whole, a.factor)
    error = rest / whole if whole > 0 else 0.0
    return Estimate(error, error, error), a.seconds, a.kernel_evaluations
