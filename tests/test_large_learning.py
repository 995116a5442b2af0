"""Machines, embeddings and bounds on a factor that is not held, against those that hold it."""

import numpy as np
import pytest

import nysviz as nv
from nysviz import blocks, bounds, memory
from nysviz.factor_rows import FactorRows
from nysviz.learning.kernel_pca import aligned, approximate_embedding
from nysviz.learning.ls_svm import decide_restricted, train
from nysviz.measures import quantization_error, sampled_errors
from nysviz.papers.zhang2008.bound import bound_run
from nysviz.sweep import Problem, problem
from tests import naive

N, M = 900, 24
RNG = np.random.default_rng(1)
X = RNG.standard_normal((N, 4)) + 3.0 * (np.arange(N) % 3)[:, None]
KERNEL = nv.Gaussian(1.5)
Y = np.where(np.arange(N) % 3 == 0, -1.0, 1.0)


@pytest.fixture(params=["kmeans", "uniform", "rpcholesky", "rff"])
def both(request, monkeypatch):
    """The same approximation with and without its factor, the latter in more than one block."""
    held = nv.approximate(X, KERNEL, request.param, M, seed=2)
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    made = nv.approximate(X, KERNEL, request.param, M, seed=2)
    assert held.is_held and isinstance(made.rows, FactorRows)
    made.rows.block_rows = 130
    return held, made


def test_rows_less_their_mean(both):
    held, made = both
    mean = held.factor.mean(axis=0)
    centred = made.rows.less(mean)
    np.testing.assert_allclose(centred.gram(), (held.factor - mean).T @ (held.factor - mean), atol=1e-8)
    assert centred.block_rows == 130
    # The rows themselves stay as they are.
    np.testing.assert_allclose(made.rows.take(np.array([5])), held.factor[[5]], atol=1e-10)


def test_the_embedding_is_that_of_the_held_factor(both):
    held, made = both
    expected, found = approximate_embedding(held, 3), approximate_embedding(made, 3)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(found.vectors.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(aligned(expected.vectors, found.vectors), expected.vectors, atol=1e-7)


def test_an_embedding_of_equal_rows_has_no_direction(monkeypatch):
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    a = nv.approximate(np.ones((300, 2)), KERNEL, "uniform", 3)
    found = approximate_embedding(a, 2)
    assert not a.is_held and found.vectors.shape[1] == 0


def test_the_machine_is_that_of_the_held_factor(both):
    held, made = both
    expected, found = train(held, Y), train(made, Y)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)
    assert found.bias == pytest.approx(expected.bias, abs=1e-9)
    new = X[:40] + 0.1
    np.testing.assert_allclose(
        decide_restricted(found, made, new), decide_restricted(expected, held, new), atol=1e-8
    )
    with pytest.raises(ValueError, match="one label a row"):
        train(made, Y[:-1])


@pytest.mark.parametrize("rows", [None, np.sort(RNG.permutation(N)[:120])], ids=["all rows", "some rows"])
def test_the_ladder_is_that_of_the_held_factor(both, rows):
    held, made = both
    if held.landmarks is None:
        with pytest.raises(ValueError, match="no landmarks"):
            bounds.ladder(X, KERNEL, made, rows=rows)
        return
    expected = bounds.ladder(X, KERNEL, held, rows=rows)
    found = bounds.ladder(X, KERNEL, made, rows=rows)
    assert [step.name for step in found] == [step.name for step in expected]
    np.testing.assert_allclose([s.value for s in found], [s.value for s in expected], rtol=1e-8)


def test_the_ladder_against_whole_matrices():
    a = nv.approximate(X[:120], KERNEL, "kmeans", 9)
    steps = {step.name: step.value for step in bounds.ladder(X[:120], KERNEL, a)}
    K = np.array([[naive.gaussian(x, z, KERNEL.sigma) for z in X[:120]] for x in X[:120]])
    Z = np.unique(a.landmarks, axis=0)
    nearest = np.array([np.argmin([naive.squared_distance(x, z) for z in Z]) for x in X[:120]])
    P = np.eye(len(Z))[nearest]
    E = np.array([[naive.gaussian(x, z, KERNEL.sigma) for z in Z] for x in X[:120]])
    W = np.array([[naive.gaussian(x, z, KERNEL.sigma) for z in Z] for x in Z])
    A, B = K - P @ W @ P.T, E - P @ W
    between = np.linalg.norm(B @ np.linalg.inv(W) @ B.T)
    expected = np.linalg.norm(A) + 2 * np.linalg.norm(B @ P.T) + between
    assert steps["inverse"] == pytest.approx(expected, rel=1e-9)
    assert steps["measured"] == pytest.approx(np.linalg.norm(K - E @ np.linalg.inv(W) @ E.T), rel=1e-7)


def test_a_run_for_the_bound_measures_sampled_rows_in_blocks(monkeypatch):
    monkeypatch.setattr(problem, "EXACT_ROWS", 500)
    given = Problem("x", X, KERNEL, "large learning")
    (held,) = bound_run(given, ("kmeans", ()), M, 0, 0)
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    (made,) = bound_run(given, ("kmeans", ()), M, 0, 0)
    for measure in ("frobenius", "bound", "quantization"):
        assert made.values[measure] == pytest.approx(held.values[measure], rel=1e-9)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("work", ["approximate", "errors", "encode", "solve", "embedding"])
def test_work_ends_between_two_blocks(monkeypatch, work):
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    a = nv.approximate(X, KERNEL, "kmeans", M)
    a.rows.block_rows = 100
    asked = []

    def third() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise StoppedError

    works = {
        "approximate": lambda: nv.approximate(X, KERNEL, "kmeans", M),
        "errors": lambda: sampled_errors(X, KERNEL, a),
        "encode": lambda: quantization_error(X, a.landmarks),
        "solve": lambda: a.solve(Y, 1.0),
        "embedding": lambda: approximate_embedding(a),
    }
    with pytest.raises(StoppedError), blocks.watched(third):
        works[work]()
    # Nobody watches any more.
    works[work]()
    assert len(asked) < 10
