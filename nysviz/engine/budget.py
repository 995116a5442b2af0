"""Bytes: what the app keeps, and what its computations hold.

All caches and uploads together may take ``NYSVIZ_CACHE_MB`` megabytes, else a part of the machine's or the
container's memory. On a host of 1 GiB that leaves as much again for the work itself beside some 400 MB of
Python and its libraries.
"""

import os
from collections.abc import Iterable

from nysviz import machine, memory
from nysviz.landmarks import METHODS
from nysviz.text import in_bytes

# With less, a walk over all pages and large data goes beyond it: benchmarks/classroom/measured.md.
LEAST_BYTES = 768 * 2**20
# Part of the memory that caches and uploads may take together, and its limits.
MEMORY_SHARE, SMALLEST, LARGEST = 0.3, 64 * 2**20, 2 * 2**30
# Parts of that sum: shared results with their matrices and records, and tables that visitors sent.
RESULTS, UPLOADS = 0.75, 0.25
# Part of the memory that work leaves free, for what it does not say that it holds.
SPARE_SHARE = 0.08
# Work that holds less than this part of the largest kernel matrix is small.
SMALL_SHARE = 0.1
# Matrices that all eigenpairs of one take: the vectors, and LAPACK's work arrays. See lapack.symmetric.eigh.
EIGEN_COPIES = 3.0


def memory_budget() -> int:
    """Bytes that all caches and uploads may take together."""
    asked = os.environ.get("NYSVIZ_CACHE_MB", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked) * 2**20
    return int(min(LARGEST, max(SMALLEST, MEMORY_SHARE * machine.limit_bytes())))


def spare_bytes() -> float:
    """Bytes that work leaves free."""
    return SPARE_SHARE * machine.limit_bytes()


def matrix_bytes() -> int:
    """Bytes of the largest kernel matrix that sweeps hold."""
    return 8 * memory.held_rows() ** 2


def small_bytes() -> float:
    """Work that holds so many bytes at most waits for no memory."""
    return SMALL_SHARE * matrix_bytes()


def square_bytes(rows: int, copies: float = 1.0) -> float:
    """Bytes of so many matrices with so many rows and columns."""
    return 8.0 * copies * rows**2


def held_bytes(rows: int) -> float:
    """Bytes of the kernel matrix of so many rows, or of the largest that is held."""
    return min(square_bytes(rows), matrix_bytes())


def run_bytes(n: int, methods: Iterable[str], m: int, *, matrix: bool = False) -> float:
    """Bytes that a sweep's run holds that makes an approximation, by any of the methods, and measures it."""
    made = max((METHODS[method].cost(n, 0, m, {}).bytes for method in methods), default=0.0)
    # Where K is at hand, K less K̃ stands beside it.
    return made + (square_bytes(n) if matrix else 0.0)


def too_little() -> str | None:
    """Say in one sentence that the server has less memory than the app needs; None where it has enough."""
    limit = machine.limit_bytes()
    if limit >= LEAST_BYTES:
        return None
    return (
        f"This server has {in_bytes(limit)} of memory and needs {in_bytes(LEAST_BYTES)}: with "
        "less, the system may end it while large data are shown."
    )
