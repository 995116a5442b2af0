"""Turns of drawing: one page is drawn at a time, in the order in which they came.

The interpreter runs one thread at a time. A hundred pages that are drawn at the same time are all ready at
the end; one after the other, the first is ready at once and the last no later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_place = threading.Lock()
_here = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a page in its turn."""
    with _place:
        _here.held = True
        try:
            yield
        finally:
            _here.held = False


@contextmanager
def aside() -> Iterator[None]:
    """Let the next page have this thread's turn, if it has one, while it waits for other threads."""
    held = getattr(_here, "held", False)
    if held:
        _place.release()
    try:
        yield
    finally:
        if held:
            _place.acquire()
