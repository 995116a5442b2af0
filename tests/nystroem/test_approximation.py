from contextlib import nullcontext
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import Selection, nystroem
from nysviz.numerics import memory
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import factorise
from tests import naive

X = np.random.default_rng(0).standard_normal((60, 3))
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)


def of_pivots(pivots, rows=X, kernel=KERNEL):
    return factorise(KernelMatrix(rows, kernel), Selection(pivots=np.array(pivots)), "uniform", len(pivots))


@pytest.mark.parametrize("sigma", [0.5, 30.0])
def test_rows_handed_out_to_threads_give_the_same_factor(sigma, monkeypatch):
    """The narrow kernel has a safe Cholesky factor, the wide one loses rank."""
    rows, kernel = np.random.default_rng(1).standard_normal((900, 3)), nv.Gaussian(sigma)
    E, W = kernel(rows, rows[:40]), kernel(rows[:40])
    at_once, projection, note = nystroem.nystroem_factor(E, W)
    assert bool(note) == (sigma > 1)
    monkeypatch.setattr(nystroem, "MUCH_WORK", 0.0)
    handed_out, same_projection, _ = nystroem.nystroem_factor(E, W)
    np.testing.assert_allclose(handed_out, at_once, rtol=1e-9, atol=1e-10 * np.abs(at_once).max())
    np.testing.assert_array_equal(projection, same_projection)
    np.testing.assert_allclose(handed_out @ handed_out.T, E @ np.linalg.pinv(W, 1e-12) @ E.T, atol=1e-4)


def test_duplicated_rows_lose_rank_and_say_so():
    rows = np.vstack([X[:5], X[:5]])
    a = of_pivots([0, 5, 1, 6, 2], rows)
    assert a.rank == 3 and a.notes[0].startswith("Rank 3 of 5 is kept")
    expected = naive.nystroem_of_pivots(KERNEL(rows), [0, 1, 2])
    np.testing.assert_allclose(a.factor @ a.factor.T, expected, atol=1e-12)


def test_wide_bandwidth_keeps_the_rank_that_is_there():
    """The eigenvalues of W fall below rounding: a Cholesky of W would take the square root of noise."""
    kernel = nv.Gaussian(300.0)
    wide = kernel(X)
    a = of_pivots(list(range(40)), kernel=kernel)
    assert a.rank < 40 and a.notes
    assert np.isfinite(a.factor).all()
    assert np.linalg.norm(wide - a.factor @ a.factor.T) < 1e-8 * np.linalg.norm(wide)


def test_a_matrix_at_hand_changes_neither_result_nor_cost():
    for method in ("uniform", "kmeans", "greedy", "leverage", "svd"):
        fresh = nv.approximate(X, KERNEL, method, 5)
        matrix = KernelMatrix(X, KERNEL, dense=K)
        for _ in range(2):
            a = nv.approximate(X, KERNEL, method, 5, matrix=matrix)
            np.testing.assert_allclose(a.factor, fresh.factor, atol=1e-9)
            assert a.kernel_evaluations == fresh.kernel_evaluations, method


PIVOTED = [
    ("icd", {}),
    ("rpcholesky", {"form": "simple"}),
    ("rpcholesky", {}),
    ("rpcholesky_block", {}),
    ("greedy", {"form": "dense"}),
    ("greedy", {"form": "lean"}),
    ("partition_greedy", {}),
    ("sgma", {"candidates": 20}),
]


@pytest.mark.parametrize("tolerance", [0.5, 0.1, 1e-3])
@pytest.mark.parametrize("method, options", PIVOTED)
def test_a_pivoted_method_stops_at_the_fewest_landmarks_within_the_tolerance(method, options, tolerance):
    whole = nv.approximate(X, KERNEL, method, 50, 4, **options)
    left = [np.trace(K - naive.nystroem_of_pivots(K, whole.pivots[:t])) / 60 for t in range(51)]
    count = next(t for t, error in enumerate(left) if error <= tolerance)
    a = nv.approximate(X, KERNEL, method, 50, 4, tolerance=tolerance, **options)
    np.testing.assert_array_equal(a.pivots, whole.pivots[:count])
    assert a.requested == a.rank == count < 50 and not a.notes
    assert nv.errors(X, KERNEL, a).relative_trace == pytest.approx(left[count], rel=1e-9)
    np.testing.assert_allclose(a.transform(X), a.factor, atol=1e-7)
    # What is not needed is not computed, but for a block of the pivots or of the steps ahead.
    assert "greedy" in method or a.kernel_evaluations < whole.kernel_evaluations
    few = nv.approximate(X, KERNEL, method, max(1, count - 1), 4, tolerance=tolerance, **options)
    missed = (
        f"The trace error is {left[count - 1]:.2g} of tr K, above the tolerance {tolerance:g}; allow more"
    )
    assert few.notes == () if count == 1 else few.notes[0].startswith(missed)


def test_a_factor_that_is_not_held_stops_with_the_block_that_is_within_the_tolerance(monkeypatch):
    monkeypatch.setattr(memory, "HELD_BYTES", 0)
    rows = np.random.default_rng(0).standard_normal((400, 3))
    a = nv.approximate(rows, KERNEL, "rpcholesky", 300, tolerance=0.01)
    found = nv.errors(rows, KERNEL, a).relative_trace
    assert not a.is_held and 0 < found <= 0.01 and a.requested == len(a.pivots) < 200 and not a.notes
    few = nv.approximate(rows, KERNEL, "rpcholesky", 5, tolerance=0.01)
    assert few.requested == 5 and few.notes[0].startswith("The trace error is 0.")


@pytest.mark.parametrize("method", ["uniform", "kmeans", "rpcholesky", "diagonal"])
def test_inducing_points_are_the_distinct_landmarks(method):
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    a = nv.approximate(X, kernel, method, 12, seed=3)
    # Draws with replacement have repeated some.
    with pytest.warns(match="^Only 1[01] of m = 12") if method == "diagonal" else nullcontext():
        found = nv.inducing_points(X, 12, method, seed=3)
    np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(a.landmarks, axis=0))
    assert len(np.unique(found, axis=0)) == len(found)


@pytest.mark.parametrize("kernel", [None, nv.Laplacian(0.5), nv.Gaussian(0.5).__call__])
@pytest.mark.parametrize("apart", [0.0, 1e-14, 1e-9])
@pytest.mark.parametrize("method", ["kmeans", "uniform", "diagonal", "rpcholesky", "farthest", "dpp"])
def test_inducing_points_never_repeat_so_that_their_kernel_matrix_has_a_cholesky_factor(
    kernel, apart, method
):
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    rows = np.repeat(corners, 20, axis=0) + apart * np.random.default_rng(0).standard_normal((60, 2))
    of_cusp = isinstance(kernel, nv.Laplacian) and apart == 1e-9
    with nullcontext() if of_cusp else pytest.warns(match=r"^Only 3 of m = 6 inducing points .*[.]\Z"):
        Z = nv.inducing_points(rows, 6, method, kernel)
    np.linalg.cholesky(nv.Gaussian(0.5)(Z) if not of_cusp else kernel(Z))
    if not of_cusp:
        np.testing.assert_allclose(np.unique(Z.round(6), axis=0), np.unique(corners, axis=0))


@pytest.mark.parametrize("method", ["kmeans", "uniform", "icd"])
def test_of_equal_rows_there_is_one_inducing_point(method):
    with pytest.warns(match="^Only 1 of m = 4"):
        np.testing.assert_allclose(nv.inducing_points(np.full((9, 2), 7.3), 4, method), [[7.3, 7.3]])


TABLE = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    "given",
    [
        TABLE.tolist(),
        TABLE.astype(int),
        TABLE.astype(np.float32),
        TABLE.astype(object),
        np.array([[Decimal(int(value)) for value in row] for row in TABLE]),
        np.ma.masked_array(TABLE),
        np.asfortranarray(TABLE),
        pd.DataFrame(TABLE),
        pd.DataFrame(TABLE).astype("Int64"),
        sparse.lil_array(TABLE),
    ],
)
def test_what_are_numbers(given):
    rows = checked_rows(given)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, TABLE)
    assert sparse.issparse(rows) or rows.flags.c_contiguous
    # What is right already is not copied.
    assert checked_rows(TABLE) is TABLE
