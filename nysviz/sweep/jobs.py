"""Jobs on any executor: results as they finish, an estimate of the time left, and a stop."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Any, Protocol

from nysviz.blocks import cores, one_blas_thread, pool

# Jobs that travel to another process together, so that the data they share travel once.
BATCHES = 32
# More jobs in flight than workers, so that none of them waits; few, since those in flight are not stopped.
AHEAD = 2


class Cache(Protocol):
    """What keeps records by their keys, such as a dictionary."""

    def get(self, key: Hashable, /) -> Any:
        """Return the record, None where there is none."""

    def __setitem__(self, key: Hashable, value: Any, /) -> None:
        """Keep a record."""


@dataclass(frozen=True)
class Job:
    """One piece of work.

    ``key`` is the content of all that the result depends on; jobs of one kind take a time in proportion to
    their weight. ``work`` returns a tuple of records, and can be pickled for executors in other processes: a
    ``functools.partial`` of a function of a module. ``cells`` are a key for each record, where a part of them
    may be at hand from other jobs.
    """

    key: Hashable
    kind: Hashable
    weight: float
    work: Callable[[], tuple[Any, ...]]
    cells: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class Progress:
    """Jobs done of all, the seconds so far, and those left: NaN before the first job is done."""

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


class _Clock:
    """Seconds of the jobs done, by kind, for an estimate of those that remain."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.started = time.monotonic()
        self.done = 0
        # Seconds and weight of the jobs done, and the weight of those that remain.
        self.spent: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.remaining: dict[Hashable, float] = defaultdict(float)

    def finish(self, job: Job, seconds: float) -> None:
        self.done += 1
        self.remaining[job.kind] -= job.weight
        self.spent[job.kind][0] += seconds
        self.spent[job.kind][1] += job.weight

    def progress(self) -> Progress:
        passed = time.monotonic() - self.started
        seconds, weight = (sum(of_kind[i] for of_kind in self.spent.values()) for i in (0, 1))
        if weight <= 0:
            return Progress(self.done, self.total, passed, math.nan if self.done < self.total else 0.0)
        # A kind that has not been met yet is taken for an average one.
        left = sum(
            part * (self.spent[kind][0] / self.spent[kind][1] if kind in self.spent else seconds / weight)
            for kind, part in self.remaining.items()
        )
        # Jobs that run side by side share the time that passes. More than that of one after the other has
        # passed while the run waited for others, which says nothing of what is left.
        share = min(1.0, passed / max(seconds, 1e-9))
        return Progress(self.done, self.total, passed, max(0.0, left) * share)


def run_jobs(
    jobs: Iterable[Job],
    executor: Executor | None = None,
    cache: Cache | None = None,
    stop: Event | None = None,
    pause: Event | None = None,
) -> Iterator[Finished]:
    """Run jobs, begun in their order, and yield each one as it finishes, those found in the cache first.

    The executor is the shared thread pool by default; any other one works as well, in this process or in
    others. The cache has records by the keys of ``Job``: what is in it is not computed again, what is
    computed is put there. Once ``stop`` is set, nothing more is begun, and the iteration ends without waiting
    for jobs that run; after a ``pause`` it ends once they are done. What a job raises is raised; others are
    left to end.
    """
    jobs = list(jobs)
    cache = {} if cache is None else cache
    clock = _Clock(len(jobs))
    missing = []
    for job in jobs:
        found = [cache.get(cell) for cell in job.cells] if job.cells else cache.get(job.key)
        if found is None or any(record is None for record in found):
            clock.remaining[job.kind] += job.weight
            missing.append(job)
            continue
        clock.done += 1
        yield Finished(job, tuple(found), clock.progress(), at_hand=True)
    executor = pool() if executor is None else executor
    with one_blas_thread():
        for job, records, seconds in _completed(missing, executor, stop, pause):
            for key, of_it in zip(job.cells, records, strict=True) if job.cells else [(job.key, records)]:
                cache[key] = of_it
            clock.finish(job, seconds)
            yield Finished(job, records, clock.progress())


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
            # After a tenth of a second a stop is looked for.
            finished, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            # Of those that ended together, in the order in which they were begun.
            for future in [one for one in running if one in finished]:
                for job, (records, seconds) in zip(running.pop(future), future.result(), strict=True):
                    yield job, records, seconds
    finally:
        for future in running:
            future.cancel()
