"""Own functions as kernels: taken by every public function, and refused or named where they are no kernel."""

import numpy as np
import pytest
from sklearn.metrics import pairwise

import nysviz as nv
from nysviz.analysis import bounds
from nysviz.analysis.learning import conjugate_gradients, ls_svm
from nysviz.analysis.learning.feature_trial import TrialSetting, trial
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process
from nysviz.analysis.learning.kernel_pca import approximate_embedding, exact_embedding
from nysviz.analysis.learning.leading_subspace import kernel_pairs
from nysviz.analysis.spectrum.operators import operator_distances
from nysviz.analysis.steps import trace
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.nystroem.measures import residual_diagonal, row_errors, sampled_errors
from nysviz.sweep import Problem

X = np.random.default_rng(0).standard_normal((60, 2))
Y, SIGNS, KERNEL = X[:, 0], np.where(X[:, 0] > 0, 1.0, -1.0), nv.Gaussian(1.0)


def gaussian(A, B):
    return pairwise.rbf_kernel(A, B, gamma=KERNEL.gamma)


def grows(A, B):
    return np.exp(0.05 * pairwise.euclidean_distances(A, B, squared=True))


def turned(A, B):
    return gaussian(A, B) + 0.1 * A[:, [0]]


INDEFINITE = {
    "tanh": (np.arange(6.0)[:, None], lambda A, B: np.tanh(2 * A @ B.T - 1)),
    "growing": (X, grows),
    "negative": (X, lambda A, B: -A @ B.T),
    "growing, in a sum": (X, nv.Linear() + grows),
}


# Their own steps take a Cholesky factor of a matrix that is semidefinite with K.
NEED_SEMIDEFINITE = ("rls", "bless", "sketch")
# Of an own function no derivative is known.
OF_ANY = sorted(nv.METHODS.keys() - {"rff", "orf", "gradient", *NEED_SEMIDEFINITE})


def approximated(kernel, method="uniform"):
    return nv.approximate(X, kernel, method, 8)


def matrix(kernel):
    return KernelMatrix(X, kernel)


def fitted_by_landmarks(kernel):
    return nv.NystroemFeatures(kernel, landmarks=X[:5]).fit(X).transform(X) ** 2


# What each returns for an own function, as numbers.
TAKEN = {
    **{
        f"approximate, {method}": lambda k, method=method: approximated(k, method).diagonal()
        for method in ("icd", "kmeans", "svd", "dpp")
    },
    "error_curve": lambda k: nv.error_curve(X, k, "rpcholesky", [2, 8]),
    "errors": lambda k: list(vars(nv.errors(X, k, approximated(k))).values()),
    "sampled_errors": lambda k: sampled_errors(X, k, approximated(k), 20).interval,
    "row_errors": lambda k: row_errors(X, k, approximated(k)),
    "residual_diagonal": lambda k: residual_diagonal(X, a := approximated(k).kernel, approximated(a)),
    "leave_one_out": lambda k: nv.leave_one_out(approximated(k)).frobenius,
    "spectrum": lambda k: nv.spectrum(X, k),
    "inducing_points": lambda k: nv.inducing_points(X, 5, "icd", k),
    "features": fitted_by_landmarks,
    "recommend": lambda k: nv.recommend(X, k, 0.5, methods=["uniform"]).best.m,
    "exact embedding": lambda k: exact_embedding(X, k, 2).values,
    "embedding": lambda k: approximate_embedding(approximated(k), 2).values,
    "kernel_pairs": lambda k: kernel_pairs(matrix(k), 3).values,
    "operator_distances": lambda k: operator_distances(matrix(k), [10, 20], 2, 0),
    "conjugate gradients": lambda k: conjugate_gradients.solve(matrix(k), Y, 0.1, approximated(k)).x,
    "exact process": lambda k: exact_process(X, Y, k, 0.1).evidence,
    "sparse process": lambda k: sparse_process(X, Y, approximated(k), 0.1).evidence,
    "decide": lambda k: ls_svm.decide(ls_svm.train(approximated(k), SIGNS), X, k, X[:7]),
    "trial": lambda k: trial(X, SIGNS, k, TrialSetting("classification"), "uniform", 5, 0).score,
    "steps": lambda k: trace(matrix(k), "icd", steps=4, rng=np.random.default_rng(0)).errors,
    "entry_errors": lambda k: bounds.entry_errors(k, X[:5], X[:9]),
    "change_ratio": lambda k: bounds.change_ratio(k, X[:9], X[9:18], X[1:10], X[8:17]),
    "problem": lambda k: Problem("x", X, k, "x").matrix().full(),
    "sum": lambda k: (KERNEL + k)(X),
    "plot": lambda k: nv.plot.matrices(nv.Dataset.from_arrays("x", X), approximated(k)).data[0].z,
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_an_own_function_is_taken_as_the_kernel_that_it_computes(name):
    np.testing.assert_allclose(TAKEN[name](gaussian), TAKEN[name](KERNEL), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", TAKEN)
def test_a_function_that_is_not_symmetric_is_refused(name):
    with pytest.raises(ValueError, match=r"^The kernel function is not symmetric: k\(x, y\) = .*[.]\Z"):
        TAKEN[name](turned)


def test_rounding_is_not_taken_for_asymmetry_or_negative_eigenvalues():
    def single(A, B):
        return gaussian(A.astype(np.float32), B.astype(np.float32)).astype(np.float64)

    for kernel in (single, gaussian, lambda A, B: (A @ B.T + 1) ** 2):
        for method in ("uniform", "icd", "kmeans", "svd"):
            a = nv.approximate(X, kernel, method, 6)
            assert a.residual_is_psd and not a.is_indefinite, method
        nv.leave_one_out(approximated(kernel))


@pytest.mark.parametrize("method", OF_ANY)
def test_a_function_of_few_digits_gives_finite_numbers(method):
    """Squared distances of rows far from the origin lose most digits, those of k(x, x) among them."""
    rows = np.random.default_rng(0).standard_normal((300, 2)) + 1e5
    a = nv.approximate(rows, gaussian, method, 100)
    assert (
        np.isfinite(a.factor).all() and np.isfinite(list(vars(nv.errors(rows, gaussian, a)).values())).all()
    )


@pytest.mark.parametrize("name", INDEFINITE)
@pytest.mark.parametrize("method", OF_ANY)
def test_a_kernel_that_is_not_semidefinite_is_named_and_measured(name, method):
    rows, kernel = INDEFINITE[name]
    K = kernel(rows, rows)
    a = nv.approximate(rows, kernel, method, 6)
    rest = K - a.factor @ a.factor.T
    assert np.linalg.eigvalsh(rest)[0] < 0 and a.is_indefinite and not a.residual_is_psd
    assert a.notes[-1].startswith("The kernel is not positive semidefinite") and a.truncate(1).is_indefinite
    found = nv.errors(rows, kernel, a)
    for norm, order in (("frobenius", "fro"), ("spectral", 2), ("trace", "nuc")):
        expected, whole = np.linalg.norm(rest, order), np.linalg.norm(K, order)
        assert getattr(found, norm) == pytest.approx(expected, rel=1e-7)
        assert getattr(found, f"relative_{norm}") == pytest.approx(expected / whole, rel=1e-7)
    assert np.isnan(sampled_errors(rows, kernel, a).trace)
    assert np.isnan(conjugate_gradients.condition_bound(KernelMatrix(rows, kernel), a, 1.0))


@pytest.mark.parametrize("method", NEED_SEMIDEFINITE)
def test_a_method_that_cannot_do_without_semidefinite_kernels_says_so(method):
    rows, kernel = INDEFINITE["tanh"]
    for call in (nv.approximate, lambda *of: nv.error_curve(*of[:3], [6])):
        with pytest.raises(ValueError, match=rf"^{method} needs a positive semidefinite kernel, .*[.]\Z"):
            call(rows, kernel, method, 6)


@pytest.mark.parametrize("name, held", [*((name, True) for name in INDEFINITE), ("growing", False)])
def test_what_holds_for_semidefinite_kernels_alone_is_refused(name, held, monkeypatch):
    """Of a factor that is not held, W alone shows it."""
    rows, kernel = INDEFINITE[name]
    if not held:
        monkeypatch.setattr(memory, "HELD_BYTES", 0)
    a, y, K = nv.approximate(rows, kernel, "uniform", 6), rows[:, 0], kernel(rows, rows)
    values = np.linalg.eigvalsh(K)[::-1]
    for call in (
        lambda: nv.leave_one_out(a),
        lambda: sparse_process(rows, y, a, 0.1),
        lambda: exact_process(rows, y, kernel, -values[-1] / 2),
        lambda: bounds.error_bound(rows, kernel, a),
        lambda: bounds.derived_constant(kernel),
    ):
        with pytest.raises(ValueError, match=r"(positive semidefinite|is not known for).*[.]\Z"):
            call()
    np.testing.assert_allclose(nv.spectrum(rows, kernel), values, atol=1e-8)


def test_the_errors_of_a_kernel_that_looks_semidefinite_to_its_landmarks():
    """W of one landmark shows nothing, and no K̃_ii exceeds K_ii: K alone tells, in ``errors``."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    K = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0]])

    def kernel(A, B):
        numbers = [np.abs(rows[:, None] - points).sum(axis=2).argmin(axis=0) for points in (A, B)]
        return K[np.ix_(*numbers)]

    a = nv.approximate(rows, kernel, "icd", 1)
    assert not a.is_indefinite
    assert nv.errors(rows, kernel, a).trace == pytest.approx(4.0)
    assert nv.errors(rows, kernel, a).relative_trace == pytest.approx(4 / 5)
