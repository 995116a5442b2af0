"""The wider bandwidth that a recommendation offers, where the labels have chosen another than the default."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz import recommendation
from nysviz.recommendation import Budget, Floor, Question, Recommendation, Width, sentence

X = np.random.default_rng(0).standard_normal((60, 3))
LEVELS = (0.25, 0.5, 1.0, 4.0)


def found(own, reached):
    """Nothing meets the target at σ = ``own``; the bandwidths of ``reached`` surely do."""
    widths = tuple(
        Width(2.0 * s, s, *((9, 8, 10) if s in reached else (None, None, None)), 20, 0.1) for s in LEVELS
    )
    asked = Question.of(X, nv.Gaussian(own), 0.05, "trace", ("icd",), 0)
    floor = Floor(np.full(60, 0.8), 60, 60)
    return Recommendation(asked, Budget(None, None), (), floor, widths)


@pytest.mark.parametrize(
    "own, reached, sigma, words",
    [
        (0.5, LEVELS, 1.0, "σ = 1.00, 2.00 times the present σ"),  # the labels chose a quarter of the default
        (0.5, (4.0,), 8.0, "σ = 8.00, 16.0 times the present σ"),
        (2.0, LEVELS, 8.0, "σ = 8.00, 4.00 times the present σ"),
        (8.0, LEVELS, None, ""),
        (0.5, (0.25,), None, ""),
    ],
)
def test_wider_is_wider_than_what_was_asked(own, reached, sigma, words):
    one = found(own, reached)
    assert one.is_out_of_reach
    assert (one.wider() and one.wider().sigma) == sigma
    assert words in sentence(one) and ("times the present σ" in sentence(one)) == bool(words)


def test_the_factor_is_that_of_the_chosen_bandwidth(monkeypatch):
    monkeypatch.setattr(recommendation, "chosen_width", lambda widths: min(widths, key=lambda w: w.sigma))
    y = (X[:, 0] > 0).astype(int)
    one = nv.recommend(X, target=0.2, y=y, methods=["icd"], memory=1.0)
    own = one.asked.kernel.sigma
    assert own == pytest.approx(nv.Gaussian.from_width(nv.default_width(X)).sigma / 4)
    told = re.search(r"σ = (\S+), (\S+) times the present σ", sentence(one))
    assert told and float(told[2]) == pytest.approx(float(told[1]) / own, rel=2e-2)
    fitting = [w.sigma for w in one.widths if w.sigma > own and w.high is not None]
    assert one.wider().sigma == min(fitting)
