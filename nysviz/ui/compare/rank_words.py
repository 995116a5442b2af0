"""The words and numbers of the view "Relative accuracy at rank d"; all of them computed from the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.sweep.ranking import Values
from nysviz.ui import page
from nysviz.ui.compare.rank_question import Question

MATHS = r"""
From $l$ columns $C$ of $K$ and their rows $W$, $\tilde K_S = C\,W^{+}C^{\top} = GG^{\top}$. Its rank can
be brought
down to $d$ in two ways. The **best** one takes the $d$ leading singular vectors of $G$; the
**classical** one the $d$
leading eigenpairs of $W$, $\;C\,V_d\Lambda_d^{-1}V_d^{\top}C^{\top}$. Both are $HH^{\top}$ with $H =
G\,T_d$, where
$T_d$ holds the $d$ leading eigenvectors of $G^{\top}G$, or of $B^{\top}B$ with $B$ the rows of $G$ at
the columns
chosen. The page measures

$$\text{relative accuracy} = \frac{\|K - K_d\|_F}{\|K - HH^{\top}\|_F} \le 1, \qquad
\|K - HH^{\top}\|_F^2 = \|K\|_F^2 - 2\,\mathrm{tr}\,(T_d^{\top}G^{\top}KG\,T_d) +
\|T_d^{\top}G^{\top}G\,T_d\|_F^2 ,$$

with $K_d$ the best rank $d$ of all (Eckart and Young 1936). One product $KG$ serves every $l$ of a
nested method
and every $d$. Sparse rows stay sparse: $K = XX^{\top}$ is a sparse product, and k-means takes Lloyd's
steps by sparse
products, with dense centres.
"""

SOURCE = (
    "Farahat, Ghodsi and Kamel, Greedy Nyström approximation, 2011, figure 1: rank-d approximations, "
    "Gaussian kernel "
    "with σ = 10 on pictures, linear kernel on documents. The paper states neither d, nor the scaling "
    "of the pixels, "
    "nor the weighting of the words; here d = 20 at first, pixels run from 0 to 1, and words are counted."
)
WAITING = "The first runs are on their way."
NOTHING_YET = "<p>&nbsp;</p>"


def label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


def answer(question: Question, values: Values, any_run: bool) -> str:
    """Say who comes nearest to the best rank d at the middle number of columns."""
    m = _middle(question, values)
    if m is None:
        if any_run and not values:
            return (
                f"Up to rounding K has rank {question.d} or less: nothing is left to compare; choose a "
                "smaller d."
            )
        return WAITING
    means = means_of(values[m])
    first = max(means, key=means.__getitem__)
    text = f"From l = {m} columns ({100 * m / question.n:.3g} % of n), "
    if len(question.methods) == 1:
        return (
            f"{text}the relative accuracy of **{label(first)}** at rank {question.d} is "
            f"{percent(means[first])}."
        )
    text += f"nearest to the best rank {question.d}: **{label(first)}**, accuracy {percent(means[first])}"
    others = [name for name in ("greedy", "uniform") if name in means and name != first]
    if others:
        text += "; " + ", ".join(f"{label(name)} {percent(means[name])}" for name in others)
    return text + "."


def title(question: Question, values: Values) -> str:
    """Tell what the main chart shows."""
    firsts = [
        max(means_of(methods), key=means_of(methods).__getitem__)
        for methods in values.values()
        if len(methods) == len(question.methods) > 1
    ]
    if not firsts:
        return f"How near rank {question.d} comes to the best one"
    names = list(dict.fromkeys(firsts))
    if len(names) == 1:
        return f"{_capital(label(names[0]))}: nearest to the best rank {question.d} at every l"
    return f"Nearest to the best rank {question.d}: {', then '.join(label(name) for name in names)}"


def truncation_title(question: Question, best: Values, classical: Values) -> str:
    """Tell what taking the better truncation is worth."""
    pairs = truncations(question, best, classical)
    if not pairs:
        return "Two ways to rank d from the same columns"
    m, first, second = max(pairs, key=lambda pair: pair[1] - pair[2])
    return f"The best rank {question.d} gains up to {100 * (first - second):.3g} points (l = {m})"


def seconds_title(question: Question, values: Values) -> str:
    """Tell what the chart of seconds shows."""
    whole = [m for m in values if len(values[m]) == len(question.methods)]
    if not whole or len(question.methods) < 2:
        return "Seconds of one rank-d approximation"
    medians = {name: float(np.median(runs)) for name, runs in values[whole[-1]].items()}
    low, high = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    ratio = three_digits(medians[high] / medians[low])
    return f"{_capital(label(high))} takes {ratio} times as long as {label(low)}"


def numbers(question: Question, values: Values) -> str:
    """Return relative accuracy at the middle number of columns as a table, largest first."""
    m = _middle(question, values)
    if m is None:
        return NOTHING_YET
    rows = []
    for name, mean in sorted(means_of(values[m]).items(), key=lambda pair: -pair[1]):
        runs = values[m][name]
        spread = f"± {three_digits(100 * float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        rows.append((label(name), percent(mean), spread))
    return page.number_table((f"at l = {m} ({100 * m / question.n:.3g} %)", "mean", ""), rows)


def truncations(question: Question, best: Values, classical: Values) -> list[tuple[int, float, float]]:
    """Mean accuracy of the best and of the classical rank d from the chosen method, at each l."""
    name = question.shown
    return [
        (m, float(best[m][name].mean()), float(classical[m][name].mean()))
        for m in best
        if name in best[m] and name in classical.get(m, {})
    ]


def _middle(question: Question, values: Values) -> int | None:
    whole = [m for m, methods in values.items() if len(methods) == len(question.methods)]
    return whole[(len(whole) - 1) // 2] if whole else None


def means_of(methods: Mapping[str, FloatArray]) -> dict[str, float]:
    """Mean over the runs of each method."""
    return {name: float(runs.mean()) for name, runs in methods.items()}


def percent(part: float) -> str:
    """Write a part in per cent with three digits."""
    return f"{three_digits(100 * part)} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
