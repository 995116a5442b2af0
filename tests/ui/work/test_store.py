"""The shared store: each result is computed once, kept within its bytes, and nobody waits for ever."""

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import plotly.graph_objects as go
import pytest

import nysviz as nv
from nysviz import memory
from nysviz.refusal import Refusal
from nysviz.ui.work import budget, watching
from nysviz.ui.work import store as store_module
from nysviz.ui.work.gate import Gate, has_lapsed
from nysviz.ui.work.pace import MOMENT_SECONDS
from nysviz.ui.work.sizes import size_of
from nysviz.ui.work.store import Store
from nysviz.ui.work.tickets import COPIES, QUICK_COPIES, SETTLE_SECONDS
from nysviz.ui.work.warming import settle_objects
from nysviz.ui.work.watching import Drawing

# Only what hangs comes near it.
PATIENCE_SECONDS = 60


PLACES = 2


@pytest.fixture
def store():
    return Store(10_000_000, Gate(PLACES))


@pytest.fixture
def crowd():
    with ThreadPoolExecutor(16) as pool:
        yield pool


def never():
    raise AssertionError("This result was cached already.")


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


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
    assert 1 <= most[0] <= PLACES


def test_bytes_stay_within_the_budget():
    store = Store(1_000_000)
    for key in range(50):
        assert store.get(key, lambda: np.zeros(10_000)).nbytes == 80_000
        assert store._done.bytes <= 1_000_000
    assert 8 <= len(store._done) <= 9  # a quarter is kept for what is small
    store.get(49, never)  # the last one used stays
    assert 0 not in store._done


def test_large_results_do_not_push_out_small_ones():
    store = Store(1_000_000)
    for key in range(20):
        store.get(("small", key), lambda: "worth some seconds")
    for key in range(50):
        store.get(("large", key), lambda: np.zeros(10_000))
    for key in range(20):
        assert store.get(("small", key), never) == "worth some seconds"
    for key in range(5_000):
        store.get(("small", key), lambda: "worth some seconds")
    assert store._done.bytes <= 1_000_000 and ("small", 0) not in store._done


def test_what_is_larger_than_the_budget_is_returned_and_not_kept():
    store = Store(1_000)
    store.get("small", lambda: 1)
    assert len(store.get("large", lambda: np.zeros(1_000))) == 1_000
    assert "large" not in store._done
    assert store.get("small", never) == 1


def test_what_was_forgotten_and_is_still_in_use_is_not_computed_a_second_time():
    store = Store(1_000_000)
    held = store.get("held", lambda: np.zeros(10_000))
    for key in range(50):
        store.get(key, lambda: np.zeros(10_000))
    assert "held" in store._done and "held" not in list(store._done)
    assert store.later("held", never).result(0) is held and "held" in list(store._done)
    for key in range(50, 100):
        store.get(key, lambda: np.zeros(10_000))
    del held
    assert "held" not in store._done
    assert store.get("held", lambda: "anew") == "anew"


def test_an_exception_reaches_every_waiter_and_is_not_kept(store, crowd):
    started, go, calls = threading.Event(), threading.Event(), []

    def fail():
        calls.append(1)
        started.set()
        go.wait(PATIENCE_SECONDS)
        raise Refusal("One sentence.")

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


def test_what_failed_a_moment_ago_is_not_begun_again(store, monkeypatch):
    calls = []

    def refuse():
        calls.append(1)
        raise Refusal("One sentence.")

    looks = Drawing("anna")
    monkeypatch.setattr(watching, "drawing", lambda: looks)
    for _ in range(3):
        # A page waits, is drawn anew when the future is done, and asks again.
        with pytest.raises(ValueError, match="One sentence"):
            store.later("bad", refuse).result(PATIENCE_SECONDS)
        until(lambda: not store._running)
    assert calls == [1]
    # A page that shows it adds its own frames, with all they hold, to what it raises.
    assert store._failed["bad"].__traceback__ is None
    store._failed.clear()
    # Later the memory may be free that was not: it is tried again.
    assert store.later("bad", lambda: "there").result(PATIENCE_SECONDS) == "there"


def test_what_was_stopped_is_begun_again_when_it_is_asked_for(store, monkeypatch):
    looks, stop, goes = Drawing("anna"), threading.Event(), threading.Event()
    monkeypatch.setattr(watching, "drawing", lambda: looks)

    def compute():
        goes.set()
        assert stop.wait(PATIENCE_SECONDS)
        raise Refusal("Stopped.")

    future = store.later("long", compute)
    assert goes.wait(PATIENCE_SECONDS)
    store.stop(future)
    stop.set()
    with pytest.raises(ValueError, match="Stopped"):
        future.result(PATIENCE_SECONDS)
    until(lambda: not store._running)
    assert store.later("long", lambda: "there").result(PATIENCE_SECONDS) == "there"


def test_a_failure_leaves_its_place_at_the_gate(store):
    for key in range(3 * PLACES):
        with pytest.raises(ZeroDivisionError):
            store.get(key, lambda: 1 // 0)
    assert store.get("key", lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        store.later("other", lambda: 1 // 0).result(PATIENCE_SECONDS)
    assert store.later("another", lambda: 8).result(PATIENCE_SECONDS) == 8


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
        for k in range(4 * PLACES)
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
    assert 80_000 <= size_of((whole, [whole, 1])) < 90_000  # once, however often it is held
    assert size_of((whole, whole.copy())) >= 160_000
    assert size_of("text") < 1_000


def test_the_budget_can_be_set(monkeypatch):
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "50")
    assert budget.memory_budget() == 50 * 2**20
    parts = budget.results_bytes() + budget.records_bytes() + budget.uploads_bytes()
    assert 0.99 * 50 * 2**20 <= parts <= 50 * 2**20
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "a lot")
    assert budget.SMALLEST <= budget.memory_budget() <= budget.LARGEST


class Session:
    """Stands for the page of one session: what the store asks of, and who stops."""

    def __init__(self, monkeypatch):
        self._patch = monkeypatch
        self.drawings = {}

    def __call__(self, name):
        self.drawings.setdefault(name, Drawing(name))
        self._patch.setattr("nysviz.ui.work.watching.drawing", lambda: self.drawings[name])


@pytest.fixture
def session(monkeypatch):
    return Session(monkeypatch)


class Slow:
    """A computation with checkpoints that ends when it is told to."""

    def __init__(self):
        self.go, self.began, self.calls = threading.Event(), threading.Event(), 0

    def __call__(self):
        from nysviz.ui.work.tickets import current

        self.calls += 1
        self.began.set()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.go.wait(0.01):
            current().checkpoint()
            assert time.monotonic() < deadline
        return "there"


def test_who_stops_stops_for_herself_alone(store, session):
    slow, key = Slow(), ("approximation", "digest", 100)
    session("anna")
    hers = store.later(key, slow, urgent=True)
    session("ben")
    his = store.later(key, slow, urgent=True)
    assert slow.began.wait(PATIENCE_SECONDS)
    session("anna")
    store.stop(hers)
    assert not his.done()
    slow.go.set()
    assert his.result(PATIENCE_SECONDS) == "there" and slow.calls == 1


def test_a_stop_by_the_last_one_ends_the_computation_and_it_may_be_asked_for_again(store, session):
    slow = Slow()
    session("anna")
    asked = store.later("key", slow, urgent=True)
    assert slow.began.wait(PATIENCE_SECONDS)
    store.stop(asked)
    until(lambda: has_lapsed(asked))
    slow.go.set()
    assert store.later("key", slow, urgent=True).result(PATIENCE_SECONDS) == "there"


def test_what_waits_and_is_dropped_leaves_no_trace(store, session, monkeypatch):
    slow = Slow()
    session("ben")
    in_the_way = [store.later(("slow", i), slow, urgent=True) for i in range(PLACES)]
    monkeypatch.setattr("nysviz.ui.work.watching.GRACE_SECONDS", 0.1)
    session("anna")
    asked = [store.later(("asked", i), never, urgent=True) for i in range(9)]
    session.drawings["anna"].over = time.monotonic()
    until(lambda: all(map(has_lapsed, asked)))
    until(lambda: len(store._running) == PLACES)
    slow.go.set()
    assert results(in_the_way) == ["there"] * PLACES


def test_a_session_that_has_gone_is_not_computed_for(store, session, monkeypatch):
    here = {"anna", "ben"}
    monkeypatch.setattr("nysviz.ui.work.watching.is_here", lambda name: name in here)
    slow = Slow()
    session("anna")
    asked = store.later("key", slow, urgent=True)
    assert slow.began.wait(PATIENCE_SECONDS)
    here.remove("anna")
    until(lambda: has_lapsed(asked))
    # Whoever asks next gets it.
    slow.go.set()
    session("ben")
    assert store.later("key", slow, urgent=True).result(PATIENCE_SECONDS) == "there"


def test_a_result_of_a_part_of_what_another_session_stopped_is_computed_again(store, session, crowd):
    """Ben waits for a part of what Anna's computation works out: her stop is not his."""
    slow = Slow()
    session("anna")
    whole = store.later("whole", lambda: store.get("part", slow), urgent=True)
    assert slow.began.wait(PATIENCE_SECONDS)
    session("ben")
    his = crowd.submit(store.get, "part", slow)
    until(lambda: "ben" in store._running["part"].ticket.watchers.sessions())
    session("anna")
    store.stop(whole)
    time.sleep(0.3)
    session("ben")
    slow.go.set()
    assert his.result(PATIENCE_SECONDS) == "there" and slow.calls == 1


def test_under_a_shortage_the_cache_shrinks(store, monkeypatch):
    for key in range(80):
        store.get(key, lambda: np.zeros(10_000))
    assert store._done.bytes > 0.5 * 10_000_000
    assert budget.warning() is None
    monkeypatch.setattr(memory.Shortage, "is_on", lambda self: True)
    store.get("one more", lambda: np.zeros(10_000))
    assert store._done.bytes <= budget.SHORT_SHARE * 10_000_000
    assert budget.warning() is not None and memory.held_rows() <= memory.SHORT_ROWS
    store.get("one more", never)


def test_room_is_made_by_the_oldest_large_results_first(monkeypatch):
    monkeypatch.setattr("nysviz.ui.work.admission.ROOM_MATRICES", 1.0)
    monkeypatch.setattr("nysviz.ui.work.admission.budget.matrix_bytes", lambda: 10_000_000)
    free = [2**40]
    monkeypatch.setattr("nysviz.machine.free_bytes", lambda: free[0])
    store = Store(10_000_000)
    for name in ("old", "middle", "new"):
        store.get(name, lambda: np.zeros(200_000))  # 1.6 MB
    store.get("small", lambda: np.zeros(100))
    free[0] = 8_000_000  # 2 MB less than what may be needed
    go = threading.Event()
    asked = store.later("asked", lambda: go.wait(PATIENCE_SECONDS) and 1, urgent=True)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "middle" in store._done and time.monotonic() < deadline:
        time.sleep(0.01)
    free[0] = 2**40
    go.set()
    assert asked.result(PATIENCE_SECONDS) == 1
    assert "old" not in store._done and "middle" not in store._done and "small" in store._done
    store.get("small", never)


def test_most_small_results_stay_however_much_room_is_wanted():
    store = Store(1_000_000)
    for key in range(40):
        store.get(("small", key), lambda: np.zeros(600))  # 4.8 kB each, of 250 kB
    store.get("large", lambda: np.zeros(50_000))
    store._make_room(10**9)
    assert "large" not in store._done
    assert ("small", 0) not in store._done and ("small", 39) in store._done
    assert 100_000 < store._done.bytes <= 125_000


def test_figures_and_nested_results_are_weighed():
    frame = go.Frame(data=[go.Scatter(y=np.ones(50_000))])
    figure = go.Figure(go.Scatter(y=np.zeros(100_000)), frames=[frame])
    assert 1_200_000 <= size_of(figure) < 4_000_000
    assert size_of({"a": np.zeros(1_000), "b": [np.zeros(1_000)]}) >= 16_000
    shared = np.zeros(1_000)
    assert size_of([shared, shared, shared[:10]]) < 9_500
    approximation = nv.approximate(np.random.default_rng(0).random((500, 3)), nv.Gaussian(1.0), m=20)
    assert size_of(approximation) >= 8 * 500 * 20


def test_what_is_loaded_is_searched_no_more_and_new_garbage_is_found():
    class Part:
        pass

    try:
        settle_objects()
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects()) < gc.get_freeze_count()
        one, other = Part(), Part()
        one.other, other.one = other, one
        seen = weakref.ref(one)
        del one, other
        gc.collect()
        assert seen() is None
    finally:
        gc.unfreeze()


def test_what_has_always_been_over_in_a_moment_waits_for_no_place(monkeypatch):
    asked = []
    kept = Store(10**6)
    monkeypatch.setattr(kept.gate, "enter", lambda ticket, meanwhile: asked.append(ticket.moment))
    monkeypatch.setattr(kept.gate, "leave", lambda ticket: None)
    for i in range(3):
        kept.get(("short", i), lambda: 1)
        kept.get(("long", i), lambda: time.sleep(2 * MOMENT_SECONDS))
    assert asked == [False, False, True, False, True, False]
    # One long result is remembered for a while.
    kept._pace.note("short", 2.8 * MOMENT_SECONDS)
    for i in range(3, 9):
        kept.get(("short", i), lambda: 1)
    assert asked[6:] == [*[False] * 5, True]


def test_work_is_weighed_by_the_rows_that_the_page_shows(monkeypatch):
    asked = []
    kept = Store(10**6)
    monkeypatch.setattr(kept.gate, "enter", lambda ticket, meanwhile: asked.append(ticket.matrices))
    monkeypatch.setattr(kept.gate, "leave", lambda ticket: None)
    most = int((budget.matrix_bytes() / 8) ** 0.5)
    for i, rows in enumerate((None, most, most // 2, 1, 10 * most)):
        monkeypatch.setattr(store_module.watching, "rows", lambda rows=rows: rows)
        kept.get(("weighed", i), lambda: 1)
    shares = np.array(asked) / QUICK_COPIES
    assert shares == pytest.approx([1.0, 1.0, 0.25, budget.LEAST_NEED, 1.0], abs=1e-3)


def test_work_that_holds_more_says_so(monkeypatch):
    asked = []
    kept = Store(10**6)
    monkeypatch.setattr(kept.gate, "submit", lambda ticket: asked.append(ticket.matrices))
    monkeypatch.setattr(kept.gate, "enter", lambda ticket, meanwhile: asked.append(ticket.matrices))
    monkeypatch.setattr(kept.gate, "leave", lambda ticket: None)
    whole = budget.matrix_bytes()
    kept.get(("told", 0), lambda: 1, holds=5.0 * whole)
    kept.later(("told", 1), lambda: 1, urgent=True, holds=4.0 * whole)
    kept.later(("told", 2), lambda: 1, holds=0.1 * whole)
    assert asked == pytest.approx([5.0, 4.0, COPIES])


def test_what_is_large_is_no_moment_and_takes_its_time_to_fill_its_memory(monkeypatch):
    asked = []
    kept = Store(10**6)
    monkeypatch.setattr(kept.gate, "enter", lambda ticket, meanwhile: asked.append(ticket))
    monkeypatch.setattr(kept.gate, "leave", lambda ticket: None)
    for i in range(6):
        kept.get(("short", i), lambda: 1, holds=4.0 * budget.matrix_bytes() if i > 3 else 0.0)
    assert [ticket.moment for ticket in asked] == [False, True, True, True, False, False]
    assert {ticket.settle for ticket in asked[:4]} == {SETTLE_SECONDS}
    assert {ticket.settle for ticket in asked[4:]} == {store_module.LARGE_SETTLE_SECONDS}
