"""Approximations and errors at every number of landmarks, from one factor."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS, Selection
from nysviz.landmarks.nystroem import safe_cholesky
from nysviz.nystroem.curves import errors_of, nested_quantization, residual_frobenius
from nysviz.nystroem.nested import nested
from tests import naive

X = np.random.default_rng(0).standard_normal((300, 4))
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)


@pytest.mark.parametrize("pivots", [[4, 9, 30, 2, 17], [4, 4, 9, 4, 30, 9]])
def test_leading_columns_of_the_nested_factor(pivots):
    made = nested(KernelMatrix(X, KERNEL), Selection(pivots=np.array(pivots)))
    factor, columns = made.factor, made.columns
    for t in range(1, len(pivots) + 1):
        expected = naive.nystroem_of_pivots(K, sorted(set(pivots[:t])))
        leading = factor[:, : columns[t - 1]]
        assert columns[t - 1] == len(set(pivots[:t]))
        np.testing.assert_allclose(leading @ leading.T, expected, atol=1e-10)


def smooth(name):
    """Rows whose kernel matrix is nearly singular: few dimensions, or rows that nearly repeat."""
    rng = np.random.default_rng(0)
    if name == "near twins":
        return np.repeat(rng.standard_normal((60, 2)), 4, axis=0) + 1e-4 * rng.standard_normal((240, 2))
    return rng.standard_normal((200, {"line": 1, "plane": 2}[name]))


def smooth_line(seed):
    """Rows of one dimension under a wide kernel, with a seed of the landmarks and their number."""
    return np.random.default_rng(seed).standard_normal((60, 1)), nv.Gaussian(2.0), 0, 9


def hard_line():
    """Rows, kernel, seed and number of landmarks for which pivots say the least of the eigenvalues of W."""
    rng = np.random.default_rng(12551)
    rows = rng.standard_normal((rng.integers(20, 80), 1))
    kernel = nv.Gaussian(10 ** rng.uniform(-0.3, 0.5))
    return rows, kernel, 12551, int(rng.integers(6, 14))


ILL = [smooth_line(385), smooth_line(2990), hard_line()]


@pytest.mark.parametrize("name, times", [("line", 1.0), ("plane", 4.0), ("near twins", 0.25)])
def test_every_number_of_landmarks_has_the_approximation_of_its_own(name, times):
    """Where W is nearly singular, a factor in the order of the landmarks alone would amplify rounding."""
    rows = smooth(name)
    kernel = nv.Gaussian.from_width(times * nv.default_width(rows))
    ms = [len(rows) * percent // 100 for percent in (5, 10, 20, 35, 50, 75, 100)]
    for method in ("uniform", "column_norm", "kmeanspp"):
        curve = nv.error_curve(rows, kernel, method, ms, seed=1)
        matrix = kernel(rows)
        for m, error in zip(ms, curve, strict=True):
            a = nv.approximate(rows, kernel, method, m, seed=1)
            single = residual_frobenius(matrix, a.factor)
            assert error == pytest.approx(single, rel=1e-3, abs=1e-9 * np.linalg.norm(matrix))
        if method != "column_norm":  # it draws rows twice, and never all of them
            assert curve[-1] < 1e-8 * np.linalg.norm(matrix)


@pytest.mark.parametrize("name", ["line", "near twins"])
def test_beyond_what_is_sure_the_eigenpairs_of_w_decide(name):
    rows = smooth(name)
    kernel = nv.Gaussian.from_width(nv.default_width(rows))
    full = KernelMatrix(rows, kernel)
    selection = METHODS["uniform"].select(full, len(rows), np.random.default_rng(1))
    found = nested(full, selection)
    assert 0 < found.sure < len(rows)
    ms = (found.sure, found.sure + 1, len(rows))
    for m, error in zip(ms, errors_of(full.full(), found, ms), strict=True):
        pivots = selection.pivots[:m]
        W = full.full()[np.ix_(pivots, pivots)]
        assert (safe_cholesky(W) is None) == (m > found.sure)
        assert found.at(m).shape[1] == found.rank(m) <= m
        assert error == pytest.approx(np.linalg.norm(full.full() - found.at(m) @ found.at(m).T), rel=1e-6)


def test_the_errors_of_the_factor_in_order_do_not_rise():
    """Pivots above rounding are not enough: those of nearly singular W may all be."""
    for X, kernel, seed, _ in (*ILL, *(smooth_line(seed) for seed in range(20))):
        full = KernelMatrix(X, kernel)
        selection = METHODS["uniform"].select(full, len(X), np.random.default_rng(seed))
        factor = nested(full, selection).factor
        errors = [np.linalg.norm(full.full() - factor[:, :t] @ factor[:, :t].T) for t in range(1, 20)]
        assert (np.diff(errors) <= 0.05 * np.array(errors[:-1])).all()
        # No entry of the diagonal is exceeded but by rounding.
        assert np.einsum("ij,ij->i", factor, factor).max() < 1 + 1e-2


@pytest.mark.parametrize("X, kernel, seed, m", ILL)
def test_ill_conditioned_landmarks_have_no_smaller_error_than_exact_arithmetic(X, kernel, seed, m):
    a = nv.approximate(X, kernel, "uniform", m, seed=seed)
    found = nv.errors(X, kernel, a)
    least = naive.exact_gaussian_error(X, a.landmarks, kernel.sigma)
    assert found.frobenius > 0.999 * least
    assert found.trace > 0.999 * found.frobenius
    # What is kept of W is what the definition keeps of it, and a note says so.
    K = kernel(X)
    plain = np.linalg.norm(K - naive.nystroem_of_pivots(K, a.pivots))
    assert found.frobenius == pytest.approx(plain, rel=1e-2)
    assert a.rank < m and a.notes[0].startswith(f"Rank {a.rank} of {m} is kept")
    curve = nv.error_curve(X, kernel, "uniform", range(1, m + 1), seed=seed)
    for t, error in enumerate(curve, start=1):
        single = nv.errors(X, kernel, nv.approximate(X, kernel, "uniform", t, seed=seed)).frobenius
        assert error == pytest.approx(single, rel=1e-2)


RNG = np.random.default_rng(2)
SIZE = np.linalg.norm(K)


def test_small_residuals_are_not_left_to_float32():
    factor = nv.approximate(X, KERNEL, "rpcholesky", 250).factor
    plain = np.linalg.norm(K - factor @ factor.T)
    assert plain < 1e-4 * SIZE
    assert residual_frobenius(K, factor, size=SIZE) == pytest.approx(plain, rel=1e-6)


def test_nested_quantization_far_from_the_middle():
    stamps = np.array([[0.0], [1e9], [1e9 + 1], [1e9 + 2], [1e9 + 3]])
    assert list(nested_quantization(stamps, stamps)[1:]) == [14, 5, 1, 0]
    rows = np.vstack([np.zeros((3, 2)), 1.6e9 + 3.0 * RNG.standard_normal((300, 2))])
    landmarks = rows[RNG.permutation(303)[:20]]
    landmarks[0] = 0.0
    gaps = np.minimum.accumulate(cdist(rows, landmarks, "sqeuclidean"), axis=1)
    np.testing.assert_allclose(nested_quantization(rows, landmarks), gaps.sum(axis=0), rtol=1e-9)
