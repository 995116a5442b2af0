"""Row blocks in one shared thread pool.

Numba's ``parallel=True`` aborts a threaded server on some platforms, so nothing here uses it: numpy, BLAS
and the jitted loops release the interpreter lock, and plain threads run them over blocks of rows.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# A block holds at most this many float64 entries (8 MiB), unless that were fewer than MIN_ROWS rows: larger
# blocks waste memory, smaller ones spend their time in being handed out.
BLOCK_ENTRIES = 1_048_576
MIN_ROWS = 256
# So many blocks share the rows where the two limits allow it. The number of cores stays out of it: the last
# digits of a matrix product depend on its shape, and which of two equal pivots is larger depends on those.
BLOCKS = 16
# Fewer entries than this cost less on one thread than the handing over to a second one.
SMALL_ENTRIES = 60_000

_inside = threading.local()


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


class _BlasThreads:
    """How many threads BLAS uses: a setting of the process, so those who ask for one are counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes = {"one": 0, "all": 0}
        self._limit: Any = None

    @contextmanager
    def wish(self, threads: Literal["one", "all"]) -> Iterator[None]:
        """Set the threads for a while: all where anyone wants all, else one where anyone wants one."""
        self._change(threads, 1)
        try:
            yield
        finally:
            self._change(threads, -1)

    def _change(self, threads: str, by: int) -> None:
        with self._lock:
            self._wishes[threads] += by
            one = self._wishes["one"] > 0 and self._wishes["all"] == 0
            if one and self._limit is None:
                self._limit = _blas().limit(limits=1, user_api="blas")
            elif not one and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


_blas_threads = _BlasThreads()


def one_blas_thread() -> AbstractContextManager[None]:
    """Return a context, or decorator, in which BLAS uses one thread, as before again when the last one ends.

    BLAS threads wait for one another by spinning, those of numpy's and scipy's libraries and of other callers
    included. That makes a product ten times slower on a busy machine, and anything narrow (QR of a factor,
    eigenvalues of a W of some hundred rows) slower on any.
    """
    return _blas_threads.wish("one")


def all_blas_threads() -> AbstractContextManager[None]:
    """Return a context for work on an n × n matrix, which gains from all cores, within the other context."""
    return _blas_threads.wish("all")


@cache
def _blas() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds, setting their threads microseconds.
    return ThreadpoolController()


@cache
def pool() -> ThreadPoolExecutor:
    """Return the thread pool that all block work of this process shares."""
    return worker_pool("nysviz")


def worker_pool(name: str, before: Callable[[], None] | None = None) -> ThreadPoolExecutor:
    """Return a pool with a thread a core, in which block work stays in the thread that asks for it.

    ``before`` is called once in each thread.
    """

    def begin() -> None:
        _inside.worker = True
        if before is not None:
            before()

    return ThreadPoolExecutor(cores(), thread_name_prefix=name, initializer=begin)


def rows_per_block(n: int, columns: int) -> int:
    """Return how many of n rows with so many columns make a block, the same on every machine."""
    return max(MIN_ROWS, min(BLOCK_ENTRIES // max(1, columns), -(-n // BLOCKS)))


def over_blocks(n: int, size: int, work: Callable[[int, int], None]) -> None:
    """Call ``work(start, stop)`` for consecutive blocks of ``size`` rows, in the shared pool.

    A call from inside a pool thread runs in that thread: a worker that waits for other workers could
    otherwise wait for ever.
    """
    starts = range(0, n, size)
    if len(starts) == 1 or cores() == 1 or getattr(_inside, "worker", False):
        for start in starts:
            work(start, min(n, start + size))
        return
    with one_blas_thread():
        for _ in pool().map(lambda start: work(start, min(n, start + size)), starts):
            pass
