"""Frequency scales, splits and linear machines against what must hold of them."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC, LinearSVC

import nysviz as nv
from nysviz.learning.linear_machines import COSTS
from nysviz.papers.yang2012.figure1 import (
    FOLDS,
    FREQUENCY_SCALES,
    linear_machine,
    linear_score,
    scaled_map,
    split,
)

BALLS = nv.two_balls(600, redundant=10, seed=0, distance=1.2)


@pytest.mark.parametrize("scale", FREQUENCY_SCALES)
def test_features_estimate_the_gaussian_of_their_own_bandwidth_and_only_one_scale_the_kernel(scale):
    X, sigma = BALLS.X[:60], 2.0
    Z = scaled_map(X, "rff", 20_000, sigma, 0, scale).transform(X)
    width = {"1/σ": sigma, "1": 1.0, "σ": 1.0 / sigma}[scale]
    assert np.abs(Z @ Z.T - nv.Gaussian(width)(X)).max() < 0.05
    assert (np.abs(Z @ Z.T - nv.Gaussian(sigma)(X)).max() < 0.05) == (scale == "1/σ")


def test_cross_validation_takes_the_better_penalty():
    # A weak direction that decides needs a large C: Nyström features have it.
    rng = np.random.default_rng(2)
    y = rng.choice([-1, 1], 300)
    Z = np.column_stack([np.ones(300), 0.004 * (y + 0.3 * rng.standard_normal(300))])
    machine = linear_machine(Z, y, 0)
    assert machine.penalty in COSTS and machine.penalty > COSTS[0]
    # Every row is left out once, with about as many of each class as of the other in each fold.
    folds = [*StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y)]
    machines = [LinearSVC(C=C, dual=False, tol=1e-8) for C in COSTS]
    peer = [np.mean(cross_val_predict(one, Z, y, cv=folds) != y) for one in machines]
    np.testing.assert_allclose(machine.errors, peer, atol=2 / 300)


def test_close_to_the_exact_machine_with_all_training_rows_as_landmarks():
    score = linear_score(BALLS.X, BALLS.y, "uniform", 300, 3.0)
    train, test = split(600, 0)
    machine = SVC(kernel="precomputed", C=100.0).fit(nv.Gaussian(3.0)(BALLS.X[train]), BALLS.y[train])
    exact = machine.score(nv.Gaussian(3.0)(BALLS.X[test], BALLS.X[train]), BALLS.y[test])
    assert abs(score["test_error"] - 100 * (1 - exact)) < 3
