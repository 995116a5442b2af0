"""Runs that sessions share: watched, left, stopped, resumed."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from nysviz.sweep import Job
from nysviz.ui import running as module
from nysviz.ui.running import Run, _Cells

PATIENCE_SECONDS = 20.0


class Gate:
    """Jobs that each wait to be let through."""

    def __init__(self, count):
        self.count, self.ran = count, []
        self.passes = threading.Semaphore(0)

    def jobs(self):
        def work(i):
            assert self.passes.acquire(timeout=PATIENCE_SECONDS)
            self.ran.append(i)
            return (i,)

        return [Job(("job", i), "kind", 1.0, lambda i=i: work(i)) for i in range(self.count)]

    def open(self, count):
        for _ in range(count):
            self.passes.release()


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def executor():
    with ThreadPoolExecutor(1) as workers:
        yield workers


def make(gate, executor, cells=None):
    run = Run("key", executor, {} if cells is None else cells)
    run.make = gate.jobs
    return run


def test_records_come_in_one_by_one(executor):
    gate = Gate(3)
    run = make(gate, executor)
    assert run.records() == () and not run.done
    run.watch("anna")
    for i in range(3):
        gate.open(1)
        until(lambda i=i: len(run.records()) == i + 1)
        assert run.progress.done == i + 1
    until(lambda: run.done)
    assert run.records() == (0, 1, 2)


def test_two_sessions_watch_one_computation(executor):
    gate = Gate(2)
    run = make(gate, executor)
    run.watch("anna")
    run.watch("ben")
    gate.open(1)
    until(lambda: len(run.records()) == 1)
    run.leave("anna")  # ben still waits
    gate.open(1)
    until(lambda: run.done)
    assert gate.ran == [0, 1]


def test_a_run_ends_when_the_last_session_leaves_and_goes_on_when_one_comes_back(executor):
    gate = Gate(20)
    cells = {}
    run = make(gate, executor, cells)
    run.watch("anna")
    gate.open(3)
    until(lambda: len(run.records()) >= 3)
    run.leave("anna")
    gate.open(2)  # for the jobs that were handed out
    until(lambda: not run._going)
    seen = len(run.records())
    assert not run.done and 3 <= seen < 20
    assert len(gate.ran) <= 3 + 2 * 4
    run.make = gate.jobs
    run.watch("anna")
    gate.open(40)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(20))
    # What was there did not run again; a job that was in flight when the session left may have.
    assert len(gate.ran) <= 20 + 2 * 4
    assert gate.ran.count(0) == 1


def test_a_session_that_is_not_heard_of_counts_as_gone(executor, monkeypatch):
    monkeypatch.setattr(module, "WATCH_SECONDS", 0.05)
    gate = Gate(30)
    run = make(gate, executor)
    run.watch("anna")
    time.sleep(0.1)
    gate.open(30)
    until(lambda: not run._going)
    assert not run.done and len(run.records()) < 30


def test_a_failure_is_one_sentence(executor, caplog):
    def refuse():
        raise ValueError("m = 0; a number of landmarks from 1 is needed.")

    def fail():
        raise ZeroDivisionError("secret detail")

    for make_jobs, sentence in ((refuse, "m = 0"), (fail, "The computation failed")):
        run = Run("key", executor, {})
        run.make = make_jobs
        run.watch("anna")
        until(lambda run=run: run.done)
        assert run.problem.startswith(sentence) and "secret" not in run.problem
    assert "secret detail" in caplog.text  # for the operator


def test_cells_are_bounded_in_bytes():
    cells = _Cells(20_000)
    for i in range(1_000):
        cells[i] = tuple(range(10))
    assert 5 < len(cells) < 100
    assert 999 in cells and 0 not in cells
    with pytest.raises(KeyError):
        cells[0]
