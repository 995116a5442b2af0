"""The words and numbers of the page "Compare"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nysviz.figures.look import grouped, three_digits
from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Standing, Values, by_method, pairs_needed, significant, standings
from nysviz.ui import page
from nysviz.ui.compare.parts import COST_REPEATS, FLOOR, NORMS, Question

MATHS = r"""
For every method, number of landmarks $m$ and repeat, the page measures $\|K - \tilde K\|$ with
$\tilde K = E\,W^{+}E^{\top}$. A nested method, whose picks for fewer landmarks are the first of those for
more, is run once a repeat: with $G_t$ the first $t$ columns of its factor,

$$\|K - G_tG_t^{\top}\|_F^2 = \|K\|_F^2 - 2\sum_{s\le t} (G^{\top}KG)_{ss}
+ \sum_{s,u\le t} (G^{\top}G)_{su}^2 ,$$

so that one product $KG$ gives the error at every $m$. The floor is the best possible error of rank $m$,
$(\sum_{i>m}\lambda_i^2)^{1/2}$ in the Frobenius norm (Eckart and Young 1936).

Runs with the same number of a repeat share their seed and are compared in pairs: the signed ranks of the
differences decide (Wilcoxon), with Holm's correction over the numbers of landmarks.
"""

# A place that is written to while runs come in has to be written to from the start.
WAITING = "The first runs are on their way."
UNDER_WAY = "The runs are not finished; the result stands here when they are."
EXACT = "No method is ahead: at every ratio the smallest errors are equal, up to rounding."
NOTHING_YET = "<p>&nbsp;</p>"

SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, figure 1: "
    "incomplete Cholesky, uniform and column-norm sampling, k-means and the SVD at m/n from 1 to 10 %. "
    "Table 1 states the costs of choosing landmarks."
)


def label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


def competitors(question: Question) -> list[str]:
    """The chosen methods without the floor, which nobody can be below."""
    return [name for name in question.methods if name != FLOOR]


def answer(question: Question, values: Values, n: int) -> str:
    """Say who has the smallest mean error, from the records that are there."""
    ranked = standings(values, (FLOOR,))
    if _nobody_is_ahead(values):
        return EXACT
    if not ranked:
        return WAITING if len(competitors(question)) > 1 else _alone(question, values, n)
    middle = _told(ranked, values)
    first = middle.first
    count = sum(standing.first == first for standing in ranked)
    text = (
        f"The smallest mean {NORMS[question.norm]} error is that of **{label(first)}** at {count} of "
        f"{_compared(values)} ratios"
    )
    if _is_chance(ranked, question):
        text += ", but within chance"
    others = [name for name in middle.means if name != first]
    if first in middle.means and others:
        second = min(others, key=middle.means.__getitem__)
        text += (
            f"; at {100 * middle.m / n:.3g} % (m = {middle.m}) it is {three_digits(middle.means[first])}, "
            f"that of {label(second)} {three_digits(middle.means[second])}"
        )
    return f"{text}.{_ties(values)}"


def _told(ranked: Sequence[Standing], values: Values) -> Standing:
    """The one m of answer and table: in the middle of those where the most frequent winner is ahead."""
    first, _ = Counter(standing.first for standing in ranked).most_common(1)[0]
    ahead = [standing for standing in ranked if standing.first == first]
    most = max(len(values[standing.m]) for standing in ahead)
    whole = [standing for standing in ahead if len(values[standing.m]) == most]
    return whole[(len(whole) - 1) // 2]


def _is_chance(ranked: Sequence[Standing], question: Question) -> bool:
    """Whether nobody is ahead by more than chance anywhere, with runs enough to tell."""
    ps = [standing.p for standing in ranked]
    if not ps or any(np.isnan(ps)) or question.repeats < pairs_needed(len(ps)):
        return False
    return not any(significant(ps))


def _compared(values: Values) -> int:
    """At how many numbers of landmarks two methods or more have runs."""
    return sum(len(set(methods) - {FLOOR}) > 1 for methods in values.values())


def _ties(values: Values) -> str:
    """Say at how many ratios nobody is ahead; nothing where somebody is at all of them."""
    equal = _compared(values) - len(standings(values, (FLOOR,)))
    if not equal:
        return ""
    return f" At {equal} of them the smallest errors are equal up to rounding, and nobody is ahead."


def _alone(question: Question, values: Values, n: int) -> str:
    """Tell the error of the only method, at the middle ratio."""
    if not question.methods:
        return "Choose a method."
    name = (competitors(question) or question.methods)[0]
    with_runs = [m for m, methods in values.items() if name in methods]
    if not with_runs:
        return WAITING
    m = with_runs[(len(with_runs) - 1) // 2]
    mean = float(values[m][name].mean())
    text = (
        f"The mean {NORMS[question.norm]} error of **{label(name)}** is {three_digits(mean)} at "
        f"{100 * m / n:.3g} % (m = {m})"
    )
    if question.scale == "best":
        text += " times the best possible"
    elif name != FLOOR and FLOOR in values[m]:
        least = float(values[m][FLOOR].mean())
        text += f"; the best possible of rank m is {three_digits(least)}"
    return f"{text}. Choose {'a second' if name != FLOOR else 'another'} method to compare."


def _nobody_is_ahead(values: Values) -> bool:
    """Whether two methods or more have run, and the smallest errors are the same everywhere."""
    return _compared(values) > 0 and not standings(values, (FLOOR,))


def title(question: Question, values: Values) -> str:
    """Tell what the error chart shows, in one line."""
    ranked = standings(values, (FLOOR,))
    if not ranked:
        return f"{_capital(NORMS[question.norm])} error against the number of landmarks"
    if _is_chance(ranked, question):
        return "No method is ahead of all others by more than chance"
    runs: list[str] = []
    for standing in ranked:
        if not runs or runs[-1] != standing.first:
            runs.append(standing.first)
    if len(runs) == 1:
        total = _compared(values)
        where = "every ratio" if len(ranked) == total else f"{len(ranked)} of {total} ratios"
        return f"{_capital(label(runs[0]))}: smallest mean error at {where}"
    if len(runs) == 2:
        change = next(standing.m for standing in ranked if standing.first == runs[1])
        return f"Smallest mean error: {label(runs[0])} first, {label(runs[1])} from m = {change}"
    names = ", ".join(label(name) for name in dict.fromkeys(runs))
    return f"The smallest mean error changes hands: {names}"


def numbers(question: Question, values: Values, n: int) -> str:
    """Return the errors at the answer's ratio as a table, smallest first."""
    if not values:
        return NOTHING_YET
    most = max(len(methods) for methods in values.values())
    full = [m for m, methods in values.items() if len(methods) == most]
    ranked = standings(values, (FLOOR,))
    m = _told(ranked, values).m if ranked else full[(len(full) - 1) // 2]
    methods = values[m]
    rows = []
    for name in sorted(methods, key=lambda name: float(methods[name].mean())):
        runs = methods[name]
        spread = f"± {three_digits(float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        rows.append((label(name), three_digits(float(runs.mean())), spread))
    return page.number_table((f"at m = {m} ({100 * m / n:.3g} %)", "mean", ""), rows)


def cost_numbers(question: Question, costs: Sequence[Record], n: int) -> str:
    """Return seconds and kernel evaluations at the largest m as a table."""
    seconds, entries = by_method(costs, "seconds"), by_method(costs, "kernel_evaluations")
    shared = [m for m in seconds if len(seconds[m]) == len(question.methods)]
    if not shared:
        return NOTHING_YET
    m = shared[-1]
    rows = [
        (
            label(name),
            f"{three_digits(1000 * float(np.median(seconds[m][name])))} ms",
            f"{three_digits(float(np.median(entries[m][name])) / n**2)} n²",
        )
        for name in sorted(seconds[m], key=lambda name: float(np.median(seconds[m][name])))
    ]
    return page.number_table((f"at m = {m}", "time", "entries of K"), rows)


def cost_answer(costs: Sequence[Record], view: str) -> str:
    """Say who is cheapest and who is dearest at the largest m that all have."""
    measure = "kernel_evaluations" if view == "evaluations" else "seconds"
    values = by_method(costs, measure)
    whole = [m for m, methods in values.items() if len(methods) == max(map(len, values.values()))]
    if not whole or len(values[whole[-1]]) < 2:
        return WAITING
    m = whole[-1]
    medians = {name: float(np.median(runs)) for name, runs in values[m].items()}
    low, high = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    least, most = medians[low], medians[high]
    if view != "evaluations":
        times = f", {three_digits(most / least)} times as long" if least > 0 else ""
        text = f"With m = {m} the least time is that of **{label(low)}**"
        return f"{text}, the most that of **{label(high)}**{times}."
    if least == most:
        often = f"{grouped(round(least))} times" if least else "not once"
        return f"With m = {m} all of these methods evaluate the kernel equally often: {often}."
    text = f"With m = {m} the fewest kernel evaluations are those of **{label(low)}**"
    if not least:
        return f"{text}, none; the most those of **{label(high)}**."
    return f"{text}; those of **{label(high)}** are {three_digits(most / least)} times as many."


def seen(question: Question, values: Values, n: int) -> str:
    """Say what was seen: who wins where, with the statistics, and how far from the best possible."""
    ranked = standings(values, (FLOOR,))
    if _nobody_is_ahead(values):
        return EXACT
    if not ranked:
        return "Choose two methods or more to compare them, beside the best possible."
    sentences = [_who_wins(ranked, values)]
    sentences += _test(ranked, question)
    last = ranked[-1]
    if question.scale == "best" and last.first in last.means:
        sentences.append(
            f"At m = {last.m} the best choice of landmarks is {three_digits(last.means[last.first])} times "
            "as far from K as the best matrix of that rank."
        )
    sentences += _sampling_with_weights(ranked)
    return " ".join(sentences)


def _who_wins(ranked: Sequence[Standing], values: Values) -> str:
    wins = Counter(standing.first for standing in ranked).most_common()
    parts = [f"{label(name)} at {count}" for name, count in wins]
    return (
        f"The smallest mean error belongs to {_listed(parts)} of {_compared(values)} ratios.{_ties(values)}"
    )


def _test(ranked: Sequence[Standing], question: Question) -> list[str]:
    tested = [standing for standing in ranked if not np.isnan(standing.p)]
    if not tested:
        return []
    needed = pairs_needed(len(tested))
    if question.repeats < needed:
        return [
            f"{question.repeats} paired runs cannot tell at {len(tested)} ratios who is ahead by more than "
            f"chance; {needed} or more can: take more repeats."
        ]
    clear = significant([standing.p for standing in tested])
    return [
        f"The first is ahead of the second by more than chance at {sum(clear)} of {len(tested)} ratios "
        f"(Wilcoxon signed-rank test over {question.repeats} paired runs, p < 0.05 after Holm's correction)."
    ]


def _sampling_with_weights(ranked: Sequence[Standing]) -> list[str]:
    """Compare column-norm sampling with uniform sampling, where both are there."""
    both = [s for s in ranked if "column_norm" in s.means and "uniform" in s.means]
    if not both:
        return []
    worse = sum(s.means["column_norm"] >= s.means["uniform"] for s in both)
    if 2 * worse <= len(both):
        return []
    return [
        f"Column-norm sampling is no better than uniform sampling at {worse} of {len(both)} ratios: its "
        "rescaling cancels in E W⁺ Eᵀ, and rows drawn twice cost rank."
    ]


def cost_note() -> str:
    """Say how seconds were taken."""
    return (
        f"Seconds are the median of {COST_REPEATS} runs, one at a time on this server, without K at hand; "
        "other visitors' work slows them. Kernel evaluations are exact counts."
    )


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
