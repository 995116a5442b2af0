"""Runs of many jobs that belong to nobody: a run goes on while some session waits for it.

Its records are kept among the results, cell by cell, so that an overlapping run finds them there.
There is no copy on disk: a cell does not say whether its data were sent by a visitor, and such data must
leave no trace. After a restart of the server a run begins anew, and ends with the same records.
"""

import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any

from nysviz.engine.cluster import cluster
from nysviz.engine.queue import Queue
from nysviz.engine.results import Results, size_of
from nysviz.engine.task import Task, Waiter, Waiters, current, doing, has_lapsed
from nysviz.faults import failure
from nysviz.numerics.blocks import cores, in_this_thread
from nysviz.refusal import Refusal
from nysviz.sweep import Clock, Job, Progress, finish_jobs
from nysviz.text import counted

# Seconds of a run's turn while other tasks wait for its place.
TURN_SECONDS = 0.3
# The same on a cluster, where jobs in flight at the end of a turn are lost.
CLUSTER_SECONDS = 10.0
# Jobs after which a picture shows something: those of two methods, or of a method and its reference.
FIRST_JOBS = 2


class Run:
    """Jobs that are being done, and the records they have given so far.

    A turn is a task that makes the jobs and does the missing ones, on a thread for each core, or on one
    thread while other tasks wait. It ends when the first picture is there, another task needs its place, or
    memory runs short. Between turns only the records are held. ``alone`` does one job at a time. ``holds``
    are bytes that a job holds.
    """

    def __init__(self, key: Hashable, queue: Queue, results: Results, holds: float, alone: bool) -> None:
        self.key = key
        self.error: BaseException | None = None
        self.progress = Progress(0, 0, 0.0, math.nan)
        self.place_text = ""
        # The turn that it has or waits for; None where it is done, or nobody waits.
        self.turn: Task | None = None
        self.waiters = Waiters()
        self.done, self.over = False, threading.Event()
        # It may refer to large data: kept while the run goes on, and given again by whoever asks later.
        self.make: Callable[[], Sequence[Job]] | None = None
        self.nbytes, self.ended = 0, math.inf  # bytes of the records
        self._queue, self._results, self._alone, self._holds = queue, results, alone, holds
        self._lock = threading.RLock()
        self._clock: Clock | None = None
        self.records_by_job: dict[Hashable, tuple[Any, ...]] = {}
        # Jobs until the first picture; cached records do not count, since they show nothing new.
        self._first_jobs = FIRST_JOBS

    def records(self) -> tuple[Any, ...]:
        """Return the records so far."""
        with self._lock:
            return tuple(chain.from_iterable(self.records_by_job.values()))

    def watch(self, waiter: Waiter, *, beside: bool = False) -> None:
        """Add a page that waits, and begin a turn if none is under way; ``beside`` if not for its answer."""
        self.waiters.add(waiter)
        with self._lock:
            self._first_jobs = 0 if beside else self._first_jobs
            if self.done or self.turn is not None or self.make is None or not waiter.waits():
                return
            self.over.clear()
            self.turn = turn = self._new_turn()
        self._queue.submit(turn)

    def waits(self) -> bool:
        """Whether its turn has not begun."""
        turn = self.turn
        return turn is not None and turn.begun_at is None

    def _shows(self) -> bool:
        """Whether a page shows something of the run, so that others come first."""
        return self._first_jobs <= 0

    def _new_turn(self) -> Task:
        turn = Task(self._take_turn, self.waiters, holds=self._holds, long=self._shows())
        turn.future.add_done_callback(self._after)
        return turn

    def _take_turn(self) -> None:
        turn, showed = current(), self._shows()
        assert turn is not None and turn.begun_at is not None and self.make is not None
        missing = self._missing(self.make())
        # First results are computed here, without the cluster's delay; so are jobs that run alone, which
        # measure this server's time or fill its memory.
        executor, workers = cluster.executor() if showed and not self._alone else (None, 0)
        self.place_text = f" on {counted(workers, 'worker')} of the cluster" if workers else ""
        at_once = None
        if executor is None:
            turn.holds = cores() * self._holds
            by_itself = self._alone or self._queue.is_wanted(turn) or self._queue.missing_bytes(turn) > 0
            at_once = 1 if by_itself else cores()
            turn.holds = at_once * self._holds
            executor = _beside() if showed and at_once > 1 else ThreadPoolExecutor(at_once)
            missing = [replace(job, work=partial(_work, turn, self._alone, job.work)) for job in missing]
        ended = threading.Event()
        try:
            jobs = finish_jobs(missing, executor, ahead=at_once, goes_on=lambda: not ended.is_set())
            for job, records, seconds in jobs:
                self._keep(job, records, seconds)
                is_long = time.monotonic() - turn.begun_at > (CLUSTER_SECONDS if workers else TURN_SECONDS)
                if (
                    showed is not self._shows()
                    or (is_long and self._queue.is_wanted(turn))
                    or (not workers and self._queue.missing_bytes(turn) > 0)
                    or not self.waiters.any()
                ):
                    ended.set()
        except Exception:
            # The next turn does here what a lost cluster did not finish.
            if not workers or cluster.warning() is None:
                raise

    def _missing(self, jobs: Sequence[Job]) -> list[Job]:
        with self._lock:
            self._clock = self._clock or Clock(jobs)
            for job in jobs:
                at_hand = [self._results.get(cell) for cell in job.cells or [job.key]]
                if job.key not in self.records_by_job and None not in at_hand:
                    self.records_by_job[job.key] = tuple(chain.from_iterable(at_hand))
                    self.progress = self._clock.finish(job, None)
            return [job for job in jobs if job.key not in self.records_by_job]

    def _keep(self, job: Job, records: tuple[Any, ...], seconds: float) -> None:
        values = [(record,) for record in records] if job.cells else [records]
        for cell, value in zip(job.cells or [job.key], values, strict=True):
            self._results.keep(cell, value)
        with self._lock:
            assert self._clock is not None
            self.records_by_job[job.key] = records
            self.progress = self._clock.finish(job, seconds)
            self._first_jobs -= 1

    def _after(self, future: Future[None]) -> None:
        with self._lock:
            if not has_lapsed(future) and (error := future.exception()) is not None:
                self.error = error
                if not isinstance(error, Refusal):
                    failure("a run failed", error)
            is_complete = self._clock is not None and self._clock.done == self._clock.total
            self.done = self.error is not None or is_complete
            self.turn = turn = self._new_turn() if not self.done and self.waiters.any() else None
            if turn is None:
                self.ended, self.make = time.monotonic(), None
                self.nbytes = size_of(self.records_by_job)
        if turn is not None:
            self._queue.submit(turn)
            return
        self._results.keep(self.key, self)
        self.over.set()


def _work(turn: Task, alone: bool, work: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    # The queue lowers this thread's priority if the turn takes long. Jobs in parallel start no threads.
    turn.thread = threading.get_native_id()
    with doing(turn), in_this_thread(not alone):
        return work()


@cache
def _beside() -> ThreadPoolExecutor:
    """Return the threads of all runs that show something; they inherit the priority of their first caller."""
    return ThreadPoolExecutor(cores(), "nysviz-jobs")
