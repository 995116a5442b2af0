import numpy as np
import pytest

import nysviz as nv
from nysviz.matrix import KernelMatrix

X = np.random.default_rng(0).standard_normal((90, 3))
KERNEL = nv.Laplacian(2.0)


@pytest.fixture(params=[False, True], ids=["on demand", "dense"])
def K(request):
    return KernelMatrix(X, KERNEL, dense=KERNEL(X) if request.param else None)


@pytest.mark.parametrize("k", [1, 10, 40, 90])
def test_eigenpairs(K, k):
    values, vectors = K.eigenpairs(k)
    expected = np.linalg.eigvalsh(KERNEL(X))[::-1][:k]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12 * expected[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(KERNEL(X) @ vectors, vectors * values, atol=1e-12 * expected[0])
    assert K.evaluations == len(X) ** 2


def symmetric_rows():
    half = np.random.default_rng(0).integers(-3, 4, (50, 3)).astype(float)
    return np.vstack([half, -half])


@pytest.mark.parametrize(
    "rows, kernel, rank",
    [
        (symmetric_rows(), nv.Linear(), 3),
        (np.ones((100, 2)), nv.Gaussian(1.0), 1),
        (np.zeros((100, 2)), nv.Linear(), 0),
        (np.arange(100.0)[:, None], nv.Gaussian(1e-3), 100),
    ],
    ids=["rows in opposite pairs", "all ones", "all zero", "identity"],
)
def test_lanczos_on_matrices_that_stop_it(rows, kernel, rank):
    """Few or equal eigenvalues, rows whose sum is zero; and the same result when called again."""
    values, vectors = KernelMatrix(rows, kernel).eigenpairs(3)
    expected = np.linalg.eigvalsh(kernel(rows))[::-1][:3]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10 * max(expected[0], 1))
    assert (values > 1e-10).sum() == min(rank, 3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)
    again = KernelMatrix(rows, kernel).eigenpairs(3)
    assert np.array_equal(again[0], values) and np.array_equal(again[1], vectors)
