"""Cache of results, bounded in bytes; the least recently used are dropped first."""

import gc
import sys
import threading
from collections.abc import Hashable
from contextlib import suppress
from operator import itemgetter
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from cachetools import LRUCache

T = TypeVar("T")

# Part of the bytes for small results, and the largest part of it that one of them takes.
SMALL_SHARE = 0.25
SMALL_PART = 1 / 32
# Part of the bytes for small results that stays while room is made for work.
SPARED = 0.5
# Overhead of a result: its key, and its entries here.
ENTRY_BYTES = 500
# The most frequent types first.
NUMBERS = (str, int, float, type(None), bytes, complex, np.generic)


class Results:
    """Results by key, least recently used dropped first: many small ones apart from few large ones.

    A kernel matrix is soon made again; it must not push out a thousand small results that took longer. A
    dropped result that is still in use elsewhere is found all the same: a copy would take memory twice.
    All results together take ``bytes_kept``.
    """

    def __init__(self, bytes_kept: int) -> None:
        self._lock = threading.Lock()
        small, large = SMALL_SHARE * bytes_kept, (1 - SMALL_SHARE) * bytes_kept
        self.small_results: LRUCache[Hashable, tuple[int, Any]] = LRUCache(small, getsizeof=itemgetter(0))
        self.large_results: LRUCache[Hashable, tuple[int, Any]] = LRUCache(large, getsizeof=itemgetter(0))
        # Results that pages and runs hold, by key, for as long as they do.
        self.results_in_use: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return a result, or the default where it is neither kept nor in use."""
        with self._lock:
            for cache in (self.small_results, self.large_results):
                if key in cache:
                    return cache[key][1]
            return self.results_in_use.get(key, default)

    @property
    def bytes(self) -> int:
        """Bytes of all results."""
        return int(self.small_results.currsize + self.large_results.currsize)

    def keep(self, key: Hashable, value: T) -> T:
        """Keep a result, or weigh one again that has grown; return it even where it has no room."""
        size = ENTRY_BYTES + size_of(value)
        with self._lock:
            for cache in (self.small_results, self.large_results):
                cache.pop(key, None)
            cache = (
                self.small_results if size <= SMALL_PART * self.small_results.maxsize else self.large_results
            )
            if size <= cache.maxsize:
                cache[key] = size, value
            with suppress(TypeError):
                # Numbers and tuples take no weak reference.
                self.results_in_use[key] = value
        return value

    def free_memory(self, size: float) -> float:
        """Drop least recently used results, large ones first, until ``size`` bytes are freed; return them.

        A part ``SPARED`` of the small ones stays: they free little and took longer to compute.
        """
        freed = 0
        with self._lock:
            for cache, spared in (
                (self.large_results, 0.0),
                (self.small_results, SPARED * self.small_results.maxsize),
            ):
                while freed < size and cache.currsize > spared:
                    freed += cache.popitem()[1][0]
        return freed


def size_of(value: Any, counted: set[int] | None = None) -> int:
    """Return the bytes of a result and all that it refers to, except objects already ``counted``."""
    counted = set() if counted is None else counted
    if isinstance(value, NUMBERS):
        return sys.getsizeof(value)
    if isinstance(value, np.ndarray):
        # A view keeps its whole base array alive.
        whole: Any = value
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        if id(whole) in counted:
            return 200
        counted.add(id(whole))
        return int(whole.nbytes) + 200
    if isinstance(size := getattr(value, "nbytes", None), int):
        return size
    if id(value) in counted or isinstance(value, type) or callable(value):
        return 0
    counted.add(id(value))
    return sys.getsizeof(value) + sum(size_of(part, counted) for part in gc.get_referents(value))
