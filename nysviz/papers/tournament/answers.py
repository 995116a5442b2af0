"""Questions across the papers, answered from the tournament's rows.

The unit of every test is the data set: its bandwidths and m/n are averaged first.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, compress, groupby, product
from statistics import fmean
from typing import Any

import numpy as np

from nysviz.landmarks import METHODS
from nysviz.papers.claim import NO_RUN, TABLE
from nysviz.papers.statistics import interval, with_interval
from nysviz.papers.tournament.jobs import EXPERIMENT, NAMES
from nysviz.papers.tournament.standings import REFERENCE, Block, Board, error_at, standing
from nysviz.sweep.ranking import paired_p, significant
from nysviz.text import listed, three_digits

CHAMPIONS = ("greedy", "kmeanspp_lloyd", "kmeans")
MOVED, CHEAPER = "gradient", ("kmeans", "greedy")
COSTS = {"kernel evaluations": "kernel_evaluations", "seconds": "seconds"}
PREDICTORS = {"trace": "relative_trace", "quantization": "quantization"}


@dataclass(frozen=True)
class Answer:
    """An answer in words, the numbers behind it, and the test in detail."""

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
    link: Mapping[str, str | list[str]]

    @property
    def decides(self) -> str:
        """What the answer is computed from."""
        return " ".join((self.ask.__doc__ or "").split())

    def answer(self, board: Board) -> Answer:
        """Answer from a board; without a sentence where the tournament has no run."""
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
    """Mean log error over the m/n of a data set; Wilcoxon over the sets, Holm over pairs and bandwidths."""
    values = board.values("error")
    logs = {}
    for multiple, (a, b) in product(board.multiples, combinations(CHAMPIONS, 2)):
        here = [(x, of) for x, of in values.items() if x.multiple == multiple and a in of and b in of]
        logs[multiple, a, b] = _means({(block.data, block): math.log(of[b] / of[a]) for block, of in here})
    pairs = compared(logs)
    pairs |= {
        (x, b, a): Comparison(1.0 / one.ratio, one.p, one.sets, -one.sign) for (x, a, b), one in pairs.items()
    }
    won: dict[str, list[str]] = defaultdict(list)
    significantly: dict[str, list[str]] = defaultdict(list)
    numbers = {}
    for multiple in board.multiples:
        found = standing(values, CHAMPIONS, [multiple])
        if found is None:
            continue
        first, *rest = found.test.means
        won[first].append(times_width(multiple))
        if all(pairs[multiple, first, name].sign > 0 for name in rest):
            significantly[first].append(times_width(multiple))
        ranks = ", ".join(f"{NAMES[name]} {three_digits(mean)}" for name, mean in found.test.means.items())
        ratios = ", ".join(
            f"error of {NAMES[name]} {three_digits(one.ratio)} times that of {NAMES[first]}"
            f"{' (significant)' if one.sign > 0 else ''}"
            for name, one in ((name, pairs[multiple, first, name]) for name in rest)
        )
        numbers[f"{times_width(multiple)} × default width"] = (
            f"mean ranks {ranks} (Friedman, Iman–Davenport p = {three_digits(found.test.p_f)}); {ratios}"
        )
    winners = []
    for name, where in won.items():
        sure = f" (significant at {listed(significantly[name])})" if significantly[name] else ""
        winners.append(f"{NAMES[name]} at {listed(where)}{sure}")
    clear = sum(one.sign > 0 for one in pairs.values())
    statistic = (
        f"{clear} of {len(pairs) // 2} pairs (method against method at one bandwidth) differ significantly "
        f"(Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    sentence = f"The smallest mean rank belongs to {' and to '.join(winners)} times the default width."
    return Answer(sentence if winners else "", statistic, board.sets, board.repeats, tuple(numbers.items()))


def at_equal_cost(board: Board) -> Answer:
    """Error of a rival over that of randomly pivoted Cholesky at the same cost.

    Interpolated between runs at 1 … 40 % of the rows; median of a data set, Wilcoxon over the sets, Holm.
    """
    ratios = {what: equal_cost_ratios(board, cost) for what, cost in COSTS.items()}
    found = compared({(what, name): logs for what, of in ratios.items() for name, logs in of.items()})
    sentences, counts = [], []
    for what in dict.fromkeys(cost for cost, _ in found):
        mine = {rival: one for (cost, rival), one in found.items() if cost == what}
        signs = [one.sign for one in mine.values()]
        better, of = signs.count(1), len(mine)
        counts.append(f"equal {what}: better than {better}, worse than {signs.count(-1)} of {of}")
        ahead = [NAMES[rival] for rival, one in mine.items() if one.sign < 0]
        sentences.append(f"At equal {what} it beats {better} of {of} and loses to {listed(ahead) or 'none'}.")
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


def equal_cost_ratios(board: Board, cost: str) -> dict[str, dict[str, float]]:
    """Median log ratio of each rival's error to that of randomly pivoted Cholesky at its cost, by set."""
    rivals = [name for name in board.methods if name != REFERENCE]
    found: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in rivals}
    for (data, multiple), group in groupby(board.blocks(), key=lambda block: block[:2]):
        blocks = list(group)
        errors, spent = (board.numbers(blocks, rivals, of) for of in ("relative_frobenius", cost))
        logs = np.log(errors) - np.log(error_at(board.curve(data, multiple, REFERENCE, cost), spent))
        for name, each in zip(rivals, logs.T, strict=True):
            found[name][data].extend(each[np.isfinite(each)])
    return {
        name: {data: float(np.median(each)) for data, each in of.items() if each}
        for name, of in found.items()
    }


def predictors(board: Board) -> Answer:
    """Mean rank correlation with the Frobenius error over a data set, Wilcoxon over the data sets."""
    across = correlations(board)
    sides = {
        "across methods": {key: by_set(of) for key, of in across.items()},
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
            f"{where}: mean rank correlation {three_digits(fmean(trace))} of the trace, "
            f"{three_digits(fmean(quantization))} of the quantization error (Wilcoxon over "
            f"{len(names)} data sets, p = {three_digits(gap.p)})"
        )
        numbers[f"{where}, trace (mean, 95 % interval over sets)"] = with_interval(interval(trace))
        numbers[f"{where}, quantization error"] = with_interval(interval(quantization))
    for multiple in board.multiples:
        here = {key: by_set(of, multiple) for key, of in across.items()}
        numbers[f"across methods at {times_width(multiple)} × default width"] = ", ".join(
            f"{key} {three_digits(fmean(means.values()))}" for key, means in here.items() if means
        )
    return Answer(
        " ".join(sentences), "; ".join(statistics), board.sets, board.repeats, tuple(numbers.items())
    )


def moved_landmarks(board: Board) -> Answer:
    """Mean log error, over the m/n of a set, of the best choice of rows over that of the moved landmarks.

    Best in hindsight, in each cell; Wilcoxon over the sets, Holm over the bandwidths.
    """
    rows = [name for name in board.methods if METHODS[name].landmarks_are_data]
    gaps = {
        block: math.log(min(of[name] for name in rows if name in of) / of[MOVED])
        for block, of in board.values("error").items()
        if MOVED in of and not of.keys().isdisjoint(rows)
    }
    if not gaps:
        return Answer("", f"{NO_RUN} of {NAMES[MOVED]}")
    found = compared({multiple: by_set(gaps, multiple) for multiple in board.multiples})
    words = {1: "a smaller error", -1: "a larger one", 0: "one that is not significantly different"}
    where = {
        sign: [times_width(multiple) for multiple, one in found.items() if one.sign == sign] for sign in words
    }
    parts = listed([f"{what} at {listed(where[sign])}" for sign, what in words.items() if where[sign]])
    numbers = {}
    for multiple, one in found.items():
        won = [gap >= 0 for block, gap in gaps.items() if block.multiple == multiple]
        numbers[f"{times_width(multiple)} × default width"] = (
            f"error of the best choice of rows {three_digits(one.ratio)} times that of {NAMES[MOVED]} (p = "
            f"{three_digits(one.p)}), no smaller in {sum(won)} of {len(won)} cells"
        )
    costs = []
    for what, cost in COSTS.items():
        spent = board.numbers([*gaps], [MOVED, *CHEAPER], cost)
        ratios = np.median(spent[:, :1] / spent[:, 1:], axis=0)
        costs += [
            f"{three_digits(float(ratio))} times the {what} of {NAMES[name]}"
            for name, ratio in zip(CHEAPER, ratios, strict=True)
            if math.isfinite(ratio)
        ]
    sentence = (
        f"Against the best choice of rows, moved landmarks have {parts} times the default width. "
        f"They take {listed(costs)} (median)."
    )
    ahead = sum(gap >= 0 for gap in gaps.values())
    statistic = (
        f"no larger error in {ahead} of {len(gaps)} cells (Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    return Answer(sentence, statistic, board.sets, board.repeats, tuple(numbers.items()))


def correlations(board: Board) -> dict[str, dict[Block, float]]:
    """Rank correlation over the methods with the error: predictor → block → correlation."""
    # SciPy's statistics take half a second to import.
    from scipy.stats import rankdata

    found, blocks = {}, board.blocks()
    for key, measure in PREDICTORS.items():
        pairs = np.array([board.numbers(blocks, board.methods, of) for of in (measure, "relative_frobenius")])
        pairs[:, np.isnan(pairs).any(axis=0)] = math.nan
        there = np.count_nonzero(~np.isnan(pairs[0]), axis=1) > 2
        ranks = rankdata(pairs[:, there], axis=2, nan_policy="omit")
        x, y = np.nan_to_num(ranks - np.nanmean(ranks, axis=2, keepdims=True))
        with np.errstate(invalid="ignore"):
            rhos = np.sum(x * y, axis=1) / np.sqrt(np.sum(x * x, axis=1) * np.sum(y * y, axis=1))
        of_block = zip(compress(blocks, there), rhos.tolist(), strict=True)
        found[key] = {block: rho for block, rho in of_block if not math.isnan(rho)}
    return found


def by_set(of: Mapping[Block, float], multiple: float | None = None) -> dict[str, float]:
    """Mean by data set, at one bandwidth or over all."""
    there = {block: value for block, value in of.items() if multiple in (None, block.multiple)}
    return _means({(block.data, block): value for block, value in there.items()})


def _means(values: Mapping[tuple[Any, ...], float]) -> dict[str, float]:
    """Mean by data set, the first part of each key."""
    found: dict[str, list[float]] = defaultdict(list)
    for (name, *_), value in values.items():
        found[name].append(value)
    return {name: fmean(of) for name, of in found.items()}


# Their statements and links stand with those of the claims.
QUESTIONS = {
    name: Question(name, ask=ask, **TABLE[name])
    for name, ask in {
        "x1": champions,
        "x2": at_equal_cost,
        "x3": predictors,
        "x4": moved_landmarks,
    }.items()
}
