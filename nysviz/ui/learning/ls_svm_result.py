"""What the LS-SVM view computes: two classes, and machines in all features, in the plane and on all rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from nysviz import memory
from nysviz.approximation import approximate, checked_room
from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, default_width
from nysviz.landmarks import METHODS
from nysviz.learning.ls_svm import Machine, decide, decide_restricted, error_percent, train, train_exact
from nysviz.learning.two_classes import TwoClasses, two_classes, usable_classes
from nysviz.measures import frobenius, residual
from nysviz.projection import principal_directions
from nysviz.refusal import Refusal
from nysviz.ui import computing
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.sidebar.kernel_choice import SMALLEST_WIDTH
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.needs import approximation_bytes, square_bytes

# Rows of the two classes at most: the exact machine's factorisation then takes a fraction of a second.
MOST_ROWS = 4_000
# Points of the grid a side.
GRID = 90
Axes = tuple[int, int] | None


@dataclass(frozen=True)
class Asked:
    """A machine: method, m, options of the method, C, and whether it is tested by the restricted kernel."""

    method: str
    m: int
    options: Options
    C: float
    restricted: bool

    @property
    def best(self) -> Asked:
        """The same on the best approximation of rank m."""
        return replace(self, method="svd", options=())


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


@shared()
def _two_classes(
    data: Dataset, first: float, second: float, share: float, split: int, most: int
) -> TwoClasses:
    # Equal rows may come from two visitors' files: what is kept has the names of neither.
    return replace(two_classes(data, first, second, share=share, seed=split, most=most), name="")


def pair_of(scene: Scene, first: float, second: float, share: float, split: int) -> TwoClasses:
    """Take at most ``MOST_ROWS`` rows of the two classes, and part them for training and test."""
    names = {label: name for name, label in usable_classes(scene.data).items()}
    pair = _two_classes(scene.data, first, second, share, split, MOST_ROWS)
    return replace(pair, name=f"{scene.data.name} {names[first]}-{names[second]}")


@shared()
def _training_rows(pair: TwoClasses) -> Dataset:
    return Dataset.from_arrays("training rows", pair.X, pair.y, task="classification")


def training_scene(scene: Scene, pair: TwoClasses) -> Scene:
    """The training rows as a scene of their own, the bandwidth in multiples of their own default width."""
    data = replace(_training_rows(pair), name=pair.name, title=pair.name)
    kernel, width = scene.kernel, default_width(pair.X)
    if scene.multiple is not None and width > SMALLEST_WIDTH:
        sigma = float(np.sqrt(scene.multiple * width / 2.0))
        kernel = replace(kernel, sigma=sigma)  # type: ignore[call-arg]
    return replace(scene, data=data, kernel=kernel, settings=())


@dataclass(frozen=True)
class Plane:
    """Two coordinates of the rows, in which a machine of their own is trained and drawn."""

    centre: FloatArray
    directions: FloatArray
    names: tuple[str, str]
    ticks: tuple[FloatArray, FloatArray]


@shared()
def plane_of(pair: TwoClasses, axes: Axes) -> Plane:
    """Two features, or the two leading principal components of the training rows."""
    d = pair.X.shape[1]
    if axes is None:
        centre, directions, shares = principal_directions(pair.X)
        names = [f"principal component {k + 1} ({100 * shares[k]:.0f} % of the variance)" for k in (0, 1)]
    else:
        centre, directions = np.zeros(d), np.eye(d)[:, axes]
        names = [f"feature {k}" for k in axes]
    both = (np.vstack([pair.X, pair.X_test]) - centre) @ directions
    low, high = both.min(axis=0), both.max(axis=0)
    margin = np.where(high > low, 0.06 * (high - low), 1.0)
    x, y = (np.linspace(low[k] - margin[k], high[k] + margin[k], GRID) for k in (0, 1))
    return Plane(centre, directions, (names[0], names[1]), (x, y))


def in_plane(scene: Scene, pair: TwoClasses, axes: Axes) -> tuple[Scene, TwoClasses]:
    """The same rows with the two coordinates as their only features."""
    plane = plane_of(pair, axes)
    X, X_test = ((rows - plane.centre) @ plane.directions for rows in (pair.X, pair.X_test))
    flat = replace(pair, X=X, X_test=X_test, digest=f"{pair.digest} in the plane {axes}")
    return training_scene(scene, flat), flat


def _matrix(scene: Scene) -> FloatArray:
    K = computing.kernel_matrix(scene)
    if K is None:
        raise Refusal(f"{scene.data.n} training rows are too many for the exact machine.")
    return K


@shared()
def exact_machine(scene: Scene, pair: TwoClasses, C: float) -> Trained:
    """Train on K itself."""
    K = _matrix(scene)
    started = time.perf_counter()
    machine = train_exact(K, pair.y, C)
    seconds = time.perf_counter() - started
    return Trained(machine, decide(machine, pair.X, scene.kernel, pair.X_test), None, seconds)


def _bytes(scene: Scene, pair: TwoClasses, asked: Asked, *axes: Axes) -> float:
    # K with a copy of it, then the approximation.
    if asked.method == "svd":
        return computing.eigenpairs_bytes(scene)
    ours = computing.approximation_bytes(scene, asked.method, asked.m, asked.options)
    return max(square_bytes(scene.data.n, 2.0), ours)


@shared(holds=_bytes)
def low_rank_machine(scene: Scene, pair: TwoClasses, asked: Asked) -> Trained:
    """Train on the approximation."""
    a = computing.approximation(scene, asked.method, asked.m, asked.options)
    started = time.perf_counter()
    machine = train(a, pair.y, asked.C)
    seconds = time.perf_counter() - started + a.seconds
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return Trained(machine, values, decide_restricted(machine, a, pair.X_test), seconds)


@shared(holds=_bytes)
def machines(scene: Scene, pair: TwoClasses, asked: Asked) -> tuple[Trained, Trained]:
    """The exact and the approximate machine."""
    return exact_machine(scene, pair, asked.C), low_rank_machine(scene, pair, asked)


@dataclass(frozen=True)
class Ground:
    """Both machines in the plane, and f of them on its grid, (GRID, GRID) each."""

    exact: Trained
    ours: Trained
    values: FloatArray
    reference: FloatArray


@shared(holds=_bytes)
def ground(scene: Scene, pair: TwoClasses, asked: Asked, axes: Axes) -> Ground:
    """Train both machines on the two coordinates alone, and evaluate them all over the plane."""
    flat_scene, flat = in_plane(scene, pair, axes)
    points = np.column_stack([grid.ravel() for grid in np.meshgrid(*plane_of(pair, axes).ticks)])
    exact, ours = machines(flat_scene, flat, asked)
    if asked.restricted:
        a = computing.approximation(flat_scene, asked.method, asked.m, asked.options)
        values = decide_restricted(ours.machine, a, points)
    else:
        values = decide(ours.machine, flat.X, flat_scene.kernel, points)
    reference = decide(exact.machine, flat.X, flat_scene.kernel, points)
    return Ground(exact, ours, values.reshape(GRID, GRID), reference.reshape(GRID, GRID))


@shared()
def reasons(scene: Scene, pair: TwoClasses, asked: Asked) -> dict[str, float]:
    """Measure what the survival of the classifier depends on.

    ``relative_frobenius`` is that of the training rows; ``change`` and ``margin`` are medians over the test
    rows of |f̃ − f| and of the exact machine's |f|; ``above_ridge`` counts eigenvalues of K above 1/C.
    """
    exact, ours = machines(scene, pair, asked)
    size = computing.norms_of(scene).frobenius
    a = computing.approximation(scene, asked.method, asked.m, asked.options)
    return {
        "relative_frobenius": frobenius(residual(_matrix(scene), a.factor)) / size if size > 0 else 0.0,
        "change": float(np.median(np.abs(ours.decisions(asked.restricted) - exact.values))),
        "margin": float(np.median(np.abs(exact.values))),
        "rank": a.rank,
        "above_ridge": int((computing.eigenvalues(scene.unseeded) > 1.0 / asked.C).sum()),
    }


def errors_of(pair: TwoClasses, trained: Trained, restricted: bool) -> float:
    """Test error in per cent."""
    return error_percent(trained.decisions(restricted), pair.y_test)


def _whole_bytes(
    data: Dataset, asked: Asked, kernel: Kernel, labels: tuple[float, float], share: float, *parting: int
) -> float:
    return approximation_bytes(int((1 - share) * data.n), asked.method, asked.m, dict(asked.options))


@shared(holds=_whole_bytes)
def machine_of_all(
    data: Dataset,
    asked: Asked,
    kernel: Kernel,
    labels: tuple[float, float],
    share: float,
    split: int,
    seed: int,
) -> tuple[float, float, int, int]:
    """Train on all training rows, in blocks, and test on the others: error (%), seconds, rows of both."""
    pair, options = two_classes(data, *labels, share=share, seed=split), dict(asked.options)
    room = memory.held_bytes()
    checked_room(METHODS[asked.method], asked.method, len(pair.X), asked.m, None, options, room)
    started = time.perf_counter()
    a = approximate(pair.X, kernel, asked.method, asked.m, seed, matrix=None, **options)
    machine = train(a, pair.y, asked.C)
    seconds = time.perf_counter() - started
    values = decide_restricted(machine, a, pair.X_test)
    return error_percent(values, pair.y_test), seconds, len(pair.X), len(pair.X_test)
