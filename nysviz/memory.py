"""How much memory one result may take, and what a method needs before it starts."""

from __future__ import annotations

import os
from pathlib import Path

# A factor above so many bytes is made again, in blocks of rows, each time it is used, where a method can do
# without it. 256 MB hold 1 600 columns of 20 000 rows, or 67 of half a million; while a factor is made from
# columns of K it takes three times its size, and two may be made at a time.
HELD_BYTES = 2**28
# What a method must hold may take this part of the free memory.
FREE_SHARE = 1 / 3
# Assumed where the system does not tell.
FREE_BYTES = 2**32


def is_held(rows: int, columns: int) -> bool:
    """Whether a factor of this shape is held."""
    return 8 * rows * columns <= HELD_BYTES


def free_bytes() -> int:
    """Return the memory that a new result may use without pushing anything else out."""
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


def most_bytes() -> int:
    """Return what a method that cannot do with less may hold."""
    return max(HELD_BYTES, int(FREE_SHARE * free_bytes()))


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
