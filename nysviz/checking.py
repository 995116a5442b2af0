"""Check this installation: the numerical core against plain numpy, the jitted loops, cache and memory.

For a host that asks now and then, and for a person after installing: ``python -m nysviz check``.
"""

import os
import platform
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy

from nysviz.datasets import catalog, default_data_folder, load
from nysviz.kernels import Gaussian
from nysviz.numerics import loops, machine, memory
from nysviz.numerics.blocks import FloatArray, cores
from nysviz.nystroem.approximation import approximate
from nysviz.refusal import Refusal
from nysviz.text import in_bytes

# Both sides round, and W⁺ amplifies that by the condition of W, below 1e4 for these points.
TOLERANCE = 1e-10
POINTS, LANDMARKS, SIGMA = 60, 8, 1.0
# A family each: drawn, averaged, pivoted with and without chance.
METHODS_CHECKED = ("uniform", "kmeans", "icd", "rpcholesky")
# Memory that a page may need at a time beside Python and its libraries.
ENOUGH_BYTES = 100 * 2**20
ANSWER_SECONDS = 10.0


@dataclass(frozen=True)
class Finding:
    """Result of one check; ``sentence`` says what was seen, and what to do where it is not ``good``."""

    name: str
    good: bool
    sentence: str


def check(url: str | None = None) -> Iterator[Finding]:
    """Run all checks in turn, and never raise; with the address of a running app, check its health too."""
    looks: dict[str, Callable[[], str]] = {
        "versions": _versions,
        "kernel": _kernel,
        **{name: partial(_method, name) for name in METHODS_CHECKED},
        "jitted loops": _jitted,
        "cache": _cache,
        "memory": _memory,
        "data": _data,
    }
    if url is not None:
        looks["server"] = partial(_server, url)
    for name, look in looks.items():
        try:
            yield Finding(name, True, look())
        except Refusal as problem:
            yield Finding(name, False, str(problem))
        except Exception as problem:
            # Whatever is broken, the other checks still run, and the caller gets its exit code.
            yield Finding(name, False, f"{type(problem).__name__}: {problem}")


def _versions() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, numpy {np.__version__}, scipy {scipy.__version__}, numba {numba.__version__}"


def _points() -> FloatArray:
    return np.random.default_rng(0).standard_normal((POINTS, 3))


def _plain_kernel(X: FloatArray, Y: FloatArray) -> FloatArray:
    differences = X[:, None, :] - Y[None, :, :]
    return np.asarray(np.exp(-(differences**2).sum(axis=2) / (2.0 * SIGMA**2)))


def _compared(computed: FloatArray, expected: FloatArray) -> str:
    gap = float(np.linalg.norm(computed - expected) / np.linalg.norm(expected))
    if not gap <= TOLERANCE:  # true for NaN too
        raise Refusal(
            f"differs from plain numpy by more than {TOLERANCE:g}, relative difference {gap:.1e}; install "
            "the versions of requirements.txt again"
        )
    return f"agrees with plain numpy, relative difference {gap:.1e}"


def _kernel() -> str:
    X = _points()
    return _compared(Gaussian(SIGMA)(X, X[:LANDMARKS]), _plain_kernel(X, X[:LANDMARKS]))


def _method(name: str) -> str:
    X = _points()
    a = approximate(X, Gaussian(SIGMA), name, LANDMARKS, seed=1)
    Z = np.asarray(a.landmarks)
    E, W = _plain_kernel(X, Z), _plain_kernel(Z, Z)
    # E W⁻¹ Eᵀ as it is written in the textbook.
    return _compared(a.factor @ a.factor.T, np.asarray(E @ np.linalg.solve(W, E.T)))


def _jitted() -> str:
    X = _points()[:LANDMARKS]
    W = _plain_kernel(X, X)
    triangle, inverse, pivots = np.zeros_like(W), np.zeros_like(W), np.zeros(len(W), dtype=np.intp)
    function: Any = loops.cholesky_in_order
    function(W, np.zeros(len(W)), np.inf, triangle, inverse, pivots)
    comparison = _compared(triangle.T, np.asarray(np.linalg.cholesky(W), dtype=np.float64))
    if not getattr(function, "signatures", ()):
        raise Refusal("not compiled, so slow; unset NUMBA_DISABLE_JIT and start again")
    return f"compiled; {comparison}"


def _cache() -> str:
    """Say where compiled code is kept between processes, and check that it can be written to."""
    function: Any = loops.cholesky_in_order
    stats = getattr(function, "stats", None)
    if stats is None or not stats.cache_path:
        raise Refusal("compiled code is not kept; set NUMBA_CACHE_DIR to a folder that can be written to")
    folder = Path(stats.cache_path)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise Refusal(
            f"{folder} cannot be written to ({problem.strerror}), so each process compiles anew; set "
            "NUMBA_CACHE_DIR to a folder that can be"
        ) from problem
    return f"{'loaded from' if sum(stats.cache_hits.values()) else 'compiled into'} {folder}"


def _memory() -> str:
    free = machine.free_bytes()
    text = f"{in_bytes(free)} free of {in_bytes(machine.limit_bytes())}, {cores()} cores"
    if free < ENOUGH_BYTES:
        raise Refusal(f"{text}; {in_bytes(ENOUGH_BYTES)} are needed: end other programs or raise the limit")
    return f"{text}; kernel matrices are held up to n = {memory.held_rows()}"


def _data() -> str:
    iris = load("iris")
    if iris.X.shape != (150, 4) or not np.isfinite(iris.X).all():
        raise Refusal(f"iris has the shape {iris.X.shape} instead of (150, 4)")
    folder, count = default_data_folder(), sum(card.kind == "file" and card.on_disk for card in catalog())
    access = "can be written to" if os.access(folder, os.W_OK) else "is not there or read-only"
    return f"embedded sets load; {count} files in {folder}, which {access}"


def _server(url: str) -> str:
    address = f"{url.rstrip('/')}/_stcore/health"
    try:
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as answer:
            status = answer.status
    except (urllib.error.URLError, OSError, ValueError) as problem:
        raise Refusal(f"{address} does not answer ({problem}); start the app") from problem
    if status != 200:
        raise Refusal(f"{address} answers {status}")
    return f"{address} answers"
