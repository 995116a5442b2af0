"""Cached computations behind the pages; every key names the content that a result depends on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nysviz import memory
from nysviz.approximation import approximate, checked_room
from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks import METHODS, cost_seconds
from nysviz.lowrank import LowRank
from nysviz.matrix import HELD_ROWS, KernelMatrix
from nysviz.measures import (
    SAMPLED_ROWS,
    Errors,
    Norms,
    SampledErrors,
    errors,
    norms,
    quantization_error,
    residual_diagonal,
    row_errors,
    sampled_errors,
    sampled_rows,
)
from nysviz.projection import principal_directions, row_order
from nysviz.spectrum import spectrum
from nysviz.ui.asking import key_of, shared
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work import needs
from nysviz.ui.work.needs import EIGEN_COPIES, square_bytes
from nysviz.ui.work.store import store

# Up to so many rows K is held (160 MB) and errors are exact; above, they come from sampled rows.
EXACT_ROWS = HELD_ROWS
MOST_LANDMARKS = 2_000
# Above so many rows nothing holds an n × n matrix.
MATRIX_ROWS = 8_000
# Up to so many rows a method may ask for all n² entries, which then takes about a minute.
READ_ROWS = 60_000
# Above so many rows the pictures that show some rows only, and the steps of the strip, are made from a sample
# of them, which K and its eigenvectors still fit.
SAMPLED_FROM = 20_000
SAMPLE_ROWS = 4_000
# There, pages that compare methods go up to so many landmarks.
LARGE_LANDMARKS = 500
# Rows of the matrix pictures, and points of the map. A browser draws 600 markers in about 0.1 s and 1 800 in
# 0.35 s: a moved control has to be seen at once. Numbers are always those of all rows.
PICTURE_ROWS = 160
MAP_POINTS = 600
# Rows behind the spectrum of a matrix that is not held.
SPECTRUM_ROWS = 2_000
# Three digits are shown, so four are asked of the Lanczos iteration.
SHOWN_TOLERANCE = 1e-4
Options = tuple[tuple[str, object], ...]


def is_exact(scene: Scene) -> bool:
    """Whether the kernel matrix is small enough to be held."""
    return scene.data.n <= exact_rows(scene)


def exact_rows(scene: Scene) -> int:
    """Up to so many rows the kernel matrix is held; fewer on a small machine."""
    return min(EXACT_ROWS, scene.held_rows)


def kernel_matrix(scene: Scene) -> FloatArray | None:
    """K, or None where it would be too large."""
    if not is_exact(scene):
        return None
    return store().get(("K", *scene.key), lambda: scene.kernel(scene.data.X))


def has_matrix(scene: Scene) -> bool:
    """Whether K is at hand."""
    return store().has(("K", *scene.key))


def matrix_of(scene: Scene) -> KernelMatrix:
    """K as the methods see it, with its entries where they are held."""
    return KernelMatrix(scene.data.X, scene.kernel, dense=kernel_matrix(scene))


def norms_of(scene: Scene) -> Norms:
    """Norms of K, for scenes where it is held."""
    K = kernel_matrix(scene)
    return store().get(("norms", *scene.key), lambda: norms(scene.data.X, scene.kernel, K=K))


def sampled(scene: Scene) -> tuple[IntArray | None, Scene]:
    """Row numbers and scene of a random sample; None and the scene itself where it is small enough."""
    if scene.data.n <= SAMPLED_FROM:
        return None, scene
    return drawn_rows(scene.data.n, SAMPLE_ROWS), _part(scene, SAMPLE_ROWS)


def exact_part(scene: Scene) -> Scene:
    """The scene itself where K is held, else random rows whose K is, for what needs all of K."""
    return scene if is_exact(scene) else _part(scene, min(SAMPLE_ROWS, exact_rows(scene)))


def _part(scene: Scene, rows: int) -> Scene:
    return replace(scene, data=scene.data.sampled(rows), whole=scene.data)


def drawn_rows(n: int, count: int) -> IntArray:
    """Random row numbers, ascending; a smaller draw is part of a larger one."""
    return np.sort(sampled_rows(n, count))


def offered(scene: Scene) -> tuple[list[str], list[str]]:
    """Methods that suit the kernel: those for so many rows, and those that would read or hold all of K."""
    n = scene.data.n
    suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel)]
    fitting = [
        name
        for name in suited
        if (name != "svd" or is_exact(scene))
        and (METHODS[name].holds != "matrix" or n <= MATRIX_ROWS)
        and (not METHODS[name].reads or n <= READ_ROWS)
    ]
    return fitting, [name for name in suited if name not in fitting]


@dataclass(frozen=True)
class Outcome:
    """An approximation and how far it is from K."""

    approximation: LowRank
    errors: Errors | SampledErrors
    quantization: float | None


def approximation_bytes(scene: Scene, method: str, m: int, options: Options = ()) -> float:
    """Estimate of what an approximation holds while it is made, in bytes."""
    return needs.approximation_bytes(scene.data.n, method, m, dict(options))


def approximation_seconds(scene: Scene, method: str, m: int, options: Options = ()) -> float:
    """Estimate of an approximation's time, from its operations and the speed of this machine."""
    return cost_seconds(method, scene.data.n, scene.data.d, m, dict(options))


@shared(holds=approximation_bytes, seconds=approximation_seconds)
def approximation(scene: Scene, method: str, m: int, options: Options = ()) -> LowRank:
    """Return the approximation of the scene's kernel matrix."""
    matrix = matrix_of(scene)
    entry = METHODS[method]
    limit = memory.held_bytes()
    if entry.holds == "matrix":
        limit = min(8 * MATRIX_ROWS**2, memory.most_bytes())
    checked_room(entry, method, scene.data.n, m, matrix, dict(options), limit)
    if method == "svd":
        matrix.eigen = eigenpairs(scene.unseeded)
    return approximate(scene.data.X, scene.kernel, method, m, scene.seed, matrix=matrix, **dict(options))


def _outcome_bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    # K less K̃ stands beside K, and where it is too large, rows of both do.
    own = square_bytes(scene.data.n) if is_exact(scene) else 16.0 * SAMPLED_ROWS * scene.data.n
    made = store().has(key_of(approximation, scene, method, m, options))
    return own if made else max(own, approximation_bytes(scene, method, m, options))


@shared(holds=_outcome_bytes)
def outcome(scene: Scene, method: str, m: int, options: Options) -> Outcome:
    """Measure the approximation: exact errors where K is held, else estimates from sampled rows."""
    a = approximation(scene, method, m, options)
    X, kernel = scene.data.X, scene.kernel
    e = None if a.landmarks is None else quantization_error(X, a.landmarks)
    if not is_exact(scene):
        return Outcome(a, sampled_errors(X, kernel, a), e)
    K = kernel_matrix(scene)
    return Outcome(a, errors(X, kernel, a, K=K, of=norms_of(scene), tolerance=SHOWN_TOLERANCE), e)


def point_errors(scene: Scene, a: LowRank, rows: IntArray) -> FloatArray:
    """How badly each of these rows is reproduced, (len(rows),): |K_ii − K̃_ii|, which sum to the trace error.

    For random features, whose diagonal is exact whatever the rest is, the relative error of the whole row.
    """
    if METHODS[a.method].data_dependent:
        if a.is_held:
            return residual_diagonal(scene.data.X, scene.kernel, a)[rows]
        G = a.take(rows)
        return np.abs(scene.kernel.diag(scene.data.X[rows]) - np.einsum("ij,ij->i", G, G))
    return row_errors(scene.data.X, scene.kernel, a, rows)


def spectrum_bytes(scene: Scene) -> float:
    """What all eigenvalues take while they are computed, in bytes: K, and a copy that LAPACK changes."""
    return square_bytes(scene.data.n if is_exact(scene) else min(scene.data.n, SPECTRUM_ROWS), 2.0)


@shared(holds=spectrum_bytes)
def eigenvalues(scene: Scene) -> FloatArray:
    """Eigenvalues of K; of K on sampled rows, times n/s, where K is too large."""
    if is_exact(scene):
        return spectrum(scene.data.X, scene.kernel, K=kernel_matrix(scene))
    return sampled_spectrum(scene) * scene.data.n


@shared(holds=spectrum_bytes)
def sampled_spectrum(scene: Scene) -> FloatArray:
    """Eigenvalues of K on sampled rows, over their number."""
    rows = drawn_rows(scene.data.n, SPECTRUM_ROWS)
    return spectrum(scene.data.X[rows], scene.kernel) / len(rows)


def eigenpairs_bytes(scene: Scene) -> float:
    """What all eigenpairs take while they are computed, in bytes, K among it."""
    return square_bytes(scene.data.n, 1.0 + EIGEN_COPIES)


@shared(holds=eigenpairs_bytes)
def eigenpairs(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """All eigenpairs of K, descending (for the best rank-m approximation)."""
    return matrix_of(scene).eigenpairs(scene.data.n)


@dataclass(frozen=True)
class Picture:
    """Where the points of a scene are drawn."""

    rows: IntArray
    centre: FloatArray
    directions: FloatArray
    positions: FloatArray
    names: tuple[str, str]
    ranges: tuple[tuple[float, float], tuple[float, float]]


def picture(scene: Scene, axes: tuple[int, int] | None) -> Picture:
    """Positions of the drawn points: two features, or the two leading principal components."""

    def compute() -> Picture:
        data = scene.data
        n, d = data.n, data.d
        if axes is None:
            centre, directions, shares = principal_directions(data.X)
            names = tuple(
                f"principal component {k + 1} ({100 * shares[k]:.0f} % of the variance)" for k in range(2)
            )
        else:
            centre, directions = np.zeros(d), np.zeros((d, 2))
            directions[axes[0], 0] = directions[axes[1], 1] = 1.0
            names = tuple(f"feature {k}" for k in axes)
        rows = np.arange(n)
        if n > MAP_POINTS:
            rows = drawn_rows(n, MAP_POINTS)
        positions = (data.X[rows] - centre) @ directions
        ranges = tuple(_padded(positions[:, k]) for k in range(2))
        return Picture(rows, centre, directions, positions, (names[0], names[1]), (ranges[0], ranges[1]))

    shown = store().get(("picture", scene.data.digest, axes), compute)
    feature_names = scene.data.feature_names
    if axes is None or not feature_names:
        return shown
    # Equal numbers may come from two visitors' files: what is kept has the column names of neither.
    return replace(shown, names=(feature_names[axes[0]], feature_names[axes[1]]))


def _padded(values: FloatArray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def order(scene: Scene, by: str) -> IntArray:
    """Order of the rows for the matrix pictures, or of the sampled ones among many."""
    rows, part = sampled(scene)
    data, kernel = part.data, scene.kernel
    key = ("order", data.digest, by, kernel if by == "eigenvector" else None)
    found = store().get(key, lambda: row_order(data.X, data.y, kernel, by))
    return found if rows is None else rows[found]
