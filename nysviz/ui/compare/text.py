"""The sentences and tables of the page "Compare"."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import ttest_1samp

from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values, by_method, significant, standings
from nysviz.text import capital, in_seconds, listed, three_digits
from nysviz.ui import page
from nysviz.ui.compare.controls import COST_REPEATS, FLOOR, NORMS, Question
from nysviz.ui.compare.result import Point, middle, whole

MATHS = r"""
For every method, number of landmarks $m$ and repeat, the page measures $\|K - \tilde K\|$ with
$\tilde K = E\,W^{+}E^{\top}$. A nested method, whose picks for fewer landmarks are the first of those for
more, is run once a repeat: with $G_t$ the first $t$ columns of its factor,

$$\|K - G_tG_t^{\top}\|_F^2 = \|K\|_F^2 - 2\sum_{s\le t} (G^{\top}KG)_{ss}
+ \sum_{s,u\le t} (G^{\top}G)_{su}^2 ,$$

so that one product $KG$ gives the error at every $m$. The floor is the best possible error of rank $m$,
$(\sum_{i>m}\lambda_i^2)^{1/2}$ in the Frobenius norm (Eckart and Young 1936).

Runs with the same number of a repeat share their seed and are compared in pairs: a difference is clear where
Student's test of the paired differences is significant at 5 %, with Holm's correction over the numbers of
landmarks.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, figure 1: "
    "incomplete Cholesky, uniform and column-norm sampling, k-means and the SVD at m/n from 1 to 10 %. "
    "Table 1 states the costs of choosing landmarks."
)

# A place that is written to while runs come in has to be written to from the start.
WAITING = "The first runs are on their way."
NOTHING_YET = "<p>&nbsp;</p>"
NO_DIFFERENCE = "No clear difference between the best methods"
# Characters of a title that the chart has room for.
LONGEST = 72


def label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


def clear_leads(values: Values) -> list[tuple[int, str]]:
    """Each m at which the smallest mean error is clearly that of one method, with the method."""
    ranked = standings(values, (FLOOR,))
    ps = [difference_p(values[one.m], one.first, one.second) for one in ranked]
    return [(one.m, one.first) for one, sure in zip(ranked, significant(ps), strict=True) if sure]


def difference_p(methods: Mapping[str, FloatArray], first: str, second: str) -> float:
    """Two-sided p of Student's test of the paired differences; a single run is paired with each.

    Two numbers without randomness differ where they are not equal; a single pair of runs tells nothing.
    """
    repeats = [len(methods[name]) for name in (first, second) if METHODS[name].random]
    count = min(repeats, default=1)
    gaps = methods[first][:count] - methods[second][:count]
    if repeats and count < 2:
        return math.nan
    if np.ptp(gaps) == 0:
        return 0.0 if gaps[0] else 1.0
    return float(ttest_1samp(gaps, 0.0).pvalue)


def answer(question: Question, values: Values, n: int) -> str:
    """Say who has the smallest mean error, with the two smallest at one number of landmarks."""
    if not values:
        return WAITING
    m = middle(values)
    means = {name: float(runs.mean()) for name, runs in values[m].items()}
    best = sorted(set(means) - {FLOOR}, key=means.__getitem__)[:2] or [FLOOR]
    numbers = " and ".join(f"{three_digits(means[name])} for {label(name)}" for name in best)
    at = f"at m/n = {100 * m / n:.3g} % (m = {m}): {numbers}"
    firsts = Counter(standing.first for standing in standings(values, (FLOOR,)))
    if not firsts:
        return f"Mean {NORMS[question.norm]} error {at}."
    first, count = firsts.most_common(1)[0]
    return (
        f"**{capital(label(first))}** has the smallest mean {NORMS[question.norm]} error at {count} of "
        f"{len(values)} m/n; {at}."
    )


def title(question: Question, values: Values) -> str:
    """Tell who is clearly ahead, in one line."""
    if len(set(question.methods) - {FLOOR}) < 2 or not values:
        return f"{capital(NORMS[question.norm])} error against the number of landmarks"
    clear = Counter(first for _, first in clear_leads(values)).most_common()
    if not clear:
        return NO_DIFFERENCE
    return leaders("Clearly smallest error: {}" + f" of {len(values)} m/n", clear, "{} at {}")


def leaders(text: str, items: Sequence[tuple[str, object]], item: str) -> str:
    """List the first methods in a title, by their brief names where the full ones are too long."""
    full, brief = (
        text.format(listed([item.format(name(method), value) for method, value in items[:3]]))
        for name in (label, lambda method: METHODS[method].brief)
    )
    return full if len(full) <= LONGEST else brief


def numbers(question: Question, values: Values, n: int) -> str:
    """Return the errors at the answer's m as a table, smallest first."""
    if not values:
        return NOTHING_YET
    m = middle(values)
    methods = values[m]
    ranked = sorted(methods, key=lambda name: float(methods[name].mean()))
    return mean_table(f"at m = {m} ({100 * m / n:.3g} %)", methods, ranked)


def mean_table(head: str, methods: Mapping[str, FloatArray], ranked: Sequence[str], unit: str = "") -> str:
    """Return means with standard deviations; ≈ marks what does not differ significantly from the first."""
    first, *others = [name for name in ranked if name != FLOOR] or ranked
    sure = significant([difference_p(methods, first, name) for name in others])
    rows = []
    for name in ranked:
        runs = methods[name]
        is_equal = name in others and not sure[others.index(name)]
        spread = f"± {three_digits(float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        mean = f"{three_digits(float(runs.mean()))}{unit}"
        rows.append((label(name), mean, f"{spread}{' ≈' if is_equal else ''}"))
    return page.number_table((head, "mean", ""), rows)


def cost_answer(question: Question, costs: Sequence[Record], n: int) -> str:
    """Say which methods cost least and most at the largest m that all have."""
    is_time = question.view == "seconds"
    values = by_method(costs, "seconds" if is_time else "kernel_evaluations")
    if not values:
        return WAITING
    m = whole(values)[-1]
    ends = ends_of(values[m], in_seconds if is_time else lambda count: f"{three_digits(count / n**2)} n²")
    what = "One approximation takes" if is_time else "Kernel evaluations go"
    return f"{what} from {ends} at m = {m}."


def ends_of(methods: Mapping[str, FloatArray], write: Callable[[float], str]) -> str:
    """Write the smallest and the largest median with their methods: 1.2 ms (uniform) to 3 ms (greedy)."""
    medians = {name: float(np.median(runs)) for name, runs in methods.items()}
    ranked = sorted(medians, key=medians.__getitem__)
    return " to ".join(f"{write(medians[name])} ({label(name)})" for name in (ranked[0], ranked[-1]))


def cost_numbers(question: Question, costs: Sequence[Record], n: int) -> str:
    """Return seconds and kernel evaluations at the largest m as a table."""
    seconds, entries = by_method(costs, "seconds"), by_method(costs, "kernel_evaluations")
    shared = [m for m in seconds if len(seconds[m]) == len(question.methods)]
    if not shared:
        return NOTHING_YET
    m = shared[-1]
    times = {name: float(np.median(runs)) for name, runs in seconds[m].items()}
    rows = [
        (
            label(name),
            f"{three_digits(1000 * times[name])} ms",
            f"{three_digits(float(np.median(entries[m][name])) / n**2)} n²",
        )
        for name in sorted(times, key=times.__getitem__)
    ]
    return page.number_table((f"at m = {m}", "time", "entries of K"), rows)


def budget_answer(question: Question, budget: float, best: Sequence[Point]) -> str:
    """Say who has the least error within a time from the middle of the chart."""
    if not best:
        return WAITING if len(set(question.methods) - {FLOOR}) > 1 else "Choose two methods to compare."
    told = " and ".join(f"{three_digits(p.error)} for **{label(p.method)}** (m = {p.m})" for p in best[:2])
    return f"Least mean {NORMS[question.norm]} errors within {in_seconds(budget)}: {told}."


def budget_numbers(budget: float, best: Sequence[Point]) -> str:
    """Return each method's least error within the answer's time as a table, smallest first."""
    rows = [(label(p.method), three_digits(p.error), f"m = {p.m}") for p in best]
    return page.number_table((f"within {in_seconds(budget)}", "mean", ""), rows) if rows else NOTHING_YET


def explanation(question: Question) -> str:
    """Say what lines and marks mean, and what counts as clear."""
    if question.view == "error":
        return (
            "A line is the mean over the repeats, its band one standard deviation. A lead is clear where the "
            "95 % interval of the paired differences to the second method excludes 0 (Student, Holm). ≈ marks "
            "a method not significantly behind the first."
        )
    costs = (
        f"Seconds are the median of {COST_REPEATS} runs, one at a time on this server, without K at hand; "
        "kernel evaluations are exact counts."
    )
    if question.view != "budget":
        return f"{costs} Other visitors' work slows the runs."
    return (
        f"{costs} A line ends at m / n = {question.up_to} %: with more time its method could take more "
        "landmarks."
    )
