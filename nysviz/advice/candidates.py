"""The methods in order: landmarks that each needs, seconds and bytes, what the budget allows, and why."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

from nysviz.advice.curve import Curve, Estimate, curves_of
from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.memory import most_bytes
from nysviz.refusal import Refusal
from nysviz.text import in_bytes, in_seconds, three_digits

# Below this many seconds a run is mostly start-up, and its share of the fit is less.
LEAST_SECONDS = 2e-3


@dataclass(frozen=True, eq=False)
class Timing:
    """Seconds of a start-up, a kernel evaluation and a multiplication, as measured on data of d columns."""

    method: str
    d: int
    constants: FloatArray

    def seconds_of(self, n: int, m: float) -> float:
        """Seconds of one approximation."""
        return float(_amounts(self.method, self.d, n, m) @ self.constants)


def _amounts(method: str, d: int, n: int, m: float) -> FloatArray:
    cost = METHODS[method].cost(n, d, math.ceil(m))
    return np.array([1.0, cost.entries, cost.flops])


def timing_of(method: str, d: int, found: Sequence[Tried]) -> Timing | None:
    """Fit nonnegative constants, by relative errors, to the timed runs of a method; None without any."""
    timed = [one for one in found if one.method == method and math.isfinite(one.seconds)]
    if not timed:
        return None
    seconds = np.array([one.seconds for one in timed])
    weights = 1.0 / np.maximum(seconds, LEAST_SECONDS)
    rows = np.array([_amounts(method, d, one.size, one.m) for one in timed]) * weights[:, None]
    scale = np.maximum(rows.max(axis=0), 1e-300)
    return Timing(method, d, nnls(rows / scale, seconds * weights)[0] / scale)


# Landmarks that differ by less than this factor are as good as equal: then the quicker method is better.
TIE = 1.1
# Without a budget of time, a method that takes longer than PATIENT_SECONDS, and longer than PATIENT_TIMES the
# quickest, stands behind the others.
PATIENT_SECONDS, PATIENT_TIMES = 1.0, 10.0


@dataclass(frozen=True)
class Budget:
    """What one approximation may cost at most, in seconds and in bytes beside X; None where it is free."""

    seconds: float | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        for name, value, unit in (("seconds", self.seconds, "seconds"), ("memory", self.memory, "bytes")):
            if value is not None and not (is_finite(value) and value > 0):
                raise Refusal(f"The budget {name} = {quoted(value)}; a number of {unit} above 0 is needed.")


@dataclass(frozen=True)
class Verified:
    """A method and a number of landmarks, measured on all rows.

    ``error.value`` is that of the question's seed; its ends are the 5 % quantile over runs and the 95 %
    quantile plus its standard error, or without randomness those of the interval that sampled rows leave.
    ``meets`` says whether its upper end is at most the target, ``seconds`` are the median of the runs,
    ``rows`` those of K − K̃ that the error comes from.
    """

    method: str
    m: int
    error: Estimate
    meets: bool
    seconds: float
    evaluations: float
    rows: int


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method with the landmarks that it needs, or the most that it may have.

    ``m`` is 0 where the budget does not allow a single landmark; ``seconds`` are measured where ``verified``
    is there, else predicted, as ``bytes`` are. ``needed`` are the landmarks for the target, whatever the
    budget; None where the most that were tried fall short. ``meets`` says whether m landmarks leave at most
    the target within the budget, ``slow`` whether it stands back for its time though no budget was given.
    """

    method: str
    m: int
    error: Estimate
    seconds: float
    bytes: float
    kernel_evaluations: float
    needed: int | None
    meets: bool
    curve: Curve
    cost: Timing
    verified: Verified | None = None
    slow: bool = False
    reason: str = ""

    @property
    def label(self) -> str:
        """The method's name in words."""
        return METHODS[self.method].label


def candidates(
    asked: Question, budget: Budget, found: Iterable[Tried], verified: Mapping[str, Verified] | None = None
) -> tuple[Candidate, ...]:
    """Put the methods that have runs in order, the recommended one first.

    First come those that meet the target within the budget; of these, the ones with fewest landmarks, up to a
    factor ``TIE``, those that were measured on all rows, and of these the quickest, since every later use of
    the factor costs n m² and n m bytes. The others follow by the error that they reach.
    """
    found, verified = list(found), verified or {}
    proposals = [
        _proposal(asked, budget, curve, cost, verified.get(method))
        for method, curve in curves_of(found, asked.n, asked.most(asked.sizes[-1])).items()
        if (cost := timing_of(method, asked.d, found)) is not None
    ]
    quickest = min((one.seconds for one in proposals if one.meets), default=0.0)
    patient = math.inf if budget.seconds is not None else max(PATIENT_SECONDS, PATIENT_TIMES * quickest)
    judged = [replace(one, slow=one.meets and one.seconds > patient) for one in proposals]
    fewest = min((one.m for one in judged if one.meets and not one.slow), default=0)

    def place(one: Candidate) -> tuple[float, ...]:
        if not one.meets:
            return (2, 0.0 if one.curve.carries or one.verified else 1.0, one.error.value)
        if one.slow:
            return (1, one.seconds)
        # Ranks of landmarks in steps of TIE above the fewest.
        step = math.floor(math.log(one.m / fewest) / math.log(TIE)) if fewest else 0
        # Among equals what was measured on all rows is surer than what was expected.
        return (0, step, one.verified is None, one.seconds)

    ordered = sorted(judged, key=place)
    return tuple(replace(one, reason=_reason(asked, budget, one, ordered[0])) for one in ordered)


def allowed(asked: Question, budget: Budget, cost: Timing) -> int:
    """Landmarks that the budget and the machine's memory allow, up to the most that are tried."""
    counts, limit = range(1, asked.most() + 1), min(budget.memory or math.inf, most_bytes())
    m = bisect_right(counts, limit, key=lambda m: _bytes(asked, cost.method, m))
    if budget.seconds is not None:
        seconds = bisect_right(counts, budget.seconds, key=lambda m: cost.seconds_of(asked.n, m))
        m = min(m, seconds)
    return m


def _bytes(asked: Question, method: str, m: int) -> float:
    return METHODS[method].cost(asked.n, asked.d, m).bytes


def _proposal(
    asked: Question, budget: Budget, curve: Curve, cost: Timing, verified: Verified | None
) -> Candidate:
    if verified is not None:
        m, error, seconds = verified.m, verified.error, verified.seconds
        evaluations = verified.evaluations
        meets = verified.meets and (budget.seconds is None or seconds <= budget.seconds)
        needed = m if verified.meets else None
    else:
        needed, most = curve.needed(asked.target), allowed(asked, budget, cost)
        m = min(most, needed if needed is not None else int(curve.ms[-1]))
        meets = needed is not None and needed <= most and curve.carries
        error = curve.at(m) if m else Estimate(1.0, 1.0, 1.0)
        seconds = cost.seconds_of(asked.n, m)
        evaluations = METHODS[curve.method].cost(asked.n, asked.d, m).entries
    size = _bytes(asked, curve.method, max(m, 1))
    return Candidate(curve.method, m, error, seconds, size, evaluations, needed, meets, curve, cost, verified)


def _reason(asked: Question, budget: Budget, one: Candidate, first: Candidate) -> str:
    """Why the method stands where it does: beside the first one, or what it falls short of."""
    if one.meets and one is first:
        return f"Meets the target with the fewest landmarks, up to {100 * (TIE - 1):.0f} %."
    if one.meets:
        times = one.seconds / max(first.seconds, 1e-9)
        more = f"{100 * (one.m / first.m - 1):+.0f} % landmarks"
        return f"{more} and {three_digits(times)} times the time of {first.label}."
    if not one.curve.carries and one.verified is None:
        return "Goes for outliers, and all rows have more of them than a part: its error is not known here."
    needed = 1 if one.m == 0 else one.needed
    if needed is not None and needed > one.m:
        # What there is less of than that takes: seconds, or bytes.
        seconds, limit = one.cost.seconds_of(asked.n, needed), min(budget.memory or math.inf, most_bytes())
        taken = f"about {in_bytes(_bytes(asked, one.method, needed))} of {in_bytes(limit)}"
        if budget.seconds is not None and seconds > budget.seconds:
            taken = f"about {in_seconds(seconds)} of {in_seconds(budget.seconds)}"
        return f"Needs m = {needed}, which takes {taken}."
    most = "was measured" if one.verified else "was tried"
    error = f"{three_digits(one.error.value)} (up to {three_digits(one.error.high)})"
    return f"Leaves {error} with m = {one.m}, the most that {most}."
