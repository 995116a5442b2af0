"""Runs that sessions share: watched, left, stopped, resumed."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from nysviz.engine import Engine, Run, Runs
from nysviz.engine import runs as module
from nysviz.engine.queue import Queue
from nysviz.refusal import Refusal
from nysviz.sweep import Job
from tests.engine.asking import Session, Work, until


def jobs_of(work, count, name=""):
    return [Job((name, i), "kind", 1.0, lambda i=i: (work.of((name, i))()[1],)) for i in range(count)]


def run_of(work, count, name="", cells=None, queues=None):
    """A run of so many jobs that each wait to be let go; with ``begin``, that of a session which watches."""
    jobs, turns = queues or (Queue(1), Queue(2))
    run = Run(name, jobs, turns, {} if cells is None else cells)
    run.begin = lambda session: (setattr(run, "make", lambda: jobs_of(work, count, name)), run.watch(session))
    return run


@pytest.fixture
def work():
    made = Work()
    yield made
    made.go.release(1_000)


def test_records_come_in_one_by_one_to_all_who_watch(work):
    run, anna = run_of(work, 3), Session("anna")
    assert run.records() == () and not run.done
    run.begin(anna)
    run.begin(Session("ben"))
    for i in range(3):
        work.go.release()
        until(lambda i=i: len(run.records()) == i + 1)
        assert run.progress.done == i + 1
        run.leave("anna")  # Ben still waits
    until(lambda: run.done)
    assert sorted(run.records()) == [0, 1, 2] and len(work.began) == 3


def test_a_run_ends_when_the_last_session_leaves_and_goes_on_when_one_comes_back(work):
    run, anna = run_of(work, 20), Session()
    run.begin(anna)
    work.go.release(3)
    until(lambda: len(run.records()) >= 3)
    anna.here = False
    until(lambda: not run.is_going())
    kept = run.records()
    assert not run.done and 3 <= len(kept) < 20
    run.begin(Session())
    work.go.release(40)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(20))
    # What was there did not run again; a job that was in flight when the session left may have.
    assert len(work.began) <= 20 + 2 and all(work.began.count(("", i)) == 1 for i in kept)


def test_a_failure_is_one_sentence(caplog):
    def refuse():
        raise Refusal("m = 0; a number of landmarks from 1 is needed.")

    def fail():
        raise ZeroDivisionError("secret detail")

    for make_jobs, sentence in ((refuse, "m = 0"), (fail, "The computation failed")):
        run = Run("key", Queue(1), Queue(2), {})
        run.make = make_jobs
        run.watch(Session())
        until(lambda run=run: run.done)
        assert run.problem.startswith(sentence) and "secret" not in run.problem
    # The operator is told where; the message may quote what a visitor sent.
    assert "ZeroDivisionError" in caplog.text and "in fail" in caplog.text
    assert "secret detail" not in caplog.text.replace('raise ZeroDivisionError("secret detail")', "")


def test_a_run_that_failed_a_moment_ago_is_shown_and_not_begun_again(monkeypatch):
    begun = []

    def refuse():
        begun.append(1)
        raise Refusal("m = 0; a number of landmarks from 1 is needed.")

    runs = Runs(Engine(1_000_000))
    run = runs.get("key", refuse)
    run.watch(Session())
    until(lambda: run.done)
    # The page is drawn anew to show the sentence.
    again = runs.get("key", refuse)
    assert again is run and again.problem.startswith("m = 0") and begun == [1]
    monkeypatch.setattr(module, "FAILURE_SECONDS", 0.0)
    assert runs.get("key", refuse) is not run


def test_the_first_jobs_are_done_here_and_the_others_on_the_cluster(monkeypatch):
    elsewhere = ThreadPoolExecutor(2, thread_name_prefix="cluster")
    monkeypatch.setattr(module.cluster, "is_named", True)
    monkeypatch.setattr(module.cluster, "executor", lambda: (elsewhere, 2))

    def work(i):
        return ((i, threading.current_thread().name.startswith("cluster")),)

    run = Run("key", Queue(1), Queue(2), {})
    run.make = lambda: [Job(i, "kind", 1.0, partial(work, i)) for i in range(40)]
    run.watch(Session())
    until(lambda: run.done)
    where = [there for _, there in run.records()]
    assert len(where) == 40 and module.FIRST_JOBS <= where.count(False) <= 10
    elsewhere.shutdown()


def test_runs_take_turns_and_lose_nothing(work, monkeypatch):
    monkeypatch.setattr(module, "TURN_SECONDS", 0.0)
    cells, queues = {}, (Queue(1), Queue(1))
    long, short = (run_of(work, count, name, cells, queues) for count, name in ((12, "anna"), (3, "ben")))
    long.begin(Session("anna"))
    until(lambda: work.began)
    short.begin(Session("ben"))
    until(short.waits)
    assert not long.waits()
    work.go.release(11)
    until(lambda: short.done)
    assert not long.done
    work.go.release(20)
    until(lambda: long.done)
    assert sorted(work.began) == [*(("anna", i) for i in range(12)), *(("ben", i) for i in range(3))]
    assert sorted(long.records()) == list(range(12)) and sorted(short.records()) == [0, 1, 2]


def test_what_runs_keep_is_bounded_in_bytes():
    engine = Engine(400_000)
    runs = Runs(engine)
    for key in range(100):
        run = runs.get(key, lambda key=key: [Job(key, "kind", 1.0, lambda: (b"x" * 2_000,))])
        run.watch(Session())
        until(lambda run=run: not run.is_going())
    del run
    gc.collect()  # what is forgotten and still in use is found
    # Of a run, too, the records count.
    until(lambda: all(size > 2_000 for size, _ in engine.results._small.values()))
    assert runs.get(99, list).done and not runs.get(0, list).done
    assert engine.results.bytes <= 400_000


def test_a_run_that_is_over_holds_nothing_of_what_it_worked_on():
    class Matrix:
        pass

    matrix = Matrix()
    held, runs = weakref.ref(matrix), Runs(Engine(1_000_000))

    def ask(matrix):
        run = runs.get("key", lambda: [Job(i, "kind", 1.0, lambda: (id(matrix),)) for i in range(3)])
        run.watch(Session())
        return run

    run = ask(matrix)
    ask(matrix)  # as every new drawing of the page does
    del matrix
    until(lambda: run.done and not run.is_going())
    until(lambda: gc.collect() >= 0 and held() is None)
