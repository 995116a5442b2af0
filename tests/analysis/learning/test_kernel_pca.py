"""Kernel PCA against its definition, theorems on misalignment and angles, two forms of eigenvectors."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.decomposition import KernelPCA

import nysviz as nv
from nysviz.analysis.learning import kernel_pca
from nysviz.analysis.learning.kernel_pca import (
    approximate_embedding,
    exact_embedding,
    misalignment,
    principal_angles,
)
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.factor_rows import FactorRows
from tests import naive

WINE = nv.load("wine")
KERNELS = (nv.Gaussian(1.0), nv.Laplacian(1.5), nv.Polynomial(2, 1.0), nv.Linear())


def rows(n, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def orthonormal(n, k, seed):
    return np.linalg.qr(rows(n, k, seed))[0]


@pytest.mark.parametrize("n, kernel", [*zip((4, 200, 30, 200), KERNELS, strict=True)])
def test_exact_embedding_is_that_of_the_centred_matrix(kernel, n):
    X = rows(n)
    found = exact_embedding(X, kernel)
    values, vectors = naive.centred_eigenvectors(kernel(X), 3)
    np.testing.assert_allclose(found.values, values, rtol=1e-9)
    assert naive.misalignment(vectors, found.vectors) < 1e-6
    assert kernel_pca.departure(found.vectors) < 1e-10
    assert np.abs(found.vectors.mean(axis=0)).max() < 1e-10 and found.seconds > 0


def test_exact_embedding_is_the_same_in_blocks_and_by_lapack(monkeypatch):
    X, kernel = WINE.X, nv.Gaussian(3.0)
    of_none = exact_embedding(X, kernel)
    monkeypatch.setattr(memory, "held_rows", lambda: 10)
    made = []
    monkeypatch.setattr(kernel_pca, "KernelMatrix", lambda *of: made.append(KernelMatrix(*of)) or made[0])
    in_blocks = exact_embedding(X, kernel)
    assert made[0].dense is None and made[0].evaluations > 5 * len(X) ** 2
    monkeypatch.undo()
    monkeypatch.setattr(kernel_pca, "LANCZOS_RATIO", 10**6)
    by_lapack = exact_embedding(X, kernel)
    for other in (in_blocks, by_lapack):
        np.testing.assert_allclose(of_none.values, other.values, rtol=1e-10)
        assert misalignment(of_none.vectors, other.vectors) < 1e-8


@pytest.mark.parametrize("method", ["uniform", "column_norm", "kmeans", "ensemble", "svd", "rff"])
def test_approximate_embedding_is_that_of_the_centred_approximation(method):
    a = nv.approximate(WINE.X, nv.Gaussian(2.0), method, 12)
    found = approximate_embedding(a)
    values, vectors = naive.centred_eigenvectors(a.factor @ a.factor.T, 3)
    np.testing.assert_allclose(found.values, values, rtol=1e-9)
    assert naive.misalignment(vectors, found.vectors) < 1e-7
    assert kernel_pca.departure(found.vectors) < 1e-9


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_new_points_stand_where_scikit_learn_puts_them(kernel):
    X, X_new = WINE.X, WINE.X[:20] + 0.3 * rows(20, 13)
    reference = KernelPCA(3, kernel=lambda x, y: kernel(x[None], y[None])[0, 0], eigen_solver="dense").fit(X)
    found, expected = exact_embedding(X, kernel), reference.transform(X_new)
    signs = np.sign(np.sum(found.transform(X_new) * expected, axis=0))
    np.testing.assert_allclose(found.transform(X_new) * signs, expected, atol=1e-8 * np.abs(expected).max())
    with pytest.raises(ValueError, match=r"^X_new has 2 columns and X had 13; .*[.]\Z"):
        found.transform(X_new[:, :2])


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("method", ["uniform", "column_norm", "kmeans", "ensemble", "svd", "rff"])
def test_the_rows_themselves_stand_at_their_own_coordinates(method, held, monkeypatch):
    if not held:
        monkeypatch.setattr(memory, "HELD_BYTES", 0)
    kernel = nv.Gaussian(2.0)
    for found in (
        exact_embedding(WINE.X, kernel),
        approximate_embedding(nv.approximate(WINE.X, kernel, method, 9)),
    ):
        np.testing.assert_allclose(found.transform(WINE.X), found.vectors * np.sqrt(found.values), atol=1e-9)
        assert found.transform(np.empty((0, 13))).shape == (0, 3)


def test_approximate_embedding_keeps_small_directions():
    # The second direction's eigenvalue is 1e-14 of the first one's: GᵀG alone would hold only rounding there.
    basis = orthonormal(60, 3, 1)
    basis -= basis.mean(axis=0)
    basis = np.linalg.qr(basis)[0]
    a = nv.approximate(WINE.X[:60], nv.Gaussian(2.0), "uniform", 3)
    factor = basis[:, :2] * np.array([1.0, 1e-5])
    a = dataclasses.replace(a, rows=factor, projection=a.projection[:, :2])
    found = approximate_embedding(a, 2)
    np.testing.assert_allclose(found.values, [1.0, 1e-10], rtol=1e-6)
    assert kernel_pca.departure(found.vectors) < 1e-12 and misalignment(basis[:, :2], found.vectors) < 1e-8


def test_directions_that_are_rounding_are_left_out_whatever_the_way():
    # Beside a constant feature, two equal directions of 1e-16 of the trace: as in a kernel that is all but 1.
    basis = np.linalg.qr(np.column_stack([np.ones(60), rows(60, 2, 1)]))[0]
    G = basis * np.array([1.0, 1e-8, 1e-8])
    a = nv.approximate(WINE.X[:60], nv.Gaussian(2.0), "uniform", 3)
    in_blocks = FactorRows(G, lambda rows: rows.copy(), 3, 3)
    for factor in (G, in_blocks):
        found = approximate_embedding(dataclasses.replace(a, rows=factor), 2)
        assert found.values.shape == (0,) and found.vectors.shape == (60, 0)
    found = approximate_embedding(dataclasses.replace(a, rows=basis * np.array([1.0, 1e-8, 1e-5])), 2)
    np.testing.assert_allclose(found.values, [1e-10], rtol=1e-4)


def test_misalignment_is_its_twin_and_blind_to_the_basis():
    seed = 3
    U, other = orthonormal(40, 3, seed), rows(40, 3, seed + 100)
    expected = naive.misalignment(U, other)
    assert misalignment(U, other) == pytest.approx(expected, rel=1e-10)
    turn = ortho_group.rvs(3, random_state=seed)
    for same in (-other, other @ turn, other @ rows(3, 3, seed + 7), other * [1.0, -1e3, 1e-3]):
        assert misalignment(U, same) == pytest.approx(expected, rel=1e-8)
    assert misalignment(U @ turn, other) == pytest.approx(expected, rel=1e-10)
    other = orthonormal(40, 3, 102)
    squared = misalignment(U, other) ** 2
    angles = np.radians(principal_angles(U, other))
    assert squared == pytest.approx(np.sum(np.sin(angles) ** 2), rel=1e-10)
    assert (np.diff(angles) >= 0).all()
    # Pythagoras: what is kept and what is lost make up U.
    assert np.linalg.norm(kernel_pca.aligned(U, other)) ** 2 + squared == pytest.approx(3)
    Q = orthonormal(20, 6, 0)
    assert misalignment(Q[:, :3], Q[:, :3]) < 1e-14
    assert misalignment(Q[:, :3], np.empty((20, 0))) == pytest.approx(np.sqrt(3))
    np.testing.assert_allclose(principal_angles(Q[:, :3], Q[:, 3:]), 90.0)
    assert principal_angles(Q, np.empty((20, 0))).size == 0
    with pytest.raises(ValueError, match="as many rows"):
        misalignment(np.eye(4)[:, :2], np.eye(5)[:, :2])


@pytest.mark.parametrize("method", ["uniform", "column_norm", "kmeans"])
def test_only_the_orthogonal_form_is_orthonormal(method):
    kernel = nv.Gaussian(2.0)
    a = nv.approximate(WINE.X, kernel, method, 12, seed=1)
    _, exact = KernelMatrix(WINE.X, kernel).eigenpairs(3)
    forms = kernel_pca.two_forms(a, exact)
    assert kernel_pca.departure(forms.orthogonal) < 1e-10 < 1e-3 < kernel_pca.departure(forms.extension)
    np.testing.assert_allclose(forms.orthogonal_angles, principal_angles(exact, a.eigh(3)[1]))
    assert forms.extension_angles.shape == (3,)
