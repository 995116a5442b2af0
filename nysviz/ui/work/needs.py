"""How much memory computations hold while they run, in bytes: what the gate goes by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from nysviz import memory
from nysviz.advice import bytes_of
from nysviz.landmarks import METHODS

# Matrices that all eigenpairs of one take: the vectors, and LAPACK's work arrays. See lapack.symmetric.eigh.
EIGEN_COPIES = 3.0
# Arrays of the size of W that its eigenpairs take, with W itself.
SQUARE_COPIES = 4.0


def square_bytes(rows: int, copies: float = 1.0) -> float:
    """Bytes of so many matrices with so many rows and columns."""
    return 8.0 * copies * rows**2


def approximation_bytes(n: int, method: str, m: int, options: Mapping[str, object]) -> float:
    """Bytes that making an approximation holds beside the data.

    What Recommend tells for few landmarks, with what W takes where they are many, and the weights of a
    mixture.

    Parameters
    ----------
    n, m : int
    method : str
    options : mapping
    """
    entry = METHODS[method]
    chosen = {option.name: option.default for option in entry.options} | dict(options)
    mixed = entry.all_landmarks(m, chosen)
    columns = max(m, mixed)
    if isinstance(sketch := chosen.get("oversampling"), float):
        columns = math.ceil(sketch * m)
    squares = square_bytes(min(n, columns), SQUARE_COPIES) if entry.data_dependent else 0.0
    weights = square_bytes(mixed) if memory.square_fits(mixed) else 0.0
    form = str(chosen["form"]) if method == "greedy" else "auto"
    return bytes_of(method, n, 0, m, form).value + squares + weights


def run_bytes(n: int, methods: Iterable[str], m: int, *, matrix: bool = False) -> float:
    """Bytes that a sweep's run holds that makes an approximation, by any of the methods, and measures it."""
    made = max((approximation_bytes(n, method, m, {}) for method in methods), default=0.0)
    # Where K is at hand, K less K̃ stands beside it.
    return made + (square_bytes(n) if matrix else 0.0)
