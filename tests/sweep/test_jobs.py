"""Jobs by themselves: order, progress, failures."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest

from nysviz.sweep import Job, jobs, run_jobs

PATIENCE_SECONDS = 60.0


class Clock:
    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    perf_counter = monotonic

    def nap(self, seconds, value):
        self.now += seconds
        return (value,)


class Inline(ThreadPoolExecutor):
    def submit(self, function, /, *args, **kwargs):
        future = Future()
        future.set_result(function(*args, **kwargs))
        return future


def test_the_time_left_is_right_within_a_factor_of_two(monkeypatch):
    # Two kinds, one ten times as slow as the other, unevenly mixed.
    clock = Clock()
    monkeypatch.setattr(jobs, "time", clock)
    monkeypatch.setattr(jobs, "AHEAD", 1)
    monkeypatch.setattr(jobs, "cores", lambda: 1)
    kinds = [("slow", 0.5), ("fast", 0.05)] + [("fast", 0.05)] * 20 + [("slow", 0.5)] * 20
    naps = [Job(i, kind, 1.0, partial(clock.nap, seconds, i)) for i, (kind, seconds) in enumerate(kinds)]
    seen = [finished.progress for finished in run_jobs(naps, Inline())]
    whole = clock.now
    assert whole == pytest.approx(21 * 0.5 + 21 * 0.05)
    for progress in seen[4:-1]:
        left = whole - progress.seconds
        assert left / 2 < progress.seconds_left < 2 * left or left < 1.0
    assert seen[-1].seconds_left == 0.0 and seen[-1].fraction == 1.0
    assert [progress.done for progress in seen] == list(range(1, 43))


def test_a_stop_ends_the_run_at_once_and_begins_nothing_more():
    begun, ended, stop, may_end = [], [], threading.Event(), threading.Event()

    def work(i):
        begun.append(i)
        stop.set()
        may_end.wait(PATIENCE_SECONDS)
        ended.append(i)
        return (i,)

    many = [Job(i, "nap", 1.0, partial(work, i)) for i in range(50)]
    executor = ThreadPoolExecutor(1)
    assert list(run_jobs(many, executor, stop=stop)) == []
    assert ended == []  # it did not wait for the job that runs
    may_end.set()
    executor.shutdown()
    assert begun == ended == [0]
