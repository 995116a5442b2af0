"""Where results are kept: bounded in bytes, what was used longest ago forgotten first."""

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

# Part of the bytes that is for small results, and the part of it that one of them takes at most.
SMALL_SHARE = 0.25
SMALL_PART = 1 / 32
# Part of the bytes for small results that stays while room is made for work.
SPARED = 0.5
# What a result takes beside itself: its key, and its places here.
ENTRY_BYTES = 500
# Most values are of the first of these.
NUMBERS = (str, int, float, type(None), bytes, complex, np.generic)


class Results:
    """Results by key, the oldest forgotten first: the many small ones apart from the few large ones.

    A kernel matrix is soon made again; it must not push out a thousand small results that took longer. What
    is forgotten here and still in use elsewhere is found all the same: a second copy would take memory twice.
    All results together take ``bytes_kept``.
    """

    def __init__(self, bytes_kept: int) -> None:
        self._lock = threading.Lock()
        small, large = SMALL_SHARE * bytes_kept, (1 - SMALL_SHARE) * bytes_kept
        self._small: LRUCache[Hashable, tuple[int, Any]] = LRUCache(small, getsizeof=itemgetter(0))
        self._large: LRUCache[Hashable, tuple[int, Any]] = LRUCache(large, getsizeof=itemgetter(0))
        # By key what pages and runs hold, for as long as they do.
        self._in_use: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return a result, or the default where it is neither kept nor in use."""
        with self._lock:
            for cache in (self._small, self._large):
                if key in cache:
                    return cache[key][1]
            return self._in_use.get(key, default)

    @property
    def bytes(self) -> int:
        """Bytes of all results."""
        return int(self._small.currsize + self._large.currsize)

    def keep(self, key: Hashable, value: T) -> T:
        """Keep a result, or weigh anew one that has grown; one that has no room is returned all the same."""
        size = ENTRY_BYTES + size_of(value)
        with self._lock:
            for cache in (self._small, self._large):
                cache.pop(key, None)
            cache = self._small if size <= SMALL_PART * self._small.maxsize else self._large
            if size <= cache.maxsize:
                cache[key] = size, value
            with suppress(TypeError):
                # Numbers and tuples cannot be followed.
                self._in_use[key] = value
        return value

    def give(self, wanted: float) -> float:
        """Drop least recently used results, large ones first, up to ``wanted`` bytes; return the bytes.

        Of the small ones `SPARED` of their bytes stays: they make no room for a matrix, and took longer.
        """
        given = 0
        with self._lock:
            for cache, spared in ((self._large, 0.0), (self._small, SPARED * self._small.maxsize)):
                while given < wanted and cache.currsize > spared:
                    given += cache.popitem()[1][0]
        return given


def size_of(value: Any, counted: set[int] | None = None) -> int:
    """Bytes of a result with all that it holds, its arrays first of all, but for what is counted already."""
    counted = set() if counted is None else counted
    if isinstance(value, NUMBERS):
        return sys.getsizeof(value)
    if isinstance(value, np.ndarray):
        # A view keeps the whole array that it looks at alive.
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
