"""The memory of the machine, of the container that this runs in, or what the operator grants."""

import os
import threading
from pathlib import Path

from cachetools import TTLCache, cached

from nysviz.refusal import Refusal

# Variable of the megabytes that the process may use, if fewer than the machine and its container have.
VARIABLE = "NYSVIZ_MEMORY_MB"
# Assumed bytes where the system does not say.
FREE_BYTES = 2**32
# Where a container finds its own limits.
CONTROL_GROUP = Path("/sys/fs/cgroup")
OWN_USE = Path("/proc/self/statm")
# Lifetime of a cached reading, in seconds. Many callers ask, some while they hold a lock, and reading a file
# yields to other threads several times. Free memory changes all the time, a container's limit hardly ever.
FREE_SECONDS, LIMIT_SECONDS = 0.05, 5.0


def limit_bytes() -> int:
    """Return the smallest of the memory of the machine, of its container, and of the variable."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        machine = FREE_BYTES
    limits = (machine, container_limit(), granted_bytes(VARIABLE))
    return min(limit for limit in limits if limit is not None)


def free_bytes() -> int:
    """Return the memory that a new result may use without pushing anything else out."""
    free = free_on_machine()
    if (limit := container_limit()) is not None:
        free = min(free, limit - container_use())
    if (granted := granted_bytes(VARIABLE)) is not None:
        free = min(free, granted - own_use())
    return max(0, free)


def granted_bytes(variable: str) -> int | None:
    """Return the bytes of an environment variable in megabytes; None where it is not set."""
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise Refusal(f"{variable} is {text!r}; set it to a whole number of megabytes such as 1024.")
    return int(text) * 2**20


@cached(TTLCache(1, FREE_SECONDS), key=lambda: OWN_USE, lock=threading.Lock())
def own_use() -> int:
    """Return the bytes of memory that this process holds."""
    try:
        return int(OWN_USE.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        # Another system than Linux: nothing is known, and nothing is held back.
        return 0


@cached(TTLCache(1, FREE_SECONDS), lock=threading.Lock())
def free_on_machine() -> int:
    """Return the bytes of memory that the machine has free."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        # Another system than Linux.
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return FREE_BYTES


@cached(TTLCache(1, LIMIT_SECONDS), key=lambda: CONTROL_GROUP, lock=threading.Lock())
def container_limit() -> int | None:
    """Return the limit of this control group (version 2, else 1), None where there is none."""
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = (CONTROL_GROUP / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        # Version 1 writes "no limit" as a number near 2^63.
        return int(text) if text.isdigit() and int(text) < 2**60 else None
    return None


@cached(TTLCache(1, FREE_SECONDS), key=lambda: CONTROL_GROUP, lock=threading.Lock())
def container_use() -> int:
    """Return the memory that this control group uses, without the file cache that can be dropped."""
    for folder, current in (
        (CONTROL_GROUP, "memory.current"),
        (CONTROL_GROUP / "memory", "memory.usage_in_bytes"),
    ):
        try:
            used = int((folder / current).read_text(encoding="ascii"))
            lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        except (OSError, ValueError):
            continue
        parts = dict(line.split() for line in lines if len(line.split()) == 2)
        return used - int(parts.get("total_inactive_file", parts.get("inactive_file", 0)))
    return 0
