"""Jobs on any executor: results as they finish, an estimate of the time left, and a stop."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, MutableMapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from nysviz.blocks import cores, one_blas_thread, pool

# How often a stop is looked for.
LOOK_SECONDS = 0.1
# Jobs that travel to another process together, so that the data they share travel once.
BATCHES = 32
# More jobs in flight than workers, so that none of them waits; few, since those in flight are not stopped.
AHEAD = 2

Cache = MutableMapping[Hashable, Any]


@dataclass(frozen=True)
class Job:
    """One piece of work.

    Attributes
    ----------
    key : hashable
        Content of all that the result depends on.
    kind : hashable
        Jobs of one kind take a time in proportion to their weight.
    weight : float
    work : callable
        Without arguments, returns a tuple of records. For executors in other processes it can be pickled: a
        ``functools.partial`` of a function of a module.
    cells : tuple of hashable
        A key for each record, where a part of the records may be at hand from other jobs.
    """

    key: Hashable
    kind: Hashable
    weight: float
    work: Callable[[], tuple[Any, ...]]
    cells: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class Progress:
    """How far a run of jobs has come.

    Attributes
    ----------
    done, total : int
        Jobs.
    seconds : float
        So far.
    seconds_left : float
        Estimated from the jobs that are done; NaN before the first one is.
    """

    done: int
    total: int
    seconds: float
    seconds_left: float

    @property
    def fraction(self) -> float:
        """Part of the whole time that is over."""
        if self.done == self.total:
            return 1.0
        if math.isnan(self.seconds_left) or self.seconds + self.seconds_left <= 0:
            return self.done / max(1, self.total)
        return self.seconds / (self.seconds + self.seconds_left)


@dataclass(frozen=True)
class Finished:
    """A job with its records, which may have been ``at_hand`` before."""

    job: Job
    records: tuple[Any, ...]
    progress: Progress
    at_hand: bool = False


@dataclass
class _Clock:
    """Seconds of the jobs done, by kind, for an estimate of those that remain."""

    total: int
    started: float = 0.0
    done: int = 0
    busy: float = 0.0
    spent: dict[Hashable, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    remaining: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))

    def __post_init__(self) -> None:
        self.started = time.monotonic()

    def expect(self, job: Job) -> None:
        self.remaining[job.kind] += job.weight

    def finish(self, job: Job, seconds: float | None) -> None:
        self.done += 1
        if seconds is None:
            return
        self.remaining[job.kind] -= job.weight
        self.busy += seconds
        kind = self.spent[job.kind]
        kind[0] += seconds
        kind[1] += job.weight

    def progress(self) -> Progress:
        passed = time.monotonic() - self.started
        seconds = sum(of_kind[0] for of_kind in self.spent.values())
        weight = sum(of_kind[1] for of_kind in self.spent.values())
        if weight <= 0:
            return Progress(self.done, self.total, passed, math.nan if self.done < self.total else 0.0)
        # A kind that has not been met yet is taken for an average one.
        left = sum(
            part * (self.spent[kind][0] / self.spent[kind][1] if kind in self.spent else seconds / weight)
            for kind, part in self.remaining.items()
        )
        # Jobs that run side by side share the time that passes.
        return Progress(self.done, self.total, passed, max(0.0, left) * passed / max(self.busy, 1e-9))


def run_jobs(
    jobs: Iterable[Job],
    executor: Executor | None = None,
    cache: Cache | None = None,
    stop: Event | None = None,
    pause: Event | None = None,
) -> Iterator[Finished]:
    """Run jobs and yield each one as it finishes.

    Parameters
    ----------
    jobs : iterable of Job
        In the order in which they are begun.
    executor : concurrent.futures.Executor, optional
        The shared thread pool by default; any other one works as well, in this process or in others.
    cache : mutable mapping, optional
        Records by the keys of ``Job``. What is in it is not computed again, what is computed is put there.
    stop : threading.Event, optional
        Once set, nothing more is begun, and the iteration ends without waiting for jobs that run.
    pause : threading.Event, optional
        Once set, nothing more is begun, and the iteration ends after the jobs that run.

    Yields
    ------
    Finished
        Jobs found in the cache first.

    Raises
    ------
    Exception
        What a job raised; those that run are left to end.
    """
    jobs = list(jobs)
    cache = {} if cache is None else cache
    clock = _Clock(len(jobs))
    missing = []
    for job in jobs:
        records = _at_hand(job, cache)
        if records is None:
            clock.expect(job)
            missing.append(job)
            continue
        clock.finish(job, None)
        yield Finished(job, records, clock.progress(), at_hand=True)
    executor = pool() if executor is None else executor
    with one_blas_thread():
        for job, records, seconds in _completed(missing, executor, stop, pause):
            _keep(job, records, cache)
            clock.finish(job, seconds)
            yield Finished(job, records, clock.progress())


def _at_hand(job: Job, cache: Cache) -> tuple[Any, ...] | None:
    if not job.cells:
        found = cache.get(job.key)
        return None if found is None else tuple(found)
    cells = [cache.get(cell) for cell in job.cells]
    return None if any(cell is None for cell in cells) else tuple(cells)


def _keep(job: Job, records: tuple[Any, ...], cache: Cache) -> None:
    if not job.cells:
        cache[job.key] = records
        return
    for cell, record in zip(job.cells, records, strict=True):
        cache[cell] = record


def _run(works: tuple[Callable[[], tuple[Any, ...]], ...]) -> list[tuple[tuple[Any, ...], float]]:
    """Do a few jobs one after the other; at module level, so that another process can be asked to."""
    done = []
    for work in works:
        started = time.perf_counter()
        records = work()
        done.append((records, time.perf_counter() - started))
    return done


def _completed(
    jobs: list[Job], executor: Executor, stop: Event | None, pause: Event | None
) -> Iterator[tuple[Job, tuple[Any, ...], float]]:
    here = getattr(executor, "in_this_process", isinstance(executor, ThreadPoolExecutor))
    size = 1 if here else max(1, -(-len(jobs) // BATCHES))
    batches = iter([jobs[i : i + size] for i in range(0, len(jobs), size)])
    ahead = AHEAD * cores() if here else BATCHES
    running: dict[Future[Any], list[Job]] = {}
    try:
        while True:
            if pause is not None and pause.is_set():
                batches = iter(())
                running = {future: batch for future, batch in running.items() if not future.cancel()}
            while len(running) < ahead and (batch := next(batches, None)) is not None:
                running[executor.submit(_run, tuple(job.work for job in batch))] = batch
            if not running or (stop is not None and stop.is_set()):
                return
            finished, _ = wait(running, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            # Of those that ended together, in the order in which they were begun.
            for future in [one for one in running if one in finished]:
                for job, (records, seconds) in zip(running.pop(future), future.result(), strict=True):
                    yield job, records, seconds
    finally:
        for future in running:
            future.cancel()
