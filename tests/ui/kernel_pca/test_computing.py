"""Exact kernel PCA is computed once for all who wait for it, and goes on while one of them does."""

import threading

import numpy as np
import pytest

import nysviz as nv
from nysviz.ui.kernel_pca import computing
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.gate import Gate
from nysviz.ui.work.store import Store
from nysviz.ui.work.watching import Drawing

PATIENCE_SECONDS = 60
DATA = nv.Dataset.from_arrays("made", np.random.default_rng(5).standard_normal((80, 3)), None)
SCENE = Scene(DATA, nv.Gaussian(1.5), 0, 1.0)


class Held:
    """The exact embedding, which begins when it is told to."""

    def __init__(self):
        self.begun, self.release = threading.Event(), threading.Event()

    def __call__(self, X, kernel, k, *, matrix):
        self.begun.set()
        assert self.release.wait(PATIENCE_SECONDS)
        matrix.checkpoint()
        return ORIGINAL(X, kernel, k, matrix=matrix)


ORIGINAL = computing.exact_embedding


@pytest.fixture
def asks(monkeypatch):
    """Ask as one of two sessions, each with its own Stop; return the store, the work and the asking."""
    made, held = Store(10_000_000, Gate(2)), Held()
    monkeypatch.setattr(computing, "store", lambda: made)
    monkeypatch.setattr(computing, "exact_embedding", held)
    drawings = {name: Drawing(name) for name in ("anna", "ben")}
    stops = {name: threading.Event() for name in drawings}

    def be(name):
        monkeypatch.setattr("nysviz.ui.work.watching.drawing", lambda: drawings[name])

    def ask(name):
        be(name)
        return computing.exact_later(SCENE, stops[name])

    def stop(name, future):
        be(name)
        stops[name].set()
        made.stop(future, refuse=False)

    return held, ask, stop


def test_one_sessions_stop_leaves_the_embedding_to_the_others(asks):
    held, ask, stop = asks
    hers, his = ask("anna"), ask("ben")
    assert held.begun.wait(PATIENCE_SECONDS)
    stop("anna", hers)
    held.release.set()
    found = his.result(PATIENCE_SECONDS)
    np.testing.assert_allclose(found.values, ORIGINAL(DATA.X, SCENE.kernel, 3).values)


def test_the_stop_of_the_only_one_ends_it(asks):
    held, ask, stop = asks
    hers = ask("anna")
    assert held.begun.wait(PATIENCE_SECONDS)
    stop("anna", hers)
    held.release.set()
    with pytest.raises(ValueError, match=r"Stopped after \d+\.\d s\. Switch to the random sample"):
        hers.result(PATIENCE_SECONDS)
