"""Jobs on any executor: results as they finish, and an estimate of the time left."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from nysviz.numerics.blocks import cores, one_blas_thread, pool

# Batches into which jobs for other processes are divided: the data that they share travel once a batch.
BATCHES = 32
# More jobs in flight than workers, so that no worker waits; few, since jobs in flight are not stopped.
AHEAD = 2


@dataclass(frozen=True)
class Job:
    """One piece of work.

    ``key`` holds everything that the result depends on; jobs of one kind take time in proportion to their
    weight. ``work`` returns a tuple of records, and can be pickled for executors in other processes: a
    ``functools.partial`` of a function of a module. ``cells`` has a key for each record, where some of them
    may be at hand from other jobs.
    """

    key: Hashable
    kind: Hashable
    weight: float
    work: Callable[[], tuple[Any, ...]]
    cells: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class Progress:
    """Jobs done and in total, the fraction of the work done, and seconds left, NaN before the first job."""

    done: int
    total: int
    fraction: float
    seconds_left: float


@dataclass(frozen=True)
class Finished:
    """A job with its records."""

    job: Job
    records: tuple[Any, ...]
    progress: Progress


class Clock:
    """Estimate of the seconds left, from the seconds of the jobs done, by kind."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.done, self.total = 0, len(jobs)
        self._started = time.monotonic()
        # Seconds and weight of the jobs done, and the weight of those that remain.
        self._spent: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._remaining: dict[Hashable, float] = defaultdict(float)
        for job in jobs:
            self._remaining[job.kind] += job.weight

    def finish(self, job: Job, seconds: float | None) -> Progress:
        """Count a job as done after ``seconds``; None where its records were at hand."""
        self.done += 1
        self._remaining[job.kind] -= job.weight
        if seconds is not None:
            self._spent[job.kind][0] += seconds
            self._spent[job.kind][1] += job.weight
        return self._progress()

    def _progress(self) -> Progress:
        seconds, weight = (sum(of_kind[i] for of_kind in self._spent.values()) for i in (0, 1))
        if weight <= 0 or self.done == self.total:
            seconds_left = math.nan if self.done < self.total else 0.0
            return Progress(self.done, self.total, self.done / self.total, seconds_left)
        # A kind without a finished job counts as an average one.
        seconds_left = sum(
            weight_left
            * (self._spent[kind][0] / self._spent[kind][1] if kind in self._spent else seconds / weight)
            for kind, weight_left in self._remaining.items()
        )
        seconds_left = max(0.0, seconds_left)
        fraction = seconds / (seconds + seconds_left) if seconds_left > 0 else self.done / self.total
        # Parallel jobs share the time that passes. Where more time has passed than the jobs took, the run
        # waited for other runs, which says nothing about the time left.
        share = min(1.0, (time.monotonic() - self._started) / max(seconds, 1e-9))
        return Progress(self.done, self.total, fraction, seconds_left * share)


def run_jobs(jobs: Iterable[Job], executor: Executor | None = None) -> Iterator[Finished]:
    """Start jobs in their order, and yield each one as it finishes.

    The executor is the shared thread pool by default; any other one works as well, in this process or in
    others. Leaving the iteration starts no more jobs and does not wait for running ones. An exception of a
    job is raised here; other running jobs finish.
    """
    jobs = list(jobs)
    clock = Clock(jobs)
    with one_blas_thread():
        for job, records, seconds in finish_jobs(jobs, pool() if executor is None else executor):
            yield Finished(job, records, clock.finish(job, seconds))


def _run(works: tuple[Callable[[], tuple[Any, ...]], ...]) -> list[tuple[tuple[Any, ...], float]]:
    """Run a few jobs one after the other; at module level, so that another process can unpickle it."""
    results = []
    for work in works:
        started = time.perf_counter()
        records = work()
        results.append((records, time.perf_counter() - started))
    return results


def finish_jobs(
    jobs: Sequence[Job],
    executor: Executor,
    *,
    ahead: int | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Iterator[tuple[Job, tuple[Any, ...], float]]:
    """Yield each job as it finishes, with its records and seconds.

    At most ``ahead`` jobs are in flight, by default a few more than there are workers, and none starts once
    ``goes_on`` returns False.
    """
    in_this_process = isinstance(executor, ThreadPoolExecutor)
    size = 1 if in_this_process else max(1, -(-len(jobs) // BATCHES))
    batches = iter([jobs[i : i + size] for i in range(0, len(jobs), size)])
    ahead = ahead or (AHEAD * cores() if in_this_process else BATCHES)
    running: dict[Future[Any], Sequence[Job]] = {}
    try:
        while True:
            while len(running) < ahead and goes_on() and (batch := next(batches, None)) is not None:
                running[executor.submit(_run, tuple(job.work for job in batch))] = batch
            if not goes_on():
                running = {future: batch for future, batch in running.items() if not future.cancel()}
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            # Jobs that finished together come in the order in which they started.
            for future in [future for future in running if future in finished]:
                for job, (records, seconds) in zip(running.pop(future), future.result(), strict=True):
                    yield job, records, seconds
    finally:
        for future in running:
            future.cancel()
