"""Limits on the memory of one result, checked before a method starts."""

import ctypes
import math
import os
import sys
from contextlib import suppress

from nysviz.numerics import machine
from nysviz.refusal import Refusal
from nysviz.text import in_bytes

# Largest factor that is held: where a method can do without it, a larger one is made again, in blocks of
# rows, each time it is used. 256 MB hold 1 600 columns of 20 000 rows, or 67 of half a million. A factor that
# is made from columns of K takes three times its size, and two may be made at a time.
HELD_BYTES = 2**28
# Part of the free memory that a method's necessary arrays may take.
FREE_SHARE = 1 / 3
# Part that a call may take if it checks all its memory beforehand.
CALL_SHARE = 0.8
# Most rows for which an n × n matrix is held (160 MB), for exact results, and the largest part of the
# machine's memory that it takes: several are held, for different data, with copies of each in use.
HELD_ROWS, MATRIX_SHARE = 4_500, 1 / 24
# A temporary square array (the weights of a mixture, a residual) takes at most this part.
SQUARE_SHARE = 1 / 8
# Arrays of this part of the machine's memory are mapped by themselves: 1 MiB where there is 1 GiB. Mapping
# costs a millisecond per 4 MiB; glibc allows at most 32 MiB.
MAPPED_SHARE = 1 / 1024
LEAST_MAPPED, MOST_MAPPED = 2**19, 2**25
# Each arena gives back what is free at its end only from this part on: 16 MiB where there is 1 GiB. Glibc
# does so from 128 KiB on, unless large arrays were freed before it is told the above, and then the system
# hands out the same pages anew to each array, at four microseconds a page.
KEPT_SHARE = 1 / 64
LEAST_KEPT, MOST_KEPT = 2**23, 2**26
# Names of the settings in glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8


def is_held(rows: int, columns: int) -> bool:
    """Whether a factor of this shape is held."""
    return 8 * rows * columns <= held_bytes()


def held_bytes() -> int:
    """Return the largest size in bytes of a held factor; smaller on a small machine."""
    return min(HELD_BYTES, int(MATRIX_SHARE * machine.limit_bytes()))


def held_rows() -> int:
    """Return the largest n at which an n × n matrix is held on this machine."""
    return min(HELD_ROWS, math.isqrt(int(MATRIX_SHARE * machine.limit_bytes() / 8)))


def square_bytes(rows: int, copies: float = 1.0) -> float:
    """Return the bytes of ``copies`` matrices (rows, rows)."""
    return 8.0 * copies * rows**2


def matrix_bytes(rows: float = math.inf) -> float:
    """Return the bytes of a kernel matrix (rows, rows), or of the largest that is held."""
    return square_bytes(int(min(rows, held_rows())))


def give_back() -> None:
    """Give freed memory back to the system, where the C library keeps it for later (glibc)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def limit_malloc_cache(arenas: int) -> bool:
    """Tell the C library (glibc) to keep little freed memory; return whether it took the settings.

    By itself it makes an arena for many a thread, and soon puts arrays of up to 32 MiB into them, which
    leave holes. With few arenas, and large arrays mapped one by one (`MAPPED_SHARE`), a freed array is
    gone at once; of smaller ones some are kept for the next (`KEPT_SHARE`), until ``give_back``. What
    ``MALLOC_`` variables say is left as it is.
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
    mapped = min(MOST_MAPPED, max(LEAST_MAPPED, MAPPED_SHARE * machine.limit_bytes()))
    trimmed = min(MOST_KEPT, max(LEAST_KEPT, KEPT_SHARE * machine.limit_bytes()))
    settings = {
        "MALLOC_ARENA_MAX": (M_ARENA_MAX, arenas),
        "MALLOC_MMAP_THRESHOLD_": (M_MMAP_THRESHOLD, int(mapped)),
        "MALLOC_TRIM_THRESHOLD_": (M_TRIM_THRESHOLD, int(trimmed)),
    }
    done = [mallopt(*setting) for name, setting in settings.items() if name not in os.environ]
    return all(done)


def most_bytes() -> int:
    """Return the bytes that a method's necessary arrays may take."""
    return max(held_bytes(), int(FREE_SHARE * machine.free_bytes()))


def call_bytes() -> int:
    """Return the bytes that a call may hold which declares all its memory beforehand."""
    return max(held_bytes(), int(CALL_SHARE * machine.free_bytes()))


def check_matrix_memory(
    name: str,
    n: int,
    limit: int | None = None,
    instead: str = "choose a method that does not hold K, such as kmeans or rpcholesky, or fewer rows",
    *,
    twice: bool = False,
) -> None:
    """Raise Refusal when the n × n matrix that ``name`` is to hold is larger than the limit.

    The limit is ``most_bytes()`` by default; ``twice``: a second one is held beside it; ``instead`` says what
    to do, at the end of the sentence.
    """
    limit = most_bytes() if limit is None else limit
    entry = 16 if twice else 8
    if entry * n * n > limit:
        raise Refusal(
            f"{name} holds all of K{' twice' if twice else ''}, {in_bytes(entry * n * n)} for n = {n}, and "
            f"{in_bytes(limit)} are available, enough for n = {math.isqrt(limit // entry)}; {instead}."
        )


def check_factor_memory(name: str, n: int, m: int, limit: int | None = None) -> None:
    """Raise Refusal when the n × m factor that a method holds is larger than the limit."""
    limit = most_bytes() if limit is None else limit
    if 8 * n * m > limit:
        fits = limit // (8 * n)
        raise Refusal(
            f"{name} holds a factor of {in_bytes(8 * n * m)} for n = {n} and m = {m}, and "
            f"{in_bytes(limit)} are available, enough for m = {fits}; choose fewer "
            "landmarks, or a method that does not hold it, such as kmeans or rpcholesky."
        )


def square_fits(rows: int) -> bool:
    """Whether one array (rows, rows) may be held beside others; always the same on one machine."""
    return 8 * rows**2 <= SQUARE_SHARE * machine.limit_bytes()


def check_weights_memory(name: str, landmarks: int) -> None:
    """Raise Refusal when the landmarks × landmarks weights of a mixture take too much of the memory."""
    if not square_fits(landmarks):
        limit = SQUARE_SHARE * machine.limit_bytes()
        raise Refusal(
            f"{name} holds {in_bytes(8 * landmarks**2)} of weights for the {landmarks} landmarks of all "
            f"its experts, and {in_bytes(limit)} are available, enough for {int((limit / 8) ** 0.5)}; "
            "choose fewer landmarks or experts."
        )
