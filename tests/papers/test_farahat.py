"""Farahat 2011, figure 1: rank-d errors against dense truncations."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.papers.farahat2011 import figure1
from nysviz.papers.farahat2011.figure1 import truncations
from nysviz.sweep import Problem, run_jobs
from tests.kernels.test_sparse import documents

DIGITS = nv.load("digits")
PROBLEM = Problem("digits", DIGITS.X[:400], nv.Gaussian(25.0), "400 digits")
EIGENVALUES = np.linalg.eigvalsh(PROBLEM.K)[::-1]


def dense_error(K, H):
    return np.linalg.norm(K - H @ H.T)


@pytest.mark.parametrize("method", figure1.METHODS)
def test_every_run_agrees_with_the_truncations_of_its_own_approximation(method):
    jobs = figure1.jobs(PROBLEM, [method], [12, 40], 2, 7)
    records = [record for finished in run_jobs(jobs) for record in finished.records]
    repeats = 2 if nv.METHODS[method].random else 1
    assert sorted((r.m, r.repeat) for r in records) == [(m, s) for m in (12, 40) for s in range(repeats)]
    for r in records:
        a = nv.approximate(PROBLEM.X, PROBLEM.kernel, method, r.m, r.seed)
        for d in (5, 10, 20, 30):
            assert (f"relative_accuracy_{d}" in r.values) == (d <= r.m)
            if d > r.m:
                continue
            best = np.sqrt((EIGENVALUES[d:] ** 2).sum())
            for name, how in (("relative", "best"), ("classical", "landmark")):
                expected = best / dense_error(PROBLEM.K, a.truncate(d, how).factor)
                assert r.values[f"{name}_accuracy_{d}"] == pytest.approx(expected, rel=1e-6)


def test_an_error_near_rounding_keeps_its_digits():
    X = np.random.default_rng(0).standard_normal((80, 2))
    K = nv.Gaussian(3.0)(X)
    a = nv.approximate(X, nv.Gaussian(3.0), "icd", 40)
    G = a.factor
    found = truncations(K, G, G[a.pivots], G.T @ K @ G, G.T @ G, [15, 20])
    for name, how in (("relative", "best"), ("classical", "landmark")):
        for value, d in zip(found[name], (15, 20), strict=True):
            expected = dense_error(K, a.truncate(d, how).factor)
            assert expected < 1e-5 * np.linalg.norm(K)
            assert value == pytest.approx(expected, rel=1e-6, abs=1e-13 * np.linalg.norm(K))


def test_the_paper_s_kernels_and_a_fixed_sample():
    assert figure1.kernel_of(nv.Dataset.from_arrays("documents", documents())) == nv.Linear()
    pictures = nv.Dataset.from_arrays("faces", DIGITS.X / 16.0, image_shape=(8, 8))
    assert figure1.kernel_of(pictures) == nv.Gaussian(10.0)
    assert figure1.kernel_of(DIGITS) == nv.Gaussian.from_width(nv.default_width(DIGITS.X))
    many = nv.Dataset.from_arrays("many", np.random.default_rng(0).standard_normal((4_100, 2)))
    first, second = (figure1.problem_of(many) for _ in range(2))
    assert first.n == 4_000 and first.digest == second.digest != many.digest
    assert np.array_equal(first.X, second.X)
