"""Runs of many jobs that belong to nobody: a run goes on while some session waits for it.

What it has found is kept among the results, cell by cell, so that the same or an overlapping question goes on
from there. There is no copy on disk: a cell does not say whether its data were sent by a visitor, and such
data must leave no trace. After a restart of the server a run begins anew, and ends with the same records.
"""

import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

from nysviz.blocks import cores
from nysviz.engine import budget
from nysviz.engine.cluster import cluster
from nysviz.engine.engine import FAILURE_SECONDS, Engine
from nysviz.engine.queue import Queue
from nysviz.engine.results import Results, size_of
from nysviz.engine.task import Task, Waiter, Waiters, has_lapsed
from nysviz.faults import failure
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Progress, run_jobs
from nysviz.text import counted

# While other runs wait for a turn, one that is under way goes on for so long.
TURN_SECONDS = 1.0
# So many runs are under way in each lane, for each core: each holds data of its own, and parts of K.
TURNS_A_CORE, TURN_COPIES = 2, 1.5
# A picture needs a few jobs before it shows something: two chains, or the runs of two methods.
FIRST_JOBS = 3
NO_MEMORY = "There is not enough memory for this; choose fewer landmarks or a smaller data set."
FAILED = "The computation failed, and the server's log says where; try other settings."


class Run:
    """Jobs that are being done, and the records they have given so far.

    Its jobs pass the queue ``jobs`` among all heavy work of the process, the runs pass ``turns``; ``results``
    keeps records by their content, and the run itself. ``alone`` does one job at a time, and no other run's
    that is alone. ``matrix`` and ``holds`` are bytes of a kernel matrix of its data, and of what a job holds.
    """

    def __init__(
        self,
        key: Hashable,
        jobs: Queue,
        turns: Queue,
        results: Results,
        alone: bool = False,
        matrix: float = 0.0,
        holds: float = 0.0,
    ) -> None:
        self.key = key
        self.problem: str | None = None
        self.progress = Progress(0, 0, 0.0, math.nan)
        self.where = ""
        self.done = False
        self.make: Callable[[], Sequence[Job]] | None = None
        self.nbytes = 0  # of its records
        self._ended = -math.inf
        self._results, self._matrix, self._alone = results, matrix, alone
        self._records: list[Any] = []
        self._waiters = Waiters()
        self._executor = _OnQueue(jobs, self._waiters, max(matrix, holds), alone, self._shows)
        self._turns = turns
        self._turn: Task | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()
        # Jobs that were done for this run: what was at hand shows nothing of what is asked for anew.
        self._fresh = 0

    def records(self) -> tuple[Any, ...]:
        """What is there by now."""
        with self._lock:
            return tuple(self._records)

    def watch(self, waiter: Waiter) -> None:
        """Tell that a page waits for the results; a run that nobody waited for goes on."""
        self._waiters.add(waiter)
        with self._lock:
            if self.done or self._turn is not None or self.make is None or not waiter.waits():
                return
            self._over.clear()
            make, self.make = self.make, None
            turn = self._new_turn(make)
        self._turns.submit(turn)

    def leave(self, session: str) -> None:
        """Tell that a session waits no more."""
        self._waiters.leave(session)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the run, at most so long."""
        self._over.wait(seconds)

    def is_going(self) -> bool:
        """Whether the run is under way, or waits for its turn."""
        return self._turn is not None

    def has_failed_before(self) -> bool:
        """Whether it failed long enough ago to be tried again: the page that waited has said so by now."""
        return self.problem is not None and time.monotonic() - self._ended > FAILURE_SECONDS

    def waits(self) -> bool:
        """Whether it waits for others: for its turn, or with all of its jobs."""
        turn, tasks = self._turn, list(self._executor.tasks.values())
        waits_for_turn = turn is not None and turn.begun is None
        return waits_for_turn or (bool(tasks) and all(task.begun is None for task in tasks))

    def _shows(self) -> bool:
        """Whether a page shows something of the run, so that others come first."""
        return self._fresh >= FIRST_JOBS

    def _new_turn(self, make: Callable[[], Sequence[Job]]) -> Task:
        holds = TURN_COPIES * self._matrix
        turn = Task(lambda: self._have_turn(make), self._waiters, long=self._shows(), holds=holds)
        self._turn = turn
        turn.future.add_done_callback(lambda future: self._after_turn(future, make))
        return turn

    def _after_turn(self, future: Future[bool], make: Callable[[], Sequence[Job]]) -> None:
        complete = True
        if has_lapsed(future):
            complete = False
        elif (error := future.exception()) is None:
            complete = future.result()
            if not complete and self._waiters.any():
                self._turns.submit(self._new_turn(make))
                return
        elif isinstance(error, Refusal):
            self.problem = str(error)
        else:
            failure("a run failed", error)
            self.problem = NO_MEMORY if isinstance(error, MemoryError) else FAILED
        with self._lock:
            self.done, self._turn, self._ended = complete, None, time.monotonic()
            # It may hold a kernel matrix. Whoever asks for the rest brings it again.
            self.make = None
            self.nbytes = size_of(self._records)
        self._results[self.key] = self
        self._over.set()

    def _have_turn(self, make: Callable[[], Sequence[Job]]) -> bool:
        """Do jobs while it is this run's turn; whether all are done."""
        # Making jobs may form a kernel matrix: it passes the queue as they do.
        jobs = self._executor.submit(make).result()
        # The first results come from here at once. What runs alone measures seconds of this server, or holds
        # much of its memory.
        stays = self._alone or not self._shows()
        elsewhere, workers = (None, 0) if stays else cluster.executor()
        self.where = f" on {counted(workers, 'worker')} of the cluster" if workers else ""
        try:
            return self._do(jobs, elsewhere or self._executor, moves=stays and not self._alone)
        except Exception:
            # What is left of a cluster that was lost is done here, in the next turn.
            if not self.where or cluster.warning() is None:
                raise
            self.where = ""
            return False

    def _do(self, jobs: Sequence[Job], executor: Executor, moves: bool) -> bool:
        fresh: list[Any] = []
        stop, pause = threading.Event(), threading.Event()
        began, before, had = time.monotonic(), self.progress.seconds, self.progress.done
        for finished in run_jobs(jobs, executor, self._results, stop, pause):
            fresh.extend(finished.records)
            self._fresh += not finished.at_hand
            progress = finished.progress
            with self._lock:
                # A resumed run finds the cells that it has shown before first: they replace them.
                if len(fresh) >= len(self._records):
                    self._records = list(fresh)
                self.progress = replace(progress, seconds=before + progress.seconds)
            if not self._waiters.any():
                stop.set()
            # A turn that only found what was there already would never come to an end of the jobs.
            is_long = progress.done > had and time.monotonic() - began > TURN_SECONDS
            if (is_long and self._turns.is_wanted()) or (moves and cluster.is_named and self._shows()):
                pause.set()
        return self.progress.done == len(jobs)


class _OnQueue(Executor):
    """Hands the jobs of one run to the queue."""

    # The jobs share the data they work on.
    in_this_process = True

    def __init__(
        self, queue: Queue, waiters: Waiters, holds: float, alone: bool, shows: Callable[[], bool]
    ) -> None:
        self.queue, self.tasks = queue, dict[Future[Any], Task]()
        self._waiters, self._holds, self._alone, self._shows = waiters, holds, alone, shows

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a call behind those of other sessions."""
        task = Task(
            lambda: fn(*args, **kwargs),
            self._waiters,
            # Of the first ones a visitor waits for the next.
            long=self._shows() or any(not one.long for one in list(self.tasks.values())),
            holds=self._holds,
            group="alone" if self._alone else None,
            inline=not self._alone,
        )
        self.tasks[task.future] = task
        task.future.add_done_callback(self.tasks.pop)
        self.queue.submit(task)
        return task.future


class Runs:
    """The runs of this process by what they compute, kept among the engine's results."""

    def __init__(self, engine: Engine) -> None:
        self._lock, self._engine, self._turns = threading.Lock(), engine, Queue(TURNS_A_CORE * cores())

    def get(
        self,
        key: Hashable,
        make: Callable[[], Sequence[Job]],
        alone: bool = False,
        rows: int | None = None,
        holds: float = 0.0,
    ) -> Run:
        """Return the run with this key, the content of all that the records depend on.

        ``make`` makes the jobs, in another thread, and only where they have not been done. ``alone`` does one
        job at a time, for jobs that measure seconds. The data have so many ``rows``, by default as many as
        are held at most; ``holds`` are bytes that a job holds, where they are more than those of a matrix of
        so many rows.
        """
        matrix = budget.matrix_bytes() if rows is None else budget.held_bytes(rows)
        key, results = ("run of jobs", key), self._engine.results
        with self._lock:
            run: Run | None = results.get(key)
            if run is None or run.has_failed_before():
                run = Run(key, self._engine.queue, self._turns, results, alone, matrix, holds)
                results[key] = run
            if not run.done:
                run.make = make
        return run
