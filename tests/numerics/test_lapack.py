"""LAPACK by address: against numpy, definitions, and other threads that go on meanwhile."""

import itertools
import threading
import time
from functools import partial

import numpy as np
import pytest

from nysviz.numerics.lapack import routines, symmetric, triangular
from nysviz.numerics.lapack.symmetric import cholesky, eigh, inverse, solve_by_factor, times_vector
from nysviz.numerics.lapack.triangular import add_product, solve_in_place, solve_triangular

# The same numbers at other places in memory.
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "block of C": lambda A: np.pad(A, 2, constant_values=np.nan)[2 : 2 + A.shape[0], 2 : 2 + A.shape[1]],
    "block of Fortran": lambda A: LAYOUTS["block of C"](A.T).T,
    "every other": lambda A: np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda A: A[::-1, ::-1].copy()[::-1, ::-1],
}
SHAPES = [(0, 3), (3, 0), (1, 1), (7, 5), (40, 9)]


def _moved_by_a_byte(A):
    memory = np.zeros(A.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(np.float64).reshape(A.shape)
    moved[...] = A
    return moved


LAYOUTS["not aligned"] = _moved_by_a_byte


@pytest.fixture(params=["by address", "by scipy and numpy"])
def way(request, monkeypatch):
    """Both ways: the routines' addresses, and what is used where they are not as expected."""
    if request.param != "by address":
        monkeypatch.setattr(triangular, "routine", lambda name: None)
        monkeypatch.setattr(symmetric, "routine", lambda name: None)
    return request.param


def _triangle(m):
    """Well conditioned, with NaN where nothing may be read."""
    rng = np.random.default_rng(m)
    T = rng.uniform(-1, 1, (m, m)) / max(1, m) + np.diag(rng.uniform(1, 2, m))
    T[np.triu_indices(m, 1)] = np.nan
    return T


@pytest.mark.parametrize("n", [0, 1, 5, 90])
def test_products_with_a_symmetric_matrix(way, n):
    rng = np.random.default_rng(n)
    A, x = rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, 2 * n)[::2]
    A = A + A.T
    for lay in LAYOUTS.values():
        np.testing.assert_allclose(times_vector(lay(A), x), [sum(row * x) for row in A], atol=1e-13)


@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("m, columns", SHAPES)
def test_solutions_are_those_of_numpy(way, m, columns, transposed):
    T, B = _triangle(m), np.random.default_rng(0).uniform(-1, 1, (m, columns))
    expected = np.linalg.solve(np.tril(T).T if transposed else np.tril(T), B)
    for of_T, lay_T in LAYOUTS.items():
        for of_B, lay_B in LAYOUTS.items():
            triangle, right = lay_T(T), lay_B(B.copy())
            found = solve_triangular(triangle, right, transposed=transposed)
            np.testing.assert_allclose(found, expected, 1e-12, 1e-14, err_msg=f"{of_T}, {of_B}")
            np.testing.assert_array_equal(right, B)
            solve_in_place(triangle, right, transposed)
            np.testing.assert_allclose(right, expected, 1e-12, 1e-14, err_msg=f"{of_T}, {of_B}")
            np.testing.assert_array_equal(triangle, T)


def test_only_the_block_is_written_also_where_both_sides_lie_in_one_array(way):
    for order in "CF":
        whole = np.full((30, 40), 7.0, order=order)
        solve_in_place(_triangle(5), whole[3:8, 4:15])
        beside = np.ones(whole.shape, dtype=bool)
        beside[3:8, 4:15] = False
        assert (whole[beside] == 7.0).all() and (whole[~beside] != 7.0).any()
    # Eliminating within one matrix, whose parts lie between each other in memory.
    A = np.random.default_rng(1).uniform(1, 2, (6, 6))
    T, B = A.copy(), A.copy()
    solve_in_place(A, A)
    np.testing.assert_allclose(A, np.linalg.solve(np.tril(T), B), 1e-9, 1e-12)


def test_what_cannot_be_is_refused_and_nothing_is_written(way):
    with pytest.raises(np.linalg.LinAlgError, match="zero on its diagonal"):
        solve_triangular(np.diag([1.0, 0.0]), np.ones((2, 3)))
    right = np.ones((2, 3))
    right.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        solve_in_place(2.0 * np.eye(2), right)
    with pytest.raises(ValueError, match="read-only"):
        add_product(right, np.ones((2, 2)), np.ones((2, 3)))
    assert (right == 1.0).all()
    for of in (cholesky, inverse):
        with pytest.raises(np.linalg.LinAlgError):
            of(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("a, b, c", [(0, 2, 3), (2, 0, 3), (1, 1, 1), (9, 7, 8)])
def test_products_are_added_in_place(way, a, b, c):
    rng = np.random.default_rng(0)
    start, left, right = rng.random((a, c)), rng.random((a, b)), rng.random((b, c))
    expected = start - 2.0 * np.einsum("ij,jk->ik", left, right)
    for lay_out in LAYOUTS.values():
        for lay_left in LAYOUTS.values():
            for lay_right in LAYOUTS.values():
                out = lay_out(start.copy())
                add_product(out, lay_left(left), lay_right(right), -2.0)
                np.testing.assert_allclose(out, expected, 1e-12, 1e-14)


def test_the_addresses_are_found():
    """On every platform that is tested; elsewhere slower ways are taken, silently."""
    assert all(routines.routine(name) is not None for name in routines.TAKES)


def test_signatures_of_other_integers_are_refused():
    of_dpotrf = "void (char *, int *, {0} *, int *, int *)"
    assert routines.is_as_expected(of_dpotrf.format("__pyx_t_5scipy_6linalg_13cython_lapack_d"), "cidii")
    assert routines.is_as_expected(of_dpotrf.format("double"), "cidii")
    assert routines.is_as_expected(of_dpotrf.format("d"), "cidii")
    assert not routines.is_as_expected(of_dpotrf.format("float"), "cidii")
    assert not routines.is_as_expected(of_dpotrf.format("d").replace("int", "int64_t"), "cidii")
    assert not routines.is_as_expected(of_dpotrf.format("d"), "cidi")


TICK = 0.002
# Calls that take less say nothing.
LEAST_SECONDS = 0.1
TRIES = 10


def longest_pause(call):
    """Return the longest time in which another thread did not wake up during a call, and the call's time."""
    ticks, awake, over = [], threading.Event(), threading.Event()

    def tick():
        while not over.is_set():
            time.sleep(TICK)
            ticks.append(time.perf_counter())
            awake.set()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        assert awake.wait(60)
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
    finally:
        over.set()
        thread.join()
    moments = [begin, *(moment for moment in ticks if begin < moment < end), end]
    return max(b - a for a, b in itertools.pairwise(moments)), end - begin


SIZES = [0, 1, 2, 9, 60]


def _matrix(n, order="C"):
    A = np.random.default_rng(n).uniform(-1, 1, (n, n + 3))
    return np.array(A @ A.T + 0.1 * np.eye(n), order=order)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", SIZES)
def test_cholesky_is_lower_and_gives_the_matrix_its_inverse_and_solutions(way, n, order):
    A = _matrix(n, order)
    before = A.copy()
    L, found, B = cholesky(A), inverse(A), np.ones((n, 2))
    np.testing.assert_allclose(L @ L.T, A, 1e-10, 1e-13)
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_array_equal(cholesky(A[::-1, ::-1][::-1, ::-1]), L)
    np.testing.assert_allclose(found @ A, np.eye(n), atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(A @ solve_by_factor(L, B), B, 1e-9)
    np.testing.assert_array_equal(A, before)
    assert np.shares_memory(cholesky(A, overwrite=True), A) or not n


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", SIZES)
def test_eigenpairs_are_eigenpairs(way, n, order):
    """A V = V Λ with orthonormal V and ascending Λ is the definition, so no twin is needed."""
    A = _matrix(n, order)
    before = A.copy()
    scale = max(1.0, float(np.abs(A).sum()))
    for largest in [None, *range(1, n + 1, max(1, n // 3))]:
        count = n if largest is None else largest
        values, vectors = eigh(A, largest=largest)
        np.testing.assert_array_equal(A, before)
        assert values.shape == (count,) and vectors.shape == (n, count)
        assert (np.diff(values) >= 0).all()
        np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-13 * scale)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[n - count :], 1e-10)
        own = A.copy(order="K")
        np.testing.assert_array_equal(eigh(own, largest=largest, overwrite=True)[1], vectors)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("k", [1, 3])
def test_no_eigenpair_is_missed_where_all_are_one(way, k, overwrite):
    """A matrix that is all but the identity, centred: LAPACK's bisection finds fewer of its ones than k."""
    for seed in range(5):
        g = np.random.default_rng(seed).normal(size=150)
        A = np.eye(150) - np.outer(g, g) / (g @ g)
        values, vectors = eigh(A.copy(), largest=k, overwrite=overwrite)
        np.testing.assert_allclose(values, np.ones(k))
        np.testing.assert_allclose(A @ vectors, vectors, atol=1e-12)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)


def triangular_system(size):
    triangle, right = np.eye(size), np.zeros((size, size))
    return lambda: solve_in_place(triangle, right)


@pytest.mark.parametrize(
    "prepare, size",
    [
        (triangular_system, 700),
        (lambda size: partial(eigh, _matrix(size)), 500),
        (lambda size: partial(cholesky, _matrix(size)), 500),
    ],
)
def test_other_threads_go_on_meanwhile(prepare, size):
    """A call that holds the interpreter lock, as scipy's own wrappers do, stops them nearly all of its time.

    Of some calls, each as long as it takes to tell, one lets another thread wake up within its middle.
    """
    seen = []
    for _ in range(TRIES):
        pause, seconds = longest_pause(prepare(size))
        if seconds >= LEAST_SECONDS and pause < 0.5 * seconds:
            return
        seen.append(f"{pause:.3f} of {seconds:.3f} s at {size} rows")
        size = int(1.4 * size) if seconds < 4 * LEAST_SECONDS else size
    raise AssertionError(f"Another thread stood still for {', '.join(seen)}.")
