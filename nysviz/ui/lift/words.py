"""The words and numbers of the page "Lift"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.papers.oglic2017.lift import (
    BEST,
    REFERENCE,
    SCHEMES,
    Cell,
    Gain,
    Lifts,
    gains,
    lifts,
    relative_errors,
)
from nysviz.sweep import Record
from nysviz.ui import page
from nysviz.ui.lift.parts import Question
from nysviz.ui.lift.pictures import NO_GAIN, seconds_of
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
With $\tilde K^{(\text{uniform})}$ from $l$ uniformly chosen landmarks and $\tilde K$ from $l$ landmarks of a
method, both cut to their best rank $K$,

$$\text{lift} = \frac{\|K - \tilde K^{(\text{uniform})}_K\|_F}{\|K - \tilde K_K\|_F} .$$

The bandwidth is told as $1/\sigma^2$ of $k(x, y) = \exp(-\|x-y\|^2/2\sigma^2)$: the larger it is, the
narrower is the kernel. Its range runs from 1 over the 99th to 1 over the 1st percentile of the squared
distances between (at most 5000) points, the right end at least 1, in ten steps that are even in the
logarithm; the standard choice is 1 over their median. Choices made here: distances between equal rows are
left out, 1/median is measured as well, and the data stay in the units in which the other pages show them (the
paper standardises every feature).

Lines are geometric means over the repeats, so that a lift of 2 and one of 1/2 cancel; bands are one standard
deviation of the logarithm. Uniform sampling and the method share the seed of a repeat and are compared in
pairs: signed ranks of $\log$ lift against 0 (Wilcoxon), with Holm's correction over the bandwidths or ranks.

$(\sum\lambda)^2/\sum\lambda^2$, the effective rank, is $n$ for the identity and 1 for a matrix of ones.
"Best possible" is the lift of the best matrix of rank $K$ (Eckart and Young 1936), which no method exceeds.
"""

WAITING = "The first runs are on their way."
CHOOSE = "Choose a method to be compared with uniform sampling"
NOTHING_YET = "<p>&nbsp;</p>"

SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: figure 1 "
    "(lift against bandwidth, K = 100), figure 2 (seconds against error), figure 3 (lift against rank), "
    "section 5 (range of bandwidths, K ln K and K ln n landmarks)."
)


def label(name: str) -> str:
    """Name a scheme in words."""
    return "best possible" if name == BEST else SCHEMES[name].label


def rivals(question: Question) -> list[str]:
    """The chosen methods without the best possible, which nobody can exceed."""
    return [name for name in question.schemes if name != BEST]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def where(question: Question, cell: Cell) -> str:
    """Name a bandwidth or rank, the bandwidth as a multiple of 1/median."""
    if question.view == "rank":
        return f"rank {cell.rank}"
    times = cell.bandwidth / question.range.standard
    if abs(times - 1) < 1e-9:
        return f"1/σ² = {three_digits(cell.bandwidth)} (1/median)"
    return f"1/σ² = {three_digits(cell.bandwidth)} ({three_digits(times)} times 1/median)"


def means_of(question: Question, found: Lifts) -> dict[str, dict[Cell, Gain]]:
    """Lifts of the chosen methods that have runs, without the best possible."""
    return {name: of for name in rivals(question) if (of := gains(found, name))}


def _peak(question: Question, found: Lifts) -> tuple[str, Cell, Gain] | None:
    """The largest lift of a method at a cell that all methods with runs have reached."""
    means = means_of(question, found)
    every = [(name, cell, one) for name, of in means.items() for cell, one in of.items()]
    return max(every, key=lambda entry: entry[2].mean) if every else None


def answer(question: Question, records: Sequence[Record]) -> str:
    """Say who gains most and where, and what is gained at the standard choice."""
    if not rivals(question):
        return f"{CHOOSE}{' and with the best possible' if question.schemes else ''}."
    found = lifts(records)
    top = _peak(question, found)
    if top is None:
        return WAITING
    name, cell, one = top
    at = f"{three_digits(one.mean)} at {where(question, cell)}"
    text = (
        f"The largest lift over uniform sampling is that of **{label(name)}**, {at}"
        if one.mean > 1
        else f"No method gains: nearest to it is **{label(name)}**, with lift {at}"
    )
    if question.view == "bandwidth":
        standard = _at_standard(question, found)
        ranked = sorted(standard, key=lambda n: standard[n].mean, reverse=True)
        if ranked and abs(cell.bandwidth / question.range.standard - 1) > 1e-9:
            text += (
                f"; at 1/median the largest lift is {three_digits(standard[ranked[0]].mean)}, of "
                f"{label(ranked[0])}"
            )
    return text + "."


def _at_standard(question: Question, found: Lifts) -> dict[str, Gain]:
    for cell in found:
        if abs(cell.bandwidth / question.range.standard - 1) < 1e-9 and cell.rank == question.ranks[-1]:
            return {name: of[cell] for name, of in means_of(question, found).items() if cell in of}
    return {}


def title(question: Question, records: Sequence[Record]) -> str:
    """Tell what the chart shows, in one line."""
    found = lifts(records)
    top = _peak(question, found)
    if top is None:
        return "What a clever choice of landmarks gains"
    if question.view == "rank":
        name, cell, one = top
        if one.mean <= 1:
            return "No method gains at any rank"
        return f"{_capital(label(name))} gains most, at rank {cell.rank}"
    firsts, closed = [], 0
    for cell, values in found.items():
        if BEST in values and gains({cell: values}, BEST)[cell].mean < NO_GAIN:
            # Where even the best possible gains nothing, the first place is rounding.
            closed += 1
            continue
        means = {name: gains({cell: values}, name)[cell].mean for name in values if name in question.schemes}
        means.pop(BEST, None)
        if means:
            firsts.append(max(means, key=means.__getitem__))
    leaders = list(dict.fromkeys(firsts))
    if not leaders:
        return "No choice of landmarks gains at any bandwidth"
    if len(rivals(question)) == 1:
        return f"What landmarks by {label(leaders[0])} gain over uniform ones"
    wins, room = max(leaders, key=firsts.count), " with room to gain" if closed else ""
    if len(leaders) == 1:
        return f"{_capital(label(wins))} has the largest lift at every bandwidth{room}"
    count = f"{firsts.count(wins)} of {len(firsts)} bandwidths{room}"
    return f"{_capital(label(wins))} has the largest lift at {count}"


def numbers(question: Question, records: Sequence[Record]) -> str:
    """Return the lifts at 1/median, largest first, as a table."""
    found = lifts(records)
    standard = _at_standard(question, found)
    if not standard:
        return NOTHING_YET
    rows = []
    for name in sorted(standard, key=lambda n: standard[n].mean, reverse=True):
        one = standard[name]
        band = f"{three_digits(one.low)} – {three_digits(one.high)}" if one.high > one.low else ""
        rows.append((label(name), three_digits(one.mean), band))
    for cell, values in found.items():
        if cell.bandwidth == standard_bandwidth(found, question) and cell.rank == question.ranks[-1]:
            best = gains({cell: values}, BEST).get(cell)
            if best is not None:
                rows.append((label(BEST), three_digits(best.mean), ""))
    head = f"at 1/median, 1/σ² = {three_digits(question.range.standard)}, K = {question.ranks[-1]}"
    return page.number_table((page.unbroken(head), "lift", "± 1 sd"), rows)


def standard_bandwidth(found: Lifts, question: Question) -> float:
    """The measured bandwidth that is 1/median."""
    return min((c.bandwidth for c in found), key=lambda b: abs(b / question.range.standard - 1), default=0.0)


def cost_numbers(question: Question, records: Sequence[Record]) -> str:
    """Return median seconds over all bandwidths and the error at 1/median, fastest first."""
    errors, taken = relative_errors(records), _median_seconds(question, records)
    standard = standard_bandwidth(errors, question)
    rows = []
    for name in sorted(taken, key=taken.__getitem__):
        at = [of[name] for cell, of in errors.items() if cell.bandwidth == standard and name in of]
        error = three_digits(float(np.median(at[0]))) if at else "–"
        rows.append((label(name), f"{three_digits(taken[name])} s", error))
    if not rows:
        return NOTHING_YET
    return page.number_table(("each method", "median time", "error at 1/median"), rows)


def _median_seconds(question: Question, records: Sequence[Record]) -> dict[str, float]:
    """Median seconds of each method over all bandwidths, on which they hardly depend."""
    seconds = seconds_of(records)
    taken = {
        name: [s for of in seconds.values() for s in of.get(name, [])]
        for name in (REFERENCE, *question.schemes)
    }
    return {name: float(np.median(runs)) for name, runs in taken.items() if runs}


def _at_both_ends(
    question: Question, records: Sequence[Record]
) -> tuple[str, str, dict[str, float], dict[str, float]] | None:
    """Return the most exact method at 1/median, the fastest, all errors and all seconds."""
    errors = relative_errors(records)
    standard = standard_bandwidth(errors, question)
    cell = next((cell for cell in errors if cell.bandwidth == standard), None)
    if cell is None or len(errors[cell]) < 2:
        return None
    taken = _median_seconds(question, records)
    middle = {name: float(np.median(runs)) for name, runs in errors[cell].items() if name in taken}
    times = {name: taken[name] for name in middle}
    if not middle:
        return None
    return min(middle, key=middle.__getitem__), min(times, key=times.__getitem__), middle, times


def cost_answer(question: Question, records: Sequence[Record]) -> str:
    """Say what seconds buy: time and error of the fastest method and of the most exact one at 1/median."""
    if not rivals(question):
        return f"{CHOOSE}."
    found = _at_both_ends(question, records)
    if found is None:
        return WAITING
    best, fast, middle, times = found
    if best == fast:
        return (
            f"**{label(best)}** has the smallest error at 1/median, {three_digits(middle[best])}, and is the "
            f"fastest, with {three_digits(times[best])} s (median over the bandwidths)."
        )
    return (
        f"At 1/median **{label(best)}** has the smallest error, {three_digits(middle[best])}, and takes "
        f"{three_digits(times[best])} s (median over the bandwidths); {label(fast)} is the fastest with "
        f"{three_digits(times[fast])} s and leaves {three_digits(middle[fast])}."
    )


def cost_title(question: Question, records: Sequence[Record]) -> str:
    """Tell what the chart of errors and seconds shows."""
    found = _at_both_ends(question, records) if rivals(question) else None
    if found is None:
        return "Error against seconds"
    best, fast, *_ = found
    if best == fast:
        return f"{_capital(label(best))}: least error at 1/median, and least time"
    return f"Least error at 1/median: {label(best)}; least time: {label(fast)}"


def notes(scene: Scene, question: Question) -> list[str]:
    """What a reader should know of the setting."""
    found = []
    if question.n < scene.data.n:
        found.append(f"A random sample of {question.n} of the {scene.data.n} rows is measured.")
    if question.view != "rank":
        low, high = question.values[0], question.values[-1]
        found.append(f"Bandwidths 1/σ² from {three_digits(low)} to {three_digits(high)}.")
    return found
