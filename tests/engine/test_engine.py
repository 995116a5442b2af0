"""The engine: each result is computed once, kept within its bytes, nobody waits for ever."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import plotly.graph_objects as go
import pytest

import nysviz as nv
from nysviz.engine import Engine, NobodyWaits, has_lapsed, queue
from nysviz.engine.results import size_of
from nysviz.refusal import Refusal
from tests.engine.conftest import PATIENCE_SECONDS, Session, until

ANNA, BEN = Session("anna"), Session("ben")


@pytest.fixture
def engine():
    return Engine(10_000_000, 2)


def never():
    raise AssertionError("This result was cached already.")


def by_a_crowd(call, count):
    with ThreadPoolExecutor(count) as crowd:
        return [
            future.exception() or future.result() for future in [crowd.submit(call) for _ in range(count)]
        ]


def test_a_crowd_computes_a_result_once(engine, work):
    work.go.release()
    assert by_a_crowd(lambda: engine.get("key", work.of("key"), ANNA), 16) == ["key"] * 16
    assert engine.get("key", never, ANNA) == "key" and work.began == ["key"] and not engine.has("other")


def test_a_part_that_another_one_computes_is_computed_again(engine, work):
    """To wait would hold a place that the other one's own parts may need."""
    holder = engine.ask("slow", work.of("slow"), ANNA)
    until(lambda: work.began)
    outer = engine.ask("outer", lambda: engine.get("slow", lambda: "own", BEN), BEN, beside=True)
    assert outer.future.result(PATIENCE_SECONDS) == "own" and engine.has("slow")
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


def test_a_failure_reaches_everybody_and_is_known_for_a_while(engine, work):
    def fail():
        raise Refusal(work.of("m = 0")())

    work.go.release()
    found = by_a_crowd(lambda: engine.get("key", fail, ANNA), 8)
    assert {str(one) for one in found} == {"m = 0"} and isinstance(found[0], Refusal)
    # The page that waited is drawn anew, and shows it.
    assert isinstance(engine.ask("key", never, ANNA).future.exception(), Refusal)
    assert len(work.began) == 1
    engine._failed.clear()
    assert engine.get("key", lambda: 7, ANNA) == 7


def test_bytes_stay_within_the_budget_and_large_results_do_not_push_out_small_ones(engine):
    for i in range(200):
        engine.get(("small", i), lambda: np.zeros(100), ANNA)
    for i in range(100):
        engine.get(("large", i), lambda: np.zeros(100_000), ANNA)
        assert engine.results.bytes <= 10_000_000
    assert all(engine.has(("small", i)) for i in range(200)) and not engine.has(("large", 0))


def test_what_was_forgotten_and_is_still_in_use_is_not_computed_a_second_time(engine):
    kept = engine.get("huge", lambda: np.zeros(2_000_000), ANNA)
    assert engine.get("huge", never, ANNA) is kept
    del kept
    until(lambda: not engine.has("huge"))


def test_room_is_made_by_the_oldest_large_results_first(engine, monkeypatch):
    for name in ("old", "middle", "new"):
        engine.get(name, lambda: np.zeros(200_000), ANNA)  # 1.6 MB
    for key in range(40):
        engine.get(("small", key), lambda: np.zeros(600), ANNA)
    monkeypatch.setattr("nysviz.machine.free_bytes", lambda: 8_000_000)
    monkeypatch.setattr(queue, "SPARE_SHARE", 0.0)
    monkeypatch.setattr(queue, "SMALL_SHARE", 0.0)
    engine.get("asked", lambda: 1, ANNA, holds=10_000_000)  # 2 MB more than there are
    assert not engine.has("old") and not engine.has("middle")
    assert engine.has("new") and engine.has(("small", 0))
    # However much is wanted, half of what small results may take stays.
    engine.results.give(10**12)
    assert not engine.has("new") and engine.has(("small", 39))


def test_what_failed_keeps_nothing_of_what_it_worked_on(engine):
    held = []

    def fail():
        matrix = np.zeros(9)
        held.append(weakref.ref(matrix))
        raise ValueError

    task = engine.ask("key", fail, ANNA)
    assert isinstance(task.future.exception(PATIENCE_SECONDS), ValueError)
    until(lambda: gc.collect() >= 0 and held[0]() is None)


def test_figures_and_nested_results_are_weighed():
    frame = go.Frame(data=[go.Scatter(y=np.ones(50_000))])
    figure = go.Figure(go.Scatter(y=np.zeros(100_000)), frames=[frame])
    assert 1_200_000 <= size_of(figure) < 4_000_000
    shared = np.zeros(1_000)
    assert 8_000 <= size_of({"a": shared, "b": [shared, shared[:10]]}) < 9_500
    approximation = nv.approximate(np.random.default_rng(0).random((500, 3)), nv.Gaussian(1.0), m=20)
    assert size_of(approximation) >= 8 * 500 * 20
