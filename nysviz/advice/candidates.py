"""The methods in order: how many landmarks each needs, what that costs, what the budget allows, and why."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nysviz.advice.curve import Curve, Estimate, curves_of
from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.advice.timing import Timing, timing_of
from nysviz.advice.verifying import Verified
from nysviz.counts import is_finite, seen
from nysviz.landmarks import METHODS
from nysviz.memory import in_words, most_bytes
from nysviz.text import in_seconds, three_digits

# Landmarks that differ by less than this factor are as good as equal: then the quicker method is better.
TIE = 1.1
# Without a budget of time, a method that takes longer than this, and so many times as long as the quickest,
# stands behind the others.
PATIENT_SECONDS = 1.0
PATIENT_TIMES = 10.0


@dataclass(frozen=True)
class Budget:
    """What one approximation may cost at most; None where it does not matter.

    Attributes
    ----------
    seconds : float or None
    memory : float or None
        Bytes beside X; what the machine has to give is a limit in any case.
    """

    seconds: float | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        for name, value, unit in (("seconds", self.seconds, "seconds"), ("memory", self.memory, "bytes")):
            if value is not None and not (is_finite(value) and value > 0):
                raise ValueError(f"The budget {name} = {seen(value)}; a number of {unit} above 0 is needed.")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method with the landmarks that it needs, or the most that it may have.

    Attributes
    ----------
    method : str
    m : int
        0 where the budget does not allow a single landmark.
    error, seconds : Estimate
        Of one approximation of all rows; measured where ``verified`` is there, else predicted.
    bytes : float
        Predicted.
    kernel_evaluations : float
    needed : int or None
        Landmarks for the target, whatever the budget; None where the most that were tried fall short.
    meets : bool
        Whether m landmarks leave at most the target, within the budget.
    slow : bool
        Whether it stands back for its time though no budget was given.
    reason : str
        In a sentence.
    curve : Curve
    cost : Timing
    verified : Verified or None
    """

    method: str
    m: int
    error: Estimate
    seconds: Estimate
    bytes: float
    kernel_evaluations: float
    needed: int | None
    meets: bool
    slow: bool
    reason: str
    curve: Curve
    cost: Timing
    verified: Verified | None = None

    @property
    def label(self) -> str:
        """The method's name in words."""
        return METHODS[self.method].label


def candidates(
    asked: Question,
    budget: Budget,
    found: Iterable[Tried],
    verified: Mapping[str, Verified] | None = None,
) -> tuple[Candidate, ...]:
    """Put the methods that have runs in order, the recommended one first.

    First come those that meet the target within the budget; of these, the ones with fewest landmarks, up to a
    factor ``TIE``, those that were measured on all rows, and of these the quickest, since every later use of
    the factor costs n m² and n m bytes. The others follow by the error that they reach.

    Parameters
    ----------
    asked : Question
    budget : Budget
    found : iterable of Tried
    verified : mapping of method to Verified, optional
    """
    found, verified = list(found), verified or {}
    proposals = []
    for method, curve in curves_of(found, asked.n, asked.most(asked.sizes[-1])).items():
        cost = timing_of(method, asked.d, found)
        if cost is not None:
            proposals.append(_proposal(asked, budget, curve, cost, verified.get(method)))
    meeting = [one for one in proposals if one.meets]
    quickest = min((one.seconds.value for one in meeting), default=0.0)
    patient = math.inf if budget.seconds is not None else max(PATIENT_SECONDS, PATIENT_TIMES * quickest)
    judged = [replace(one, slow=one.meets and one.seconds.value > patient) for one in proposals]
    fewest = min((one.m for one in judged if one.meets and not one.slow), default=0)

    def place(one: Candidate) -> tuple[float, ...]:
        if not one.meets:
            return (2, 0.0 if one.curve.carries or one.verified else 1.0, one.error.value)
        if one.slow:
            return (1, one.seconds.value)
        # Ranks of landmarks in steps of TIE above the fewest.
        step = math.floor(math.log(one.m / fewest) / math.log(TIE)) if fewest else 0
        # Among equals what was measured on all rows is surer than what was expected.
        return (0, step, one.verified is None, one.seconds.value)

    ordered = sorted(judged, key=place)
    return tuple(replace(one, reason=_reason(asked, budget, one, ordered)) for one in ordered)


def allowed(asked: Question, budget: Budget, cost: Timing) -> int:
    """Landmarks that the budget and the machine's memory allow, up to the most that are tried."""
    counts, limit = range(1, asked.most() + 1), min(budget.memory or math.inf, most_bytes())
    m = bisect_right(counts, limit, key=lambda m: _bytes(asked, cost.method, m))
    if budget.seconds is not None:
        seconds = bisect_right(counts, budget.seconds, key=lambda m: cost.seconds_of(asked.n, m).value)
        m = min(m, seconds)
    return m


def _bytes(asked: Question, method: str, m: int) -> float:
    return METHODS[method].cost(asked.n, asked.d, m).bytes


def _proposal(
    asked: Question, budget: Budget, curve: Curve, cost: Timing, verified: Verified | None
) -> Candidate:
    n, needed, most = asked.n, curve.needed(asked.target), allowed(asked, budget, cost)
    if verified is not None:
        m, meets = verified.m, verified.meets
        error, seconds, evaluations = verified.error, verified.seconds, verified.evaluations
        meets = meets and (budget.seconds is None or seconds.value <= budget.seconds)
        needed = m if verified.meets else None
    else:
        m = min(most, needed if needed is not None else int(curve.ms[-1]))
        meets = needed is not None and needed <= most and curve.carries
        error = curve.at(max(m, 1)) if m else Estimate(1.0, 1.0, 1.0)
        seconds = cost.seconds_of(n, m)
        evaluations = METHODS[curve.method].cost(n, asked.d, m).entries
    return Candidate(
        curve.method,
        m,
        error,
        seconds,
        _bytes(asked, curve.method, max(m, 1)),
        evaluations,
        needed,
        meets,
        False,
        "",
        curve,
        cost,
        verified,
    )


def _reason(asked: Question, budget: Budget, one: Candidate, ordered: Sequence[Candidate]) -> str:
    if one.meets:
        return _why_behind(one, ordered)
    if not one.curve.carries and one.verified is None:
        return "Goes for outliers, and all rows have more of them than a part: its error is not known here."
    if one.m == 0:
        return f"Not a single landmark: {_limit(asked, budget, one, 1)}."
    if one.needed is None or one.needed <= one.m:
        return (
            f"Leaves {three_digits(one.error.value)} with the {'m' if one.verified else 'most'} that "
            f"{'was measured' if one.verified else 'were tried'}, m = {one.m}{beyond(asked, one)}."
        )
    return (
        f"Needs m = {one.needed}: {_limit(asked, budget, one, one.needed)}; m = {one.m} leaves "
        f"{three_digits(one.error.value)}."
    )


def beyond(asked: Question, one: Candidate) -> str:
    """Say how far runs go where the error alone would meet the target; else nothing."""
    if not one.error.value <= asked.target < one.error.high:
        return ""
    return f", but up to {three_digits(one.error.high)} in 19 of 20 runs"


def _limit(asked: Question, budget: Budget, one: Candidate, m: int) -> str:
    """Say what m landmarks take more of than there is."""
    seconds = one.cost.seconds_of(asked.n, m).value
    if budget.seconds is not None and seconds > budget.seconds:
        return f"that takes about {in_seconds(seconds)} of {in_seconds(budget.seconds)}"
    size = _bytes(asked, one.method, m)
    limit = min(budget.memory or math.inf, most_bytes())
    return f"that takes about {in_words(size)} of {in_words(limit)}"


def _why_behind(one: Candidate, ordered: Sequence[Candidate]) -> str:
    first = ordered[0]
    if one is first:
        others = [other for other in ordered[1:] if other.meets]
        if not others:
            return "The only one that meets the target."
        if all(other.m > TIE * one.m for other in others):
            return "Fewest landmarks."
        quicker = all(other.seconds.value >= one.seconds.value for other in others if other.m <= TIE * one.m)
        return "Among the fewest landmarks, and the quickest of those." if quicker else "Few landmarks."
    times = one.seconds.value / max(first.seconds.value, 1e-9)
    if one.slow:
        return f"Takes {three_digits(times)} times as long as {first.label}."
    if one.m > first.m:
        more = 100.0 * (one.m / first.m - 1.0)
        time = f", in {100 * times:.2g} % of the time" if times < 0.9 else ""
        return f"Needs {more:.0f} % more landmarks{time}."
    count = "As few" if one.m == first.m else "Fewer"
    if one.verified is None and first.verified is not None:
        return f"{count} landmarks, but expected from other runs, not measured at this m."
    if times > TIE:
        return f"{count} landmarks, but takes {three_digits(times)} times as long."
    return "As good, or nearly so."
