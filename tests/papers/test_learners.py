"""Test errors of learners that are given K̃ in place of K, against scikit-learn with matrices made slowly."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.svm import SVC, SVR

import nysviz as nv
from nysviz.papers.findings import learners
from nysviz.papers.findings.learner_losses import LearnerLoss, group_label, loss_correlations, shares
from nysviz.papers.findings.learners import choose_ridge, reproduce


@pytest.fixture
def few(monkeypatch):
    for name, value in (
        ("TRAINING_ROWS", 60),
        ("TEST_ROWS", 80),
        ("MULTIPLES", (0.25, 1.0)),
        ("PERCENTS", (5, 40)),
    ):
        monkeypatch.setattr(learners, name, value)


def slow_errors(is_classification, K, y, K_test, y_test, ridge, C):
    """Test errors of scikit-learn's kernel ridge regression and support vector machine."""
    targets = np.array([[1.0 if label == c else -1.0 for c in sorted(set(y))] for label in y])
    model = KernelRidge(alpha=ridge, kernel="precomputed").fit(K, targets if is_classification else y)
    scores, machine = model.predict(K_test), (SVC if is_classification else SVR)(kernel="precomputed", C=C)
    predicted = machine.fit(K, y).predict(K_test)
    if is_classification:
        best = np.array(sorted(set(y)))[scores.argmax(axis=1)]
        return [100 * np.mean(guess != y_test) for guess in (best, predicted)]
    spread = ((y_test - y_test.mean()) ** 2).mean()
    return [100 * ((guess - y_test) ** 2).mean() / spread for guess in (scores, predicted)]


@pytest.mark.parametrize("name, is_classification", [("iris", True), ("diabetes", False)])
def test_each_run_against_scikit_learn(few, name, is_classification):
    found = {(row.data, row.method, row.m, row.measure): row.value for row in reproduce(name, 1, 5)}
    data = nv.load(name)
    order = np.random.default_rng(5).permutation(data.n)
    train, test = order[:60], order[60:140]
    X, X_test, y, y_test = (
        data.X[train],
        data.X[test],
        data.y[train].astype(float),
        data.y[test].astype(float),
    )
    if not is_classification:
        y, y_test = [(each - y.mean()) / y.std() for each in (y, y_test)]
    for multiple in (0.25, 1.0):
        label, kernel = f"{name}@width={multiple:g}", nv.Gaussian.from_width(multiple * nv.default_width(X))
        K = kernel(X, X)
        ridge, C = (found[label, "exact", 60, each] for each in ("ridge", "cost"))
        folds = (StratifiedKFold if is_classification else KFold)(5, shuffle=True, random_state=5)
        machine = SVC if is_classification else SVR
        scores = [
            cross_val_score(machine(kernel="precomputed", C=c), K, y, cv=folds).mean() for c in (1, 10, 100)
        ]
        assert (1, 10, 100)[int(np.argmax(scores))] == C
        errors = [found[label, "exact", 60, f"{learner}_error"] for learner in ("ridge", "svm")]
        expected = slow_errors(is_classification, K, y, kernel(X_test, X), y_test, ridge, C)
        assert errors == pytest.approx(expected, rel=1e-6)
        for method in ("uniform", "kmeans", "rpcholesky"):
            for m in (3, 24):
                Z = nv.approximate(X, kernel, method, m, 5).landmarks
                features = np.linalg.pinv(kernel(Z, Z), rcond=1e-10, hermitian=True) @ kernel(Z, X)
                K_tilde, K_test = kernel(X, Z) @ features, kernel(X_test, Z) @ features
                run = {
                    measure: found[label, method, m, measure]
                    for measure in ("relative_frobenius", "residual_over_ridge", "ridge_error", "svm_error")
                }
                size = np.linalg.norm(K - K_tilde) / np.linalg.norm(K)
                assert run["relative_frobenius"] == pytest.approx(size, rel=1e-4, abs=1e-8)
                largest = np.linalg.norm(K - K_tilde, 2) / ridge
                assert run["residual_over_ridge"] == pytest.approx(largest, rel=1e-3, abs=1e-6)
                expected = slow_errors(is_classification, K_tilde, y, K_test, y_test, ridge, C)
                # A row near the boundary, or the machine's own tolerance.
                few_rows = 1.3 if is_classification else 0.05
                assert [run["ridge_error"], run["svm_error"]] == pytest.approx(expected, abs=few_rows)


def test_the_ridge_has_the_least_leave_one_out_error():
    X = nv.load("iris").X[::5]
    K, y = nv.Gaussian(1.0)(X, X), np.sin(3 * X[:, :1]) + np.random.default_rng(0).normal(0, 0.3, (30, 1))

    def slow(ridge):
        total = 0.0
        for i in range(30):
            rest = np.arange(30) != i
            weights = np.linalg.solve(K[np.ix_(rest, rest)] + ridge * np.eye(29), y[rest])
            total += ((K[i, rest] @ weights - y[i]) ** 2).sum()
        return total

    assert choose_ridge(K, y) == min(learners.RIDGES, key=slow)


def loss(data, learner, error, points, multiple=1.0, m=1):
    return LearnerLoss(data, multiple, "uniform", m, learner, error, 10 * error, points)


def test_each_data_set_counts_once_in_a_share():
    losses = [
        *(loss("a", "ridge", 0.05, 0.0, m=m) for m in range(8)),
        loss("b", "ridge", 0.05, 0.26),
        loss("b", "ridge", 0.06, 0.25),
        loss("b", "ridge", 0.2, 9.0),
        loss("b", "svm", 0.05, 9.0),
    ]
    first, second, third = shares(losses, lambda each: each.error, (0.0, 0.1))
    assert (first.learner, first.cases, first.without_loss, first.sets) == ("ridge", 10, 9, 2)
    assert first.share.value == pytest.approx(0.75)
    assert 0.0 <= first.ends[0] <= 0.75 <= first.ends[1] <= 1.0
    assert (second.cases, second.without_loss) == (1, 0)
    assert (third.learner, third.without_loss) == ("svm", 0)
    assert [group_label(each) for each in (first, second)] == ["below 0.1", "0.1 or more"]
    assert shares(losses, lambda each: each.error, (0.0, 0.1), margin=0.3)[0].without_loss == 10


def test_rank_correlations_are_means_over_matrices_and_data_sets():
    up = [loss("a", "ridge", error, error) for error in (0.1, 0.2, 0.3)]
    down = [loss("a", "ridge", error, -error, multiple=4.0) for error in (0.1, 0.2, 0.3)]
    other = [loss("b", "ridge", error, error) for error in (0.1, 0.2, 0.3)]
    mean = loss_correlations([*up, *down, *other], "ridge", lambda each: each.error)
    assert mean.value == pytest.approx(0.5)
