"""The engine: each result is computed once, kept within its bytes, nobody waits for ever."""

import gc
import weakref

import numpy as np
import plotly.graph_objects as go
import pytest

import nysviz as nv
from nysviz.engine import Engine, NobodyWaits, has_lapsed, queue
from nysviz.engine.results import size_of
from nysviz.engine.task import keeping_apart
from nysviz.numerics import blocks
from nysviz.refusal import Refusal
from tests.engine.conftest import PATIENCE_SECONDS, Session, until

ANNA, BEN = Session("anna"), Session("ben")


@pytest.fixture
def engine():
    return Engine(10_000_000, 2)


def test_what_many_ask_for_is_computed_once(engine, work):
    tasks = [engine.ask("key", work.of("key"), Session(f"{i}")) for i in range(16)]
    work.go.release()
    assert {task.future.result(PATIENCE_SECONDS) for task in tasks} == {"key"} and work.began == ["key"]
    assert engine.get("key", pytest.fail, ANNA) == "key" and not engine.has("other")


def test_a_part_that_another_one_computes_is_computed_again(engine, work):
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
        engine.get("key", pytest.fail, anna)
    work.go.release()
    assert engine.get("key", work.of("key"), BEN) == "key"


def test_block_work_ends_once_nobody_waits(engine):
    anna, done = Session(), []

    def block(start, stop):
        anna.here = len(done) < 100
        done.append(start)

    task = engine.ask("key", lambda: blocks.over_blocks(20_000, 1, block), anna)
    assert isinstance(task.future.exception(PATIENCE_SECONDS), NobodyWaits) and 100 < len(done) < 20_000


def test_a_failure_reaches_everybody_is_known_for_a_while_and_keeps_nothing(engine, work):
    held = []

    def fail():
        matrix = np.zeros(9)
        held.append(weakref.ref(matrix))
        raise Refusal(work.of("m = 0")())

    tasks = [engine.ask("key", fail, ANNA) for _ in range(8)]
    work.go.release()
    assert {str(task.future.exception(PATIENCE_SECONDS)) for task in tasks} == {"m = 0"} and len(held) == 1
    # The page that waited is drawn anew, and shows it.
    assert isinstance(engine.ask("key", pytest.fail, ANNA).future.exception(), Refusal)
    until(lambda: gc.collect() >= 0 and held[0]() is None)
    engine.failures.clear()
    assert engine.get("key", lambda: 7, ANNA) == 7


def test_bytes_stay_within_the_budget_and_the_oldest_large_results_make_room(engine, monkeypatch):
    for i in range(40):
        engine.get(("small", i), lambda: np.zeros(600), ANNA)
    for i in range(20):
        engine.get(i, lambda: np.zeros(200_000), ANNA)  # 1.6 MB
        assert engine.results.bytes <= 10_000_000
    until(lambda: [i for i in range(20) if engine.has(i)] == [16, 17, 18, 19])
    monkeypatch.setattr("nysviz.numerics.machine.free_bytes", lambda: 8_000_000)
    monkeypatch.setattr(queue, "SPARE_SHARE", 0.0)
    monkeypatch.setattr(queue, "SMALL_SHARE", 0.0)
    engine.get("asked", lambda: 1, ANNA, holds=10_000_000)  # 2 MB more than there are
    until(lambda: [i for i in range(20) if engine.has(i)] == [18, 19])
    # However much is wanted, half of what small results may take stays.
    engine.results.free_memory(10**12)
    until(lambda: not engine.has(19))
    assert engine.has(("small", 39))


def test_what_was_forgotten_and_is_still_in_use_is_not_computed_a_second_time(engine):
    kept = engine.get("huge", lambda: np.zeros(2_000_000), ANNA)
    assert engine.get("huge", pytest.fail, ANNA) is kept
    del kept
    until(lambda: not engine.has("huge"))


def test_figures_and_nested_results_are_weighed():
    frame = go.Frame(data=[go.Scatter(y=np.ones(50_000))])
    figure = go.Figure(go.Scatter(y=np.zeros(100_000)), frames=[frame])
    assert 1_200_000 <= size_of(figure) < 4_000_000
    shared = np.zeros(1_000)
    assert 8_000 <= size_of({"a": shared, "b": [shared, shared[:10]]}) < 9_500
    approximation = nv.approximate(np.random.default_rng(0).random((500, 3)), nv.Gaussian(1.0), m=20)
    assert size_of(approximation) >= 8 * 500 * 20


def test_what_a_task_keeps_apart_is_computed_once_there_and_kept_for_nobody(engine):
    made = []

    def part(name):
        return engine.get(name, lambda: made.append(name) or name, ANNA)

    def work():
        with keeping_apart():
            inside = [part("a"), part("a"), part("b")]
        return [*inside, part("c")]

    engine.get("shared", lambda: "shared", ANNA)
    assert engine.get("outer", work, ANNA) == ["a", "a", "b", "c"]
    assert made == ["a", "b", "c"]
    assert [engine.has(name) for name in ("a", "b", "c", "outer")] == [False, False, True, True]
