"""The tournament: its numbers are those of the core, its ranks and costs those of slow twins."""

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

import nysviz as nv
from nysviz.landmarks import METHODS
from nysviz.papers.experiments import EXPERIMENTS
from nysviz.papers.tournament.board import CRITERIA, Block, Board, error_at
from nysviz.papers.tournament.jobs import (
    CONTESTANTS,
    MULTIPLES,
    PERCENTS,
    SMALLEST,
    arena_of,
    error_jobs,
    label_of,
    levels_of,
)
from nysviz.papers.tournament.standings import standing, wins
from nysviz.spectrum import best_errors
from nysviz.sweep import run_jobs
from nysviz.sweep.ranking import paired_p
from tests import naive
from tests.papers.rows import row

IRIS = nv.load("iris")
ARENA = arena_of(IRIS)
RNG = np.random.default_rng(0)


def rows_of(jobs):
    return [row for finished in run_jobs(jobs) for row in finished.records]


@pytest.fixture(scope="module")
def measured():
    """Iris at two bandwidths, three repeats, seed 4."""
    return rows_of(error_jobs(ARENA, (0.25, 16.0), repeats=3, seed=4))


def synthetic(errors, costs=None, datas=("a", "b", "c"), multiples=(1.0,), n=1000):
    """Rows with these errors: method → m/n in per cent → value, or a function of the data set's number."""
    found = []
    for number, data in enumerate(datas):
        for multiple in multiples:
            for method, of in errors.items():
                for percent, value in of.items():
                    label, m = label_of(data, multiple), round(n * percent / 100)
                    value = value(number) if callable(value) else value
                    found.append(row("tournament", label, method, m, 4, "relative_frobenius", value, n))
                    if costs is not None:
                        spent = costs[method][percent]
                        found.append(row("tournament", label, method, m, 4, "kernel_evaluations", spent, n))
    return found


def test_every_number_is_the_cores(measured):
    board = Board(measured)
    assert board.sets == ("iris",) and board.sizes["iris"] == (150, 4) and board.repeats == 3
    for multiple in (0.25, 16.0):
        kernel = nv.Gaussian.from_width(multiple * nv.default_width(IRIS.X))
        eigenvalues = nv.spectrum(IRIS.X, kernel)
        size, trace = np.sqrt(eigenvalues @ eigenvalues), 150.0
        for percent in (1, 5, 10):
            m = max(1, round(1.5 * percent))
            block = Block("iris", multiple, percent)
            best = best_errors(eigenvalues, m)
            floor = {name: board.number(block, "svd", f"relative_{name}") for name in ("frobenius", "trace")}
            assert floor["frobenius"] == pytest.approx(best[0] / size, rel=1e-6)
            assert floor["trace"] == pytest.approx(best[2] / trace, rel=1e-6)
            for method in CONTESTANTS:
                # Like for like: leverage scores draw no row twice.
                options = {"replacement": "without"} if method.startswith("leverage") else {}
                runs = [
                    nv.approximate(IRIS.X, kernel, method, m, 4 + r, **options)
                    for r in range(3 if METHODS[method].random else 1)
                ]
                errors = [nv.errors(IRIS.X, kernel, a) for a in runs]
                for measure, values in {
                    "relative_frobenius": [e.relative_frobenius for e in errors],
                    "relative_trace": [e.relative_trace for e in errors],
                    "quantization": [nv.quantization_error(IRIS.X, a.landmarks) for a in runs],
                }.items():
                    mean = np.exp(np.mean(np.log(values)))
                    assert board.number(block, method, measure) == pytest.approx(mean, rel=1e-6), measure
                    assert mean > SMALLEST
                spent = np.mean([a.kernel_evaluations for a in runs])
                assert board.number(block, method, "kernel_evaluations") == pytest.approx(spent)
                assert board.number(block, method, "relative_frobenius") >= floor["frobenius"] * (1 - 1e-9)


def test_correlation_within_a_method_is_spearmans_of_centred_logarithms(measured):
    kernel = nv.Gaussian.from_width(0.25 * nv.default_width(IRIS.X))
    for method in ("uniform", "rls"):
        logs = []
        for percent in levels_of(method):
            runs = [
                nv.approximate(IRIS.X, kernel, method, max(1, round(1.5 * percent)), 4 + r) for r in range(3)
            ]
            found = [nv.errors(IRIS.X, kernel, a) for a in runs]
            one = np.log(
                [
                    [e.relative_frobenius, e.relative_trace, nv.quantization_error(IRIS.X, a.landmarks)]
                    for e, a in zip(found, runs, strict=True)
                ]
            )
            logs.append(one - one.mean(axis=0))
        logs = np.concatenate(logs)
        within = Board(measured).within
        for name, column in (("within_trace", 1), ("within_quantization", 2)):
            expected = spearmanr(logs[:, 0], logs[:, column]).statistic
            assert within[name]["iris", 0.25, method] == pytest.approx(expected, abs=0.02)
    assert ("iris", 0.25, "greedy") not in within["within_trace"]


def test_error_at_a_cost_is_that_of_the_twin():
    for _ in range(200):
        runs = [
            (float(c), float(e)) for c, e in zip(RNG.integers(1, 9, 5), RNG.random(5) + 0.01, strict=True)
        ]
        for cost in (0.5, 1.0, 2.5, 4.0, 7.9, 100.0):
            assert error_at(runs, cost) == pytest.approx(naive.error_at(runs, cost), rel=1e-9)
    assert error_at([], 3.0) == math.inf
    assert error_at([(1.0, 1.0), (100.0, 0.01)], 10.0) == pytest.approx(0.1)


def test_standing_gives_each_set_one_vote():
    errors = {
        "uniform": {1: 3.0, 2: 3.0, 5: 3.0, 10: lambda i: 0.5 + i},
        "kmeans": {1: 2.0, 2: 2.0, 5: 2.0, 10: 1.0},
        "greedy": {1: 1.0, 2: 1.0, 5: 1.0, 10: 2.0},
    }
    board = Board(synthetic(errors))
    methods = board.methods
    assert methods == ("uniform", "kmeans", "greedy")
    found = standing(board.values("error"), methods)
    # Ranks within blocks, by hand: at 10 % uniform is first, second and third on a, b and c.
    expected = [[10 / 4, 8 / 4, 6 / 4], [11 / 4, 7 / 4, 6 / 4], [12 / 4, 7 / 4, 5 / 4]]
    np.testing.assert_allclose(found.places, expected)
    assert found.sets == ("a", "b", "c")
    ranks, chi2, _ = naive.friedman(np.array(expected))
    np.testing.assert_allclose(found.test.ranks, ranks)
    assert found.test.chi2 == pytest.approx(chi2)
    only = standing(board.values("error"), methods, percents=[10])
    np.testing.assert_allclose(only.places[:, 0], [1, 2, 3])
    assert standing(board.values("error"), methods, [4.0]) is None
    assert standing(board.values("error"), methods[:1]) is None


def test_wins_are_those_of_a_signed_rank_test():
    noise = RNG.normal(size=(12, 3)) * 0.1
    errors = {
        "uniform": {1: lambda i: math.exp(0.3 + noise[i, 0]), 2: lambda i: math.exp(noise[i, 0])},
        "kmeans": {1: lambda i: math.exp(noise[i, 1]), 2: lambda i: math.exp(noise[i, 1])},
        "greedy": {1: lambda i: math.exp(1.0 + noise[i, 2]), 2: lambda i: math.exp(1.0 + noise[i, 2])},
    }
    board = Board(synthetic(errors, datas=[f"set {k}" for k in range(12)]))
    clear, close = wins(board, "error")
    assert (clear.first, clear.second, clear.sets, clear.percent) == ("kmeans", "uniform", 12, 1)
    gap = 0.3 + noise[:, 0] - noise[:, 1]
    assert clear.ratio == pytest.approx(math.exp(gap.mean()))
    assert clear.best == (gap > 0).sum()
    assert clear.p == pytest.approx(paired_p(gap, np.zeros(12)))
    assert clear.sure and not close.sure
    assert [win.first for win in wins(board, "error", ["uniform", "greedy"])] == ["uniform", "uniform"]


def test_reproduce_and_its_table():
    rows = list(EXPERIMENTS["tournament"].reproduce(["iris"], 2, 0))
    board = Board(rows)
    assert board.multiples == MULTIPLES and board.methods == CONTESTANTS and board.repeats == 2
    assert len(board.blocks()) == len(MULTIPLES) * len(PERCENTS)
    assert all(len(board.values(criterion)) == len(board.blocks()) for criterion in CRITERIA)
    text = EXPERIMENTS["tournament"].table(rows)
    assert len(text.splitlines()) == 2 + len(CONTESTANTS) + 2 + 3 + len(MULTIPLES) * len(PERCENTS)
