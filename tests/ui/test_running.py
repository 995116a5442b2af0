"""Runs that sessions share: watched, left, stopped, resumed."""

import gc
import threading
import time
import weakref

import pytest

from nysviz.refusal import Refusal
from nysviz.sweep import Job
from nysviz.ui.work import runs as module
from nysviz.ui.work.gate import Gate
from nysviz.ui.work.runs import Cells, Run, Runs
from nysviz.ui.work.watching import Drawing

PATIENCE_SECONDS = 120.0


class Jobs:
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


def tickets(gate):
    with gate._lock:
        return {*gate._running, *gate._waiting}


@pytest.fixture
def heavy():
    return Gate(1)


@pytest.fixture
def turns():
    return Gate(2)


def make(gate, heavy, turns, cells=None, key="key"):
    run = Run(key, heavy, turns, {} if cells is None else cells)
    run.make = gate.jobs
    return run


def test_records_come_in_one_by_one(heavy, turns):
    gate = Jobs(3)
    run = make(gate, heavy, turns)
    assert run.records() == () and not run.done
    run.watch(Drawing("anna"))
    for i in range(3):
        gate.open(1)
        until(lambda i=i: len(run.records()) == i + 1)
        assert run.progress.done == i + 1
    until(lambda: run.done)
    assert sorted(run.records()) == [0, 1, 2]


def test_two_sessions_watch_one_computation(heavy, turns):
    gate = Jobs(2)
    run = make(gate, heavy, turns)
    run.watch(Drawing("anna"))
    run.watch(Drawing("ben"))
    gate.open(1)
    until(lambda: len(run.records()) == 1)
    run.leave("anna")  # ben still waits
    gate.open(1)
    until(lambda: run.done)
    assert gate.ran == [0, 1]


def test_a_run_ends_when_the_last_session_leaves_and_goes_on_when_one_comes_back(heavy, turns):
    gate = Jobs(20)
    cells = {}
    run = make(gate, heavy, turns, cells)
    run.watch(Drawing("anna"))
    gate.open(3)
    until(lambda: len(run.records()) >= 3)
    run.leave("anna")
    gate.open(2)  # for the jobs that were handed out
    until(lambda: not run._going)
    seen = len(run.records())
    assert not run.done and 3 <= seen < 20
    assert len(gate.ran) <= 3 + 2 * 4
    run.make = gate.jobs
    run.watch(Drawing("anna"))
    gate.open(40)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(20))
    # What was there did not run again; a job that was in flight when the session left may have.
    assert len(gate.ran) <= 20 + 2 * 4
    assert gate.ran.count(0) == 1


def test_a_session_that_is_not_heard_of_counts_as_gone(heavy, turns, monkeypatch):
    monkeypatch.setattr("nysviz.ui.work.watching.WATCH_SECONDS", 0.05)
    gate = Jobs(30)
    run = make(gate, heavy, turns)
    run.watch(Drawing("anna"))
    time.sleep(0.1)
    gate.open(30)
    until(lambda: not run._going)
    assert not run.done and len(run.records()) < 30


def test_a_failure_is_one_sentence(heavy, turns, caplog):
    def refuse():
        raise Refusal("m = 0; a number of landmarks from 1 is needed.")

    def fail():
        raise ZeroDivisionError("secret detail")

    for make_jobs, sentence in ((refuse, "m = 0"), (fail, "The computation failed")):
        run = Run("key", heavy, turns, {})
        run.make = make_jobs
        run.watch(Drawing("anna"))
        until(lambda run=run: run.done)
        assert run.problem.startswith(sentence) and "secret" not in run.problem
    # The operator is told where; the message may quote what a visitor sent.
    assert "ZeroDivisionError" in caplog.text and "in fail" in caplog.text
    assert "secret detail" not in caplog.text.replace('raise ZeroDivisionError("secret detail")', "")


def test_a_run_that_failed_a_moment_ago_is_shown_and_not_begun_again(heavy, monkeypatch):
    begun = []

    def refuse():
        begun.append(1)
        raise Refusal("m = 0; a number of landmarks from 1 is needed.")

    runs = Runs(heavy, 1_000_000)
    run = runs.get("key", refuse, alone=False)
    run.watch(Drawing("anna"))
    until(lambda: run.done)
    # The page is drawn anew to show the sentence.
    again = runs.get("key", refuse, alone=False)
    assert again is run and again.problem.startswith("m = 0") and begun == [1]
    monkeypatch.setattr("nysviz.ui.work.runs.FAILURE_SECONDS", 0.0)
    assert runs.get("key", refuse, alone=False) is not run


def test_what_fails_here_after_a_cluster_was_lost_fails_once(heavy, turns, monkeypatch):
    monkeypatch.setattr(module.cluster, "warning", lambda: "The cluster does not answer.")
    calls = []

    def jobs():
        calls.append(1)
        raise Refusal("One sentence.")

    run = Run("key", heavy, turns, {})
    run.make, run.where = jobs, " on 1 worker of the cluster"
    run.watch(Drawing("anna"))
    until(lambda: run.done)
    assert run.problem == "One sentence." and len(calls) == 2


def test_a_run_without_a_thread_says_so(heavy, turns, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    run = make(Jobs(1), heavy, turns)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        run.watch(Drawing("anna"))
    assert run.done and not run.is_going() and "too much to do" in run.problem


def test_cells_are_bounded_in_bytes():
    cells = Cells(20_000)
    for i in range(1_000):
        cells[i] = tuple(range(10))
    assert 5 < len(cells) < 100
    assert 999 in cells and 0 not in cells
    with pytest.raises(KeyError):
        cells[0]


def test_a_closed_browser_ends_a_run(heavy, turns, monkeypatch):
    here = {"anna"}
    monkeypatch.setattr("nysviz.ui.work.watching.is_here", lambda name: name in here)
    gate = Jobs(30)
    run = make(gate, heavy, turns)
    run.watch(Drawing("anna"))
    gate.open(1)
    until(lambda: len(run.records()) == 1)
    here.clear()
    gate.open(30)
    until(lambda: not run._going)
    assert not run.done and len(run.records()) < 30


def test_a_page_that_shows_another_run_lets_the_first_one_end(heavy, turns, monkeypatch):
    monkeypatch.setattr("nysviz.ui.work.watching.GRACE_SECONDS", 0.05)
    gates = [Jobs(30), Jobs(2)]
    first, second = (make(gate, heavy, turns, key=i) for i, gate in enumerate(gates))
    old = Drawing("anna")
    first.watch(old)
    gates[0].open(1)
    until(lambda: len(first.records()) == 1)
    old.over = time.monotonic()
    second.watch(Drawing("anna"))
    gates[0].open(2)
    gates[1].open(2)
    until(lambda: second.done and not first._going)
    # Two jobs that run side by side may end in either order.
    assert not first.done and sorted(second.records()) == [0, 1]


def test_runs_take_turns_and_lose_nothing(heavy, monkeypatch):
    """With room for one run at a time, a long one stands back and goes on from where it was."""
    monkeypatch.setattr(module, "TURN_SECONDS", 0.0)
    one, cells = Gate(1), {}
    gates = [Jobs(12), Jobs(3)]

    def jobs(number):
        made = gates[number].jobs()
        return [Job((number, job.key), job.kind, job.weight, job.work) for job in made]

    runs = []
    for number, name in enumerate(("anna", "ben")):
        run = Run(name, heavy, one, cells)
        run.make = lambda number=number: jobs(number)
        runs.append(run)
    runs[0].watch(Drawing("anna"))
    until(lambda: one.running(heavy=True) + one.running(heavy=False) == 1)
    runs[1].watch(Drawing("ben"))
    gates[0].open(12)
    gates[1].open(3)
    until(lambda: runs[0].done and runs[1].done)
    assert sorted(gates[0].ran) == list(range(12)) and sorted(gates[1].ran) == list(range(3))
    assert sorted(runs[0].records()) == list(range(12)) and sorted(runs[1].records()) == [0, 1, 2]


def test_a_run_without_results_does_not_wait_for_the_end_of_a_long_one(heavy, monkeypatch):
    monkeypatch.setattr(module, "TURN_SECONDS", 1_000.0)
    monkeypatch.setattr(module, "SHORT_TURN_SECONDS", 0.0)
    one, gates, runs = Gate(1), [Jobs(400), Jobs(1)], []
    for gate, name in zip(gates, ("anna", "ben"), strict=True):
        run = Run(name, heavy, one, {})
        run.make = gate.jobs
        runs.append(run)
    runs[0].watch(Drawing("anna"))
    gates[0].open(1)
    until(runs[0].records)
    runs[1].watch(Drawing("ben"))
    gates[1].open(1)
    gates[0].open(20)
    until(lambda: runs[1].done)
    assert not runs[0].done and len(runs[0].records()) <= 21


def test_the_first_result_of_a_run_waits_for_no_sweep_that_shows_some_already(monkeypatch):
    """A long one holds the heavy lane and never its turn for others; each has its first result at once."""
    monkeypatch.setattr(module, "TURN_SECONDS", 1_000.0)
    monkeypatch.setattr(module, "SHORT_TURN_SECONDS", 1_000.0)
    monkeypatch.setattr(module, "FIRST_JOBS", 1)
    gate, turns, gates, runs = Gate(1), Gate(1), [Jobs(9), Jobs(9), Jobs(3)], []
    for jobs, name in zip(gates, ("anna", "ben", "cleo"), strict=True):
        run = Run(name, gate, turns, {})
        run.make = jobs.jobs
        runs.append(run)
    for run, jobs in zip(runs, gates, strict=True):
        run.watch(Drawing(run.key))
        jobs.open(1)
        until(run.records)
    assert [len(run.records()) for run in runs] == [1, 1, 1]
    for jobs in gates:
        jobs.open(20)
    until(lambda: all(run.done for run in runs))


def test_what_is_asked_for_anew_is_waited_for_whatever_is_at_hand(turns):
    """Of a run with one method more all else is seen at once, and the first results of that one are not."""
    gate, jobs = Gate(1), Jobs(60)
    at_hand = {("job", i): (i,) for i in range(5)}
    run = make(jobs, gate, turns, at_hand)
    run.watch(Drawing("anna"))
    until(lambda: len(run.records()) == 5)
    until(lambda: tickets(gate))
    assert not any(ticket.shown for ticket in tickets(gate))
    jobs.open(module.FIRST_JOBS)
    until(lambda: run.progress.done == 5 + module.FIRST_JOBS)
    # What is begun from then on lets the others come first.
    before = tickets(gate)
    jobs.open(20)
    until(lambda: run.progress.done == 25 + module.FIRST_JOBS)
    until(lambda: tickets(gate) - before)
    assert all(ticket.shown for ticket in tickets(gate) - before)
    jobs.open(60)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(60))


def test_what_runs_keep_is_bounded_in_bytes(heavy):
    runs = Runs(heavy, 40_000)
    for key in range(30):
        run = runs.get(key, lambda key=key: [Job(key, "kind", 1.0, lambda: (b"x" * 2_000,))], False)
        run.watch(Drawing("anna"))
        until(lambda run=run: run.done)
    runs.get("one more", list, False)
    assert sum(run.weight for run in runs._runs.values()) <= 16_000
    assert (29, False) in runs._runs and (0, False) not in runs._runs


def test_a_run_that_is_over_holds_nothing_of_what_it_worked_on(heavy, turns):
    class Matrix:
        pass

    matrix = Matrix()
    held = weakref.ref(matrix)
    run = Run("key", heavy, turns, {})

    def ask(matrix):
        run.offer(lambda: [Job(i, "kind", 1.0, lambda: (id(matrix),)) for i in range(3)])

    ask(matrix)
    run.watch(Drawing("anna"))
    ask(matrix)  # as every new drawing of the page does
    del matrix
    until(lambda: run.done and not run.is_going())
    until(lambda: gc.collect() >= 0 and held() is None)
