"""Limits on the memory and time of an upload, checked before anything is read into memory."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from nysviz.numerics import machine
from nysviz.refusal import Refusal

MAX_BYTES = 50_000_000
# Bytes of an unpacked file. Readers hold a few copies of it, all together well below 1.5 GiB.
MAX_UNPACKED = 100_000_000
MAX_ROWS = 1_000_000
MAX_COLUMNS = 5_000
# Numbers in the table: 224 MB of them. 500 000 rows of 54 columns fit.
MAX_CELLS = 28_000_000
FEWER = "send a sample of its rows or fewer columns"
# Copies of the table held at the same time: while a file is read, and while a data set is made of it.
READ_COPIES, COPIES = 2, 4
# Copies of the bytes of a file held beside these, and bytes for each cell of text.
FILE_COPIES, TEXT_BYTES = 3, 60
# Reading may take this part of the free memory, since other work runs at the same time; a small file takes
# little.
FREE_SHARE = 0.5
SMALL_BYTES = 8_000_000
# Seconds that reading a file may take, whatever its format, and those of the data set made of it.
SECONDS = 40.0
# Most bytes of a line of text, and of a block that a pattern runs over, which holds the interpreter's lock.
MAX_LINE = 1_000_000

_T = TypeVar("_T")
_end: ContextVar[float] = ContextVar("end", default=math.inf)
_only_small: ContextVar[bool] = ContextVar("only_small", default=False)


class LargeFile(Exception):  # noqa: N818
    """Raised where a file that should be small needs more than ``SMALL_BYTES`` of memory."""


@contextmanager
def bounded() -> Iterator[None]:
    """Refuse a file that runs out of time, or of memory in spite of all checks."""
    token = _end.set(time.monotonic() + SECONDS)
    try:
        yield
    except MemoryError as problem:
        raise Refusal("The file needs more memory than there is; send a sample of its rows.") from problem
    finally:
        _end.reset(token)


def seconds_left() -> float:
    """Return the remaining seconds for the file; refuse it when none remain."""
    seconds = _end.get() - time.monotonic()
    if seconds <= 0:
        raise Refusal(f"The file takes more than the {SECONDS:.0f} s that one may take; {FEWER}.")
    return seconds


def only_if_small(work: Callable[[], _T]) -> _T:
    """Return the result of ``work``; raise ``LargeFile`` if it needs much more than ``SMALL_BYTES``."""
    token = _only_small.set(True)
    try:
        return work()
    finally:
        _only_small.reset(token)


def free_for_reading() -> float:
    """Return the bytes of memory that reading one file may take now."""
    return SMALL_BYTES if _only_small.get() else max(SMALL_BYTES, FREE_SHARE * machine.free_bytes())


def check_small() -> None:
    """Raise ``LargeFile`` while only small files are read."""
    if _only_small.get():
        raise LargeFile


def blocks_of_lines(text: bytes) -> Iterator[slice]:
    """Yield where blocks of whole lines stand; refuse the text where a line is too long or time is spent."""
    start = 0
    while start < len(text):
        seconds_left()
        end = start + MAX_LINE
        if end < len(text):
            end = text.rfind(b"\n", start, end) + 1
        if end == 0:
            line = text.count(b"\n", 0, start) + 1
            raise Refusal(
                f"Line {line} has more than {MAX_LINE / 1e6:.0f} MB, the most that is read; save the table "
                "as CSV with one row a line."
            )
        yield slice(start, end)
        start = end


def check_bytes(size: int, copies: float = FILE_COPIES) -> None:
    """Refuse a file whose bytes alone take more than the free memory."""
    if copies * size > (free := free_for_reading()):
        check_small()
        raise Refusal(
            f"The file has {size / 1e6:.1f} MB, and {free / copies / 1e6:.1f} MB can be read with the "
            f"memory that is free now; {FEWER}."
        )


def check_table(size: int) -> None:
    """Raise ``LargeFile`` for a table of ``size`` bytes that is not small, where only small ones are read."""
    if COPIES * size > SMALL_BYTES:
        check_small()


def check_unpacked(size: float, subject: str) -> None:
    """Refuse a file that unpacks to more than ``MAX_UNPACKED`` bytes; ``subject`` begins the sentence."""
    if not 0 <= size <= MAX_UNPACKED:
        megabytes = MAX_UNPACKED / 1e6
        raise Refusal(f"{subject} unpacks to more than the {megabytes:.0f} MB that are read; {FEWER}.")


def check_shape(rows: int, columns: int, remedy: str = FEWER, *, beside: float = 0.0) -> None:
    """Refuse, before it is made, a table that is empty or beyond the limits or the free memory.

    ``remedy`` says what to do; ``beside`` is the number of bytes that the reader holds beside the table.
    """
    if rows < 1 or columns < 1:
        raise Refusal(
            f"The file holds a table of {rows} rows and {columns} columns; send at least one row of numbers."
        )
    if rows > MAX_ROWS or columns > MAX_COLUMNS or rows * columns > MAX_CELLS:
        raise Refusal(
            f"The file has {rows} rows × {columns} columns; at most {MAX_ROWS} rows, {MAX_COLUMNS} columns "
            f"and {MAX_CELLS / 1e6:.0f} million numbers are read; {remedy}."
        )
    cells = 8 * rows * columns
    needed_bytes, free_bytes = max(COPIES * cells, READ_COPIES * cells + beside), free_for_reading()
    if needed_bytes > free_bytes:
        check_small()
        raise Refusal(
            f"The file holds {rows} rows × {columns} columns, which take {needed_bytes / 1e6:.0f} MB of "
            f"memory to read; {free_bytes / 1e6:.0f} MB are available now, enough for "
            f"{int(rows * free_bytes / needed_bytes)} such rows; {remedy}."
        )
