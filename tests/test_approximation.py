import numpy as np
import pytest

import nysviz as nv
from nysviz import bounds
from nysviz.approximation import factorise
from nysviz.landmarks import Selection
from nysviz.matrix import KernelMatrix
from nysviz.measures import row_errors, sampled_errors
from tests import naive

X = np.random.default_rng(0).standard_normal((60, 3))
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)


def of_pivots(pivots, rows=X, kernel=KERNEL):
    return factorise(KernelMatrix(rows, kernel), Selection(pivots=np.array(pivots)), "uniform", len(pivots))


@pytest.mark.parametrize("pivots", [[7], [3, 50], [5, 1, 44, 20, 59], list(range(60))])
def test_factor_of_pivots(pivots):
    a = of_pivots(pivots)
    np.testing.assert_allclose(a.factor @ a.factor.T, naive.nystroem_of_pivots(K, pivots), atol=1e-7)
    assert np.array_equal(a.landmarks, X[pivots])
    assert list(a.pivots) == pivots
    # Proposition 1 of Zhang 2008: the entries between landmarks are exact.
    among = np.ix_(pivots, pivots)
    np.testing.assert_allclose((a.factor @ a.factor.T)[among], K[among], atol=1e-10)


def test_factor_of_points():
    Z = np.random.default_rng(1).standard_normal((6, 3))
    a = factorise(KernelMatrix(X, KERNEL), Selection(points=Z), "kmeans", 6)
    np.testing.assert_allclose(a.factor @ a.factor.T, naive.nystroem(KERNEL(X, Z), KERNEL(Z)), atol=1e-10)
    assert a.pivots is None and a.landmarks is Z
    assert a.kernel_evaluations == 60 * 6 + 36


def test_repeated_pivots_add_nothing():
    a, without = of_pivots([5, 5, 9, 5, 9]), of_pivots([5, 9])
    np.testing.assert_allclose(a.factor @ a.factor.T, without.factor @ without.factor.T, atol=1e-14)
    assert a.rank == 2 and a.requested == 5
    assert len(a.landmarks) == 5


def test_duplicated_rows_lose_rank_and_say_so():
    rows = np.vstack([X[:5], X[:5]])
    a = of_pivots([0, 5, 1, 6, 2], rows)
    assert a.rank == 3
    assert any(note.startswith("Rank 3 of 5 is kept") for note in a.notes)
    np.testing.assert_allclose(
        a.factor @ a.factor.T, naive.nystroem_of_pivots(KERNEL(rows), [0, 1, 2]), atol=1e-12
    )


def test_wide_bandwidth_keeps_the_rank_that_is_there():
    """The eigenvalues of W fall below rounding: a Cholesky of W would take the square root of noise."""
    kernel = nv.Gaussian(300.0)
    wide = kernel(X)
    a = of_pivots(list(range(40)), kernel=kernel)
    assert a.rank < 40 and a.notes
    assert np.isfinite(a.factor).all()
    assert naive.frobenius(wide - a.factor @ a.factor.T) < 1e-8 * naive.frobenius(wide)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_nothing_depends_on_the_units_of_the_kernel(scale):
    kernel, root = nv.Linear(), np.sqrt(scale)
    plain, scaled = of_pivots([1, 2, 3, 4], kernel=kernel), of_pivots([1, 2, 3, 4], X * root, kernel)
    assert plain.rank == scaled.rank == 3
    np.testing.assert_allclose(
        scaled.factor @ scaled.factor.T / scale, plain.factor @ plain.factor.T, atol=1e-12
    )


def test_a_selection_of_nothing_is_refused():
    with pytest.raises(ValueError, match="neither pivots, points nor a factor"):
        factorise(KernelMatrix(X, KERNEL), Selection(), "uniform", 3)


@pytest.mark.parametrize("kernel", [nv.Laplacian(1.0), nv.Polynomial(2), nv.Linear()])
def test_a_method_made_for_one_kernel_says_so(kernel):
    with pytest.raises(
        ValueError, match=f"rff is made for the Gaussian kernel only, and this is the {kernel.label} one"
    ):
        nv.approximate(X, kernel, "rff", 3)


def test_what_is_recorded():
    a = nv.approximate(X, KERNEL, "icd", 5)
    assert (a.method, a.requested, a.kernel) == ("icd", 5, KERNEL)
    assert a.seconds > 0 and a.notes == ()


def test_a_matrix_at_hand_changes_neither_result_nor_cost():
    for method in nv.METHODS:
        fresh = nv.approximate(X, KERNEL, method, 5)
        matrix = KernelMatrix(X, KERNEL, dense=K)
        for _ in range(2):
            a = nv.approximate(X, KERNEL, method, 5, matrix=matrix)
            np.testing.assert_allclose(a.factor, fresh.factor, atol=1e-9)
            assert a.kernel_evaluations == fresh.kernel_evaluations, method


@pytest.mark.parametrize(
    "X, method, m, options, sentence",
    [
        (X, "kmean", 3, {}, r"Method 'kmean' is not known; choose one of uniform, "),
        (X, "uniform", 3, {"form": "simple"}, r"uniform does not know the option 'form'; it has no options"),
        (X, "rpcholesky", 3, {"iterations": 1}, r"option 'iterations'; its options are form\."),
        (X, "rpcholesky", 3, {"form": "quick"}, r"form = 'quick'; "),
        (X, "uniform", 0, {}, r"m = 0 landmarks of n = 60 rows; a whole number from 1 to 60"),
        (X, "uniform", 61, {}, r"m = 61 landmarks of n = 60 rows"),
        (X, "uniform", -1, {}, r"m = -1 landmarks"),
        (X, "uniform", 2.5, {}, r"m = 2.5 landmarks"),
        (X, "uniform", np.nan, {}, r"m = nan landmarks"),
        (X, "uniform", np.inf, {}, r"m = inf landmarks"),
        (X, "uniform", "3", {}, r"m = '3' landmarks"),
        (X, "uniform", None, {}, r"m = None landmarks"),
        (X, "uniform", True, {}, r"m = True landmarks"),
        (X, "uniform", [[3], [4]], {}, r"m = \[\[3\], \[4\]\] landmarks"),
        (X, ["kmeans"], 3, {}, r"Method \['kmeans'\] is not known; choose one of uniform, "),
        (X, None, 3, {}, r"Method None is not known"),
        (np.empty((0, 3)), "uniform", 1, {}, r"shape \(0, 3\); at least one row and one column"),
        (np.empty((3, 0)), "uniform", 1, {}, r"shape \(3, 0\)"),
        (np.ones(3), "uniform", 1, {}, r"shape \(3,\).*reshape one point.*X\.reshape\(-1, 1\)\.$"),
        (
            np.array([[1.0, np.nan], [1, 2], [np.inf, 0]]),
            "uniform",
            1,
            {},
            r"2 of 3 rows of X hold NaN",
        ),
        (np.array([[1e160], [0.0]]), "uniform", 1, {}, r"values up to 1e\+160, whose squares overflow"),
        (np.array([[-1e160], [0.0]]), "uniform", 1, {}, r"values up to 1e\+160, whose squares overflow"),
    ],
)
def test_bad_input_raises_one_sentence(X, method, m, options, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        nv.approximate(X, KERNEL, method, m, **options)
    assert "\n" not in str(caught.value)
    if not options:
        with pytest.raises(ValueError, match=sentence):
            nv.error_curve(X, KERNEL, method, [m])


def test_a_whole_number_may_come_as_a_float():
    assert nv.approximate(X, KERNEL, "uniform", 3.0).rank == 3
    assert nv.approximate(X, KERNEL, "icd", np.int64(3)).rank == 3


@pytest.mark.parametrize(
    "kernel, sentence",
    [
        ("rbf", r"^kernel = 'rbf' is no kernel of nysviz; give one, such as Gaussian\(1\.0\)\.$"),
        (None, r"^kernel = None is no kernel"),
        (nv.Gaussian, r"^kernel = Gaussian is a class; make a kernel of it, such as Gaussian\(2\)\.$"),
        (nv.Linear, r"^kernel = Linear is a class; make a kernel of it, such as Linear\(\)\.$"),
    ],
)
def test_what_is_no_kernel(kernel, sentence):
    a = nv.approximate(X, KERNEL, "uniform", 3)
    calls = [
        lambda: nv.approximate(X, kernel, "uniform", 3),
        lambda: nv.error_curve(X, kernel, "uniform", [3]),
        lambda: nv.errors(X, kernel, a),
        lambda: nv.spectrum(X, kernel),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=sentence):
            call()


@pytest.mark.parametrize("seed", [1.5, -1, "x"])
def test_what_is_no_seed(seed):
    a = nv.approximate(X, KERNEL, "uniform", 3)
    calls = [
        lambda: nv.approximate(X, KERNEL, "uniform", 3, seed),
        lambda: nv.error_curve(X, KERNEL, "uniform", [3], seed),
        lambda: sampled_errors(X, KERNEL, a, seed=seed),
        lambda: nv.recommend(X, KERNEL, seed=seed),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=rf"^seed = {seed!r}; a whole number from 0 is needed\.$"):
            call()


def other(kernel, columns):
    """An approximation of the same rows with another kernel, or with fewer columns."""
    return nv.approximate(X[:, :columns], kernel, "uniform", 5)


@pytest.mark.parametrize(
    "a, sentence",
    [
        (
            other(nv.Gaussian(9.0), 3),
            r"^The kernel is .* and that of the approximation Gaussian\(sigma=9",
        ),
        (other(KERNEL, 2), r"^X has 3 columns and the approximation 2; give the same X to both\.$"),
    ],
)
def test_an_approximation_of_something_else(a, sentence):
    parts = bounds.parts_of(X, KERNEL, other(KERNEL, 3))
    calls = [
        lambda: nv.errors(X, KERNEL, a),
        lambda: sampled_errors(X, KERNEL, a),
        lambda: row_errors(X, KERNEL, a),
        lambda: bounds.error_bound(X, KERNEL, a),
        lambda: bounds.ladder(X, KERNEL, a),
        lambda: bounds.ladder(X, KERNEL, a, parts=parts),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=sentence):
            call()
    # The same kernel may come as another object.
    assert nv.errors(X, nv.Gaussian(float(KERNEL.sigma)), other(KERNEL, 3)).frobenius > 0
