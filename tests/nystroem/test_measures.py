import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import machine, memory
from nysviz.nystroem.curves import nested_errors
from nysviz.nystroem.measures import exact, matrix_norms, residual_diagonal, row_errors, sampled_errors
from tests import naive
from tests.landmarks.test_registry import Counted
from tests.pairing import KERNELS, pairs

X = np.random.default_rng(0).standard_normal((70, 3))
MS = [1, 7, 20]


def check_errors(found, K, approximation):
    rest = K - approximation
    for norm, order in (("frobenius", "fro"), ("spectral", 2), ("trace", "nuc")):
        expected, whole = np.linalg.norm(rest, order), np.linalg.norm(K, order)
        assert getattr(found, norm) == pytest.approx(expected, rel=1e-7, abs=1e-12 * whole)
        assert getattr(found, f"relative_{norm}") == pytest.approx(expected / whole, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("method, kernel", pairs(nv.METHODS))
def test_errors_are_dense_norms(method, kernel):
    a = nv.approximate(X, kernel, method, 6, seed=1)
    K = kernel(X)
    check_errors(nv.errors(X, kernel, a), K, a.factor @ a.factor.T)
    check_errors(nv.errors(X, kernel, a, K=K), K, a.factor @ a.factor.T)


def test_a_spectral_norm_that_lanczos_does_not_find_is_lapack_s_or_refused():
    rows = nv.load("iris").X
    kernel = nv.Gaussian(nv.Gaussian.from_width(nv.default_width(rows)).sigma / 16)
    a = nv.approximate(rows, kernel, "svd", 60)
    check_errors(nv.errors(rows, kernel, a), kernel(rows), a.factor @ a.factor.T)
    operator = matrix_norms.as_operator(KernelMatrix(rows, kernel, kernel(rows)), a.factor)
    with pytest.raises(ValueError, match=r"^The spectral norm is not found to a relative 1e-08, .*tolerance"):
        matrix_norms.spectral_norm(operator)
    largest = naive.descending_eigh(kernel(rows))[0][60]
    assert matrix_norms.spectral_norm(operator, 1e-4) == pytest.approx(largest, rel=1e-4)


def test_errors_in_blocks_are_the_same(monkeypatch):
    kernel = KERNELS[1]
    a = nv.approximate(X, kernel, "uniform", 6)
    monkeypatch.setattr(matrix_norms, "RESIDUAL_ROWS", 10)
    monkeypatch.setattr("nysviz.kernels.matrix.rows_per_block", lambda n, columns: 16)
    monkeypatch.setattr(exact, "residual", None)
    check_errors(nv.errors(X, kernel, a), kernel(X), a.factor @ a.factor.T)


@pytest.mark.parametrize("room", [1, 2], ids=["one matrix fits", "two matrices fit"])
def test_the_kernel_is_evaluated_once_where_one_matrix_fits(room, monkeypatch):
    kernel = Counted(KERNELS[1].sigma)
    K, a = KERNELS[1](X), nv.approximate(X, kernel, "uniform", 6)
    kernel.filled.clear()
    monkeypatch.setattr(memory, "most_bytes", lambda: room * 8 * 70 * 70)
    # The diagonal of the residual takes entries of its own.
    monkeypatch.setattr(exact, "trace_error", lambda *_: np.trace(K - a.factor @ a.factor.T))
    check_errors(nv.errors(X, kernel, a), K, a.factor @ a.factor.T)
    # And a diagonal or two.
    assert 70 * 70 <= sum(kernel.filled) < 1.1 * 70 * 70


def test_a_matrix_at_hand_is_used_and_left_as_it_is_where_no_other_fits(monkeypatch):
    kernel = Counted(KERNELS[1].sigma)
    K, a = KERNELS[1](X), nv.approximate(X, kernel, "uniform", 6)
    kernel.filled.clear()
    before, approximation = K.copy(), a.factor @ a.factor.T
    monkeypatch.setattr(exact, "trace_error", lambda *_: np.trace(before - approximation))
    monkeypatch.setattr("nysviz.kernels.matrix.rows_per_block", lambda n, columns: 16)
    for room in (2, 1, 0):
        monkeypatch.setattr(memory, "most_bytes", lambda room=room: room * 8 * 70 * 70)
        check_errors(nv.errors(X, kernel, a, K=K), before, approximation)
        np.testing.assert_array_equal(K, before)
    # Diagonals alone.
    assert max(kernel.filled) == 70


def test_whether_there_is_a_nuclear_norm_does_not_depend_on_the_free_memory(monkeypatch):
    K, a = KERNELS[0](X), nv.approximate(X, KERNELS[0], "rff", 6)
    for rows, free in itertools.product((69, 70), (0, 2**40)):
        monkeypatch.setattr(machine, "limit_bytes", lambda rows=rows: 8 * rows**2 / memory.MATRIX_SHARE + 1)
        monkeypatch.setattr(machine, "free_bytes", lambda free=free: free)
        found = nv.errors(X, KERNELS[0], a).trace
        assert found == pytest.approx(np.linalg.norm(K - a.factor @ a.factor.T, "nuc")) or rows == 69
        assert np.isnan(found) == (rows == 69)


@pytest.mark.parametrize("change", ["longer", "turned"])
def test_an_approximation_that_is_not_below_the_matrix_has_all_its_nuclear_norm(change, monkeypatch):
    """Longer rows show in the diagonal; of rows turned round, K̃ has the diagonal of K, and entries apart."""
    kernel = KERNELS[0]
    K, a = kernel(X), nv.approximate(X, kernel, "icd", 70)
    signs = 1.0 + 1e-6 * (np.arange(70) < 9) if change == "longer" else (-1.0) ** np.arange(70)
    a = replace(a, rows=signs[:, None] * a.factor)
    rest = K - a.factor @ a.factor.T
    assert a.residual_is_psd and np.linalg.eigvalsh(rest).min() < -1e-7
    check_errors(nv.errors(X, kernel, a), K, a.factor @ a.factor.T)
    np.testing.assert_allclose(residual_diagonal(X, kernel, a), abs(np.diag(rest)), atol=1e-14)
    assert residual_diagonal(X, kernel, a).sum() <= np.linalg.norm(rest, "nuc")
    if change == "longer":
        assert np.isnan(sampled_errors(X, kernel, a).trace)
    monkeypatch.setattr(exact, "NUCLEAR_ROWS", 69)
    found = nv.errors(X, kernel, a)
    assert np.isnan(found.trace) and np.isnan(found.relative_trace)


@pytest.mark.parametrize("method, kernel", [("icd", KERNELS[0]), ("uniform", KERNELS[4])])
def test_of_three_norms_the_nuclear_one_is_the_largest_even_where_all_is_rounding(method, kernel):
    found = nv.errors(X, kernel, nv.approximate(X, kernel, method, 70))
    assert found.trace >= found.frobenius >= found.spectral * (1 - 1e-7)


def test_errors_ask_before_they_make_a_factor_that_is_not_held(monkeypatch):
    monkeypatch.setattr(memory, "HELD_BYTES", 0)
    a = nv.approximate(X, KERNELS[0], "uniform", 6)
    monkeypatch.setattr(memory, "call_bytes", lambda: 8 * 70 * 6 - 1)
    with pytest.raises(
        ValueError, match=r"^errors holds the factor, .* take nysviz.nystroem.measures.sampled_errors"
    ):
        nv.errors(X, KERNELS[0], a)
    monkeypatch.setattr(memory, "call_bytes", lambda: 8 * 70 * 6)
    check_errors(nv.errors(X, KERNELS[0], a), KERNELS[0](X), a.factor @ a.factor.T)


@pytest.mark.parametrize("method", ["uniform", "kmeans", "svd", "rff"])
def test_row_errors_make_up_the_frobenius_error(method, monkeypatch):
    """‖K − K̃‖² is the sum over rows; each method's rows against the dense matrix."""
    K, a = KERNELS[0](X), nv.approximate(X, KERNELS[0], method, 6)
    monkeypatch.setattr("nysviz.numerics.factor_rows.rows_per_block", lambda n, columns: 16)
    found, sizes = row_errors(X, KERNELS[0], a), np.linalg.norm(K, axis=1)
    np.testing.assert_allclose(found, np.linalg.norm(K - a.factor @ a.factor.T, axis=1) / sizes, atol=1e-12)
    total = np.sqrt(((found * sizes) ** 2).sum() / (sizes**2).sum())
    assert nv.errors(X, KERNELS[0], a).relative_frobenius == pytest.approx(total, abs=1e-12)
    np.testing.assert_allclose(row_errors(X, KERNELS[0], a, np.array([60, 3])), found[[60, 3]], atol=1e-12)


@pytest.mark.parametrize("method, kernel", pairs(nv.METHODS))
def test_error_curve_is_one_run_after_the_other(method, kernel):
    K = kernel(X)
    runs = [nv.approximate(X, kernel, method, m, seed=3) for m in MS]
    expected = [np.linalg.norm(K - a.factor @ a.factor.T) for a in runs]
    curve = nv.error_curve(X, kernel, method, MS, seed=3)
    np.testing.assert_allclose(curve, expected, rtol=1e-5, atol=1e-11 * np.linalg.norm(K))


@pytest.mark.parametrize("method", ["icd", "kmeanspp"])
def test_error_curve_beyond_the_last_pivot(method):
    """Three distinct rows have rank 3: every m from there on has the same error."""
    rows = np.repeat(X[:3], 4, axis=0)
    curve = nv.error_curve(rows, KERNELS[0], method, [1, 2, 3, 4, 12])
    norm = np.linalg.norm(KERNELS[0](rows))
    assert curve[0] > curve[1] > 1e-3 * norm
    assert (curve[2:] < 1e-12 * norm).all()


def test_nested_errors_where_the_identity_cancels():
    """Singular values over fifteen decades: below 1e-8 the identity has no digit left."""
    n, r = 40, 30
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    eigenvalues = 10.0 ** -np.arange(0, n / 2, 0.5)
    factor = Q[:, :r] * np.sqrt(eigenvalues[:r])
    K = (Q * eigenvalues) @ Q.T
    tails = np.sqrt(np.cumsum((eigenvalues**2)[::-1])[::-1])
    expected = tails[: r + 1]
    np.testing.assert_allclose(nested_errors(K, factor), expected, rtol=1e-4, atol=2e-15)
    some = [0, 3, 17, 17, 24, 30]
    np.testing.assert_allclose(nested_errors(K, factor, ranks=some), expected[some], rtol=1e-4, atol=2e-15)
    # The bare identity is far off there, so the comparison above tests the other path.
    squared = (K**2).sum() - 2 * np.einsum("ij,ij->", factor, K @ factor) + ((factor.T @ factor) ** 2).sum()
    assert abs(np.sqrt(abs(squared)) - expected[-1]) > 1e-10


@pytest.mark.parametrize("m, shift", [(1, 0.0), (9, 1e5)])
def test_quantization_error(m, shift, monkeypatch):
    Z = np.random.default_rng(1).standard_normal((m, 3)) + shift
    expected = cdist(X + shift, Z, "sqeuclidean").min(axis=1).sum()
    assert nv.quantization_error(X + shift, Z) == pytest.approx(expected, rel=1e-9)
    monkeypatch.setattr("nysviz.landmarks.nearest.rows_per_block", lambda n, columns: 16)
    assert nv.quantization_error(X + shift, Z) == pytest.approx(expected, rel=1e-9)
