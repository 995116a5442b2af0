"""Results shared by all sessions: one bounded cache, one gate for heavy work, one queue for background work.

Results are kept under the content they were computed from (digest of the data, kernel, method, m, seed), so
sessions share what is equal and cannot ask for another session's data. Nothing here knows a session.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast

import numpy as np
import streamlit as st
from cachetools import LRUCache
from threadpoolctl import threadpool_limits

from nysviz.approximation import approximate
from nysviz.blocks import cores
from nysviz.kernels import Gaussian

T = TypeVar("T")

# Share of the machine's memory that cached results may take, and its limits: 1 GiB hosts get the smallest.
MEMORY_SHARE = 0.12
SMALLEST_BUDGET = 200 * 2**20
LARGEST_BUDGET = 2 * 2**30
# So many heavy computations run at once in the whole process; the others wait their turn.
AT_ONCE = max(1, cores())


def memory_budget() -> int:
    """Bytes that cached results may take: ``NYSVIZ_CACHE_MB``, else a share of the machine's memory."""
    asked = os.environ.get("NYSVIZ_CACHE_MB", "")
    if asked.isdigit():
        return int(asked) * 2**20
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return SMALLEST_BUDGET
    return int(min(LARGEST_BUDGET, max(SMALLEST_BUDGET, MEMORY_SHARE * memory)))


def size_of(value: Any) -> int:
    """Bytes of the arrays in a result, and a small sum for the rest."""
    if isinstance(value, np.ndarray):
        # A view keeps the whole array that it looks at alive.
        whole = value.base if isinstance(value.base, np.ndarray) else value
        return whole.nbytes + 200
    if isinstance(value, (tuple, list)):
        return 100 + sum(size_of(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return 200 + sum(size_of(getattr(value, field.name)) for field in fields(value))
    return sys.getsizeof(value)


def give_way() -> None:
    """Let the threads that answer visitors go first, where the system has priorities for threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


class Store:
    """A cache in which each result is computed once, however many sessions ask for it at the same time."""

    def __init__(self, budget: int) -> None:
        self._lock = threading.Lock()
        self._done: LRUCache[Hashable, Any] = LRUCache(budget, getsizeof=size_of)
        self._running: dict[Hashable, Future[Any]] = {}
        self._gate = threading.BoundedSemaphore(AT_ONCE)
        self._inside = threading.local()
        self._urgent = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="nysviz-urgent")
        self._background = ThreadPoolExecutor(1, thread_name_prefix="nysviz-background", initializer=give_way)

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the cached result, or compute it in this thread behind the gate."""
        with self._lock:
            if key in self._done:
                return cast("T", self._done[key])
            future = self._running.get(key)
            mine = future is None
            if future is None:
                future = self._running[key] = Future()
        if mine:
            self._fill(key, future, compute)
        elif getattr(self._inside, "held", False):
            # Waiting here while holding a place could stop the very thread that is waited for.
            return compute()
        result: T = future.result()
        return result

    def later(self, key: Hashable, compute: Callable[[], T], *, urgent: bool = False) -> Future[T]:
        """Return a future of the result, computed in another thread.

        What is ``urgent`` is what a visitor waits for; the rest is computed one after the other, at a lower
        priority.

        Asked from inside another computation it is computed there and then: a background thread that waits
        for a later place in its own queue would wait for ever.
        """
        if getattr(self._inside, "held", False):
            at_once: Future[T] = Future()
            at_once.set_result(self.get(key, compute))
            return at_once
        with self._lock:
            if key in self._done:
                done: Future[T] = Future()
                done.set_result(self._done[key])
                return done
            future = self._running.get(key)
            if future is None:
                future = self._running[key] = Future()
                queue = self._urgent if urgent else self._background
                queue.submit(self._fill, key, future, compute)
        return future

    def _fill(self, key: Hashable, future: Future[Any], compute: Callable[[], Any]) -> None:
        try:
            result = self._behind_gate(compute)
        except BaseException as error:
            with self._lock:
                self._running.pop(key, None)
            future.set_exception(error)
            return
        with self._lock:
            self._running.pop(key, None)
            if size_of(result) <= self._done.maxsize:
                self._done[key] = result
        future.set_result(result)

    def _behind_gate(self, compute: Callable[[], T]) -> T:
        # A computation may ask for another one: the thread that is in already is not stopped again.
        if getattr(self._inside, "held", False):
            return compute()
        with self._gate:
            self._inside.held = True
            try:
                return compute()
            finally:
                self._inside.held = False


@st.cache_resource(max_entries=1, show_spinner=False)
def store() -> Store:
    """Return the one store of this process; the first call also settles how the process computes."""
    # Many sessions share the cores: one BLAS thread each, since BLAS threads wait by spinning.
    threadpool_limits(1, user_api="blas")
    # The jitted loops are loaded before the first visitor's times are taken.
    for method in ("kmeans", "rpcholesky"):
        approximate(np.random.default_rng(0).random((50, 2)), Gaussian(0.1), method, 5)
    return Store(memory_budget())
