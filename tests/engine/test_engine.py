"""The engine: each result is computed once, kept within its bytes, nobody waits for ever; what work holds."""

import gc
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import plotly.graph_objects as go
import pytest

import nysviz as nv
from nysviz import machine
from nysviz.datasets import size_limits
from nysviz.engine import Engine, NobodyWaits, budget, has_lapsed
from nysviz.engine.budget import EIGEN_COPIES, square_bytes
from nysviz.engine.results import Results, size_of
from nysviz.matrix import KernelMatrix
from nysviz.refusal import Refusal
from nysviz.ui.asking import engine as of_the_app
from tests.engine.asking import PATIENCE_SECONDS, Session, Work, until

PLACES = 2
ANNA, BEN = Session("anna"), Session("ben")


@pytest.fixture
def engine():
    return Engine(10_000_000, PLACES)


@pytest.fixture
def crowd():
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def work():
    made = Work()
    yield made
    made.go.release(1_000)


def never():
    raise AssertionError("This result was cached already.")


def results(futures):
    return [future.result(PATIENCE_SECONDS) for future in futures]


def test_a_crowd_computes_each_result_once(engine, crowd):
    arrived, calls = threading.Barrier(16), []

    def one(i):
        arrived.wait(PATIENCE_SECONDS)
        return engine.get(i % 2, lambda: calls.append(i) or i % 2, Session(f"s{i}"))

    assert results([crowd.submit(one, i) for i in range(16)]) == [i % 2 for i in range(16)]
    assert len(calls) == 2
    assert engine.get(0, never, ANNA) == 0 and engine.has(1) and not engine.has(2)


def test_parts_inside_do_not_wait_for_one_another(engine, crowd):
    def nested(depth):
        return 0 if depth == 0 else engine.get(("part", depth), lambda: nested(depth - 1), ANNA) + 1

    chains = [engine.ask(("asked", k), lambda: nested(6), ANNA, beside=bool(k % 2)).future for k in range(8)]
    chains += [crowd.submit(engine.get, ("got", k), lambda: nested(6), BEN) for k in range(8)]
    assert results(chains) == [6] * 16 and engine.has(("part", 6))


def test_a_part_that_another_one_computes_is_computed_again(engine, work):
    """To wait would hold a place that the other one's own parts may need."""
    holder = engine.ask("slow", work.of("slow"), ANNA)
    until(lambda: work.began)
    outer = engine.ask("outer", lambda: engine.get("slow", lambda: "own", BEN), BEN)
    assert outer.future.result(PATIENCE_SECONDS) == "own"
    work.go.release()
    assert holder.future.result(PATIENCE_SECONDS) == "slow"


def test_what_everybody_left_ends_and_may_be_asked_for_again(engine, work):
    anna = Session("anna")
    task = engine.ask("key", work.of("key"), anna)
    until(lambda: work.began)
    anna.here = False
    until(lambda: has_lapsed(task.future))
    with pytest.raises(NobodyWaits):
        engine.get("key", never, anna)
    work.go.release()
    assert engine.get("key", work.of("key"), BEN) == "key"


def test_a_failure_reaches_everybody_and_is_known_for_a_while(engine, crowd, monkeypatch):
    calls, begun = [], threading.Barrier(8)

    def fail():
        calls.append(1)
        raise Refusal("m = 0")

    def ask():
        begun.wait(PATIENCE_SECONDS)
        return engine.get("key", fail, ANNA)

    for future in [crowd.submit(ask) for _ in range(8)]:
        with pytest.raises(Refusal, match="m = 0"):
            future.result(PATIENCE_SECONDS)
    # The page that waited is drawn anew, and shows it.
    assert isinstance(engine.ask("key", never, ANNA).future.exception(), Refusal)
    assert len(calls) == 1
    engine._failed.clear()
    assert engine.get("key", lambda: 7, ANNA) == 7


def test_bytes_stay_within_the_budget_and_large_results_do_not_push_out_small_ones(engine):
    for i in range(200):
        engine.get(("small", i), lambda: np.zeros(100), ANNA)
    for i in range(100):
        engine.get(("large", i), lambda: np.zeros(100_000), ANNA)
        assert engine.results.bytes <= 10_000_000
    assert all(engine.has(("small", i)) for i in range(200)) and not engine.has(("large", 0))
    engine.get("huge", lambda: np.zeros(2_000_000), ANNA)
    until(lambda: not engine.has("huge"))


def test_what_was_forgotten_and_is_still_in_use_is_not_computed_a_second_time(engine):
    kept = engine.get("huge", lambda: np.zeros(2_000_000), ANNA)
    assert engine.get("huge", never, ANNA) is kept
    del kept
    gc.collect()
    assert not engine.has("huge")


def test_room_is_made_by_the_oldest_large_results_first(engine, monkeypatch):
    for name in ("old", "middle", "new"):
        engine.get(name, lambda: np.zeros(200_000), ANNA)  # 1.6 MB
    for key in range(40):
        engine.get(("small", key), lambda: np.zeros(600), ANNA)
    monkeypatch.setattr("nysviz.machine.free_bytes", lambda: 8_000_000)
    monkeypatch.setattr(budget, "small_bytes", lambda: 1_000_000)
    monkeypatch.setattr(budget, "spare_bytes", lambda: 0.0)
    asked = engine.ask("asked", lambda: 1, ANNA, holds=10_000_000)  # 2 MB more than there are
    assert asked.future.result(PATIENCE_SECONDS) == 1
    assert not engine.has("old") and not engine.has("middle")
    assert engine.has("new") and engine.has(("small", 0))
    # However much is wanted, half of what small results may take stays.
    engine.results.give(10**12)
    assert not engine.has("new") and engine.has(("small", 39))


def test_what_is_over_keeps_nothing_of_what_it_worked_on(engine, work):
    class Matrix:
        pass

    held = []

    def fail():
        matrix = Matrix()
        held.append(weakref.ref(matrix))
        raise ValueError

    task = engine.ask("key", fail, ANNA)
    assert isinstance(task.future.exception(PATIENCE_SECONDS), ValueError)
    until(lambda: gc.collect() >= 0 and held[0]() is None)


def test_figures_and_nested_results_are_weighed():
    frame = go.Frame(data=[go.Scatter(y=np.ones(50_000))])
    figure = go.Figure(go.Scatter(y=np.zeros(100_000)), frames=[frame])
    assert 1_200_000 <= size_of(figure) < 4_000_000
    assert size_of({"a": np.zeros(1_000), "b": [np.zeros(1_000)]}) >= 16_000
    shared = np.zeros(1_000)
    assert size_of([shared, shared, shared[:10]]) < 9_500
    approximation = nv.approximate(np.random.default_rng(0).random((500, 3)), nv.Gaussian(1.0), m=20)
    assert size_of(approximation) >= 8 * 500 * 20


def test_the_budget_can_be_set(monkeypatch):
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "100")
    assert budget.memory_budget() == 100 * 2**20
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "much")
    assert budget.SMALLEST <= budget.memory_budget() <= budget.LARGEST


N = 700
X = np.random.default_rng(0).random((N, 3))
KERNEL = nv.Gaussian(0.3)


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
    monkeypatch.setattr("nysviz.ui.asking.warm", lambda: None)
    of_the_app.__wrapped__()
    logged = [record.message for record in caplog.records if record.name == "nysviz"]
    assert logged == ([] if said is None else [budget.too_little()])
    assert said is budget.too_little() is None or said in budget.too_little()
