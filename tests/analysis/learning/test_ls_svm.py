"""The LS-SVM against its optimality system, the slow twin and theorems; and the two classes that it parts."""

from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning import ls_svm
from nysviz.analysis.learning.ls_svm import decide, decide_restricted, train, two_classes
from tests import naive
from tests.traced import traced


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
    machine = ls_svm.train_exact(kernel(X), y, C)
    alpha, b = naive.ls_svm(kernel(X), y, C)
    np.testing.assert_allclose(y * machine.weights, alpha, rtol=1e-9, atol=1e-12 * C)
    assert machine.bias == pytest.approx(b, rel=1e-9)
    slow = naive.ls_svm_decision([[naive.gaussian(x, z, 1.3) for z in X] for x in X_new], y, alpha, b)
    np.testing.assert_allclose(decide(machine, X, kernel, X_new), slow, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("method, C", [("uniform", 0.01), ("kmeans", 0.5), ("ensemble", 100.0), ("rff", 0.5)])
def test_low_rank_machine_solves_the_system_of_its_own_matrix(problem, method, C):
    X, y, kernel, _ = problem
    a = nv.approximate(X, kernel, method, 12, seed=1)
    machine = train(a, y, C)
    M = np.outer(y, y) * (a.factor @ a.factor.T + np.eye(len(y)) / C)
    alpha = y * machine.weights
    assert abs(y @ alpha) < 1e-9 * np.abs(alpha).sum()
    np.testing.assert_allclose(M @ alpha + machine.bias * y, 1.0, atol=1e-8)


def test_labels_in_words_are_refused_with_what_makes_numbers_of_them(problem):
    X, y, kernel, _ = problem
    words = np.where(y > 0, "yes", "no")
    first, second = dict.fromkeys(words.tolist())
    sentence = f"The labels are '{first}', '{second}'; -1 and \\+1, both of them, are needed"
    with pytest.raises(ValueError, match=sentence):
        train(nv.approximate(X, kernel, "icd", 20), words)
    with pytest.raises(ValueError, match=sentence):
        ls_svm.train_exact(kernel(X), words, 1.0)


@pytest.mark.parametrize("method", ["column_norm", "kmeans", "svd", "orf"])
def test_restricted_kernel_on_the_training_rows_is_the_approximation(problem, method):
    """z(x_j)ᵀ z(x_i) = K̃_ji, so f(x_j) = 1/y_j − weights_j / C by the optimality system."""
    X, y, kernel, _ = problem
    a = nv.approximate(X, kernel, method, 15, seed=2)
    machine = train(a, y, 2.0)
    np.testing.assert_allclose(decide_restricted(machine, a, X), y - machine.weights / 2.0, atol=1e-7)


@pytest.mark.parametrize("method", ["uniform", "icd"])
def test_both_test_kernels_agree_at_landmarks(problem, method):
    """A landmark's row of K̃ is K's own, so the kernels agree there and, in general, nowhere else."""
    X, y, kernel, X_new = problem
    a = nv.approximate(X, kernel, method, 15, seed=2)
    machine = train(a, y)
    both = [decide(machine, X, kernel, X[a.pivots]), decide_restricted(machine, a, X[a.pivots])]
    np.testing.assert_allclose(*both, atol=1e-9)
    gap = decide(machine, X, kernel, X_new) - decide_restricted(machine, a, X_new)
    assert np.abs(gap).max() > 1e-3


def test_no_n_by_n_matrix():
    n = 6_000
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    a = nv.approximate(X, nv.Gaussian(2.0), "uniform", 30)

    def work():
        machine = train(a, y)
        assert ls_svm.error_percent(decide_restricted(machine, a, X), y) < 20.0
        decide(machine, X, nv.Gaussian(2.0), X)

    assert traced(work)[1] < 0.2 * 8 * n * n


@pytest.mark.parametrize("share", [0.1, 0.8])
def test_rows_are_parted_class_by_class(share):
    data = nv.load("digits")
    pair = two_classes(data, 3, 8, share=share, seed=4)
    both = np.concatenate([pair.rows, pair.test_rows])
    assert sorted(both) == list(np.flatnonzero(np.isin(data.y, [3, 8])))
    for sign, label in ((-1, 3), (1, 8)):
        tested = (pair.y_test == sign).sum()
        assert tested == round(share * (data.y == label).sum())
    for rows, X, y in ((pair.rows, pair.X, pair.y), (pair.test_rows, pair.X_test, pair.y_test)):
        np.testing.assert_array_equal(X, data.X[rows])
        np.testing.assert_array_equal(y, np.where(data.y[rows] == 8, 1, -1))
    assert pair.name == "digits 3-8"
    same, other = (two_classes(data, 3, 8, share=share, seed=seed) for seed in (4, 5))
    assert pair.digest == same.digest != other.digest
    np.testing.assert_array_equal(pair.rows, same.rows)


def test_the_archive_parts_usps(monkeypatch):
    """Labels 1 to 10 of the files are the digits 0 to 9; the first rows are those of its training file."""
    monkeypatch.setitem(ls_svm.PUBLISHED_SPLITS, "usps", 70)
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(1, 11), 10)
    made = partial(nv.Dataset.from_arrays, "usps", rng.random((100, 4)), y, task="classification")
    data, own = made(from_catalog=True), made(from_catalog=False)
    assert ls_svm.class_names(data) == [str(digit) for digit in range(10)]
    pair = two_classes(data, 4, 9, published=True)
    assert pair.name == "usps 3-8"
    assert pair.rows.max() < 70 <= pair.test_rows.min()
    assert set(data.y[pair.rows]) == {4, 9}
    assert two_classes(data, 4, 9).test_rows.min() < 70
    # A file that is called usps is not the catalog's.
    pair = two_classes(own, 4, 9, published=True)
    assert pair.name == "usps 4-9" and pair.rows.max() > 70
