"""The gate that all heavy work of the process passes: bounded by cores, and fair between sessions.

There are two lanes with a place a core each. What a visitor waits for starts in the quick lane, so that a
small approximation never waits behind large ones; what has been there for a second goes on as heavy work, at
a lower priority, and its place is free again. Sweeps and what is expected to take long start as heavy work.
Where the memory has no room for one more beside those that run, a lane does one after the other. What is
large in the quick lane waits for room beside both lanes; what is small passes it for some seconds, then
nothing does.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from typing import Any

from nysviz import machine, memory
from nysviz.refusal import Refusal
from nysviz.ui.work.admission import LARGE_MATRICES, Admission, is_passed, wanted_bytes
from nysviz.ui.work.threads import NO_THREAD, give_way, in_a_thread
from nysviz.ui.work.tickets import LOOK_SECONDS, NobodyLooks, Ticket, holding

# Quick work that takes longer is heavy work.
QUICK_SECONDS = 1.0
# Work that overran the quick lane without a checkpoint gives its place there away, up to so many times the
# number of places: each one holds memory of its own.
MOST_OVERRUNS = 2
# What is over in a moment goes past the places, up to so many times their number.
MOST_MOMENTS = 4
# A run whose first results are seen waits behind those without any, for so long.
LATER_SECONDS = 20.0
# How often freed memory goes back to the system while there is work, and once after it.
GIVE_BACK_SECONDS = 5.0
# How long it is known that a computation failed: memory may be free again later.
FAILURE_SECONDS = 20.0
# How often results that are kept make room for work: what was forgotten is gone only once nobody uses it.
ROOM_SECONDS = 0.5


class Gate:
    """Lets computations begin, so many at a time, in turns of the sessions that wait for them.

    Parameters
    ----------
    places : int
        In each of the two lanes.
    make_room : callable, optional
        Called with so many bytes, where what has begun may need them and they are not free.
    large : float
        What needs more kernel matrices in the quick lane waits for room beside the other lane, too.
    """

    def __init__(
        self,
        places: int,
        make_room: Callable[[float], None] = lambda missing: None,
        large: float = LARGE_MATRICES,
    ) -> None:
        self.places = places
        self._admission, self._make_room = Admission(large), make_room
        self._lock = threading.RLock()
        self._waiting: list[Ticket] = []
        self._running: set[Ticket] = set()
        self._served: dict[str, int] = {}
        self._count = 0
        self._tending = False
        self._busy = self._gave_back = self._made_room = time.monotonic()

    def submit(self, ticket: Ticket) -> None:
        """Put a ticket with work of its own into the queue."""
        with self._lock:
            self._queue(ticket)

    def enter(self, ticket: Ticket, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait in this thread for the ticket's turn.

        Raises
        ------
        NobodyLooks
            Nobody looks any more at what it would compute.
        """
        ticket.thread = threading.get_native_id()
        with self._lock:
            self._queue(ticket)
        try:
            while not ticket.turn.wait(LOOK_SECONDS):
                meanwhile()
        except BaseException:
            self.leave(ticket)
            raise
        if ticket.dropped:
            raise NobodyLooks

    def leave(self, ticket: Ticket) -> None:
        """Give the ticket's place to the next one."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            self._running.discard(ticket)
            self._grant()

    def others_before(self, tickets: Iterable[Ticket]) -> int | None:
        """How many other computations come before the first of these; None once one of them has begun."""
        mine = list(tickets)
        with self._lock:
            if any(ticket in self._running for ticket in mine):
                return None
            waiting = [ticket for ticket in mine if ticket in self._waiting]
            if not waiting:
                return None
            first = min(waiting, key=self._rank)
            before = [
                one for one in self._running if one.heavy == first.heavy or self._admission.is_large(first)
            ]
            ahead: dict[frozenset[str], Ticket] = {}
            for one in self._waiting:
                if one.heavy == first.heavy and one not in mine and self._rank(one) < self._rank(first):
                    # A session's second request comes after this one's first.
                    ahead.setdefault(frozenset(one.watchers.sessions()), one)
            return len(before) + len(ahead)

    def is_wanted(self, *, unseen: bool = False) -> bool:
        """Whether other computations wait for a place; with ``unseen``, some of which nothing is seen yet."""
        with self._lock:
            return any(one.watchers.any_newest() for one in self._waiting if not (unseen and one.shown))

    def running(self, *, heavy: bool) -> int:
        """How many computations are going on in a lane."""
        with self._lock:
            return sum(1 for one in self._running if one.heavy == heavy)

    def _queue(self, ticket: Ticket) -> None:
        self._busy = time.monotonic()
        self._count += 1
        ticket.order = self._count
        if ticket.place is None and ticket.own_thread:
            ticket.queued = self._last_served(ticket), ticket.order
        for drawing in ticket.watchers:
            if drawing.place is None:
                drawing.place = self._served.get(drawing.session, 0), ticket.order
        self._waiting.append(ticket)
        self._grant()
        if not self._tending:
            # Where the system has no thread left the next ticket tries again.
            self._tending = in_a_thread(self._tend, "nysviz-gate")

    def _rank(self, ticket: Ticket) -> tuple[bool, int, bool, int]:
        served, order = self._last_served(ticket), ticket.order
        if ticket.place is not None:
            served, order = ticket.place
        elif not ticket.own_thread:
            # A page that stands still until it has this, and may need the next thing right after it, keeps
            # its place in the queue: else it would go to the end of it with each.
            places = [one.place for one in ticket.watchers if one.place is not None]
            served, order = min(places, default=(served, order))
        # Who sees a part already lets others see something first, but not for ever.
        later = ticket.shown and time.monotonic() - ticket.asked < LATER_SECONDS
        return later, served, ticket.patient, order

    def _last_served(self, ticket: Ticket) -> int:
        return min((self._served.get(one, 0) for one in ticket.watchers.sessions()), default=0)

    def _grant(self) -> None:
        for ticket in [one for one in self._waiting if one.moment]:
            if sum(one.moment for one in self._running) < MOST_MOMENTS * self.places:
                self._begin(ticket)
        for heavy in (False, True):
            while self._has_place(heavy):
                eligible = self._eligible(heavy=heavy)
                held = self._held_up()
                if held is not None:
                    # If more heavy work began it might wait for ever. What is small passes it for a while.
                    if heavy or not is_passed(held):
                        break
                    eligible = [one for one in eligible if not self._admission.is_large(one)]
                if not eligible:
                    break
                first = min(eligible, key=self._rank)
                if self._admission.has_room(first, self._running):
                    self._begin(first)
                elif self._admission.is_large(first):
                    first.held = time.monotonic()
                else:
                    break

    def _eligible(self, *, heavy: bool) -> list[Ticket]:
        """What may begin in a lane; what its page was drawn anew without waits until it is asked again."""
        busy = {one.group for one in self._running if one.group is not None}
        return [
            one
            for one in self._waiting
            if one.heavy == heavy and one.group not in busy and one.watchers.any_newest()
        ]

    def _held_up(self) -> Ticket | None:
        """Return what is large and whose turn has come, but there is no room for it."""
        held = [one for one in self._eligible(heavy=False) if one.held is not None]
        first = min(held, key=self._rank, default=None)
        return None if first is None or self._admission.has_room(first, self._running) else first

    def _has_place(self, heavy: bool) -> bool:
        if heavy:
            return sum(1 for one in self._running if one.heavy) < self.places
        overrun = sum(1 for one in self._running if one.overrun)
        # Beyond the overruns that are allowed, each takes a quick place again.
        quick = sum(1 for one in self._running if not one.heavy and not one.moment)
        taken = quick + max(0, overrun - MOST_OVERRUNS * self.places)
        return taken < self.places

    def _begin(self, ticket: Ticket) -> None:
        self._waiting.remove(ticket)
        if ticket.work is not None and not ticket.future.set_running_or_notify_cancel():
            return
        self._running.add(ticket)
        for session in ticket.watchers.sessions():
            self._served[session] = self._count
            self._count += 1
        ticket.begun = time.monotonic()
        ticket.turn.set()
        if ticket.work is not None and not in_a_thread(self._do, "nysviz-work", ticket, ticket.work):
            self._running.discard(ticket)
            ticket.future.set_exception(Refusal(NO_THREAD))

    def _do(self, ticket: Ticket, work: Callable[[], object]) -> None:
        # It may hold a kernel matrix, and the ticket outlives it.
        ticket.work = None
        ticket.thread = threading.get_native_id()
        if ticket.heavy:
            give_way(ticket.thread)
        try:
            with holding(ticket):
                result = work()
        except BaseException as error:
            self.leave(ticket)
            if isinstance(error, NobodyLooks):
                # Whoever keeps the future does not keep what was half computed.
                traceback.clear_frames(error.__traceback__)
            ticket.future.set_exception(error)
            return
        self.leave(ticket)
        ticket.future.set_result(result)

    def _tend(self) -> None:
        """Let overrun work give its place away, and drop what nobody waits for, until the gate is empty."""
        while True:
            time.sleep(LOOK_SECONDS)
            now = time.monotonic()
            if now - self._gave_back > GIVE_BACK_SECONDS:
                # Threads that worked leave freed memory behind, on a small machine more than the results are.
                self._gave_back = now
                memory.give_back()
            if self._running and now - self._made_room > ROOM_SECONDS:
                with self._lock:
                    wanted = wanted_bytes(self._running, self._held_up())
                missing = wanted - machine.free_bytes()
                if missing > 0:
                    self._made_room = now
                    self._make_room(missing)
                    memory.give_back()
            with self._lock:
                self._drop()
                self._lend()
                self._grant()
                if not self._waiting and not self._running and now - self._busy > GIVE_BACK_SECONDS:
                    self._tending = False
                    waiting = {session for one in self._waiting for session in one.watchers.sessions()}
                    self._served = {who: when for who, when in self._served.items() if who in waiting}
                    return

    def _drop(self) -> None:
        for ticket in [one for one in self._waiting if one.future.cancelled() or not one.watchers.any()]:
            self._waiting.remove(ticket)
            ticket.dropped, ticket.work = True, None
            if ticket.future.cancel():
                ticket.future.set_running_or_notify_cancel()
            ticket.turn.set()

    def _lend(self) -> None:
        now = time.monotonic()
        for ticket in self._running:
            if not ticket.heavy and ticket.begun is not None and now - ticket.begun > QUICK_SECONDS:
                ticket.heavy, ticket.overrun, ticket.moment = True, True, False
                if ticket.own_thread and ticket.thread is not None:
                    give_way(ticket.thread)


def queue_words(others: int) -> str:
    """Say for how many other computations one waits."""
    if others <= 0:
        return "next in turn"
    return f"waiting for {others} other{'s' if others > 1 else ''}"


def has_lapsed(future: Future[Any]) -> bool:
    """Whether a computation ended only because nobody looked: whoever wants its result asks again."""
    if not future.done():
        return False
    return future.cancelled() or isinstance(future.exception(), (NobodyLooks, CancelledError))
