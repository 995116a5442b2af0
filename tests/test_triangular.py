import threading

import numpy as np
import pytest

from nysviz.lapack import routines, triangular
from nysviz.lapack.triangular import add_product, solve_in_place, solve_triangular
from tests import naive
from tests.ticking import assert_others_go_on

# The same numbers at other places in memory.
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "block of C": lambda A: np.pad(A, 2, constant_values=np.nan)[2 : 2 + A.shape[0], 2 : 2 + A.shape[1]],
    "block of Fortran": lambda A: LAYOUTS["block of C"](A.T).T,
    "every other": lambda A: np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda A: A[::-1, ::-1].copy()[::-1, ::-1],
}
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (2, 1), (7, 5), (40, 9)]


def _moved_by_a_byte(A):
    memory = np.zeros(A.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(np.float64).reshape(A.shape)
    moved[...] = A
    return moved


LAYOUTS["not aligned"] = _moved_by_a_byte


@pytest.fixture(params=["by address", "by scipy"])
def way(request, monkeypatch):
    """Both ways: the routines' addresses, and what is used where they are not as expected."""
    if request.param == "by scipy":
        monkeypatch.setattr(triangular, "routine", lambda name: None)
    return request.param


def _triangle(m, lower):
    """Well conditioned, with NaN where nothing may be read."""
    rng = np.random.default_rng(m)
    T = rng.uniform(-1, 1, (m, m)) / max(1, m) + np.diag(rng.uniform(1, 2, m))
    T[np.triu_indices(m, 1) if lower else np.tril_indices(m, -1)] = np.nan
    return T


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("m, columns", SHAPES)
def test_substitution_row_by_row_gives_the_same(way, m, columns, lower, transposed):
    T, B = _triangle(m, lower), np.random.default_rng(0).uniform(-1, 1, (m, columns))
    expected = naive.substitution(T.T if transposed else T, B, lower != transposed)
    for of_T, lay_T in LAYOUTS.items():
        for of_B, lay_B in LAYOUTS.items():
            triangle, right = lay_T(T), lay_B(B.copy())
            found = solve_triangular(triangle, right, lower=lower, transposed=transposed)
            np.testing.assert_allclose(found, expected, 1e-12, 1e-14, err_msg=f"{of_T}, {of_B}")
            np.testing.assert_array_equal(right, B)
            solve_in_place(triangle, right, lower, transposed)
            np.testing.assert_allclose(right, expected, 1e-12, 1e-14, err_msg=f"{of_T}, {of_B}")
            np.testing.assert_array_equal(triangle, T)


def test_nothing_beside_the_block_is_written(way):
    for order in "CF":
        whole = np.full((30, 40), 7.0, order=order)
        solve_in_place(_triangle(5, True), whole[3:8, 4:15])
        beside = np.ones(whole.shape, dtype=bool)
        beside[3:8, 4:15] = False
        assert (whole[beside] == 7.0).all() and (whole[~beside] != 7.0).any()


def test_one_right_side_is_one_dimensional(way):
    T, b = _triangle(6, True), np.arange(6)
    found = solve_triangular(T, b)
    assert found.shape == (6,)
    np.testing.assert_allclose(found, naive.substitution(T, b[:, None], True)[:, 0], 1e-12)


def test_triangle_and_right_side_in_one_array(way):
    """Eliminating within one matrix, whose parts lie between each other in memory."""
    A = np.random.default_rng(1).uniform(1, 2, (6, 6))
    T, B = A.copy(), A.copy()
    solve_in_place(A, A)
    np.testing.assert_allclose(A, naive.substitution(np.tril(T), B, True), 1e-9, 1e-12)


def test_zero_on_the_diagonal_is_refused(way):
    with pytest.raises(np.linalg.LinAlgError, match="zero on its diagonal"):
        solve_triangular(np.diag([1.0, 0.0]), np.ones((2, 3)))


@pytest.mark.parametrize("T, B", [((2, 3), (2, 1)), ((2, 2), (3, 1)), ((4,), (4, 1)), ((2, 2), (2, 1, 1))])
def test_shapes_that_do_not_fit_are_refused(way, T, B):
    with pytest.raises(ValueError, match=r"\(m, m\) and \(m, c\) are needed"):
        solve_triangular(np.ones(T), np.ones(B))


def test_only_float64_is_solved_for_in_place(way):
    with pytest.raises(ValueError, match="float32 to be solved for in place; float64 is needed"):
        solve_in_place(np.eye(2), np.ones((2, 1), dtype=np.float32))


def test_what_is_read_only_is_not_written(way):
    right = np.ones((2, 3))
    right.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        solve_in_place(2.0 * np.eye(2), right)
    with pytest.raises(ValueError, match="read-only"):
        add_product(right, np.ones((2, 2)), np.ones((2, 3)))
    assert (right == 1.0).all()


@pytest.mark.parametrize(
    "a, b, c", [(0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 1, 1), (1, 5, 2), (6, 1, 4), (9, 7, 8)]
)
def test_products_are_added_in_place(way, a, b, c):
    rng = np.random.default_rng(0)
    start, left, right = rng.random((a, c)), rng.random((a, b)), rng.random((b, c))
    expected = [
        [start[i, j] - 2.0 * sum(left[i, t] * right[t, j] for t in range(b)) for j in range(c)]
        for i in range(a)
    ]
    for lay_out in LAYOUTS.values():
        for lay_left in LAYOUTS.values():
            for lay_right in LAYOUTS.values():
                out = lay_out(start.copy())
                add_product(out, lay_left(left), lay_right(right), -2.0)
                np.testing.assert_allclose(out, np.reshape(expected, (a, c)), 1e-12, 1e-14)


def test_a_product_of_the_sum_itself(way):
    A = np.random.default_rng(2).random((5, 5))
    expected = A + A.T @ A
    add_product(A, A.T, A)
    np.testing.assert_allclose(A, expected, 1e-13)


@pytest.mark.parametrize(
    "left, right", [((2, 3), (4, 2)), ((3, 3), (3, 2)), ((2, 3), (3, 3)), ((2,), (2, 2))]
)
def test_products_of_other_shapes_are_refused(way, left, right):
    with pytest.raises(ValueError, match="to be added to"):
        add_product(np.ones((2, 2)), np.ones(left), np.ones(right))


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


def test_a_routine_that_is_not_exported_is_none(monkeypatch):
    monkeypatch.setattr(routines.cython_blas, "__pyx_capi__", {})
    assert routines.routine.__wrapped__("dtrsm") is None


def test_other_threads_go_on_while_a_system_is_solved():
    """scipy's own solve_triangular holds them up."""

    def prepare(size):
        triangle, right = np.eye(size), np.zeros((size, size))
        return lambda: solve_in_place(triangle, right)

    assert_others_go_on(prepare, 700)


def test_systems_solved_at_once_do_not_meet():
    rng = np.random.default_rng(0)
    T = np.tril(rng.random((150, 150))) + 10.0 * np.eye(150)
    rights = [rng.random((150, 400)) for _ in range(4)]
    found = [[] for _ in rights]

    def work(k):
        found[k] += [solve_triangular(T, rights[k]) for _ in range(10)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(rights))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for B, solutions in zip(rights, found, strict=True):
        assert len(solutions) == 10
        for X in solutions:
            np.testing.assert_allclose(T @ X, B, 1e-10, 1e-12)
