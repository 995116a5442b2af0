import numpy as np
import pytest

import nysviz as nv
from tests import naive
from tests.landmarks.frequencies import HEAP

KERNEL = nv.Gaussian(1.0)


@pytest.mark.parametrize("m", [1, 10, 25])
def test_the_sketch_is_that_of_its_random_vectors(m):
    K = KERNEL(HEAP)
    omega = np.random.default_rng(3).standard_normal((len(HEAP), m))
    expected = naive.nystroem(K @ omega, omega.T @ K @ omega)
    a = nv.approximate(HEAP, KERNEL, "sketch", m, 3)
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
    m, K = 20, KERNEL(HEAP)
    values = np.maximum(naive.descending_eigh(K)[0], 0)
    bound = min((1 + r / (m - r - 1)) * values[r:].sum() for r in range(m - 1))

    def mean(method):
        runs = (nv.approximate(HEAP, KERNEL, method, m, seed) for seed in range(40))
        return np.mean([np.trace(K) - (a.factor**2).sum() for a in runs])

    assert values[m:].sum() < mean("sketch") < bound < mean("uniform")
