"""What the page "Tournament" says below its pictures, and the maths and sources behind it."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.papers.labels import listed
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import COST_OF, REFERENCE, Board
from nysviz.papers.tournament.setting import PERCENTS
from nysviz.sweep.friedman import LEVEL, critical_difference
from nysviz.ui.tournament.parts import Question, Result, label
from nysviz.ui.tournament.words import test_line, value_name


def _budgets(board: Board) -> str:
    """Say how short the times are that are held equal."""
    spent: dict[float, list[float]] = {percent: [] for percent in (PERCENTS[0], PERCENTS[-1])}
    for block in board.blocks():
        if block.percent in spent:
            spent[block.percent].append(board.number(block, REFERENCE, "seconds"))
    each = [
        f"{three_digits(1000 * float(np.nanmedian(seconds)))} ms at m/n = {percent:g} %"
        for percent, seconds in spent.items()
    ]
    return f"What is held equal is short, {listed(each)} in the median: there a method's fixed costs count."


def seen(result: Result, question: Question, board: Board) -> str:
    """What the pictures show, from their numbers."""
    found, wins = result.standing, result.wins
    if found is None:
        return "Choose two or more contestants that have runs in common."
    test, sentences = found.test, []
    if math.isfinite(test.difference):
        verdict = "differ" if test.p_f < LEVEL else "cannot be told apart"
        sentences.append(f"The methods {verdict} by {question.by}. {test_line(found)}")
        groups = ["; ".join(listed([label(name) for name in clique]) for clique in test.cliques())]
        if groups[0]:
            sentences.append(f"Not significantly different within each group: {groups[0]}.")
        whole = critical_difference(len(found.sets) * found.blocks, len(found.methods))
        if found.blocks > 1:
            sentences.append(
                f"Each data set has one vote. Its {found.blocks} bandwidths and m/n share the same rows; "
                f"counted as {len(found.sets) * found.blocks} independent trials they would shrink the "
                "critical "
                f"difference to {three_digits(whole)} and make almost any order significant."
            )
    won = Counter(win.first for win in wins)
    sure = [win for win in wins if win.sure]
    if wins:
        parts = [f"{label(name)} {count}" for name, count in won.most_common()]
        sentences.append(
            f"Cells of the map won: {', '.join(parts)}. The winner is ahead of the second by more than "
            "chance "
            f"in {len(sure)} of {len(wins)} (Wilcoxon over the data sets, Holm over the map)."
        )
    if sure:
        far = max(sure, key=lambda win: win.ratio if math.isfinite(win.ratio) else 0.0)
        if math.isfinite(far.ratio):
            sentences.append(
                f"The widest clear margin is at width × {times_width(far.multiple)} and m/n = "
                f"{far.percent:g} %: {label(far.second)} has {three_digits(far.ratio)} times the "
                f"{value_name(question)} of {label(far.first)}."
            )
    if question.criterion in ("seconds", "error_at_equal_seconds"):
        sentences.append("Seconds were taken at the default width and stand for every bandwidth.")
        if question.criterion in COST_OF:
            sentences.append(_budgets(board))
    if question.criterion in ("evaluations", "error_at_equal_evaluations"):
        sentences.append(
            "Kernel evaluations leave out distances: k-means works on the rows themselves and asks for the "
            "kernel only once its centres stand."
        )
    return " ".join(sentences)


MATHS = r"""
In a block (data set, bandwidth, m/n) the $k$ methods get ranks, 1 for the smallest value; equal values share
their mean. Ranks are averaged over the blocks of a data set, which share its rows, and the averages ranked
again: each of the $N$ data sets has one vote $r_{ij}$. With mean ranks $R_j = \frac1N \sum_i r_{ij}$,

$$\chi^2_F = \frac{12 N}{k (k+1)} \left( \sum_j R_j^2 - \frac{k (k+1)^2}{4} \right), \qquad
F_F = \frac{(N-1)\, \chi^2_F}{N (k-1) - \chi^2_F}$$

(Friedman 1937, corrected for ties; Iman & Davenport 1980), and two methods differ where their mean ranks are
at least the critical difference apart (Nemenyi 1963),

$$\mathrm{CD} = q_{0.05} \sqrt{\frac{k (k+1)}{6 N}},$$

with $q$ the studentized range of $k$ groups over $\sqrt 2$ (Demšar 2006).

**At equal cost.** The budget of a block is what randomly pivoted Cholesky spends there, in kernel
evaluations or seconds. A method's error for it is read off a line through its runs at 1 … 10 % of the rows
(uniform sampling and randomly pivoted Cholesky up to 40 %, k-means up to 20 %), logarithm of the
error against logarithm of the cost. Above the dearest run that run's error stands; below the cheapest the
method cannot be had and shares the last rank.

**The map.** The winner of a cell has the smallest mean rank over the data sets. It is drawn in full colour
where a two-sided Wilcoxon signed-rank test of the winner against the second, over the data sets, has $p <
0.05$ after Holm's correction over the cells. Winner and second are chosen by the same data, so this is a
little optimistic.
"""

SOURCE = (
    "Contestants: Zhang, Tsang & Kwok 2008 (k-means centres); Farahat, Ghodsi & Kamel 2011 (greedy, "
    "partition-based); "
    "Oglic & Gärtner 2017 (kernel k-means++, refined, and the ridge leverage scores and k-DPP that it "
    "compares "
    "with); "
    "Chen, Epperly, Tropp & Webber 2022 (randomly pivoted Cholesky); Musco & Musco 2017 (recursive ridge "
    "leverage "
    "scores). Tests: J. Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, "
    "2006. No "
    "paper has run this comparison."
)
