"""Factors without landmarks: random features, and sketches by random vectors."""

import numpy as np
import pytest

import nysviz as nv
from tests import naive
from tests.landmarks.frequencies import HEAP

X = np.random.default_rng(0).standard_normal((30, 3))
KERNEL, GAUSSIAN = nv.Gaussian(1.2), nv.Gaussian(1.0)
METHODS = [name for name, entry in nv.METHODS.items() if not entry.data_dependent]


@pytest.mark.parametrize("method", METHODS)
def test_the_approximation_is_unbiased(method):
    """The mean over the seeds approaches every entry of K as its standard error says."""
    K = KERNEL(X)
    products = np.array([(G := nv.approximate(X, KERNEL, method, 7, s).factor) @ G.T for s in range(300)])
    error = products.std(axis=0) / np.sqrt(len(products))
    assert (abs(products.mean(axis=0) - K) < 5 * error + 1e-12).all()
    assert np.linalg.norm(products.mean(axis=0) - K) < 0.1 * np.linalg.norm(products[0] - K)


def test_the_variance_of_independent_frequencies_is_the_known_one():
    """Var K̃(x, y) = (1 − k(x, y)²)² / 2m for pairs of sine and cosine (Sutherland & Schneider 2015)."""
    K, m = KERNEL(X), 7
    products = np.array([(G := nv.approximate(X, KERNEL, "rff", m, s).factor) @ G.T for s in range(600)])
    expected = (1 - K**2) ** 2 / (2 * m)
    off = ~np.eye(len(X), dtype=bool)
    assert products.var(axis=0)[off].mean() == pytest.approx(expected[off].mean(), rel=0.05)


def test_angles_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"^X holds values so large, for this σ, that the angles overflow"):
        nv.approximate(X * 3e149, nv.Gaussian(1e-150), "rff", 3)
    tiny = nv.approximate(X, nv.Gaussian(1e-150), "rff", 3)
    assert np.isfinite(tiny.factor).all()


@pytest.mark.parametrize("m", [1, 10, 25])
def test_the_sketch_is_that_of_its_random_vectors(m):
    K = GAUSSIAN(HEAP)
    omega = np.random.default_rng(3).standard_normal((len(HEAP), m))
    expected = naive.nystroem(K @ omega, omega.T @ K @ omega)
    a = nv.approximate(HEAP, GAUSSIAN, "sketch", m, 3)
    assert a.landmarks is None and a.pivots is None
    assert np.linalg.norm(a.factor @ a.factor.T - expected) < 1e-8 * np.linalg.norm(K)
    columns = a.factor.T @ a.factor
    np.testing.assert_allclose(columns, np.diag(np.diag(columns)), atol=1e-12 * columns.max())


def test_the_shift_is_taken_off_again():
    """Of the identity each of n eigenvalues would else be too large by ν = n eps."""
    n = len(HEAP)
    a = nv.approximate(HEAP, nv.Gaussian(1e-3), "sketch", n)
    assert abs((a.factor**2).sum() - n) < 0.1 * n * n * np.finfo(float).eps


def test_the_mean_trace_error_is_within_its_bound():
    """E tr(K − K̃) ≤ (1 + r/(m − r − 1)) Σ_{i>r} λ_i for every r (Tropp et al. 2017, theorem 4.1)."""
    m, K = 20, GAUSSIAN(HEAP)
    values = np.maximum(naive.descending_eigh(K)[0], 0)
    bound = min((1 + r / (m - r - 1)) * values[r:].sum() for r in range(m - 1))

    def mean(method):
        runs = (nv.approximate(HEAP, GAUSSIAN, method, m, seed) for seed in range(40))
        return np.mean([np.trace(K) - (a.factor**2).sum() for a in runs])

    assert values[m:].sum() < mean("sketch") < bound < mean("uniform")
