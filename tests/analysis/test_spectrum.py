import math
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackError

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.analysis.spectrum.gaps import decay, effective_dimension, largest_gaps
from nysviz.analysis.spectrum.operators import distance_bound, operator_distances, smallest_sample
from nysviz.kernels import Gaussian
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.lapack.symmetric import times_vector
from tests import naive

X = np.random.default_rng(0).standard_normal((70, 3))
KERNEL = nv.Gaussian(1.0)
K = KERNEL(X)


@pytest.mark.parametrize("k, at_hand", [(None, True), (1, False), (3.0, False), (70, False)])
def test_spectrum(k, at_hand):
    given = K.copy() if at_hand else None
    values = nv.spectrum(X, KERNEL, k, K=given)
    assert given is None or np.array_equal(given, K)
    expected = naive.descending_eigh(K)[0][: None if k is None else int(k)]
    np.testing.assert_allclose(values, np.maximum(expected, 0), atol=1e-12 * expected[0])
    assert (values >= 0).all() and (np.diff(values) <= 0).all()


@pytest.mark.parametrize("m", [0, 8, 70])
def test_best_errors_are_those_of_the_best_approximation(m):
    rest = K - naive.best_of_rank(K, m)
    expected = [np.linalg.norm(rest, order) for order in ("fro", 2, "nuc")]
    np.testing.assert_allclose(best_errors(nv.spectrum(X, KERNEL), m), expected, atol=1e-11)


def with_eigenvalues(values):
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((len(values), len(values))))[0]
    return (Q * values) @ Q.T


FALLING = {
    "fast": 0.7 ** np.arange(600.0),
    "slow": np.arange(1.0, 601.0) ** -0.5,
    "a multiple eigenvalue": np.r_[3.0, np.full(300, 2.0), np.full(299, 1.0)],
    "low rank": np.r_[np.arange(9.0, 0.0, -1.0), np.zeros(591)],
    "identity": np.ones(600),
    "pairs": np.repeat(0.9 ** np.arange(300.0), 2),
}


@pytest.mark.parametrize("law", FALLING)
@pytest.mark.parametrize("k", [5, 20, 29])
def test_leading_eigenpairs(law, k):
    """Lanczos iterations may miss copies of an eigenvalue; they say so, and LAPACK finds all."""
    expected = FALLING[law]
    A = with_eigenvalues(expected)
    values, vectors = KernelMatrix(np.zeros((len(A), 1)), KERNEL, dense=A).eigenpairs(k)
    np.testing.assert_allclose(values, expected[:k], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-7 * expected[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


@pytest.mark.parametrize("kernel", [Gaussian(1.5), nv.Polynomial(2, 1.0)])
def test_top_of_a_larger_matrix_is_that_of_lapack(kernel):
    rows = np.random.default_rng(3).standard_normal((1600, 5))
    rows[800:] = rows[:800]  # every point twice
    expected = np.linalg.eigvalsh(kernel(rows))[::-1][:40]
    np.testing.assert_allclose(nv.spectrum(rows, kernel, 40), expected, rtol=1e-8, atol=1e-12 * expected[0])


@pytest.mark.parametrize("at_hand", [False, True])
@pytest.mark.parametrize("k, settles", [(1, True), (1, False), (10, True), (40, True), (70, True)])
def test_eigenpairs(k, settles, at_hand, monkeypatch):
    if not settles:
        monkeypatch.setattr("nysviz.numerics.lanczos.eigsh", Mock(side_effect=ArpackError(3)))
    matrix = KernelMatrix(X, KERNEL, dense=K if at_hand else None)
    values, vectors = matrix.eigenpairs(k)
    expected = naive.descending_eigh(K)[0][:k]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12 * expected[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(K @ vectors, vectors * values, atol=1e-12 * expected[0])
    assert matrix.evaluations == len(X) ** 2


def test_lanczos_gives_up_where_lapack_would_be_done(monkeypatch):
    rows = nv.load("diabetes").X
    kernel, n = nv.Gaussian.from_width(nv.default_width(rows) / 256), len(rows)
    multiply = Mock(wraps=times_vector)
    monkeypatch.setattr("nysviz.numerics.lapack.symmetric.times_vector", multiply)
    values, _ = KernelMatrix(rows, kernel).eigenpairs(18)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(kernel(rows))[::-1][:18], rtol=1e-10)
    assert n / 2 < multiply.call_count < 2.5 * n


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


def test_gaps():
    values = np.array([9.0, 4.0, 3.5, 0.5, 0.4, 0.0])
    first, second = largest_gaps(values, 2)
    assert (first.r, first.size, first.ratio) == (1, 5.0, 2.25) and (second.r, second.size) == (3, 3.0)
    assert largest_gaps(np.array([1.0])) == []
    assert math.isinf(largest_gaps(np.array([1.0, 0.0]))[0].ratio)


@pytest.mark.parametrize("ridge", [1e-8, 10.0])
def test_effective_dimension_is_a_trace(ridge):
    expected = np.trace(np.linalg.solve(K + 70 * ridge * np.eye(70), K))
    assert effective_dimension(nv.spectrum(X, KERNEL) / 70, ridge) == pytest.approx(expected, rel=1e-6)


def test_laws_of_decay():
    ranks = np.arange(1.0, 201.0)
    better, other = decay(3.0 * ranks**-1.7)
    assert better.kind == "power" and (better.scale, better.rate) == pytest.approx((3.0, 1.7))
    assert better.explained == pytest.approx(1.0) and other.explained < 0.95
    np.testing.assert_allclose(better(ranks), 3.0 * ranks**-1.7)
    better, other = decay(2.0 * 0.9**ranks)
    assert better.kind == "exponential" and better.factor == pytest.approx(0.9)
    assert better.scale == pytest.approx(2.0) and other.explained < 0.95
    np.testing.assert_allclose(better(ranks), 2.0 * 0.9**ranks)
    assert decay(np.array([1.0, 0.5])) is None
    assert decay(np.ones(20))[0].rate == pytest.approx(0.0)


@pytest.mark.parametrize("n, gap", [(1, 1.0), (10, 0.5), (10_000, 0.01), (10**6, 1e-6)])
def test_smallest_sample_is_the_first_that_satisfies_the_condition(n, gap):
    m = smallest_sample(n, gap)
    assert gap > 3 * distance_bound(n, m)
    assert m == 1 or not gap > 3 * distance_bound(n, m - 1)


@pytest.mark.parametrize("gap", [1e-9, 1e-150])
def test_a_tiny_gap_asks_for_a_number_beyond_all_rounding_and_gets_it_at_once(gap):
    m = smallest_sample(10_000, gap)
    # For t = √(2 ln(2N³)/m) far below 1 the condition is 3t < gap.
    assert m == pytest.approx(2 * math.log(2 * 10_000**3) * 9 / gap**2, rel=1e-8)


def test_distance_of_the_operators_in_an_explicit_feature_space():
    rows = np.random.default_rng(5).standard_normal((40, 3))
    x, y, z = rows.T
    r = math.sqrt(2.0)  # features of (⟨x, y⟩ + 1)²
    Phi = np.c_[x * x, y * y, z * z, r * x * y, r * x * z, r * y * z, r * x, r * y, r * z, np.ones(40)]
    kernel = nv.Polynomial(2, 1.0)
    np.testing.assert_allclose(Phi @ Phi.T, kernel(rows))
    ms = [1, 2, 7, 39, 40]
    found = operator_distances(KernelMatrix(rows, kernel), ms, draws=3, seed=8)
    rng = np.random.default_rng(8)
    for t in range(3):
        picks = rng.permutation(40)
        # ‖L_N − L_m‖ as matrices on this space.
        parts = [Phi[picks[:m]] for m in ms]
        expected = [np.linalg.norm(Phi.T @ Phi / 40 - part.T @ part / len(part)) for part in parts]
        np.testing.assert_allclose(found[t], expected, atol=1e-6 * expected[0])
    np.testing.assert_allclose(found[:, -1], 0, atol=1e-6 * found.max())


def test_mean_squared_distance_is_that_of_a_mean():
    # E‖L_N − L_m‖² = (mean k(x, x)² − ‖K‖²_F/N²)/m with replacement, times (N − m)/(N − 1) without.
    expected = (1.0 - (K**2).mean()) / 10
    matrix = KernelMatrix(X, KERNEL)
    found = operator_distances(matrix, [10], draws=1000) ** 2
    assert found.mean() == pytest.approx(expected * 60 / 69, rel=0.03)


def test_theorem_five_holds_and_what_was_measured_needs_no_matrix():
    matrix = KernelMatrix(X, KERNEL)
    ms = [1, 5, 20, 60]
    found = operator_distances(matrix, ms, draws=100)
    assert (found < distance_bound(70, ms)).all()
    assert matrix.dense is None
    np.testing.assert_allclose(matrix.squares(), (K**2).sum(axis=1))
