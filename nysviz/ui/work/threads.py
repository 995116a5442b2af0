"""Threads of their own for long work, behind those that answer visitors."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from nysviz.ui.logs import failure

# Said where the system starts no more threads.
NO_THREAD = "The server has too much to do to begin this; try again in a minute."
HEAVY_PRIORITY = 10


def in_a_thread(work: Callable[..., None], name: str, *arguments: object) -> bool:
    """Do something in a thread of its own; False where the system has none left."""
    try:
        threading.Thread(target=work, args=arguments, name=name, daemon=True).start()
    except RuntimeError as error:
        failure("no thread could be started", error)
        return False
    return True


def give_way(thread: int | None = None) -> None:
    """Let the threads that answer visitors go first, where the system has priorities for threads."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(
                os.PRIO_PROCESS, threading.get_native_id() if thread is None else thread, HEAVY_PRIORITY
            )
