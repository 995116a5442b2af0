import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.random_features import fourier_features, random_frequencies
from tests import naive

X = np.random.default_rng(0).standard_normal((30, 3))
KERNEL = nv.Gaussian(1.2)
METHODS = [name for name, entry in nv.METHODS.items() if not entry.data_dependent]


def test_there_are_two():
    assert METHODS == ["rff", "orf"]


@pytest.mark.parametrize("method", METHODS)
def test_the_approximation_is_unbiased(method):
    """The mean over the seeds approaches every entry of K as its standard error says."""
    K = KERNEL(X)
    products = np.array([(G := nv.approximate(X, KERNEL, method, 7, s).factor) @ G.T for s in range(600)])
    error = products.std(axis=0) / np.sqrt(len(products))
    assert (abs(products.mean(axis=0) - K) < 5 * error + 1e-12).all()
    assert naive.frobenius(products.mean(axis=0) - K) < 0.1 * naive.frobenius(products[0] - K)


def test_the_variance_of_independent_frequencies_is_the_known_one():
    """Var K̃(x, y) = (1 − k(x, y)²)² / 2m for pairs of sine and cosine (Sutherland & Schneider 2015)."""
    K, m = KERNEL(X), 7
    products = np.array([(G := nv.approximate(X, KERNEL, "rff", m, s).factor) @ G.T for s in range(600)])
    expected = (1 - K**2) ** 2 / (2 * m)
    off = ~np.eye(len(X), dtype=bool)
    assert products.var(axis=0)[off].mean() == pytest.approx(expected[off].mean(), rel=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_the_error_falls_like_the_root_of_m(method):
    K = KERNEL(X)

    def mean_square(m):
        runs = (nv.approximate(X, KERNEL, method, m, s) for s in range(80))
        return np.mean([naive.frobenius(K - a.factor @ a.factor.T) ** 2 for a in runs])

    # Blocks of d = 3 orthogonal frequencies are independent of each other: m in threes obeys the same law.
    assert mean_square(3) / mean_square(27) == pytest.approx(9, rel=0.3)


def test_the_first_independent_frequencies_are_the_same_for_more():
    fewer, more = (nv.approximate(X, KERNEL, "rff", m, 4).frequencies for m in (3, 9))
    np.testing.assert_array_equal(fewer, more[:3])
    # Nested is more than that: features are scaled by 1/√m, so all columns of the factor change with m.
    assert not any(nv.METHODS[method].nested for method in METHODS)


def test_orthogonal_frequencies_are_the_same_for_all_m_with_as_many_blocks():
    of = {m: nv.approximate(X, KERNEL, "orf", m, 4).frequencies for m in (4, 6, 7)}
    # Blocks of d = 3 are drawn whole, and cut: 4 and 6 frequencies take two of them.
    np.testing.assert_array_equal(of[4], of[6][:4])
    # The lengths are drawn after all blocks, of which 7 take three: other lengths, the same directions.
    directions = {m: rows / np.linalg.norm(rows, axis=1, keepdims=True) for m, rows in of.items()}
    np.testing.assert_allclose(directions[7][:6], directions[6], rtol=1e-12)
    assert (np.linalg.norm(of[7][:6], axis=1) != np.linalg.norm(of[6], axis=1)).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_bandwidth_only_scales_the_frequencies(method):
    one, two = (nv.approximate(X, nv.Gaussian(sigma), method, 5, 1).frequencies for sigma in (1.0, 2.0))
    np.testing.assert_allclose(one, 2 * two, rtol=1e-15)


def test_angles_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"^X holds values so large, for this σ, that the angles overflow"):
        nv.approximate(X * 3e149, nv.Gaussian(1e-150), "rff", 3)
    tiny = nv.approximate(X, nv.Gaussian(1e-150), "rff", 3)
    assert np.isfinite(tiny.factor).all()


def test_rows_of_other_data_are_refused():
    frequencies = random_frequencies(4, 3, np.random.default_rng(0), orthogonal=False)
    for rows in (np.ones(3), np.ones((2, 4))):
        with pytest.raises(ValueError, match="rows with the 3 columns of the frequencies"):
            fourier_features(frequencies, rows)
