"""The strip's steps: one method at growing numbers of landmarks, computed in the background."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.curves import errors_of
from nysviz.landmarks import METHODS
from nysviz.measures import frobenius, residual, sampled_errors
from nysviz.nested import nested
from nysviz.ui.asking import shared
from nysviz.ui.computing import (
    Options,
    Picture,
    approximation,
    eigenpairs,
    eigenpairs_bytes,
    is_exact,
    kernel_matrix,
    matrix_of,
    norms_of,
    picture,
    point_errors,
    sampled,
)
from nysviz.ui.sidebar.scene import Scene

# Steps of the strip, and its largest number of landmarks.
STRIP_STEPS = 24
STRIP_LANDMARKS = 400


@dataclass(frozen=True)
class Strip:
    """An approximation at growing numbers of landmarks.

    ``errors`` are relative Frobenius errors, estimated from sampled rows where K is too large; ``residuals``
    (steps, points) belong to the drawn rows, as ``point_errors`` has them; ``landmarks`` holds positions in
    the plane. ``sampled`` is the number of random rows that all this was computed from, 0 for all rows.
    """

    ms: tuple[int, ...]
    errors: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    sampled: int = 0


def strip_counts(n: int) -> tuple[int, ...]:
    """Numbers of landmarks of the strip's steps, from 1, evenly spaced in log."""
    most = min(n, STRIP_LANDMARKS)
    return tuple(sorted({round(m) for m in np.geomspace(1, most, STRIP_STEPS)}))


def _strip_bytes(scene: Scene, method: str, options: Options, axes: tuple[int, int] | None) -> float:
    # The floor is offered where K is held, and then all rows are taken.
    return eigenpairs_bytes(scene) if method == "svd" else 0.0


@shared(holds=_strip_bytes)
def strip(scene: Scene, method: str, options: Options, axes: tuple[int, int] | None) -> Strip:
    """Compute the steps; at large n from random rows among which are the drawn ones."""
    shown = picture(scene, axes)
    rows, part = sampled(scene)
    if rows is None:
        return _strip(scene, method, options, shown)
    among = replace(shown, rows=np.searchsorted(rows, shown.rows))
    return replace(_strip(part, method, options, among), sampled=len(rows))


def _strip(scene: Scene, method: str, options: Options, shown: Picture) -> Strip:
    ms = strip_counts(scene.data.n)
    if METHODS[method].nested and is_exact(scene):
        return _nested_strip(scene, method, options, shown, ms)
    X, kernel = scene.data.X, scene.kernel
    K = kernel_matrix(scene)
    total = norms_of(scene).frobenius if K is not None else 0.0
    relative, residuals, landmarks = [], [], []
    for m in ms:
        a = approximation(scene, method, m, options)
        if K is None:
            relative.append(sampled_errors(X, kernel, a).relative_frobenius)
        else:
            relative.append(frobenius(residual(K, a.factor)) / total if total > 0 else 0.0)
        residuals.append(point_errors(scene, a, shown.rows))
        points = np.empty((0, X.shape[1])) if a.landmarks is None else a.landmarks
        landmarks.append((points - shown.centre) @ shown.directions)
    return Strip(ms, np.array(relative), np.array(residuals), tuple(landmarks))


def _nested_strip(scene: Scene, method: str, options: Options, shown: Picture, ms: tuple[int, ...]) -> Strip:
    """All steps from one factorisation: residuals and errors fall column by column."""
    matrix = matrix_of(scene)
    if method == "svd":
        matrix.eigen = eigenpairs(scene.unseeded)
    rng = np.random.default_rng(scene.seed)
    selection = METHODS[method].select(matrix, ms[-1], rng, **dict(options))
    found = nested(matrix, selection)
    total = norms_of(scene).frobenius or 1.0
    diagonal = scene.kernel.diag(scene.data.X)[shown.rows]
    ms = tuple(m for m in ms if m <= max(1, len(found.columns)))
    curve = np.array(list(errors_of(matrix.full(), found, ms))) / total
    residuals = np.array([np.abs(diagonal - (found.at(m)[shown.rows] ** 2).sum(axis=1)) for m in ms])
    points = np.empty((0, 2))
    if selection.pivots is not None:
        points = (scene.data.X[selection.pivots] - shown.centre) @ shown.directions
    return Strip(ms, curve, residuals, tuple(points[:m] for m in ms))
