import numpy as np
import pytest

from nysviz.lapack import symmetric
from nysviz.lapack.symmetric import cholesky, descending, eigh, inverse, solve_by_factor
from tests import naive
from tests.ticking import assert_others_go_on

SIZES = [0, 1, 2, 9, 60]


@pytest.fixture(params=["by address", "by numpy"])
def way(request, monkeypatch):
    """Both ways: the routines' addresses, and what is used where they are not as expected."""
    if request.param == "by numpy":
        monkeypatch.setattr(symmetric, "routine", lambda name: None)
    return request.param


def _matrix(n, order="C"):
    A = np.random.default_rng(n).uniform(-1, 1, (n, n + 3))
    return np.array(A @ A.T + 0.1 * np.eye(n), order=order)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", SIZES)
def test_cholesky_entry_by_entry_gives_the_same(way, n, order):
    A = _matrix(n, order)
    before = A.copy()
    L = cholesky(A)
    np.testing.assert_array_equal(A, before)
    np.testing.assert_allclose(L, naive.cholesky(A), 1e-10, 1e-13)
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_array_equal(cholesky(A[::-1, ::-1][::-1, ::-1]), L)
    assert np.shares_memory(cholesky(A, overwrite=True), A) or not n


@pytest.mark.parametrize("n", SIZES)
def test_inverse_and_solution_by_the_factor(way, n):
    A = _matrix(n)
    found = inverse(A)
    np.testing.assert_allclose(found @ A, np.eye(n), atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    B = np.ones((n, 2))
    np.testing.assert_allclose(A @ solve_by_factor(cholesky(A), B), B, 1e-9)
    np.testing.assert_array_equal(A, _matrix(n))


def test_an_indefinite_matrix_has_no_factor(way):
    for of in (cholesky, inverse):
        with pytest.raises(np.linalg.LinAlgError):
            of(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n, k", [(1, 1), (2, 1), (7, 3), (7, 4), (8, 8), (9, 9)])
def test_eigenpairs_the_other_way_round(n, k, order):
    values = np.arange(float(n))
    vectors = np.array(np.random.default_rng(n).random((n, n)), order=order)
    expected = vectors[:, ::-1][:, :k].copy()
    found_values, found = descending(values, vectors, k)
    np.testing.assert_array_equal(found_values, values[::-1][:k])
    np.testing.assert_array_equal(found, expected)
    # Most of them stay where they are, few do not keep the others alive.
    assert np.shares_memory(found, vectors) == (2 * k >= n)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", SIZES)
def test_eigenpairs_are_eigenpairs(way, n, order):
    """A V = V Λ with orthonormal V and ascending Λ is the definition, so no twin is needed."""
    A = _matrix(n, order)
    before = A.copy()
    scale = max(1.0, float(np.abs(A).sum()))
    for largest in [None, *range(1, n + 1, max(1, n // 3))]:
        count = n if largest is None else largest
        values, vectors = eigh(A, largest=largest)
        np.testing.assert_array_equal(A, before)
        assert values.shape == (count,) and vectors.shape == (n, count)
        assert (np.diff(values) >= 0).all()
        np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-13 * scale)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
        np.testing.assert_allclose(values.sum(), np.trace(A) if largest is None else values.sum(), 1e-12)
        if n and largest is not None:
            np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[-largest:], 1e-10)
        own = A.copy(order="K")
        np.testing.assert_array_equal(eigh(own, largest=largest, overwrite=True)[1], vectors)


def test_eigenvectors_take_the_place_of_the_matrix():
    for order in "CF":
        A = _matrix(20, order)
        assert np.shares_memory(eigh(A, overwrite=True)[1], A)


def test_a_matrix_too_large_for_the_work_array(monkeypatch):
    monkeypatch.setattr(symmetric, "MOST_ROWS", 5)
    A = _matrix(9)
    values, vectors = eigh(A)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize("largest", [0, 4])
def test_as_many_eigenpairs_as_there_are(way, largest):
    with pytest.raises(ValueError, match=f"^{largest} eigenpairs of a matrix of 3 rows; from 1 to 3"):
        eigh(np.eye(3), largest=largest)


def test_a_matrix_is_square(way):
    for of in (cholesky, inverse, eigh):
        with pytest.raises(ValueError, match=r"the shape \(2, 3\); a square matrix is needed"):
            of(np.ones((2, 3)))


@pytest.mark.parametrize("largest", [None, 3])
def test_numbers_that_are_not_finite_end_with_an_error_or_with_nan(largest):
    A = np.full((30, 30), np.nan)
    try:
        values = eigh(A, largest=largest)[0]
    except np.linalg.LinAlgError:
        return
    assert not np.isfinite(values).all()


@pytest.mark.parametrize("of", [eigh, lambda A: eigh(A, largest=2), cholesky, inverse])
def test_other_threads_go_on_meanwhile(of):
    """scipy's own wrappers hold them up."""

    def prepare(size):
        A = _matrix(size)
        return lambda: of(A)

    assert_others_go_on(prepare, 500)
