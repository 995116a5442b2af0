"""What Approximate shows at other m and other bandwidths, in frames that the browser plays."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nysviz.analysis.spectrum import best_errors, factor_spectrum
from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.engine.task import keeping_apart
from nysviz.figures.data_map import landmark_size
from nysviz.figures.spectra import ranks_drawn
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.curves import errors_of, residual_frobenius
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.nested import nested
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.matrices import Options
from nysviz.studies.scene import Scene, width_of
from nysviz.sweep import Job
from nysviz.text import three_digits

# What can be dragged.
M, SIGMA = "m", "σ"
# Values of m, evenly spaced in log as far as whole numbers can be, and the largest of them.
COUNTS, MOST_LANDMARKS = 24, 400
# Where n² m stays below this, more landmarks are taken, up to all rows.
CHEAP = 2e9
# Multiples of the default width, each one of those at which the sidebar's slider stops.
MULTIPLES = tuple(float(f"{2.0**k:.3g}") for k in range(-7, 9))
# Up to this many rows jobs hold the interpreter more than they compute: two at a time are slower than one.
FEW_ROWS = 500
# Ranks of the drawn eigenvalues.
RANKS = 100
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Drag:
    """The setting that the slider moves, ``along`` m or σ, and the others; ``m`` is None where m is moved."""

    scene: Scene
    method: str
    options: Options
    along: str
    m: int | None
    axes: tuple[int, int] | None
    order: str

    @property
    def content(self) -> tuple[Hashable, ...]:
        """All that a frame can depend on."""
        scene = self.scene
        return (*scene.key, scene.seed, self.method, self.options, self.along, self.m, self.axes, self.order)

    @property
    def token(self) -> str:
        """A short name of the content, by which the browser knows frames and charts that belong together."""
        return hashlib.sha256(repr(self.content).encode()).hexdigest()[:16]

    @property
    def is_sampled(self) -> bool:
        """Whether K is too large to be held, so that frames are made from random rows."""
        return not matrices.is_exact(self.scene)


@dataclass(frozen=True, eq=False)
class Frame:
    """An approximation as the page shows it, at one m and, where σ is dragged, one bandwidth.

    Errors of the map's points, (points,), and landmarks where the map has them, (m, 2). Pictures of K̃,
    |K − K̃| and, where σ is dragged, K: the upper half of each, row by row, from 0 to 255 between their
    ``limits``. Eigenvalues over n: those of K̃, (r,), and where σ is dragged those of K. ``best`` is the
    smallest possible Frobenius error at this rank, where that is known.
    """

    m: int
    multiple: float | None
    sigma: float | None
    rank: int
    frobenius: float
    relative: float
    residuals: FloatArray
    landmarks: FloatArray
    approximation: Bytes
    residual: Bytes
    K: Bytes | None
    limits: tuple[float, float]
    largest_residual: float
    eigenvalues: FloatArray
    spectrum: FloatArray | None = None
    best: float | None = None

    @property
    def stop(self) -> str:
        """The name of the slider's stop that shows it."""
        return stop_name(self.m, None if self.K is None else self.multiple)


def stop_name(m: int, multiple: float | None) -> str:
    """Name a stop of the slider: that of an m, or of a multiple of the default width."""
    return f"m{m}" if multiple is None else f"s{multiple:.12g}"


@lru_cache(maxsize=256)
def counts_of(n: int) -> tuple[int, ...]:
    """Return the values of m at which the slider stops for n rows."""
    largest = min(n, matrices.MOST_LANDMARKS, max(MOST_LANDMARKS, int(CHEAP / n**2)))
    ms: set[int] = set()
    for places in range(COUNTS, 4 * COUNTS):
        ms = {round(m) for m in np.geomspace(1, largest, places)}
        if len(ms) >= min(COUNTS, largest):
            break
    return tuple(sorted(ms))


def scene_at(scene: Scene, multiple: float) -> Scene:
    """Return the scene at another multiple of the default width; Refusal where the kernel cannot have it."""
    width = width_of(scene.data) or 1.0
    # As the sidebar makes it, so that both name the same results.
    kernel = replace(scene.kernel, sigma=math.sqrt(multiple * width / 2.0))  # type: ignore[call-arg]
    return replace(scene, kernel=kernel, multiple=multiple)


def multiples_of(scene: Scene) -> tuple[float, ...]:
    """Return the multiples of the default width at which the slider stops; none without a bandwidth."""
    if scene.multiple is None:
        return ()
    usable = []
    for multiple in MULTIPLES:
        try:
            scene_at(scene, multiple)
        except (ValueError, OverflowError):
            continue
        usable.append(multiple)
    return tuple(usable)


def bandwidth_label(scene: Scene, multiple: float) -> str:
    """Return the bandwidth at a multiple of the default width in words."""
    times = "default" if multiple == 1 else f"{three_digits(math.sqrt(multiple))} times default"
    sigma = scene_at(scene, multiple).kernel.sigma  # type: ignore[attr-defined]
    return f"σ = {three_digits(sigma)} ({times})"


def drag_of(
    scene: Scene,
    method: str,
    m: int,
    options: Options,
    along: str,
    axes: tuple[int, int] | None,
    order: str,
) -> Drag:
    """Return what is dragged; at any bandwidth the same where that is what is dragged."""
    if along == M or not multiples_of(scene):
        return Drag(scene, method, options, M, None, axes, order)
    return Drag(scene_at(scene, multiples_of(scene)[0]), method, options, SIGMA, m, axes, order)


def frames_run(drag: Drag, m: int, multiple: float | None) -> Run:
    """Return the run whose records are the frames, those nearest to this m or multiple first."""
    part = matrices.exact_part(drag.scene)

    def make() -> list[Job]:
        name = ("frames", *drag.content)
        if drag.along == SIGMA:
            assert multiple is not None
            near = sorted(multiples_of(drag.scene), key=lambda each: abs(math.log(each / multiple)))
            return [
                Job((*name, each), "bandwidth", 1.0, partial(_bandwidth_frame, drag, each)) for each in near
            ]
        ms, view = counts_of(part.data.n), _View(drag, drag.scene)
        if METHODS[drag.method].nested:
            return [Job((*name, ms), "m", 1.0, partial(_nested_frames, view, ms))]
        nearest = sorted(ms, key=lambda each: abs(math.log(each / m)))
        return [Job((*name, each), "m", each, partial(_single_frame, view, each)) for each in nearest]

    holds = matrices.run_bytes(part.data.n, [drag.method], counts_of(part.data.n)[-1], matrix=True)
    return engine().run(("frames", *drag.content), make, holds, alone=part.data.n <= FEW_ROWS)


def _single_frame(view: "_View", m: int) -> tuple[Frame, ...]:
    """Return the frame of an m from its own approximation; empty if the approximation is refused."""
    drag = view.drag
    with keeping_apart():
        try:
            a = matrices.approximation(view.part, drag.method, m, drag.options)
        except Refusal:
            return ()
    return (view.frame(a),)


def _nested_frames(view: "_View", ms: Sequence[int]) -> tuple[Frame, ...]:
    """Return the frames of all m from one choice of landmarks."""
    drag = view.drag
    matrix = matrices.matrix_for(view.part, drag.method)
    rng = np.random.default_rng(drag.scene.seed)
    selection = METHODS[drag.method].select(matrix, ms[-1], rng, **dict(drag.options))
    factors = nested(matrix, selection)
    # A method that stops early has the same approximation at every larger m.
    errors = errors_of(view.K, factors, ms)
    pivots = np.empty(0, dtype=np.intp) if selection.pivots is None else selection.pivots
    places = view.place(view.part.data.X[pivots])
    diagonal = view.part.kernel.diag(view.part.data.X)[view.map_rows]
    frames = []
    for m, error in zip(ms, errors, strict=True):
        factor = factors.at(m)
        residuals = np.abs(diagonal - (factor[view.map_rows] ** 2).sum(axis=1))
        frames.append(view.frame_of(m, factors.rank(m), error, factor, residuals, places[:m]))
    return tuple(frames)


def _bandwidth_frame(drag: Drag, multiple: float) -> tuple[Frame, ...]:
    """Return the frame of a bandwidth; its K is given back, since one for each bandwidth would be many."""
    assert drag.m is not None
    scene = scene_at(drag.scene, multiple)
    with keeping_apart():
        view = _View(drag, scene)
        try:
            a = matrices.approximation(view.part, drag.method, drag.m, drag.options)
        except Refusal:
            return ()
        values = matrices.eigenvalues(scene.unseeded)
    best = None if drag.is_sampled else best_errors(values, a.rank)[0]
    return (view.frame(a, spectrum=values / scene.data.n, best=best),)


class _View:
    """What all frames of one scene share: K, its picture, and where the map's points are."""

    def __init__(self, drag: Drag, scene: Scene) -> None:
        self.drag, self.scene = drag, scene
        self.part = part = matrices.exact_part(scene)
        map_rows = matrices.drawn_rows(scene.data.n, matrices.MAP_POINTS)
        if part is not scene:
            map_rows = np.searchsorted(matrices.drawn_rows(scene.data.n, part.data.n), map_rows)
        self.map_rows: IntArray = map_rows
        K = matrices.kernel_matrix(part)
        assert K is not None
        self.K: FloatArray = K
        self.total = frobenius(K) or 1.0
        self.rows = matrices.pictured_rows(part, drag.order, map_rows)
        self.picture = self.K[np.ix_(self.rows, self.rows)]
        self.limits = (min(0.0, float(self.picture.min())), float(self.picture.max()) or 1.0)
        self.place = matrices.picture(scene, drag.axes).place

    def __reduce__(self) -> tuple[Any, ...]:
        """Send no K to a worker of a cluster, which makes its own."""
        return _View, (self.drag, self.scene)

    def frame(self, a: LowRank, **more: Any) -> Frame:
        """Return the frame of an approximation."""
        residuals = matrices.point_errors(self.part, a, self.map_rows).values
        places = np.empty((0, 2)) if a.landmarks is None else self.place(a.landmarks)
        error = residual_frobenius(self.K, a.factor, size=self.total)
        return self.frame_of(a.requested, a.rank, error, a.factor, residuals, places, **more)

    def frame_of(
        self,
        m: int,
        rank: int,
        error: float,
        factor: FloatArray,
        residuals: FloatArray,
        landmarks: FloatArray,
        **more: Any,
    ) -> Frame:
        """Return a frame of what was measured and of this factor."""
        G = factor[self.rows]
        product = G @ G.T
        gap = np.abs(self.picture - product)
        largest_residual = float(gap.max())
        is_dragged = self.drag.along == SIGMA
        return Frame(
            m,
            self.scene.multiple,
            getattr(self.scene.kernel, "sigma", None),
            rank,
            error,
            error / self.total,
            residuals,
            landmarks,
            upper_half(product, self.limits),
            upper_half(gap, (0.0, largest_residual)),
            upper_half(self.picture, self.limits) if is_dragged else None,
            self.limits,
            largest_residual,
            factor_spectrum(factor) / len(factor),
            **more,
        )


def upper_half(entries: FloatArray, limits: tuple[float, float]) -> Bytes:
    """Return the upper half of a symmetric picture, row by row, from 0 to 255 between these limits."""
    return in_bytes(entries.take(_upper(len(entries))), *limits)


@cache
def _upper(rows: int) -> IntArray:
    """Return the places of the upper half in the flat picture: there are few sizes of pictures."""
    places: IntArray = np.ravel_multi_index(np.triu_indices(rows), (rows, rows))
    return places


def in_bytes(values: FloatArray, low: float, high: float) -> Bytes:
    """Return numbers as bytes: 0 at the low end, below it and for NaN, 255 at the high end and above it."""
    scaled = (values - low) * (255.0 / ((high - low) or 1.0))
    return np.rint(np.fmin(np.fmax(scaled, 0.0), 255.0)).astype(np.uint8)


@lru_cache(maxsize=256)
def message_of(frame: Frame, top: float) -> Mapping[str, object]:
    """Return a frame as it is sent to the browser, the errors of points from 0 to 255 up to ``top``."""
    lines = {name: _line(getattr(frame, name)) for name in ("eigenvalues", "spectrum")}
    return {
        "stop": frame.stop,
        "m": frame.m,
        "value": frame.m if frame.K is None else frame.sigma,
        "residuals": _text(in_bytes(frame.residuals, 0.0, top)),
        "landmarks": _text(frame.landmarks),
        "size": landmark_size(len(frame.landmarks)),
        "rows": math.isqrt(2 * len(frame.approximation)),
        "approximation": _text(frame.approximation),
        "residual": _text(frame.residual),
        "K": None if frame.K is None else _text(frame.K),
        "limits": frame.limits,
        "most": frame.largest_residual,
        "error": frame.relative,
        **lines,
    }


def _line(values: FloatArray | None) -> dict[str, str] | None:
    """Return eigenvalues with the ranks that a line is drawn through."""
    if values is None:
        return None
    ranks = ranks_drawn(int((values > 0).sum()), RANKS)
    return {"x": _text(ranks.astype(np.float64)), "y": _text(values[ranks - 1])}


def _text(values: NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
