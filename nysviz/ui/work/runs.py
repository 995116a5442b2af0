"""Runs of many jobs that belong to nobody: a run goes on while some session watches it.

What it has found is kept, cell by cell, so that the same or an overlapping question goes on from there.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from nysviz import memory
from nysviz.blocks import cores
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Progress, run_jobs
from nysviz.text import counted
from nysviz.ui.logs import failure
from nysviz.ui.work import budget
from nysviz.ui.work.cluster import cluster
from nysviz.ui.work.executor import JOB_COPIES, GateExecutor
from nysviz.ui.work.gate import FAILURE_SECONDS, Gate
from nysviz.ui.work.sizes import size_of
from nysviz.ui.work.threads import NO_THREAD, in_a_thread
from nysviz.ui.work.tickets import NobodyLooks, Ticket
from nysviz.ui.work.watching import Drawing, Watchers

# While other runs wait for their turn, one goes on for so long before it lets them.
TURN_SECONDS = 6.0
# And for so long while some of them have nothing to show yet.
SHORT_TURN_SECONDS = 1.0
# A picture needs a few jobs before it shows something: two chains, or the runs of two methods.
FIRST_JOBS = 3
# What a run that is under way holds beside its jobs, in kernel matrices of its data: that, and parts of it.
TURN_COPIES = 1.5
# So many runs at most are under way at a time, for each core.
TURNS_A_CORE = 2
# Runs whose results are kept together, and the part of the bytes for records that single cells may take.
RUNS = 48
CELLS_SHARE = 0.5
SHORT_CELLS_SHARE = 0.1
NOT_BEGUN = Progress(0, 0, 0.0, math.nan)


class Run:
    """Jobs that are being done, and the records they have given so far.

    Parameters
    ----------
    key : hashable
    gate : Gate
        What the jobs pass, among all heavy work of the process.
    turns : Gate
        What the runs pass: each one that is under way holds data of its own.
    cells : mutable mapping
        Records by their content.
    group : str, optional
        No two jobs of one group run at the same time.
    matrices : float
        What a kernel matrix of its data takes, in those of the largest size that is held.
    job_matrices : float
        What a job holds at least, in the same.
    """

    def __init__(
        self,
        key: Hashable,
        gate: Gate,
        turns: Gate,
        cells: MutableMapping[Hashable, Any],
        group: str | None = None,
        matrices: float = 1.0,
        job_matrices: float = 0.0,
    ) -> None:
        self.key = key
        self.problem: str | None = None
        self.ended = -math.inf
        self.progress = NOT_BEGUN
        self.where = ""
        self.done = False
        self.make: Callable[[], Sequence[Job]] | None = None
        self.weight = 0
        self._cells = cells
        self._records: list[Any] = []
        self._watchers = Watchers()
        job = max(JOB_COPIES * matrices, job_matrices)
        self._executor = GateExecutor(gate, self._watchers, group, self._shows, job)
        self._need, self._is_shared = TURN_COPIES * matrices, group is None
        self._turns = turns
        self._turn: Ticket | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._going = False
        # Jobs that were done for this run: what was at hand shows nothing of what is asked for anew.
        self._fresh = 0

    def records(self) -> tuple[Any, ...]:
        """What is there by now."""
        with self._lock:
            return tuple(self._records)

    def offer(self, make: Callable[[], Sequence[Job]]) -> None:
        """Bring what makes the jobs, where they are not done yet: it may hold the data."""
        with self._lock:
            if not self.done:
                self.make = make

    def watch(self, drawing: Drawing) -> None:
        """Tell that a page waits for the results; a run that nobody watched goes on."""
        drawing.touch()
        self._watchers.add(drawing)
        with self._lock:
            if self.done or self._going or self.make is None or not drawing.looks():
                return
            self._going = True
            self._over = threading.Event()
            make, self.make = self.make, None
        if not in_a_thread(self._work, "nysviz-run", make):
            with self._lock:
                self.problem, self.done, self._going, self.ended = NO_THREAD, True, False, time.monotonic()

    def leave(self, session: str) -> None:
        """Tell that a session waits no more."""
        self._watchers.leave(session)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the run, at most so long."""
        self._over.wait(seconds)

    def is_going(self) -> bool:
        """Whether the run is under way, or waits for its turn."""
        with self._lock:
            return self._going

    def has_failed_before(self) -> bool:
        """Whether it failed long enough ago to be tried again: the page that waited has said so by now."""
        return self.problem is not None and time.monotonic() - self.ended > FAILURE_SECONDS

    def others_before(self) -> int | None:
        """How many other computations come before the next job; None while one of its own is done."""
        with self._lock:
            turn = self._turn
        waiting = None if turn is None else self._turns.others_before([turn])
        return self._executor.others_before() if waiting is None else waiting

    def _work(self, make: Callable[[], Sequence[Job]]) -> None:
        complete = False
        try:
            while not complete and self._watchers.any():
                try:
                    complete = self._have_turn(make)
                except Exception:
                    # What is left of a cluster that was lost is done here, in the next turn.
                    if not self.where or cluster.warning() is None:
                        raise
                    self.where = ""
        except (NobodyLooks, CancelledError):
            pass
        except Refusal as problem:
            self.problem, complete = str(problem), True
        except MemoryError:
            self.problem, complete = "There is not enough memory for this; choose smaller data.", True
        except Exception as error:
            failure("a run failed", error)
            self.problem, complete = (
                "The computation failed, and the server's log says where; try other settings.",
                True,
            )
        with self._lock:
            self.done, self._going, self.ended = complete, False, time.monotonic()
            # It may hold a kernel matrix. Whoever asks for the rest brings it again.
            self.make = None
            self.weight = size_of(self._records)
            over = self._over
        over.set()

    def _shows(self) -> bool:
        return self._fresh >= FIRST_JOBS

    def _have_turn(self, make: Callable[[], Sequence[Job]]) -> bool:
        """Do jobs while it is this run's turn; whether all are done."""
        shown = self._shows()
        turn = Ticket(self._watchers, heavy=shown, shown=shown, matrices=self._need)
        with self._lock:
            self._turn = turn
        self._turns.enter(turn)
        try:
            # Making jobs may form a kernel matrix: it passes the gate as they do.
            return self._do(self._executor.begin(make).result())
        finally:
            self._turns.leave(turn)

    def _do(self, jobs: Sequence[Job]) -> bool:
        fresh: list[Any] = []
        stop, pause = threading.Event(), threading.Event()
        began, before, had = time.monotonic(), self.progress.seconds, self.progress.done
        # What runs alone measures seconds of this server, or holds much of its memory.
        elsewhere, workers = cluster.executor() if self._is_shared else (None, 0)
        self.where = f" on {counted(workers, 'worker')} of the cluster" if workers else ""
        for finished in run_jobs(jobs, elsewhere or self._executor, self._cells, stop, pause):
            fresh.extend(finished.records)
            self._fresh += not finished.at_hand
            progress = finished.progress
            with self._lock:
                # A resumed run finds the cells that it has shown before first: they replace them.
                if len(fresh) >= len(self._records):
                    self._records = list(fresh)
                self.progress = replace(progress, seconds=before + progress.seconds)
            if not self._watchers.any():
                stop.set()
            # A turn that only found what was there already would never come to an end of the jobs.
            spent = time.monotonic() - began if progress.done > had else 0.0
            if (spent > TURN_SECONDS and self._turns.is_wanted()) or (
                spent > SHORT_TURN_SECONDS and self._turns.is_wanted(unseen=True)
            ):
                pause.set()
        return self.progress.done == len(jobs)


class Cells(MutableMapping[Hashable, Any]):
    """Records by the content they were computed from, bounded in bytes, for threads."""

    def __init__(self, most_bytes: float) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[Hashable, Any] = LRUCache(
            most_bytes, getsizeof=lambda value: 300 + size_of(value)
        )

    def __getitem__(self, key: Hashable) -> Any:
        with self._lock:
            return self._kept[key]

    def __setitem__(self, key: Hashable, value: Any) -> None:
        with self._lock:
            if 300 + size_of(value) <= self._kept.maxsize:
                self._kept[key] = value

    def __delitem__(self, key: Hashable) -> None:
        with self._lock:
            del self._kept[key]

    def __iter__(self) -> Iterator[Hashable]:
        with self._lock:
            return iter(list(self._kept))

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)


class Runs:
    """The runs of this process by what they compute.

    Parameters
    ----------
    gate : Gate
    most_bytes : int
        Of all records, in single cells and in runs.
    """

    def __init__(self, gate: Gate, most_bytes: int) -> None:
        self._lock = threading.Lock()
        self._runs: LRUCache[Hashable, Run] = LRUCache(RUNS)
        self._gate = gate
        # As many under way as the memory has room for: each holds data of its own.
        self._turns = Gate(TURNS_A_CORE * cores(), large=math.inf)
        self._cells = Cells(CELLS_SHARE * most_bytes)
        self._short_cells = Cells(SHORT_CELLS_SHARE * most_bytes)
        self._most_bytes = (1 - CELLS_SHARE - SHORT_CELLS_SHARE) * most_bytes

    def get(
        self,
        key: Hashable,
        make: Callable[[], Sequence[Job]],
        alone: bool,
        matrices: float = 1.0,
        job_matrices: float = 0.0,
    ) -> Run:
        """Return the run with this key, with what makes its jobs."""
        short = memory.shortage.is_on()
        with self._lock:
            # While the memory runs short, records hold estimates where they hold exact errors else.
            run = self._runs.get((key, short))
            if run is None or run.has_failed_before():
                cells = self._short_cells if short else self._cells
                group = "alone" if alone else None
                run = Run(key, self._gate, self._turns, cells, group, matrices, job_matrices)
                self._runs[key, short] = run
            self._trim(run, short)
        run.offer(make)
        return run

    def _trim(self, asked: Run, short: bool) -> None:
        """Forget the runs that were used longest ago, as far as their records are too many."""
        share = budget.SHORT_SHARE if short else 1.0
        while sum(run.weight for run in self._runs.values()) > share * self._most_bytes:
            key, oldest = self._runs.popitem()
            if oldest is asked:
                self._runs[key] = oldest
                return
