"""Sparse rows: the linear kernel and every method give what dense rows give; all else is refused."""

import numpy as np
import pytest
from scipy import sparse

import nysviz as nv
from nysviz.analysis.bounds.zhang import radius_of
from nysviz.nystroem.curves import nested_quantization
from nysviz.sweep import Problem

LINEAR = nv.Linear()
FOR_ANY = [name for name, method in nv.METHODS.items() if method.suits(LINEAR)]


def documents(n=60, d=200, seed=0):
    """Counts of words in six topics."""
    rng = np.random.default_rng(seed)
    rates = 0.02 + 0.8 * (rng.random((6, d)) < 0.08)
    return sparse.csr_array(rng.poisson(rates[rng.integers(6, size=n)]).astype(float))


X = documents()
DENSE = X.toarray()


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_matrix])
def test_the_linear_kernel_of_sparse_rows(form):
    K = LINEAR(form(X))
    np.testing.assert_allclose(K, DENSE @ DENSE.T, rtol=1e-13)
    assert isinstance(K, np.ndarray) and np.array_equal(K, K.T)
    assert np.array_equal(K.diagonal(), LINEAR.diag(form(X)))


@pytest.mark.parametrize("left", [X[:20], DENSE[:20]])
@pytest.mark.parametrize("right", [X[30:], DENSE[30:]])
def test_sparse_and_dense_sides_mix(left, right):
    expected = DENSE[:20] @ DENSE[30:].T
    np.testing.assert_allclose(LINEAR(left, right), expected, rtol=1e-13)
    np.testing.assert_allclose(LINEAR.against(right)(left), expected, rtol=1e-13)
    out = np.empty((20, 7))
    LINEAR.filling(X[30:])(X[:20], 3, out)
    np.testing.assert_allclose(out, expected[:, 3:10], rtol=1e-13)


@pytest.mark.parametrize("method", FOR_ANY)
def test_every_method_takes_sparse_rows(method):
    a, twin = (nv.approximate(rows, LINEAR, method, 8, seed=3) for rows in (X, DENSE))
    np.testing.assert_allclose(a.factor @ a.factor.T, twin.factor @ twin.factor.T, rtol=1e-6, atol=1e-8)
    assert a.kernel_evaluations == twin.kernel_evaluations
    expected = nv.errors(DENSE, LINEAR, twin).frobenius
    assert nv.errors(X, LINEAR, a).frobenius == pytest.approx(expected, rel=1e-7)
    np.testing.assert_allclose(a.transform(X[:7]), a.factor[:7], rtol=1e-7, atol=1e-7)


def test_error_curves_spectrum_and_quantization_error():
    for of in (
        lambda rows: nv.error_curve(rows, LINEAR, "greedy", [3, 9]),
        lambda rows: nv.spectrum(rows, LINEAR)[:40],
        lambda rows: nested_quantization(rows, rows[:5]),
    ):
        np.testing.assert_allclose(of(X), of(DENSE), rtol=1e-9)
    assert radius_of(X) == pytest.approx(radius_of(DENSE))
    expected = nv.quantization_error(DENSE, DENSE[:5])
    assert nv.quantization_error(X, X[:5]) == pytest.approx(expected, rel=1e-12)
    assert nv.quantization_error(X, DENSE[:5]) == pytest.approx(expected, rel=1e-12)


def test_documents_of_the_catalog_stay_sparse():
    card = next(card for card in nv.catalog() if card.name == "la1")
    if not card.on_disk:
        pytest.skip("la1.mat is not in the data folder")
    data = nv.load("la1")
    problem = Problem("la1", data.X, LINEAR, data.digest)
    assert sparse.issparse(problem.X) and (problem.n, problem.d) == (3_204, 31_472)
    rows = np.array([0, 100, 3_203])
    # Counts of words are whole numbers, so their sums are exact.
    assert np.array_equal(problem.matrix().entries(rows, rows), (data.X[rows] @ data.X[rows].T).toarray())
    a = nv.approximate(data.X, LINEAR, "uniform", 5)
    assert sparse.issparse(a.landmarks) and a.factor.shape == (3_204, 5)
