"""How long a computation will take here, from a few small ones that are timed once."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from nysviz import memory
from nysviz.blocks import cores
from nysviz.kernels import Gaussian, Linear, Polynomial
from nysviz.landmarks import METHODS
from nysviz.landmarks.greedy_pivoting import is_dense
from nysviz.measures import SAMPLED_ROWS
from nysviz.ui.sidebar.scene import Scene

# What cannot be estimated from the operations alone: handing out blocks, the first touch of memory.
OVERHEAD_SECONDS = 0.02
# An update of one row after the other waits for memory: so many times the seconds of a matrix product.
ROW_BY_ROW = 4.0
# Times that the accelerated pivots ask for their columns where these are not held.
LEAN_PASSES = 3.0
# Operations of a full eigen-decomposition, and of a Cholesky factorisation, times n³, at the speed of matrix
# products.
DECOMPOSITION = 10.0
FACTORISATION = 0.6


@dataclass(frozen=True)
class Speeds:
    """Seconds on one core: of a multiplication with its addition, of an entry's profile, of a score."""

    product: float
    profile: float
    score: float


@cache
def speeds() -> Speeds:
    """Time a matrix product, a kernel block and a search for nearest centres; once in a process.

    Kept apart from the results of visitors: a page that is to say how long something takes must not wait for
    a place among the heavy computations.
    """
    rng = np.random.default_rng(0)
    A = rng.standard_normal((600, 400))
    X, Z = rng.standard_normal((1_000, 2)), rng.standard_normal((250, 2))
    left, right = rng.random((2_000, 8), dtype=np.float32), rng.random((8, 250), dtype=np.float32)
    against = Gaussian(1.0).against(Z)

    def scores() -> None:
        found = left @ right
        np.count_nonzero(found <= found.min(axis=1)[:, None])
        found.argmin(axis=1)

    return Speeds(
        _seconds(lambda: A.T @ A) / A.size / A.shape[1],
        _seconds(lambda: against(X)) / (len(X) * len(Z)),
        _seconds(scores) / (len(left) * right.shape[1]),
    )


def _waiting() -> float:
    """Seconds that a second of one core's work takes: all cores share it, and other programs share them."""
    return _crowding() / cores()


def _crowding() -> float:
    """Seconds that a second's work takes on a core of its own, beside other programs."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        load = 0.0
    return max(1.0, load / cores())


def _seconds(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest run: what other programs take away is counted apart."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


@dataclass(frozen=True)
class _Size:
    """The operations of one run, in seconds on one core."""

    n: int
    d: int
    m: int
    profile: float
    of: Speeds

    def entries(self, count: float) -> float:
        """So many entries of K."""
        return count * (self.d * self.of.product + self.profile)

    def products(self, count: float) -> float:
        """So many multiplications within matrix products."""
        return count * self.of.product

    def scores(self, count: float) -> float:
        """So many distances of a row from a centre."""
        return count * (0.5 * self.d * self.of.product + self.of.score)

    @property
    def columns(self) -> float:
        """Those of m columns."""
        return self.entries(self.n * self.m)

    @property
    def factor(self) -> float:
        """The factor from chosen landmarks, or of its projection where it is not held."""
        inner = self.products(2.0 * self.m**3) + self.entries(self.m**2)
        if not memory.is_held(self.n, self.m):
            return inner
        return inner + self.columns + self.products(self.n * self.m**2)

    @property
    def pivoting(self) -> float:
        """Pivots one after the other, with their factor."""
        return self.columns + ROW_BY_ROW * self.products(self.n * self.m**2)


def _size(scene: Scene, m: int) -> _Size:
    of = speeds()
    cheap = isinstance(scene.kernel, (Linear, Polynomial))
    return _Size(scene.data.n, scene.data.d, m, 0.3 * of.profile if cheap else of.profile, of)


def approximation_seconds(scene: Scene, method: str, m: int, options: dict[str, object]) -> float:
    """Estimate the time of one approximation from its operations and the speed of this machine."""
    size = _size(scene, m)
    chosen = {option.name: option.default for option in METHODS[method].options} | options
    return OVERHEAD_SECONDS + _choosing(size, method, chosen) * _waiting()


def _number(options: dict[str, object], name: str) -> float:
    return float(str(options[name]))


def _choosing(size: _Size, method: str, options: dict[str, object]) -> float:
    """Seconds on one core of choosing the landmarks by this method, and of its factor."""
    n, m = size.n, size.m
    whole = size.entries(n * n)
    decomposition = size.products(DECOMPOSITION * n**3)
    if method == "kmeans":
        return _number(options, "iterations") * size.scores(n * m) + size.factor
    if method in ("kmeanspp", "farthest"):
        return ROW_BY_ROW * size.columns + size.factor
    if method == "kmeanspp_lloyd":
        steps = 1.0 + _number(options, "iterations")
        return (ROW_BY_ROW + steps) * size.columns + steps * size.scores(n * m) + size.factor
    if method == "column_norm":
        return whole + size.factor
    if method == "ensemble":
        return _number(options, "experts") * size.factor
    if method == "rpcholesky":
        if options["form"] == "simple":
            return size.pivoting
        passes = 1.0 if memory.is_held(n, m) else LEAN_PASSES
        return 1.5 * passes * size.columns + size.products(2.0 * n * m**2)
    if method == "icd":
        return size.pivoting
    if method == "sgma":
        looked = _number(options, "candidates")
        return size.pivoting + looked * (size.columns + size.products(n * m**2 / 2.0))
    if method == "greedy":
        dense = is_dense(n, str(options["form"]))
        return whole + size.products(2.0 * n * n * m) + size.pivoting if dense else m * whole + size.pivoting
    if method == "partition_greedy":
        return whole + ROW_BY_ROW * size.products(n * m * _number(options, "groups")) + size.pivoting
    if method == "adaptive_full":
        return whole + size.products(4.0 * n * n * m) + size.factor
    if method == "adaptive_partial":
        rounds = m / _number(options, "per_round")
        return size.columns + size.products(0.5 * n * rounds * m**2 / 3.0) + size.factor
    if method in ("leverage", "svd"):
        return whole + decomposition + size.factor
    if method == "leverage_approx":
        p = min(float(n), math.ceil(_number(options, "oversampling") * m))
        passes = 1.0 if memory.is_held(n, int(p)) else 2.0
        return passes * (size.entries(n * p) + size.products(2.0 * n * p**2)) + size.factor
    if method == "rls":
        return 2.0 * (size.columns + size.products(n * m**2)) + size.factor
    if method == "dpp":
        return ROW_BY_ROW * size.products(_number(options, "steps") * m**2) + size.factor
    if method in ("rff", "orf"):
        held = memory.is_held(n, 2 * m)
        return size.products(n * m * size.d) + 4.0 * n * m * size.of.profile if held else 0.0
    return size.factor


def error_seconds(scene: Scene, m: int, *, exact: bool) -> float:
    """Estimate the time of measuring one approximation of m columns."""
    size = _size(scene, m)
    n = size.n
    if exact:
        return OVERHEAD_SECONDS + (size.products(n * n * m) + 60.0 * size.products(n * n)) * _waiting()
    sampled = min(n, SAMPLED_ROWS)
    work = size.entries(n * sampled) + size.products(n * sampled * m) + size.scores(2.0 * n * m)
    if not memory.is_held(n, m):
        # The factor is made twice: for the probabilities of the rows, and for their errors.
        work += 2.0 * (size.columns + size.products(n * m**2))
    return OVERHEAD_SECONDS + work * _waiting()


@cache
def decomposition_speed() -> float:
    """Seconds of the eigenvalues of a matrix over the cube of its rows; timed once in a process."""
    size = 400
    sample = np.random.default_rng(0).standard_normal((size, size))
    sample += sample.T
    return _seconds(lambda: np.linalg.eigvalsh(sample), times=1) / size**3


def matrix_seconds(scene: Scene) -> float:
    """Estimate the time of evaluating all of K once."""
    return entry_seconds(scene, float(scene.data.n) ** 2)


def entry_seconds(scene: Scene, count: float) -> float:
    """Estimate the time of evaluating so many entries of the kernel."""
    return _size(scene, 1).entries(count) * _waiting()


def product_seconds(count: float) -> float:
    """Estimate the time of so many multiplications within matrix products."""
    return speeds().product * count * _waiting()


def touch_seconds(count: float) -> float:
    """Estimate the time in which one core does so many small steps of a few nanoseconds, as of an entry."""
    return speeds().profile * count * _crowding()


def factorisation_seconds(n: int) -> float:
    """Estimate the time of a Cholesky factorisation, which one core does."""
    return FACTORISATION * speeds().product * float(n) ** 3 * _crowding()
