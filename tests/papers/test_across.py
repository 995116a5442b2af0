"""Questions across the papers: answers to rows in which the truth is built in."""

import math

import numpy as np

from nysviz.papers.claims import Records
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.answers import QUESTIONS, correlations, equal_cost_ratios
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.jobs import CONTESTANTS, NAMES, label_of
from tests.papers.rows import row

SETS = tuple(f"set {k}" for k in range(12))
RNG = np.random.default_rng(0)


def rows_of(
    value, methods, measure="relative_frobenius", multiples=(1 / 16, 1.0, 16.0), percents=(1, 2, 5, 10)
):
    """Rows of a measure: ``value(data number, multiple, percent, method)``."""
    return [
        row(
            "tournament",
            label_of(data, multiple),
            method,
            10 * percent,
            4,
            measure,
            value(i, multiple, percent, method),
        )
        for i, data in enumerate(SETS)
        for multiple in multiples
        for percent in percents
        for method in methods
    ]


def test_x1_finds_each_bandwidths_winner():
    def value(i, multiple, percent, method):
        noise = 1 + 0.02 * RNG.normal()
        if multiple == 1.0:
            return noise / percent
        best = "greedy" if multiple < 1 else "kmeans"
        return noise * (1.0 if method == best else 1.5) / percent

    found = QUESTIONS["x1"].answer(Records(rows_of(value, ("greedy", "kmeanspp_lloyd", "kmeans"))))
    first, middle, last = found.sentence.split(". ")
    assert first.startswith("At 1/16 times") and "that of greedy" in first and "better than kernel" in first
    assert middle.startswith("At 1 times") and middle.endswith("better than neither of the others")
    assert (
        last.startswith("At 16 times") and "that of k-means centres" in last and last.endswith("and greedy.")
    )
    assert found.statistic.startswith("4 of 9 pairs")
    assert found.data == SETS and found.repeats == 5
    ratio = dict(found.numbers)["1/16 × default width"]
    assert "times that of greedy" in ratio


def costly(errors, costs):
    """Rows of errors and evaluations: method → a function of m/n in per cent."""
    methods = tuple(errors)
    rows = rows_of(lambda i, _, p, name: errors[name](p) * (1 + 0.01 * RNG.normal()), methods)
    rows += rows_of(lambda i, _, p, name: costs[name](p), methods, "kernel_evaluations")
    return Records(rows)


def test_x2_compares_at_equal_cost():
    # At equal m kmeans is twice as good, but it costs ten times as much: behind. Uniform is as good for less.
    records = costly(
        {"rpcholesky": lambda p: 1 / p, "kmeans": lambda p: 0.5 / p, "uniform": lambda p: 1 / p},
        {"rpcholesky": lambda p: 10 * p, "kmeans": lambda p: 100 * p, "uniform": lambda p: 5 * p},
    )
    found = QUESTIONS["x2"].answer(records)
    assert f"better than 1 of 2 methods, and worse than {NAMES['uniform']} [0.5" in found.sentence
    assert found.statistic.startswith("equal kernel evaluations: better than 1, worse than 1 of 2")
    assert "equal seconds" not in found.statistic
    board = Board(records)
    # Error for 100 … 1 000 evaluations: 0.1 and no better, against 0.5 … 0.05: the median of 5, 2.5, 1, 0.5.
    ratios = np.exp([*equal_cost_ratios(board, "kmeans", "kernel_evaluations").values()])
    np.testing.assert_allclose(ratios, math.sqrt(2.5), rtol=0.05)
    # Uniform at 10, 25, 50 evaluations (5 are too few): error 1/2, 1/5, 1/10 against 1, 0.4, 0.2.
    ratios = np.exp([*equal_cost_ratios(board, "uniform", "kernel_evaluations").values()])
    np.testing.assert_allclose(ratios, 0.5, rtol=0.05)


def test_x3_tells_predictors_apart():
    skill = {name: 1.0 + k for k, name in enumerate(CONTESTANTS)}
    rows = rows_of(lambda i, _, p, name: skill[name] / p, CONTESTANTS)
    rows += rows_of(lambda i, _, p, name: 3 * skill[name] ** 2 / p, CONTESTANTS, "relative_trace")
    rows += rows_of(lambda *_: RNG.random(), CONTESTANTS, "quantization")
    for data in SETS:
        for name, value in (("within_trace", 0.3), ("within_quantization", 0.8)):
            noise = 0.05 * RNG.normal()
            rows.append(row("tournament", label_of(data, 1.0), "uniform", 0, 4, name, value + noise))
    found = QUESTIONS["x3"].answer(Records(rows))
    assert "Across methods the residual's trace is the better predictor" in found.sentence
    assert "Within a method the quantization error is the better predictor" in found.sentence
    each = correlations(Board(rows))
    np.testing.assert_allclose(list(each["trace"].values()), 1.0)
    assert abs(np.mean(list(each["quantization"].values()))) < 0.3
    backwards = rows_of(lambda i, _, p, name: -skill[name] * p, CONTESTANTS, "quantization")
    rows = [one for one in rows if one.measure != "quantization"] + backwards
    np.testing.assert_allclose(list(correlations(Board(rows))["quantization"].values()), -1.0)


def test_the_recorded_tournament_answers():
    """Whatever the record says, each answer is a sentence about its data sets."""
    records = recorded_of("tournament")
    # The record comes with the repository: without it the page would be empty.
    assert len(records)
    board = Board(records)
    for question in QUESTIONS.values():
        found = question.answer(records)
        assert found.sentence.endswith(".") and set(found.data) == set(board.sets)
        assert found.repeats == board.repeats
