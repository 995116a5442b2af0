import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.best import svd
from nysviz.matrix import KernelMatrix
from nysviz.spectrum import best_errors
from tests import naive
from tests.refusing import refused

X = np.random.default_rng(0).standard_normal((70, 3))
KERNELS = [nv.Gaussian(1.0), nv.Laplacian(1.0), nv.Polynomial(2), nv.Linear()]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("m", [1, 3, 12, 70])
def test_svd_is_the_best_of_its_rank(kernel, m):
    K = kernel(X)
    selection = svd(KernelMatrix(X, kernel), m, None)
    expected = naive.best_of_rank(K, m)
    assert naive.frobenius(selection.factor @ selection.factor.T - expected) < 1e-11 * naive.frobenius(K)
    np.testing.assert_allclose(
        np.linalg.norm(selection.factor, axis=0) ** 2, selection.eigenvalues, rtol=1e-9
    )


def test_rank_above_rounding_only():
    selection = svd(KernelMatrix(X, nv.Linear()), 5, None)
    assert selection.factor.shape == (70, 3)
    assert selection.notes == ("K has only 3 eigenvalues above rounding; 5 were asked for.",)


@pytest.mark.parametrize("method", [name for name in nv.METHODS if name != "svd"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_no_method_passes_the_floor(method, kernel):
    """Eckart & Young: in the Frobenius, the spectral and the trace norm."""
    if refused(method, kernel):
        return
    eigenvalues = np.maximum(naive.descending_eigh(kernel(X))[0], 0)
    for m in (1, 2, 12):
        a = nv.approximate(X, kernel, method, m)
        found = nv.errors(X, kernel, a)
        # A mixture has a larger rank than each of its parts, and random features have two columns each.
        plain = a.shares is None and nv.METHODS[method].data_dependent
        floor = np.array(best_errors(eigenvalues, m if plain else a.rank))
        assert (np.array([found.frobenius, found.spectral, found.trace]) >= floor * (1 - 1e-7) - 1e-9).all()
