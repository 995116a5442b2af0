"""Preconditioned conjugate gradients: against the dense solution, scipy's own run and the theorem."""

import re

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, cg

import nysviz as nv
from nysviz.analysis.learning.conjugate_gradients import condition_bound, solve, solve_exactly
from nysviz.kernels.matrix import KernelMatrix

RNG = np.random.default_rng(8)
X, B = RNG.standard_normal((300, 2)), RNG.standard_normal(300)
KERNEL, SHIFT = nv.Gaussian(1.0), 3e-3
DENSE = KERNEL(X)
SHIFTED = DENSE + SHIFT * np.eye(300)


def residual(x, shift=SHIFT):
    return np.linalg.norm(B - DENSE @ x - shift * x) / np.linalg.norm(B)


class Noisy(KernelMatrix):
    """A kernel whose values are never the same twice, as of sums that another program makes in parallel."""

    def times(self, right):
        return super().times(right) * (1.0 + 1e-5 * RNG.standard_normal(self.n))


@pytest.mark.parametrize("method", [None, "uniform", "kmeans", "rpcholesky", "svd"])
def test_the_dense_solution_and_the_run_of_scipy(method):
    a = None if method is None else nv.approximate(X, KERNEL, method, 40)
    found = solve(KernelMatrix(X, KERNEL), B, SHIFT, a, tolerance=1e-10, max_iterations=2_000)
    assert found.converged and found.residuals[-1] <= 1e-10
    assert found.residuals[-1] == pytest.approx(residual(found.x), rel=0.1)
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
    found = solve(K, B, SHIFT, a, tolerance=1e-10, max_iterations=2_000)
    values = eigh(SHIFTED, a.factor @ a.factor.T + SHIFT * np.eye(300), eigvals_only=True)
    assert found.condition == pytest.approx(values[-1] / values[0], rel=1e-3)
    assert values[-1] / values[0] <= condition_bound(K, a, SHIFT)


def test_a_better_approximation_needs_fewer_iterations():
    K = KernelMatrix(X, KERNEL)
    steps = [solve(K, B, SHIFT, nv.approximate(X, KERNEL, "rpcholesky", m)).iterations for m in (20, 40, 120)]
    plain = solve(K, B, SHIFT)
    assert plain.iterations > 2 * steps[0] and sorted(steps, reverse=True) == steps and steps[-1] <= 3
    assert plain.condition == pytest.approx(np.linalg.cond(SHIFTED), rel=1e-2)
    assert not solve(K, B, SHIFT, max_iterations=3).converged
    assert solve(K, np.zeros(300), 1.0).iterations == 0
    assert np.isnan(condition_bound(K, nv.approximate(X, KERNEL, "rff", 10), SHIFT))


@pytest.mark.parametrize("shift", [1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("tolerance", [1e-15, 1e-12, 1e-10, 1e-6])
@pytest.mark.parametrize("m", [50, 200])
def test_convergence_is_that_of_the_residual_itself(shift, tolerance, m):
    """The recursion comes down to any tolerance; b − (K + μI) x does not, but to where rounding leaves it."""
    a = nv.approximate(X, KERNEL, "rpcholesky", m)
    found = solve(KernelMatrix(X, KERNEL), B, shift, a, tolerance=tolerance, max_iterations=200)
    reached, size = residual(found.x, shift), np.linalg.norm(found.x) / np.linalg.norm(B)
    level = np.finfo(float).eps * (300 + shift) * size
    assert found.residuals[-1] == pytest.approx(reached, rel=0.05, abs=0.1 * level)
    assert found.converged == (found.residuals[-1] <= tolerance) == (found.state == "converged")
    assert found.state != "rounding" or tolerance < found.residuals[-1] <= level
    assert found.state in ("converged", "rounding") or found.iterations == 200
    assert (found.state == "rounding") >= (m == 200 and tolerance < 1e-2 * level)


def test_each_way_to_end_has_its_name_and_a_sentence():
    K = KernelMatrix(X, KERNEL)
    negative = KernelMatrix(X, lambda A, B: 1.0 - KERNEL(A, B))
    ends = {
        "converged": solve(K, B, SHIFT),
        "iterations": solve(K, B, SHIFT, max_iterations=3),
        "rounding": solve(K, B, 1e-8, nv.approximate(X, KERNEL, "rpcholesky", 200), tolerance=1e-10),
        "stagnated": solve(Noisy(X, KERNEL), B, SHIFT, nv.approximate(X, KERNEL, "rpcholesky", 40)),
        "indefinite": solve(negative, B, SHIFT),
    }
    assert {name: found.state for name, found in ends.items()} == {name: name for name in ends}
    assert [name for name, found in ends.items() if found.converged] == ["converged"]
    for found in ends.values():
        assert re.fullmatch(r"[^\n]+[.]", found.sentence)
    assert ends["indefinite"].residuals[-1] == pytest.approx(
        np.linalg.norm(B - (negative.kernel(X) + SHIFT * np.eye(300)) @ ends["indefinite"].x)
        / np.linalg.norm(B)
    )
