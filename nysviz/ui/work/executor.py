"""An executor whose jobs pass the gate, for runs of many jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from nysviz.ui.work.gate import Gate
from nysviz.ui.work.tickets import Ticket
from nysviz.ui.work.watching import Watchers

T = TypeVar("T")

# What a job of a sweep needs, in kernel matrices: they share the one that is there.
JOB_COPIES = 1.0


class GateExecutor(Executor):
    """Hands the jobs of one run to the gate; for ``run_jobs``.

    Parameters
    ----------
    gate : Gate
    watchers : Watchers
        Who looks at the run.
    group : str, optional
        No two jobs of one group run at the same time.
    shown : callable, optional
        Whether so much of the results is seen already that others come first.
    matrices : float
        What a job needs while it runs, in kernel matrices of the largest size that is held.
    """

    # The jobs share the data they work on.
    in_this_process = True

    def __init__(
        self,
        gate: Gate,
        watchers: Watchers,
        group: str | None = None,
        shown: Callable[[], bool] = lambda: False,
        matrices: float = JOB_COPIES,
    ) -> None:
        self._gate, self._watchers, self._group, self._shown = gate, watchers, group, shown
        self._matrices = matrices
        self._lock = threading.Lock()
        self._tickets: set[Ticket] = set()
        self._place: tuple[int, int] | None = None

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Queue a call behind those of other sessions; in the quick lane the one that is waited for."""
        return self._queue(lambda: fn(*args, **kwargs)).future

    def begin(self, make: Callable[[], T]) -> Future[T]:
        """Queue what makes the jobs: the first of them, of which something is seen, keeps its place."""
        made = self._queue(make)
        with self._lock:
            self._place = made.queued
        return made.future

    def _queue(self, work: Callable[[], object]) -> Ticket:
        shown = self._shown()
        with self._lock:
            ticket = Ticket(
                self._watchers,
                work,
                heavy=shown or any(not one.heavy or one.overrun for one in self._tickets),
                group=self._group,
                inline=self._group is None,
                shown=shown,
                matrices=self._matrices,
                place=None if shown else self._place,
            )
            self._tickets.add(ticket)
            self._place = None
        # A result, or the frames behind an exception, may hold a kernel matrix: only who waits keeps it.
        ticket.future.add_done_callback(lambda _: self._forget(ticket))
        self._gate.submit(ticket)
        return ticket

    def _forget(self, ticket: Ticket) -> None:
        with self._lock:
            self._tickets.discard(ticket)

    def others_before(self) -> int | None:
        """How many other computations come before this run's next job; None while one of its jobs runs."""
        with self._lock:
            tickets = tuple(self._tickets)
        return self._gate.others_before(tickets)
