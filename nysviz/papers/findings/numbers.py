"""Numbers of the findings: whether choosing landmarks helps, when, and what follows for a prediction.

Each function computes from the recorded runs. The unit of a test is the data set wherever there are several.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nysviz.landmarks import METHODS
from nysviz.papers.claims import Records
from nysviz.papers.records import catalog_name
from nysviz.papers.statistics import interval, spearman
from nysviz.papers.tournament.answers import MOVED, PairComparison, by_set, compare_pairs, equal_cost_ratios
from nysviz.papers.tournament.jobs import FLOOR, PERCENTS
from nysviz.papers.tournament.standings import (
    REFERENCE,
    Block,
    Standing,
    TournamentBoard,
    error_at,
    standing,
)
from nysviz.papers.zhang2008.table4 import EXACT, collect_errors
from nysviz.sweep.ranking import friedman

# Upper ends of the groups of matrices by decay: the relative error of the best rank 0.1 n.
DECAY_ENDS = (math.inf, 1e-1, 1e-2, 1e-3)
# A smaller ratio of two errors counts as no gain.
NO_GAIN = 1.05
UNIFORM, BEST = "uniform", "best"
# Choices whose gain is listed; "best" is the method of the smallest error in a cell, known afterwards.
CHOICES = (FLOOR, BEST, "greedy", "kmeans", REFERENCE)
CRITERIA = ("error", "error_at_equal_evaluations", "error_at_equal_seconds")
# Excess test error in percentage points that counts as none: claim z13 has the same margin.
MARGIN = 0.25


@dataclass(frozen=True)
class Mean:
    """A mean over data sets, pairs or repeats, with its 95 % Student interval."""

    value: float
    low: float
    high: float


def geometric_mean(logs: Sequence[float]) -> Mean:
    """Return the geometric mean of numbers given by their logarithms."""
    return Mean(*(math.exp(end) for end in interval(logs)))


# 1: what the choice gains over uniform sampling.


@dataclass(frozen=True)
class DecayGain:
    """Error of uniform sampling over that of each choice, for one decay and one m/n."""

    decay: int
    percent: float
    cells: int
    sets: int
    gains: Mapping[str, Mean]
    without_gain: int


def decay_group(error: float) -> int:
    """Return the group of ``DECAY_ENDS`` of a matrix by the relative error of its best rank 0.1 n."""
    return sum(error < end for end in DECAY_ENDS) - 1


def decay_groups(board: TournamentBoard) -> dict[tuple[str, float], int]:
    """Return the group of ``DECAY_ENDS`` of each matrix, a data set at a bandwidth; 0 is the slowest."""
    best = {
        block[:2]: board.number(block, FLOOR, "relative_frobenius")
        for block in board.blocks()
        if block.percent == max(PERCENTS)
    }
    return {matrix: decay_group(error) for matrix, error in best.items()}


def log_gains(board: TournamentBoard) -> dict[str, dict[Block, float]]:
    """Return the logarithm of uniform sampling's error over each choice's: choice → block."""
    gains: dict[str, dict[Block, float]] = {choice: {} for choice in CHOICES}
    for block, errors in board.values("error").items():
        floor = board.number(block, FLOOR, "relative_frobenius")
        chosen = {**errors, FLOOR: floor, BEST: min(errors.values())}
        for choice in CHOICES:
            gains[choice][block] = math.log(errors[UNIFORM] / chosen[choice])
    return gains


def gains_by_decay(board: TournamentBoard) -> list[DecayGain]:
    """Return the gains of each decay and m/n, means over data sets of the means over their bandwidths."""
    groups, gains = decay_groups(board), log_gains(board)
    cells: dict[tuple[int, float], list[Block]] = defaultdict(list)
    for block in gains[BEST]:
        cells[groups[block[:2]], block.percent].append(block)
    return [
        DecayGain(
            *cell,
            cells=len(blocks),
            sets=len({block.data for block in blocks}),
            gains={
                choice: geometric_mean([*by_set({block: logs[block] for block in blocks}).values()])
                for choice, logs in gains.items()
            },
            without_gain=sum(gains[BEST][block] < math.log(NO_GAIN) for block in blocks),
        )
        for cell, blocks in sorted(cells.items())
    ]


def overall_gains(board: TournamentBoard) -> dict[str, Mean]:
    """Return the gain of each choice over all data sets."""
    return {choice: geometric_mean([*by_set(logs).values()]) for choice, logs in log_gains(board).items()}


def without_gain(board: TournamentBoard, choice: str = BEST, limit: float = NO_GAIN) -> int:
    """Return the number of cells in which uniform sampling has less than ``limit`` times a choice's error."""
    return sum(gain < math.log(limit) for gain in log_gains(board)[choice].values())


def without_one(values: Mapping[str, float]) -> tuple[float, float]:
    """Return the least and the largest geometric mean of logarithms without any one data set."""
    means = [fmean(value for name, value in values.items() if name != left_out) for left_out in values]
    return math.exp(min(means)), math.exp(max(means))


# 2: the best method at equal m, kernel evaluations and seconds.


@dataclass(frozen=True, eq=False)
class CriterionRanking:
    """The mean ranks by one criterion, and the first method by other choices of what is ranked."""

    criterion: str
    standing: Standing
    by_width: Mapping[float, str]
    by_percent: Mapping[float, str]
    without_one: tuple[str, ...]

    @property
    def first(self) -> str:
        """The method of the smallest mean rank."""
        return next(iter(self.standing.test.means))

    @property
    def close_methods(self) -> list[str]:
        """The methods that are not significantly behind the first, the best first."""
        test = self.standing.test
        return [name for name in test.means if name != self.first and not test.differ(self.first, name)]


def rankings(board: TournamentBoard) -> list[CriterionRanking]:
    """Return the ranking by error at equal m, at equal kernel evaluations and at equal seconds."""
    return [_ranking(board, criterion) for criterion in CRITERIA]


def _ranking(board: TournamentBoard, criterion: str) -> CriterionRanking:
    values = board.values(criterion)

    def first(multiples: Sequence[float] = (), percents: Sequence[float] = ()) -> str:
        result = standing(values, board.methods, multiples, percents)
        assert result is not None
        return next(iter(result.test.means))

    whole = standing(values, board.methods)
    assert whole is not None
    left_out = [
        next(iter(friedman(np.delete(whole.places, i, axis=0), whole.methods).means))
        for i in range(len(whole.sets))
    ]
    return CriterionRanking(
        criterion,
        whole,
        {multiple: first(multiples=[multiple]) for multiple in board.multiples},
        {percent: first(percents=[percent]) for percent in PERCENTS},
        tuple(dict.fromkeys(left_out)),
    )


# 3: what it costs that landmarks are rows of the data.

CENTRES = "kmeans"
PAIRS = {
    "greedy over k-means centres": ("greedy", CENTRES),
    "RPCholesky over k-means centres": (REFERENCE, CENTRES),
    "best choice of rows over moved landmarks": (BEST, MOVED),
}


@dataclass(frozen=True)
class RowRatio:
    """Error of landmarks that are rows over that of landmarks that are not, at one bandwidth and equal m."""

    multiple: float
    pair: str
    ratio: Mean
    p: float
    sign: int


def log_ratios(board: TournamentBoard, name: str, other: str) -> dict[Block, float]:
    """Return the log of a method's error over another's; "best" is the best choice of rows in a cell."""
    rows = [row for row in board.methods if METHODS[row].landmarks_are_data]
    return {
        block: math.log((min(errors[row] for row in rows) if name == BEST else errors[name]) / errors[other])
        for block, errors in board.values("error").items()
    }


def row_ratios(board: TournamentBoard) -> list[RowRatio]:
    """Return the ratios of ``PAIRS`` at each bandwidth: Wilcoxon over sets, Holm over a pair's bandwidths."""
    ratios = []
    for pair, (name, other) in PAIRS.items():
        logs = log_ratios(board, name, other)
        by_width = {multiple: by_set(logs, multiple) for multiple in board.multiples}
        for multiple, comparison in compare_pairs(by_width).items():
            mean = geometric_mean([*by_width[multiple].values()])
            ratios.append(RowRatio(multiple, pair, mean, comparison.p, comparison.sign))
    return ratios


def equal_cost(board: TournamentBoard, rival: str, cost: str) -> PairComparison:
    """Return the rival's error over RPCholesky's at equal cost, with Wilcoxon's test over the data sets."""
    return compare_pairs({rival: equal_cost_ratios(board, cost)[rival]})[rival]


def cost_ratio(board: TournamentBoard, name: str, other: str, cost: str) -> float:
    """Return the median ratio of two methods' costs at equal m."""
    spent = board.numbers(board.blocks(), [name, other], cost)
    return float(np.nanmedian(spent[:, 0] / spent[:, 1]))


# 4: Nyström against random Fourier features.


@dataclass(frozen=True)
class GapRatio:
    """Test error of random features over Nyström's at equal columns, a mean over repeats.

    ``sign`` is 1 where random features have significantly more, −1 where less: Wilcoxon over the repeats,
    Holm over all cells.
    """

    gap: float
    columns: int
    ratio: Mean
    p: float
    sign: int


def gap_ratios(records: Records, columns_of_frequency: int = 2) -> list[GapRatio]:
    """Return the ratios on mixtures with a chosen eigengap, the smallest gap first.

    A frequency is two columns, a sine and a cosine; counted as one, m frequencies stand against m columns.
    """
    logs: dict[tuple[float, int], dict[str, float]] = {}
    for mine in records.of_experiments("yang-eigengap").by_data().values():
        gap = float(mine.where(measure="eigengap").values().mean())
        errors = mine.where(measure="mse").by("method", "m")
        for method, m in errors:
            columns = columns_of_frequency * m
            if method == "rff" and (UNIFORM, columns) in errors:
                ratios = np.log(errors["rff", m] / errors[UNIFORM, columns])
                logs[gap, columns] = {f"repeat {r}": float(log) for r, log in enumerate(ratios)}
    return [
        GapRatio(gap, columns, geometric_mean([*logs[gap, columns].values()]), comparison.p, comparison.sign)
        for (gap, columns), comparison in sorted(compare_pairs(logs).items())
    ]


def gap_correlation(ratios: Sequence[GapRatio]) -> dict[int, float]:
    """Return the rank correlation of ratio and gap at each number of columns."""
    columns = dict.fromkeys(ratio.columns for ratio in ratios)
    same = {count: [ratio for ratio in ratios if ratio.columns == count] for count in columns}
    return {
        count: spearman([ratio.gap for ratio in each], [ratio.ratio.value for ratio in each])
        for count, each in same.items()
    }


@dataclass(frozen=True)
class SetRatio:
    """Test error of random features over Nyström's on one data set at one number of columns.

    ``at_equal_seconds`` is NaN where no trial with Nyström features is as short.
    """

    data: str
    columns: int
    at_equal_columns: float
    at_equal_seconds: float


def set_ratios(records: Records, features: str = "rff_columns") -> list[SetRatio]:
    """Return the ratios of mean errors; Nyström's is interpolated to the median seconds of random features.

    ``features`` is "rff_columns", or "rff" where m counts frequencies, so that they have 2m columns.
    """
    ratios = []
    for name, mine in records.of_experiments("yang-fig2").by_data().items():
        errors, seconds = mine.by("method", "m"), mine.by("method", "m", array="seconds")
        curve = [
            (float(np.median(seconds[key])), float(errors[key].mean())) for key in errors if key[0] == UNIFORM
        ]
        for method, m in sorted(errors):
            if method == features:
                error = float(errors[method, m].mean())
                other = float(error_at(curve, np.median(seconds[method, m])))
                at_equal_seconds = error / other if math.isfinite(other) else math.nan
                at_equal_columns = error / float(errors[UNIFORM, m].mean())
                ratios.append(SetRatio(name, m, at_equal_columns, at_equal_seconds))
    return ratios


# 5: matrix error and test error.


@dataclass(frozen=True)
class ExcessError:
    """Matrix error, and test error of the LS-SVM less that of the exact one in percentage points.

    The excess is a mean over pairs of digits; the matrix error is that of the tournament on the same set at
    the same m/n, whose rows are others.
    """

    data: str
    percent: float
    method: str
    error: float
    excess: Mean
    pairs: int


def predictions(
    board: TournamentBoard, records: Records, test_kernel: str = "test_error"
) -> list[ExcessError]:
    """Return each method's matrix error and excess on each set of digits, the smallest error first."""
    results = []
    for ratio, pairs in collect_errors(records.of_experiments("zhang-table4"), test_kernel).items():
        excess: dict[tuple[str, str], list[float]] = defaultdict(list)
        for (name, _), runs in pairs.items():
            for method in runs.keys() - {EXACT}:
                gap = float(runs[method].mean() - runs[EXACT].mean())
                excess[catalog_name(name), method].append(gap)
        for (data, method), gaps in excess.items():
            percent = round(100 * ratio)
            error = board.number(Block(data, 1.0, percent), method, "relative_frobenius")
            mean = Mean(*interval(gaps))
            results.append(ExcessError(data, percent, method, error, mean, len(gaps)))
    return sorted(results, key=lambda result: (result.error, result.data))


def passing(results: Sequence[ExcessError], margin: float = MARGIN) -> int:
    """Return the number of results whose excess is below the margin with its 95 % interval."""
    return sum(result.excess.high <= margin for result in results)


def small_enough(results: Sequence[ExcessError], margin: float = MARGIN) -> tuple[int, float]:
    """Return how many results of the smallest matrix errors all pass, and the largest error of them."""
    count = 0
    while passing(results[: count + 1], margin) > count:
        count += 1
    return count, results[count - 1].error if count else 0.0


def error_correlation(results: Sequence[ExcessError]) -> dict[str, float]:
    """Return the rank correlation of matrix error and excess on each data set."""
    return {
        name: spearman(
            [result.error for result in results if result.data == name],
            [result.excess.value for result in results if result.data == name],
        )
        for name in dict.fromkeys(result.data for result in results)
    }


# The first methods for each decay.


@dataclass(frozen=True)
class DecayRanks:
    """Mean ranks of the methods at equal m for one decay, the best first, with critical difference."""

    decay: int
    sets: int
    ranks: Mapping[str, float]
    difference: float

    @property
    def first_two(self) -> tuple[str, str]:
        """The two methods of the smallest mean ranks."""
        first, second, *_ = self.ranks
        return first, second


def ranks_by_decay(board: TournamentBoard) -> list[DecayRanks]:
    """Return the mean ranks at equal m for each decay, the slowest first."""
    groups, results = decay_groups(board), []
    for decay in range(len(DECAY_ENDS)):
        values = {block: each for block, each in board.values("error").items() if groups[block[:2]] == decay}
        result = standing(values, board.methods)
        if result is not None:
            results.append(DecayRanks(decay, result.test.sets, result.test.means, result.test.difference))
    return results
