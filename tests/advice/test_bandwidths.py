"""The wider bandwidth that a recommendation offers, where the labels have chosen another than the default."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.advice.bandwidths import Width, chosen_width, is_enough, width_jobs
from nysviz.advice.candidates import Budget
from nysviz.advice.curve import Floor
from nysviz.advice.question import Question
from nysviz.advice.recommendation import Recommendation

X = np.random.default_rng(0).standard_normal((60, 3))
LEVELS = (0.25, 0.5, 1.0, 4.0)


def found(own, reached):
    widths = tuple(
        Width(2.0 * s, s, *((9, 8, 10) if s in reached else (None, None, None)), 20, 0.1) for s in LEVELS
    )
    asked = Question(X, nv.Gaussian(own), 0.05, "trace", ("icd",), 0)
    floor = Floor(np.full(60, 0.8), 60, 60)
    return Recommendation(asked, Budget(None, None), (), floor, widths)


@pytest.mark.parametrize(
    "own, reached, sigma",
    # In the first the labels chose a quarter of the default.
    [(0.5, LEVELS, 1.0), (0.5, (4.0,), 8.0), (2.0, LEVELS, 8.0), (8.0, LEVELS, None), (0.5, (0.25,), None)],
)
def test_wider_is_wider_than_what_was_asked(own, reached, sigma):
    one = found(own, reached)
    assert one.is_out_of_reach
    assert (one.wider() and one.wider().sigma) == sigma


def six_kinds():
    rng = np.random.default_rng(4)
    y = np.repeat(np.arange(6), 35)
    means = 3.0 * rng.standard_normal((6, 5))
    return means[y] + 1.5 * rng.standard_normal((210, 5)), y


def by_hand(X, y, kernel, m, seeds=range(20)):
    """Share of wrong classes of ridge regression from m uniform landmarks on a fifth of the rows."""
    wrong, codes = [], np.eye(6)[y]
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))
        test, train = order[:42], order[42:]
        values, vectors = np.linalg.eigh(kernel(X[train[:m]]))
        kept = values > 1e-12 * values[-1]
        basis = vectors[:, kept] / np.sqrt(values[kept])
        P, Q = (kernel(X[rows], X[train[:m]]) @ basis for rows in (train, test))
        W = np.linalg.solve(P.T @ P + 1e-6 * np.eye(P.shape[1]), P.T @ codes[train])
        wrong.append(np.mean((Q @ W).argmax(axis=1) != y[test]))
    return float(np.mean(wrong))


def test_a_wider_bandwidth_is_advised_only_with_landmarks_that_predict_as_well():
    X, y = six_kinds()
    kernel, taken = nv.Gaussian.from_width(nv.default_width(X)), []
    for _ in range(3):
        asked = Question(X, kernel, 0.1, "trace", ("uniform",), 0)
        widths = [one for job in width_jobs(asked, y) for one in job.work()]
        best = min(widths, key=lambda one: one.loss)
        chosen = chosen_width(widths)
        assert chosen.few_loss <= best.loss + best.loss_se and chosen.few == chosen.m
        assert by_hand(X, y, nv.Gaussian(chosen.sigma), chosen.m) <= best.loss + 3 * best.loss_se
        taken.append(chosen)
        kernel = nv.Gaussian(chosen.sigma)
    # Taken again and again, the advice stays where it is.
    assert taken[1].sigma == taken[2].sigma and taken[2].m >= 4


def test_the_widest_within_one_standard_error_is_chosen_by_what_its_landmarks_predict():
    def width(sigma, few_loss, loss=0.01, se=0.002):
        return Width(sigma, sigma, 10, 9, 11, 50, 0.1, loss, se, 50, few_loss, 0.02, 10)

    widths = [width(1, 0.10), width(2, 0.11), width(4, 0.13)]
    # The target's landmarks are nowhere enough.
    assert not any(is_enough(one, widths) for one in widths)
    assert chosen_width(widths).sigma == 2
    assert chosen_width([*widths, width(0.5, 0.011)]).sigma == 0.5
    assert (
        chosen_width([width(s, loss, loss, 0.02) for s, loss in ((1, 0.10), (2, 0.11), (4, 0.13))]).sigma == 2
    )
    assert chosen_width([width(1, math.nan, math.nan)]) is None and chosen_width([]) is None
