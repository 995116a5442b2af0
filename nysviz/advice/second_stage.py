"""The first candidates on all rows, until the one that comes first is one that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nysviz.advice.candidates import Budget, Candidate, allowed, candidates
from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.advice.verifying import Verified, verify
from nysviz.sweep import Job

# So many of the first are measured on all rows, and so many at most where measuring changes the order.
MEASURED = 2
MOST_MEASURED = 4
# Without a budget of time, a run on all rows is made where it takes no longer.
VERIFY_SECONDS = 30.0


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
    while len(found) < MOST_MEASURED:
        ordered = candidates(asked, budget, tried, found)
        suited = [one for one in ordered if one.method in found or _is_quick(budget, one)]
        missing = [one for one in suited[:MEASURED] if one.method not in found]
        if not missing or (len(found) >= MEASURED and suited[0].method in found):
            break
        one = missing[0]
        most = max(1, allowed(asked, budget, one.cost))
        found[one.method] = verify(asked, one.curve, one.m, most)
    return tuple(found.values())


def _is_quick(budget: Budget, one: Candidate) -> bool:
    limit = VERIFY_SECONDS if budget.seconds is None else budget.seconds
    return one.m > 0 and one.seconds.value <= limit
