"""One computation that wants its turn, who looks at it, and what it needs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from nysviz.blocks import in_this_thread, watched
from nysviz.ui.work.watching import SCRIPT, Watchers

# What heavy work, and quick work, need beside what is kept, in kernel matrices.
COPIES, QUICK_COPIES = 3.0, 0.4
# What has begun so lately may not have taken the memory yet that it will.
SETTLE_SECONDS = 1.0
# How often a checkpoint asks whether anybody looks.
LOOK_SECONDS = 0.1


class NobodyLooks(Exception):  # noqa: N818
    """Raised in a computation at its next checkpoint, once no session looks at it any more."""


class Ticket:
    """One computation that waits for its turn, or has it.

    Parameters
    ----------
    watchers : Watchers
        Who looks at the result.
    work : callable, optional
        Run in a thread of its own once it is its turn; without it the caller of ``enter`` does the work.
    heavy : bool
        Known to be heavy from the start.
    group : str, optional
        No two of one group run at the same time.
    patient : bool
        Comes after what else the same session waits for.
    inline : bool
        Keeps its block work in its own thread.
    shown : bool
        Goes on with what a page shows a part of already, or comes beside it: after what nothing is seen of.
    matrices : float, optional
        What it needs while it runs, in kernel matrices of the largest size that is held.
    moment : bool
        Known to be over in a moment: it waits for no place.
    settle : float
        Seconds after its beginning by which it has taken that memory.
    place : (int, int), optional
        In the queue, of what it comes right after: else it would go to the end.
    """

    def __init__(
        self,
        watchers: Watchers,
        work: Callable[[], object] | None = None,
        *,
        heavy: bool = False,
        group: str | None = None,
        patient: bool = False,
        inline: bool = False,
        shown: bool = False,
        matrices: float | None = None,
        moment: bool = False,
        settle: float = SETTLE_SECONDS,
        place: tuple[int, int] | None = None,
    ) -> None:
        self.watchers = watchers
        self.work = work
        self.heavy, self.group, self.patient, self.inline = heavy, group, patient, inline
        self.shown, self.moment, self.settle, self.place = shown, moment, settle, place
        self.matrices = (COPIES if heavy else QUICK_COPIES) if matrices is None else matrices
        self.asked = time.monotonic()
        self.turn = threading.Event()
        self.begun: float | None = None
        self.overrun = False
        # Since when it has been held up for room, though its turn has come.
        self.held: float | None = None
        self.own_thread = work is not None
        self.dropped = False
        self.order, self.queued = 0, (0, 0)
        self.thread: int | None = None
        self.future: Future[Any] = Future()
        self._looked = 0.0

    def checkpoint(self) -> None:
        """Raise ``NobodyLooks`` where no session looks at this any more."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            if not self.watchers.any():
                raise NobodyLooks

    def is_seen(self) -> bool:
        """Whether some page, and not only a program, looks at this."""
        return bool(self.watchers.sessions() - {SCRIPT})


_here = threading.local()


def current() -> Ticket | None:
    """Return the ticket whose work this thread does."""
    found: Ticket | None = getattr(_here, "ticket", None)
    return found


@contextmanager
def holding(ticket: Ticket) -> Iterator[None]:
    """Do a ticket's work in this thread: its block work ends once nobody looks."""
    _here.ticket = ticket
    try:
        with watched(ticket.checkpoint), in_this_thread(ticket.inline):
            yield
    finally:
        _here.ticket = None
