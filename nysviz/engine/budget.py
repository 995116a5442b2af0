"""Bytes that the app keeps: results and uploads of all sessions, and whether the server has enough for them.

All caches and uploads together may take ``NYSVIZ_CACHE_MB`` megabytes, else a part of the machine's or the
container's memory. On a host of 1 GiB that leaves as much again for the work itself beside some 400 MB of
Python and its libraries.
"""

from nysviz.numerics import machine
from nysviz.text import in_bytes

# With less, visiting all pages with large data exceeds it: benchmarks/classroom/measured.md.
LEAST_BYTES = 768 * 2**20
# Part of the memory that caches and uploads may take together, and its limits.
MEMORY_SHARE, SMALLEST, LARGEST = 0.3, 64 * 2**20, 2 * 2**30
# Parts of that budget: shared results with their matrices and records, and tables that visitors sent.
RESULTS, UPLOADS = 0.75, 0.25


def memory_budget() -> int:
    """Return the bytes that all caches and uploads may take together."""
    share = int(min(LARGEST, max(SMALLEST, MEMORY_SHARE * machine.limit_bytes())))
    return machine.granted_bytes("NYSVIZ_CACHE_MB") or share


def memory_warning() -> str | None:
    """Say in one sentence that the server has less memory than the app needs; None where it has enough."""
    limit = machine.limit_bytes()
    if limit >= LEAST_BYTES:
        return None
    return (
        f"This server has {in_bytes(limit)} of memory and needs {in_bytes(LEAST_BYTES)}: with "
        "less, the system may end it while large data are shown."
    )
