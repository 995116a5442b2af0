"""Errors from sampled rows: the draw, the interval, and how often it covers the exact error."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.measures import sampled_errors
from nysviz.measures.sampled import inclusion_probabilities, pareto_sample, ratio_with_interval
from tests import naive

RNG = np.random.default_rng(5)
# Ten rows far out, which carry most of the residual where the kernel is wide.
X = np.concatenate([RNG.standard_normal((1_490, 4)), 25.0 * RNG.standard_normal((10, 4))])


@pytest.mark.parametrize("method, sigma", [("uniform", 1.5), ("rff", 24.0)])
def test_the_interval_covers_the_exact_error(method, sigma):
    kernel = nv.Gaussian(sigma)
    a = nv.approximate(X, kernel, method, 40)
    exact = nv.errors(X, kernel, a).relative_frobenius
    intervals = [sampled_errors(X, kernel, a, rows=200, seed=seed).interval for seed in range(100)]
    # Of 100 at 95 %, fewer than 88 have a chance of 0.2 %.
    assert sum(low <= exact <= high for low, high in intervals) >= 88
    assert np.median([high - low for low, high in intervals]) < 0.3 * exact


@pytest.mark.parametrize("rows", [1_500, 9_999])
def test_from_all_rows_the_error_is_exact(rows):
    a = nv.approximate(X, nv.Gaussian(24.0), "kmeans", 40)
    found, exact = sampled_errors(X, nv.Gaussian(24.0), a, rows), nv.errors(X, nv.Gaussian(24.0), a)
    assert found.rows == len(X) and found.interval == (found.relative_frobenius,) * 2
    assert found.relative_frobenius == pytest.approx(exact.relative_frobenius, rel=1e-6)
    assert found.frobenius == pytest.approx(exact.frobenius, rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_two_rows_of_few(n):
    a = nv.approximate(X[:n], nv.Gaussian(1.0), "uniform", 1)
    found = sampled_errors(X[:n], nv.Gaussian(1.0), a, 2)
    assert found.rows == min(n, 2) and found.interval[0] <= found.relative_frobenius <= found.interval[1]


@pytest.mark.parametrize("residuals", [np.arange(30.0) ** 3, np.zeros(30), np.full(30, 1e-15)])
def test_probabilities_against_the_twin_and_rows_drawn_with_them(residuals):
    of_k, of_rest = RNG.random((2, 30))
    probabilities = inclusion_probabilities(np.ones(30), residuals, of_k, of_rest, 12)
    expected = naive.inclusion_probabilities(residuals, of_k, of_rest, 12)
    np.testing.assert_allclose(probabilities, expected, atol=1e-9)
    rng, counts = np.random.default_rng(0), np.zeros(30)
    for _ in range(3_000):
        rows = pareto_sample(probabilities, 12, rng)
        assert len(set(rows)) == 12
        counts[rows] += 1
    # Five standard deviations, and what Pareto sampling is off by.
    np.testing.assert_allclose(counts / 3_000, probabilities, atol=0.05)


def test_the_interval_against_the_twin():
    parts, wholes, probabilities = RNG.random((3, 40))
    found = ratio_with_interval(parts, wholes, probabilities)
    np.testing.assert_allclose(found, naive.ratio_with_interval(parts, wholes, probabilities), rtol=1e-12)
