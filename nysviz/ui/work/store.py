"""Results shared by all sessions: one bounded cache, filled by work that passes one gate.

Results are kept under the content they were computed from (digest of the data, kernel, method, m, seed), so
sessions share what is equal and cannot ask for another session's data. Whose turn it is depends on sessions,
what is kept does not.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, cast

import streamlit as st
from cachetools import TTLCache

from nysviz import memory
from nysviz.blocks import cores, settle_for_one_blas_thread
from nysviz.lowrank import LowRank
from nysviz.ui.work import budget, watching
from nysviz.ui.work.admission import LARGE_MATRICES
from nysviz.ui.work.gate import FAILURE_SECONDS, QUICK_SECONDS, Gate, has_lapsed
from nysviz.ui.work.pace import Pace
from nysviz.ui.work.results import Results
from nysviz.ui.work.tickets import (
    COPIES,
    LOOK_SECONDS,
    QUICK_COPIES,
    SETTLE_SECONDS,
    NobodyLooks,
    Ticket,
    current,
    holding,
)
from nysviz.ui.work.warming import warm
from nysviz.ui.work.watching import Watchers

T = TypeVar("T")

# Computations that are known to have failed a moment ago.
FAILURES = 256
# A large decomposition fills its work arrays little by little.
LARGE_SETTLE_SECONDS = 4.0
_NOTHING = object()


class _Weight(TypedDict):
    """How a computation counts at the gate; see ``Ticket``."""

    matrices: float
    moment: bool
    settle: float


@dataclass(frozen=True)
class _UnderWay:
    """A result that is being computed, perhaps as a part of another one that has its place at the gate."""

    future: Future[Any]
    ticket: Ticket
    since: float


class Store:
    """A cache in which each result is computed once, however many sessions ask for it at the same time.

    Parameters
    ----------
    bytes_kept : int
        Of all results together.
    gate : Gate, optional
        The gate that the computations pass; one of its own with a place a core by default.
    """

    def __init__(self, bytes_kept: int, gate: Gate | None = None) -> None:
        self.gate = Gate(cores(), self._make_room) if gate is None else gate
        self._lock = threading.Lock()
        self._done = Results(bytes_kept)
        self._running: dict[Hashable, _UnderWay] = {}
        self._failed: TTLCache[Hashable, Exception] = TTLCache(FAILURES, FAILURE_SECONDS)
        self._pace = Pace()

    def get(self, key: Hashable, compute: Callable[[], T], *, holds: float = 0.0) -> T:
        """Return the cached result, or compute it here behind the gate; ``holds`` is that of ``later``."""
        inside = current()
        while True:
            looks = watching.drawing()
            with self._lock:
                kept = self._kept(key)
                if kept is not _NOTHING:
                    return cast("T", kept)
                under_way = self._running.get(key)
                mine = under_way is None or has_lapsed(under_way.future)
                if mine:
                    ticket = self._quick(key, holds) if inside is None else inside
                    under_way = self._running[key] = _UnderWay(Future(), ticket, time.monotonic())
            assert under_way is not None
            if inside is None:
                under_way.ticket.watchers.add(looks)
                # Somebody waits now for what may have been asked for in advance.
                under_way.ticket.patient = under_way.ticket.shown = False
            if mine:
                return self._fill(key, under_way, compute, inside is not None)
            if inside is not None:
                # Waiting here while holding a place could stop the very thread that is waited for.
                return compute()
            if self._is_there(under_way.future):
                result: T = under_way.future.result()
                return result

    def later(
        self,
        key: Hashable,
        compute: Callable[[], T],
        *,
        urgent: bool = False,
        seconds: float = 0.0,
        holds: float = 0.0,
    ) -> Future[T]:
        """Return a future of the result, computed in another thread.

        What is ``urgent`` is what a visitor waits for; the rest is computed one after the other, at a lower
        priority. What is expected to take more than a second or so (``seconds``) leaves the quick lane to
        others from the start; what holds more than usual while it is computed says so (``holds``, bytes). The
        future is cancelled when no session looks any more: ``has_lapsed``.

        Asked from inside another computation it is computed there and then: a background thread that waits
        for a later place in its own queue would wait for ever.
        """
        if current() is not None:
            return _finished(self.get(key, compute))
        looks = watching.drawing()
        with self._lock:
            kept = self._kept(key)
            if kept is not _NOTHING:
                return _finished(cast("T", kept))
            self._failed.expire()
            problem = self._failed.get(key)
            if problem is not None:
                # The page that waited is drawn anew to show it: begun again, it would fail again, for ever.
                return _failed(copy(problem))
            under_way = self._running.get(key)
            if under_way is not None and not has_lapsed(under_way.future):
                under_way.ticket.watchers.add(looks)
                under_way.ticket.patient &= not urgent
                under_way.ticket.shown &= not urgent
                return under_way.future
            ticket = self._ticket(key, compute, urgent, seconds, holds)
            ticket.watchers.add(looks)
            self._running[key] = _UnderWay(ticket.future, ticket, time.monotonic())
        # A ticket that is dropped never comes to its work, which would take it out of this list.
        ticket.future.add_done_callback(lambda _: self._is_over(key, ticket))
        self.gate.submit(ticket)
        return ticket.future

    def has(self, key: Hashable) -> bool:
        """Whether a result is at hand."""
        with self._lock:
            return self._kept(key) is not _NOTHING

    def others_before(self, future: Future[Any]) -> int | None:
        """How many other computations come before this one; None once it has begun."""
        with self._lock:
            mine = [one.ticket for one in self._running.values() if one.future is future]
        return self.gate.others_before(mine)

    def spent(self, future: Future[Any]) -> float:
        """Seconds since this result was asked for first; 0 where it is not under way."""
        with self._lock:
            since = [one.since for one in self._running.values() if one.future is future]
        return time.monotonic() - since[0] if since else 0.0

    def usual_seconds(self, key: Hashable) -> float:
        """Seconds that a result of this kind has taken lately; 0 where there was none."""
        return self._pace.seconds(_kind(key))

    def stop(self, future: Future[Any]) -> None:
        """Let this session wait no more for a result, nor for others of its kind; other sessions go on."""
        session = watching.drawing().session
        with self._lock:
            kinds = {_kind(key) for key, one in self._running.items() if one.future is future}
            same = [one for key, one in self._running.items() if _kind(key) in kinds]
        for one in same:
            one.ticket.watchers.leave(session)

    def _ticket(
        self, key: Hashable, compute: Callable[[], Any], urgent: bool, seconds: float, holds: float
    ) -> Ticket:
        def work() -> Any:
            begun = time.monotonic()
            result = compute()
            self._pace.note(_kind(key), time.monotonic() - begun)
            self._keep(key, result)
            return result

        heavy = not urgent or seconds > QUICK_SECONDS
        return Ticket(
            Watchers(),
            work,
            heavy=heavy,
            group=None if urgent else "background",
            patient=not urgent,
            shown=not urgent,
            **self._weight(key, heavy, holds),
        )

    def _quick(self, key: Hashable, holds: float) -> Ticket:
        return Ticket(Watchers(), **self._weight(key, False, holds))

    def _weight(self, key: Hashable, heavy: bool, holds: float) -> _Weight:
        """How a computation counts at the gate: what it needs, how soon it has taken that, and its length."""
        usual, told = (COPIES if heavy else QUICK_COPIES) * _size_of_work(), holds / budget.matrix_bytes()
        # What a kind has taken so far says nothing of one that is much larger.
        moment = not heavy and told <= LARGE_MATRICES and self._pace.takes_a_moment(_kind(key))
        return _Weight(
            matrices=max(usual, told),
            moment=moment,
            settle=LARGE_SETTLE_SECONDS if told > LARGE_MATRICES else SETTLE_SECONDS,
        )

    def _fill(self, key: Hashable, under_way: _UnderWay, compute: Callable[[], T], inside: bool) -> T:
        ticket, future = under_way.ticket, under_way.future
        try:
            result = compute() if inside else self._at_the_gate(key, ticket, compute)
        except BaseException as error:
            self._forget(key, future)
            # What ends this script is no answer to others.
            future.set_exception(error if isinstance(error, Exception) else NobodyLooks())
            if isinstance(error, NobodyLooks) and not inside:
                watching.leave_run()
                st.stop()
            raise
        self._keep(key, result)
        self._forget(key, future)
        future.set_result(result)
        return result

    def _at_the_gate(self, key: Hashable, ticket: Ticket, compute: Callable[[], T]) -> T:
        self.gate.enter(ticket, meanwhile=watching.leave_run)
        begun = time.monotonic()
        try:
            with holding(ticket):
                result = compute()
            self._pace.note(_kind(key), time.monotonic() - begun)
            return result
        finally:
            self.gate.leave(ticket)

    @staticmethod
    def _is_there(future: Future[Any]) -> bool:
        """Wait for what another thread computes; False where that one gave up."""
        while not future.done():
            try:
                future.exception(timeout=LOOK_SECONDS)
            except TimeoutError:
                watching.leave_run()
            except BaseException:
                # Cancelled.
                break
        return not has_lapsed(future)

    def _make_room(self, missing: float) -> None:
        """Forget what takes so many bytes, large results first, before the host runs out of memory."""
        with self._lock:
            self._done.give(missing)

    def _keep(self, key: Hashable, result: Any) -> None:
        short = memory.shortage.is_on()
        with self._lock:
            self._done.keep(key, result)
            if short:
                self._done.shrink(budget.SHORT_SHARE)

    def _kept(self, key: Hashable) -> Any:
        """Return what is kept, or still in use somewhere, or else ``_NOTHING``."""
        value = self._done.get(key, _NOTHING)
        if isinstance(getattr(value, "approximation", value), LowRank):
            # It works out its eigenpairs and the like when it is first asked for them: weigh it anew.
            self._done.keep(key, value)
        return value

    def _is_over(self, key: Hashable, ticket: Ticket) -> None:
        # What everybody has left may have ended because it was told to stop.
        if not has_lapsed(ticket.future) and ticket.watchers.any():
            problem = ticket.future.exception()
            if isinstance(problem, Exception):
                with self._lock:
                    # A copy has no traceback: what led to it may hold a visitor's data.
                    self._failed[key] = copy(problem)
        self._forget(key, ticket.future)

    def _forget(self, key: Hashable, future: Future[Any]) -> None:
        with self._lock:
            if key in self._running and self._running[key].future is future:
                del self._running[key]


def _finished(result: T) -> Future[T]:
    done: Future[T] = Future()
    done.set_result(result)
    return done


def _failed(problem: Exception) -> Future[Any]:
    failed: Future[Any] = Future()
    failed.set_exception(problem)
    return failed


def _size_of_work() -> float:
    """What a kernel matrix of the data takes that the page shows, in those of the largest size."""
    rows = watching.rows()
    return 1.0 if rows is None else budget.matrices_of(rows)


def _kind(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) and key else key


@st.cache_resource(max_entries=1, show_spinner=False)
def store() -> Store:
    """Return the one store of this process; the first call also settles how the process computes."""
    if little := budget.too_little():
        logging.getLogger("nysviz").warning(little)
    # Many sessions share the cores: one BLAS thread each, since BLAS threads wait by spinning.
    settle_for_one_blas_thread()
    # An arena a core: threads that compute and threads that draw seldom wait for one another there.
    memory.keep_little(max(2, cores()))
    threading.Thread(target=warm, name="nysviz-warm", daemon=True).start()
    return Store(budget.results_bytes())
