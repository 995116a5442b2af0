"""The smallest number of landmarks that meets the target in 95 % of runs, from repeated runs on all rows.

A bracket closes around it: at its lower end the 95 % quantile of the errors of runs, plus one standard error,
misses the target, at its upper end it meets it. With time for enough runs no law of the errors is assumed;
the slope of the curve only says which m to try next.
"""

import math
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from nysviz.advice.candidates import Budget, Verified, count_allowed, rank_candidates
from nysviz.advice.curve import QUANTILE, ROUNDING, Curve, Estimate
from nysviz.advice.request import AdviceRequest
from nysviz.advice.screening import ScreeningRecord
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.measures import SAMPLED_ROWS, frobenius, residual_diagonal, sampled_errors
from nysviz.nystroem.measures.exact import ratio_of
from nysviz.sweep import Job

# Candidates measured on all rows, and the most of them where measuring changes the order.
MEASURED, MOST_MEASURED = 2, 4
# Without a time budget, the longest predicted run on all rows.
VERIFY_SECONDS = 30.0
# The fraction of runs that must meet the target. Under the normal law the standard error of this quantile is
# NORMAL_ERROR standard deviations over √runs.
MEETING, NORMAL_ERROR = 0.95, 2.1
# Width of the bracket in ln m at which the search ends.
BRACKET = 0.04
# With fewer runs even the largest error may be below the quantile plus one standard error; with the most runs
# 97.2 % must meet the target. No run starts after MOST_SECONDS.
LEAST_RUNS, MOST_RUNS = 40, 100
MOST_SECONDS = 5.0
NEAR = 0.05  # runs count for an m within this distance of theirs, in ln m
STEPS = 10  # most numbers of landmarks that are tried


def second_stage_job(request: AdviceRequest, budget: Budget, records: Sequence[ScreeningRecord]) -> Job:
    """Return the job of ``second_stage``, which depends on the order after the first stage."""
    order = tuple((candidate.method, candidate.m) for candidate in rank_candidates(request, budget, records))
    content = (request.digest, request.kernel, request.norm, request.target, request.seed)
    key = ("all rows", *content, budget, order)
    return Job(key, "all rows", 1.0, partial(second_stage, request, budget, tuple(records)))


def second_stage(
    request: AdviceRequest, budget: Budget, records: Sequence[ScreeningRecord]
) -> tuple[Verified, ...]:
    """Measure candidates on all rows until a measured one ranks first, if they are quick enough."""
    verified: dict[str, Verified] = {}
    limit = VERIFY_SECONDS if budget.seconds is None else budget.seconds
    while len(verified) < MOST_MEASURED:
        suited = [
            candidate
            for candidate in rank_candidates(request, budget, records, verified)
            if candidate.method in verified or (candidate.m > 0 and candidate.seconds <= limit)
        ]
        missing = [candidate for candidate in suited[:MEASURED] if candidate.method not in verified]
        if not missing or (len(verified) >= MEASURED and suited[0].method in verified):
            break
        candidate = missing[0]
        verified[candidate.method] = verify(
            request, candidate.curve, candidate.m, max(1, count_allowed(request, budget, candidate.cost))
        )
    return tuple(verified.values())


def verify(request: AdviceRequest, curve: Curve, start: int, limit: int) -> Verified:
    """Find the smallest m, from ``start`` on and at most ``limit``, with which 95 % of runs meet the target.

    The slope of the method's expected errors leads from one m to the next; where no m meets the target, the
    result is the largest m tried. Frobenius errors come from sampled rows where the rows are many; all others
    are exact. At most ``STEPS`` times ``MOST_RUNS`` approximations.
    """
    m, failing, meeting = min(max(1, start), limit), 0, limit + 1
    results: dict[int, Verified] = {}
    earlier_runs: list[tuple[int, float]] = []
    while len(results) < STEPS:
        result = results[m] = _measure(request, curve, m, earlier_runs)
        failing, meeting = (failing, m) if result.meets else (m, meeting)
        if meeting - failing <= max(1.0, BRACKET * m):
            break
        ratio = (max(result.error.high, ROUNDING) / request.target) ** (1.0 / curve.slope(m))
        step = math.ceil(m * min(2.0, max(0.5, ratio)))
        m = min(max(step, failing + 1), meeting - 1)
    return results[meeting if meeting in results else max(results)]


def _measure(request: AdviceRequest, curve: Curve, m: int, earlier_runs: list[tuple[int, float]]) -> Verified:
    """Runs with m landmarks until their quantile is known, or known to be on one side of the target.

    ``earlier_runs`` are the m and ln error of the runs so far: those with nearly m landmarks count as well,
    with the error that the curve's slope makes of theirs. The new ones are added. The upper end of the error
    is the quantile plus one standard error.
    """
    method, slope, began = curve.method, curve.slope(m), time.perf_counter()
    goal = math.log(request.target)
    near = [
        log - slope * math.log(m / run_m) for run_m, log in earlier_runs if abs(math.log(m / run_m)) <= NEAR
    ]
    runs: list[tuple[Estimate, float, float]] = []
    is_over = False
    while not is_over:
        # The first run has the request's seed, each other one a seed of its own.
        runs.append(measure_run(request, method, m, request.seed + (len(earlier_runs) if runs else 0)))
        log = math.log(max(runs[-1][0].value, ROUNDING))
        near.append(log)
        if len(runs) > 1 or not earlier_runs:
            # The first seed counts once, with the first m.
            earlier_runs.append((m, log))
        error, _, evaluations = runs[0]
        is_over = not METHODS[method].random or len(runs) == MOST_RUNS
        is_over |= time.perf_counter() - began > MOST_SECONDS
        if METHODS[method].random:
            low, missing, high, meeting = _quantiles(near, curve.deviation(m))
            error = Estimate(error.value, math.exp(low), math.exp(high))
            # Two standard errors on one side decide; few runs can only show that the target is missed.
            is_over |= missing > goal or (len(near) >= LEAST_RUNS and meeting <= goal)
    rows = request.n if request.norm == "trace" or request.uses_all_rows else SAMPLED_ROWS
    meets = error.high <= request.target * (1.0 + ROUNDING)
    seconds = float(np.median([seconds for _, seconds, _ in runs]))
    return Verified(method, m, error, meets, seconds, evaluations, rows)


def _quantiles(logs: Sequence[float], deviation: float) -> FloatArray:
    """Return quantiles of log errors: 5 %, and 95 % less two, plus one and plus two standard errors.

    The standard error is the binomial one of the share of runs, so that no law of the errors is assumed.
    Fewer runs than ``LEAST_RUNS`` use the normal law with the given standard deviation.
    """
    errors = np.array([-2.0, 1.0, 2.0]) / math.sqrt(len(logs))
    if len(logs) < LEAST_RUNS:
        steps = [-QUANTILE, *(QUANTILE + NORMAL_ERROR * errors)]
        return np.mean(logs) + deviation * np.array(steps)
    levels = [1.0 - MEETING, *(MEETING + math.sqrt(MEETING * (1.0 - MEETING)) * errors)]
    return np.quantile(logs, np.minimum(levels, 1.0), method="weibull")


def measure_run(request: AdviceRequest, method: str, m: int, seed: int) -> tuple[Estimate, float, float]:
    """Return error, seconds and evaluations of one approximation of all rows."""
    approximation = approximate(request.X, request.kernel, method, m, seed)
    if request.norm == "frobenius" and not request.uses_all_rows:
        errors = sampled_errors(request.X, request.kernel, approximation, SAMPLED_ROWS, seed)
        error = errors.relative_frobenius
        # Each seed samples other rows, so the spread of runs of a random method includes the sampling error.
        ends = (error, error) if METHODS[method].random else errors.interval
        # Without an interval the error may be anything.
        low, high = ends if ends is not None else (0.0, math.inf)
        return Estimate(error, low, high), approximation.seconds, approximation.kernel_evaluations
    if request.norm == "trace":
        kernel_size = float(request.kernel.diag(request.X).sum())
        residual_size = float(residual_diagonal(request.X, request.kernel, approximation).sum())
    else:
        kernel_size = frobenius(request.whole)
        residual_size = residual_frobenius(request.whole, approximation.factor)
    error = ratio_of(residual_size, kernel_size)
    return Estimate(error, error, error), approximation.seconds, approximation.kernel_evaluations
