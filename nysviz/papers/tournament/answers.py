"""Questions across the papers, which none of them claims an answer to, answered from the tournament's rows.

The unit of every test is the data set: what is measured on one set at several bandwidths and m/n is
summed up first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nysviz.papers.claim import NO_RUN
from nysviz.papers.records import Records
from nysviz.papers.statistics import interval, spearman, with_interval
from nysviz.papers.tournament.jobs import EXPERIMENT, NAMES
from nysviz.papers.tournament.standings import REFERENCE, Board, error_at, standing
from nysviz.sweep.ranking import paired_p, significant
from nysviz.text import listed, three_digits

CHAMPIONS = ("greedy", "kmeanspp_lloyd", "kmeans")
COSTS = {"kernel evaluations": "kernel_evaluations", "seconds": "seconds"}
PREDICTORS = {"trace": "relative_trace", "quantization": "quantization"}


@dataclass(frozen=True)
class Answer:
    """What the records say to a question: a sentence, the numbers behind it, and the test in detail."""

    sentence: str
    statistic: str
    data: tuple[str, ...] = ()
    repeats: int = 0
    numbers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Question:
    """A question whose answer is a sentence; the docstring of ``ask`` says what it is computed from."""

    id: str
    statement: str
    ask: Callable[[Board], Answer]
    link: Mapping[str, str | tuple[str, ...]]

    @property
    def decides(self) -> str:
        """What the answer is computed from."""
        return " ".join((self.ask.__doc__ or "").split())

    def answer(self, records: Records) -> Answer:
        """Answer from records; without a sentence where the tournament has no run."""
        board = Board(records)
        return self.ask(board) if board.sets else Answer("", f"{NO_RUN} of {EXPERIMENT}")


def times_width(multiple: float) -> str:
    """A multiple of the default width: 1/16, 1/4, 1, 4."""
    return f"1/{1 / multiple:.3g}" if multiple < 1 else f"{multiple:.3g}"


@dataclass(frozen=True)
class Comparison:
    """Geometric mean of the second's error over the first's, Wilcoxon's p over the sets, who is ahead."""

    ratio: float
    p: float
    sets: int
    sign: int


def compared(logs: Mapping[Any, Mapping[str, float]]) -> dict[Any, Comparison]:
    """Compare pairs by the logarithms of their ratios, by data set; pairs without any are left out."""
    there = {key: np.array([*values.values()]) for key, values in logs.items() if values}
    ps = [paired_p(values, np.zeros(len(values))) for values in there.values()]
    return {
        key: Comparison(math.exp(values.mean()), p, len(values), int(np.sign(values.mean())) if sure else 0)
        for (key, values), p, sure in zip(there.items(), ps, significant(ps), strict=True)
    }


def champions(board: Board) -> Answer:
    """Relative Frobenius errors at five bandwidths.

    The mean logarithm over m/n of a data set, Wilcoxon over the data sets for each pair and bandwidth, Holm
    over all of them.
    """
    values = board.values("error")
    pairs = compared(
        {
            (multiple, a, b): _means(
                {
                    (block.data, block): math.log(of[b] / of[a])
                    for block, of in values.items()
                    if block.multiple == multiple and a in of and b in of
                }
            )
            for multiple in board.multiples
            for a, b in combinations(CHAMPIONS, 2)
        }
    )
    pairs |= {
        (x, b, a): Comparison(1.0 / one.ratio, one.p, one.sets, -one.sign) for (x, a, b), one in pairs.items()
    }
    outcome: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    numbers = {}
    for multiple in board.multiples:
        found = standing(values, CHAMPIONS, [multiple])
        if found is None:
            continue
        first, *rest = found.test.means
        better_than = tuple(name for name in rest if pairs[multiple, first, name].sign > 0)
        outcome[first, better_than].append(times_width(multiple))
        ranks = ", ".join(f"{NAMES[name]} {three_digits(mean)}" for name, mean in found.test.means.items())
        ratios = ", ".join(
            f"error of {NAMES[b]} {three_digits(pairs[multiple, first, b].ratio)} times that of "
            f"{NAMES[first]}"
            for b in rest
        )
        numbers[f"{times_width(multiple)} × default width"] = (
            f"mean ranks {ranks} (Friedman, Iman–Davenport p = {three_digits(found.test.p_f)}); {ratios}"
        )
    sentences = []
    for (first, better_than), where in outcome.items():
        others = listed([NAMES[name] for name in better_than]) if better_than else "neither of the others"
        sentences.append(
            f"At {listed(where)} times the default width the smallest mean rank is that of {NAMES[first]}, "
            f"significantly better than {others}."
        )
    clear = sum(one.sign > 0 for one in pairs.values())
    statistic = (
        f"{clear} of {len(pairs) // 2} pairs (method against method at one bandwidth) differ significantly "
        f"(Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    return Answer(" ".join(sentences), statistic, board.sets, board.repeats, tuple(numbers.items()))


def at_equal_cost(board: Board) -> Answer:
    """A rival's error over that of randomly pivoted Cholesky at the same cost.

    It is read off a line through its runs at 1 … 40 % of the rows on logarithmic axes; beyond its last run
    that run's error stands. Median over the bandwidths and m/n of a data set, Wilcoxon over the data sets,
    Holm over rivals and both costs. Seconds are those at the default width.
    """
    rivals = [name for name in board.methods if name != REFERENCE]
    found = compared(
        {
            (what, name): equal_cost_ratios(board, name, cost)
            for what, cost in COSTS.items()
            for name in rivals
        }
    )
    sentences, counts = [], []
    for what in dict.fromkeys(cost for cost, _ in found):
        mine = {rival: one for (cost, rival), one in found.items() if cost == what}
        signs = [one.sign for one in mine.values()]
        counts.append(
            f"equal {what}: better than {signs.count(1)}, worse than {signs.count(-1)} of {len(mine)}"
        )
        ahead = [f"{NAMES[r]} [{three_digits(one.ratio)}]" for r, one in mine.items() if one.sign < 0]
        sentences.append(
            f"At equal {what} {NAMES[REFERENCE]} is better than {signs.count(1)} of {len(mine)} methods, "
            f"and worse than {listed(ahead) or 'none'}."
        )
    sentences.append("In square brackets: the rival's error over that of randomly pivoted Cholesky.")
    numbers = tuple(
        (
            f"{NAMES[rival]}, equal {what}",
            f"error {three_digits(one.ratio)} times that of {NAMES[REFERENCE]}, p = {three_digits(one.p)}, "
            f"{one.sets} data sets",
        )
        for (what, rival), one in found.items()
    )
    statistic = f"{'; '.join(counts)} rivals (Wilcoxon over {len(board.sets)} data sets, Holm)"
    return Answer(" ".join(sentences), statistic, board.sets, board.repeats, numbers)


def equal_cost_ratios(board: Board, rival: str, cost: str) -> dict[str, float]:
    """Median log ratio of a rival's error to that of randomly pivoted Cholesky at its cost, by set."""
    found: dict[str, list[float]] = defaultdict(list)
    for block in board.blocks():
        error, spent = (board.number(block, rival, what) for what in ("relative_frobenius", cost))
        mine = error_at(board.curve(block.data, block.multiple, REFERENCE, cost), spent)
        if math.isfinite(error / mine) and error / mine > 0:
            found[block.data].append(math.log(error / mine))
    return {name: float(np.median(logs)) for name, logs in found.items()}


def predictors(board: Board) -> Answer:
    """Rank correlations with the Frobenius error.

    Over the methods at each bandwidth and m/n, and over the repeats of one method; their means over a data
    set, Wilcoxon over the data sets.
    """
    sides = {
        "across methods": correlations(board),
        "within a method": {key: _means(board.within[f"within_{key}"]) for key in PREDICTORS},
    }
    sentences, statistics, numbers = [], [], {}
    for where, of in sides.items():
        names = [name for name in of["trace"] if name in of["quantization"]]
        if not names:
            continue
        trace, quantization = ([of[key][name] for name in names] for key in PREDICTORS)
        gap = compared({where: {name: of["trace"][name] - of["quantization"][name] for name in names}})[where]
        better = {
            1: "the residual's trace is",
            -1: "the quantization error is",
            0: "neither is significantly",
        }
        sentences.append(
            f"{where.capitalize()} {better[gap.sign]} the better predictor of the Frobenius error."
        )
        statistics.append(
            f"{where}: mean rank correlation {three_digits(float(np.mean(trace)))} of the trace, "
            f"{three_digits(float(np.mean(quantization)))} of the quantization error (Wilcoxon over "
            f"{len(names)} data sets, p = {three_digits(gap.p)})"
        )
        numbers[f"{where}, trace (mean, 95 % interval over sets)"] = with_interval(interval(trace))
        numbers[f"{where}, quantization error"] = with_interval(interval(quantization))
    for multiple in board.multiples:
        means = correlations(board, multiple)
        numbers[f"across methods at {times_width(multiple)} × default width"] = ", ".join(
            f"{key} {three_digits(float(np.mean(list(of.values()))))}" for key, of in means.items() if of
        )
    return Answer(
        " ".join(sentences), "; ".join(statistics), board.sets, board.repeats, tuple(numbers.items())
    )


def correlations(board: Board, multiple: float | None = None) -> dict[str, dict[str, float]]:
    """Mean rank correlation over the methods with the error: predictor → data set → mean over its blocks."""
    found: dict[str, dict[tuple[str, ...], float]] = {key: {} for key in PREDICTORS}
    for block in board.blocks():
        if multiple in (None, block.multiple):
            for key, measure in PREDICTORS.items():
                pairs = [
                    (board.number(block, name, measure), board.number(block, name, "relative_frobenius"))
                    for name in board.methods
                ]
                pairs = [pair for pair in pairs if not any(map(math.isnan, pair))]
                rho = spearman(*zip(*pairs, strict=True)) if len(pairs) > 2 else math.nan
                if not math.isnan(rho):
                    found[key][block.data, str(block)] = rho
    return {key: _means(of) for key, of in found.items()}


def _means(values: Mapping[tuple[Any, ...], float]) -> dict[str, float]:
    """Mean by data set, the first part of each key."""
    found: dict[str, list[float]] = defaultdict(list)
    for (name, *_), value in values.items():
        found[name].append(value)
    return {name: float(np.mean(of)) for name, of in found.items()}


QUESTIONS = {
    question.id: question
    for question in (
        Question(
            "x1",
            "Greedy, kernel k-means++ (refined) or k-means centres: which has the smallest error at which "
            "bandwidth?",
            champions,
            {"tournament_methods": tuple(NAMES[name] for name in CHAMPIONS)},
        ),
        Question(
            "x2",
            "Is randomly pivoted Cholesky ahead of the others at equal kernel evaluations and at equal "
            "seconds?",
            at_equal_cost,
            {"tournament_by": "error at equal kernel evaluations"},
        ),
        Question(
            "x3",
            "Does the quantization error or the trace of the residual tell more of the Frobenius error?",
            predictors,
            {"tournament_third": "what predicts the error"},
        ),
    )
}
