"""Cached computations of the LS-SVM view: two classes, and machines in all features and in the plane."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, default_width
from nysviz.learning.ls_svm import Machine, decide, decide_restricted, error_percent, train, train_exact
from nysviz.learning.two_classes import TwoClasses, two_classes, usable_classes
from nysviz.projection import principal_directions
from nysviz.ui import computing, estimates
from nysviz.ui.computing import Options
from nysviz.ui.sidebar.kernel_choice import SMALLEST_WIDTH
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.needs import square_bytes
from nysviz.ui.work.store import store

# Rows of the two classes at most: the exact machine's factorisation then takes a fraction of a second.
MOST_ROWS = 4_000
# Points of the grid a side, and test points drawn.
GRID = 90
DRAWN_POINTS = 500


@dataclass(frozen=True)
class Asked:
    """What the controls of the view say."""

    method: str
    m: int
    options: Options
    C: float
    restricted: bool


@dataclass(frozen=True)
class Trained:
    """A machine with f of the test rows by both test kernels, and the seconds of its training.

    ``restricted`` is None for the exact machine; ``seconds`` begin at the kernel matrix.
    """

    machine: Machine
    values: FloatArray
    restricted: FloatArray | None
    seconds: float

    def decisions(self, restricted: bool) -> FloatArray:
        """Return f of the test rows by the chosen test kernel."""
        return self.restricted if restricted and self.restricted is not None else self.values


# The exact machine, the one on the best rank m (None while it is computed), and the approximate one.
Three = tuple[Trained, Trained | None, Trained]


@dataclass(frozen=True)
class Plane:
    """Two coordinates of the rows, in which a machine of their own is trained and drawn."""

    centre: FloatArray
    directions: FloatArray
    names: tuple[str, str]
    ticks: tuple[FloatArray, FloatArray]


def pair_of(scene: Scene, first: float, second: float, share: float, split: int) -> TwoClasses:
    """Part the two classes, at most ``MOST_ROWS`` rows of them."""
    key = ("two classes", scene.data.digest, first, second, share, split, MOST_ROWS)

    def compute() -> TwoClasses:
        # Equal rows may come from two visitors' files: what is kept has the names of neither.
        pair = two_classes(scene.data, first, second, share=share, seed=split, most=MOST_ROWS)
        return replace(pair, name="")

    names = {label: name for name, label in usable_classes(scene.data).items()}
    return replace(store().get(key, compute), name=f"{scene.data.name} {names[first]}-{names[second]}")


def training_scene(scene: Scene, pair: TwoClasses) -> Scene:
    """The training rows as a scene of their own, the bandwidth in multiples of their own default width."""
    data = store().get(
        ("training rows", pair.digest),
        lambda: Dataset.from_arrays("training rows", pair.X, pair.y, task="classification"),
    )
    data = replace(data, name=pair.name, title=pair.name)
    return replace(scene, data=data, kernel=_rescaled(scene, pair.X), settings=())


def _rescaled(scene: Scene, rows: FloatArray) -> Kernel:
    width = default_width(rows)
    if scene.multiple is None or not width > SMALLEST_WIDTH:
        return scene.kernel
    sigma = float(np.sqrt(scene.multiple * width / 2.0))
    return replace(scene.kernel, sigma=sigma)  # type: ignore[call-arg]


def plane_of(pair: TwoClasses, feature_names: tuple[str, ...], axes: tuple[int, int] | None) -> Plane:
    """Two features, or the two leading principal components of the training rows."""

    def compute() -> Plane:
        d = pair.X.shape[1]
        if axes is None:
            centre, directions, shares = principal_directions(pair.X)
            first, second = (
                f"principal component {k + 1} ({100 * shares[k]:.0f} % of the variance)" for k in (0, 1)
            )
        else:
            centre, directions = np.zeros(d), np.zeros((d, 2))
            directions[axes[0], 0] = directions[axes[1], 1] = 1.0
            first, second = (f"feature {k}" for k in axes)
        both = (np.vstack([pair.X, pair.X_test]) - centre) @ directions
        low, high = both.min(axis=0), both.max(axis=0)
        margin = np.where(high > low, 0.06 * (high - low), 1.0)
        ticks = [np.linspace(low[k] - margin[k], high[k] + margin[k], GRID) for k in (0, 1)]
        return Plane(centre, directions, (first, second), (ticks[0], ticks[1]))

    plane = store().get(("plane", pair.digest, axes), compute)
    if axes is None or not feature_names:
        return plane
    # The names of the columns are the visitor's own: they are not kept.
    return replace(plane, names=(feature_names[axes[0]], feature_names[axes[1]]))


def in_plane(pair: TwoClasses, plane: Plane, axes: tuple[int, int] | None) -> TwoClasses:
    """The same rows with the two coordinates as their only features."""
    return replace(
        pair,
        X=np.ascontiguousarray((pair.X - plane.centre) @ plane.directions),
        X_test=np.ascontiguousarray((pair.X_test - plane.centre) @ plane.directions),
        digest=f"{pair.digest} in the plane {axes}",
    )


def matrix(scene: Scene) -> FloatArray:
    """K of the training rows, which are few enough for it to be held."""
    K = computing.kernel_matrix(scene)
    if K is None:
        raise ValueError(f"{scene.data.n} training rows are too many for the exact machine.")
    return K


def exact_machine(scene: Scene, pair: TwoClasses, C: float) -> Trained:
    """The machine trained on K itself."""

    def compute() -> Trained:
        K = matrix(scene)
        started = time.perf_counter()
        machine = train_exact(K, pair.y, C)
        seconds = time.perf_counter() - started
        return Trained(machine, decide(machine, pair.X, scene.kernel, pair.X_test), None, seconds)

    return store().get(("ls-svm", pair.digest, *scene.key, C), compute)


def low_rank_machine(
    scene: Scene, pair: TwoClasses, asked: Asked, stop: threading.Event | None = None
) -> Trained:
    """The machine trained on the approximation."""

    def compute() -> Trained:
        a = computing.approximation(scene, asked.method, asked.m, asked.options)
        started = time.perf_counter()
        machine = train(a, pair.y, asked.C)
        seconds = time.perf_counter() - started + a.seconds
        values = decide(machine, pair.X, scene.kernel, pair.X_test)
        return Trained(machine, values, decide_restricted(machine, a, pair.X_test), seconds)

    key = ("ls-svm", pair.digest, *scene.key, asked.method, asked.m, scene.seed, asked.options, asked.C)
    return store().get(key, compute)


def machines_later(
    scene: Scene, pair: TwoClasses, asked: Asked, stop: threading.Event
) -> Future[tuple[Trained, Trained]]:
    """The exact and the approximate machine, computed in another thread."""
    key = ("both ls-svm", pair.digest, *scene.key, scene.seed, asked)

    def compute() -> tuple[Trained, Trained]:
        return exact_machine(scene, pair, asked.C), low_rank_machine(scene, pair, asked, stop)

    return store().later(key, compute, urgent=True, holds=_machines_bytes(scene, asked))


def _machines_bytes(scene: Scene, asked: Asked) -> float:
    """What both hold while they are trained, in bytes: K with a copy of it, then the approximation."""
    ours = computing.approximation_bytes(scene, asked.method, asked.m, asked.options)
    return max(square_bytes(scene.data.n, 2.0), ours)


def machines_seconds(scene: Scene, asked: Asked, points: int) -> float:
    """Estimate the time of training the exact and the approximate machine, and of f at so many points."""
    n = scene.data.n
    exact = estimates.matrix_seconds(scene) + estimates.factorisation_seconds(n)
    ours = computing.approximation_seconds(scene, asked.m, asked.method, asked.options)
    return exact + ours + 2.0 * estimates.entry_seconds(scene, points * n)


def ground_later(
    scene: Scene, pair: TwoClasses, plane: Plane, asked: Asked, stop: threading.Event
) -> Future[tuple[FloatArray, FloatArray]]:
    """Return f of the approximate and of the exact machine on the grid of the plane, (GRID, GRID) each."""
    key = ("ls-svm ground", pair.digest, *scene.key, scene.seed, asked)

    def compute() -> tuple[FloatArray, FloatArray]:
        x, y = plane.ticks
        points = np.column_stack([grid.ravel() for grid in np.meshgrid(x, y)])
        exact = exact_machine(scene, pair, asked.C).machine
        ours = low_rank_machine(scene, pair, asked, stop).machine
        if asked.restricted:
            a = computing.approximation(scene, asked.method, asked.m, asked.options)
            values = decide_restricted(ours, a, points)
        else:
            values = decide(ours, pair.X, scene.kernel, points)
        reference = store().get(
            ("ls-svm ground", pair.digest, *scene.key, asked.C),
            lambda: decide(exact, pair.X, scene.kernel, points),
        )
        return values.reshape(GRID, GRID), reference.reshape(GRID, GRID)

    return store().later(key, compute, urgent=True, holds=_machines_bytes(scene, asked))


def floor_later(scene: Scene, pair: TwoClasses, asked: Asked) -> Future[Trained]:
    """The machine on the best approximation of rank m, once all eigenvectors are there."""
    best = replace(asked, method="svd", options=())
    key = ("ls-svm floor", pair.digest, *scene.key, best)
    held = computing.eigenpairs_bytes(scene)
    return store().later(key, lambda: low_rank_machine(scene, pair, best), urgent=True, holds=held)


def errors_of(pair: TwoClasses, trained: Trained, restricted: bool) -> float:
    """Test error in per cent."""
    return error_percent(trained.decisions(restricted), pair.y_test)
