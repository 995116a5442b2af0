"""Row blocks in one shared thread pool.

Numba's ``parallel=True`` aborts a threaded server on some platforms, so nothing here uses it: numpy, BLAS
and the jitted loops release the interpreter lock, and plain threads run them over blocks of rows.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController

from nysviz.numerics.machine import CONTROL_GROUP

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
AnyFloatArray = NDArray[np.floating[Any]]

# A block holds at most this many float64 entries (8 MiB), unless that were fewer than MIN_ROWS rows: larger
# blocks waste memory, smaller ones spend their time in being handed out.
BLOCK_ENTRIES = 1_048_576
MIN_ROWS = 256
# Number of blocks that share the rows where the two limits allow it. It does not depend on the cores: the
# last digits of a matrix product depend on its shape, and which of two equal pivots is larger on those.
BLOCKS = 16
# Fewer entries cost less on one thread than handing work to a second one.
SMALL_ENTRIES = 60_000

_inside = threading.local()


@contextmanager
def watched(checkpoint: Callable[[], None]) -> Iterator[None]:
    """Call ``checkpoint`` before every block of this thread's block work within the context.

    An exception raised there ends the work; blocks that are under way are finished first.
    """
    before = checkpoint_here()

    def both() -> None:
        before()
        checkpoint()

    _inside.checkpoint = both
    try:
        yield
    finally:
        _inside.checkpoint = before


def checkpoint_here() -> Callable[[], None]:
    """Return the function to call before each block that this thread works on or hands out."""
    return getattr(_inside, "checkpoint", lambda: None)


def cores() -> int:
    """Return the number of cores that this process may use, by the machine and its container's limit."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return max(1, min(count, container_cores()))


@cache
def container_cores() -> int:
    """Return the control group's (version 2, else 1) limit in cores, rounded up."""
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        with suppress(OSError, ValueError):
            quota, period = " ".join((CONTROL_GROUP / name).read_text("ascii") for name in names).split()
            # Version 2 writes "max" where there is no limit, version 1 writes -1.
            return -(-int(quota) // int(period)) if quota.isdigit() and int(period) > 0 else sys.maxsize
    return sys.maxsize


class BlasThreads:
    """The number of BLAS threads, a setting of the process; nested requests are counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes = {"one": 0, "all": 0}
        self._limit: Any = None

    @contextmanager
    def wish(self, threads: Literal["one", "all"]) -> Iterator[None]:
        """Set the threads in a context: all if any context wants all, else one if any wants one."""
        self._change(threads, 1)
        try:
            yield
        finally:
            self._change(threads, -1)

    def _change(self, threads: str, by: int) -> None:
        with self._lock:
            self._wishes[threads] += by
            is_single = self._wishes["one"] > 0 and self._wishes["all"] == 0
            if is_single and self._limit is None:
                self._limit = _set_blas_threads(1)
            elif not is_single and self._limit is not None:
                self._limit.restore_original_limits()
                OpenBLASController.clear_controlling_thread()
                self._limit = None

    def settle(self) -> None:
        """Use one thread from now on, even in contexts that want all."""
        with self._lock:
            _set_blas_threads(1)
            if self._limit is not None:
                # The end of the present wish restores this setting.
                self._limit = _set_blas_threads(1)


def _set_blas_threads(count: int) -> Any:
    """Set the number of BLAS threads of this process; return what restores it.

    threadpoolctl lets only the first thread that sets it do so, for as long as that thread lives, and
    silently ignores all others. So no thread keeps that right here.
    """
    limit = _blas().limit(limits=count, user_api="blas")
    OpenBLASController.clear_controlling_thread()
    return limit


blas_threads = BlasThreads()


def one_blas_thread() -> AbstractContextManager[None]:
    """Return a context or decorator in which BLAS uses one thread; the last one to end restores the number.

    BLAS threads wait for one another by spinning, across numpy's and scipy's libraries and other callers.
    That makes a product ten times slower on a busy machine, and anything narrow (QR of a factor, eigenvalues
    of a W of some hundred rows) slower on any.
    """
    return blas_threads.wish("one")


def all_blas_threads() -> AbstractContextManager[None]:
    """Return a context for work on an n × n matrix, which gains from all cores, within the other context."""
    return blas_threads.wish("all")


def settle_for_one_blas_thread() -> None:
    """Let BLAS use one thread in this process from now on, for processes that share the cores."""
    blas_threads.settle()


@cache
def _blas() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds, setting their threads microseconds.
    return ThreadpoolController()


@cache
def pool() -> ThreadPoolExecutor:
    """Return the thread pool that all block work of this process shares."""

    def begin() -> None:
        # Work that a block starts stays in its thread.
        _inside.worker = True

    return ThreadPoolExecutor(cores(), thread_name_prefix="nysviz", initializer=begin)


@contextmanager
def in_this_thread(inline: bool = True) -> Iterator[None]:
    """Run this thread's block work without the pool within the context, unless ``inline`` is False."""
    before = getattr(_inside, "worker", False)
    _inside.worker = before or inline
    try:
        yield
    finally:
        _inside.worker = before


def rows_per_block(n: int, columns: int) -> int:
    """Return the number of rows of a block of an (n, columns) array, the same on every machine."""
    return max(MIN_ROWS, min(BLOCK_ENTRIES // max(1, columns), -(-n // BLOCKS)))


def over_blocks(n: int, size: int, work: Callable[[int, int], object]) -> None:
    """Call ``work(start, stop)`` for consecutive blocks of ``size`` rows, together with the shared pool.

    The calling thread takes blocks as well. So it never waits for its turn behind the blocks of others,
    and a call from inside a block, which stays in its thread, does not wait for other workers.
    """
    starts, checkpoint = iter(range(0, n, size)), checkpoint_here()
    taking, doing = threading.Lock(), [work]
    failed = threading.Event()

    def share() -> None:
        while not failed.is_set():
            with taking:
                start = next(starts, None)
            if start is None:
                return
            try:
                checkpoint()
                doing[0](start, min(n, start + size))
            except BaseException:
                failed.set()
                raise

    if n <= size or cores() == 1 or getattr(_inside, "worker", False):
        share()
        return
    with one_blas_thread():
        helping = [pool().submit(share) for _ in range(min(cores(), -(-n // size)) - 1)]
        try:
            with in_this_thread():
                share()
        finally:
            # Helpers that have not begun by now are not needed, those that have are on their last block.
            wait([helper for helper in helping if not helper.cancel()])
            # A cancelled helper stays in the pool's queue; it must not keep the arrays of the work alive.
            doing.clear()
        for helper in helping:
            if not helper.cancelled():
                helper.result()
