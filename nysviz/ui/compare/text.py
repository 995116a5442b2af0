"""The sentences and tables of the page "Compare"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Standing, Values, by_method, significant, standings
from nysviz.text import capital, in_seconds, listed, three_digits
from nysviz.ui import page
from nysviz.ui.compare.controls import COST_REPEATS, FLOOR, NORMS, Question
from nysviz.ui.compare.result import Point, middle, whole
from nysviz.ui.leads import NO_DIFFERENCE, difference_p

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


def label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


@dataclass(frozen=True)
class Scale:
    """What methods are compared by: ``what`` with its unit, ``best`` with the smallest sign × value.

    ``letter`` names the number of landmarks.
    """

    best: str
    what: str
    letter: str = "m"
    sign: float = 1.0
    unit: str = ""

    def ranked(self, methods: Mapping[str, FloatArray]) -> list[str]:
        """Return the methods, the best first, without the floor unless it is alone."""
        found = sorted(methods, key=lambda name: self.sign * float(methods[name].mean()))
        return [name for name in found if name != FLOOR] or found

    def standings(self, values: Values) -> list[Standing]:
        """Return the first two at each m where they differ."""
        signed = {m: {name: self.sign * runs for name, runs in of.items()} for m, of in values.items()}
        return standings(signed, (FLOOR,))


def errors_of(question: Question) -> Scale:
    """Return the scale of the chosen error."""
    return Scale("smallest", f"mean {NORMS[question.norm]} error")


def difference(methods: Mapping[str, FloatArray], first: str, second: str) -> float:
    """Two-sided p of the paired differences of two methods; a run without randomness is paired with each.

    Two numbers without randomness differ where they are not equal.
    """
    repeats = [len(methods[name]) for name in (first, second) if METHODS[name].random]
    count = min(repeats, default=1)
    gaps = methods[first][:count] - methods[second][:count]
    return difference_p(gaps) if repeats else float(gaps[0] == 0)


def answer(scale: Scale, values: Values, n: int) -> str:
    """Say which method is best most often, with the best two at one number of landmarks."""
    if not values:
        return WAITING
    m, letter = middle(values), scale.letter
    means = {name: float(runs.mean()) for name, runs in values[m].items()}
    best = scale.ranked(values[m])[:2]
    told = " and ".join(f"{three_digits(means[name])}{scale.unit} for {label(name)}" for name in best)
    at = f"at {letter}/n = {100 * m / n:.3g} % ({letter} = {m}): {told}"
    firsts = Counter(standing.first for standing in scale.standings(values))
    if not firsts:
        return f"{capital(scale.what)} {at}."
    first, count = firsts.most_common(1)[0]
    return (
        f"**{capital(label(first))}** has the {scale.best} {scale.what} at {count} of {len(values)} "
        f"{letter}/n; {at}."
    )


def title(scale: Scale, values: Values) -> str:
    """Tell at how many numbers of landmarks which method is clearly the best."""
    if max((len(set(methods) - {FLOOR}) for methods in values.values()), default=0) < 2:
        return f"{capital(scale.what)} against {scale.letter} / n"
    ranked = scale.standings(values)
    sure = significant([difference(values[one.m], one.first, one.second) for one in ranked])
    clear = Counter(METHODS[one.first].brief for one, yes in zip(ranked, sure, strict=True) if yes)
    parts = [f"{name} at {count}" for name, count in clear.most_common(3)]
    if not parts:
        return NO_DIFFERENCE
    return f"Clearly {scale.best} {scale.what}: {listed(parts)} of {len(values)} {scale.letter}/n"


def numbers(scale: Scale, values: Values, n: int) -> str:
    """Return the means at the answer's number of landmarks as a table, the best first.

    ≈ marks what does not differ significantly from the first.
    """
    if not values:
        return NOTHING_YET
    m = middle(values)
    methods = values[m]
    first, *others = scale.ranked(methods)
    sure = dict(zip(others, significant([difference(methods, first, name) for name in others]), strict=True))
    rows = []
    for name in ([FLOOR] if FLOOR in methods and first != FLOOR else []) + [first, *others]:
        runs, mark = methods[name], "" if sure.get(name, True) else " ≈"
        spread = f"± {three_digits(float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        rows.append((label(name), f"{three_digits(float(runs.mean()))}{scale.unit}", f"{spread}{mark}"))
    return page.number_table((f"at {scale.letter} = {m} ({100 * m / n:.3g} %)", "mean", ""), rows)


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
    if not seconds:
        return NOTHING_YET
    m = whole(seconds)[-1]
    times = {name: float(np.median(runs)) for name, runs in seconds[m].items()}
    rows = [
        (
            label(name),
            in_seconds(times[name]),
            f"{three_digits(float(np.median(entries[m][name])) / n**2)} n²",
        )
        for name in sorted(times, key=times.__getitem__)
    ]
    return page.number_table((f"at m = {m}", "time", "entries of K"), rows)


def budget_answer(question: Question, budget: float, best: Sequence[Point]) -> str:
    """Say who has the least error within the time that every method needs at least."""
    if not best:
        return WAITING if {*question.methods} - {FLOOR} else "Choose a method beside the best possible."
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
            "95 % interval of the paired differences to the second method excludes 0 (Student, Holm). ≈ "
            "marks a method not significantly behind the first."
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
