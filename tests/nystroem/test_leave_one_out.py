"""Leave-one-out estimates: against approximations made anew, and against the errors that they estimate."""

import itertools
from dataclasses import astuple

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import Selection
from nysviz.numerics import memory
from nysviz.nystroem.approximation import factorise
from tests import naive

# The last row twice: a landmark of which the other is a copy changes nothing when it is left out.
X = np.random.default_rng(3).standard_normal((40, 3))[[*range(40), 39]]
KERNEL = nv.Laplacian(1.5)


@pytest.mark.parametrize("method", ["uniform", "diagonal", "column_norm", "leverage", "leverage_approx"])
@pytest.mark.parametrize("m", [1, 12, 41])
def test_the_approximations_made_anew_give_the_same(method, m, monkeypatch):
    a = nv.approximate(X, KERNEL, method, m, seed=2)
    error, variance = naive.leave_one_out(KERNEL(X), a.pivots, a.weights)
    found = nv.leave_one_out(a)
    assert found.frobenius == pytest.approx(np.sqrt(error), rel=1e-9)
    assert found.jackknife == pytest.approx(np.sqrt(variance), rel=1e-6, abs=1e-7)
    monkeypatch.setattr(memory, "HELD_BYTES", 0)
    not_held = nv.leave_one_out(nv.approximate(X, KERNEL, method, m, seed=2))
    assert astuple(not_held) == pytest.approx(astuple(found), rel=1e-6, abs=1e-7)


def test_the_squared_estimate_is_unbiased_over_all_draws():
    few, m = X[:9], 3
    K, matrix = KERNEL(few), KernelMatrix(few, KERNEL)

    def squared(rows):
        a = factorise(matrix.recount(), Selection(pivots=np.array(rows)), "uniform", len(rows))
        return nv.leave_one_out(a).frobenius ** 2, np.linalg.norm(K - a.factor @ a.factor.T) ** 2

    estimates = [squared(rows)[0] for rows in itertools.combinations(range(9), m)]
    errors = [squared(rows)[1] for rows in itertools.combinations(range(9), m - 1)]
    assert np.mean(estimates) == pytest.approx(np.mean(errors), rel=1e-12)


def test_the_jackknife_exceeds_the_variance_of_independent_draws():
    K = KERNEL(X)
    runs = [nv.approximate(X, KERNEL, "diagonal", 20, seed=seed) for seed in range(150)]
    matrices = np.array([a.factor @ a.factor.T for a in runs])
    variance = ((matrices - matrices.mean(axis=0)) ** 2).sum() / 149
    found = np.mean([nv.leave_one_out(a).jackknife ** 2 for a in runs])
    assert variance < found < 3 * variance
    # ‖K‖ is estimated too.
    errors = np.linalg.norm(K - matrices, axis=(1, 2)) / np.linalg.norm(K)
    ratios = [nv.leave_one_out(a).relative_frobenius for a in runs] / errors
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.1)
