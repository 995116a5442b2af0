"""Turns of drawing: one page is drawn at a time, in the order in which they came.

The interpreter runs one thread at a time. A hundred pages that are drawn at the same time are all ready at
the end; one after the other, the first is ready at once and the last no later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

place = threading.Lock()
_thread = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a page in its turn."""
    with place:
        _thread.has_turn = True
        try:
            yield
        finally:
            _thread.has_turn = False


@contextmanager
def aside() -> Iterator[None]:
    """Let the next page have this thread's turn, if it has one, while it waits for other threads."""
    has_turn = getattr(_thread, "has_turn", False)
    if has_turn:
        place.release()
    try:
        yield
    finally:
        if has_turn:
            place.acquire()
