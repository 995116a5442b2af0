"""Results shared by all sessions: one bounded cache, filled by work that passes one queue.

Results are kept under the content they were computed from (digest of the data, kernel, method, m, seed), so
sessions share what is equal and cannot ask for another session's data. Whose turn it is depends on sessions,
what is kept does not.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from typing import Any, TypeVar, cast

from cachetools import TTLCache

from nysviz.engine.queue import Queue
from nysviz.engine.results import Results
from nysviz.engine.runs import Run
from nysviz.engine.task import (
    LOOK_SECONDS,
    NobodyWaits,
    Task,
    Waiter,
    Waiters,
    current,
    has_lapsed,
    results_apart,
)
from nysviz.numerics.blocks import cores
from nysviz.nystroem.lowrank import LowRank
from nysviz.sweep import Job

T = TypeVar("T")

# Seconds for which a failure is remembered, and how many: memory may be free again later.
FAILURE_SECONDS, FAILURES = 20.0, 256
_NOTHING = object()


class Engine:
    """Computes each result once, however many sessions ask for it at the same time.

    All results together take ``bytes_kept``; the queue runs ``places`` tasks at once, by default one a core.
    """

    def __init__(self, bytes_kept: int, places: int | None = None) -> None:
        self.results = Results(bytes_kept)
        self.queue = Queue(cores() if places is None else places, self.results.free_memory)
        self._lock = threading.Lock()
        self._under_way: dict[Hashable, Task] = {}
        self.failures: TTLCache[Hashable, Future[Any]] = TTLCache(FAILURES, FAILURE_SECONDS)

    def ask(
        self,
        key: Hashable,
        compute: Callable[[], T],
        waiter: Waiter,
        *,
        beside: bool = False,
        holds: float = 0.0,
    ) -> Task:
        """Return the task whose future gets the result; it is dropped when nobody waits, see ``has_lapsed``.

        The key is the content of all that the result depends on. ``beside`` puts it among the jobs of runs,
        behind interactive tasks; ``holds`` are bytes that it holds while it is computed.
        """
        with self._lock:
            result = self._look_up(key)
            task = self._under_way.get(key) if result is _NOTHING else None
            if task is not None and not has_lapsed(task.future):
                task.waiters.add(waiter)
                return task
            task = Task(lambda: self.results.keep(key, compute()), Waiters(), holds=holds, long=beside)
            if result is not _NOTHING:
                task.future.set_result(result)
                return task
            if key in self.failures:
                # The waiting page is drawn again to show the error; started again, it would fail for ever.
                task.future = self.failures[key]
                return task
            task.waiters.add(waiter)
            self._under_way[key] = task
        task.future.add_done_callback(lambda future: self._is_over(key, future))
        self.queue.submit(task)
        return task

    def get(
        self,
        key: Hashable,
        compute: Callable[[], T],
        waiter: Waiter,
        *,
        holds: float = 0.0,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> T:
        """Return the result once it is there; ``meanwhile`` is called several times a second.

        Inside another task it is computed at once: waiting for a place while holding one could deadlock.
        Within ``keeping_apart`` it is not kept for others.
        """
        if current() is not None:
            result, apart = self._look_up(key), results_apart()
            if result is not _NOTHING:
                return cast("T", result)
            if apart is None:
                return self.results.keep(key, compute())
            if key not in apart:
                apart[key] = compute()
            return cast("T", apart[key])
        while True:
            future = self.ask(key, compute, waiter, holds=holds).future
            while not future.done():
                wait([future], LOOK_SECONDS)
                meanwhile()
            if not has_lapsed(future):
                return cast("T", future.result())
            if not waiter.waits():
                raise NobodyWaits

    def run(
        self, key: Hashable, make: Callable[[], Sequence[Job]], holds: float, *, alone: bool = False
    ) -> Run:
        """Return the run with this key, the content of all that its records depend on.

        ``make`` makes the jobs, in another thread, and only where they have not been done. ``holds`` are
        bytes that a job holds. ``alone`` does one job at a time, for jobs that measure seconds.
        """
        key = ("run of jobs", key)
        with self._lock:
            run: Run | None = self.results.get(key)
            # By now the page has shown the failure, and memory may be free again.
            if run is None or (run.error is not None and time.monotonic() - run.ended > FAILURE_SECONDS):
                run = Run(key, self.queue, self.results, holds, alone)
                self.results.keep(key, run)
            if not run.done:
                run.make = make
        return run

    def has(self, key: Hashable) -> bool:
        """Whether a result is at hand."""
        return self._look_up(key) is not _NOTHING

    def _look_up(self, key: Hashable) -> Any:
        """Return the result that is kept, or still in use somewhere, or else ``_NOTHING``."""
        value = self.results.get(key, _NOTHING)
        if isinstance(getattr(value, "approximation", value), LowRank):
            # It computes its eigenpairs and the like at their first use: weigh it again.
            self.results.keep(key, value)
        return value

    def _is_over(self, key: Hashable, future: Future[Any]) -> None:
        with self._lock:
            if not has_lapsed(future) and future.exception() is not None:
                self.failures[key] = future
            if key in self._under_way and self._under_way[key].future is future:
                del self._under_way[key]
