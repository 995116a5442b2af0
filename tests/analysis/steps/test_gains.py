"""What a row would have been worth is what the approximation with it is better by."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.steps import gains_of, trace
from nysviz.kernels.matrix import KernelMatrix

X = np.random.default_rng(1).standard_normal((30, 3))
KERNEL = nv.Gaussian(1.1)


@pytest.mark.parametrize("method", ["greedy", "rpcholesky", "uniform"])
def test_a_gain_is_what_one_more_landmark_takes_off(method):
    K = KERNEL(X)
    traced = trace(KernelMatrix(X, KERNEL), method, 8, np.random.default_rng(0))
    gains = gains_of(K, traced)
    assert gains.shape == (8, 30)

    def trace_error(rows):
        if not len(rows):
            return np.trace(K)
        E, W = K[:, rows], K[np.ix_(rows, rows)]
        return np.trace(K - E @ np.linalg.pinv(W, rcond=1e-13, hermitian=True) @ E.T)

    for t in (0, 3, 7):
        before = [] if t == 0 else list(traced.steps[t - 1].landmarks)
        for row in range(0, 30, 4):
            expected = (trace_error(before) - trace_error([*before, row])) / np.trace(K)
            assert gains[t, row] == pytest.approx(0.0 if row in before else expected, abs=1e-9)
    # What is taken already takes nothing more.
    assert gains[7, traced.picks[:7]] == pytest.approx(0.0, abs=1e-9)


def test_the_greedy_rule_of_the_largest_gain_beats_each_single_row():
    K = KERNEL(X)
    traced = trace(KernelMatrix(X, KERNEL), "greedy", 5, np.random.default_rng(0))
    gains = gains_of(K, traced)
    # Farahat's criterion is the same sum of squares, so that its pick is the best row of each step.
    np.testing.assert_allclose(gains[np.arange(5), traced.picks], gains.max(axis=1))
