"""The gate of all heavy work: bounded, fair, quick for what is quick, and empty of what nobody looks at."""

import gc
import threading
import time
import weakref

import pytest

from nysviz.ui.work import admission
from nysviz.ui.work import gate as module
from nysviz.ui.work.executor import GateExecutor
from nysviz.ui.work.gate import Gate, has_lapsed, queue_words
from nysviz.ui.work.threads import HEAVY_PRIORITY
from nysviz.ui.work.tickets import COPIES, NobodyLooks, Ticket, current
from nysviz.ui.work.watching import Drawing, Watchers

# Only what hangs comes near it.
PATIENCE_SECONDS = 60


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def quick_work_may_take_long(monkeypatch):
    """Let no work overrun its lane because the machine is busy; tests of that set a time of their own."""
    monkeypatch.setattr(module, "QUICK_SECONDS", float("inf"))


def stays(work, inside):
    """Wait for so many computations at once, and see that no further one begins."""
    until(lambda: work.inside == inside)
    time.sleep(0.3)
    assert work.inside == inside


class Work:
    """Computations that begin, note their names, and end when they are told to."""

    def __init__(self, gate):
        self.gate, self.began, self.go = gate, [], threading.Semaphore(0)
        self.lock, self.inside, self.most = threading.Lock(), 0, 0

    def ask(self, session, name, **settings):
        """Queue one computation of a session; returns its ticket and the drawing that looks at it."""
        watchers, looks = Watchers(), Drawing(session)
        watchers.add(looks)

        def compute():
            with self.lock:
                self.began.append(name)
                self.inside += 1
                self.most = max(self.most, self.inside)
            assert self.go.acquire(timeout=PATIENCE_SECONDS)
            with self.lock:
                self.inside -= 1
            return name

        ticket = Ticket(watchers, compute, **settings)
        self.gate.submit(ticket)
        return ticket, looks

    def one_more(self):
        """Let one computation end and wait for the next one to begin."""
        known = len(self.began)
        self.go.release()
        until(lambda: len(self.began) > known)


@pytest.fixture
def work():
    made = Work(Gate(1))
    yield made
    made.go.release(1_000)
    until(lambda: not made.gate._running and not made.gate._waiting)


def test_no_more_than_the_places_compute_at_once():
    work = Work(Gate(2))
    tickets = [work.ask(f"s{i % 3}", i, heavy=bool(i % 2))[0] for i in range(30)]
    work.go.release(30)
    assert [ticket.future.result(PATIENCE_SECONDS) for ticket in tickets] == list(range(30))
    # Two places in each lane.
    assert 1 <= work.most <= 4


def test_sessions_take_turns(work):
    work.ask("anna", "first")
    for i in range(4):
        work.ask("anna", f"anna {i}")
    for name in ("ben", "cleo"):
        for i in range(2):
            work.ask(name, f"{name} {i}")
    for _ in range(8):
        work.one_more()
    # Anna had her first turn and has asked before the others; her second comes after their first.
    assert work.began == [
        "first", "ben 0", "cleo 0", "anna 0", "ben 1", "cleo 1", "anna 1", "anna 2", "anna 3",
    ]  # fmt: skip


def test_a_page_that_stands_still_keeps_its_place_for_what_it_needs_next(work):
    work.ask("ben", "in the way")
    looks, entered = Drawing("anna"), []

    def page():
        for i in range(3):
            watchers = Watchers()
            watchers.add(looks)
            ticket = Ticket(watchers)
            work.gate.enter(ticket)
            entered.append(i)
            work.gate.leave(ticket)

    thread = threading.Thread(target=page, daemon=True)
    thread.start()
    until(lambda: work.gate._waiting)
    for name in ("cleo", "dora", "emil"):
        work.ask(name, name)
    # Between two things that she needs there is time for one of another session, not for those of all.
    for count, name in ((1, "cleo"), (2, "dora"), (3, "emil")):
        until(lambda: len(work.gate._waiting) == 5 - count)  # noqa: B023
        work.one_more()
        until(lambda: len(entered) == count)  # noqa: B023
        assert work.began[-1] == name
    thread.join(PATIENCE_SECONDS)


def test_the_first_job_of_a_run_keeps_the_place_of_what_made_it(work):
    work.ask("ben", "in the way")
    watchers, began = Watchers(), work.began
    watchers.add(Drawing("anna"))
    executor = GateExecutor(work.gate, watchers)
    made = executor.begin(lambda: began.append("made"))
    for name in ("cleo", "dora"):
        work.ask(name, name)
    work.go.release()
    made.result(PATIENCE_SECONDS)
    until(lambda: began[-1] == "cleo")
    first = executor.submit(lambda: began.append("first job"))
    work.go.release()
    first.result(PATIENCE_SECONDS)
    until(lambda: began[-1] == "dora")
    # The next ones take their turn behind the others: Anna has had hers.
    second = executor.submit(lambda: began.append("second job"))
    work.ask("emil", "emil")
    work.go.release(2)
    second.result(PATIENCE_SECONDS)
    assert began == ["in the way", "made", "cleo", "first job", "dora", "emil", "second job"]


def test_what_was_asked_for_in_advance_comes_after_what_the_same_session_waits_for(work):
    work.ask("anna", "first")
    work.ask("anna", "in advance", patient=True)
    work.ask("anna", "asked for")
    work.one_more()
    work.one_more()
    assert work.began == ["first", "asked for", "in advance"]


def test_ten_moves_of_a_slider_compute_the_first_and_the_last(work, monkeypatch):
    monkeypatch.setattr("nysviz.ui.work.watching.GRACE_SECONDS", 0.2)
    work.ask("ben", "in the way")
    asked = []
    for i in range(10):
        if asked:
            asked[-1][1].over = time.monotonic()  # the page is drawn anew
        asked.append(work.ask("anna", i))
    until(lambda: all(has_lapsed(ticket.future) for ticket, _ in asked[:-1]))
    work.one_more()
    work.go.release(10)
    assert asked[-1][0].future.result(PATIENCE_SECONDS) == 9
    assert work.began == ["in the way", 9]


def test_what_was_drawn_over_waits_until_it_is_asked_for_again(work, monkeypatch):
    monkeypatch.setattr("nysviz.ui.work.watching.GRACE_SECONDS", PATIENCE_SECONDS)
    work.ask("ben", "in the way")
    old, looks = work.ask("anna", "old")
    looks.over = time.monotonic()
    new, _ = work.ask("anna", "new")
    work.one_more()
    assert work.began[-1] == "new"
    old.watchers.add(Drawing("anna"))  # the new drawing asks for it, too
    work.one_more()
    assert work.began[-1] == "old" and not new.future.cancelled()


def test_a_computation_that_nobody_looks_at_ends_at_its_next_checkpoint():
    gate, began, ended = Gate(1), threading.Event(), []
    watchers, looks, other = Watchers(), Drawing("anna"), Drawing("ben")
    watchers.add(looks)
    watchers.add(other)

    def compute():
        began.set()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            current().checkpoint()
            time.sleep(0.01)
        ended.append("too late")

    ticket = Ticket(watchers, compute)
    gate.submit(ticket)
    assert began.wait(PATIENCE_SECONDS)
    watchers.leave("anna")
    time.sleep(0.4)
    assert not ticket.future.done()  # ben goes on
    watchers.leave("ben")
    with pytest.raises(NobodyLooks):
        ticket.future.result(PATIENCE_SECONDS)
    assert has_lapsed(ticket.future) and not ended
    assert gate.running(heavy=False) == gate.running(heavy=True) == 0


def test_block_work_is_a_checkpoint(monkeypatch):
    from nysviz import blocks

    gate, watchers, looks = Gate(1), Watchers(), Drawing("anna")
    watchers.add(looks)
    began, done = threading.Event(), []

    def block(start, stop):
        began.set()
        done.append(start)
        time.sleep(0.01)

    ticket = Ticket(watchers, lambda: blocks.over_blocks(20_000, 1, block))
    gate.submit(ticket)
    assert began.wait(PATIENCE_SECONDS)
    watchers.leave("anna")
    with pytest.raises(NobodyLooks):
        ticket.future.result(PATIENCE_SECONDS)
    assert len(done) < 20_000


def test_a_quick_one_does_not_wait_for_a_slow_one(monkeypatch):
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.1)
    work = Work(Gate(1))
    slow, _ = work.ask("anna", "slow")
    until(lambda: work.began == ["slow"])
    quick = Ticket(slow.watchers, lambda: "quick")
    work.gate.submit(quick)
    assert quick.future.result(PATIENCE_SECONDS) == "quick"
    assert not slow.future.done() and work.gate.running(heavy=True) == 1
    # It has a heavy place now, which heavy work waits for.
    heavy = Ticket(slow.watchers, lambda: "heavy", heavy=True)
    work.gate.submit(heavy)
    time.sleep(0.3)
    assert not heavy.future.done()
    work.go.release()
    assert heavy.future.result(PATIENCE_SECONDS) == "heavy"


def test_what_is_over_in_a_moment_waits_for_no_place():
    work = Work(Gate(1))
    for i in range(2):
        work.ask("anna", f"{i} in the way")
        work.ask("anna", f"{i} heavy", heavy=True)
    for i in range(module.MOST_MOMENTS + 2):
        work.ask(f"s{i}", i, moment=True)
    until(lambda: len(work.began) == 2 + module.MOST_MOMENTS)
    time.sleep(0.2)
    # They take no place from others, and there is an end to them, too.
    assert set(work.began) == {"0 in the way", "0 heavy", *range(module.MOST_MOMENTS)}
    work.go.release(module.MOST_MOMENTS + 6)
    until(lambda: len(work.began) == module.MOST_MOMENTS + 6)


def test_what_was_to_be_over_in_a_moment_becomes_heavy_work_like_any_other(monkeypatch):
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.05)
    work = Work(Gate(1))
    ticket, _ = work.ask("anna", "longer than ever before", moment=True)
    until(lambda: ticket.heavy)
    assert ticket.overrun and not ticket.moment
    work.go.release()


def test_overruns_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.02)
    work = Work(Gate(1))
    tickets = [work.ask(f"s{i}", i)[0] for i in range(12)]
    stays(work, 1 + module.MOST_OVERRUNS)
    work.go.release(12)
    assert [ticket.future.result(PATIENCE_SECONDS) for ticket in tickets] == list(range(12))
    assert work.most <= 1 + module.MOST_OVERRUNS


def test_without_room_in_memory_a_lane_does_one_after_the_other(monkeypatch):
    free = [0]
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: free[0])
    monkeypatch.setattr(admission.budget, "spare_bytes", lambda: 0)
    # 120 for what is heavy, 16 for the rest.
    monkeypatch.setattr(admission.budget, "matrix_bytes", lambda: 40)
    work = Work(Gate(3))
    tickets = [work.ask(f"s{i}", i, heavy=True, settle=0.0)[0] for i in range(4)]
    tickets += [work.ask(f"s{i}", i, settle=0.0)[0] for i in range(4)]
    stays(work, 2)  # one in each lane, whatever there is
    free[0] = 50  # enough for what is quick
    stays(work, 4)
    free[0] = 200
    until(lambda: work.inside == 6)
    work.go.release(8)
    assert sorted(ticket.future.result(PATIENCE_SECONDS) for ticket in tickets) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_room_is_made_while_something_runs_that_may_need_it(monkeypatch):
    monkeypatch.setattr(admission, "ROOM_MATRICES", 1.0)
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: 100)
    monkeypatch.setattr(admission.budget, "matrix_bytes", lambda: 120)
    monkeypatch.setattr(module, "ROOM_SECONDS", 0.0)
    asked = []
    work = Work(Gate(1, asked.append))
    ticket, _ = work.ask("anna", 0, heavy=True, settle=1_000.0)
    until(lambda: asked)
    work.go.release()
    # What has just begun may still take what it says it needs; after that, some room is kept.
    assert ticket.future.result(PATIENCE_SECONDS) == 0 and set(asked) == {COPIES * 120.0 - 100.0}
    asked.clear()
    ticket, _ = work.ask("anna", 0, heavy=True, settle=0.0)
    until(lambda: asked)
    work.go.release()
    assert ticket.future.result(PATIENCE_SECONDS) == 0 and set(asked) == {20.0}
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: 120)
    asked.clear()
    ticket, _ = work.ask("anna", 1, heavy=True, settle=0.0)
    time.sleep(0.5)
    work.go.release()
    assert ticket.future.result(PATIENCE_SECONDS) == 1 and not asked


def test_what_is_large_waits_for_the_other_lane_too_and_is_not_passed_by_it(monkeypatch):
    free, made = [0], []
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: free[0])
    monkeypatch.setattr(admission.budget, "spare_bytes", lambda: 20)
    monkeypatch.setattr(admission.budget, "matrix_bytes", lambda: 40)
    monkeypatch.setattr(module, "ROOM_SECONDS", 0.0)
    monkeypatch.setattr(admission, "PASSED_SECONDS", 1_000.0)
    work = Work(Gate(2, made.append))
    heavy = [work.ask(f"s{i}", f"heavy {i}", heavy=True, settle=0.0)[0] for i in range(3)]
    until(lambda: work.began == ["heavy 0"])
    large = work.ask("lea", "large", matrices=4.0, settle=0.0)[0]
    time.sleep(0.3)
    assert work.began == ["heavy 0"] and work.gate.others_before([large]) == 1
    # Room is made for it, too.
    until(lambda: made and made[-1] == 4.0 * 40 + 20)
    # What is small goes on at first, here with room for it and for heavy work, but none for what is large.
    free[0] = 4 * 40
    small = [work.ask(f"t{i}", f"small {i}", settle=0.0)[0] for i in range(3)]
    until(lambda: set(work.began) == {"heavy 0", "small 0", "small 1"})
    monkeypatch.setattr(admission, "PASSED_SECONDS", 0.0)
    for _ in range(3):
        time.sleep(0.3)
        # Neither heavy work nor small work begins before it now.
        assert len(work.began) == 3
        work.go.release()
    until(lambda: "large" in work.began)
    assert set(work.began[3:4]) == {"large"}
    # Beside it there is room for what is small, and for one that is heavy.
    until(lambda: set(work.began[4:]) == {"small 2", "heavy 1", "heavy 2"})
    # Where there is room it waits for a place alone, which what has been there for long gives away.
    monkeypatch.setattr(module, "QUICK_SECONDS", 0.1)
    free[0] = 1_000
    another = work.ask("lea", "another", matrices=4.0)[0]
    until(lambda: "another" in work.began)
    work.go.release(10)
    for ticket in (*heavy, *small, large, another):
        ticket.future.result(PATIENCE_SECONDS)


def test_what_comes_and_goes_in_a_moment_does_not_hold_up_what_is_large(monkeypatch):
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: 0)
    large, moment, longer = (
        Ticket(Watchers(), matrices=need, moment=short)
        for need, short in ((4.0, False), (0.1, True), (0.1, False))
    )
    assert admission.Admission().has_room(large, [moment])
    assert not admission.Admission().has_room(large, [moment, longer])


def test_where_nothing_is_large_the_lanes_do_not_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: 0)
    work = Work(Gate(2, large=float("inf")))
    tickets = [work.ask("tom", "heavy", heavy=True)[0], work.ask("lea", "large", matrices=40.0)[0]]
    until(lambda: set(work.began) == {"heavy", "large"})
    work.go.release(2)
    for ticket in tickets:
        ticket.future.result(PATIENCE_SECONDS)


def test_memory_that_was_promised_a_moment_ago_is_not_promised_again(monkeypatch):
    monkeypatch.setattr(admission.machine, "free_bytes", lambda: 201)
    monkeypatch.setattr(admission.budget, "spare_bytes", lambda: 0)
    monkeypatch.setattr(admission.budget, "matrix_bytes", lambda: 100 / 3)
    work = Work(Gate(5))
    tickets = [work.ask(f"s{i}", i, heavy=True, settle=1_000.0)[0] for i in range(5)]
    stays(work, 2)
    work.go.release(5)
    assert [ticket.future.result(PATIENCE_SECONDS) for ticket in tickets] == list(range(5))
    assert work.most == 2


def test_two_of_a_group_never_run_together():
    work = Work(Gate(3))
    for i in range(4):
        work.ask("anna", i, heavy=True, group="alone")
    stays(work, 1)
    work.go.release(4)
    until(lambda: len(work.began) == 4 and work.inside == 0)
    assert work.most == 1


def test_the_place_in_the_queue_is_told(work):
    running, _ = work.ask("anna", "running")
    until(lambda: work.began == ["running"])
    mine, _ = work.ask("ben", "mine")
    for i in range(3):
        work.ask("anna", i)
    later, _ = work.ask("cleo", "later")
    assert work.gate.others_before([running]) is None
    assert work.gate.others_before([mine]) == 1
    # Behind what runs and ben; of anna's three nothing comes before the first of a fresh session.
    assert work.gate.others_before([later]) == 2
    work.one_more()
    assert work.gate.others_before([mine]) is None
    assert queue_words(1) == "waiting for 1 other" and queue_words(3) == "waiting for 3 others"


def test_a_failure_gives_its_place_back():
    gate, watchers = Gate(1), Watchers()
    watchers.add(Drawing("anna"))
    for _ in range(3):
        ticket = Ticket(watchers, lambda: 1 // 0)
        gate.submit(ticket)
        with pytest.raises(ZeroDivisionError):
            ticket.future.result(PATIENCE_SECONDS)
    assert gate.running(heavy=False) == 0


def test_without_a_thread_left_a_place_is_given_back_and_a_sentence_said(monkeypatch, caplog):
    gate, watchers = Gate(1), Watchers()
    watchers.add(Drawing("anna"))

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        ticket = Ticket(watchers, lambda: "never")
        gate.submit(ticket)
        with pytest.raises(ValueError, match="too much to do"):
            ticket.future.result(0)
    assert gate.running(heavy=False) == 0 and "RuntimeError" in caplog.text
    # The next one finds the gate as it was, and somebody who tends it.
    ticket = Ticket(watchers, lambda: "done")
    gate.submit(ticket)
    assert ticket.future.result(PATIENCE_SECONDS) == "done"
    assert gate._tending


def test_who_has_nothing_to_see_yet_comes_first_but_not_for_ever(work, monkeypatch):
    work.ask("dora", "in the way", heavy=True)
    work.ask("anna", "goes on", heavy=True, shown=True)
    work.ask("ben", "has been served", heavy=True)
    work.one_more()
    assert work.began == ["in the way", "has been served"]
    monkeypatch.setattr(module, "LATER_SECONDS", 0.0)
    work.ask("cleo", "too late", heavy=True)
    work.one_more()
    work.one_more()
    assert work.began[2:] == ["goes on", "too late"]


def test_the_job_that_a_run_waits_for_is_quick_and_the_others_are_not():
    gate, watchers, shown, go = Gate(1), Watchers(), [False], threading.Event()
    watchers.add(Drawing("anna"))
    executor = GateExecutor(gate, watchers, None, lambda: shown[0])
    first = [executor.submit(go.wait, PATIENCE_SECONDS) for _ in range(3)]
    assert (gate.running(heavy=False), gate.running(heavy=True)) == (1, 1)
    go.set()
    assert all(future.result(PATIENCE_SECONDS) for future in first)
    go.clear()
    shown[0] = True
    later = executor.submit(go.wait, PATIENCE_SECONDS)
    assert (gate.running(heavy=False), gate.running(heavy=True)) == (0, 1)
    go.set()
    assert later.result(PATIENCE_SECONDS)


def test_the_executor_of_a_run_is_one_as_any_other():
    watchers = Watchers()
    watchers.add(Drawing("anna"))
    executor = GateExecutor(Gate(2), watchers)
    assert list(executor.map(lambda x: x * x, range(20))) == [x * x for x in range(20)]
    assert executor.others_before() is None


@pytest.mark.parametrize("ends", ["well", "unseen"])
def test_the_executor_of_a_run_keeps_nothing_of_a_job_that_is_over(ends):
    class Matrix:
        pass

    seen = []

    def job():
        matrix = Matrix()
        seen.append(weakref.ref(matrix))
        if ends == "unseen":
            raise NobodyLooks
        return matrix

    watchers = Watchers()
    watchers.add(Drawing("anna"))
    executor = GateExecutor(Gate(2), watchers)
    future = executor.submit(job)
    if ends == "well":
        future.result(60)
        del future
    else:
        with pytest.raises(NobodyLooks):
            future.result(60)
    deadline = time.monotonic() + 60
    while seen[0]() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
        gc.collect()
    assert seen[0]() is None
    assert executor.others_before() is None


def test_heavy_work_gives_way():
    import os
    import sys

    if sys.platform != "linux":
        pytest.skip("Threads have a priority of their own on Linux only.")
    watchers = Watchers()
    watchers.add(Drawing("anna"))
    gate = Gate(1)
    priority = lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())  # noqa: E731
    tickets = [Ticket(watchers, priority, heavy=heavy) for heavy in (False, True)]
    for ticket in tickets:
        gate.submit(ticket)
    quick, heavy = (ticket.future.result(PATIENCE_SECONDS) for ticket in tickets)
    assert heavy == max(quick, HEAVY_PRIORITY)
