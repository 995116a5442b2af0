"""The shared store: each result is computed once, kept within its bytes, and nobody waits for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from nysviz.ui import store as module
from nysviz.ui.store import Store, memory_budget, size_of

# Only what hangs comes near it.
PATIENCE_SECONDS = 60


@pytest.fixture
def store(monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 2)
    made = Store(10_000_000)
    yield made
    made._urgent.shutdown()
    made._background.shutdown()


@pytest.fixture
def crowd():
    with ThreadPoolExecutor(16) as pool:
        yield pool


def never():
    raise AssertionError("This result was cached already.")


def results(futures):
    return [future.result(PATIENCE_SECONDS) for future in futures]


def test_a_crowd_computes_once(store, crowd):
    arrived, calls = threading.Barrier(16), []

    def compute():
        calls.append(threading.get_ident())
        return object()

    def ask():
        arrived.wait(PATIENCE_SECONDS)
        return store.get("key", compute)

    found = results([crowd.submit(ask) for _ in range(16)])
    assert len(calls) == 1 and len(set(map(id, found))) == 1
    assert store.get("key", never) is found[0]
    assert store.later("key", never).result(PATIENCE_SECONDS) is found[0]


def test_different_keys_are_kept_apart(store, crowd):
    keys = [(name, number) for name in ("a", "b") for number in range(40)]
    found = results([crowd.submit(store.get, key, lambda key=key: ("value", key)) for key in keys * 3])
    assert found == [("value", key) for key in keys * 3]
    assert [store.get(key, never) for key in keys] == [("value", key) for key in keys]


def test_no_more_than_the_gate_lets_in_compute_at_once(store, crowd):
    lock, inside, most = threading.Lock(), [0], [0]
    go = threading.Event()

    def compute():
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        go.wait(0.01)
        with lock:
            inside[0] -= 1

    results([crowd.submit(store.get, key, compute) for key in range(40)])
    assert 1 <= most[0] <= module.AT_ONCE


def test_bytes_stay_within_the_budget():
    store = Store(1_000_000)
    for key in range(50):
        assert store.get(key, lambda: np.zeros(10_000)).nbytes == 80_000
        assert store._done.currsize <= 1_000_000
    assert 10 <= len(store._done) <= 12
    store.get(49, never)  # the last one used stays
    assert 0 not in store._done


def test_what_is_larger_than_the_budget_is_returned_and_not_kept():
    store = Store(1_000)
    store.get("small", lambda: 1)
    assert len(store.get("large", lambda: np.zeros(1_000))) == 1_000
    assert "large" not in store._done
    assert store.get("small", never) == 1


def test_an_exception_reaches_every_waiter_and_is_not_kept(store, crowd):
    started, go, calls = threading.Event(), threading.Event(), []

    def fail():
        calls.append(1)
        started.set()
        go.wait(PATIENCE_SECONDS)
        raise ValueError("One sentence.")

    first = crowd.submit(store.get, "key", fail)
    assert started.wait(PATIENCE_SECONDS)
    waiting = [crowd.submit(store.get, "key", fail) for _ in range(5)]
    waiting += [store.later("key", fail), store.later("key", fail, urgent=True)]
    go.set()
    for future in [first, *waiting]:
        with pytest.raises(ValueError, match="One sentence"):
            future.result(PATIENCE_SECONDS)
    assert store.get("key", lambda: "mended") == "mended"
    # Whoever came after the failure tried again.
    assert 1 <= len(calls) <= 8


def test_a_failure_leaves_its_place_at_the_gate(store):
    for key in range(3 * module.AT_ONCE):
        with pytest.raises(ZeroDivisionError):
            store.get(key, lambda: 1 // 0)
    assert store.get("key", lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        store.later("other", lambda: 1 // 0).result(PATIENCE_SECONDS)
    assert store.later("other", lambda: 8).result(PATIENCE_SECONDS) == 8


def nested(store, name, depth, urgent):
    """Ask for a chain of results, each from inside the one before, in both ways."""
    if depth == 0:
        return 0
    deeper = lambda: nested(store, name, depth - 1, urgent)  # noqa: E731
    if depth % 2:
        return 1 + store.get((name, depth), deeper)
    return 1 + store.later((name, depth), deeper, urgent=urgent).result(PATIENCE_SECONDS)


@pytest.mark.parametrize("urgent", [False, True])
def test_nested_questions_do_not_wait_for_one_another(store, crowd, urgent):
    # More chains than places at the gate, all of them asking for the same results from inside.
    chains = [
        store.later(("chain", k), lambda: nested(store, "shared", 6, urgent), urgent=bool(k % 2))
        for k in range(4 * module.AT_ONCE)
    ]
    chains += [
        crowd.submit(store.get, ("direct", k), lambda: nested(store, "shared", 6, urgent)) for k in range(8)
    ]
    assert results(chains) == [6] * len(chains)


def test_a_computation_inside_may_ask_for_what_another_one_is_computing(store, crowd):
    inside, go = threading.Event(), threading.Event()

    def slow():
        inside.set()
        go.wait(PATIENCE_SECONDS)
        return "slow"

    holder = crowd.submit(store.get, "slow", slow)
    assert inside.wait(PATIENCE_SECONDS)
    # Computed again there and then: waiting would hold a place that the holder's own parts may need.
    outer = crowd.submit(store.get, "outer", lambda: store.get("slow", lambda: "own"))
    assert outer.result(PATIENCE_SECONDS) == "own"
    go.set()
    assert holder.result(PATIENCE_SECONDS) == "slow"


def test_background_work_waits_in_one_queue_and_urgent_work_does_not(store):
    began, go, order = threading.Event(), threading.Event(), []

    def long():
        began.set()
        go.wait(PATIENCE_SECONDS)
        order.append("long")

    first = store.later("long", long)
    second = store.later("next", lambda: order.append("next"))
    assert store.later("next", never) is second  # asked twice, queued once
    assert began.wait(PATIENCE_SECONDS)
    store.later("urgent", lambda: order.append("urgent"), urgent=True).result(PATIENCE_SECONDS)
    assert not second.done()
    go.set()
    results([first, second])
    assert order == ["urgent", "long", "next"]


def test_sizes_count_the_arrays():
    whole = np.zeros((1_000, 10))
    assert size_of(whole) >= 80_000 and size_of(whole[:2]) >= 80_000  # a view keeps its base
    assert size_of((whole, [whole, 1])) >= 160_000
    assert size_of("text") < 1_000


def test_the_budget_can_be_set(monkeypatch):
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "50")
    assert memory_budget() == 50 * 2**20
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "a lot")
    assert module.SMALLEST_BUDGET <= memory_budget() <= module.LARGEST_BUDGET
