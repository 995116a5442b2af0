"""The LS-SVM against its optimality system, the slow twin and the theorems that tie its forms together."""

import tracemalloc

import numpy as np
import pytest

import nysviz as nv
from nysviz.learning.ls_svm import decide, decide_restricted, error_percent, predicted, train, train_exact
from tests import naive

METHODS = list(nv.METHODS)


@pytest.fixture(scope="module")
def problem():
    """Two overlapping clouds, unequal in size, and points to test on."""
    rng = np.random.default_rng(5)
    y = np.where(np.arange(70) < 42, -1.0, 1.0)
    X = rng.standard_normal((70, 3)) + 0.6 * y[:, None]
    order = rng.permutation(70)
    return X[order], y[order], nv.Gaussian(1.3), rng.standard_normal((25, 3))


@pytest.mark.parametrize("C", [1e-3, 0.5, 40.0])
def test_exact_machine_is_the_slow_twin(problem, C):
    X, y, kernel, X_new = problem
    machine = train_exact(kernel(X), y, C)
    alpha, b = naive.ls_svm(kernel(X), y, C)
    np.testing.assert_allclose(y * machine.weights, alpha, rtol=1e-9, atol=1e-12 * C)
    assert machine.bias == pytest.approx(b, rel=1e-9)
    slow = naive.ls_svm_decision([[naive.gaussian(x, z, 1.3) for z in X] for x in X_new], y, alpha, b)
    np.testing.assert_allclose(decide(machine, X, kernel, X_new), slow, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("C", [0.01, 0.5, 100.0])
@pytest.mark.parametrize("method", METHODS)
def test_low_rank_machine_solves_the_system_of_its_own_matrix(problem, method, C):
    X, y, kernel, _ = problem
    a = nv.approximate(X, kernel, method, 12, seed=1)
    machine = train(a, y, C)
    M = np.outer(y, y) * (a.factor @ a.factor.T + np.eye(len(y)) / C)
    alpha = y * machine.weights
    assert abs(y @ alpha) < 1e-9 * np.abs(alpha).sum()
    np.testing.assert_allclose(M @ alpha + machine.bias * y, 1.0, atol=1e-8)


@pytest.mark.parametrize("method", ["icd", "svd", "kmeans", "rpcholesky"])
def test_full_rank_is_the_exact_machine(problem, method):
    X, y, kernel, X_new = problem
    exact = train_exact(kernel(X), y)
    a = nv.approximate(X, kernel, method, len(X), seed=0)
    machine = train(a, y)
    np.testing.assert_allclose(machine.weights, exact.weights, atol=1e-6)
    expected = decide(exact, X, kernel, X_new)
    np.testing.assert_allclose(decide(machine, X, kernel, X_new), expected, atol=1e-6)
    np.testing.assert_allclose(decide_restricted(machine, a, X_new), expected, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_restricted_kernel_on_the_training_rows_is_the_approximation(problem, method):
    """z(x_j)ᵀ z(x_i) = K̃_ji, so f(x_j) = 1/y_j − weights_j / C by the optimality system."""
    X, y, kernel, _ = problem
    a = nv.approximate(X, kernel, method, 15, seed=2)
    machine = train(a, y, 2.0)
    np.testing.assert_allclose(decide_restricted(machine, a, X), y - machine.weights / 2.0, atol=1e-7)


@pytest.mark.parametrize("method", ["uniform", "icd", "rpcholesky", "farthest"])
def test_both_test_kernels_agree_at_landmarks(problem, method):
    """A landmark's row of K̃ is K's own, so the kernels agree there and, in general, nowhere else."""
    X, y, kernel, X_new = problem
    a = nv.approximate(X, kernel, method, 15, seed=2)
    machine = train(a, y)
    both = [decide(machine, X, kernel, X[a.pivots]), decide_restricted(machine, a, X[a.pivots])]
    np.testing.assert_allclose(*both, atol=1e-9)
    gap = decide(machine, X, kernel, X_new) - decide_restricted(machine, a, X_new)
    assert np.abs(gap).max() > 1e-3


def test_for_svd_the_restricted_kernel_is_the_projected_one(problem):
    """z(x)ᵀ z(x_i) keeps of k(x, ·) what lies in the span of the leading eigenvectors of K."""
    X, y, kernel, X_new = problem
    a = nv.approximate(X, kernel, "svd", 15)
    machine = train(a, y)
    K_new = kernel(X_new, X)
    vectors = a.eigh()[1]
    expected = K_new @ vectors @ (vectors.T @ machine.weights) + machine.bias
    np.testing.assert_allclose(decide_restricted(machine, a, X_new), expected, atol=1e-9)


def test_exchanging_the_classes_exchanges_the_signs(problem):
    X, y, kernel, X_new = problem
    one, other = train_exact(kernel(X), y), train_exact(kernel(X), -y)
    np.testing.assert_allclose(
        decide(one, X, kernel, X_new), -decide(other, X, kernel, X_new), rtol=1e-12, atol=1e-13
    )


def test_a_tiny_c_predicts_the_larger_class(problem):
    X, y, kernel, X_new = problem
    machine = train_exact(kernel(X), y, 1e-9)
    assert machine.bias == pytest.approx(y.mean(), abs=1e-6)
    assert (predicted(decide(machine, X, kernel, X_new)) == -1).all()


def test_error_is_in_per_cent():
    assert error_percent(np.array([0.3, -2.0, 0.0, -0.1]), np.array([1.0, 1.0, 1.0, -1.0])) == 25.0


def test_no_n_by_n_matrix():
    n = 6_000
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    a = nv.approximate(X, nv.Gaussian(2.0), "uniform", 30)
    tracemalloc.start()
    machine = train(a, y)
    assert error_percent(decide_restricted(machine, a, X), y) < 20.0
    decide(machine, X, nv.Gaussian(2.0), X)
    assert tracemalloc.get_traced_memory()[1] < 0.2 * 8 * n * n
    tracemalloc.stop()


@pytest.mark.parametrize("C", [0.0, -1.0, float("nan"), float("inf")])
def test_c_must_be_positive(problem, C):
    X, y, kernel, _ = problem
    with pytest.raises(ValueError, match="above 0"):
        train_exact(kernel(X), y, C)


@pytest.mark.parametrize("labels", [np.ones(70), np.arange(70.0), np.zeros(70)])
def test_labels_must_be_both_signs(problem, labels):
    X, _, kernel, _ = problem
    with pytest.raises(ValueError, match=r"-1 and \+1"):
        train_exact(kernel(X), labels)
    with pytest.raises(ValueError, match="one label a row"):
        train(nv.approximate(X, kernel, "uniform", 5), np.ones(3))


def test_a_matrix_that_is_not_positive_definite_is_one_sentence():
    with pytest.raises(ValueError, match="smaller C"):
        train_exact(np.array([[1.0, 4.0], [4.0, 1.0]]), np.array([1.0, -1.0]), 10.0)
