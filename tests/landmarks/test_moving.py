"""Landmarks moved downhill: the derivative, where the moves end, and what they gain."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels import base
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import moving
from nysviz.landmarks.moving import explained_trace, gradient
from tests import naive
from tests.kernels.test_kernels import twin

CLOUD = np.random.default_rng(0).standard_normal((40, 3))
POINTS = np.random.default_rng(1).standard_normal((6, 3))
SMOOTH = [
    nv.Gaussian(1.3),
    nv.Matern(1.5, 1.4),
    nv.Matern(2.5, 1.4),
    nv.RationalQuadratic(0.7, 1.1),
    nv.Linear(),
    nv.Polynomial(1, 0.0),
    nv.Polynomial(3, 0.5),
    2.5 * nv.Gaussian(1.3),
    0.5 * (nv.Gaussian(1.3) + nv.Polynomial(2, 0.5) * nv.Matern(2.5, 2.0)),
]
ROUGH = [
    nv.Laplacian(1.0),
    nv.Matern(0.5, 1.0),
    nv.InverseDistance(1.0),
    nv.ChiSquared(1.0),
    nv.Gaussian(1.0) + nv.Laplacian(1.0),
    2.0 * nv.Laplacian(1.0),
    base.as_kernel(lambda X, Y: X @ Y.T),
]


def trace_error(a, kernel, X=CLOUD):
    return nv.errors(X, kernel, a).trace


@pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
def test_the_derivative_of_a_kernel_is_that_of_differences(kernel):
    """One of the points is a row, where distances are 0."""
    weights, Z = np.random.default_rng(2).standard_normal((40, 6)), POINTS.copy()
    Z[0] = CLOUD[3]
    expected = naive.derivative(lambda P: np.vdot(weights, kernel(CLOUD, P)), Z, 1e-5)
    found = kernel.gradient(CLOUD, Z, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    # A derivative of distances does not depend on where the origin is.
    if kernel in SMOOTH[:4]:
        np.testing.assert_allclose(kernel.gradient(CLOUD + 1e6, Z + 1e6, weights), found, atol=1e-6)


def test_the_derivative_with_a_width_for_each_feature():
    kernel, weights = nv.PerFeature(nv.Matern, (1.0, 2.0, 0.5), nu=2.5), np.ones((40, 6))
    expected = naive.derivative(lambda P: kernel(CLOUD, P).sum(), POINTS, 1e-5)
    np.testing.assert_allclose(kernel.gradient(CLOUD, POINTS, weights), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
def test_the_explained_trace_and_its_derivative(kernel, monkeypatch):
    # Several blocks of rows, and a ridge with which differences have digits where W is singular.
    monkeypatch.setattr("nysviz.landmarks.moving.rows_per_block", lambda n, columns: 7)
    ridge = 1e-3
    value, slopes = explained_trace(kernel, CLOUD, POINTS, ridge)
    assert float(kernel.diag(CLOUD).sum()) - value == pytest.approx(
        naive.trace_left(twin(kernel), CLOUD, POINTS, ridge), rel=1e-9
    )
    expected = naive.derivative(lambda P: explained_trace(kernel, CLOUD, P, ridge)[0], POINTS, 1e-5)
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


def test_it_ends_where_plain_descent_ends():
    kernel, X = nv.Gaussian(1.0), CLOUD[:15, :2]
    start = nv.approximate(X, kernel, "kmeans", 3, 3)
    end = naive.moved_downhill(twin(kernel), X, start.landmarks, 30)
    a = nv.approximate(X, kernel, "gradient", 3, 3, iterations=500)
    assert trace_error(a, kernel, X) == pytest.approx(naive.trace_left(twin(kernel), X, end), rel=1e-3)
    assert trace_error(a, kernel, X) < 0.97 * trace_error(start, kernel, X)


@pytest.mark.parametrize("start", ["kmeans", "kmeanspp", "uniform"])
@pytest.mark.parametrize("kernel", [nv.Gaussian(1.0), nv.Matern(1.5, 2.0), nv.Polynomial(3, 0.5)], ids=repr)
def test_more_moves_never_have_a_larger_trace_error(kernel, start):
    before = trace_error(nv.approximate(CLOUD, kernel, start, 7, 5), kernel)
    for iterations in (1, 2, 5, 20, 100):
        a = nv.approximate(CLOUD, kernel, "gradient", 7, 5, iterations=iterations, start=start)
        after = trace_error(a, kernel)
        assert after <= before * (1 + 1e-5)
        before = after


HARD = {
    "few distinct rows": (np.repeat(CLOUD[:5], 8, axis=0), nv.Gaussian(1.0), 12),
    "landmarks that nearly coincide": (np.vstack([CLOUD, CLOUD + 1e-9]), nv.Gaussian(1.0), 60),
    "nearly all ones": (CLOUD, nv.Gaussian(30.0), 12),
    "more landmarks than features": (CLOUD, nv.Linear(), 9),
    "a high degree": (10.0 * CLOUD, nv.Polynomial(10, 0.0), 4),
    "huge": (1e20 * CLOUD, nv.Polynomial(3, 0.0), 4),
    "tiny": (1e-70 * CLOUD, nv.Linear(), 2),
    "far away": (CLOUD + 1e6, nv.Gaussian(1.0), 6),
    "all rows zero": (np.zeros((9, 2)), nv.Linear(), 3),
    "one row": (CLOUD[:1], nv.Gaussian(1.0), 1),
}


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("start", ["kmeans", "kmeanspp", "uniform"])
def test_it_is_never_worse_than_its_start(case, start):
    X, kernel, m = HARD[case]
    first, a = nv.approximate(X, kernel, start, m), nv.approximate(X, kernel, "gradient", m, start=start)
    assert np.isfinite(a.landmarks).all() and np.isfinite(a.factor).all()
    assert trace_error(a, kernel, X) <= trace_error(first, kernel, X) + 1e-9 * kernel.diag(X).sum()


def test_a_start_that_cannot_be_mended_is_kept_and_the_notes_say_so():
    for kernel, m, why in (
        (nv.Linear(), 3, "The start leaves less than 1e-08 of tr K: it is kept."),
        (nv.Gaussian(1e-4), 5, "No move lowered the trace error: the start is kept."),
    ):
        start = nv.approximate(CLOUD, kernel, "uniform", m, 2)
        a = nv.approximate(CLOUD, kernel, "gradient", m, 2, start="uniform")
        assert np.array_equal(a.landmarks, start.landmarks) and a.pivots is None and why in a.notes


def test_many_rows_are_judged_by_all_and_moved_by_some(monkeypatch):
    X, kernel = np.random.default_rng(3).standard_normal((900, 2)), nv.Gaussian(1.0)
    whole = trace_error(nv.approximate(X, kernel, "gradient", 10), kernel, X)
    monkeypatch.setattr(moving, "MOST_ROWS", 600)
    K = KernelMatrix(X, kernel)
    found = gradient(K, 10, np.random.default_rng(0))
    a = nv.approximate(X, kernel, "gradient", 10)
    assert np.array_equal(found.points, a.landmarks)
    assert K.evaluations < 2 * 10 * 610 * 60 + 2 * 10 * 910 + 900
    start = trace_error(nv.approximate(X, kernel, "kmeans", 10), kernel, X)
    assert whole < trace_error(a, kernel, X) < start
    # Of a handful of rows the derivative tells nothing about the others.
    monkeypatch.setattr(moving, "MOST_ROWS", 3)
    few = nv.approximate(X, kernel, "gradient", 10)
    assert trace_error(few, kernel, X) <= start * (1 + 1e-12)


@pytest.mark.parametrize("kernel", ROUGH, ids=lambda kernel: kernel.label)
def test_a_kernel_without_a_derivative_is_refused(kernel):
    assert not kernel.is_smooth and not nv.METHODS["gradient"].suits(kernel)
    with pytest.raises(ValueError, match=r"along the derivative of the kernel, and the .* one has none"):
        nv.approximate(np.abs(CLOUD), kernel, "gradient", 4)


def test_similarities_have_no_points_to_be_moved():
    kernel = nv.Precomputed(nv.Gaussian(1.0)(CLOUD))
    for each in (kernel, 2.0 * kernel, kernel + nv.Gaussian(1.0)):
        assert not nv.METHODS["gradient"].suits(each)


# Set, m, multiple of the default width, relative Frobenius error of a trial of twenty lines.
TRIED = [("iris", 10, 1, 0.0141), ("breast_cancer", 20, 1, 0.0606), ("wine", 10, 1, 0.184),
         ("digits", 45, 1, 0.101), ("digits", 45, 4, 0.0083)]  # fmt: skip


@pytest.mark.parametrize("name, m, multiple, tried", TRIED)
def test_a_trial_of_twenty_lines_had_the_same_errors(name, m, multiple, tried):
    """It ends elsewhere from another start: up to 3 % more is the same. K-means and greedy have more."""
    X = nv.load(name).X
    kernel = nv.Gaussian.from_width(multiple * nv.default_width(X))
    error, *others = (
        nv.errors(X, kernel, nv.approximate(X, kernel, method, m)).relative_frobenius
        for method in ("gradient", "kmeans", "greedy")
    )
    assert 0.85 * tried < error < 1.03 * tried
    assert all(error < 0.95 * other for other in others)


def test_inducing_points_are_moved_too():
    X = nv.load("iris").X
    Z = nv.inducing_points(X, 8, "gradient")
    assert Z.shape == (8, 4) and not (Z[:, None] == X).all(axis=2).any()
