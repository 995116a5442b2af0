"""The sentences and tables of the page "Tournament", from the record or from a live run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from nysviz.figures.look import inert
from nysviz.papers.tournament.board import COST_OF
from nysviz.papers.tournament.jobs import NAMES
from nysviz.papers.tournament.standings import Standing, Win
from nysviz.text import counted, listed, three_digits
from nysviz.ui import page
from nysviz.ui.tournament.controls import Question, in_sigma
from nysviz.ui.tournament.result import BEST_BY, Evidence, Result

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
    "partition-based); Oglic & Gärtner 2017 (kernel k-means++, refined, and the ridge leverage scores and "
    "k-DPP that it compares with); Chen, Epperly, Tropp & Webber 2022 (randomly pivoted Cholesky); Musco & "
    "Musco 2017 (recursive ridge leverage scores). Tests: J. Demšar. Statistical comparisons of classifiers "
    "over multiple data sets. JMLR 7, 2006. No paper has run this comparison."
)


def in_sets(count: int) -> str:
    """Say "1 data set" or "18 data sets"."""
    return counted(count, "data set")


def _near(found: Standing) -> tuple[str, list[str]]:
    """The first method and those that are not significantly behind it; with one data set all of them."""
    first, *rest = found.test.means
    return first, [name for name in rest if not found.test.differ(first, name)]


def answer(result: Result, question: Question) -> str:
    """Answer the page's question in one sentence."""
    found = result.standing
    if found is None:
        return (
            "No tournament of these contestants is recorded here: `python -m nysviz record tournament` makes "
            "one. It can be run below."
        )
    first, near = _near(found)
    others = listed([NAMES[name] for name in near]) or "none"
    return (
        f"By {question.by} **{NAMES[first]}** has the best mean rank, "
        f"{three_digits(found.test.means[first])} of {len(found.methods)} over {in_sets(len(found.sets))}; "
        f"not significantly behind: {others}."
    )


def rank_title(found: Standing, question: Question) -> tuple[str, str]:
    """Title and subtitle of the ranks."""
    first, near = _near(found)
    bars = "; bars join what is not significantly different" if found.test.cliques() else ""
    title = f"By {question.by}, {NAMES[first]} is clearly ahead"
    if near:
        title = f"By {question.by}: no clear difference between the first {len(near) + 1}"
    return inert(title), inert(f"{in_sets(len(found.sets))}, Gaussian kernel, {question.where}{bars}")


def map_title(wins: Sequence[Win], question: Question) -> tuple[str, str]:
    """Title and subtitle of the map: who wins where by more than chance."""
    sure = Counter(NAMES[win.first] for win in wins if win.sure).most_common()
    parts = listed([f"{name} {count}" for name, count in sure])
    title = f"Clear winners, of {len(wins)} cells: {parts}" if sure else "No clear winner in any cell"
    return inert(title), inert(f"by {question.by}, {in_sets(wins[0].sets)}; faint: not significant")


def numbers(result: Result) -> str:
    """Mean ranks and cells won, as an HTML table."""
    found = result.standing
    if found is None:
        return ""
    won = Counter(win.first for win in result.wins)
    sure = Counter(win.first for win in result.wins if win.sure)
    rows = [
        (NAMES[name], f"{mean:.2f}", f"{won[name]} ({sure[name]} clearly)")
        for name, mean in found.test.means.items()
    ]
    return page.number_table(("", "mean rank", f"cells won of {len(result.wins)}"), rows)


def test_line(found: Standing) -> str:
    """Friedman's test in one line."""
    test = found.test
    if not math.isfinite(test.difference):
        return "One data set: no test."
    return (
        f"Friedman χ² = {three_digits(test.chi2)}, Iman–Davenport F = {three_digits(test.f)}, "
        f"p {_p(test.p_f)}; critical difference {three_digits(test.difference)}; agreement of the sets "
        f"(Kendall's W) {three_digits(test.agreement)}."
    )


def _p(p: float) -> str:
    return "< 10⁻¹⁰" if p < 1e-10 else f"= {p:.2g}" if p >= 1e-3 else f"= {three_digits(p)}"


def advice(found: Mapping[str, Standing]) -> str:
    """The best methods by error and by error at equal cost, over all bandwidths and m/n, as a table."""
    rows = []
    for name, one in found.items():
        first, near = _near(one)
        best = f"{NAMES[first]} ({one.test.means[first]:.2f})"
        rows.append((BEST_BY[name], best, ", ".join(NAMES[other] for other in near) or "–"))
    return page.number_table(("smallest error …", "best mean rank", "not significantly behind"), rows)


def origin(found: Evidence) -> str:
    """How the record was made, and on which rows."""
    of, board = found.origin, found.board
    sizes = ", ".join(f"{name} {n}" for name, (n, _) in sorted(board.sizes.items()))
    made = ""
    if of:
        made = (
            f"Recorded {of['date']} with nysviz {of['nysviz']} ({of['commit'] or 'no commit'}), seed "
            f"{of['seed']}, {board.repeats} repeats, {of['seconds']} s on {of['machine']}. "
        )
    return f"{made}Methods have their default settings. Rows (a sample where a set has more): {sizes}."


def hover(win: Win, question: Question) -> str:
    """What the hover of a cell says."""
    ratio = f"{NAMES[win.second]} is second"
    if math.isfinite(win.ratio):
        by = "error" if question.criterion in COST_OF else question.by
        ratio += f" with rank {three_digits(win.ranks[1])}, {three_digits(win.ratio)} times the {by}"
    chance = "" if math.isnan(win.p) else f"<br>p {_p(win.p)}, {'' if win.sure else 'not '}significant"
    return (
        f"<b>{NAMES[win.first]}</b> at {in_sigma(win.multiple)}, m/n {win.percent:g} %"
        f"<br>mean rank {three_digits(win.ranks[0])} in this cell, first on {win.best} of "
        f"{in_sets(win.sets)}<br>{ratio}{chance}"
    )


def explanation() -> str:
    """Say what a vote, a bar and a rank by cost are."""
    return (
        "Each data set has one vote: its bandwidths and m/n share the same rows, so their ranks are averaged "
        "and ranked again. Bars join methods whose mean ranks are less than the critical difference apart. "
        "Seconds are those at the default bandwidth; kernel evaluations leave out distances, with which "
        "k-means finds its centres."
    )
