"""The machines of the study ``classifier``: training rows, LS-SVMs on K and K̃, their times and boundaries."""

import time
from dataclasses import dataclass, replace

import numpy as np

from nysviz.analysis.learning import ls_svm
from nysviz.analysis.learning.ls_svm import (
    LeastSquaresMachine,
    TwoClasses,
    decide,
    decide_restricted,
    error_percent,
    predicted,
    usable_classes,
)
from nysviz.datasets import Dataset
from nysviz.engine.shared import shared
from nysviz.figures.learning import DecisionPlane
from nysviz.kernels import PerFeature
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import square_bytes
from nysviz.numerics.timing import Timed, timed
from nysviz.nystroem.measures import frobenius, residual, spectral_norm
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.scene import Scene, width_of

# Most rows of the two classes: the exact machine's factorisation then takes a fraction of a second.
MOST_ROWS = 4_000
GRID = 90  # points of the plane a side
Axes = tuple[int, int] | None


@dataclass(frozen=True)
class TrainedMachine:
    """A machine with f of the test rows by both test kernels, which agree for the exact machine."""

    machine: LeastSquaresMachine
    values: FloatArray
    restricted: FloatArray

    def decisions(self, test_kernel: str) -> FloatArray:
        """Return f of the test rows by this test kernel."""
        return self.values if test_kernel == "exact" else self.restricted

    def error(self, pair: TwoClasses, test_kernel: str) -> float:
        """Test error in per cent."""
        return error_percent(self.decisions(test_kernel), pair.y_test)


@dataclass(frozen=True)
class Times:
    """The times of training the approximate and the exact machine."""

    approximate: Timed[LeastSquaresMachine]
    exact: Timed[LeastSquaresMachine]


@dataclass(frozen=True)
class Reasons:
    """The quantities on which the errors depend.

    K̃'s error and rank, ‖K − K̃‖₂ over the ridge 1/C, the medians of |f̃ − f| and |f| over test rows, and K's
    eigenvalues above 1/C.
    """

    relative_frobenius: float
    residual_over_ridge: float
    change: float
    margin: float
    rank: int
    above_ridge: int


@shared()
def pair_of(data: Dataset, first: float, second: float, share: float, split: int) -> TwoClasses:
    """Take at most ``MOST_ROWS`` rows of the two classes, and split them for training and test."""
    # Equal rows may come from two visitors' files: the cached result has the names of neither.
    return replace(
        ls_svm.two_classes(data, first, second, share=share, seed=split, max_rows=MOST_ROWS), name=""
    )


@shared()
def _training_rows(pair: TwoClasses) -> Dataset:
    return Dataset.from_arrays("training rows", pair.X, pair.y, task="classification")


def training_scene(scene: Scene, pair: TwoClasses, name: str) -> Scene:
    """Return the training rows as a scene, with the bandwidth in multiples of their default width."""
    data = replace(_training_rows(pair), name=name, title=name)
    kernel, width = scene.kernel, width_of(data)
    if scene.multiple is not None and width is not None:
        sigma = float(np.sqrt(scene.multiple * width / 2.0))
        kernel = replace(kernel, sigma=sigma)  # type: ignore[call-arg]
    return replace(scene, data=data, kernel=kernel, settings=())


def training_of(scene: Scene, classes: tuple[float, float], share: float, split: int) -> Scene:
    """Return the training rows as a scene, under the names of data and classes."""
    pair = pair_of(scene.data, *classes, share, split)
    return training_scene(scene, pair, f"{scene.data.name} {'-'.join(names_of(scene.data, classes))}")


def names_of(data: Dataset, classes: tuple[float, float]) -> tuple[str, str]:
    """Return the names of two classes."""
    names = {label: name for name, label in usable_classes(data).items()}
    return names[classes[0]], names[classes[1]]


# K with a copy of it.
@shared(holds=lambda scene, *_: square_bytes(scene.data.n, 2.0))
def exact_machine(scene: Scene, pair: TwoClasses, C: float) -> TrainedMachine:
    """Train on K itself."""
    machine = ls_svm.train_exact(matrices.matrix_of(scene).full(), pair.y, C)
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return TrainedMachine(machine, values, values)


def _bytes(scene: Scene, pair: TwoClasses, choice: Choice, *more: object) -> float:
    if choice.method == "svd":
        return matrices.eigenpairs_bytes(scene)
    low_rank_bytes = matrices.approximation_bytes(scene, choice.method, choice.m, choice.options)
    return max(square_bytes(scene.data.n, 2.0), low_rank_bytes)


@shared(holds=_bytes)
def low_rank_machine(scene: Scene, pair: TwoClasses, choice: Choice, C: float) -> TrainedMachine:
    """Train on the approximation."""
    a = matrices.approximation(scene, choice.method, choice.m, choice.options)
    machine = ls_svm.train(a, pair.y, C)
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return TrainedMachine(machine, values, decide_restricted(machine, a, pair.X_test))


@shared(holds=_bytes)
def times_of(scene: Scene, pair: TwoClasses, choice: Choice, C: float) -> Times:
    """Measure the seconds of training on a new approximation, and on K itself."""
    K = matrices.matrix_of(scene).full()

    def exactly() -> tuple[LeastSquaresMachine, float]:
        started = time.perf_counter()
        return ls_svm.train_exact(K, pair.y, C), time.perf_counter() - started

    def approximately() -> tuple[LeastSquaresMachine, float]:
        a = matrices.approximate_again(scene, choice.method, choice.m, choice.options)
        started = time.perf_counter()
        return ls_svm.train(a, pair.y, C), time.perf_counter() - started + a.seconds

    return Times(timed(approximately), timed(exactly))


@shared(holds=_bytes)
def plane_of(
    scene: Scene, pair: TwoClasses, choice: Choice, C: float, test_kernel: str, axes: Axes
) -> DecisionPlane:
    """Train both machines on two features, or two principal components, and evaluate them over the plane."""
    centre, directions, names = matrices.plane_of(pair.X, axes)
    X, X_test = ((rows - centre) @ directions for rows in (pair.X, pair.X_test))
    x, y = (np.linspace(*ends, GRID) for ends in matrices.ranges_of(np.vstack([X, X_test])))
    points = np.column_stack([grid.ravel() for grid in np.meshgrid(x, y)])
    flat = replace(pair, X=X, X_test=X_test, digest=f"{pair.digest} in the plane {axes}")
    if isinstance(scene.kernel, PerFeature):
        # The coordinates of the plane have no widths of their own.
        scene = replace(scene, kernel=scene.kernel.kernel, multiple=1.0)
    scene = training_scene(scene, flat, "")
    exact, approximate = exact_machine(scene, flat, C), low_rank_machine(scene, flat, choice, C)
    if test_kernel == "exact":
        values = decide(approximate.machine, X, scene.kernel, points)
    else:
        a = matrices.approximation(scene, choice.method, choice.m, choice.options)
        values = decide_restricted(approximate.machine, a, points)
    reference = decide(exact.machine, X, scene.kernel, points)
    wrong = predicted(approximate.decisions(test_kernel)) != pair.y_test
    return DecisionPlane(
        names, (x, y), X_test, wrong, values.reshape(GRID, GRID), reference.reshape(GRID, GRID)
    )


@shared()
def reasons_of(scene: Scene, pair: TwoClasses, choice: Choice, C: float, test_kernel: str) -> Reasons:
    """Measure the quantities on which the errors depend."""
    exact, approximate = exact_machine(scene, pair, C), low_rank_machine(scene, pair, choice, C)
    size, K = matrices.norms_of(scene).frobenius, matrices.matrix_of(scene).full()
    a = matrices.approximation(scene, choice.method, choice.m, choice.options)
    left = residual(K, a.factor)
    return Reasons(
        relative_frobenius=frobenius(left) / size if size > 0 else 0.0,
        residual_over_ridge=C * spectral_norm(left),
        change=float(np.median(np.abs(approximate.decisions(test_kernel) - exact.values))),
        margin=float(np.median(np.abs(exact.values))),
        rank=a.rank,
        above_ridge=int((matrices.eigenvalues(scene.unseeded) > 1.0 / C).sum()),
    )
