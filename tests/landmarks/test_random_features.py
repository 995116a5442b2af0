import numpy as np
import pytest

import nysviz as nv

X = np.random.default_rng(0).standard_normal((30, 3))
KERNEL = nv.Gaussian(1.2)
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
