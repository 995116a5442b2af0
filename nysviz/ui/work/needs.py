"""How much memory computations hold while they run, in bytes: what the gate goes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import SQUARE_COPIES as SQUARE_COPIES

# Matrices that all eigenpairs of one take: the vectors, and LAPACK's work arrays. See lapack.symmetric.eigh.
EIGEN_COPIES = 3.0


def square_bytes(rows: int, copies: float = 1.0) -> float:
    """Bytes of so many matrices with so many rows and columns."""
    return 8.0 * copies * rows**2


def approximation_bytes(n: int, method: str, m: int, options: Mapping[str, object]) -> float:
    """Bytes that making an approximation holds beside the data."""
    return METHODS[method].cost(n, 0, m, options).bytes


def run_bytes(n: int, methods: Iterable[str], m: int, *, matrix: bool = False) -> float:
    """Bytes that a sweep's run holds that makes an approximation, by any of the methods, and measures it."""
    made = max((approximation_bytes(n, method, m, {}) for method in methods), default=0.0)
    # Where K is at hand, K less K̃ stands beside it.
    return made + (square_bytes(n) if matrix else 0.0)
