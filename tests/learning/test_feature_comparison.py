"""Frequency scales, splits and linear machines against what must hold of them."""

import numpy as np
import pytest
from sklearn.svm import SVC

import nysviz as nv
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES, linear_score, scaled_map, split

BALLS = nv.two_balls(600, redundant=10, seed=0, distance=1.2)


@pytest.mark.parametrize("scale", FREQUENCY_SCALES)
def test_features_estimate_the_gaussian_of_their_own_bandwidth_and_only_one_scale_the_kernel(scale):
    X, sigma = BALLS.X[:60], 2.0
    Z = scaled_map(X, "rff", 20_000, sigma, 0, scale).transform(X)
    width = {"1/σ": sigma, "1": 1.0, "σ": 1.0 / sigma}[scale]
    assert np.abs(Z @ Z.T - nv.Gaussian(width)(X)).max() < 0.05
    assert (np.abs(Z @ Z.T - nv.Gaussian(sigma)(X)).max() < 0.05) == (scale == "1/σ")


def test_close_to_the_exact_machine_with_all_training_rows_as_landmarks():
    score = linear_score(BALLS.X, BALLS.y, "uniform", 300, 3.0)
    train, test = split(600, 0)
    machine = SVC(kernel="precomputed", C=100.0).fit(nv.Gaussian(3.0)(BALLS.X[train]), BALLS.y[train])
    exact = machine.score(nv.Gaussian(3.0)(BALLS.X[test], BALLS.X[train]), BALLS.y[test])
    assert abs(score["test_error"] - 100 * (1 - exact)) < 3
