"""What computations are said to hold, beside what they do hold."""

import tracemalloc

import numpy as np
import pytest

from nysviz import machine, memory
from nysviz.datasets import size_limits
from nysviz.engine import budget
from nysviz.engine.budget import EIGEN_COPIES, square_bytes
from nysviz.engine.results import Results
from nysviz.kernels import Gaussian
from nysviz.matrix import KernelMatrix
from nysviz.ui.asking import engine

N = 700
X = np.random.default_rng(0).random((N, 3))
KERNEL = Gaussian(0.3)


def held_by(work):
    """Peak of the memory that arrays take while this is done, in bytes; their result among it."""
    work()
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


def test_eigenpairs_hold_what_they_say():
    K = KERNEL(X)
    held, (values, vectors) = held_by(lambda: KernelMatrix(X, KERNEL, dense=K).eigenpairs(N))
    np.testing.assert_allclose((vectors * values) @ vectors.T, K, atol=1e-12 * N)
    assert held <= 1.05 * square_bytes(N, EIGEN_COPIES)


@pytest.mark.parametrize("gib", [0.1, 0.5, 1, 2, 4, 16, 64])
def test_the_defaults_leave_room_for_the_work_and_for_the_largest_data_set(gib, monkeypatch):
    monkeypatch.delenv("NYSVIZ_CACHE_MB", raising=False)
    monkeypatch.setattr(machine, "limit_bytes", lambda: int(gib * 2**30))
    kept = budget.memory_budget()
    assert kept <= budget.LARGEST and kept <= max(budget.SMALLEST, budget.MEMORY_SHARE * gib * 2**30)
    assert budget.matrix_bytes() <= 8 * 4_500**2
    if gib >= 1:
        # Python with its libraries, what is kept, and heavy work on a matrix beside another.
        assert 400 * 2**20 + kept + 2 * 3 * budget.matrix_bytes() <= gib * 2**30
    assert size_limits.most_bytes() == pytest.approx(min(max(gib / 8 * 2**30, 2**24), 4.08e8), abs=1)
    # Beside points and labels a set has the names of features and classes.
    assert size_limits.most_bytes() + 1e6 < Results(budget.RESULTS * kept)._large.maxsize


@pytest.mark.parametrize("megabytes, said", [(512, "This server has 537\N{NO-BREAK SPACE}MB"), (768, None)])
def test_less_memory_than_is_needed_is_said_at_the_start_and_on_the_page(
    monkeypatch, caplog, megabytes, said
):
    monkeypatch.setattr(machine, "limit_bytes", lambda: megabytes * 2**20)
    monkeypatch.setattr(memory.Shortage, "is_on", lambda self: False)
    monkeypatch.setattr("nysviz.ui.asking.warm", lambda: None)
    engine.__wrapped__()
    logged = [record.message for record in caplog.records if record.name == "nysviz"]
    assert logged == ([] if said is None else [budget.warning()])
    assert said is budget.warning() is None or said in budget.warning()
