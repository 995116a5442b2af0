"""A precomputed kernel: the numbers of the kernel that its matrix came from, and matrices that are none."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import nysviz as nv
from nysviz.nystroem.measures import sampled_errors

RNG = np.random.default_rng(0)
X, NEW = RNG.standard_normal((80, 3)), RNG.standard_normal((15, 3))
KERNEL = nv.Matern(1.5, 1.3)
K = KERNEL(X)
GIVEN = nv.Precomputed(KERNEL(np.concatenate([X, NEW])))
ROWS, NEW_ROWS = GIVEN.indices[:80], GIVEN.indices[80:]
SUITED = [name for name, entry in nv.METHODS.items() if entry.suits(GIVEN)]


def test_only_methods_that_need_points_are_left_out():
    assert set(nv.METHODS) - set(SUITED) == {"kmeans", "kmeanspp_lloyd", "gradient", "rff", "orf"}


@pytest.mark.parametrize("method", SUITED)
def test_each_method_has_the_numbers_of_the_kernel_that_the_matrix_came_from(method):
    a, b = nv.approximate(ROWS, GIVEN, method, 12, seed=3), nv.approximate(X, KERNEL, method, 12, seed=3)
    np.testing.assert_array_equal(a.pivots, b.pivots)
    assert (a.notes, a.kernel_evaluations) == (b.notes, b.kernel_evaluations)
    np.testing.assert_allclose(a.factor @ a.factor.T, b.factor @ b.factor.T, atol=1e-12)
    found, expected = nv.errors(ROWS, GIVEN, a), nv.errors(X, KERNEL, b)
    for norm in ("frobenius", "spectral", "trace"):
        assert getattr(found, norm) == pytest.approx(getattr(expected, norm), rel=1e-9)
    one, other = sampled_errors(ROWS, GIVEN, a, 20), sampled_errors(X, KERNEL, b, 20)
    assert one.relative_frobenius == pytest.approx(other.relative_frobenius, rel=1e-9)
    curves = (nv.error_curve(*pair, method, [3, 12], 3) for pair in ((ROWS, GIVEN), (X, KERNEL)))
    np.testing.assert_allclose(*curves, rtol=1e-9)
    left, right = a.transform(NEW_ROWS), b.transform(NEW)
    np.testing.assert_allclose(left @ left.T, right @ right.T, atol=1e-12)


def test_spectrum_and_recommendation():
    np.testing.assert_allclose(nv.spectrum(ROWS, GIVEN), nv.spectrum(X, KERNEL), atol=1e-12)
    found = nv.recommend(ROWS, GIVEN, target=0.1)
    assert "kmeans" not in [one.method for one in found.candidates] and found.best.meets


def test_all_rows_are_exact_and_cross_validation_cuts_rows_and_columns():
    own = nv.NystroemFeatures("precomputed", landmarks=range(80)).fit(K)
    np.testing.assert_allclose(own.transform(KERNEL(NEW, X)) @ own.transform(K).T, KERNEL(NEW, X), atol=1e-10)
    y, scores = np.sin(X).sum(axis=1), []
    for kernel, rows in (("precomputed", K), (KERNEL, X)):
        machine = make_pipeline(nv.NystroemFeatures(kernel, "icd"), Ridge(1e-3))
        search = GridSearchCV(machine, {"nystroemfeatures__n_components": [3, 20]}, cv=3).fit(rows, y)
        scores.append(search.cv_results_["mean_test_score"])
    np.testing.assert_allclose(*scores, rtol=1e-6)


def test_a_matrix_with_negative_eigenvalues_is_refused_clipped_or_shifted():
    values, vectors = np.linalg.eigh(K)
    values[:5] = [-0.5, -0.2, -0.1, 0.0, 0.0]
    bad = (vectors * values) @ vectors.T
    with pytest.raises(ValueError, match=r"^K is not positive .* from -0\.5 to .*clip.* adds 0\.5 to"):
        nv.Precomputed(bad)
    clipped = nv.Precomputed(bad, "clip").K
    # The nearest positive semidefinite matrix is as far away as the negative eigenvalues are large.
    assert np.linalg.norm(clipped - bad) == pytest.approx(np.sqrt(0.25 + 0.04 + 0.01))
    assert np.linalg.eigvalsh(clipped)[0] > -1e-12
    np.testing.assert_allclose(nv.Precomputed(bad, "shift").K, bad + 0.5 * np.eye(80), atol=1e-12)
    for repair in (None, "clip", "shift"):
        np.testing.assert_array_equal(nv.Precomputed(K, repair).K, K)
    points = nv.Precomputed(K).points()
    np.testing.assert_allclose(points @ points.T, K, atol=1e-13)
    # Of rank 3, and in single precision.
    rows = X.astype(np.float32)
    np.testing.assert_allclose(nv.Precomputed(rows @ rows.T).K, X @ X.T, atol=1e-5)


def test_what_has_no_points():
    for method in ("kmeans", "kmeanspp_lloyd"):
        with pytest.raises(ValueError, match=f"^{method} takes means of points, and a precomputed kernel"):
            nv.approximate(ROWS, GIVEN, method, 5)
    for points in (K, X, GIVEN.indices + 1, GIVEN.indices + 0.5, -ROWS):
        with pytest.raises(ValueError, match=r"^The points of a precomputed kernel are numbers of its rows"):
            nv.approximate(points, GIVEN, "uniform", 5)
    assert nv.Precomputed(K) == nv.Precomputed(K.copy()) != nv.Precomputed(K + np.eye(80))
