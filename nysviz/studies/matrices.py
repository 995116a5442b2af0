"""Cached computations of the studies; every key names the content that a result depends on."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from nysviz.analysis.projection import principal_directions, row_order
from nysviz.analysis.spectrum import spectrum
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine, key_of, once, shared
from nysviz.figures.data_map import RESIDUAL, ROW_ERROR, Picture, PointErrors
from nysviz.kernels import Gaussian
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import quoted
from nysviz.numerics.lapack.symmetric import EIGEN_COPIES
from nysviz.numerics.memory import square_bytes
from nysviz.nystroem import measures
from nysviz.nystroem.approximation import approximate, check_memory
from nysviz.nystroem.lowrank import LowRank
from nysviz.refusal import Refusal
from nysviz.studies.scene import Scene
from nysviz.sweep import Job, Problem

MOST_LANDMARKS = 2_000
# Most rows for which anything holds an n × n matrix.
MATRIX_ROWS = 8_000
# Most rows for which a method may ask for all n² entries, which takes about a minute.
READ_ROWS = 60_000
# Above this number of rows, pictures of some rows and the steps of the strip are made from a sample, which is
# small enough for K and its eigenvectors.
SAMPLED_FROM = 20_000
SAMPLE_ROWS = 4_000
# Most landmarks that pages compare there.
LARGE_LANDMARKS = 500
# Rows of the matrix pictures, and points of the map. A browser draws 600 markers in about 0.1 s and 1 800 in
# 0.35 s: a moved control has to be seen at once. Numbers are always those of all rows.
PICTURE_ROWS = 120
MAP_POINTS = 600
# Rows behind the spectrum of a matrix that is not held.
SPECTRUM_ROWS = 2_000
# Three digits are shown, so the Lanczos iteration gives four.
SHOWN_TOLERANCE = 1e-4
# Methods that take all eigenpairs of K for any m; they are computed once.
ALL_PAIRS = ("svd", "leverage", "dpp_exact")
Options = tuple[tuple[str, object], ...]
# Orders of the rows of the matrix pictures.
ORDERS = {"label": "label", "cluster": "cluster", "eigenvector": "leading eigenvector", "file": "file"}
NORMS = {"frobenius": "Frobenius", "spectral": "spectral", "trace": "trace"}


def is_exact(scene: Scene) -> bool:
    """Whether the kernel matrix is small enough to be held, which depends on the machine."""
    return scene.data.n <= memory.held_rows()


def kernel_matrix(scene: Scene) -> FloatArray | None:
    """Return K, or None where it would be too large."""
    if not is_exact(scene):
        return None
    return once(("K", *scene.key), lambda: scene.kernel(scene.data.X), holds=square_bytes(scene.data.n))


def matrix_of(scene: Scene) -> KernelMatrix:
    """Return K as the methods see it, with its entries where they are held."""
    return KernelMatrix(scene.data.X, scene.kernel, dense=kernel_matrix(scene))


def matrix_for(scene: Scene, method: str) -> KernelMatrix:
    """Return K as this method sees it, with its eigenpairs where the method takes them all."""
    matrix = matrix_of(scene)
    if method in ALL_PAIRS and is_exact(scene):
        matrix.eigen = eigenpairs(scene.unseeded)
    return matrix


def run_on(
    scene: Scene,
    name: str,
    jobs: Callable[[Problem], Sequence[Job]],
    *key_parts: Hashable,
    methods: Iterable[str] = (),
    m: int = 0,
    alone: bool = False,
) -> Run:
    """Return the run of these jobs on the scene, which also depend on ``key_parts`` and the seed.

    ``methods`` with up to ``m`` landmarks say how much memory a job holds. A run that measures seconds,
    ``alone``, does one job at a time; so does one on many rows, to limit the memory.
    """
    data, n = scene.data, scene.data.n

    def make() -> Sequence[Job]:
        # Without a name: sessions share the runs, and the name of a visitor's file is private.
        return jobs(Problem("", data.X, scene.kernel, data.digest, data.y, kernel_matrix(scene)))

    holds = run_bytes(n, methods, m, matrix=is_exact(scene))
    key = (name, *scene.key, *key_parts, scene.seed)
    return engine().run(key, make, holds, alone=alone or n > SAMPLED_FROM)


def run_bytes(n: int, methods: Iterable[str], m: int, *, matrix: bool = False) -> float:
    """Return the bytes of a run that makes and measures approximations by any of these methods."""
    peak_bytes = max((METHODS[method].cost(n, 0, m, {}).bytes for method in methods), default=0.0)
    # Where K is held, K − K̃ is held beside it.
    return max(memory.matrix_bytes(n), peak_bytes + (square_bytes(n) if matrix else 0.0))


def norms_of(scene: Scene) -> measures.Norms:
    """Return the norms of K, for scenes where it is held."""
    X, kernel, K = scene.data.X, scene.kernel, kernel_matrix(scene)
    return once(("norms", *scene.key), lambda: measures.norms(X, kernel, K=K), holds=square_bytes(len(X)))


def sampled(scene: Scene) -> tuple[IntArray, Scene]:
    """Return row numbers and scene of a random sample; all rows and the scene itself if small enough."""
    part = scene if scene.data.n <= SAMPLED_FROM else part_of(scene, SAMPLE_ROWS)
    return drawn_rows(scene.data.n, part.data.n), part


def exact_part(scene: Scene) -> Scene:
    """Return the scene itself where K is held, else random rows whose K is, for what needs all of K."""
    return scene if is_exact(scene) else part_of(scene, min(SAMPLE_ROWS, memory.held_rows()))


def part_of(scene: Scene, rows: int) -> Scene:
    """Return the scene with ``rows`` random rows of its data."""
    return replace(scene, data=scene.data.sampled(rows), whole=scene.data)


@lru_cache(maxsize=16)
def drawn_rows(n: int, count: int) -> IntArray:
    """Return random row numbers in ascending order, read-only; a smaller draw is part of a larger one."""
    rows = np.sort(measures.sampled_rows(n, count))
    # The same array for all sessions.
    rows.setflags(write=False)
    return rows


def offered(scene: Scene) -> tuple[list[str], list[str]]:
    """Return the methods that suit the kernel: those offered for its rows, and those left out."""
    n = scene.data.n
    fitting: list[str] = []
    left_out: list[str] = []
    for name, entry in METHODS.items():
        if entry.suits(scene.kernel):
            too_large = (name == "svd" and not is_exact(scene)) or (entry.reads and n > READ_ROWS)
            too_large |= entry.holds == "matrix" and n > MATRIX_ROWS
            (left_out if too_large else fitting).append(name)
    return fitting, left_out


@dataclass(frozen=True)
class Outcome:
    """An approximation and its errors; ``left_out`` guesses an error that is not known from the m columns."""

    approximation: LowRank
    errors: measures.Errors | measures.SampledErrors
    quantization: float | None
    left_out: float | None


def approximation_bytes(scene: Scene, method: str, m: int, options: Options = ()) -> float:
    """Return an estimate of the bytes that an approximation holds while it is made."""
    return METHODS[method].cost(scene.data.n, 0, m, dict(options)).bytes


@shared(holds=approximation_bytes)
def approximation(scene: Scene, method: str, m: int, options: Options = ()) -> LowRank:
    """Return the approximation of the scene's kernel matrix."""
    entry = METHODS[method]
    limit = memory.held_bytes()
    if entry.holding(dict(options)) == "matrix":
        limit = min(8 * MATRIX_ROWS**2, memory.most_bytes())
    check_memory(entry, method, scene.data.n, m, matrix_of(scene), dict(options), limit)
    return approximate_again(scene, method, m, options)


@cache
def load_loops(method: str) -> None:
    """Run a method once on little data, so that measured times do not include loading its loops."""
    approximate(np.random.default_rng(0).random((200, 2)), Gaussian(0.1), method, 5)


def approximate_again(scene: Scene, method: str, m: int, options: Options) -> LowRank:
    """Return the approximation computed anew, for its time."""
    load_loops(method)
    matrix = matrix_for(scene, method)
    return approximate(scene.data.X, scene.kernel, method, m, scene.seed, matrix=matrix, **dict(options))


def _outcome_bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    # K − K̃ is held beside K; where K is too large, sampled rows of both are.
    n = scene.data.n
    error_bytes = square_bytes(n) if is_exact(scene) else 16.0 * measures.SAMPLED_ROWS * n
    is_cached = engine().has(key_of(approximation, scene, method, m, options))
    return error_bytes if is_cached else max(error_bytes, approximation_bytes(scene, method, m, options))


@shared(holds=_outcome_bytes)
def outcome(scene: Scene, method: str, m: int, options: Options) -> Outcome:
    """Measure the approximation: exact errors where K is held, else estimates from sampled rows."""
    a = approximation(scene, method, m, options)
    X, kernel = scene.data.X, scene.kernel
    e = None if a.landmarks is None else measures.quantization_error(X, a.landmarks)
    if is_exact(scene):
        K = kernel_matrix(scene)
        errors = measures.errors(X, kernel, a, K=K, of=norms_of(scene), tolerance=SHOWN_TOLERANCE)
        return Outcome(a, errors, e, None)
    try:
        left_out = measures.leave_one_out(a).relative_frobenius
    except Refusal:  # its landmarks are not drawn independently
        left_out = None
    return Outcome(a, measures.sampled_errors(X, kernel, a), e, left_out)


@shared(holds=lambda scene: 8.0 * scene.data.n)
def largest_entry(scene: Scene) -> float:
    """Return the largest k(x, x), or 1 where it is 0."""
    return float(scene.kernel.diag(scene.data.X).max()) or 1.0


def scale_of(scene: Scene, method: str) -> tuple[float, str]:
    """Return the end of the map's colour scale, and the name of the coloured quantity."""
    if METHODS[method].data_dependent:
        return largest_entry(scene.unseeded), RESIDUAL
    # The diagonal of random features is exact however wrong the other entries are.
    return 1.0, ROW_ERROR


def point_errors(scene: Scene, a: LowRank, rows: IntArray) -> PointErrors:
    """Return the error of each of these rows: |K_ii − K̃_ii|, which sum to the trace error.

    For random features it is the relative error of the whole row.
    """
    X, kernel = scene.data.X, scene.kernel
    if not METHODS[a.method].data_dependent:
        values = measures.row_errors(X, kernel, a, rows)
    elif a.is_held:
        values = measures.residual_diagonal(X, kernel, a)[rows]
    else:
        G = a.take(rows)
        values = np.abs(kernel.diag(X[rows]) - np.einsum("ij,ij->i", G, G))
    return PointErrors(values, *scale_of(scene, a.method))


def _map_bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    question = scene, method, m, options
    is_there = engine().has(key_of(approximation, *question))
    return 0.0 if is_there else approximation_bytes(*question)


@shared(holds=_map_bytes)
def map_errors(scene: Scene, method: str, m: int, options: Options) -> PointErrors:
    """Return the errors of the rows that the map shows."""
    a = approximation(scene, method, m, options)
    return point_errors(scene, a, drawn_rows(scene.data.n, MAP_POINTS))


# K, and a copy that LAPACK changes.
@shared(holds=lambda s: square_bytes(s.data.n if is_exact(s) else min(s.data.n, SPECTRUM_ROWS), 2.0))
def eigenvalues(scene: Scene) -> FloatArray:
    """Return the eigenvalues of K; where K is too large, those of K on s sampled rows, times n/s."""
    if is_exact(scene):
        return spectrum(scene.data.X, scene.kernel, K=kernel_matrix(scene))
    rows = drawn_rows(scene.data.n, SPECTRUM_ROWS)
    return spectrum(scene.data.X[rows], scene.kernel) / len(rows) * scene.data.n


def eigenpairs_bytes(scene: Scene) -> float:
    """Return the bytes that all eigenpairs take while they are computed, including K."""
    return square_bytes(scene.data.n, 1.0 + EIGEN_COPIES)


@shared(holds=eigenpairs_bytes)
def eigenpairs(scene: Scene) -> tuple[FloatArray, FloatArray]:
    """Return all eigenpairs of K, descending (for the best rank-m approximation)."""
    return matrix_of(scene).eigenpairs(scene.data.n)


def plane_of(X: FloatArray, axes: tuple[int, int] | None) -> tuple[FloatArray, FloatArray, tuple[str, str]]:
    """Return centre, directions and names of two features, or of the two leading principal components."""
    if axes is not None:
        directions = np.zeros((X.shape[1], 2))
        directions[axes, (0, 1)] = 1.0
        return np.zeros(X.shape[1]), directions, (f"feature {axes[0]}", f"feature {axes[1]}")
    centre, directions, shares = principal_directions(X)
    first, second = (f"component {k} ({100 * shares[k - 1]:.0f} %)" for k in (1, 2))
    return centre, directions, (first, second)


def checked_axes(data: Dataset, axes: object) -> tuple[int, int] | None:
    """Return the numbers of two features, or None; raise Refusal for anything else."""
    match axes:
        case None:
            return None
        case [int(first), int(second)] if {first, second} <= set(range(data.d)):
            return first, second
    raise Refusal(f"axes = {quoted(axes)}; two features' numbers, from 0 to {data.d - 1}, are needed.")


def picture(scene: Scene, axes: tuple[int, int] | None) -> Picture:
    """Return the positions of the map's points: two features, or the two leading principal components."""

    def compute() -> Picture:
        X = scene.data.X
        centre, directions, names = plane_of(X, axes)
        rows = drawn_rows(len(X), MAP_POINTS)
        positions = (X[rows] - centre) @ directions
        return Picture(rows, centre, directions, positions, names, ranges_of(positions))

    map_picture = once(("picture", scene.data.digest, axes), compute)
    if axes is None:
        return map_picture
    # Equal numbers may come from two visitors' files: the cached picture has the column names of neither.
    first, second = (scene.data.feature_names[axis] for axis in axes)
    return replace(map_picture, names=(first, second))


def ranges_of(positions: FloatArray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes of a map, a little apart from the points."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    margin = np.where(high > low, 0.06 * (high - low), 1.0)
    (left, bottom), (right, top) = (low - margin).tolist(), (high + margin).tolist()
    return (left, right), (bottom, top)


def pictured_rows(scene: Scene, by: str, map_rows: IntArray | None = None) -> IntArray:
    """Return rows for the pictures of K in an order, evenly spaced among those that the map shows."""
    rows = _ordered_rows(scene, by, drawn_rows(scene.data.n, MAP_POINTS) if map_rows is None else map_rows)
    count = min(len(rows), PICTURE_ROWS)
    return rows[np.linspace(0, len(rows) - 1, count).astype(np.intp)]


def places_in_pictures(scene: Scene, by: str) -> FloatArray:
    """Return the places of the map's rows in the pictures of K, from 0 at the first row to 1 at the end."""
    map_rows = drawn_rows(scene.data.n, MAP_POINTS)
    ranks = np.empty(scene.data.n, dtype=np.intp)
    ranks[_ordered_rows(scene, by, map_rows)] = np.arange(len(map_rows))
    count = min(len(map_rows), PICTURE_ROWS)
    return (ranks[map_rows] * ((count - 1) / max(1, len(map_rows) - 1)) + 0.5) / count


def _ordered_rows(scene: Scene, by: str, map_rows: IntArray) -> IntArray:
    """Return the map's rows in the order of the matrix pictures."""
    is_shown = np.zeros(scene.data.n, dtype=bool)
    is_shown[map_rows] = True
    ordered = order(scene, by)
    return ordered[is_shown[ordered]]


def order(scene: Scene, by: str) -> IntArray:
    """Return the order of the rows for the matrix pictures; for many rows, that of a sample."""
    rows, part = sampled(scene)
    data, kernel = part.data, scene.kernel
    key = ("order", data.digest, by, kernel if by == "eigenvector" else None)
    positions = once(key, lambda: row_order(data.X, data.y, kernel, by))
    return rows[positions]
