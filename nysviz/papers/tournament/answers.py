"""Questions across the papers, answered from the tournament's rows.

The unit of every test is the data set: values are averaged over its bandwidths and m/n first.
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
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.statistics import interval, with_interval
from nysviz.papers.tournament.jobs import EXPERIMENT, NAMES
from nysviz.papers.tournament.standings import REFERENCE, Block, TournamentBoard, error_at, standing
from nysviz.sweep.ranking import paired_p, significant
from nysviz.text import listed, three_digits

CHAMPIONS = ("greedy", "kmeanspp_lloyd", "kmeans")
MOVED, CHEAPER = "gradient", ("kmeans", "greedy")
COSTS = {"kernel evaluations": "kernel_evaluations", "seconds": "seconds"}
PREDICTORS = {"trace": "relative_trace", "quantization": "quantization"}


@dataclass(frozen=True)
class Answer:
    """An answer in words, the numbers that decide it, and the test in detail."""

    sentence: str
    statistic: str
    data: tuple[str, ...] = ()
    repeats: int = 0
    numbers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TournamentQuestion:
    """A question whose answer is a sentence; the docstring of ``ask`` says how it is computed."""

    id: str
    statement: str
    ask: Callable[[TournamentBoard], Answer]
    link: Mapping[str, str | list[str]]

    @property
    def decides(self) -> str:
        """The criterion in words: the docstring of ``ask``."""
        return " ".join((self.ask.__doc__ or "").split())

    def answer(self, board: TournamentBoard) -> Answer:
        """Answer from a board; without a sentence where the tournament has no run."""
        return self.ask(board) if board.sets else Answer("", f"{NO_RUN} of {EXPERIMENT}")


@dataclass(frozen=True)
class PairComparison:
    """Geometric mean of the second's error over the first's, Wilcoxon's p over the sets, and its sign."""

    ratio: float
    p: float
    sets: int
    sign: int


def compare_pairs(logs: Mapping[Any, Mapping[str, float]]) -> dict[Any, PairComparison]:
    """Compare pairs by the logarithms of their ratios, one per data set; empty pairs are left out."""
    arrays = {key: np.array([*values.values()]) for key, values in logs.items() if values}
    ps = [paired_p(values, np.zeros(len(values))) for values in arrays.values()]
    return {
        key: PairComparison(
            math.exp(values.mean()), p, len(values), int(np.sign(values.mean())) if sure else 0
        )
        for (key, values), p, sure in zip(arrays.items(), ps, significant(ps), strict=True)
    }


def champions(board: TournamentBoard) -> Answer:
    """Mean log error over the m/n of a data set; Wilcoxon over the sets, Holm over pairs and bandwidths."""
    values = board.values("error")
    logs = {}
    for multiple, (a, b) in product(board.multiples, combinations(CHAMPIONS, 2)):
        logs[multiple, a, b] = _means(
            {
                (block.data, block): math.log(errors[b] / errors[a])
                for block, errors in values.items()
                if block.multiple == multiple and a in errors and b in errors
            }
        )
    pairs = compare_pairs(logs)
    pairs |= {
        (x, b, a): PairComparison(1.0 / comparison.ratio, comparison.p, comparison.sets, -comparison.sign)
        for (x, a, b), comparison in pairs.items()
    }
    won: dict[str, list[str]] = defaultdict(list)
    significantly: dict[str, list[str]] = defaultdict(list)
    numbers = {}
    for multiple in board.multiples:
        result = standing(values, CHAMPIONS, [multiple])
        if result is None:
            continue
        first, *runners_up = result.test.means
        won[first].append(name_bandwidth(multiple))
        if all(pairs[multiple, first, name].sign > 0 for name in runners_up):
            significantly[first].append(name_bandwidth(multiple))
        ranks = ", ".join(f"{NAMES[name]} {three_digits(mean)}" for name, mean in result.test.means.items())
        ratios = ", ".join(
            f"error of {NAMES[name]} {three_digits(comparison.ratio)} times that of {NAMES[first]}"
            f"{' (significant)' if comparison.sign > 0 else ''}"
            for name, comparison in ((name, pairs[multiple, first, name]) for name in runners_up)
        )
        numbers[f"at {name_bandwidth(multiple)}"] = (
            f"mean ranks {ranks} (Friedman, Iman–Davenport p = {three_digits(result.test.p_f)}); {ratios}"
        )
    winners = []
    for name, where in won.items():
        sure = f" (significant at {listed(significantly[name])})" if significantly[name] else ""
        winners.append(f"{NAMES[name]} at {listed(where)}{sure}")
    clear = sum(comparison.sign > 0 for comparison in pairs.values())
    statistic = (
        f"{clear} of {len(pairs) // 2} pairs (method against method at one bandwidth) differ significantly "
        f"(Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    sentence = f"The best mean rank has {'; '.join(winners)}, where σ is the default bandwidth."
    return Answer(sentence if winners else "", statistic, board.sets, board.repeats, tuple(numbers.items()))


def at_equal_cost(board: TournamentBoard) -> Answer:
    """Error of a rival over that of randomly pivoted Cholesky at the same cost.

    Interpolated between runs at 1 … 40 % of the rows; median of a data set, Wilcoxon over the sets, Holm.
    """
    ratios = {cost_name: equal_cost_ratios(board, cost) for cost_name, cost in COSTS.items()}
    comparisons = compare_pairs(
        {(cost_name, name): logs for cost_name, sets in ratios.items() for name, logs in sets.items()}
    )
    sentences, counts = [], []
    for cost_name in dict.fromkeys(cost for cost, _ in comparisons):
        mine = {rival: comparison for (cost, rival), comparison in comparisons.items() if cost == cost_name}
        signs = [comparison.sign for comparison in mine.values()]
        better, count = signs.count(1), len(mine)
        counts.append(f"equal {cost_name}: better than {better}, worse than {signs.count(-1)} of {count}")
        ahead = [NAMES[rival] for rival, comparison in mine.items() if comparison.sign < 0]
        losses = listed(ahead) or "none"
        open_count = count - better - len(ahead)
        rest = f", and is not significantly different from the other {open_count}" if open_count else ""
        sentences.append(f"At equal {cost_name} it beats {better} of {count}, loses to {losses}{rest}.")
    numbers = tuple(
        (
            f"{NAMES[rival]}, equal {cost_name}",
            f"error {three_digits(comparison.ratio)} times that of {NAMES[REFERENCE]}, "
            f"p = {three_digits(comparison.p)}, {comparison.sets} data sets",
        )
        for (cost_name, rival), comparison in comparisons.items()
    )
    statistic = f"{'; '.join(counts)} rivals (Wilcoxon over {len(board.sets)} data sets, Holm)"
    return Answer(" ".join(sentences), statistic, board.sets, board.repeats, numbers)


def equal_cost_ratios(board: TournamentBoard, cost: str) -> dict[str, dict[str, float]]:
    """Return the median log ratio of a rival's error to that of RPCholesky at equal cost: rival → set."""
    rivals = [name for name in board.methods if name != REFERENCE]
    log_ratios: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in rivals}
    for (data, multiple), group in groupby(board.blocks(), key=lambda block: block[:2]):
        blocks = list(group)
        errors, spent = (board.numbers(blocks, rivals, name) for name in ("relative_frobenius", cost))
        logs = np.log(errors) - np.log(error_at(board.curve(data, multiple, REFERENCE, cost), spent))
        for name, each in zip(rivals, logs.T, strict=True):
            log_ratios[name][data].extend(each[np.isfinite(each)])
    return {
        name: {data: float(np.median(each)) for data, each in sets.items() if each}
        for name, sets in log_ratios.items()
    }


def predictors(board: TournamentBoard) -> Answer:
    """Mean rank correlation with the Frobenius error over a data set, Wilcoxon over the data sets."""
    across = correlations(board)
    sides = {
        "across methods": {key: by_set(rhos) for key, rhos in across.items()},
        "within a method": {key: _means(board.within[f"within_{key}"]) for key in PREDICTORS},
    }
    sentences, statistics, numbers = [], [], {}
    for where, rhos in sides.items():
        names = [name for name in rhos["trace"] if name in rhos["quantization"]]
        if not names:
            continue
        trace, quantization = ([rhos[key][name] for name in names] for key in PREDICTORS)
        differences = {name: rhos["trace"][name] - rhos["quantization"][name] for name in names}
        gap = compare_pairs({where: differences})[where]
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
        at_width = {key: by_set(rhos, multiple) for key, rhos in across.items()}
        numbers[f"across methods at {name_bandwidth(multiple)}"] = ", ".join(
            f"{key} {three_digits(fmean(means.values()))}" for key, means in at_width.items() if means
        )
    return Answer(
        " ".join(sentences), "; ".join(statistics), board.sets, board.repeats, tuple(numbers.items())
    )


def moved_landmarks(board: TournamentBoard) -> Answer:
    """Mean log error, over the m/n of a set, of the best choice of rows over that of the moved landmarks.

    Best in hindsight, in each cell; Wilcoxon over the sets, Holm over the bandwidths.
    """
    rows = [name for name in board.methods if METHODS[name].landmarks_are_data]
    gaps = {
        block: math.log(min(errors[name] for name in rows if name in errors) / errors[MOVED])
        for block, errors in board.values("error").items()
        if MOVED in errors and not errors.keys().isdisjoint(rows)
    }
    if not gaps:
        return Answer("", f"{NO_RUN} of {NAMES[MOVED]}")
    comparisons = compare_pairs({multiple: by_set(gaps, multiple) for multiple in board.multiples})
    words = {1: "a smaller error", -1: "a larger one", 0: "one that is not significantly different"}
    where = {
        sign: [
            name_bandwidth(multiple)
            for multiple, comparison in comparisons.items()
            if comparison.sign == sign
        ]
        for sign in words
    }
    parts = listed([f"{text} at {listed(where[sign])}" for sign, text in words.items() if where[sign]])
    numbers = {}
    for multiple, comparison in comparisons.items():
        won = [gap >= 0 for block, gap in gaps.items() if block.multiple == multiple]
        numbers[f"at {name_bandwidth(multiple)}"] = (
            f"error of the best choice of rows {three_digits(comparison.ratio)} times that of {NAMES[MOVED]} "
            f"(p = {three_digits(comparison.p)}), no smaller in {sum(won)} of {len(won)} cells"
        )
    costs = []
    for cost_name, cost in COSTS.items():
        spent = board.numbers([*gaps], [MOVED, *CHEAPER], cost)
        ratios = np.median(spent[:, :1] / spent[:, 1:], axis=0)
        costs += [
            f"{three_digits(float(ratio))} times the {cost_name} of {NAMES[name]}"
            for name, ratio in zip(CHEAPER, ratios, strict=True)
            if math.isfinite(ratio)
        ]
    sentence = (
        f"Against the best choice of rows, moved landmarks have {parts}, where σ is the default bandwidth. "
        f"They take {listed(costs)} (median)."
    )
    ahead = sum(gap >= 0 for gap in gaps.values())
    statistic = (
        f"no larger error in {ahead} of {len(gaps)} cells (Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    return Answer(sentence, statistic, board.sets, board.repeats, tuple(numbers.items()))


def correlations(board: TournamentBoard) -> dict[str, dict[Block, float]]:
    """Return rank correlations with the error over the methods: predictor → block → correlation."""
    # SciPy's statistics take half a second to import.
    from scipy.stats import rankdata

    correlations_by_key, blocks = {}, board.blocks()
    for key, measure in PREDICTORS.items():
        pairs = np.array(
            [board.numbers(blocks, board.methods, column) for column in (measure, "relative_frobenius")]
        )
        pairs[:, np.isnan(pairs).any(axis=0)] = math.nan
        complete = np.count_nonzero(~np.isnan(pairs[0]), axis=1) > 2
        ranks = rankdata(pairs[:, complete], axis=2, nan_policy="omit")
        x, y = np.nan_to_num(ranks - np.nanmean(ranks, axis=2, keepdims=True))
        with np.errstate(invalid="ignore"):
            rhos = np.sum(x * y, axis=1) / np.sqrt(np.sum(x * x, axis=1) * np.sum(y * y, axis=1))
        of_block = zip(compress(blocks, complete), rhos.tolist(), strict=True)
        correlations_by_key[key] = {block: rho for block, rho in of_block if not math.isnan(rho)}
    return correlations_by_key


def by_set(values: Mapping[Block, float], multiple: float | None = None) -> dict[str, float]:
    """Return the mean by data set, at one bandwidth or over all."""
    selected = {block: value for block, value in values.items() if multiple in (None, block.multiple)}
    return _means({(block.data, block): value for block, value in selected.items()})


def _means(values: Mapping[tuple[Any, ...], float]) -> dict[str, float]:
    """Return the mean by data set, which is the first part of each key."""
    groups: dict[str, list[float]] = defaultdict(list)
    for (name, *_), value in values.items():
        groups[name].append(value)
    return {name: fmean(group) for name, group in groups.items()}


# Their statements and links stand with those of the claims.
QUESTIONS = {
    name: TournamentQuestion(name, ask=ask, **TABLE[name])
    for name, ask in {
        "x1": champions,
        "x2": at_equal_cost,
        "x3": predictors,
        "x4": moved_landmarks,
    }.items()
}
