"""The cost of an approximation: kernel evaluations, multiplications, bytes, and seconds on this machine."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from timeit import repeat
from typing import Any

import numpy as np

from nysviz.kernels import Gaussian
from nysviz.numerics import memory
from nysviz.numerics.blocks import cores, one_blas_thread

# Seconds for handing out blocks and touching memory first, which no count of operations includes.
OVERHEAD_SECONDS = 0.02
# Updating one column after the other waits for memory: its time over that of a matrix product.
ROW_BY_ROW = 12.0
# An entry's profile (an exp), and keeping the smallest of many distances, in multiplications.
PROFILE, SMALLEST = 100.0, 50.0
# Multiplications of all eigenpairs of a matrix, over n³.
DECOMPOSITION = 4.0
# Most rows for which greedy holds K and its residual as two matrices, which is the faster form.
DENSE_ROWS = 8_000

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """The cost of one approximation.

    ``entries`` are kernel evaluations, ``flops`` multiplications with their additions beside them, at the
    speed of a matrix product, and ``bytes`` the largest memory held beside X while it is made.
    """

    entries: float
    flops: float
    bytes: float


@dataclass(frozen=True)
class Work:
    """Kernel evaluations, and multiplications beside them."""

    entries: float = 0.0
    flops: float = 0.0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.entries + other.entries, self.flops + other.flops)

    def __rmul__(self, times: float) -> "Work":
        return Work(times * self.entries, times * self.flops)


@dataclass(frozen=True)
class Size:
    """n rows of d columns and m landmarks, with the work that several methods share."""

    n: int
    d: int
    m: int

    @property
    def is_held(self) -> bool:
        """Whether the n × m factor is held."""
        return memory.is_held(self.n, self.m)

    @property
    def nm(self) -> float:
        """N m."""
        return float(self.n) * self.m

    @property
    def whole(self) -> Work:
        """All of K."""
        return Work(float(self.n) ** 2)

    @property
    def factor(self) -> Work:
        """The factor of chosen landmarks, or of its projection where it is not held."""
        inner = Work(float(self.m) ** 2, 2.0 * float(self.m) ** 3)
        return inner + Work(self.nm, self.nm * self.m) if self.is_held else inner

    @property
    def eigenpairs(self) -> Work:
        """All eigenpairs of K."""
        return Work(0.0, DECOMPOSITION * float(self.n) ** 3)

    @property
    def sketch(self) -> Work:
        """The product of K and m vectors, and its singular vectors."""
        return Work(0.0, self.nm * (self.n + 24.0 * self.m))

    @property
    def pivoting(self) -> Work:
        """Pivots one after the other, with their factor."""
        return Work(self.nm, ROW_BY_ROW * self.nm * self.m)

    @property
    def columns_one_by_one(self) -> Work:
        """Entries of m columns, one column after the other."""
        return Work(self.nm, (ROW_BY_ROW - 1.0) * self.nm * (self.d + PROFILE))

    @property
    def nearest(self) -> Work:
        """The nearest of m centres for each row."""
        return Work(0.0, self.nm * (0.5 * self.d + SMALLEST))

    @property
    def waves(self) -> Work:
        """Sines and cosines of m frequencies, unless they are not held."""
        is_held = memory.is_held(self.n, 2 * self.m)
        return Work(0.0, self.nm * (self.d + 4.0 * PROFILE)) if is_held else Work()


def is_dense(n: int, form: str = "auto") -> bool:
    """Whether ``greedy`` holds an n × n matrix."""
    return form == "dense" or (form == "auto" and n <= DENSE_ROWS and memory.square_fits(n))


Choosing = Callable[[Size, Options], Work]


def from_landmarks(size: Size, options: Options) -> Work:
    """Return the work of the factor alone, for landmarks that cost nothing to choose."""
    return size.factor


@cache
def speeds() -> tuple[float, float]:
    """Return the seconds of a multiply-add and of an entry's profile on one core; timed once."""
    rng = np.random.default_rng(0)
    # As tall as factors, whose products wait for memory as well.
    A, B = rng.standard_normal((4_000, 400)), rng.standard_normal((400, 400))
    X, against = rng.standard_normal((1_000, 2)), Gaussian(1.0).against(rng.standard_normal((250, 2)))
    # The fastest of five on one core: the load of other programs is counted separately.
    with one_blas_thread():
        product = min(repeat(lambda: A @ B, number=1, repeat=5)) / A.size / 400
        profile = min(repeat(lambda: against(X), number=1, repeat=5)) / 250_000
    return product, profile


def work_seconds(entries: float, flops: float, d: int) -> float:
    """Estimate the seconds of kernel evaluations and multiplications that all cores share."""
    product, profile = speeds()
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        load = 0.0
    # Other programs slow each core down.
    return (entries * (d * product + profile) + flops * product) * max(1.0, load / cores()) / cores()
