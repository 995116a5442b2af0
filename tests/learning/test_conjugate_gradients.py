"""Preconditioned conjugate gradients: against the dense solution, scipy's own run and the theorem."""

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, cg

import nysviz as nv
from nysviz.learning.conjugate_gradients import condition_bound, solve, solve_exactly
from nysviz.matrix import KernelMatrix

RNG = np.random.default_rng(8)
X, B = RNG.standard_normal((300, 2)), RNG.standard_normal(300)
KERNEL, SHIFT = nv.Gaussian(1.0), 3e-3
DENSE = KERNEL(X)
SHIFTED = DENSE + SHIFT * np.eye(300)


@pytest.mark.parametrize("method", [None, "uniform", "kmeans", "rpcholesky", "svd"])
def test_the_dense_solution_and_the_run_of_scipy(method):
    a = None if method is None else nv.approximate(X, KERNEL, method, 40)
    found = solve(KernelMatrix(X, KERNEL), B, SHIFT, a, tolerance=1e-10, most=2_000)
    assert found.converged and found.residuals[-1] < 2e-10
    expected = np.linalg.solve(SHIFTED, B)
    np.testing.assert_allclose(found.x, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(solve_exactly(KernelMatrix(X, KERNEL), B, SHIFT), expected, rtol=1e-6)
    points = []
    M = None
    if a is not None:
        P = cho_factor(a.factor @ a.factor.T + SHIFT * np.eye(300))
        M = LinearOperator((300, 300), lambda r: cho_solve(P, r))
    cg(SHIFTED, B, rtol=1e-10, maxiter=2_000, M=M, callback=lambda x: points.append(x.copy()))
    # Rounding decides whether an iteration more is needed.
    assert abs(found.iterations - len(points)) <= 1 + 0.05 * len(points)
    residuals = [np.linalg.norm(B - SHIFTED @ x) / np.linalg.norm(B) for x in points[:6]]
    np.testing.assert_allclose(found.residuals[: len(residuals) + 1], [1.0, *residuals], rtol=1e-4)


@pytest.mark.parametrize("method", ["uniform", "kmeans", "rpcholesky", "greedy", "ensemble", "svd"])
@pytest.mark.parametrize("m", [5, 40])
def test_the_condition_number_is_within_the_published_bound(method, m):
    a, K = nv.approximate(X, KERNEL, method, m), KernelMatrix(X, KERNEL)
    found = solve(K, B, SHIFT, a, tolerance=1e-10, most=2_000)
    values = eigh(SHIFTED, a.factor @ a.factor.T + SHIFT * np.eye(300), eigvals_only=True)
    assert found.condition == pytest.approx(values[-1] / values[0], rel=1e-3)
    assert values[-1] / values[0] <= condition_bound(K, a, SHIFT)


def test_a_better_approximation_needs_fewer_iterations():
    K = KernelMatrix(X, KERNEL)
    steps = [solve(K, B, SHIFT, nv.approximate(X, KERNEL, "rpcholesky", m)).iterations for m in (20, 40, 120)]
    plain = solve(K, B, SHIFT)
    assert plain.iterations > 2 * steps[0] and sorted(steps, reverse=True) == steps and steps[-1] <= 3
    assert plain.condition == pytest.approx(np.linalg.cond(SHIFTED), rel=1e-2)
    assert not solve(K, B, SHIFT, most=3).converged
    assert solve(K, np.zeros(300), 1.0).iterations == 0
    assert np.isnan(condition_bound(K, nv.approximate(X, KERNEL, "rff", 10), SHIFT))
