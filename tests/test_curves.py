"""Norms of residuals by the cheap ways against the plain one."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.curves import nested_errors, nested_quantization, residual_frobenius
from tests import naive

RNG = np.random.default_rng(2)
X = RNG.standard_normal((300, 4))
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)
SIZE = np.linalg.norm(K)


@pytest.mark.parametrize("m", [0, 1, 10, 60, 200])
def test_the_residual_norm_in_stripes(m):
    factor = nv.approximate(X, KERNEL, "uniform", max(m, 1)).factor[:, :m]
    plain = np.linalg.norm(K - factor @ factor.T)
    assert residual_frobenius(K, factor) == pytest.approx(plain, rel=1e-9, abs=1e-12)
    assert residual_frobenius(K, factor, size=SIZE) == pytest.approx(plain, rel=2e-6, abs=1e-12)


def test_small_residuals_are_not_left_to_float32():
    factor = nv.approximate(X, KERNEL, "rpcholesky", 250).factor
    plain = np.linalg.norm(K - factor @ factor.T)
    assert plain < 1e-4 * SIZE
    assert residual_frobenius(K, factor, size=SIZE) == pytest.approx(plain, rel=1e-6)


def test_entries_beyond_float32_are_taken_as_they_are():
    factor = np.full((300, 1), 1e25)
    large = np.full((300, 300), 3e50)
    expected = np.linalg.norm(large - factor @ factor.T)
    assert residual_frobenius(large, factor, size=float(np.linalg.norm(large))) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["icd", "uniform", "greedy"])
def test_nested_errors_are_those_of_each_step(method):
    factor = nv.approximate(X, KERNEL, method, 80).factor
    steps = [np.linalg.norm(K - factor[:, :t] @ factor[:, :t].T) for t in range(factor.shape[1] + 1)]
    np.testing.assert_allclose(nested_errors(K, factor), steps, rtol=1e-6)
    np.testing.assert_allclose(nested_errors(K, factor, size=SIZE), steps, rtol=1e-6)
    some = [1, 5, len(steps) - 1]
    np.testing.assert_allclose(nested_errors(K, factor, ranks=some), np.array(steps)[some], rtol=1e-6)


def test_nested_quantization_is_that_of_each_step():
    landmarks = X[RNG.permutation(300)[:25]]
    steps = [nv.quantization_error(X, landmarks[:t]) for t in range(1, 26)]
    np.testing.assert_allclose(nested_quantization(X, landmarks), steps, rtol=1e-9)


def test_nested_quantization_far_from_the_middle():
    stamps = np.array([[0.0], [1e9], [1e9 + 1], [1e9 + 2], [1e9 + 3]])
    assert list(nested_quantization(stamps, stamps)[1:]) == [14, 5, 1, 0]
    rows = np.vstack([np.zeros((3, 2)), 1.6e9 + 3.0 * RNG.standard_normal((300, 2))])
    landmarks = rows[RNG.permutation(303)[:20]]
    landmarks[0] = 0.0
    steps = [naive.quantization_error(rows, landmarks[:t]) for t in range(1, 21)]
    np.testing.assert_allclose(nested_quantization(rows, landmarks), steps, rtol=1e-9)
