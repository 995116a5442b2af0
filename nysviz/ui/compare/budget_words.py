"""What the page "Compare" says of error against seconds: who has the least error for a given time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.text import in_seconds
from nysviz.ui.compare.parts import FLOOR, NORMS, Question
from nysviz.ui.compare.words import NOTHING_YET, WAITING, label
from nysviz.ui.page import number_table

TITLE = "Error against seconds"
# Characters of a title that the chart has room for.
LONGEST = 72
NOBODY = "For no time is a method ahead beyond the spread of its runs"


@dataclass(frozen=True)
class Point:
    """One method with one number of landmarks: mean error and median seconds, each with its spread."""

    method: str
    m: int
    error: float
    low: float
    high: float
    seconds: float
    fastest: float
    slowest: float


@dataclass(frozen=True)
class Lead:
    """What is measured within a time: the least error, and the next method's.

    ``sure`` tells whether the first is ahead when its own runs turn out slow and inexact, and those of the
    others fast and exact.
    """

    seconds: float
    first: Point
    second: Point | None
    sure: bool


def points(values: Values, costs: Sequence[Record]) -> list[Point]:
    """All that is drawn, the best possible left out."""
    found = []
    for m, methods in by_method(costs, "seconds").items():
        for name, times in methods.items():
            runs = values.get(m, {}).get(name)
            if name == FLOOR or runs is None:
                continue
            mean = float(runs.mean())
            spread = float(runs.std(ddof=1)) if len(runs) > 1 else 0.0
            middle = float(np.median(times))
            ends = float(times.min()), float(times.max())
            found.append(Point(name, m, mean, mean - spread, mean + spread, middle, *ends))
    return found


def lead_within(drawn: Sequence[Point], seconds: float) -> Lead | None:
    """Return who has the least error within so many seconds; None where nothing is that fast."""
    best: dict[str, Point] = {}
    for one in sorted((p for p in drawn if p.seconds <= seconds), key=lambda p: p.error):
        best.setdefault(one.method, one)
    if not best:
        return None
    first, *others = best.values()
    kept = [p.high for p in drawn if p.method == first.method and p.slowest <= seconds]
    threat = [p.low for p in drawn if p.method != first.method and p.fastest <= seconds]
    sure = bool(kept) and min(kept) < min(threat, default=math.inf)
    return Lead(seconds, first, others[0] if others else None, sure)


def leads(drawn: Sequence[Point]) -> list[Lead]:
    """The leads at the times of all points, ascending, from where two methods are there."""
    found = [lead_within(drawn, seconds) for seconds in sorted({p.seconds for p in drawn})]
    return [one for one in found if one is not None and one.second is not None]


def _middle(drawn: Sequence[Point]) -> Lead | None:
    """The lead in the middle of the times that are drawn, in the logarithm."""
    known = leads(drawn)
    if not known:
        return None
    middle = math.sqrt(known[0].seconds * known[-1].seconds)
    return min(known, key=lambda one: abs(math.log(one.seconds / middle)))


def answer(question: Question, values: Values, costs: Sequence[Record]) -> str:
    """Say who has the least error within a time from the middle of the chart."""
    drawn = points(values, costs)
    lead = _middle(drawn)
    if lead is None or lead.second is None:
        few = len({name for name in question.methods if name != FLOOR}) < 2
        return "Choose two methods or more to compare them, beside the best possible." if few else WAITING
    first, second = lead.first, lead.second
    text = (
        f"Of what was measured within {in_seconds(lead.seconds)}, the least mean {NORMS[question.norm]} "
        "error "
        f"is that of **{label(first.method)}**, {three_digits(first.error)} with m = {first.m}; next is "
        f"{label(second.method)}, {three_digits(second.error)} with m = {second.m}"
    )
    if lead.sure:
        return f"{text}."
    return f"{text}. The spread of seconds and errors is as large as that: no method is surely ahead."


def title(values: Values, costs: Sequence[Record]) -> str:
    """Tell who has the least error for which times, as far as the spread of the runs lets one say."""
    known = leads(points(values, costs))
    if not known:
        return TITLE
    begins: dict[str, float] = {}
    for one in known:
        if one.sure:
            begins.setdefault(one.first.method, one.seconds)
    if not begins:
        return NOBODY
    told = _leaders({label(name): since for name, since in begins.items()})
    return told if len(told) <= LONGEST else _leaders({METHODS[name].brief: s for name, s in begins.items()})


def _leaders(begins: Mapping[str, float]) -> str:
    """The first two that are ahead, each with the time from which on it is."""
    parts = [f"{name} from {in_seconds(since)}" for name, since in list(begins.items())[:2]]
    return f"Least error for the time: {', '.join(parts)}"


def numbers(question: Question, values: Values, costs: Sequence[Record]) -> str:
    """Return each method's least error within the answer's time as a table, smallest first."""
    drawn = points(values, costs)
    lead = _middle(drawn)
    if lead is None:
        return NOTHING_YET
    best: dict[str, Point] = {}
    for one in sorted((p for p in drawn if p.seconds <= lead.seconds), key=lambda p: p.error):
        best.setdefault(one.method, one)
    rows = [(label(one.method), three_digits(one.error), f"m = {one.m}") for one in best.values()]
    late = [name for name in question.methods if name not in best and name != FLOOR]
    rows += [(label(name), "–", "takes longer") for name in late if any(p.method == name for p in drawn)]
    return number_table((f"within {in_seconds(lead.seconds)}", "mean", ""), rows)


def seen(question: Question, values: Values, costs: Sequence[Record]) -> str:
    """Say at how many of the times that were measured each method is ahead, and at how many surely."""
    known = leads(points(values, costs))
    if not known:
        return ""
    firsts = Counter(one.first.method for one in known).most_common()
    parts = [f"{label(name)} at {count}" for name, count in firsts]
    sure = sum(one.sure for one in known)
    return (
        f"Two methods or more have a point within each of {len(known)} times. The least error for the time "
        f"is that of {'; '.join(parts)} of them. At {sure or 'none'} of them that is sure: it stays so where "
        "the first method's runs are its slowest and one standard deviation worse than their mean, and the "
        "others' their fastest and one better. A method whose line ends early was measured up to m / n = "
        f"{question.up_to} % only, and could take more landmarks in the time that is left."
    )
