"""The sentences and the table of the view "Relative accuracy at rank d"."""

from __future__ import annotations

from collections import Counter

from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.sweep.ranking import Values
from nysviz.text import in_seconds, three_digits
from nysviz.ui.compare.rank_controls import Question
from nysviz.ui.compare.result import middle, whole
from nysviz.ui.compare.text import (
    NO_DIFFERENCE,
    NOTHING_YET,
    WAITING,
    clear_leads,
    ends_of,
    label,
    leaders,
    mean_table,
)

MATHS = r"""
From $l$ columns $C$ of $K$ and their rows $W$, $\tilde K_S = C\,W^{+}C^{\top} = GG^{\top}$. Its rank can be
brought down to $d$ in two ways. The **best** one takes the $d$ leading singular vectors of $G$; the
**classical** one the $d$ leading eigenpairs of $W$, $\;C\,V_d\Lambda_d^{-1}V_d^{\top}C^{\top}$. Both are
$HH^{\top}$ with $H = G\,T_d$, where $T_d$ holds the $d$ leading eigenvectors of $G^{\top}G$, or of
$B^{\top}B$ with $B$ the rows of $G$ at the columns chosen. The page measures

$$\text{relative accuracy} = \frac{\|K - K_d\|_F}{\|K - HH^{\top}\|_F} \le 1, \qquad
\|K - HH^{\top}\|_F^2 = \|K\|_F^2 - 2\,\mathrm{tr}\,(T_d^{\top}G^{\top}KG\,T_d) +
\|T_d^{\top}G^{\top}G\,T_d\|_F^2 ,$$

with $K_d$ the best rank $d$ of all (Eckart and Young 1936). One product $KG$ serves every $l$ of a nested
method and every $d$. Sparse rows stay sparse: $K = XX^{\top}$ is a sparse product, and k-means takes Lloyd's
steps by sparse products, with dense centres.
"""
SOURCE = (
    "Farahat, Ghodsi and Kamel, Greedy Nyström approximation, 2011, figure 1: rank-d approximations, "
    "Gaussian kernel with σ = 10 on pictures, linear kernel on documents. The paper states neither d, "
    "nor the scaling of the pixels, nor the weighting of the words; here d = 20 at first, pixels run from 0 "
    "to 1, and words are counted."
)


def answer(question: Question, values: Values, any_run: bool) -> str:
    """Say who comes nearest to the best rank d at the middle number of columns."""
    if not values:
        if not any_run:
            return WAITING
        return f"Up to rounding K has rank {question.d} or less; choose a smaller d to compare methods."
    m = middle(values)
    means = {name: float(runs.mean()) for name, runs in values[m].items()}
    best = sorted(means, key=means.__getitem__, reverse=True)[:2]
    told = " and ".join(f"{_percent(means[name])} for **{label(name)}**" for name in best)
    return (
        f"From l = {m} columns ({100 * m / question.n:.3g} % of n) the largest relative accuracy at rank "
        f"{question.d} is {told}."
    )


def title(question: Question, values: Values) -> str:
    """Tell who is clearly nearest to the best rank d, in one line."""
    if not values or len(question.methods) < 2:
        return f"How near rank {question.d} comes to the best one"
    errors = {m: {name: -runs for name, runs in methods.items()} for m, methods in values.items()}
    clear = Counter(first for _, first in clear_leads(errors)).most_common()
    if not clear:
        return NO_DIFFERENCE
    text = f"Clearly nearest to the best rank {question.d}: {{}} of {len(values)} l"
    return leaders(text, clear, "{} at {}")


def truncation_title(question: Question, best: Values, classical: Values) -> str:
    """Tell both accuracies at the middle number of columns."""
    name = question.shown
    shared = [m for m in best if name in best[m] and name in classical.get(m, {})]
    if not shared:
        return "Two ways to rank d from the same columns"
    m = shared[(len(shared) - 1) // 2]
    first, second = (_percent(float(values[m][name].mean())) for values in (best, classical))
    return f"Best rank {question.d}: {first}, classical: {second}, at l = {m}"


def seconds_title(seconds: Values) -> str:
    """Tell the least and the most seconds at the largest number of columns."""
    if not seconds:
        return "Seconds of one rank-d approximation"
    m = whole(seconds)[-1]
    return f"From {ends_of(seconds[m], in_seconds)} at l = {m}"


def numbers(question: Question, values: Values) -> str:
    """Return relative accuracy at the answer's number of columns as a table, largest first."""
    if not values:
        return NOTHING_YET
    m = middle(values)
    methods = {name: 100.0 * runs for name, runs in values[m].items()}
    ranked = sorted(methods, key=lambda name: float(methods[name].mean()), reverse=True)
    return mean_table(f"at l = {m} ({100 * m / question.n:.3g} %)", methods, ranked, " %")


def explanation(question: Question) -> str:
    """Say what is measured, and how seconds are taken."""
    given = "K is given" if question.at_hand else "every entry of K is computed when asked for"
    return (
        "At 100 % the columns give the best rank d of all; ≈ marks a method not significantly behind the "
        "first. The page Claims judges what the paper says of these methods (f2 to f7). Seconds are the "
        f"median of {SECONDS_REPEATS} runs on this server, one at a time, where {given}."
    )


def _percent(part: float) -> str:
    return f"{three_digits(100 * part)} %"
