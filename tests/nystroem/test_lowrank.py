import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import nysviz as nv
from nysviz.numerics import memory
from nysviz.nystroem.lowrank import LowRank
from tests import naive

X = np.random.default_rng(0).standard_normal((80, 4))
NEW = np.random.default_rng(1).standard_normal((9, 4))
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)


def point_kernel(x, y):
    return naive.gaussian(x, y, KERNEL.sigma)


def columns(a):
    """E and W of an approximation, with the rescaling of its columns."""
    weights = np.ones(len(a.landmarks)) if a.weights is None else a.weights
    E = KERNEL(X, a.landmarks) * weights
    return E, KERNEL(a.landmarks) * np.outer(weights, weights)


# Sixty columns drawn with replacement are certain to repeat.
@pytest.fixture(params=["uniform", "column_norm", "kmeans", "rpcholesky", "column_norm 60"])
def a(request):
    method, _, m = request.param.partition(" ")
    return nv.approximate(X, KERNEL, method, int(m or 15), seed=2)


@pytest.mark.parametrize("k", [None, 4])
def test_both_forms_of_eigenpairs(a, k):
    values, vectors = a.eigh(k)
    expected, exact = naive.descending_eigh(naive.nystroem(*columns(a)))
    count = a.rank if k is None else k
    np.testing.assert_allclose(values, expected[:count], atol=1e-9 * expected[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
    if k is not None:
        np.testing.assert_allclose(np.abs(np.sum(vectors * exact[:, :k], axis=0)), 1, atol=1e-9)
    values, vectors = a.eigh(k, form="extension")
    expected, exact = naive.extension(*columns(a), a.weights is not None)
    expected, exact = expected[:k], exact[:, :k]
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    signs = np.sign(np.sum(vectors * exact, axis=0))
    np.testing.assert_allclose(vectors * signs, exact, atol=1e-6)


@pytest.mark.parametrize("how", ["best", "landmark"])
def test_truncations(a, how):
    E, W = columns(a)
    for d in (4, 100):
        best = naive.best_of_rank(naive.nystroem(E, W), d)
        expected = best if how == "best" else naive.landmark_truncation(E, W, d)
        short = a.truncate(d, how)
        assert short.rank == min(d, a.rank)
        np.testing.assert_allclose(short.factor @ short.factor.T, expected, atol=1e-8)
        np.testing.assert_allclose(short.transform(X), short.factor, atol=1e-6)


@pytest.mark.parametrize("shift, shape", [(1e-3, (80, 3)), (50.0, (80,))])
def test_solve_is_woodbury(a, shift, shape):
    b = np.random.default_rng(0).standard_normal(shape)
    expected = np.linalg.solve(naive.nystroem(*columns(a)) + shift * np.eye(80), b)
    np.testing.assert_allclose(a.solve(b, shift), expected, rtol=1e-7, atol=1e-7 / shift)


@pytest.mark.parametrize("method, m", [("ensemble", 12), ("rff", 60)])
def test_a_factor_with_more_columns_than_rows_is_worked_with_on_the_smaller_side(monkeypatch, method, m):
    a = nv.approximate(X, KERNEL, method, m)
    assert a.factor.shape[1] > len(X)
    # GᵀG, with its square of the columns, is never formed.
    monkeypatch.setattr(LowRank, "gram", None)
    whole = a.factor @ a.factor.T
    for d in (1, 7, 30):
        short = a.truncate(d)
        assert short.factor.shape == (len(X), d)
        expected = naive.best_of_rank(whole, d)
        np.testing.assert_allclose(short.factor @ short.factor.T, expected, atol=1e-12 * len(X))
        np.testing.assert_allclose(short.transform(X), short.factor, atol=1e-9)
        # There is no single W to cut at.
        np.testing.assert_array_equal(a.truncate(d, how="landmark").factor, short.factor)
    b = np.random.default_rng(1).standard_normal((len(X), 2))
    for shift in (1e-3, 50.0):
        expected = np.linalg.solve(whole + shift * np.eye(len(X)), b)
        np.testing.assert_allclose(a.solve(b, shift), expected, rtol=1e-8, atol=1e-8 / shift)


def test_transform_gives_the_factor_and_the_kernel(a):
    np.testing.assert_allclose(a.transform(X), a.factor, atol=1e-8)
    Z = a.landmarks
    new = a.transform(NEW)
    expected = naive.features(point_kernel, Z, NEW) @ naive.features(point_kernel, Z, X).T
    np.testing.assert_allclose(new @ a.factor.T, expected, atol=1e-8)
    # Proposition 1 of Zhang 2008: exact where both points are landmarks.
    at_landmarks = a.transform(Z)
    np.testing.assert_allclose(at_landmarks @ at_landmarks.T, KERNEL(Z), atol=1e-9)


def test_rank_zero():
    """The linear kernel of zero rows is a matrix of zeros, which rank 0 reproduces."""
    zeros = np.zeros((7, 2))
    for method in nv.METHODS:
        if not nv.METHODS[method].suits(nv.Linear()):
            continue
        a = nv.approximate(zeros, nv.Linear(), method, 3)
        assert a.rank == 0 and a.notes
        assert a.factor.shape == (7, 0)
        assert a.truncate(2).rank == a.truncate(2, how="landmark").rank == 0
        assert a.eigh()[0].shape == (0,)
        assert a.transform(zeros).shape == (7, 0)
        np.testing.assert_allclose(a.solve(np.ones(7), 2.0), 0.5)
        assert nv.errors(zeros, nv.Linear(), a).frobenius == 0
        assert list(nv.error_curve(zeros, nv.Linear(), method, [1, 3])) == [0, 0]


@pytest.mark.parametrize("method, held", [("kmeans", True), ("kmeans", False), ("ensemble", True)])
def test_a_solution_has_two_digits_or_the_shift_is_refused(method, held, monkeypatch):
    if not held:
        monkeypatch.setattr(memory, "HELD_BYTES", 1)
    a = nv.approximate(X[:16], KERNEL, method, 4, seed=0, **({"experts": 5} if method == "ensemble" else {}))
    # More columns than rows, which are solved for on the other side.
    assert a.is_held == held and (a.factor.shape[1] > 16) == (method == "ensemble")
    # The direction that suffers most: the system is worst conditioned for it.
    (value,), vectors = a.eigh(1)
    b, trace = vectors[:, 0], float((a.factor**2).sum())
    for shift in (1e-300, 1e-18, 1e-15, 5e-14 * trace):
        with pytest.raises(ValueError, match=r"^The shift .* is lost in the rounding of K̃"):
            a.solve(b, shift)
    for shift in (6e-14 * trace, 1e-12 * trace):
        assert np.linalg.norm(a.solve(b, shift) * (value + shift) - b) < 1e-2


@pytest.mark.parametrize("method", ["ensemble", "rff"])
def test_dependent_columns_cost_a_solution_no_digits(method):
    """Wide kernels make many columns of a mixture or of random features nearly dependent."""
    rows = nv.load("digits").X[:300]
    a = nv.approximate(rows, nv.Gaussian.from_width(100 * nv.default_width(rows)), method, 20, seed=0)
    values, vectors = a.eigh(1)
    for shift in (1e-8, 1e-10):
        found = a.solve(vectors[:, 0], shift) * (values[0] + shift)
        uncertain = 4 * np.finfo(float).eps * values[0] / shift
        assert np.linalg.norm(found - vectors[:, 0]) < uncertain


@pytest.mark.parametrize(
    "method, m, held, shift",
    [("kmeans", 9, True, 1e-3), ("ensemble", 12, True, 2.0), ("rff", 60, False, 2.0)],
)
def test_logdet_is_that_of_the_shifted_matrix(method, m, held, shift, monkeypatch):
    if not held:
        monkeypatch.setattr(memory, "HELD_BYTES", 1)
    a = nv.approximate(X, KERNEL, method, m, seed=0)
    expected = np.linalg.slogdet(a.factor @ a.factor.T + shift * np.eye(len(X)))[1]
    assert a.logdet(shift) == pytest.approx(expected, rel=1e-9)


def test_eigenpairs_of_a_mixture_are_no_more_than_the_rank_of_K(monkeypatch):
    rows = np.random.default_rng(0).standard_normal((700, 6)) * 10.0 ** -np.linspace(0.0, 5.0, 6)
    a = nv.approximate(rows, nv.Linear(), "ensemble", 20, seed=0)
    assert a.rank == 60
    values, vectors = a.eigh()
    assert values.shape == (6,) and vectors.shape == (700, 6)
    np.testing.assert_allclose(values, np.linalg.svd(rows, compute_uv=False) ** 2, rtol=1e-5)
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    assert len(nv.approximate(rows, nv.Linear(), "ensemble", 20, seed=0).eigh()[0]) == 6


def test_the_best_truncation_is_never_worse(a):
    """Farahat 2011, section 2: of all rank d matrices it is the nearest to the approximation."""
    full = a.factor @ a.factor.T
    worse = 0
    for d in range(1, 12):
        best, plain = a.truncate(d).factor, a.truncate(d, how="landmark").factor
        gap_best, gap_plain = np.linalg.norm(full - best @ best.T), np.linalg.norm(full - plain @ plain.T)
        assert gap_best <= gap_plain * (1 + 1e-9)
        worse += gap_plain > gap_best * 1.001
    assert worse > 5


def test_right_sides_and_new_points_of_other_types():
    a, b = nv.approximate(X, KERNEL, "kmeans", 9, seed=0), np.arange(80)
    for given in (b, b.tolist(), pd.Series(b, index=range(100, 180))):
        np.testing.assert_array_equal(a.solve(given, 1.0), a.solve(b.astype(float), 1.0))
    for points in (NEW.tolist(), pd.DataFrame(NEW), np.asfortranarray(NEW)):
        np.testing.assert_array_equal(a.transform(points), a.transform(NEW))
    assert a.transform(NEW[:0]).shape == (0, 9)


@pytest.mark.parametrize(
    "kernel, method, m, options, kind",
    [
        (nv.Linear(), "svd", 10, {}, nv.Shortfall.RANK_LOST),
        (nv.Gaussian(20.0), "uniform", 60, {}, nv.Shortfall.RANK_LOST),
        (nv.Linear(), "greedy", 10, {}, nv.Shortfall.ROWS_EXHAUSTED),
        (nv.Gaussian(1.0), "farthest", 150, {}, nv.Shortfall.ROWS_EXHAUSTED),
        (nv.Gaussian(1.0), "diagonal", 60, {}, nv.Shortfall.LANDMARKS_REPEATED),
        (nv.Gaussian(1.0), "dpp", 10, {"steps": 0}, None),
        (nv.Gaussian(1.0), "kmeans", 10, {}, None),
        (nv.Gaussian(1.0), "rpcholesky", 10, {}, None),
        (nv.Gaussian(1.0), "leverage", 10, {"replacement": "without"}, None),
        (nv.Gaussian(0.1), "rpcholesky", 5, {"tolerance": 0.01}, nv.Shortfall.TOLERANCE_MISSED),
    ],
)
def test_a_program_can_test_what_falls_short(kernel, method, m, options, kind):
    a = nv.approximate(nv.load("iris").X, kernel, method, m, **options)
    assert (not a.shortfalls) if kind is None else kind in a.shortfalls
    # Results travel between threads, processes and copies.
    assert pickle.loads(pickle.dumps(a)).shortfalls == copy.deepcopy(a).shortfalls == a.shortfalls


def test_moved_landmarks_say_that_their_start_is_kept():
    # Every row is a landmark already: nothing is left to be moved for.
    X = nv.load("iris").X[:8]
    assert nv.Shortfall.START_KEPT in nv.approximate(X, nv.Gaussian(1.0), "gradient", 8).shortfalls
