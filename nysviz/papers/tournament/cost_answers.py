"""Randomly pivoted Cholesky against its rivals at equal cost (x2), from the rows of the tournament."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from nysviz.papers.records import Records
from nysviz.papers.statistics import told
from nysviz.papers.tournament.answers import Answer, Comparison, compared, listed, name_of
from nysviz.papers.tournament.board import REFERENCE, Board
from nysviz.papers.tournament.costs import error_at
from nysviz.sweep.ranking import significant

COSTS = {"kernel evaluations": "kernel_evaluations", "seconds": "seconds"}


def at_equal_cost(records: Records) -> Answer:
    """x2: randomly pivoted Cholesky against each rival at what the rival's runs cost."""
    board = Board(records)
    rivals = [name for name in board.methods if name != REFERENCE]
    found = {
        (what, rival): compared(equal_cost_ratios(board, rival, cost))
        for what, cost in COSTS.items()
        for rival in rivals
    }
    found = {key: one for key, one in found.items() if one.sets}
    if not found:
        return Answer("", "no method has a run at a cost that randomly pivoted Cholesky can have")
    sure = dict(zip(found, significant([one.p for one in found.values()]), strict=True))
    sentences, counts = [], []
    for what in COSTS:
        mine = {rival: one for (cost, rival), one in found.items() if cost == what}
        if mine:
            sentences.append(_at_equal(what, mine, {rival: sure[what, rival] for rival in mine}))
            ahead = sum(sure[what, rival] and one.ratio > 1 for rival, one in mine.items())
            behind = sum(sure[what, rival] and one.ratio < 1 for rival, one in mine.items())
            counts.append(f"equal {what}: ahead of {ahead}, behind {behind} of {len(mine)}")
    numbers = tuple(
        (
            f"{name_of(rival)}, equal {what}",
            f"its error is {told(one.ratio)} times that of {name_of(REFERENCE)}, p = {told(one.p, 2)}, "
            f"{one.sets} data sets",
        )
        for (what, rival), one in found.items()
    )
    statistic = f"{'; '.join(counts)} rivals (Wilcoxon over {len(board.sets)} data sets, Holm)"
    return Answer(" ".join(sentences), statistic, board.sets, board.repeats, numbers)


def equal_cost_ratios(board: Board, rival: str, cost: str) -> list[float]:
    """Log ratio of a rival's error to that of randomly pivoted Cholesky at the rival's cost, one a data set.

    The median over the set's bandwidths and m/n: where K is nearly of low rank a ratio can be 10⁶, and a mean
    would be that one. A run that is cheaper than the cheapest of randomly pivoted Cholesky is left out.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for block in board.blocks():
        spent = board.number(block, rival, cost)
        error = board.number(block, rival, "relative_frobenius")
        curve = board.curve(block.data, block.multiple, REFERENCE, cost)
        if math.isnan(spent) or math.isnan(error) or not curve:
            continue
        mine = error_at(curve, spent)
        if math.isfinite(mine):
            found[block.data].append(math.log(error / mine))
    return [float(np.median(logs)) for logs in found.values()]


def _at_equal(what: str, mine: Mapping[str, Comparison], sure: Mapping[str, bool]) -> str:
    def names(keep: Iterable[str]) -> str:
        return listed([f"{name_of(rival)} [{told(mine[rival].ratio)}]" for rival in keep])

    ahead = [rival for rival, one in mine.items() if sure[rival] and one.ratio > 1]
    behind = [rival for rival, one in mine.items() if sure[rival] and one.ratio < 1]
    open_ = [rival for rival in mine if rival not in ahead + behind]
    parts = []
    if ahead:
        parts.append(f"ahead of {names(ahead)}")
    if behind:
        parts.append(f"behind {names(behind)}")
    if open_:
        parts.append(f"not to be told from {names(open_)}")
    return (
        f"At equal {what} {name_of(REFERENCE)} is {'; '.join(parts)}; in square brackets the rival's error "
        "as a "
        "multiple of its own."
    )
