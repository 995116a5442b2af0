"""Approximations whose factor is not held, against the same ones that hold it, and what they take."""

import dataclasses

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.kernel_pca import aligned, approximate_embedding
from nysviz.analysis.learning.ls_svm import decide_restricted, train
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import machine, memory
from nysviz.numerics.blocks import in_this_thread
from nysviz.nystroem.measures import row_errors, sampled_errors
from nysviz.sweep import Problem, cost_jobs, sweep_jobs
from tests.traced import traced

N, M = 700, 30
X = np.random.default_rng(0).standard_normal((N, 4))
KERNEL = nv.Gaussian(1.5)
# Pivots, rescaled columns, a mixture, points, pivots drawn lean, scores in blocks, waves.
KINDS = ["uniform", "column_norm", "ensemble", "kmeans", "rpcholesky", "leverage_approx", "rff"]


@pytest.fixture(params=KINDS)
def both(request, monkeypatch):
    """The same approximation with and without its factor."""
    held = nv.approximate(X, KERNEL, request.param, M, seed=3)
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * N * 5)
    made = nv.approximate(X, KERNEL, request.param, M, seed=3)
    assert held.is_held
    assert not made.is_held
    return held, made


def close(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-10 * max(1.0, float(np.abs(expected).max())))


def test_nothing_but_the_memory_changes(both):
    held, made = both
    assert made.rank == held.rank
    assert made.n == N
    assert made.nbytes < held.nbytes
    assert made.notes == held.notes
    close(made.factor @ made.factor.T, held.factor @ held.factor.T)
    close(made.diagonal(), held.diagonal())
    close(made.gram(), held.gram())
    rows = np.array([5, 600, 5, 17])
    close(made.take(rows), held.take(rows))
    close(made.transform(X[:9]), held.transform(X[:9]))
    b = np.random.default_rng(1).standard_normal((N, 2))
    close(made.solve(b, 0.5), held.solve(b, 0.5))
    close(made.solve(b[:, 0], 0.5), held.solve(b[:, 0], 0.5))
    values, vectors = made.eigh()
    expected, _ = held.eigh()
    np.testing.assert_allclose(values, expected[: len(values)], atol=1e-13 * expected[0])
    assert (expected[len(values) :] <= 2e-13 * expected[0]).all()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-10)
    close((vectors * values) @ vectors.T, held.factor @ held.factor.T)
    assert made.eigh(3)[1].shape == (N, 3)
    for d in (3, 12):
        shorter = made.truncate(d)
        # Three columns fit under the limit, twelve do not.
        assert shorter.is_held == (d == 3)
        expected = held.truncate(d)
        close(shorter.factor @ shorter.factor.T, expected.factor @ expected.factor.T)
        close(shorter.transform(X) @ shorter.transform(X).T, expected.factor @ expected.factor.T)
    if held.landmarks is not None and held.shares is None:
        expected = held.truncate(12, how="landmark")
        close(made.truncate(12, how="landmark").diagonal(), expected.diagonal())
        for found, wanted in zip(made.eigh(8, form="extension"), held.eigh(8, form="extension"), strict=True):
            np.testing.assert_allclose(np.abs(found), np.abs(wanted), atol=1e-9 * np.abs(wanted).max())
    wanted = dataclasses.astuple(sampled_errors(X, KERNEL, held, rows=50))
    found = dataclasses.astuple(sampled_errors(X, KERNEL, made, rows=50))
    for one, other in zip(found, wanted, strict=True):
        if isinstance(one, str) or one is None:
            assert one == other
        else:
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10, equal_nan=True)
    rows = np.arange(0, N, 31)
    found = row_errors(X, KERNEL, made, rows)
    np.testing.assert_allclose(found, row_errors(X, KERNEL, held, rows), atol=1e-7)
    np.testing.assert_allclose(found, row_errors(X, KERNEL, made)[rows], atol=1e-9)
    exact = nv.errors(X, KERNEL, held)
    assert nv.errors(X, KERNEL, made).frobenius == pytest.approx(exact.frobenius, rel=1e-9)


def test_embedding_and_machine_are_those_of_the_held_factor(both):
    held, made = both
    expected, found = approximate_embedding(held, 3), approximate_embedding(made, 3)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(aligned(expected.vectors, found.vectors), expected.vectors, atol=1e-7)
    y = np.where(X[:, 0] > 0.3, 1.0, -1.0)
    expected, found = train(held, y), train(made, y)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)
    assert found.bias == pytest.approx(expected.bias, abs=1e-9)
    values = [decide_restricted(of, a, X[:40] + 0.1) for of, a in ((found, made), (expected, held))]
    np.testing.assert_allclose(*values, atol=1e-8)


def test_wide_factors_are_summed_in_panels(both, monkeypatch):
    held, made = both
    narrow, turned = made.gram(), made.eigh()
    monkeypatch.setattr("nysviz.numerics.factor_rows.WIDE_COLUMNS", 1)
    monkeypatch.setattr("nysviz.numerics.factor_rows.WIDE_ENTRIES", 1)
    monkeypatch.setattr("nysviz.numerics.factor_rows.PANEL_COLUMNS", 7)
    wide = nv.approximate(X, KERNEL, made.method, M, seed=3)
    close(wide.gram(), held.gram())
    close(wide.gram(), narrow)
    np.testing.assert_array_equal(wide.gram(), wide.gram().T)
    values, vectors = wide.eigh()
    close(values, turned[0])
    close((vectors * values) @ vectors.T, (turned[1] * turned[0]) @ turned[1].T)


def test_the_lean_pivots_leave_the_residual_of_the_held_ones(monkeypatch):
    # A spectrum that falls to rounding before m is reached: the note and the count have to come out too.
    low = np.linspace(0, 1, 400)[:, None]
    held = nv.approximate(low, nv.Gaussian(0.3), "rpcholesky", 60)
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    made = nv.approximate(low, nv.Gaussian(0.3), "rpcholesky", 60)
    assert held.rank < 60
    assert abs(made.rank - held.rank) <= 3
    assert "rounding" in made.notes[0]
    K = nv.Gaussian(0.3)(low)
    assert np.linalg.norm(K - made.factor @ made.factor.T) < 1e-6 * np.linalg.norm(K)


WIDE = np.random.default_rng(0).standard_normal((20, 60))
# A limit in bytes, a call that exceeds it, and the largest argument that fits.
ROOM = [
    ("most_bytes", 8 * N * 12 + 5, lambda m: nv.approximate(X, KERNEL, "icd", m), 12),
    ("most_bytes", 8 * N * 20 + 5, lambda g: nv.approximate(X, KERNEL, "partition_greedy", 10, groups=g), 20),
    ("most_bytes", 8 * N * 20 + 5, lambda c: nv.approximate(X, KERNEL, "sgma", 10, candidates=c), 20),
    ("most_bytes", 8 * N * 20 + 5, lambda m: nv.approximate(X, KERNEL, "arp", m, basis="sketch"), 20),
    ("most_bytes", 8 * 699**2, lambda n: nv.approximate(X[:n], KERNEL, "svd", 5), 699),
    ("most_bytes", 8 * 699**2, lambda n: nv.approximate(X[:n], KERNEL, "adaptive_full", 5), 699),
    ("most_bytes", 32 * 60**2, lambda m: nv.FourierFeatures(1.0, m, orthogonal=True).fit(WIDE), 60),
    ("call_bytes", 8 * 69**2, lambda n: nv.error_curve(X[:n], KERNEL, "uniform", [3]), 69),
    ("call_bytes", 8 * 69**2, lambda n: nv.error_curve(X[:n], KERNEL, "kmeans", [3]), 69),
    ("call_bytes", 16 * 69**2, lambda n: nv.spectrum(X[:n], KERNEL), 69),
    ("call_bytes", 16 * 69**2, lambda n: nv.spectrum(X[:n], KERNEL, 3), 69),
]


@pytest.mark.parametrize("name, free, work, most", ROOM, ids=range(len(ROOM)))
def test_what_must_be_held_is_refused_with_how_much_fits(name, free, work, most, monkeypatch):
    monkeypatch.setattr(memory, name, lambda: free)
    work(most)
    # Of frequencies, it names the number that was asked for.
    with pytest.raises(ValueError, match=rf"^[^\n]*(enough for \w+ = {most};|and m = 61,)[^\n]*\.$"):
        work(most + 1)


def test_what_is_at_hand_or_few_takes_no_further_memory_and_defaults_count(monkeypatch):
    monkeypatch.setattr(memory, "most_bytes", lambda: 8 * N * 20 + 5)
    for method, name in (("partition_greedy", "groups"), ("sgma", "candidates")):
        with pytest.raises(ValueError, match=f"{name} = 5[09] holds"):
            nv.approximate(X, KERNEL, method, 10)
        nv.approximate(X[:15], KERNEL, method, 10)
    matrix = KernelMatrix(X, KERNEL, dense=KERNEL(X))
    for method in ("svd", "adaptive_full"):
        assert nv.approximate(X, KERNEL, method, 5, matrix=matrix).rank == 5
    monkeypatch.setattr(memory, "call_bytes", lambda: 0)
    assert (nv.error_curve(X, KERNEL, "uniform", [3], matrix=matrix) > 0).all()
    assert len(nv.spectrum(X, KERNEL, 3, K=matrix.dense)) == 3


def test_more_experts_than_there_is_memory_for_are_refused_and_left_out_of_a_grid(monkeypatch):
    """A mixture holds weights of all its experts' landmarks: here 100 of them and no more."""
    monkeypatch.setattr(machine, "limit_bytes", lambda: 64 * 100**2)
    monkeypatch.setattr(machine, "free_bytes", lambda: 2**40)
    with pytest.raises(ValueError, match=r"for the 110 landmarks of all its experts.*enough for 100; choose"):
        nv.approximate(X, KERNEL, "ensemble", 11)
    nv.approximate(X, KERNEL, "ensemble", 50, experts=2)
    problem = Problem("x", X[:200], KERNEL, "x")
    for make in (sweep_jobs, cost_jobs):
        jobs = make(problem, {"ensemble": (), "uniform": ()}, [10, 11, 150], 1)
        found = {(record.method, record.m) for job in jobs for record in job.work()}
        assert found == {("ensemble", 10)} | {("uniform", m) for m in (10, 11, 150)}


@pytest.mark.parametrize("method", ["uniform", "kmeans", "rpcholesky"])
def test_many_rows_take_less_than_their_factor(method, monkeypatch):
    n, m = 20_000, 200
    monkeypatch.setattr(memory, "HELD_BYTES", 2**20)
    rows = np.random.default_rng(0).standard_normal((n, 5))
    nv.approximate(rows[:2_000], nv.Gaussian(3.0), method, m).solve(rows[:2_000, 0], 1.0)

    def work():
        a = nv.approximate(rows, nv.Gaussian(3.0), method, m)
        sampled_errors(rows, nv.Gaussian(3.0), a, rows=50)
        a.solve(rows[:, 0], 1.0)

    with in_this_thread():
        assert traced(work)[1] < 0.7 * 8 * n * m


def test_candidates_of_one_step_are_not_held_beside_those_of_the_next():
    n, candidates = 20_000, 200
    rows = np.random.default_rng(0).standard_normal((n, 2))
    nv.approximate(rows[:300], KERNEL, "sgma", 2)
    with in_this_thread():
        _, peak = traced(lambda: nv.approximate(rows, KERNEL, "sgma", 3, candidates=candidates))
    # What they are made from comes in blocks.
    assert 1.0 < peak / (8 * n * candidates) < 1.6
