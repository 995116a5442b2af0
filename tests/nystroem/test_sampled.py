"""Errors from sampled rows: the draw, the interval, and how often it covers the exact error."""

from dataclasses import replace

import numpy as np
import pytest

import nysviz as nv
from nysviz.nystroem.measures import sampled_errors
from nysviz.nystroem.measures.sampled import (
    FEW_ROWS,
    NOT_PSD,
    inclusion_probabilities,
    pareto_sample,
    pilot_columns,
    ratio_with_spread,
    row_sizes,
)
from tests import naive

RNG = np.random.default_rng(5)
# Ten rows far out, which carry most of the residual where the kernel is wide.
X = np.concatenate([RNG.standard_normal((1_490, 4)), 25.0 * RNG.standard_normal((10, 4))])


HEAVY = RNG.standard_t(1.5, (1_500, 3))
CLUMP = np.concatenate([0.3 * RNG.standard_normal((1_480, 4)), 5.0 * RNG.standard_normal((20, 4))])
SPREAD = np.concatenate([0.01 * RNG.standard_normal((1_420, 4)), 20.0 * RNG.standard_normal((80, 4))])
ONE = np.concatenate([RNG.standard_normal((1_499, 4)), np.full((1, 4), 9.0)])


@pytest.mark.parametrize(
    "points, kernel, method, m",
    [
        (X, nv.Gaussian(1.5), "uniform", 40),
        (X, nv.Gaussian(24.0), "rff", 40),
        (HEAVY, nv.Linear(), "rpcholesky", 1),
        (HEAVY, nv.Polynomial(2), "uniform", 5),
        (HEAVY, nv.Polynomial(3), "rpcholesky", 12),
        (HEAVY, nv.Matern(0.5, 4.0), "uniform", 40),
        (CLUMP, nv.Matern(0.5, 0.8), "kmeans", 40),
        (CLUMP, nv.Polynomial(3), "rpcholesky", 20),
        (SPREAD, nv.Matern(1.5, 5.0), "kmeans", 40),
        # One row has most of ‖K‖².
        (ONE, nv.Polynomial(2), "icd", 5),
    ],
)
def test_the_interval_covers_the_exact_error(points, kernel, method, m):
    a = nv.approximate(points, kernel, method, m)
    exact = nv.errors(points, kernel, a).relative_frobenius
    samples = [sampled_errors(points, kernel, a, rows=200, seed=seed) for seed in range(100)]
    found = np.array([sample.relative_frobenius for sample in samples])
    intervals = [sample.interval for sample in samples if sample.interval is not None]
    assert len(intervals) >= 95
    # Of 100 at 95 %, fewer than 88 have a chance of 0.2 %.
    rounding = 1e-9 * exact
    assert sum(low - rounding <= exact <= high + rounding for low, high in intervals) >= 0.88 * len(intervals)
    assert np.median([high - low for low, high in intervals]) < 0.3 * exact
    assert np.abs(found / exact - 1.0).max() < 0.25


@pytest.mark.parametrize("far", [1e15, 1e40])
def test_an_outlier_leaves_the_interval_finite(far):
    points = np.concatenate([X[:999], np.full((1, 4), far)])
    for kernel in (nv.Linear(), nv.Polynomial(2), nv.Polynomial(3)):
        a = nv.approximate(points, kernel, "uniform", 3)
        if far**2 * 4.0 >= 1e145 ** (1.0 / getattr(kernel, "degree", 1)):
            with pytest.raises(ValueError, match="whose square overflows"):
                sampled_errors(points, kernel, a)
            continue
        found, exact = sampled_errors(points, kernel, a), nv.errors(points, kernel, a).relative_frobenius
        assert np.isfinite(found.interval).all()
        assert found.interval[0] * (1 - 1e-9) <= exact <= found.interval[1] * (1 + 1e-9)


def test_what_the_sample_cannot_tell_has_no_interval_and_a_reason():
    def alternating(points, others):
        """Entries far from the diagonal, whose own are 0."""
        return np.abs(points[:, :1] - others[:, 0])

    kernel = nv.kernels.as_kernel(alternating)
    a = nv.approximate(X, nv.Gaussian(1.5), "uniform", 40)
    own = replace(a, kernel=kernel)
    assert sampled_errors(X, kernel, own).no_interval == NOT_PSD
    few = sampled_errors(X, nv.Gaussian(1.5), a, rows=8)
    assert few.interval is None and few.no_interval == FEW_ROWS
    # All rows leave nothing open.
    for points in (kernel, nv.Gaussian(1.5)):
        found = sampled_errors(X, points, replace(a, kernel=points), rows=len(X))
        assert found.no_interval == "" and found.interval == (found.relative_frobenius,) * 2


def test_an_unknown_error_is_not_called_exact():
    kernel = nv.Sigmoid(0.01, -1.0)
    errors = sampled_errors(X, kernel, nv.approximate(X, kernel, "uniform", 20), 100)
    assert kernel.diag(X).sum() < 0 and np.isnan([errors.trace, errors.relative_trace]).all()


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
    assert found.rows == min(n, 2) and 0.0 <= found.relative_frobenius <= 1.0
    # One of the three rows is left out: two tell no spread.
    assert found.interval == (None if n == 3 else (found.relative_frobenius,) * 2)


@pytest.mark.parametrize("size", [np.arange(30.0) ** 3, np.zeros(30), 8.0 ** np.arange(30)])
def test_probabilities_against_the_twin_and_rows_drawn_with_them(size):
    sizes = [size, *RNG.random((2, 30))]
    probabilities, dominates = inclusion_probabilities(sizes, 12)
    expected, expected_dominates = naive.inclusion_probabilities(sizes, 12)
    np.testing.assert_allclose(probabilities, expected, atol=1e-9)
    np.testing.assert_array_equal(dominates, expected_dominates)
    assert dominates.sum() <= 6 and probabilities.sum() == pytest.approx(12.0)
    rng, counts = np.random.default_rng(0), np.zeros(30)
    for _ in range(3_000):
        rows = pareto_sample(probabilities, 12, rng)
        assert len(set(rows)) == 12
        counts[rows] += 1
    # Five standard deviations, and what Pareto sampling is off by.
    np.testing.assert_allclose(counts / 3_000, probabilities, atol=0.05)


def test_what_is_rounding_draws_no_rows():
    entries, sums = RNG.random((2, 30))
    sizes = row_sizes(entries, 1e-15 * entries, 1.0 + 1e-15 * sums, sums)
    assert [bool(size.any()) for size in sizes] == [True, True, False, False, True, False]


def test_columns_of_dominating_rows_are_no_pilots():
    entries = np.where(np.arange(60) % 20 == 0, 1e6, 1.0)
    pilot = pilot_columns(entries, RNG.permutation(60), 20)
    assert len(pilot) == 50 and not (pilot % 20 == 0).any()


def test_the_spread_against_the_twin():
    parts, wholes, entries, probabilities = RNG.random((4, 40))
    probabilities[:5] = 1.0
    expected = naive.ratio_with_spread(parts, wholes, entries, probabilities, 70.0)
    # Squares of 1e-170 are 0.
    for of_parts, of_wholes in ((1.0, 1.0), (1e-90, 1.0), (1.0, 1e90)):
        found = ratio_with_spread(of_parts * parts, of_wholes * wholes, entries, probabilities, 70.0)
        scale = of_parts / of_wholes
        np.testing.assert_allclose(found, [scale * expected[0], scale * expected[1], expected[2]], rtol=1e-9)
