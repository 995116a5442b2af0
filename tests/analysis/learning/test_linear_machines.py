"""Ridge regression, the support vector machine and the trials: against scikit-learn, twins and theorems."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC

import nysviz as nv
from nysviz.analysis.learning import feature_map as feature_map_module
from nysviz.analysis.learning.feature_map import FeatureRows, feature_map
from nysviz.analysis.learning.feature_trial import EXACT, FOLDS, TrialSetting, paired_test, split, trial
from nysviz.analysis.learning.linear_machines import (
    PENALTIES,
    SquaredHingeMachine,
    kernel_ridge,
    ridge,
    support_vector_machine,
)
from nysviz.numerics import memory
from tests import naive
from tests.traced import traced

RNG = np.random.default_rng(5)
Z = RNG.standard_normal((240, 12)) @ RNG.standard_normal((12, 12)) + 0.7
TARGETS = np.column_stack([Z @ RNG.standard_normal(12), np.sin(Z[:, 0])])
TARGETS += RNG.standard_normal((240, 2)) + 3.0
FOLD_OF = RNG.permutation(np.arange(240) % FOLDS)
SIGNS = np.sign(Z @ RNG.standard_normal(12) + 3.0 * RNG.standard_normal(240))


def rows_of(Z, held_bytes=2**30):
    return FeatureRows(Z, lambda block: block.copy(), Z.shape[1], Z if held_bytes else None)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(feature_map_module, "PASS_ENTRIES", 500)


def test_ridge_is_that_of_scikit_learn_and_its_errors_those_of_refitting():
    found = ridge(rows_of(Z), TARGETS, FOLD_OF)
    peer = Ridge(alpha=found.penalty * np.square(Z).sum(), solver="svd").fit(Z, TARGETS)
    np.testing.assert_allclose(found.weights, peer.coef_.T, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.intercept, peer.intercept_, rtol=1e-9)
    for penalty, error in zip(PENALTIES, found.errors, strict=True):
        total = 0.0
        for fold in range(FOLDS):
            a, b = fold != FOLD_OF, fold == FOLD_OF
            peer = Ridge(alpha=penalty * np.square(Z[a]).sum(), solver="svd").fit(Z[a], TARGETS[a])
            total += np.square(peer.predict(Z[b]) - TARGETS[b]).sum()
        assert error == pytest.approx(total / len(Z), rel=1e-8)
    assert found.penalty == PENALTIES[int(np.argmin(found.errors))]


@pytest.mark.usefixtures("small_blocks")
def test_both_machines_in_blocks_are_those_at_once():
    streamed, held = rows_of(Z, 0), rows_of(Z)
    assert streamed.features is None and held.features is not None
    assert len(list(streamed.blocks())) == 6  # 41 rows of 12 entries each
    a, b = ridge(streamed, TARGETS, FOLD_OF), ridge(held, TARGETS, FOLD_OF)
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-10)
    np.testing.assert_allclose(a.errors, b.errors, rtol=1e-10)
    np.testing.assert_allclose(
        SquaredHingeMachine(streamed, SIGNS).fit(5.0), SquaredHingeMachine(held, SIGNS).fit(5.0), rtol=1e-9
    )


def test_the_support_vector_machine_is_that_of_scikit_learn():
    machine = SquaredHingeMachine(rows_of(Z), SIGNS)
    for C in (0.01, 1000.0, 1.0):  # each starts where the last one ended
        v = machine.fit(C)
        peer = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=100_000).fit(Z, SIGNS)
        assert machine.converged
        np.testing.assert_allclose(v, np.append(peer.coef_, peer.intercept_), rtol=1e-5, atol=1e-8)


def test_the_cost_has_the_fewest_mistakes_of_refitting():
    costs = (1e-4, 1e-2, 1.0)
    found = support_vector_machine(rows_of(Z), SIGNS[:, None], FOLD_OF, costs)
    for C, share in zip(costs, found.errors, strict=True):
        wrong = 0
        for fold in range(FOLDS):
            inner = fold != FOLD_OF
            peer = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=100_000).fit(Z[inner], SIGNS[inner])
            wrong += (peer.predict(Z[~inner]) != SIGNS[~inner]).sum()
        assert share == wrong / len(Z)
    assert found.penalty == costs[int(np.argmin(found.errors))]


def test_all_points_as_landmarks_give_the_exact_kernel_machine():
    X, y = Z[:60, :4], TARGETS[:60]
    kernel = nv.Gaussian(3.0)
    made = feature_map(X, kernel, "uniform", 60, 0)
    transform = made.transform
    assert made.columns == 60
    np.testing.assert_allclose(made.of_training(X).features, transform(X), atol=1e-8)
    of_features = ridge(rows_of(transform(X)), y, FOLD_OF[:60], [1e-3])
    of_kernel = kernel_ridge(kernel(X), y, FOLD_OF[:60], [1e-3])
    unseen = Z[60:90, :4]
    expected = of_kernel.outputs(kernel(unseen, X))
    np.testing.assert_allclose(of_features.outputs(transform(unseen)), expected, rtol=1e-6)
    np.testing.assert_allclose(expected, naive.kernel_ridge(kernel(X), y, kernel(unseen, X), 1e-3), rtol=1e-9)


def test_kernel_ridge_chooses_by_the_error_of_refitting():
    K = nv.Gaussian(3.0)(Z)
    found = kernel_ridge(K, TARGETS, FOLD_OF, [1e-4, 1e-2])
    for penalty, error in zip([1e-4, 1e-2], found.errors, strict=True):
        total = 0.0
        for fold in range(FOLDS):
            a, b = np.flatnonzero(fold != FOLD_OF), np.flatnonzero(fold == FOLD_OF)
            told = naive.kernel_ridge(K[np.ix_(a, a)], TARGETS[a], K[np.ix_(b, a)], penalty)
            total += np.square(told - TARGETS[b]).sum()
        assert error == pytest.approx(total / len(K), rel=1e-9)


@pytest.mark.parametrize("method", [name for name, entry in nv.METHODS.items() if entry.data_dependent])
def test_a_map_has_the_columns_that_it_says_where_landmarks_outnumber_the_rows(method):
    made = feature_map(Z[:40], nv.Gaussian(2.0), method, 30, 0)
    held = made.of_training(Z[:40]).features
    assert made.columns == held.shape[1] == made.transform(Z[:7]).shape[1]


@pytest.mark.parametrize("method, reading, columns", [("rff", "frequencies", 20), ("orf", "columns", 10)])
def test_both_readings_of_equal(method, reading, columns):
    made = feature_map(Z, nv.Gaussian(2.0), method, 10, 3, reading)
    assert made.columns == columns == made.transform(Z[:7]).shape[1]
    drawn = nv.FourierFeatures(2.0, columns // 2, orthogonal=method == "orf", random_state=3).fit(Z[:1])
    np.testing.assert_array_equal(made.transform(Z[:7]), drawn.transform(Z[:7]))


def test_trials_of_one_seed_share_the_split_and_others_do_not():
    train, test = split(100, 4)
    assert sorted([*train, *test]) == list(range(100)) and len(test) == 20
    np.testing.assert_array_equal(split(100, 4)[0], train)
    assert not np.array_equal(split(100, 5)[0], train)
    assert [len(part) for part in split(100, 4, (60, 30))] == [60, 30]


@pytest.mark.parametrize("machine", ["ridge", "svm"])
def test_the_score_is_that_of_the_same_steps_by_hand(machine):
    data, kernel, seed = nv.load("iris"), nv.Gaussian(1.0), 2
    found = trial(data.X, data.y, kernel, TrialSetting("classification", machine), "kmeans", 12, seed)
    train, test = split(data.n, seed)
    a = nv.approximate(np.ascontiguousarray(data.X[train]), kernel, "kmeans", 12, seed)
    A, B = a.transform(data.X[train]), a.transform(data.X[test])
    if machine == "svm":
        peer = LinearSVC(C=found.penalty, dual=False, tol=1e-10, max_iter=100_000).fit(A, data.y[train])
        told = peer.predict(B)
    else:
        signs = np.where(data.y[train][:, None] == np.unique(data.y), 1.0, -1.0)
        peer = Ridge(alpha=found.penalty * np.square(A).sum(), solver="svd").fit(A, signs)
        told = np.unique(data.y)[peer.predict(B).argmax(axis=1)]
    assert found.score == (told == data.y[test]).mean()


@pytest.mark.parametrize("machine, method", [("ridge", "rff"), ("svm", "uniform")])
def test_many_rows_never_meet_all_their_features(monkeypatch, machine, method):
    monkeypatch.setattr(feature_map_module, "PASS_ENTRIES", 2**15)
    monkeypatch.setattr(feature_map_module, "SELECTION_ENTRIES", 2**15)
    X = np.random.default_rng(0).standard_normal((8_000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    monkeypatch.setattr(memory, "HELD_BYTES", 2**19)
    setting = TrialSetting("classification", machine)
    found, peak = traced(lambda: trial(X, y, nv.Gaussian(1.0), setting, method, 60, 0, "columns"))
    assert found.score > 0.9
    # 6 400 training rows of 60 features; the data themselves and a few numbers a row are another 1 MB.
    assert peak < 0.8 * 8 * 6_400 * 60


def test_the_exact_classifier_is_scikit_learns():
    data, kernel = nv.load("breast_cancer"), nv.Gaussian(5.0)
    found = trial(data.X, data.y, kernel, TrialSetting("classification", "svm"), EXACT, 1, 0)
    train, test = split(data.n, 0)
    peer = SVC(C=found.penalty, gamma=kernel.gamma).fit(data.X[train], data.y[train])
    assert found.score == pytest.approx(peer.score(data.X[test], data.y[test]), abs=1e-12)


def test_the_bandwidth_that_suits_the_data_is_chosen():
    x = np.random.default_rng(0).uniform(0, 1, (400, 1))
    y = np.sin(25 * x[:, 0])
    setting = TrialSetting("regression", multiples=(1e-3, 0.05, 1000.0))
    found = trial(x, y, nv.Gaussian.from_width(1.0), setting, "uniform", 60, 0)
    fixed = trial(x, y, nv.Gaussian.from_width(1000.0), TrialSetting("regression"), "uniform", 60, 0)
    assert found.multiple < 1000.0 and found.score < 0.01 < fixed.score


def test_the_paired_test_is_scipys():
    from scipy.stats import ttest_rel

    a, b = RNG.standard_normal(10), RNG.standard_normal(10) + 0.8
    found, peer = paired_test(a, b), ttest_rel(a, b)
    assert (found.t, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    interval = peer.confidence_interval(0.95)
    assert found.difference - found.half_width == pytest.approx(interval.low)
    assert found.significant == (peer.pvalue < 0.05)


@pytest.mark.parametrize("method", ["uniform", EXACT])
def test_features_that_are_all_zero_leave_the_mean(method):
    y, setting = RNG.standard_normal(30), TrialSetting("regression", "ridge")
    train, test = split(30, 0)
    found = trial(np.zeros((30, 2)), y, nv.Linear(), setting, method, 5, seed=0)
    expected = np.square(y[test] - y[train].mean()).mean() / y[train].var()
    assert found.score == pytest.approx(expected, rel=1e-9)


def test_rows_far_from_every_landmark_can_be_learned_from():
    # Some folds train on rows whose features are all 0.
    X, y = RNG.standard_normal((30, 2)), np.arange(30) % 2
    found = trial(X, y, nv.Gaussian(1e-150), TrialSetting("classification", "ridge"), "uniform", 2, seed=0)
    assert 0.0 <= found.score <= 1.0
