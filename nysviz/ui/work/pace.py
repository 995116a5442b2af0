"""How long results of each kind have taken lately: what is always over in a moment need not queue."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable

from cachetools import LRUCache

# What is over so soon waits for no place; of a kind that took longer this fades with each result.
MOMENT_SECONDS, FADING = 0.05, 0.8
# Pages have some sixty kinds of results.
KINDS = 256


class Pace:
    """Seconds by kind of result, bounded, for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: LRUCache[Hashable, float] = LRUCache(KINDS)

    def note(self, kind: Hashable, seconds: float) -> None:
        """Remember how long a result of a kind took; a long one for longer."""
        with self._lock:
            self._seconds[kind] = max(seconds, FADING * self._seconds.get(kind, 0.0))

    def seconds(self, kind: Hashable) -> float:
        """Seconds that results of this kind have taken lately; 0 of one that was never seen."""
        with self._lock:
            return float(self._seconds.get(kind, 0.0))

    def takes_a_moment(self, kind: Hashable) -> bool:
        """Whether results of this kind have lately come in a moment; False of one that was never seen."""
        with self._lock:
            return bool(self._seconds.get(kind, math.inf) < MOMENT_SECONDS)
