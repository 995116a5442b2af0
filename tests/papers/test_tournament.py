"""The tournament: its numbers are those of the core, its ranks, costs and answers those of slow twins."""

import math
import re

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.landmarks import METHODS
from nysviz.papers.tournament import jobs
from nysviz.papers.tournament.answers import QUESTIONS, by_set, correlations, equal_cost_ratios
from nysviz.papers.tournament.jobs import CONTESTANTS, NAMES, PERCENTS, arena_of, error_jobs, label_of
from nysviz.papers.tournament.standings import Block, TournamentBoard, error_at, standing, wins
from nysviz.sweep import run_jobs
from nysviz.sweep.ranking import paired_p
from tests.papers.rows import row

IRIS = nv.load("iris")
RNG = np.random.default_rng(0)
SETS = tuple(f"set {k}" for k in range(12))


def kernel_at(multiple):
    return nv.Gaussian.from_width(multiple * nv.default_width(IRIS.X))


def made(method, multiple, percent):
    """The three runs of iris, one of a method without randomness; leverage scores draw no row twice."""
    options = {"replacement": "without"} if method.startswith("leverage") else {}
    runs, m = range(3 if METHODS[method].random else 1), max(1, round(1.5 * percent))
    return [nv.approximate(IRIS.X, kernel_at(multiple), method, m, 4 + r, **options) for r in runs]


def logs_of(runs, multiple):
    errors = [nv.errors(IRIS.X, kernel_at(multiple), a) for a in runs]
    quantization = [nv.quantization_error(IRIS.X, a.landmarks) for a in runs]
    pairs = zip(errors, quantization, strict=True)
    return np.log([[e.relative_frobenius, e.relative_trace, q] for e, q in pairs])


@pytest.fixture(scope="module")
def board():
    asked = error_jobs(arena_of(IRIS), (0.25, 16.0), repeats=3, seed=4)
    return TournamentBoard(row for finished in run_jobs(asked) for row in finished.records)


def synthetic(value, methods, measure="relative_frobenius", multiples=(1.0,), sets=SETS, percents=PERCENTS):
    """Rows of a measure on 1000 rows: ``value(data number, multiple, percent, method)``."""
    return [
        row("tournament", label_of(data, x), method, 10 * p, 4, measure, value(i, x, p, method))
        for i, data in enumerate(sets)
        for x in multiples
        for p in percents
        for method in methods
    ]


def test_every_number_is_the_cores(board):
    assert board.sets == ("iris",) and board.sizes["iris"] == (150, 4) and board.repeats == 3
    for multiple in (0.25, 16.0):
        eigenvalues = nv.spectrum(IRIS.X, kernel_at(multiple))
        for percent in (1, 10):
            block = Block("iris", multiple, percent)
            best = best_errors(eigenvalues, max(1, round(1.5 * percent)))
            floor = [board.number(block, "svd", name) for name in ("relative_frobenius", "relative_trace")]
            whole = np.sqrt(eigenvalues @ eigenvalues), 150.0
            np.testing.assert_allclose(floor, [best[0] / whole[0], best[2] / whole[1]], rtol=1e-6)
            for method in CONTESTANTS:
                runs = made(method, multiple, percent)
                means = np.exp(logs_of(runs, multiple).mean(axis=0))
                names = ("relative_frobenius", "relative_trace", "quantization")
                found = [board.number(block, method, name) for name in names]
                np.testing.assert_allclose(found, means, rtol=1e-6, err_msg=method)
                assert means.min() > jobs.SMALLEST and found[0] >= floor[0] * (1 - 1e-9)
                spent = np.mean([a.kernel_evaluations for a in runs])
                assert board.number(block, method, "kernel_evaluations") == pytest.approx(spent)
    for method in ("uniform", "rls"):
        each = [logs_of(made(method, 0.25, percent), 0.25) for percent in jobs.levels_of(method)]
        logs = np.concatenate([one - one.mean(axis=0) for one in each])
        for name, column in (("within_trace", 1), ("within_quantization", 2)):
            expected = spearmanr(logs[:, 0], logs[:, column]).statistic
            assert board.within[name]["iris", 0.25, method] == pytest.approx(expected, abs=0.02)
    assert ("iris", 0.25, "greedy") not in board.within["within_trace"]


RUNS = [(100.0, 0.1), (1.0, 1.0), (4.0, 0.5), (4.0, 0.25), (200.0, 0.1), (9.0, 0.3)]


@pytest.mark.parametrize("cost, error", [(0.5, math.inf), (2.0, 0.5), (20.0, 0.25 * 0.4**0.5), (1e3, 0.1)])
def test_error_at_a_cost_is_on_a_line_between_the_runs_that_are_worth_theirs(cost, error):
    assert error_at(RUNS, cost) == pytest.approx(error) and np.isnan(error_at([], cost))


def test_standing_gives_each_set_one_vote():
    def value(i, _, percent, method):
        at_ten = {"uniform": 0.5 + i, "kmeans": 1.0, "greedy": 2.0}
        return (at_ten if percent == 10 else {"uniform": 3.0, "kmeans": 2.0, "greedy": 1.0})[method]

    board = TournamentBoard(synthetic(value, ("uniform", "kmeans", "greedy"), sets="abc"))
    found = standing(board.values("error"), board.methods)
    # Ranks within blocks, by hand: at 10 % uniform is first, second and third on a, b and c.
    expected = [[10 / 4, 8 / 4, 6 / 4], [11 / 4, 7 / 4, 6 / 4], [12 / 4, 7 / 4, 5 / 4]]
    np.testing.assert_allclose(found.places, expected)
    assert found.sets == ("a", "b", "c") and found.methods == ("uniform", "kmeans", "greedy")
    np.testing.assert_allclose(found.test.ranks, rankdata(expected, axis=1))
    only = standing(board.values("error"), board.methods, percents=[10])
    np.testing.assert_allclose(only.places[:, 0], [1, 2, 3])
    assert standing(board.values("error"), board.methods, [4.0]) is None
    assert standing(board.values("error"), board.methods[:1]) is None


def test_wins_are_those_of_a_signed_rank_test():
    noise = dict(zip(("uniform", "kmeans", "greedy"), RNG.normal(size=(3, 12)) * 0.1, strict=True))

    def value(i, _, percent, method):
        behind = {"uniform": 0.3 * (percent == 1), "greedy": 1.0}
        return math.exp(behind.get(method, 0.0) + noise[method][i])

    board = TournamentBoard(synthetic(value, noise, percents=(1, 2)))
    clear, close = wins(board, "error")
    assert (clear.first, clear.second, clear.sets, clear.percent) == ("kmeans", "uniform", 12, 1)
    gap = 0.3 + noise["uniform"] - noise["kmeans"]
    assert clear.ratio == pytest.approx(math.exp(gap.mean()))
    assert clear.best == (gap > 0).sum()
    assert clear.p == pytest.approx(paired_p(gap, np.zeros(12)))
    assert clear.sure and not close.sure
    assert [win.first for win in wins(board, "error", ["uniform", "greedy"])] == ["uniform", "uniform"]


def test_x2_compares_at_equal_cost():
    # At equal m kmeans is twice as good, but it costs ten times as much: behind. Uniform is as good for less.
    errors, costs = {"kmeans": 0.5}, {"rpcholesky": 10, "kmeans": 100, "uniform": 5}
    rows = synthetic(lambda i, _, p, name: errors.get(name, 1) / p * (1 + 0.01 * RNG.normal()), costs)
    rows += synthetic(lambda i, _, p, name: costs[name] * p, costs, "kernel_evaluations")
    found = QUESTIONS["x2"].answer(TournamentBoard(rows))
    assert found.sentence == f"At equal kernel evaluations it beats 1 of 2, loses to {NAMES['uniform']}."
    assert found.statistic.startswith("equal kernel evaluations: better than 1, worse than 1 of 2")
    assert "equal seconds" not in found.statistic
    # Error for 100 … 1 000 evaluations: 0.1 and no better, against 0.5 … 0.05: the median of 5, 2.5, 1, 0.5.
    # Uniform at 10, 25, 50 evaluations (5 are too few): error 1/2, 1/5, 1/10 against 1, 0.4, 0.2.
    logs = equal_cost_ratios(TournamentBoard(rows), "kernel_evaluations")
    for rival, ratio in (("kmeans", math.sqrt(2.5)), ("uniform", 0.5)):
        np.testing.assert_allclose(np.exp(list(logs[rival].values())), ratio, rtol=0.05)


def test_x3_tells_predictors_apart():
    skill = {name: 1.0 + k for k, name in enumerate(CONTESTANTS)}
    rows = synthetic(lambda i, _, p, name: skill[name] / p, CONTESTANTS)
    rows += synthetic(lambda i, _, p, name: 3 * skill[name] ** 2 / p, CONTESTANTS, "relative_trace")
    backwards = synthetic(lambda i, _, p, name: -skill[name] * p, CONTESTANTS, "quantization")
    for value in correlations(TournamentBoard(rows + backwards))["quantization"].values():
        assert value == pytest.approx(-1.0)
    rows += synthetic(lambda *_: RNG.random(), CONTESTANTS, "quantization")
    for measure, mean in (("within_trace", 0.3), ("within_quantization", 0.8)):
        rows += synthetic(lambda *_, of=mean: of + 0.05 * RNG.normal(), ["uniform"], measure, percents=[0])
    found = QUESTIONS["x3"].answer(TournamentBoard(rows))
    assert "Across methods the residual's trace is the better predictor" in found.sentence
    assert "Within a method the quantization error is the better predictor" in found.sentence
    each = correlations(TournamentBoard(rows))
    np.testing.assert_allclose(list(each["trace"].values()), 1.0)
    assert abs(np.mean(list(each["quantization"].values()))) < 0.3


def test_x4_compares_moved_landmarks_with_the_best_rows_of_each_cell():
    """K-means centres are no rows: they may be better. Which rows are best changes from set to set."""
    errors = {0.25: 1.5, 1.0: 1.0, 4.0: 0.5}
    both = ("uniform", "greedy")

    def value(i, x, _, name):
        level = {"gradient": errors[x], "kmeans": 0.1, both[i % 2]: 1.0}.get(name, 2.0)
        return level * math.exp(0.01 * RNG.normal())

    names = ("gradient", "kmeans", *both)
    rows = synthetic(value, names, multiples=errors)
    spent = {"gradient": 60.0, "kmeans": 2.0, "greedy": 12.0, "uniform": 1.0}
    rows += synthetic(lambda i, x, p, name: spent[name] * p, names, "kernel_evaluations", errors)
    found = QUESTIONS["x4"].answer(TournamentBoard(rows))
    assert found.sentence == (
        "Against the best choice of rows, moved landmarks have a smaller error at 2σ, a larger one at σ/2 "
        "and one that is not significantly different at σ, where σ is the default bandwidth. They take 30.0 "
        "times the kernel evaluations of k-means centres and 5.00 times the kernel evaluations of greedy "
        "(median)."
    )
    share = re.match(r"no larger error in (\d+) of (\d+) cells", found.statistic)
    cells = len(SETS) * len(PERCENTS)
    assert cells < int(share[1]) < 2 * cells and int(share[2]) == 3 * cells
    without = [row for row in rows if row.method != "gradient"]
    assert QUESTIONS["x4"].answer(TournamentBoard(without)).statistic.startswith("no recorded run")


def test_correlations_of_a_bandwidth_are_its_own():
    skill = {name: 1.0 + k for k, name in enumerate(CONTESTANTS)}
    both = {"multiples": (0.25, 4.0)}
    rows = synthetic(lambda i, x, p, name: skill[name] / p, CONTESTANTS, **both)
    rows += synthetic(lambda i, x, p, name: skill[name] * (x - 1), CONTESTANTS, "relative_trace", **both)
    found = correlations(TournamentBoard(rows))["trace"]
    for multiple, expected in ((0.25, -1.0), (4.0, 1.0), (None, 0.0)):
        means = by_set(found, multiple)
        assert set(means) == set(SETS)
        np.testing.assert_allclose(list(means.values()), expected, atol=1e-12)


def test_a_share_of_the_rows_is_known_by_its_rounded_count():
    # Of 569 rows 20 % are 114, which are 20.04 %.
    numbers = {"relative_frobenius": 0.1, "kernel_evaluations": 7.0}
    rows = [row("tournament", label_of("a", 1.0), "kmeans", 114, 4, *one, n=569) for one in numbers.items()]
    assert TournamentBoard(rows).curve("a", 1.0, "kmeans", "kernel_evaluations") == [(7.0, 0.1)]
