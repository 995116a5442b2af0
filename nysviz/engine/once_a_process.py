"""Values that are made once for all sessions of a process.

Streamlit's own ``st.cache_resource`` is no place for it: any visitor's browser can send the message that
clears these caches for everybody.
"""

import threading
from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Generic, TypeVar

T = TypeVar("T")


class OnceAProcess(Generic[T]):
    """Decorator of a function without arguments whose first call alone computes the value."""

    def __init__(self, make: Callable[[], T]) -> None:
        update_wrapper(self, make)
        self._lock, self._value = threading.RLock(), cache(make)

    def __call__(self) -> T:
        """Return the one value; threads that ask while it is made wait for it."""
        with self._lock:
            return self._value()

    def clear(self) -> None:
        """Forget the value, so that a test begins with a fresh one."""
        with self._lock:
            self._value.cache_clear()
