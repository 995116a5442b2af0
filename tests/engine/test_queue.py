"""The queue of all heavy work: bounded, fair, quick for what is quick, and empty of what nobody waits for."""

import os
import sys
import threading
from types import SimpleNamespace

import pytest

from nysviz import blocks
from nysviz.engine import queue as module
from nysviz.engine.queue import LOW_PRIORITY, Queue
from nysviz.engine.task import NobodyWaits, Task, Waiters, has_lapsed
from nysviz.refusal import Refusal
from tests.engine.asking import PATIENCE_SECONDS, Session, Work, until

MATRIX = 10_000_000


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    here = SimpleNamespace(now=0.0, free=10**12)
    monkeypatch.setattr(module.time, "monotonic", lambda: here.now)
    monkeypatch.setattr(module.memory, "matrix_bytes", lambda: MATRIX)
    monkeypatch.setattr(module.machine, "free_bytes", lambda: here.free)
    monkeypatch.setattr(module, "SPARE_SHARE", 0.0)
    return here


@pytest.fixture
def work():
    made = Work(Queue(1))
    yield made
    made.go.release(1_000)
    until(lambda: not made.queue._running and not made.queue._waiting)


def test_no_more_than_the_places_of_both_lanes_compute_at_once():
    work = Work(Queue(2))
    tasks = [work.ask(f"s{i % 3}", i, long=bool(i % 2)) for i in range(30)]
    work.go.release(30)
    assert [task.future.result(PATIENCE_SECONDS) for task in tasks] == list(range(30))
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


def test_who_has_used_more_seconds_comes_later(work, machine):
    work.ask("anna", "long")
    for i in range(3):
        work.ask("anna", f"anna {i}")
        work.ask("ben", f"ben {i}")
    machine.now += 0.5
    for _ in range(6):
        work.one_more()
    assert work.began == ["long", "ben 0", "ben 1", "ben 2", "anna 0", "anna 1", "anna 2"]


def test_who_was_away_has_saved_nothing(work, machine):
    for i in range(3):
        work.ask("ben", i)
    machine.now += 1.0
    work.one_more()
    machine.now += 1.0
    work.one_more()
    # Anna comes after two seconds of Ben's work, and does not have two seconds before his next.
    for i in range(2):
        work.ask("anna", f"anna {i}")
    work.ask("ben", "again")
    work.one_more()
    # In less than a second: what takes more gives its place free, and another may begin.
    machine.now += 0.5
    work.one_more()
    assert work.began[3:] == ["anna 0", "again"]


def test_ten_moves_of_a_slider_compute_the_first_and_the_last(work):
    work.ask("ben", "in the way")
    drawings = [Session() for _ in range(10)]
    tasks = []
    for i, drawing in enumerate(drawings):
        tasks.append(work.ask(drawing, i))
        if i < 9:
            drawing.here = False  # the page is drawn anew
    until(lambda: all(has_lapsed(task.future) for task in tasks[:-1]))
    work.one_more()
    work.go.release(10)
    assert tasks[-1].future.result(PATIENCE_SECONDS) == 9 and work.began == ["in the way", 9]


def test_what_was_drawn_over_waits_until_it_is_asked_for_again(work):
    work.ask("ben", "in the way")
    before = Session()
    old = work.ask(before, "old")
    before.newest = False
    new = work.ask("anna", "new")
    work.one_more()
    assert work.began[-1] == "new"
    old.waiters.add(Session())
    work.one_more()
    assert work.began[-1] == "old" and not new.future.cancelled()


def test_a_computation_that_nobody_waits_for_ends_at_its_next_checkpoint(work, monkeypatch):
    monkeypatch.setattr("nysviz.engine.task.LOOK_SECONDS", -1.0)
    task = work.ask("anna", "asked")
    task.waiters.add(Session("ben"))
    until(lambda: work.began)
    task.waiters.leave("anna")
    work.stays(1)  # ben goes on
    task.waiters.leave("ben")
    with pytest.raises(NobodyWaits):
        task.future.result(PATIENCE_SECONDS)
    assert has_lapsed(task.future) and not work.queue._running


def test_block_work_is_a_checkpoint(monkeypatch):
    monkeypatch.setattr("nysviz.engine.task.LOOK_SECONDS", -1.0)
    waiters, began, done, go = Waiters(), threading.Event(), [], threading.Event()
    waiters.add(Session())

    def block(start, stop):
        began.set()
        done.append(start)
        go.wait(PATIENCE_SECONDS)

    task = Task(lambda: blocks.over_blocks(20_000, 1, block), waiters)
    Queue(1).submit(task)
    assert began.wait(PATIENCE_SECONDS)
    waiters.leave("anna")
    go.set()
    with pytest.raises(NobodyWaits):
        task.future.result(PATIENCE_SECONDS)
    assert len(done) < 20_000


def test_what_takes_long_gives_its_place_away_but_not_for_ever(work, machine):
    for i in range(5):
        work.ask("anna", i)
    for inside in (1, 2, 3, 3):
        work.stays(inside)
        machine.now += 2.0
    assert work.began == [0, 1, 2]


def test_a_sweep_does_not_hold_up_what_a_visitor_waits_for(work):
    for i in range(3):
        work.ask("anna", f"job {i}", long=True)
    work.ask("ben", "quick")
    work.stays(2)
    assert work.began == ["job 0", "quick"]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities on Linux alone")
def test_jobs_and_what_takes_long_give_way(work, machine):
    job, quick = work.ask("anna", "job", long=True), work.ask("ben", "quick")
    work.stays(2)
    assert os.getpriority(os.PRIO_PROCESS, job.thread) >= LOW_PRIORITY
    assert os.getpriority(os.PRIO_PROCESS, quick.thread) < LOW_PRIORITY
    machine.now += 2.0
    until(lambda: os.getpriority(os.PRIO_PROCESS, quick.thread) >= LOW_PRIORITY)


def test_what_has_no_room_in_memory_waits_and_only_what_is_small_goes_past_it(machine):
    asked = []
    work = Work(Queue(3, lambda wanted: asked.append(wanted) or 0.0))
    machine.free = 2 * MATRIX
    work.ask("anna", "first", holds=MATRIX)
    large = work.ask("ben", "large", holds=1.5 * MATRIX)
    work.ask("cleo", "other", holds=0.5 * MATRIX)
    work.ask("cleo", "job", holds=0.5 * MATRIX, long=True)
    work.ask("dora", "small", holds=0.05 * MATRIX)
    work.stays(2)
    assert work.began == ["first", "small"] and max(asked) == 0.55 * MATRIX
    work.go.release(2)
    until(lambda: large.begun is not None)
    work.go.release(9)
    until(lambda: not work.queue._running and not work.queue._waiting)


def test_what_is_alone_begins_however_little_room_there_is(machine):
    machine.free = 0
    work = Work(Queue(2))
    work.ask("anna", "large", holds=100 * MATRIX)
    until(lambda: work.began)
    work.go.release()


def test_two_of_a_group_never_run_together():
    work = Work(Queue(4))
    for i in range(6):
        work.ask(f"s{i}", i, group="alone")
    for _ in range(5):
        work.stays(1)
        work.one_more()
    work.go.release()
    assert work.most == 1


def test_without_a_thread_left_a_place_is_given_back_and_a_sentence_said(monkeypatch, caplog):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    work = Work(Queue(1))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        task = work.ask("anna", "refused")
    with pytest.raises(Refusal, match="too much to do"):
        task.future.result(0)
    assert not work.queue._running and "no thread could be started" in caplog.text
