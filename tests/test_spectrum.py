import numpy as np
import pytest

import nysviz as nv
from nysviz.spectrum import best_errors
from tests import naive

X = np.random.default_rng(0).standard_normal((70, 3))
KERNEL = nv.Gaussian(1.0)
K = KERNEL(X)


@pytest.mark.parametrize("k", [None, 1, 3, 10, 70])
@pytest.mark.parametrize("at_hand", [False, True])
def test_spectrum(k, at_hand):
    values = nv.spectrum(X, KERNEL, k, K=K if at_hand else None)
    expected = naive.descending_eigh(K)[0][:k]
    np.testing.assert_allclose(values, np.maximum(expected, 0), atol=1e-12 * expected[0])
    assert (values >= 0).all() and (np.diff(values) <= 0).all()


def test_rounding_of_a_low_rank_is_clipped():
    values = nv.spectrum(X, nv.Linear())
    assert (values >= 0).all() and naive.descending_eigh(nv.Linear()(X))[0].min() < 0
    np.testing.assert_allclose(values[3:], 0, atol=1e-12 * values[0])


@pytest.mark.parametrize("k", [0, 71, 1.5, np.nan, np.inf])
def test_impossible_k(k):
    with pytest.raises(ValueError, match="a whole number from 1 to 70 is needed"):
        nv.spectrum(X, KERNEL, k)


@pytest.mark.parametrize("m", [0, 1, 8, 69, 70])
def test_best_errors_are_those_of_the_best_approximation(m):
    rest = K - naive.best_of_rank(K, m)
    expected = naive.frobenius(rest), naive.spectral(rest), naive.nuclear(rest)
    np.testing.assert_allclose(best_errors(nv.spectrum(X, KERNEL), m), expected, atol=1e-11)


def test_one_row():
    assert nv.spectrum(np.ones((1, 3)), KERNEL) == pytest.approx([1.0])
    assert nv.spectrum(np.ones((1, 3)), KERNEL, 1) == pytest.approx([1.0])
