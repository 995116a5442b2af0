"""Cached computations behind the page "Kernel PCA"."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, watched
from nysviz.datasets import Dataset
from nysviz.learning.kernel_pca import (
    DIRECTIONS,
    Embedding,
    Forms,
    aligned,
    approximate_embedding,
    exact_embedding,
    misalignment,
    principal_angles,
    two_forms,
)
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix
from nysviz.ui import computing, estimates
from nysviz.ui.controls import Choice
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import checkpoint
from nysviz.ui.work.needs import SQUARE_COPIES, approximation_bytes, square_bytes
from nysviz.ui.work.store import store
from nysviz.ui.work.tickets import current

# Eigenvectors whose products are shown in the third picture.
COMPARED_VECTORS = 8
# Products of a Lanczos iteration for three vectors, as met with in practice.
PRODUCTS = 40
# A product with one vector waits for memory: so many times the seconds of as many operations among matrices.
MEMORY = 15.0
# An exact embedding quicker than this is timed a second time.
AGAIN_SECONDS = 0.4


@dataclass(frozen=True)
class Run:
    """One method's embedding beside the exact one."""

    approximation: LowRank
    embedding: Embedding
    aligned: FloatArray
    misalignment: float
    angles: FloatArray

    @property
    def seconds(self) -> float:
        """Of landmarks, factor and eigenvectors, without K at hand."""
        return self.approximation.seconds + self.embedding.seconds


def sample(data: Dataset, rows: int, seed: int) -> Dataset:
    """Return so many random rows, in the order of the whole set."""

    def compute() -> Dataset:
        chosen = np.sort(np.random.default_rng(seed).permutation(data.n)[:rows])
        y = None if data.y is None else data.y[chosen]
        # Equal rows may come from two visitors' files: what is kept has the names of neither.
        return Dataset.from_arrays("sample", data.X[chosen], y, task=data.task)

    kept = store().get(("kernel pca sample", data.digest, rows, seed), compute)
    classes = data.classes
    if data.y is not None and kept.y is not None and classes:
        # A class may have no row among them; its name goes with it.
        there = np.isin(np.unique(data.y), kept.y)
        classes = tuple(name for name, among in zip(classes, there, strict=True) if among)
    return replace(
        kept,
        name=data.name,
        feature_names=data.feature_names,
        classes=classes,
        title=f"{data.title}, {rows} random rows of {data.n}",
        sentence=data.sentence,
        from_catalog=data.from_catalog,
        source=data.source,
        licence=data.licence,
        notes=data.notes,
    )


def directions(scene: Scene) -> int:
    """How many directions are shown: three, fewer for a handful of rows."""
    return max(1, min(DIRECTIONS, scene.data.n - 1))


def exact_seconds(scene: Scene) -> float:
    """Estimate of the exact embedding's time on this machine."""
    once = estimates.matrix_seconds(scene)
    return once if computing.is_exact(scene) else PRODUCTS * once


def exact_later(scene: Scene, stop: threading.Event) -> Future[Embedding]:
    """Exact kernel PCA, computed once for a data set and kernel; timed as a user would, without K at hand."""
    started = time.monotonic()

    def compute() -> Embedding:
        ticket = current()

        def check() -> None:
            # The event is that of the session that asked first: others who wait for the same go on.
            if stop.is_set() and not (ticket is not None and ticket.is_seen()):
                raise ValueError(
                    f"Stopped after {time.monotonic() - started:.1f} s. Switch to the random sample of rows, "
                    "or move a control to start again."
                )

        def once() -> Embedding:
            matrix = KernelMatrix(scene.data.X, scene.kernel)
            matrix.checkpoint = check
            with watched(check):
                return exact_embedding(scene.data.X, scene.kernel, directions(scene), matrix=matrix)

        first = once()
        # The first one of a process also wakes threads and loads code: the time shown leaves that out.
        return min(first, once(), key=lambda found: found.seconds) if first.seconds < AGAIN_SECONDS else first

    # K and a copy of it; of larger data, blocks of its rows alone.
    exact = computing.is_exact(scene)
    held = square_bytes(scene.data.n, 2.0) if exact else 0.0
    return store().later(("exact kernel pca", *scene.key, exact), compute, urgent=True, holds=held)


def run_later(
    scene: Scene, choice: Choice, exact: Embedding, stop: threading.Event | None = None
) -> Future[Run]:
    """The method's embedding and how far it is from the exact one; timed without K at hand."""

    def compute() -> Run:
        with watched(checkpoint(stop, choice.m)):
            return embedded()

    def embedded() -> Run:
        X, U = scene.data.X, exact.vectors
        kernel, options = scene.kernel, dict(choice.options)
        a = approximate(X, kernel, choice.method, choice.m, scene.seed, matrix=None, **options)
        found = approximate_embedding(a, U.shape[1])
        near = aligned(U, found.vectors)
        error, angles = misalignment(U, found.vectors), principal_angles(U, found.vectors)
        return Run(a, found, near, error, angles)

    held = approximation_bytes(scene.data.n, choice.method, choice.m, dict(choice.options))
    return store().later(_key("kernel pca", scene, choice), compute, urgent=True, holds=held)


def forms_later(scene: Scene, choice: Choice, a: LowRank) -> Future[Forms]:
    """Both forms of the eigenvectors of K̃ beside those of K, for scenes whose K is held."""

    def compute() -> Forms:
        k = min(COMPARED_VECTORS, scene.data.n)
        _, vectors = store().get(
            ("leading eigenvectors", *scene.key, k), lambda: computing.matrix_of(scene).eigenpairs(k)
        )
        return two_forms(a, vectors)

    held = square_bytes(choice.m, SQUARE_COPIES)
    return store().later(_key("two forms", scene, choice), compute, urgent=True, holds=held)


def forms_seconds(scene: Scene, m: int) -> float:
    """Estimate the time of the two forms: eigenvectors of K, which is held, and those of W and of K̃."""
    n = scene.data.n
    of_k = estimates.product_seconds(PRODUCTS * MEMORY * n**2)
    return of_k + estimates.product_seconds(4.0 * n * m**2) + computing.decomposition_seconds(m, vectors=True)


def _key(what: str, scene: Scene, choice: Choice) -> tuple[object, ...]:
    return (what, *scene.key, choice.method, choice.m, scene.seed, choice.options)
