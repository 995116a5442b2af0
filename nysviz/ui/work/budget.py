"""How much memory the app may keep: one sum for all caches and uploads, set here, and what a shortage means.

The sum is ``NYSVIZ_CACHE_MB`` megabytes, else a part of the machine's or the container's memory. On a host of
1 GiB that leaves as much again for the work itself beside some 400 MB of Python and its libraries.
"""

from __future__ import annotations

import os

from nysviz import machine, memory
from nysviz.sweep.problem import EXACT_ROWS
from nysviz.text import in_bytes

# With less, a walk over all pages and large data goes beyond it: benchmarks/classroom/measured.md.
LEAST_BYTES = 768 * 2**20
# Part of the memory that caches and uploads may take together, and its limits.
MEMORY_SHARE = 0.3
SMALLEST = 64 * 2**20
LARGEST = 2 * 2**30
# Parts of that sum: shared results with their matrices, records of sweeps, tables that visitors sent.
RESULTS, RECORDS, UPLOADS = 0.65, 0.1, 0.25
# While the memory runs short, caches keep so much of their part.
SHORT_SHARE = 0.25
# What work leaves free beside what it needs, as a part of the memory.
SPARE_SHARE = 0.08
# Whatever its size, work needs so much of the largest kernel matrix for what else it holds.
LEAST_NEED = 0.1


def memory_budget() -> int:
    """Bytes that all caches and uploads may take together."""
    asked = os.environ.get("NYSVIZ_CACHE_MB", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked) * 2**20
    return int(min(LARGEST, max(SMALLEST, MEMORY_SHARE * machine.limit_bytes())))


def results_bytes() -> int:
    """Bytes of the results that sessions share."""
    return int(RESULTS * memory_budget())


def records_bytes() -> int:
    """Bytes of the records of sweeps."""
    return int(RECORDS * memory_budget())


def uploads_bytes() -> int:
    """Bytes of all the tables that visitors sent and that their sessions still hold."""
    return int(UPLOADS * memory_budget())


def spare_bytes() -> int:
    """Bytes that work leaves free beside what it says it needs, for what it does not say."""
    return int(SPARE_SHARE * machine.limit_bytes())


def matrix_bytes() -> int:
    """Bytes of the largest kernel matrix that sweeps hold."""
    return 8 * min(EXACT_ROWS, memory.matrix_rows()) ** 2


def matrices_of(rows: int) -> float:
    """What one kernel matrix of so many rows takes, in matrices of the largest size that sweeps hold."""
    return min(1.0, max(LEAST_NEED, 8 * rows**2 / matrix_bytes()))


def too_little() -> str | None:
    """Say in one sentence that the server has less memory than the app needs; None where it has enough."""
    limit = machine.limit_bytes()
    if limit >= LEAST_BYTES:
        return None
    return (
        f"This server has {in_bytes(limit)} of memory and needs {in_bytes(LEAST_BYTES)}: with "
        "less, the system may end it while large data are shown."
    )


def warning() -> str | None:
    """Say in one sentence that there is too little memory, or that it runs short; None while it does not."""
    if little := too_little():
        return little
    if not memory.shortage.is_on():
        return None
    return (
        "The server is short of memory: it keeps fewer results, and for data of more than "
        f"{memory.SHORT_ROWS} rows errors are estimated from sampled rows until there is more."
    )
