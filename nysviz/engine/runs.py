"""Runs of many jobs that belong to nobody: a run goes on while some session waits for it.

What it has found is kept among the results, cell by cell, so that an overlapping question finds it there.
There is no copy on disk: a cell does not say whether its data were sent by a visitor, and such data must
leave no trace. After a restart of the server a run begins anew, and ends with the same records.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from itertools import chain
from typing import Any

from nysviz.blocks import cores, in_this_thread
from nysviz.engine.cluster import cluster
from nysviz.engine.queue import Queue
from nysviz.engine.results import Results, size_of
from nysviz.engine.task import Task, Waiter, Waiters, current, has_lapsed
from nysviz.faults import failure
from nysviz.refusal import Refusal
from nysviz.sweep import Clock, Job, Progress, completed
from nysviz.text import counted

# While others wait for a place, a run goes on for so long.
TURN_SECONDS = 0.3
# On a cluster what is in flight at the end of a turn is lost.
CLUSTER_SECONDS = 10.0
# A picture needs a few jobs before it shows something: two chains, or the runs of two methods.
FIRST_JOBS = 3
NO_MEMORY = "There is not enough memory for this; choose fewer landmarks or a smaller data set."
FAILED = "The computation failed, and the server's log says where; try other settings."


class Run:
    """Jobs that are being done, and the records they have given so far.

    They are done in turns. In a turn a task makes the jobs and does what is missing, with one more task for
    each further core, until the first picture is there, others want the places, or memory lacks. Between
    turns only what was found is held. A run that is ``alone`` does one job at a time, while no other such
    run does any. ``holds`` are bytes that a job holds.
    """

    def __init__(
        self,
        key: Hashable,
        queue: Queue,
        results: Results,
        alone: bool = False,
        holds: float = 0.0,
    ) -> None:
        self.key = key
        self.problem: str | None = None
        self.progress = Progress(0, 0, 0.0, math.nan)
        self.where = ""
        self.done = False
        # Its data may be large: there while it goes on, and whoever asks for the rest brings it again.
        self.make: Callable[[], Sequence[Job]] | None = None
        self.nbytes = 0  # of what was found
        self.ended = math.inf
        self._queue, self._results, self._alone, self._holds = queue, results, alone, holds
        self._waiters, self._over, self._lock = Waiters(), threading.Event(), threading.RLock()
        self._tasks: list[Task] = []
        self._clock: Clock | None = None
        self._found: dict[Hashable, tuple[Any, ...]] = {}
        self._missing: deque[Job] = deque()
        # Jobs that were done for this run: what was at hand shows nothing of what is asked for anew.
        self._computed = 0

    def records(self) -> tuple[Any, ...]:
        """What is there by now."""
        with self._lock:
            return tuple(chain.from_iterable(self._found.values()))

    def watch(self, waiter: Waiter) -> None:
        """Tell that a page waits for the results; a run that nobody waited for goes on."""
        self._waiters.add(waiter)
        with self._lock:
            if self.done or self._tasks or self.make is None or not waiter.waits():
                return
            self._over.clear()
            turn = self._new_turn()
        self._queue.submit(turn)

    def leave(self, session: str) -> None:
        """Tell that a session waits no more."""
        self._waiters.leave(session)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the run, at most so long."""
        self._over.wait(seconds)

    def is_going(self) -> bool:
        """Whether the run is under way, or waits for its turn."""
        with self._lock:
            return bool(self._tasks)

    def waits(self) -> bool:
        """Whether it waits for others."""
        with self._lock:
            return bool(self._tasks) and all(task.begun is None for task in self._tasks)

    def _shows(self) -> bool:
        """Whether a page shows something of the run, so that others come first."""
        return self._computed >= FIRST_JOBS

    def _new_turn(self) -> Task:
        return self._new_task(self._take_turn, long=self._shows())

    def _new_task(self, work: Callable[[], None], long: bool) -> Task:
        group = "alone" if self._alone else None
        task = Task(work, self._waiters, holds=self._holds, long=long, group=group)
        with self._lock:
            self._tasks.append(task)
        task.future.add_done_callback(lambda future: self._after(task, future))
        return task

    def _take_turn(self) -> None:
        assert self.make is not None
        jobs = self.make()
        with self._lock:
            self._clock = self._clock or Clock(jobs)
            for job in jobs:
                if job.key in self._found:
                    continue
                if (records := self._at_hand(job)) is None:
                    self._missing.append(job)
                else:
                    self._found[job.key] = records
                    self.progress = self._clock.finish(job, None)
            missing = list(self._missing)
        # The first results come from here at once. What runs alone measures seconds of this server, or holds
        # much of its memory.
        elsewhere, workers = cluster.executor() if self._shows() and not self._alone else (None, 0)
        self.where = f" on {counted(workers, 'worker')} of the cluster" if workers else ""
        if elsewhere is None:
            for _ in range(0 if self._alone else min(cores(), len(missing)) - 1):
                self._queue.submit(self._new_task(self._work, long=True))
            self._work()
            return
        try:
            self._do(completed(missing, elsewhere))
        except Exception:
            # What is left of a cluster that was lost is done here, in the next turn.
            if cluster.warning() is None:
                raise

    def _work(self) -> None:
        self._do(self._next())

    def _next(self) -> Iterator[tuple[Job, tuple[Any, ...], float]]:
        while True:
            with self._lock:
                if not self._missing:
                    return
                job = self._missing.popleft()
            started = time.perf_counter()
            # Beside others, block work stays in the job's own thread.
            with in_this_thread(not self._alone):
                records = job.work()
            yield job, records, time.perf_counter() - started

    def _do(self, jobs: Iterator[tuple[Job, tuple[Any, ...], float]]) -> None:
        task, showed = current(), self._shows()
        assert task is not None and task.begun is not None
        for job, records, seconds in jobs:
            for key, value in zip(job.cells, records, strict=True) if job.cells else [(job.key, records)]:
                self._results[key] = value
            with self._lock:
                assert self._clock is not None
                self._found[job.key] = records
                self.progress = self._clock.finish(job, seconds)
                self._computed += 1
            is_long = time.monotonic() - task.begun > (CLUSTER_SECONDS if self.where else TURN_SECONDS)
            if (
                showed is not self._shows()
                or (is_long and self._queue.is_wanted(task))
                or (not self.where and self._queue.lacking(task) > 0)
                or not self._waiters.any()
            ):
                self._end_turn()
                return

    def _at_hand(self, job: Job) -> tuple[Any, ...] | None:
        if not job.cells:
            records: tuple[Any, ...] | None = self._results.get(job.key)
            return records
        cells = [self._results.get(cell) for cell in job.cells]
        return None if any(cell is None for cell in cells) else tuple(cells)

    def _end_turn(self) -> None:
        with self._lock:
            self._missing.clear()
            for task in list(self._tasks):
                # Those that have begun end with the job that they do.
                task.future.cancel()

    def _after(self, task: Task, future: Future[None]) -> None:
        with self._lock:
            self._tasks.remove(task)
            if not has_lapsed(future) and (error := future.exception()) is not None:
                self.problem = _sentence(error)
                self._end_turn()
            if self._tasks:
                return
            self._missing.clear()
            is_complete = self._clock is not None and self._clock.done == self._clock.total
            over = self.problem is not None or is_complete
            turn = self._new_turn() if not over and self._waiters.any() else None
            if turn is None:
                self.done, self.ended, self.make = over, time.monotonic(), None
                self.nbytes = size_of(self._found)
        if turn is not None:
            self._queue.submit(turn)
            return
        self._results[self.key] = self
        self._over.set()


def _sentence(error: BaseException) -> str:
    if isinstance(error, Refusal):
        return str(error)
    failure("a run failed", error)
    return NO_MEMORY if isinstance(error, MemoryError) else FAILED
