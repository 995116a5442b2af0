"""Runs that sessions share: watched, left, stopped, resumed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from nysviz.engine import Engine, engine, runs
from nysviz.numerics.blocks import cores
from nysviz.refusal import Refusal
from nysviz.sweep import Job
from tests.engine.conftest import Session, until


@pytest.fixture
def shared():
    return Engine(400_000, 2)


def watch(shared, key, make, session=None, cells=(), beside=False, **settings):
    """Watch a run of the works that are made."""

    def jobs():
        return [Job((key, i), "kind", 1.0, one, *cells[i : i + 1]) for i, one in enumerate(make())]

    run = shared.run(key, jobs, 0.0, **settings)
    run.watch(session or Session(), beside=beside)
    return run


def begin(shared, work, session, count, name="", **settings):
    """Begin a run of ``count`` jobs that each wait to be let go."""
    works = [lambda i=i: (work.of((name, i))()[1],) for i in range(count)]
    return watch(shared, name, lambda: works, session, **settings)


def test_a_run_goes_on_for_whoever_still_waits_and_for_who_comes_back(shared, work):
    anna, ben = Session("anna"), Session("ben")
    run = begin(shared, work, anna, 20)
    assert run.records() == () and begin(shared, work, ben, 20) is run
    until(lambda: work.inside == min(2, cores()))
    for i in range(4):
        work.go.release()
        until(lambda i=i: len(run.records()) == i + 1)
        assert run.progress.done == i + 1 and run.progress.total == 20
        run.waiters.leave("anna")
    ben.here = False
    until(lambda: run.turn is None)
    kept = run.records()
    assert not run.done and len(kept) == 4 and begin(shared, work, anna, 20) is run
    work.go.release(40)
    until(lambda: run.done)
    assert sorted(run.records()) == list(range(20))
    # What was there did not run again; a job that was in flight when the session left may have.
    assert len(work.began) <= 20 + 2 and all(work.began.count(("", i)) == 1 for i in kept)


def test_a_run_that_nobody_waits_for_begins_no_further_job(shared):
    anna = Session()
    works = [lambda i=i: (setattr(anna, "here", i < 5),) for i in range(40)]
    run = watch(shared, "key", lambda: works, anna)
    until(lambda: run.turn is None)
    assert not run.done and 5 <= len(run.records()) <= 10


def test_what_runs_alone_does_one_job_at_a_time(shared, work):
    run = begin(shared, work, Session(), 6, "key", alone=True)
    for _ in range(5):
        work.stays(1)
        work.one_more()
    work.go.release()
    until(lambda: run.done)
    assert work.most == 1


def test_cells_at_hand_are_not_computed_again(shared):
    first = watch(shared, "first", lambda: [lambda: ("a", "b")], cells=["AB"])
    until(lambda: first.done)
    second = watch(shared, "second", lambda: [pytest.fail, lambda: ("a", "c")], cells=["B", "AC"])
    until(lambda: second.done)
    assert second.records() == ("b", "a", "c")


def test_a_failure_is_shown_before_it_is_tried_again_and_the_log_says_where(shared, caplog, monkeypatch):
    def fail(error):
        raise error

    for error in (Refusal("m = 0"), ZeroDivisionError("a visitor's value")):
        run = watch(shared, error, partial(fail, error))
        until(lambda run=run: run.done)
        # The page is drawn anew to show it.
        assert run.error is error and watch(shared, error, pytest.fail) is run
    # The message may quote what a visitor sent.
    assert "Refusal" not in caplog.text and "ZeroDivisionError" in caplog.text and "in fail" in caplog.text
    assert "a visitor's value" not in caplog.text
    monkeypatch.setattr(engine, "FAILURE_SECONDS", 0.0)
    assert watch(shared, error, list) is not run


@pytest.mark.parametrize("beside, here", [(False, (runs.FIRST_JOBS, 10)), (True, (0, 0))])
def test_the_first_jobs_are_done_here_and_the_others_on_the_cluster(shared, monkeypatch, beside, here):
    monkeypatch.setattr(runs.cluster, "executor", lambda: (ThreadPoolExecutor(2, "cluster"), 2))
    run = watch(shared, "key", lambda: [lambda: (threading.current_thread().name[:7],)] * 40, beside=beside)
    until(lambda: run.done)
    assert here[0] <= 40 - run.records().count("cluster") <= here[1]


def test_runs_take_turns_and_lose_nothing(work, monkeypatch):
    monkeypatch.setattr(runs, "TURN_SECONDS", 0.0)
    shared, began = Engine(400_000, 1), []
    long = begin(shared, work, Session("a"), 30, "a")
    until(lambda: work.began)
    jobs = [lambda i=i: (began.append(i) or i,) for i in range(5)]
    short = watch(shared, "b", lambda: jobs, Session("b"))
    assert short.waits() and not long.waits()
    # The long run's jobs end only while the short one waits for its turn.
    until(lambda: short.done or (short.waits() and not work.go._value and work.go.release()))
    assert not long.done
    work.go.release(30)
    until(lambda: long.done)
    assert sorted(work.began) == [("a", i) for i in range(30)] and sorted(began) == list(range(5))
    assert sorted(long.records()) == list(range(30)) and sorted(short.records()) == list(range(5))
