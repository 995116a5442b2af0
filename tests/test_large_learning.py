"""Machines, embeddings and bounds on a factor that is not held, against those that hold it."""

import numpy as np
import pytest

import nysviz as nv
from nysviz import blocks, memory
from nysviz.factor_rows import FactorRows
from nysviz.learning.kernel_pca import aligned, approximate_embedding
from nysviz.learning.ls_svm import decide_restricted, train
from nysviz.measures import sampled_errors

N, M = 900, 24
RNG = np.random.default_rng(1)
X = RNG.standard_normal((N, 4)) + 3.0 * (np.arange(N) % 3)[:, None]
KERNEL = nv.Gaussian(1.5)
Y = np.where(np.arange(N) % 3 == 0, -1.0, 1.0)


@pytest.fixture(params=["kmeans", "rff"])
def both(request, monkeypatch):
    """The same approximation with and without its factor, the latter in more than one block."""
    held = nv.approximate(X, KERNEL, request.param, M, seed=2)
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    made = nv.approximate(X, KERNEL, request.param, M, seed=2)
    assert held.is_held and isinstance(made.rows, FactorRows)
    made.rows.block_rows = 130
    return held, made


def test_embedding_and_machine_are_those_of_the_held_factor(both):
    held, made = both
    expected, found = approximate_embedding(held, 3), approximate_embedding(made, 3)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(found.vectors.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(aligned(expected.vectors, found.vectors), expected.vectors, atol=1e-7)
    expected, found = train(held, Y), train(made, Y)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)
    assert found.bias == pytest.approx(expected.bias, abs=1e-9)
    new = X[:40] + 0.1
    np.testing.assert_allclose(
        decide_restricted(found, made, new), decide_restricted(expected, held, new), atol=1e-8
    )
    with pytest.raises(ValueError, match="one label a row"):
        train(made, Y[:-1])


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("work", ["approximate", "errors", "solve", "embedding"])
def test_work_ends_between_two_blocks(monkeypatch, work):
    monkeypatch.setattr(memory, "HELD_BYTES", 1)
    a = nv.approximate(X, KERNEL, "kmeans", M)
    a.rows.block_rows = 100
    asked = []

    def third():
        asked.append(1)
        if len(asked) == 3:
            raise StoppedError

    works = {
        "approximate": lambda: nv.approximate(X, KERNEL, "kmeans", M),
        "errors": lambda: sampled_errors(X, KERNEL, a),
        "solve": lambda: a.solve(Y, 1.0),
        "embedding": lambda: approximate_embedding(a),
    }
    with pytest.raises(StoppedError), blocks.watched(third):
        works[work]()
    # Nobody watches any more.
    works[work]()
    assert len(asked) < 10
