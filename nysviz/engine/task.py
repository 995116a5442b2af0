"""One computation, and who waits for it."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from typing import Any, Protocol

from nysviz.numerics.blocks import watched

# Seconds between looks at waiting and running tasks.
LOOK_SECONDS = 0.1


class NobodyWaits(Exception):  # noqa: N818
    """Raised in a computation at its next checkpoint, once no session waits for it any more."""


class Waiter(Protocol):
    """Something that shows a result once it is there: one drawing of a page, or a program."""

    session: str

    def is_newest(self) -> bool:
        """Whether this is what the session's page shows now."""

    def waits(self) -> bool:
        """Whether it still waits, or its session may ask for the same again in a moment."""


class Waiters:
    """Who waits for one computation, or for one run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: set[Waiter] = set()

    def add(self, waiter: Waiter) -> None:
        """Add a waiter."""
        with self._lock:
            self._all = {earlier for earlier in self._all if earlier.waits()} | {waiter}

    def leave(self, session: str) -> None:
        """Remove the waiters of a session."""
        with self._lock:
            self._all = {waiter for waiter in self._all if waiter.session != session}

    def any(self) -> bool:
        """Whether somebody waits."""
        return any(waiter.waits() for waiter in tuple(self._all))

    def any_newest(self) -> bool:
        """Whether somebody waits whose page has not been drawn anew since."""
        return any(waiter.is_newest() for waiter in tuple(self._all))

    def sessions(self) -> set[str]:
        """Return the sessions that wait."""
        return {waiter.session for waiter in tuple(self._all) if waiter.waits()}


class Task:
    """One computation that waits for its turn, or has it.

    ``holds`` are bytes that it holds while it is computed. ``long`` puts it in the lane of batch work, behind
    interactive tasks. No two of one ``group`` run at the same time.
    """

    def __init__(
        self,
        work: Callable[[], Any],
        waiters: Waiters,
        *,
        holds: float = 0.0,
        long: bool = False,
        group: str | None = None,
    ) -> None:
        self.work: Callable[[], Any] | None = work
        self.waiters, self.holds, self.long, self.group = waiters, holds, long, group
        self.future: Future[Any] = Future()
        self.asked_at = time.monotonic()
        self.begun_at: float | None = None
        self.thread: int | None = None
        # Its place in the queue: the lane's clock when it came, and its number.
        self.arrival, self.order = 0.0, 0

    def checkpoint(self) -> None:
        """Raise ``NobodyWaits`` where no session waits for this any more."""
        if not self.waiters.any():
            raise NobodyWaits


def has_lapsed(future: Future[Any]) -> bool:
    """Whether a computation ended only because nobody waited: whoever wants its result asks again."""
    return future.done() and isinstance(future.exception(), (NobodyWaits, CancelledError))


_thread = threading.local()


def current() -> Task | None:
    """Return the task whose work this thread does."""
    return getattr(_thread, "task", None)


@contextmanager
def doing(task: Task) -> Iterator[None]:
    """Do a task's work in this thread: its block work ends once nobody waits."""
    _thread.task = task
    try:
        with watched(task.checkpoint):
            yield
    finally:
        _thread.task = None


@contextmanager
def keeping_apart() -> Iterator[None]:
    """Keep the results of this block in this thread alone, and drop them at its end.

    A job that passes through many settings would push out of the shared results what pages show.
    """
    _thread.apart = {}
    try:
        yield
    finally:
        _thread.apart = None


def results_apart() -> dict[Hashable, Any] | None:
    """Return the results that this thread keeps apart; None where it shares them."""
    return getattr(_thread, "apart", None)
