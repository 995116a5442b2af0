"""Row blocks in one shared thread pool.

Numba's ``parallel=True`` aborts a threaded server on some platforms, so nothing here uses it: numpy, BLAS
and the jitted loops release the interpreter lock, and plain threads run them over blocks of rows.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

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


def _mark_worker() -> None:
    _inside.worker = True


class _OneBlasThread:
    """One BLAS thread a caller while any block work runs; what was set before returns with the last of it.

    BLAS threads of many callers wait for one another by spinning: on a busy machine that made a product of
    blocks ten times slower. The setting belongs to the process, so overlapping users are counted.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limit.restore_original_limits()


_one_blas_thread = _OneBlasThread()


@cache
def _blas() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds, setting their threads microseconds.
    return ThreadpoolController()


@cache
def pool() -> ThreadPoolExecutor:
    """Return the thread pool that all block work of this process shares."""
    return ThreadPoolExecutor(cores(), thread_name_prefix="nysviz", initializer=_mark_worker)


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
    with _one_blas_thread:
        for _ in pool().map(lambda start: work(start, min(n, start + size)), starts):
            pass
