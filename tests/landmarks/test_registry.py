"""What every registered method obeys."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.numerics import blocks
from tests import naive
from tests.pairing import KERNELS, pairs

N = 60
X = np.random.default_rng(0).standard_normal((N, 4))
MANY = np.random.default_rng(1).standard_normal((600, 5))  # several blocks of rows
NESTED = [name for name, entry in nv.METHODS.items() if entry.nested]
DATA_DEPENDENT = [name for name, entry in nv.METHODS.items() if entry.data_dependent]
DATA_INDEPENDENT = [name for name in nv.METHODS if name not in DATA_DEPENDENT]


@pytest.fixture(params=list(nv.METHODS))
def method(request):
    return request.param


def run(method, m, rows=X, kernel=KERNELS[0], seed=0):
    return nv.approximate(rows, kernel, method, m, seed)


def same(a, b):
    return (
        np.array_equal(a.factor, b.factor)
        and np.array_equal(a.projection, b.projection)
        and np.array_equal(a.basis, b.basis)
        and a.notes == b.notes
        and a.kernel_evaluations == b.kernel_evaluations
    )


def draws_with_replacement(a):
    return a.weights is not None


def parts(a):
    """How many columns of the factor belong to each m: mixtures have m landmarks a part, waves two phases."""
    if not nv.METHODS[a.method].data_dependent:
        return 2
    return 1 if a.shares is None else len(a.shares)


@pytest.mark.parametrize("method", NESTED)
def test_picks_for_fewer_are_the_first_of_those_for_more(method):
    most = run(method, 40)
    for m in (1, 17, 39):
        fewer = run(method, m)
        if nv.METHODS[method].landmarks_are_data:
            assert np.array_equal(fewer.pivots, most.pivots[:m])
        else:
            np.testing.assert_allclose(np.abs(fewer.factor), np.abs(most.factor[:, :m]), atol=1e-8)


def test_the_seed_decides_and_nothing_else(method):
    first = run(method, 8, MANY, seed=5)
    assert same(first, run(method, 8, MANY, seed=5))
    assert same(first, run(method, 8, MANY, seed=6)) != nv.METHODS[method].random


def test_the_number_of_threads_does_not(method, monkeypatch):
    monkeypatch.setattr(blocks, "cores", lambda: 2)
    two = run(method, 8, MANY)
    in_a_worker = blocks.pool().submit(run, method, 8, MANY).result()
    monkeypatch.setattr(blocks, "cores", lambda: 1)
    assert same(two, in_a_worker)
    assert same(two, run(method, 8, MANY))


def test_landmarks_and_pivots(method):
    m = 12
    a = run(method, m)
    entry = nv.METHODS[method]
    assert entry.landmarks_are_data == (a.pivots is not None)
    assert a.factor.shape[1] <= m * parts(a)
    assert a.rank == min(a.factor.shape)
    assert a.requested == m
    assert a.factor.flags.writeable and a.factor.dtype == np.float64
    if a.landmarks is not None:
        assert a.landmarks.ndim == 2 and a.landmarks.shape[1] == X.shape[1]
        assert 1 <= len(a.landmarks) <= m * parts(a)
    if a.pivots is not None:
        assert a.pivots.dtype == np.intp and a.pivots.shape == (len(a.landmarks),)
        assert a.pivots.min() >= 0 and a.pivots.max() < N
        assert np.array_equal(a.landmarks, X[a.pivots])
        for picks in np.split(a.pivots, parts(a)):
            assert draws_with_replacement(a) or len(set(picks)) == len(picks)


@pytest.mark.parametrize("method, kernel", pairs(nv.METHODS))
def test_the_factor_is_that_of_the_landmarks(method, kernel):
    """Claims f1 and z1: however the factor came about, it is E W⁺ Eᵀ, exact between landmarks."""
    a = run(method, 9, kernel=kernel)
    scale = np.linalg.norm(kernel(X))
    product = a.factor @ a.factor.T
    np.testing.assert_allclose(a.transform(X) @ a.transform(X).T, product, atol=1e-8 * scale)
    if a.landmarks is not None and a.shares is None:
        Z = a.landmarks
        expected = naive.nystroem(kernel(X, Z), kernel(Z))
        assert np.linalg.norm(product - expected) < 1e-8 * scale
        between = a.transform(Z)
        np.testing.assert_allclose(between @ between.T, kernel(Z), atol=1e-10 * scale)


@pytest.mark.parametrize("method, kernel", pairs(DATA_DEPENDENT))
def test_the_residual_is_positive_semidefinite(method, kernel):
    K = kernel(X)
    largest = np.diag(K).max()
    for m in (1, 10, 40):
        a = run(method, m, kernel=kernel)
        assert a.residual_is_psd
        rest = K - a.factor @ a.factor.T
        assert np.diag(rest).min() >= -1e-10 * largest
        assert np.linalg.eigvalsh(rest).min() >= -1e-10 * N * largest


@pytest.mark.parametrize("method, kernel", pairs(nv.METHODS))
def test_no_method_passes_the_floor(method, kernel):
    """Eckart & Young: in the Frobenius, the spectral and the trace norm; ``svd`` is the floor itself."""
    eigenvalues = np.maximum(naive.descending_eigh(kernel(X))[0], 0)
    for m in (2, 12):
        a = run(method, m, kernel=kernel)
        found = nv.errors(X, kernel, a)
        of_three = np.array([found.frobenius, found.spectral, found.trace])
        # A mixture has a larger rank than each of its parts, and random features have two columns each.
        plain = a.shares is None and nv.METHODS[method].data_dependent
        floor = np.array(best_errors(eigenvalues, m if plain else a.rank))
        assert (of_three >= floor * (1 - 1e-7) - 1e-9).all()
        if method == "svd":
            np.testing.assert_allclose(of_three, floor, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("method, kernel", pairs(NESTED))
def test_the_trace_error_never_grows(method, kernel):
    runs = (run(method, m, kernel=kernel) for m in (1, 2, 3, 5, 8, 13, 21, 30))
    traces = np.array([nv.errors(X, kernel, a).relative_trace for a in runs])
    assert (np.diff(traces) <= 1e-10).all()
    assert traces[-1] < 0.9 * traces[0]


@pytest.mark.parametrize("method", NESTED)
def test_short_rows_count_beside_long_ones(method):
    """Three independent rows span the linear kernel, whatever their lengths: no error rises from 0 again."""
    rng = np.random.default_rng(7)
    rows, kernel = X[:40, :3] * 10.0 ** rng.integers(-6, 6, (40, 1)), nv.Linear()
    for seed in range(3):
        curve = nv.error_curve(rows, kernel, method, range(1, 41), seed) / np.linalg.norm(kernel(rows))
        assert (curve[1:] <= curve[:-1] + 1e-7).all()


DEGENERATE = {
    "six distinct rows": (np.repeat(X[:6], 4, axis=0), nv.Gaussian(1.0), 6),
    "all rows equal": (np.full((20, 3), 0.1), nv.Gaussian(1.0), 1),
    "all rows equal, 1/r": (np.full((20, 3), 0.1), nv.InverseDistance(1.0, 0.5), 1),
    "one row": (X[:1], nv.Gaussian(1.0), 1),
    "two equal rows": (X[[0, 0]], nv.Gaussian(1.0), 1),
    "one column": (X[:, :1], nv.Laplacian(1.0), N),
    "a constant column": (np.column_stack([X, np.full(N, 1e3)]), nv.Laplacian(1.0), N),
    "identity": (X, nv.Gaussian(1e-3), N),
    "all ones": (X, nv.Gaussian(1e8), 1),
    "nearly all ones": (X, nv.Gaussian(1e3), N),
    "of rank 2": (X[:, :2], nv.Linear(), 2),
    "with zero rows": (np.vstack([X[:5], np.zeros((5, 4))]), nv.Linear(), 4),
    "far away": (X + 1e7, nv.Laplacian(1.0), N),
    "tiny": (X * 1e-70, nv.Linear(), 4),
    "huge": (X * 1e30, nv.Polynomial(2, 0.0), 10),
}


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("method", DATA_DEPENDENT)
def test_degenerate_data(method, case):
    rows, kernel, true_rank = DEGENERATE[case]
    n = len(rows)
    if not nv.METHODS[method].suits(kernel):
        kernel = nv.Matern(2.5, 1.0)
    for m in sorted({n // 2 + 1, n}):
        a = run(method, m, rows, kernel)
        assert np.isfinite(a.factor).all() and np.isfinite(a.projection).all()
        assert a.factor.shape[1] <= min(m, true_rank) * parts(a)
        assert a.rank >= 1 or kernel.diag(a.landmarks).max() == 0
        assert bool(a.notes) or a.factor.shape[1] == m * parts(a)
        assert all(note.endswith(".") for note in a.notes)
        found = nv.errors(rows, kernel, a)
        relative = np.array([found.relative_frobenius, found.relative_spectral, found.relative_trace])
        assert np.isfinite(relative).all() and (relative >= 0).all() and (relative < 1 + 1e-9).all()
        if m == n and not draws_with_replacement(a):
            assert (relative < 1e-6).all()


@pytest.mark.parametrize("case", ["one row", "all rows equal", "identity", "all ones"])
@pytest.mark.parametrize("method", DATA_INDEPENDENT)
def test_degenerate_data_without_a_look_at_them(method, case):
    """The columns do not depend on the data, so all of them are there and the diagonal is exact."""
    rows, kernel, _ = DEGENERATE[case]
    m = len(rows)
    a = run(method, m, rows, kernel)
    assert a.factor.shape == (len(rows), 2 * m) and a.rank == min(len(rows), 2 * m)
    assert a.landmarks is None and not a.residual_is_psd and a.kernel_evaluations == 0
    np.testing.assert_allclose(a.diagonal(), 1.0, atol=1e-12)
    found = nv.errors(rows, kernel, a)
    assert np.isfinite([found.frobenius, found.spectral, found.trace]).all()


@dataclass(frozen=True)
class Counted(nv.Laplacian):
    """A kernel that notes how many entries it really fills."""

    filled: list = field(default_factory=list)

    def _filler(self, Y):
        fill = super()._filler(Y)

        def noted(X, first, out):
            self.filled.append(out.size)
            fill(X, first, out)

        return noted

    def diag(self, X):
        self.filled.append(len(X))
        return super().diag(X)

    def _symmetric(self, X):
        self.filled.append(-len(X))  # its diagonal is filled twice
        return super()._symmetric(X)


@pytest.mark.parametrize("method", [name for name in nv.METHODS if nv.METHODS[name].suits(nv.Laplacian(1.0))])
def test_kernel_evaluations_are_counted_right(method):
    m, kernel = 9, Counted(1.0)
    a = run(method, m, kernel=kernel)
    # Once a method has formed the whole matrix, what it asks for again is counted but not computed.
    again = (m + 1) * N if sum(kernel.filled) >= N * N else 0
    assert sum(kernel.filled) <= a.kernel_evaluations <= sum(kernel.filled) + again
    np.testing.assert_allclose(a.factor, run(method, m, kernel=nv.Laplacian(1.0)).factor, atol=1e-12)


def test_both_ends_and_every_choice_of_an_option_are_taken(method):
    for option in nv.METHODS[method].options:
        # As NumPy numbers too, which is what a script has from an array of values.
        for value in option.choices or [np.array(end)[()] for end in option.bounds]:
            if method != "dpp" or not isinstance(value, np.integer) or value < 10_000:
                assert nv.approximate(X, nv.Gaussian(1.0), method, 5, **{option.name: value}).rank >= 1
