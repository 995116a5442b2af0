import numpy as np
import pytest

import nysviz as nv
from nysviz.matrix import KernelMatrix

X = np.random.default_rng(0).standard_normal((90, 3))
KERNEL = nv.Laplacian(2.0)


@pytest.fixture(params=[False, True], ids=["on demand", "dense"])
def K(request):
    return KernelMatrix(X, KERNEL, dense=KERNEL(X) if request.param else None)


def test_parts_of_the_matrix_and_their_cost(K):
    full, n = KERNEL(X), len(X)
    some = np.array([5, 0, 5, 77])
    asked = [
        (lambda: K.diagonal, np.diag(full), n),
        (lambda: K.rows(some), full[some], 4 * n),
        (lambda: K.columns(some), full[:, some], 4 * n),
        (lambda: K.against(X[:7] + 1), KERNEL(X, X[:7] + 1), 7 * n),
        (lambda: K.entries(some, some), full[np.ix_(some, some)], 4 * 4),
        (lambda: K.entries(some, some[:2]), full[np.ix_(some, some[:2])], 4 * 2),
        (K.full, full, n * n),
        # What is held costs nothing more.
        (lambda: K.rows(some), full[some], 0),
        (lambda: K.columns(some), full[:, some], 0),
        (lambda: K.entries(some, some), full[np.ix_(some, some)], 0),
        (K.full, full, 0),
    ]
    spent = 0
    for ask, expected, cost in asked:
        np.testing.assert_allclose(ask(), expected, rtol=0, atol=1e-14)
        spent += cost
        assert K.evaluations == spent


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
