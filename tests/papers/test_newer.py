"""The experiments of newer papers: their numbers are those of formulas written plainly."""

import itertools
import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.papers.newer import measurements
from nysviz.papers.newer.measurements import dpp_error, greedy_bound, pivoting_bound
from tests import naive

IRIS = nv.load("iris")


def found(rows):
    return {(r.data, r.method, r.m, r.repeat, r.measure): r.value for r in rows}


def test_bound_of_random_pivots_is_the_smallest_that_they_satisfy():
    values = 0.7 ** np.arange(40.0)
    bounds = [values.sum()]
    for r in range(1, 20):
        tail = values[r:].sum()
        for eps in np.geomspace(0.01, 1e4, 4_000):
            if r / eps + r * max(0.0, math.log(values.sum() / (eps * tail))) <= 20:
                bounds.append((1 + eps) * tail)
    assert pivoting_bound(values, 20) == pytest.approx(min(bounds), rel=0.03)
    # One pivot is promised nothing.
    assert pivoting_bound(values, 1) == values.sum()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("decay", [0.5, 0.8, 1.0])
def test_greedy_keeps_what_its_picks_promise(seed, decay):
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    K = (U * decay ** np.arange(30.0)) @ U.T
    R, left = K.copy(), list(range(30))
    for m in range(1, 13):
        i = max(left, key=lambda row: R[row] @ R[row] / R[row, row])
        left.remove(i)
        R -= np.outer(R[i], R[i]) / R[i, i]
        assert np.trace(R) <= greedy_bound(decay ** np.arange(30.0), m) * (1 + 1e-9)


def test_greedy_promises_all_where_there_is_one_eigenvalue_or_none():
    for m in (1, 2):
        assert greedy_bound(np.array([3.0, 0.0, 0.0]), m) == pytest.approx(0.0, abs=1e-12)
    assert greedy_bound(np.zeros(3), 2) == 0.0
    # Equal eigenvalues: each pick takes one of them, and no more than t/n is promised.
    assert greedy_bound(np.ones(4), 1) == pytest.approx(3.0)


@pytest.mark.parametrize("m", [1, 3, 5])
def test_mean_error_of_a_dpp_is_that_over_all_subsets(m):
    A = np.random.default_rng(m).standard_normal((7, 7))
    K = A @ A.T
    total, weights = 0.0, 0.0
    for rows in itertools.combinations(range(7), m):
        weight = np.linalg.det(K[np.ix_(rows, rows)])
        total += weight * np.trace(K - naive.nystroem_of_pivots(K, list(rows)))
        weights += weight
    values = np.linalg.eigvalsh(K)[::-1]
    assert dpp_error(values, m) == pytest.approx(total / weights, rel=1e-8)


def test_columns(monkeypatch):
    monkeypatch.setattr(measurements, "COUNTS", (12,))
    values = found(measurements.columns("iris", 3, 5))
    kernel = nv.Gaussian.from_width(nv.default_width(IRIS.X))
    K, runs = kernel(IRIS.X), [nv.approximate(IRIS.X, kernel, "uniform", 12, 5 + r) for r in range(3)]
    tail = nv.spectrum(IRIS.X, kernel)[12:].sum()
    for repeat, a in enumerate(runs):
        rest = K - a.factor @ a.factor.T
        assert values["iris", "uniform", 12, repeat, "over_best"] == pytest.approx(np.trace(rest) / tail)
        relative = np.linalg.norm(rest) / np.linalg.norm(K)
        assert values["iris", "uniform", 12, repeat, "relative_frobenius"] == pytest.approx(relative)
        told = nv.leave_one_out(a)
        estimate = told.frobenius / np.linalg.norm(K)
        assert values["iris", "uniform", 12, repeat, "estimate"] == pytest.approx(estimate)
    fewer = np.array([nv.approximate(IRIS.X, kernel, "uniform", 11, 5 + r).factor for r in range(3)])
    spread = (fewer @ fewer.transpose(0, 2, 1)).std(axis=0, ddof=1)
    deviation = np.linalg.norm(spread) / np.linalg.norm(K)
    assert values["iris", "uniform", 12, 0, "deviation"] == pytest.approx(deviation)
    cut = nv.approximate(IRIS.X, kernel, "sketch", 12, 5).truncate(5).factor
    best = nv.spectrum(IRIS.X, kernel)[5:].sum()
    truncated = np.trace(K - cut @ cut.T) / best
    assert values["iris", "sketch", 12, 0, "truncated"] == pytest.approx(truncated)
    assert values["iris", "sketch", 12, 0, "bound"] == pytest.approx(1 + 5 / 6)


def test_preconditioners():
    rows = list(measurements.preconditioners("iris", 1, 2))
    (m,) = {r.m for r in rows if r.method == "sketch" and r.data == "iris@mu=0.01"}
    mu, kernel = 0.01 * IRIS.n, nv.Gaussian.from_width(nv.default_width(IRIS.X))
    A = kernel(IRIS.X) + mu * np.eye(IRIS.n)
    effective = 2 * math.ceil(1.5 * np.trace(np.linalg.solve(A, kernel(IRIS.X)))) + 1
    assert m == effective
    a = nv.approximate(IRIS.X, kernel, "sketch", m, 2)
    values, U = a.eigh()
    outside = np.eye(IRIS.n) - U @ U.T
    for name, last in (("condition", values[-1]), ("condition_shift", 0.0)):
        P = (U * (values + mu)) @ U.T + (last + mu) * outside
        ratio = np.linalg.eigvals(np.linalg.solve(P, A)).real
        known = found(rows)["iris@mu=0.01", "sketch", m, 0, name]
        assert known == pytest.approx(ratio.max() / ratio.min(), rel=1e-6)
    # No more iterations than the condition number allows in the norm of A.
    root = math.sqrt(found(rows)["iris@mu=0.01", "sketch", m, 0, "condition"])
    most = math.log(2e6) / math.log((root + 1) / (root - 1))
    assert 1 <= found(rows)["iris@mu=0.01", "sketch", m, 0, "iterations"] <= most + 1


def test_evidence_is_never_below_its_bound():
    rows = list(measurements.evidence("diabetes", 2, 0))
    assert {r.method for r in rows} == {"icd", "uniform", "kmeans", "dpp"}
    assert all(r.value > -1e-6 for r in rows)
