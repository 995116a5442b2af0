"""The smallest number of landmarks that keeps to the target in 95 % of runs, from repeated runs on all rows.

A bracket closes around it: with its lower end the 95 % quantile of the errors of runs misses the target, with
its upper end it meets it. No law of the errors is assumed, and their slope only says where to look next.
"""

import math
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from nysviz.advice.candidates import Budget, Verified, allowed, candidates
from nysviz.advice.curve import ROUNDING, Curve, Estimate
from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.approximation import approximate
from nysviz.curves import residual_frobenius
from nysviz.landmarks import METHODS
from nysviz.measures import SAMPLED_ROWS, frobenius, residual_diagonal, sampled_errors
from nysviz.sweep import Job

# So many of the first are measured on all rows, and so many at most where measuring changes the order.
MEASURED, MOST_MEASURED = 2, 4
# Without a budget of time, a run on all rows is made where it takes no longer.
VERIFY_SECONDS = 30.0
# The part of the runs that must meet the target. The standard error of this quantile is so many standard
# deviations over √runs, for the normal law.
MEETING, MEETING_ERROR = 0.95, 2.1
# Standard error of ln m at which runs with one m end, and width of the bracket in ln m at which it does.
PRECISION = 0.04
# Runs with one m at least and at most; none begins after so many seconds.
LEAST_RUNS, MOST_RUNS = 10, 200
MOST_SECONDS = 3.0
NEAR = 0.05  # runs count for an m that is so near to theirs, in ln m
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
        if meeting - failing <= max(1.0, PRECISION * m):
            break
        times = (max(found.error.high, ROUNDING) / asked.target) ** (1.0 / curve.slope(m))
        step = math.ceil(m * min(2.0, max(0.5, times)))
        m = min(max(step, failing + 1), meeting - 1)
    return tried[meeting if meeting in tried else max(tried)]


def _measured(asked: Question, curve: Curve, m: int, known: list[tuple[int, float]]) -> Verified:
    """Runs with m landmarks until their quantile is known, or known to be on one side of the target.

    ``known`` are the m and ln error of the runs so far: those with nearly so many landmarks count as well,
    with the error that the curve's slope makes of theirs. The new ones are added.
    """
    method, slope, began = curve.method, curve.slope(m), time.perf_counter()
    near = [log - slope * math.log(m / other) for other, log in known if abs(math.log(m / other)) <= NEAR]
    runs: list[tuple[Estimate, float, float]] = []
    is_over = False
    while not is_over:
        # The first has the seed that was asked for, each other one a seed of its own.
        runs.append(_run(asked, method, m, asked.seed + (len(known) if runs else 0)))
        error, _, evaluations = runs[0]
        known.append((m, math.log(max(runs[-1][0].value, ROUNDING))))
        is_over = not METHODS[method].random or len(runs) == MOST_RUNS
        is_over |= time.perf_counter() - began > MOST_SECONDS
        if METHODS[method].random and (is_over or len(runs) >= LEAST_RUNS):
            logs = np.array([*near, *(log for _, log in known[-len(runs) :])])
            low, high = np.quantile(logs, (1.0 - MEETING, MEETING), method="weibull")
            error = Estimate(error.value, math.exp(low), math.exp(high))
            # Twice the standard error on one side is enough.
            away = abs(high - math.log(asked.target)) / 2.0
            off = MEETING_ERROR * float(logs.std()) / math.sqrt(len(logs))
            is_over |= off <= max(PRECISION * slope, away)
    rows = asked.n if asked.norm == "trace" or asked.uses_all_rows else SAMPLED_ROWS
    meets = error.high <= asked.target * (1.0 + ROUNDING)
    seconds = float(np.median([seconds for _, seconds, _ in runs]))
    return Verified(method, m, error, meets, seconds, evaluations, rows)


def _run(asked: Question, method: str, m: int, seed: int) -> tuple[Estimate, float, float]:
    """Error, seconds and evaluations of one approximation of all rows."""
    a = approximate(asked.X, asked.kernel, method, m, seed)
    if asked.norm == "frobenius" and not asked.uses_all_rows:
        found = sampled_errors(asked.X, asked.kernel, a, SAMPLED_ROWS, seed)
        error = found.relative_frobenius
        # Other rows for each seed: what they leave open is a part of how runs of a random method differ.
        low, high = (error, error) if METHODS[method].random else found.interval
        return Estimate(error, low, high), a.seconds, a.kernel_evaluations
    if asked.norm == "trace":
        whole = float(asked.kernel.diag(asked.X).sum())
        rest = float(residual_diagonal(asked.X, asked.kernel, a).sum())
    else:
        whole = frobenius(asked.whole)
        rest = residual_frobenius(asked.whole, a.factor)
    error = rest / whole if whole > 0 else 0.0
    return Estimate(error, error, error), a.seconds, a.kernel_evaluations
