"""The methods in order, each with the landmarks that it needs, seconds and bytes, and the reason."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

from nysviz.advice.curve import Curve, Estimate, curves_of
from nysviz.advice.request import AdviceRequest
from nysviz.advice.screening import ScreeningRecord
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.memory import most_bytes
from nysviz.refusal import Refusal
from nysviz.text import in_bytes, in_seconds, three_digits

# A shorter run is mostly start-up, so its weight in the fit does not grow further.
LEAST_SECONDS = 2e-3


@dataclass(frozen=True, eq=False)
class Timing:
    """Seconds of a start-up, a kernel evaluation and a multiplication, measured on data of d columns."""

    method: str
    d: int
    constants: FloatArray

    def seconds_of(self, n: int, m: float) -> float:
        """Return the seconds of one approximation."""
        return float(_amounts(self.method, self.d, n, m) @ self.constants)


def _amounts(method: str, d: int, n: int, m: float) -> FloatArray:
    cost = METHODS[method].cost(n, d, math.ceil(m))
    return np.array([1.0, cost.entries, cost.flops])


def timing_of(method: str, d: int, records: Sequence[ScreeningRecord]) -> Timing | None:
    """Fit nonnegative constants, by relative errors, to the timed runs of a method; None without any."""
    timed = [record for record in records if record.method == method and math.isfinite(record.seconds)]
    if not timed:
        return None
    seconds = np.array([record.seconds for record in timed])
    weights = 1.0 / np.maximum(seconds, LEAST_SECONDS)
    rows = np.array([_amounts(method, d, record.size, record.m) for record in timed]) * weights[:, None]
    scale = np.maximum(rows.max(axis=0), 1e-300)
    return Timing(method, d, nnls(rows / scale, seconds * weights)[0] / scale)


# Numbers of landmarks within this factor count as equal: then the quicker method is better.
TIE = 1.1
# Without a time budget, a method that takes longer than PATIENT_SECONDS, and PATIENT_TIMES as long as the
# quickest, comes after the others.
PATIENT_SECONDS, PATIENT_TIMES = 1.0, 10.0


@dataclass(frozen=True)
class Budget:
    """The most that one approximation may cost, in seconds and in bytes beside X; None for no limit."""

    seconds: float | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        for name, value, unit in (("seconds", self.seconds, "seconds"), ("memory", self.memory, "bytes")):
            if value is not None and not (is_finite(value) and value > 0):
                raise Refusal(f"The budget {name} = {quoted(value)}; a number of {unit} above 0 is needed.")


@dataclass(frozen=True)
class Verified:
    """A method and a number of landmarks, measured on all rows.

    ``error.value`` is the error with the request's seed; its ends are the 5 % quantile over runs and the 95 %
    quantile plus its standard error, or without randomness the interval due to sampled rows. ``meets`` says
    whether the upper end is at most the target, ``seconds`` is the median of the runs, ``rows`` the number of
    rows of K − K̃ that the error comes from.
    """

    method: str
    m: int
    error: Estimate
    meets: bool
    seconds: float
    evaluations: float
    rows: int


@dataclass(frozen=True, eq=False)
class MethodCandidate:
    """A method with the landmarks that it needs, or the most that it may have.

    ``m`` is 0 where the budget does not allow a single landmark; ``seconds`` are measured if ``verified`` is
    given, else predicted, as ``bytes`` are. ``landmarks_needed`` is the number for the target without a
    budget; None where the most that were tried are not enough. ``meets`` says whether m landmarks reach the
    target within the budget, ``slow`` whether it comes later for its time although no budget was given.
    """

    method: str
    m: int
    error: Estimate
    seconds: float
    bytes: float
    kernel_evaluations: float
    landmarks_needed: int | None
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


def rank_candidates(
    request: AdviceRequest,
    budget: Budget,
    records: Iterable[ScreeningRecord],
    verified: Mapping[str, Verified] | None = None,
) -> tuple[MethodCandidate, ...]:
    """Rank the methods that have runs, the recommended one first.

    First come those that meet the target within the budget: fewest landmarks first, up to a factor ``TIE``,
    then those measured on all rows, then the quickest, since every later use of the factor costs n m² and
    n m bytes. The others follow by the error that they reach.
    """
    records, verified = list(records), verified or {}
    proposals = [
        _proposal(request, budget, curve, cost, verified.get(method))
        for method, curve in curves_of(records, request.n, request.most_landmarks(request.sizes[-1])).items()
        if (cost := timing_of(method, request.d, records)) is not None
    ]
    quickest = min((candidate.seconds for candidate in proposals if candidate.meets), default=0.0)
    patient = math.inf if budget.seconds is not None else max(PATIENT_SECONDS, PATIENT_TIMES * quickest)
    judged = [
        replace(candidate, slow=candidate.meets and candidate.seconds > patient) for candidate in proposals
    ]
    fewest = min((candidate.m for candidate in judged if candidate.meets and not candidate.slow), default=0)

    def rank_key(candidate: MethodCandidate) -> tuple[float, ...]:
        if not candidate.meets:
            return (2, 0.0 if candidate.curve.carries or candidate.verified else 1.0, candidate.error.value)
        if candidate.slow:
            return (1, candidate.seconds)
        # Ranks of landmarks in steps of TIE above the fewest.
        step = math.floor(math.log(candidate.m / fewest) / math.log(TIE)) if fewest else 0
        # Among equals an error measured on all rows is surer than an expected one.
        return (0, step, candidate.verified is None, candidate.seconds)

    ordered = sorted(judged, key=rank_key)
    return tuple(
        replace(candidate, reason=_reason(request, budget, candidate, ordered[0])) for candidate in ordered
    )


def count_allowed(request: AdviceRequest, budget: Budget, cost: Timing) -> int:
    """Return the most landmarks that the budget, the machine's memory and the search allow."""
    counts, limit = range(1, request.most_landmarks() + 1), min(budget.memory or math.inf, most_bytes())
    m = bisect_right(counts, limit, key=lambda m: _bytes(request, cost.method, m))
    if budget.seconds is not None:
        seconds = bisect_right(counts, budget.seconds, key=lambda m: cost.seconds_of(request.n, m))
        m = min(m, seconds)
    return m


def _bytes(request: AdviceRequest, method: str, m: int) -> float:
    return METHODS[method].cost(request.n, request.d, m).bytes


def _proposal(
    request: AdviceRequest, budget: Budget, curve: Curve, cost: Timing, verified: Verified | None
) -> MethodCandidate:
    if verified is not None:
        m, error, seconds = verified.m, verified.error, verified.seconds
        evaluations = verified.evaluations
        meets = verified.meets and (budget.seconds is None or seconds <= budget.seconds)
        m_needed = m if verified.meets else None
    else:
        m_needed, m_allowed = curve.landmarks_for(request.target), count_allowed(request, budget, cost)
        m = min(m_allowed, m_needed if m_needed is not None else int(curve.ms[-1]))
        meets = m_needed is not None and m_needed <= m_allowed and curve.carries
        error = curve.at(m) if m else Estimate(1.0, 1.0, 1.0)
        seconds = cost.seconds_of(request.n, m)
        evaluations = METHODS[curve.method].cost(request.n, request.d, m).entries
    size = _bytes(request, curve.method, max(m, 1))
    return MethodCandidate(
        curve.method, m, error, seconds, size, evaluations, m_needed, meets, curve, cost, verified
    )


def _reason(
    request: AdviceRequest, budget: Budget, candidate: MethodCandidate, first: MethodCandidate
) -> str:
    """Return a sentence that explains the method's rank: against the first, or the limit that it misses."""
    if candidate.meets and candidate is first:
        return f"Meets the target with the fewest landmarks, up to {100 * (TIE - 1):.0f} %."
    if candidate.meets:
        time_ratio = candidate.seconds / max(first.seconds, 1e-9)
        extra_landmarks = f"{100 * (candidate.m / first.m - 1):+.0f} % landmarks"
        return f"{extra_landmarks} and {three_digits(time_ratio)} times the time of {first.label}."
    if not candidate.curve.carries and candidate.verified is None:
        return "Picks outliers, of which all rows have more than a sample: its error cannot be predicted."
    m_needed = 1 if candidate.m == 0 else candidate.landmarks_needed
    if m_needed is not None and m_needed > candidate.m:
        # The limit that m_needed exceeds: seconds, else bytes.
        seconds = candidate.cost.seconds_of(request.n, m_needed)
        limit = min(budget.memory or math.inf, most_bytes())
        share_of_budget = (
            f"about {in_bytes(_bytes(request, candidate.method, m_needed))} of {in_bytes(limit)}"
        )
        if budget.seconds is not None and seconds > budget.seconds:
            share_of_budget = f"about {in_seconds(seconds)} of {in_seconds(budget.seconds)}"
        return f"Needs m = {m_needed}, which takes {share_of_budget}."
    limit_kind = "was measured" if candidate.verified else "was tried"
    error = f"{three_digits(candidate.error.value)} (up to {three_digits(candidate.error.high)})"
    return f"Leaves {error} with m = {candidate.m}, the most that {limit_kind}."
