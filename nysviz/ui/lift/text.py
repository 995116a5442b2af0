"""The sentences and tables of the page "Lift"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.papers.oglic2017.lift import BEST, REFERENCE, SCHEMES, gain
from nysviz.sweep.ranking import significant
from nysviz.text import capital, in_seconds, listed, three_digits
from nysviz.ui import page
from nysviz.ui.leads import NO_DIFFERENCE, difference_p
from nysviz.ui.lift.controls import Question
from nysviz.ui.lift.result import NO_GAIN, SMALL_ERROR, Measured, at_standard, seconds_of

MATHS = r"""
With $\tilde K^{(\text{uniform})}$ from $l$ uniformly chosen landmarks and $\tilde K$ from $l$ landmarks of a
method, both cut to their best rank $K$,

$$\text{lift} = \frac{\|K - \tilde K^{(\text{uniform})}_K\|_F}{\|K - \tilde K_K\|_F} .$$

The bandwidth is written as $1/\sigma^2$ of $k(x, y) = \exp(-\|x-y\|^2/2\sigma^2)$: the larger it is, the
narrower is the kernel. Its range runs from 1 over the 99th to 1 over the 1st percentile of the squared
distances between (at most 5000) points, the right end at least 1, in ten steps that are even in the
logarithm; the standard choice is 1 over their median. Choices made here: distances between equal rows are
left out, 1/median is measured as well, and the data stay in the units in which the other pages show them (the
paper standardises every feature).

Lines are geometric means over the repeats, so that a lift of 2 and one of 1/2 cancel; bands are one standard
deviation of the logarithm. Methods share the seed of a repeat and are compared in pairs: a difference is
clear where Student's test of the differences of $\log$ lift is significant at 5 %, with Holm's correction
over the bandwidths or ranks.

$(\sum\lambda)^2/\sum\lambda^2$, the effective rank, is $n$ for the identity and 1 for a matrix of ones.
"Best possible" is the lift of the best matrix of rank $K$ (Eckart and Young 1936), which no method exceeds.
"""
SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: figure 1 "
    "(lift against bandwidth, K = 100), figure 2 (seconds against error), figure 3 (lift against rank), "
    "section 5 (range of bandwidths, K ln K and K ln n landmarks)."
)
WAITING = "The first runs are on their way."
CHOOSE = "Choose a method to compare with uniform sampling."
NOTHING_YET = "<p>&nbsp;</p>"


def label(name: str) -> str:
    """Name a scheme in words."""
    return "best possible" if name == BEST else SCHEMES[name].label


def _ranked(question: Question, of: Mapping[str, FloatArray], *more: str) -> dict[str, float]:
    """Lifts of the chosen methods, the largest first, without the best possible."""
    means = {name: gain(of[name]).mean for name in (*question.rivals, *more) if name in of}
    return dict(sorted(means.items(), key=lambda pair: -pair[1]))


def answer(question: Question, found: Measured) -> str:
    """Say who gains most and where; not from grey ranges."""
    if not question.rivals:
        return CHOOSE
    if not found.lifts:
        return WAITING
    every = [(one, n, c) for c in found.open for n, one in _ranked(question, found.lifts[c]).items()]
    if not every:
        return "At no bandwidth does the choice of landmarks matter."
    largest, name, cell = max(every, key=lambda entry: entry[0])
    where = f"rank {cell.rank}"
    if question.view != "rank":
        times = cell.bandwidth / question.range.standard
        where = f"1/σ² = {three_digits(cell.bandwidth)} ({three_digits(times)} times 1/median)"
    return f"**{capital(label(name))}** has the largest lift, {three_digits(largest)}, at {where}."


def title(question: Question, found: Measured) -> str:
    """Tell at how many bandwidths or ranks a method is clearly ahead; grey ranges do not count."""
    firsts, ps = [], []
    for of in (found.lifts[cell] for cell in found.open):
        ranked = list(_ranked(question, of, REFERENCE))
        if len(ranked) > 1:
            first, second = (of[name] for name in ranked[:2])
            count = min(len(first), len(second))
            firsts.append(label(ranked[0]))
            ps.append(difference_p(np.log(first[:count] / second[:count])))
    if not firsts:
        return "Lift over uniform sampling"
    clear = Counter(name for name, sure in zip(firsts, significant(ps), strict=True) if sure)
    parts = [f"{name} at {count}" for name, count in clear.most_common(2)]
    what = "ranks" if question.view == "rank" else "bandwidths"
    return f"Clearly largest lift: {listed(parts)} of {len(firsts)} {what}" if parts else NO_DIFFERENCE


def numbers(question: Question, found: Measured) -> str:
    """Return the lifts at 1/median, largest first, as a table."""
    cell = at_standard(question, found.lifts)
    if question.view == "rank":
        cell = list(found.lifts)[-1] if found.lifts else None
    if cell is None or not (means := _ranked(question, found.lifts[cell])):
        return NOTHING_YET
    of, rows = found.lifts[cell], []
    for name in (*means, *(name for name in (BEST,) if name in of)):
        one = gain(of[name])
        band = f"{three_digits(one.low)} – {three_digits(one.high)}" if one.high > one.low else ""
        rows.append((label(name), three_digits(one.mean), "" if name == BEST else band))
    head = f"at 1/median, 1/σ² = {three_digits(question.range.standard)}, K = {cell.rank}"
    return page.number_table((page.unbroken(head), "lift", "± 1 sd"), rows)


def _costs(question: Question, found: Measured) -> dict[str, tuple[float, float]]:
    """Median seconds over all bandwidths and error at 1/median, fastest first."""
    cell = at_standard(question, found.errors)
    errors = {} if cell is None else found.errors[cell]
    costs = {
        name: (float(np.median(np.concatenate(list(of.values())))), float(np.median(errors[name])))
        for name, of in seconds_of(found.records).items()
        if name in errors
    }
    return dict(sorted(costs.items(), key=lambda pair: pair[1]))


def cost_answer(question: Question, found: Measured) -> str:
    """Say what seconds buy: time and error of the most exact method and of the fastest."""
    if not question.rivals:
        return CHOOSE
    costs = _costs(question, found)
    if not costs:
        return WAITING
    best, fast = min(costs, key=lambda name: costs[name][1]), next(iter(costs))
    return (
        f"At 1/median the smallest error is {three_digits(costs[best][1])} (**{label(best)}**, "
        f"{in_seconds(costs[best][0])}), the shortest time {in_seconds(costs[fast][0])} "
        f"(**{label(fast)}**, error {three_digits(costs[fast][1])})."
    )


def cost_numbers(question: Question, found: Measured) -> str:
    """Return median seconds and the error at 1/median, fastest first."""
    rows = [
        (label(name), in_seconds(spent), three_digits(error))
        for name, (spent, error) in _costs(question, found).items()
    ]
    return (
        page.number_table(("each method", "median time", "error at 1/median"), rows) if rows else NOTHING_YET
    )


def explanation(question: Question) -> str:
    """Say what lines, bands and grey ranges mean."""
    if question.view == "seconds":
        return (
            "Each point is a bandwidth. Seconds include the factor, not only the choice of landmarks; runs "
            "go one at a time without an entry of K at hand, and other visitors' work slows them."
        )
    text = (
        "A line is the geometric mean of the lifts over the repeats, its band one standard deviation of the "
        "logarithm."
    )
    if question.view == "bandwidth":
        text += (
            " In the grey ranges, which the title leaves out, uniform sampling leaves less than "
            f"{100 * SMALL_ERROR:.0f} % of ‖K‖, or the best rank K has a lift below {NO_GAIN}."
        )
    return f"{text} The page Claims judges what the paper says of these methods."
