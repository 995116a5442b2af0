"""The queue of all heavy work: bounded, fair, quick for what is quick, and empty of what nobody waits for."""

import os
import sys
import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from nysviz.engine import queue as module
from nysviz.engine.queue import LOW_PRIORITY, Queue
from nysviz.engine.task import has_lapsed
from nysviz.refusal import Refusal
from tests.engine.conftest import Session, Work, until

MATRIX = 10_000_000


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    here = SimpleNamespace(now=0.0, free=10**12)
    monkeypatch.setattr(module.time, "monotonic", lambda: here.now)
    monkeypatch.setattr(module.memory, "matrix_bytes", lambda: MATRIX)
    monkeypatch.setattr(module.machine, "free_bytes", lambda: here.free)
    monkeypatch.setattr(module, "SPARE_SHARE", 0.0)
    return here


@pytest.mark.parametrize("places, group, every, most", [(2, None, 2, 3), (4, None, 1, 2), (4, "alone", 2, 1)])
def test_no_more_compute_at_once_than_both_lanes_or_a_group_have_places(places, group, every, most):
    work = Work(Queue(places))
    for i in range(12):
        work.ask(f"{i % 3} {i}", long=i % every == 0, group=group)
    for _ in range(3):
        work.stays(most)
        work.one_more()
    work.end()
    assert work.most == most and len(work.ended) == 12


@pytest.mark.parametrize(
    "seconds, asked, served",
    [
        # Anna had her first turn and has asked before the others; her second comes after their first.
        (0.0, "anna anna anna anna ben ben cleo cleo", "anna ben cleo anna ben cleo anna anna"),
        # Who has used more seconds comes later.
        (0.5, "anna anna ben anna ben anna ben", "anna ben ben ben anna anna anna"),
    ],
)
def test_sessions_take_turns(work, machine, seconds, asked, served):
    for name in asked.split():
        work.ask(name)
    machine.now += seconds
    work.end()
    assert " ".join(work.began) == served


def test_it_is_crowded_where_more_sessions_wait_than_there_are_places():
    work = Work(Queue(1))
    work.ask("anna")
    for _ in range(3):
        work.ask("ben")
    # One computes, and one waits, whatever he asks for.
    assert not work.queue.is_crowded()
    work.ask("cleo")
    assert work.queue.is_crowded()
    work.end()
    assert not work.queue.is_crowded()


def test_who_was_away_has_saved_nothing(work, machine):
    for _ in range(3):
        work.ask("ben")
    for _ in range(2):
        machine.now += 1.0
        work.one_more()
    # Anna comes after two seconds of Ben's work, and does not have two seconds before his next.
    for name in ("anna 0", "anna 1", "ben again"):
        work.ask(name)
    work.one_more()
    # In less than a second: what takes more gives its place free, and another may begin.
    machine.now += 0.5
    work.one_more()
    assert work.began[3:] == ["anna 0", "ben again"]


def test_of_ten_moves_of_a_slider_the_last_is_computed_and_what_is_asked_for_again(work):
    work.ask("in the way")
    drawings = [Session() for _ in range(10)]
    tasks = [work.ask(f"{i}", drawing) for i, drawing in enumerate(drawings)]
    for drawing in drawings[1:-1]:
        drawing.here = False
    drawings[0].newest = False  # the page is drawn anew, and may ask for the same
    until(lambda: all(has_lapsed(task.future) for task in tasks[1:-1]))
    work.one_more()
    tasks[0].waiters.add(Session())
    work.end()
    assert work.began == ["in the way", "9", "0"]


def test_what_takes_long_gives_its_place_away_but_not_for_ever(work, machine):
    for i in range(5):
        work.ask(f"anna {i}")
    for inside in (1, 2, 3, 3):
        work.stays(inside)
        machine.now += 2.0
    assert work.began == ["anna 0", "anna 1", "anna 2"]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities on Linux alone")
def test_jobs_hold_nobody_up_and_give_way_as_does_what_takes_long(work, machine):
    jobs = [work.ask("anna job", long=True) for _ in range(3)]
    quick = work.ask("ben quick")
    work.stays(2)
    assert sorted(work.began) == ["anna job", "ben quick"]
    assert os.getpriority(os.PRIO_PROCESS, jobs[0].thread) >= LOW_PRIORITY
    assert os.getpriority(os.PRIO_PROCESS, quick.thread) < LOW_PRIORITY
    machine.now += 2.0
    until(lambda: os.getpriority(os.PRIO_PROCESS, quick.thread) >= LOW_PRIORITY)


def test_what_has_no_room_in_memory_waits_and_only_what_is_small_goes_past_it(machine):
    asked = []
    work = Work(Queue(3, lambda wanted: asked.append(wanted) or 0.0))
    machine.free = 2 * MATRIX
    work.ask("first", holds=MATRIX)
    large = work.ask("large", holds=1.5 * MATRIX)
    work.ask("other", holds=0.5 * MATRIX)
    work.ask("job", holds=0.5 * MATRIX, long=True)
    work.ask("small", holds=0.05 * MATRIX)
    work.stays(2)
    assert sorted(work.began) == ["first", "small"]
    until(lambda: max(asked) == 0.55 * MATRIX)
    # Alone it begins however little room there is.
    machine.free = 0
    work.go.release(2)
    until(lambda: large.begun_at is not None)
    work.end()


def test_without_a_thread_left_a_place_is_given_back_and_a_sentence_said(work, monkeypatch, caplog):
    work.ask("first")
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
    task = work.ask("refused", long=True)
    with pytest.raises(Refusal, match="too much to do"):
        task.future.result(0)
    assert len(work.queue.running) == 1 and "no thread could be started" in caplog.text
