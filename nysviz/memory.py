"""How much memory one result may take, and what a method needs before it starts."""

from __future__ import annotations

import ctypes
import math
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

# A factor above so many bytes is made again, in blocks of rows, each time it is used, where a method can do
# without it. 256 MB hold 1 600 columns of 20 000 rows, or 67 of half a million; while a factor is made from
# columns of K it takes three times its size, and two may be made at a time.
HELD_BYTES = 2**28
# What a method must hold may take this part of the free memory.
FREE_SHARE = 1 / 3
# Assumed where the system does not tell.
FREE_BYTES = 2**32
# An n × n matrix is held where it takes at most this part of the machine's memory: several are, for different
# data, each with copies of it while it is worked on.
MATRIX_SHARE = 1 / 16
# Below the first part of the memory being free it runs short, above the second it does so no more.
SHORT, ENOUGH = 0.08, 0.16
# While it runs short, matrices of more rows are not held.
SHORT_ROWS = 1_500
# How often the free memory is read for this.
LOOK_SECONDS = 1.0
# Arrays of this part of the machine's memory are mapped by themselves: 1 MiB where there is 1 GiB. Mapping
# costs a millisecond for 4 MiB, too much where there is memory enough; glibc takes 32 MiB at most.
MAPPED_SHARE = 1 / 1024
LEAST_MAPPED, MOST_MAPPED = 2**19, 2**25
# Names of the settings in glibc's malloc.h.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
# Where a container finds its own limits.
CONTROL_GROUP = Path("/sys/fs/cgroup")


def is_held(rows: int, columns: int) -> bool:
    """Whether a factor of this shape is held."""
    return 8 * rows * columns <= held_bytes()


def held_bytes() -> int:
    """Return how large a factor may be to be held: less than elsewhere on a small machine."""
    return min(HELD_BYTES, int(MATRIX_SHARE * limit_bytes()))


class Shortage:
    """Whether the memory runs short, looked at now and then; it ends only once there is clearly enough."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._looked = -math.inf
        self._on = False

    def is_on(self) -> bool:
        """Whether the memory runs short."""
        with self._lock:
            now = time.monotonic()
            if now - self._looked >= LOOK_SECONDS:
                self._looked = now
                free = free_bytes() / max(1, limit_bytes())
                self._on = free < (ENOUGH if self._on else SHORT)
            return self._on


shortage = Shortage()


def held_rows() -> int:
    """Up to so many rows an n × n matrix is held here; fewer while the memory runs short."""
    rows = int((MATRIX_SHARE * limit_bytes() / 8) ** 0.5)
    return min(rows, SHORT_ROWS) if shortage.is_on() else rows


def limit_bytes() -> int:
    """Return the memory of the machine, or of the container that this runs in."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        machine = FREE_BYTES
    limit = _container_limit()
    return machine if limit is None else min(machine, limit)


def free_bytes() -> int:
    """Return the memory that a new result may use without pushing anything else out."""
    limit = _container_limit()
    if limit is None:
        return _free_on_machine()
    return max(0, min(_free_on_machine(), limit - _container_use()))


def _free_on_machine() -> int:
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


def _container_limit() -> int | None:
    """Limit of this control group (version 2, else 1), None where there is none."""
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = (CONTROL_GROUP / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        # Version 1 writes "no limit" as a number near 2^63.
        return int(text) if text.isdigit() and int(text) < 2**60 else None
    return None


def _container_use() -> int:
    """Memory that this control group uses, without files that the system may forget."""
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


def give_back() -> None:
    """Return memory that was freed to the system, where the C library keeps it for later (glibc)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def mapped_bytes() -> int:
    """Return how large an array must be to be mapped by itself."""
    return int(min(MOST_MAPPED, max(LEAST_MAPPED, MAPPED_SHARE * limit_bytes())))


def keep_little(arenas: int) -> bool:
    """Let the C library (glibc) keep little of what is freed; whether it can be told so.

    By itself it makes an arena for many a thread, and soon puts arrays of up to 32 MiB into them, which
    leave holes. With few arenas, and large arrays mapped one by one (`MAPPED_SHARE`), a freed array is
    gone at once. What ``MALLOC_`` variables say is left as it is.
    """
    if sys.platform != "linux":
        return False
    try:
        library = ctypes.CDLL(None)
        # Other C libraries (musl) do not have it, or have another meaning for its numbers.
        library.gnu_get_libc_version  # noqa: B018
        mallopt = library.mallopt
    except (OSError, AttributeError):
        return False
    done = True
    if "MALLOC_ARENA_MAX" not in os.environ:
        done &= bool(mallopt(M_ARENA_MAX, arenas))
    if "MALLOC_MMAP_THRESHOLD_" not in os.environ:
        done &= bool(mallopt(M_MMAP_THRESHOLD, mapped_bytes()))
    return done


def most_bytes() -> int:
    """Return what a method that cannot do with less may hold."""
    return max(held_bytes(), int(FREE_SHARE * free_bytes()))


def checked_matrix(name: str, n: int, limit: int | None = None) -> None:
    """Raise one sentence when the n × n matrix that a method holds is larger than the limit."""
    limit = most_bytes() if limit is None else limit
    if 8 * n * n > limit:
        raise ValueError(
            f"{name} holds all of K, {in_words(8 * n * n)} for n = {n}, and {in_words(limit)} are there for "
            f"it, enough for n = {int((limit / 8) ** 0.5)}; choose a method that does not hold K, such as "
            "kmeans or rpcholesky, or fewer rows."
        )


def checked_factor(name: str, n: int, m: int, limit: int | None = None) -> None:
    """Raise one sentence when the n × m factor that a method holds is larger than the limit."""
    limit = most_bytes() if limit is None else limit
    if 8 * n * m > limit:
        fits = limit // (8 * n)
        raise ValueError(
            f"{name} holds a factor of {in_words(8 * n * m)} for n = {n} and m = {m}, and "
            f"{in_words(limit)} are there for it, enough for m = {fits}; choose fewer "
            "landmarks, or a method that does not hold it, such as kmeans or rpcholesky."
        )


def in_words(count: float) -> str:
    """Write a number of bytes with its unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
