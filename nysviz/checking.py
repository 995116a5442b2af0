"""Whether this installation works: the numerical core beside plain numpy, the jitted loops, cache and memory.

For a host that asks now and then, and for a person after installing: ``python -m nysviz check``.
"""

from __future__ import annotations

import os
import platform
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy

from nysviz import loops, machine, memory
from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, cores
from nysviz.datasets import catalog, default_data_folder, load
from nysviz.kernels import Gaussian
from nysviz.text import in_bytes

# Both sides round, and W⁺ amplifies that by the condition of W, below 1e4 for the points here.
TOLERANCE = 1e-10
POINTS, LANDMARKS, SIGMA = 60, 8, 1.0
# A family each: drawn, averaged, pivoted with and without chance, and the best possible.
METHODS_CHECKED = ("uniform", "kmeans", "icd", "rpcholesky", "svd")
# What a page may need at a time beside Python and its libraries.
ENOUGH_BYTES = 100 * 2**20
ANSWER_SECONDS = 10.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `sentence` says what was seen, and where it is not good, what to do."""

    what: str
    good: bool
    sentence: str


def check(url: str | None = None) -> Iterator[Finding]:
    """Look at everything in turn, and never raise.

    Parameters
    ----------
    url : str, optional
        Address of a running app, which is asked for its health too.

    Yields
    ------
    Finding
    """
    parts: list[tuple[str, Callable[[], Finding]]] = [
        ("versions", _versions),
        ("kernel", _kernel),
        *((name, _method(name)) for name in METHODS_CHECKED),
        ("jitted loops", _jitted),
        ("cache", _cache),
        ("memory", _memory),
        ("data", _data),
    ]
    if url is not None:
        parts.append(("server", lambda: _server(url)))
    for what, look in parts:
        try:
            yield look()
        except Exception as problem:
            # Whatever is broken, the others are still looked at, and the caller gets its exit code.
            yield Finding(what, False, f"{type(problem).__name__}: {problem}")


def _versions() -> Finding:
    names = ((platform.python_implementation(), platform.python_version()), ("numpy", np.__version__))
    more = (("scipy", scipy.__version__), ("numba", numba.__version__))
    return Finding("versions", True, ", ".join(f"{name} {version}" for name, version in names + more))


def _points() -> FloatArray:
    return np.random.default_rng(0).standard_normal((POINTS, 3))


def _plain_kernel(X: FloatArray, Y: FloatArray) -> FloatArray:
    differences = X[:, None, :] - Y[None, :, :]
    return np.asarray(np.exp(-(differences**2).sum(axis=2) / (2.0 * SIGMA**2)))


def _compared(what: str, found: FloatArray, expected: FloatArray) -> Finding:
    gap = float(np.linalg.norm(found - expected) / np.linalg.norm(expected))
    good = gap <= TOLERANCE  # false for NaN too
    verdict = "agrees with plain numpy" if good else f"differs from plain numpy by more than {TOLERANCE:g}"
    remedy = "" if good else "; install the versions of requirements.txt again"
    return Finding(what, good, f"{verdict}, relative difference {gap:.1e}{remedy}")


def _kernel() -> Finding:
    X = _points()
    return _compared("kernel", Gaussian(SIGMA)(X, X[:LANDMARKS]), _plain_kernel(X, X[:LANDMARKS]))


def _method(name: str) -> Callable[[], Finding]:
    def look() -> Finding:
        X = _points()
        approximation = approximate(X, Gaussian(SIGMA), name, LANDMARKS, seed=1)
        factor = approximation.factor
        expected = _best(X) if approximation.landmarks is None else _nystroem(X, approximation.landmarks)
        return _compared(name, factor @ factor.T, expected)

    return look


def _nystroem(X: FloatArray, landmarks: FloatArray) -> FloatArray:
    """E W⁻¹ Eᵀ as it is written in the textbook."""
    E, W = _plain_kernel(X, landmarks), _plain_kernel(landmarks, landmarks)
    return np.asarray(E @ np.linalg.solve(W, E.T))


def _best(X: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(_plain_kernel(X, X))
    return np.asarray(vectors[:, -LANDMARKS:] * values[-LANDMARKS:] @ vectors[:, -LANDMARKS:].T)


def _jitted() -> Finding:
    X = _points()[:LANDMARKS]
    W = _plain_kernel(X, X)
    triangle, inverse, kept = np.zeros_like(W), np.zeros_like(W), np.zeros(len(W), dtype=np.intp)
    function: Any = loops.cholesky_in_order
    function(W, np.zeros(len(W)), np.inf, triangle, inverse, kept)
    found = _compared("jitted loops", triangle.T, np.asarray(np.linalg.cholesky(W), dtype=np.float64))
    if not found.good:
        return found
    if not getattr(function, "signatures", ()):
        return Finding(
            "jitted loops", False, "not compiled, so slow; unset NUMBA_DISABLE_JIT and start again"
        )
    return Finding("jitted loops", True, f"compiled; {found.sentence}")


def _cache() -> Finding:
    """Where compiled code is kept between processes, and whether that can be written to."""
    function: Any = loops.cholesky_in_order
    stats = getattr(function, "stats", None)
    if stats is None or not stats.cache_path:
        return Finding(
            "cache",
            False,
            "compiled code is not kept; set NUMBA_CACHE_DIR to a folder that can be written to",
        )
    folder = Path(stats.cache_path)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        return Finding(
            "cache",
            False,
            f"{folder} cannot be written to ({problem.strerror}), so each process compiles anew; set "
            "NUMBA_CACHE_DIR to a folder that can be",
        )
    loaded = "loaded from" if sum(stats.cache_hits.values()) else "compiled into"
    return Finding("cache", True, f"{loaded} {folder}")


def _memory() -> Finding:
    free, limit = machine.free_bytes(), machine.limit_bytes()
    words = f"{in_bytes(free)} free of {in_bytes(limit)}, {cores()} cores"
    if free < ENOUGH_BYTES:
        return Finding(
            "memory",
            False,
            f"{words}; {in_bytes(ENOUGH_BYTES)} are needed: end other programs or raise the limit",
        )
    return Finding("memory", True, f"{words}; kernel matrices are held up to n = {memory.held_rows()}")


def _data() -> Finding:
    iris = load("iris")
    if iris.X.shape != (150, 4) or not np.isfinite(iris.X).all():
        return Finding("data", False, f"iris has the shape {iris.X.shape} instead of (150, 4)")
    folder, there = default_data_folder(), sum(card.kind == "file" and card.on_disk for card in catalog())
    access = "can be written to" if os.access(folder, os.W_OK) else "is not there or read-only"
    return Finding("data", True, f"embedded sets load; {there} files in {folder}, which {access}")


def _server(url: str) -> Finding:
    address = f"{url.rstrip('/')}/_stcore/health"
    try:
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as answer:
            good = answer.status == 200
    except (urllib.error.URLError, OSError, ValueError) as problem:
        return Finding("server", False, f"{address} does not answer ({problem}); start the app")
    return Finding("server", good, f"{address} answers" + ("" if good else f" {answer.status}"))
