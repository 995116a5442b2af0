"""The engine: each result is computed once, kept within its bytes, nobody waits for ever."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import plotly.graph_objects as go
import pytest

import nysviz as nv
from nysviz.engine import Engine, NobodyWaits, has_lapsed, queue
from nysviz.engine.results import size_of
from nysviz.refusal import Refusal
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
    monkeypatch.setattr("nysviz.memory.matrix_bytes", lambda: 10_000_000)
    monkeypatch.setattr(queue, "SPARE_SHARE", 0.0)
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
