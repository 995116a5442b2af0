"""Leading eigenpairs against numpy's full decomposition, angles against planes turned by a known angle."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.leading_subspace import (
    MOST_PASSES,
    factor_pairs,
    kernel_pairs,
    principal_cosines,
)
from nysviz.kernels.matrix import KernelMatrix
from tests import naive

BALLS = nv.two_balls(400, redundant=20, seed=1).X
# A spectrum that falls, one that is nearly flat behind a first eigenvalue, one of low rank.
CASES = {
    "balls": (BALLS, nv.Gaussian(6.0)),
    "narrow": (np.random.default_rng(2).standard_normal((300, 2)), nv.Gaussian(0.5)),
    "low rank": (np.random.default_rng(3).standard_normal((250, 4)), nv.Linear()),
}


@pytest.mark.parametrize("case, at_hand", [("balls", False), ("narrow", True), ("low rank", False)])
def test_kernel_pairs(case, at_hand):
    X, kernel = CASES[case]
    K = kernel(X)
    found = kernel_pairs(KernelMatrix(X, kernel, dense=K if at_hand else None), 40, 2)
    values, vectors = naive.descending_eigh(K)
    np.testing.assert_allclose(found.values, np.maximum(values[:40], 0), rtol=1e-5, atol=1e-10 * values[0])
    np.testing.assert_allclose(np.abs((found.vectors * vectors[:, :2]).sum(axis=0)), 1.0, atol=1e-8)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(2), atol=1e-12)
    gap = np.linalg.norm(K @ found.vectors - found.vectors * found.values[:2]) / values[0]
    assert found.residual == pytest.approx(gap, abs=1e-13) and gap < 1e-6
    # Columns of K span all of a low rank at once.
    assert found.passes == 1 if case == "low rank" else 1 < found.passes < MOST_PASSES


@pytest.mark.parametrize("sigma, k", [(6.0, 2), (6.0, 20), (1.0, 100)])
def test_eigenvalues_among_many_that_are_nearly_equal(sigma, k):
    # As many as there are redundant features: subspace iteration would take hundreds of passes.
    X = nv.two_balls(900, redundant=100, seed=0).X
    kernel = nv.Gaussian(sigma)
    found = kernel_pairs(KernelMatrix(X, kernel), k)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(kernel(X))[::-1][:k], rtol=1e-5)
    assert found.residual < 1e-6


@pytest.mark.parametrize("sigma, k, single", [(6.0, 20, True), (600.0, 60, False)])
def test_single_precision_is_for_eigenvalues_that_it_does_not_change(monkeypatch, sigma, k, single):
    X = nv.two_balls(1_500, redundant=20, seed=3).X
    kernel = nv.Gaussian(sigma)
    passes, name = [], "times_by_half"
    half = getattr(KernelMatrix, name)
    monkeypatch.setattr(KernelMatrix, name, lambda *of, **how: passes.append(how) or half(*of, **how))
    K = kernel(X)
    found, held = kernel_pairs(KernelMatrix(X, kernel), k), kernel_pairs(KernelMatrix(X, kernel, dense=K), k)
    # The first pass may be what shows that it would.
    done = passes.count({"single": True})
    assert done == found.passes if single else done <= 1
    rounding = 1e-13 * held.values[0]
    np.testing.assert_allclose(found.values, held.values, rtol=3e-5 if single else 1e-9, atol=rounding)
    values, vectors = naive.descending_eigh(K)
    np.testing.assert_allclose(found.values, values[:k], rtol=1e-4, atol=rounding)
    np.testing.assert_allclose(principal_cosines(found.vectors, vectors[:, :2]), 1.0, atol=1e-9)
    gap = np.linalg.norm(K @ found.vectors - found.vectors * found.values[:2]) / found.values[0]
    assert gap <= found.residual * (1 + 1e-9) + 1e-13 and found.residual < 1e-6


def test_directions_at_the_edge_of_rounding_stay_orthogonal():
    # Nearly all of this spectrum lies below rounding: what the last block adds is hardly more than noise.
    X = nv.two_balls(700, redundant=0, seed=0).X
    K = nv.Gaussian(0.5)(X)
    found = kernel_pairs(KernelMatrix(X, nv.Gaussian(0.5)), 20, 20)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(20), atol=1e-12)
    assert np.linalg.norm(K @ found.vectors - found.vectors * found.values) < 1e-11 * found.values[0]


def test_factor_pairs():
    Z = np.random.default_rng(4).standard_normal((90, 12)) * np.geomspace(1, 1e-3, 12)
    found = factor_pairs(Z, 3)
    values, vectors = naive.descending_eigh(Z @ Z.T)
    np.testing.assert_allclose(found.values, values[:12], rtol=1e-9, atol=1e-15 * values[0])
    np.testing.assert_allclose(np.abs((found.vectors * vectors[:, :3]).sum(axis=0)), 1.0, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 2])
def test_cosines_of_a_plane_turned_by_a_known_angle(angle):
    basis = np.linalg.qr(np.random.default_rng(5).standard_normal((8, 8)))[0]
    plane = basis[:, :2]
    other = np.column_stack([basis[:, 0], math.cos(angle) * basis[:, 1] + math.sin(angle) * basis[:, 2]])
    turn = np.array([[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
    found = principal_cosines(plane, other @ turn)
    np.testing.assert_allclose(found, [1.0, math.cos(angle)], atol=1e-12)
    assert (found <= 1).all()
