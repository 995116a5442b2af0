"""Runs that sessions share: watched, left, stopped, resumed."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from nysviz.blocks import cores
from nysviz.engine import Engine, engine, runs
from nysviz.refusal import Refusal
from nysviz.sweep import Job
from tests.engine.asking import Session, Work, until


@pytest.fixture
def work():
    made = Work()
    yield made
    made.go.release(1_000)


@pytest.fixture
def shared():
    return Engine(400_000, 2)


def begin(shared, work, session, count, name=""):
    """Begin a run of so many jobs that each wait to be let go."""
    jobs = [Job((name, i), "kind", 1.0, lambda i=i: (work.of((name, i))()[1],)) for i in range(count)]
    run = shared.run(name, lambda: jobs)
    run.watch(session)
    return run


def test_records_come_in_one_by_one_to_all_who_watch(shared, work):
    run = begin(shared, work, Session("anna"), 5)
    assert run.records() == () and not run.done and begin(shared, work, Session("ben"), 5) is run
    until(lambda: work.inside == min(2, cores()))
    for i in range(5):
        work.go.release()
        until(lambda i=i: len(run.records()) == i + 1)
        assert run.progress.done == i + 1 and run.progress.total == 5
        run.leave("anna")  # Ben still waits
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(5)) and len(work.began) == 5


def test_a_run_ends_when_the_last_session_leaves_and_goes_on_when_one_comes_back(shared, work):
    anna = Session()
    run = begin(shared, work, anna, 20)
    work.go.release(4)
    until(lambda: len(run.records()) >= 4)
    anna.here = False
    until(lambda: not run.is_going())
    kept = run.records()
    assert not run.done and 4 <= len(kept) < 20
    assert begin(shared, work, Session(), 20) is run
    work.go.release(40)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(20))
    # What was there did not run again; a job that was in flight when the session left may have.
    assert len(work.began) <= 20 + 2 and all(work.began.count(("", i)) == 1 for i in kept)


def test_a_run_that_nobody_waits_for_begins_no_further_job(shared):
    anna = Session()
    leave = [
        Job(i, "kind", 1.0, lambda i=i: (setattr(anna, "here", anna.here and i < 5),)) for i in range(40)
    ]
    run = shared.run("key", lambda: leave)
    run.watch(anna)
    until(lambda: not anna.here and not run.is_going())
    assert not run.done and 5 <= len(run.records()) <= 10


def test_cells_at_hand_are_not_computed_again(shared):
    def ask(name, works):
        jobs = [Job((name, i), "kind", 1.0, one, cells=(2 * i, 2 * i + 1)) for i, one in enumerate(works)]
        run = shared.run(name, lambda: jobs)
        run.watch(Session())
        until(lambda: run.done)
        return run.problem, run.records()

    assert ask("first", [lambda: ("a", "b"), lambda: ("c", "d")]) == (None, ("a", "b", "c", "d"))
    assert ask("second", [pytest.fail, pytest.fail, lambda: ("e", "f")])[1] == ("a", "b", "c", "d", "e", "f")


def test_a_failure_is_one_sentence_that_is_shown_before_it_is_tried_again(shared, caplog, monkeypatch):
    def refuse():
        raise Refusal("m = 0; a number of landmarks from 1 is needed.")

    def fail():
        raise ZeroDivisionError("secret detail")

    for make_jobs, sentence in ((refuse, "m = 0"), (fail, "The computation failed")):
        run = shared.run(sentence, make_jobs)
        run.watch(Session())
        until(lambda run=run: run.done)
        assert run.problem.startswith(sentence) and "secret" not in run.problem
        # The page is drawn anew to show it.
        assert shared.run(sentence, pytest.fail) is run
    # The operator is told where; the message may quote what a visitor sent.
    assert "ZeroDivisionError" in caplog.text and "in fail" in caplog.text
    assert "secret detail" not in caplog.text.replace('raise ZeroDivisionError("secret detail")', "")
    monkeypatch.setattr(engine, "FAILURE_SECONDS", 0.0)
    assert shared.run(sentence, pytest.fail) is not run


def test_a_run_that_fails_is_not_begun_again_for_its_task_that_waits(work):
    shared, turns = Engine(400_000, 1), []
    shared.ask("in the way", work.of("in the way"), Session("ben"), beside=True)
    until(lambda: work.began)
    jobs = [Job(i, "kind", 1.0, lambda: 1 / 0) for i in range(3)]
    run = shared.run("key", lambda: turns.append(1) or jobs)
    run.watch(Session())
    until(lambda: run.done)
    assert run.problem.startswith("The computation failed") and len(turns) == 1


def test_the_first_jobs_are_done_here_and_the_others_on_the_cluster(shared, monkeypatch):
    elsewhere = ThreadPoolExecutor(2, thread_name_prefix="cluster")
    monkeypatch.setattr(runs.cluster, "executor", lambda: (elsewhere, 2))

    def work(i):
        return ((i, threading.current_thread().name.startswith("cluster")),)

    run = shared.run("key", lambda: [Job(i, "kind", 1.0, partial(work, i)) for i in range(40)])
    run.watch(Session())
    until(lambda: run.done)
    where = [there for _, there in run.records()]
    assert len(where) == 40 and runs.FIRST_JOBS <= where.count(False) <= 10
    elsewhere.shutdown()


def test_runs_take_turns_and_lose_nothing(work, monkeypatch):
    monkeypatch.setattr(runs, "TURN_SECONDS", 0.0)
    shared = Engine(400_000, 1)
    long, short = (begin(shared, work, Session(name), count, name) for name, count in (("a", 30), ("b", 5)))
    until(lambda: work.began)
    until(short.waits)
    assert not long.waits()
    # One job after the other.
    until(lambda: short.done or (not work.go._value and work.go.release()))
    assert not long.done
    work.go.release(30)
    until(lambda: long.done)
    assert sorted(work.began) == [*(("a", i) for i in range(30)), *(("b", i) for i in range(5))]
    assert sorted(long.records()) == list(range(30)) and sorted(short.records()) == list(range(5))


def test_where_memory_lacks_each_job_waits_for_room(shared, monkeypatch):
    monkeypatch.setattr(shared.queue, "lacking", lambda task: 1.0)
    jobs, turns = [Job(i, "kind", 1.0, lambda i=i: (i,)) for i in range(6)], []
    run = shared.run("key", lambda: turns.append(1) or jobs)
    run.watch(Session())
    until(lambda: run.done)
    assert run.records() == tuple(range(6)) and len(turns) == 6


def test_what_runs_keep_is_bounded_in_bytes(shared):
    for key in range(100):
        run = shared.run(key, lambda key=key: [Job(key, "kind", 1.0, lambda: (b"x" * 2_000,))])
        run.watch(Session())
        until(lambda run=run: not run.is_going())
    del run
    # Of a run, too, the records count.
    until(lambda: all(size > 2_000 for size, _ in shared.results._small.values()))
    assert shared.run(99, list).done and not shared.run(0, list).done
    assert shared.results.bytes <= 400_000


def test_a_run_that_is_over_holds_nothing_of_what_it_worked_on(shared):
    class Matrix:
        pass

    matrix = Matrix()
    held = weakref.ref(matrix)

    def ask(matrix):
        run = shared.run("key", lambda: [Job(i, "kind", 1.0, lambda: (id(matrix),)) for i in range(9)])
        run.watch(Session())
        return run

    run = ask(matrix)
    ask(matrix)  # as every new drawing of the page does
    del matrix
    until(lambda: run.done and not run.is_going())
    until(lambda: gc.collect() >= 0 and held() is None)
