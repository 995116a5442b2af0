"""Turns of drawing: as many pages as there are cores are drawn at a time, in the order in which they came.

The interpreter runs one thread at a time. A hundred pages that are drawn at the same time are all ready at
the end; one after the other, the first is ready at once and the last no later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nysviz.blocks import cores

_places = threading.Semaphore(cores())
_here = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a page in its turn."""
    with _places:
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
        _places.release()
    try:
        yield
    finally:
        if held:
            _places.acquire()
