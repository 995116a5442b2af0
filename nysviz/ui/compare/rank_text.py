"""The sentences and the table of the view "Relative accuracy at rank d"."""

from __future__ import annotations

from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.sweep.ranking import Values
from nysviz.text import in_seconds, three_digits
from nysviz.ui.compare import text as compare_text
from nysviz.ui.compare.rank_controls import Question
from nysviz.ui.compare.result import whole
from nysviz.ui.compare.text import Scale, ends_of

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


def accuracy_of(question: Question) -> Scale:
    """Return the scale of relative accuracy, in per cent."""
    return Scale("largest", f"relative accuracy at rank {question.d}", "l", -1.0, " %")


def answer(question: Question, percents: Values, any_run: bool) -> str:
    """Say who comes nearest to the best rank d."""
    if any_run and not percents:
        return f"Up to rounding K has rank {question.d} or less; choose a smaller d to compare methods."
    return compare_text.answer(accuracy_of(question), percents, question.n)


def truncation_title(question: Question, best: Values, classical: Values) -> str:
    """Tell both accuracies at the middle number of columns."""
    name = question.shown
    shared = [m for m in best if name in best[m] and name in classical.get(m, {})]
    if not shared:
        return "Two ways to rank d from the same columns"
    m = shared[(len(shared) - 1) // 2]
    first, second = (three_digits(float(values[m][name].mean())) for values in (best, classical))
    return f"Best rank {question.d}: {first} %, classical: {second} %, at l = {m}"


def seconds_title(seconds: Values) -> str:
    """Tell the least and the most seconds at the largest number of columns."""
    if not seconds:
        return "Seconds of one rank-d approximation"
    m = whole(seconds)[-1]
    return f"From {ends_of(seconds[m], in_seconds)} at l = {m}"


def explanation(question: Question) -> str:
    """Say what is measured, and how seconds are taken."""
    given = "K is given" if question.at_hand else "every entry of K is computed when asked for"
    return (
        "At 100 % the columns give the best rank d of all; ≈ marks a method not significantly behind the "
        "first. The page Claims judges what the paper says of these methods (f2 to f7). Seconds are the "
        f"median of {SECONDS_REPEATS} runs on this server, one at a time, where {given}."
    )
