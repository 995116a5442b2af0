"""The number of landmarks that keeps to the target in 95 % of runs, from repeated runs on all rows.

Near its m the error of a random method is taken as m^(−slope) times a factor whose logarithm follows the
normal law, so that runs with other numbers of landmarks count too. Run after run is made with the m that the
runs so far suggest, until the m at which the 95 % quantile meets the target is known to ``PRECISION``. One
standard error is added to that quantile, and the run with the question's own seed must meet the target too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.advice.candidates import Budget, Candidate, Verified, allowed, candidates
from nysviz.advice.curve import QUANTILE, ROUNDING, Curve, Estimate
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
# Standard error of ln m at which runs end, with so many runs at least and at most; none begins after so many
# seconds.
PRECISION = 0.04
LEAST_RUNS, MOST_RUNS = 8, 80
MOST_SECONDS = 10.0
# Runs count whose m is within this factor of the one looked at.
NEAR = 1.25
# Sum of squares of ln m about its mean at which the runs' slope counts as much as the curve's.
APART = 0.25
# Numbers of landmarks that are tried at most with the question's own seed, and the part of the target that an
# error may stay below it without another one being tried.
STEPS, CLOSE = 5, 0.96


def second_stage_job(asked: Question, budget: Budget, tried: Sequence[Tried]) -> Job:
    """Return the job of ``second_stage``, which depends on the order that the first stage has found."""
    order = tuple((one.method, one.m) for one in candidates(asked, budget, tried))
    key = ("all rows", asked.digest, asked.kernel, asked.norm, asked.target, asked.seed, budget, order)
    return Job(key, "all rows", 1.0, partial(second_stage, asked, budget, tuple(tried)))


def second_stage(asked: Question, budget: Budget, tried: Sequence[Tried]) -> tuple[Verified, ...]:
    """Measure the first candidates on all rows, where that is quick enough.

    What is measured may need more landmarks than was expected, and another candidate then comes first, which
    is measured in its turn: the recommendation is always a measured one, unless ``MOST_MEASURED`` were, or
    the first one takes longer than the budget or ``VERIFY_SECONDS``.
    """
    found: dict[str, Verified] = {}
    limit = VERIFY_SECONDS if budget.seconds is None else budget.seconds

    def is_quick(one: Candidate) -> bool:
        return one.method in found or (one.m > 0 and one.seconds <= limit)

    while len(found) < MOST_MEASURED:
        suited = [one for one in candidates(asked, budget, tried, found) if is_quick(one)]
        missing = [one for one in suited[:MEASURED] if one.method not in found]
        if not missing or (len(found) >= MEASURED and suited[0].method in found):
            break
        one = missing[0]
        found[one.method] = verify(asked, one.curve, one.m, max(1, allowed(asked, budget, one.cost)))
    return tuple(found.values())


@dataclass(frozen=True)
class _Run:
    m: int
    error: Estimate
    seconds: float
    evaluations: float


def verify(asked: Question, curve: Curve, start: int, most: int) -> Verified:
    """Find the smallest m whose error, with its interval, meets the target.

    Parameters
    ----------
    curve : Curve
        Expected errors of the method: their slope, and until there are runs enough their spread.
    start, most : int
        Landmarks to begin with, and at most.

    Returns
    -------
    Verified
        The largest m tried where none meets the target. Frobenius errors come from sampled rows where the
        rows are many; all others are exact. At most ``MOST_RUNS`` + ``STEPS`` approximations.
    """
    runs: list[_Run] = []
    m = min(max(1, start), most)
    began = time.perf_counter()
    is_known = not METHODS[curve.method].random
    while not is_known and len(runs) < MOST_RUNS and time.perf_counter() - began < MOST_SECONDS:
        runs.append(_run(asked, curve.method, m, asked.seed + len(runs)))
        over, off = _over_runs(runs, curve, m)
        # Few runs do not tell their spread: at first their mean is brought to the target.
        error = over.high if len(runs) >= LEAST_RUNS else over.value
        before, m = m, min(_along(m, error / asked.target, _slope(runs, curve, m)), most)
        is_known = off <= PRECISION and abs(m - before) <= max(1.0, PRECISION * m)
    tried: dict[int, Verified] = {}
    failing, meeting = 0, most + 1
    for _ in range(STEPS):
        one = tried[m] = _verified(asked, curve, m, runs)
        ratio = one.error.high / asked.target
        if one.meets:
            meeting = min(meeting, m)
        else:
            failing = max(failing, m)
        if (one.meets and (ratio > CLOSE or m == 1)) or failing == most:
            break
        m = min(max(_along(m, ratio, _slope(runs, curve, m)), failing + 1), meeting - 1, most)
        if m in tried or m <= failing:
            break
    return tried[meeting] if meeting in tried else tried[max(tried)]


def _along(m: int, ratio: float, slope: float) -> int:
    """Landmarks whose error is smaller by ``ratio``, by the slope; half as many to twice as many."""
    factor: float = ratio ** (1.0 / slope)
    return math.ceil(m * min(2.0, max(0.5, factor)))


def _slope(runs: Sequence[_Run], curve: Curve, m: int) -> float:
    """−d ln error / d ln m: that of the curve, and of the line through the runs as far as they are apart."""
    if not runs:
        return curve.slope(m)
    x, y = np.log([[one.m, max(one.error.value, ROUNDING)] for one in runs]).T
    x -= x.mean()
    return max(0.1, float((APART * curve.slope(m) - x @ y) / (APART + x @ x)))


def _run(asked: Question, method: str, m: int, seed: int) -> _Run:
    """One approximation of all rows."""
    a = approximate(asked.X, asked.kernel, method, m, seed)
    if asked.norm == "frobenius" and not asked.uses_all_rows:
        # Other rows for each seed: what they leave open then is a part of how runs differ.
        found = sampled_errors(asked.X, asked.kernel, a, SAMPLED_ROWS, seed)
        return _Run(m, Estimate(found.relative_frobenius, *found.interval), a.seconds, a.kernel_evaluations)
    if asked.norm == "trace":
        whole = float(asked.kernel.diag(asked.X).sum())
        rest = float(residual_diagonal(asked.X, asked.kernel, a).sum())
    else:
        whole = frobenius(asked.whole)
        rest = residual_frobenius(asked.whole, a.factor)
    error = rest / whole if whole > 0 else 0.0
    return _Run(m, Estimate(error, error, error), a.seconds, a.kernel_evaluations)


def _verified(asked: Question, curve: Curve, m: int, runs: Sequence[_Run]) -> Verified:
    """The run with the question's own seed, with the interval of runs with other seeds."""
    own = _run(asked, curve.method, m, asked.seed)
    error = own.error
    if runs:
        over = _over_runs(runs, curve, m)[0]
        error = Estimate(error.value, min(error.value, over.low), max(error.value, over.high))
    seconds = float(np.median([one.seconds for one in (own, *_near(runs, m))]))
    rows = asked.n if asked.norm == "trace" or asked.uses_all_rows else SAMPLED_ROWS
    return Verified(curve.method, m, error, error.high <= asked.target, seconds, own.evaluations, rows)


def _near(runs: Sequence[_Run], m: int) -> list[_Run]:
    return [one for one in runs if 1.0 / NEAR <= one.m / m <= NEAR]


def _over_runs(runs: Sequence[_Run], curve: Curve, m: int) -> tuple[Estimate, float]:
    """Quantiles of the error with m landmarks, and the standard error of the ln m that has a given one."""
    near, slope = _near(runs, m), _slope(runs, curve, m)
    is_enough = len(near) >= LEAST_RUNS
    used = near if is_enough else runs[-LEAST_RUNS:]
    logs = np.array([math.log(max(one.error.value, ROUNDING)) + slope * math.log(one.m / m) for one in used])
    sd = float(logs.std(ddof=1)) if len(used) >= LEAST_RUNS else math.log(curve.spread_at(m)) / QUANTILE
    # That of the mean, and that of QUANTILE standard deviations.
    off = sd * math.sqrt((1.0 + QUANTILE**2 / 2.0) / len(used))
    wide, mean = QUANTILE * sd + off, float(logs.mean())
    quantiles = Estimate(math.exp(mean), math.exp(mean - wide), math.exp(mean + wide))
    return quantiles, off / slope if is_enough else math.inf
