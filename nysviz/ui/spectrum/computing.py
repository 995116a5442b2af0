"""What the page "Spectrum" computes in the background, and the numbers read from it."""

from __future__ import annotations

import math
import threading
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nysviz.blocks import FloatArray, IntArray, watched
from nysviz.kernels import Gaussian, InverseDistance, Laplacian
from nysviz.landmarks import METHODS
from nysviz.matrix import KernelMatrix
from nysviz.spectrum import factor_spectrum, gram_spectrum, spectrum
from nysviz.spectrum.gaps import Gap, Law, decay, effective_dimension, largest_gaps, rounding
from nysviz.spectrum.operators import MARGIN, distance_bound, operator_distances, smallest_sample
from nysviz.ui import computing, estimates
from nysviz.ui.bandwidth import MULTIPLES
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import checkpoint
from nysviz.ui.work.store import store

# Every other stop of the sidebar's slider, on so many sampled rows.
FRAME_MULTIPLES = MULTIPLES[::2]
FRAME_ROWS = 1_000
DRAWS = 100
SAMPLES = 500
# Steps for each entry of a sample's matrix: it is picked out, squared and added up.
TOUCHES = 10


@dataclass(frozen=True)
class Reading:
    """What the eigenvalues of K say: λ_i/n, and the numbers read from them.

    ``top`` is the largest k(x, x): the theorems are about kernels of at most 1, so gaps are divided by it.
    ``rows`` are the rows behind the eigenvalues; ``gap`` is None where these are equal up to rounding.
    """

    values: FloatArray
    rows: int
    top: float
    gap: Gap | None
    laws: tuple[Law, Law] | None
    dimension: float
    asked: int | None

    @property
    def unit_gap(self) -> float:
        """The largest gap over n of k / max k(x, x)."""
        return 0.0 if self.gap is None else self.gap.size / self.top


def largest_entry(scene: Scene) -> float:
    """The largest k(x, x), at least a little above 0."""
    return float(scene.kernel.diag(scene.data.X).max()) or 1.0


def eigenvalues_later(scene: Scene) -> Future[FloatArray]:
    """Eigenvalues of K over n, at once: the page is about them."""

    def compute() -> FloatArray:
        if not computing.is_exact(scene):
            return computing.sampled_spectrum(scene.unseeded)
        return computing.eigenvalues(scene.unseeded) / scene.data.n

    key = ("spectrum at once", *scene.key, computing.is_exact(scene))
    return store().later(key, compute, urgent=True, holds=computing.spectrum_bytes(scene))


def approximate_later(scene: Scene, method: str, m: int, stop: threading.Event) -> Future[FloatArray]:
    """Eigenvalues of K̃ over n, by a method with its own defaults."""

    def compute() -> FloatArray:
        a = computing.approximation(scene, method, m, _defaults(method))
        with watched(checkpoint(stop, m)):
            if a.is_held or computing.is_exact(scene):
                # Where K is small its factor is too; random features have twice as many columns as K at most,
                # and the sums of their products would take several such squares.
                return factor_spectrum(a.factor) / scene.data.n
            # A large factor is not held: the small product comes from its blocks of rows.
            return gram_spectrum(a.gram()) / scene.data.n

    key = ("factor spectrum", *scene.key, method, m, scene.seed, computing.is_exact(scene))
    held = computing.approximation_bytes(scene, method, m, _defaults(method))
    seconds = approximate_seconds(scene, method, m)
    return store().later(key, compute, urgent=True, seconds=seconds, holds=held)


def _defaults(method: str) -> computing.Options:
    return tuple((option.name, option.default) for option in METHODS[method].options)


def approximate_seconds(scene: Scene, method: str, m: int) -> float:
    """Estimate the time of an approximation and of its eigenvalues."""
    made = computing.approximation_seconds(scene, m, method, _defaults(method))
    return made + estimates.product_seconds(scene.data.n * m**2)


def read(scene: Scene, values: FloatArray, ridge: float) -> Reading:
    """Read gap, effective dimension, decay and theorem 1's m from λ_i/n."""
    top = largest_entry(scene)
    gaps = largest_gaps(values)
    gap = gaps[0] if gaps and gaps[0].size > rounding(values) else None
    asked = None
    if gap is not None:
        asked = smallest_sample(scene.data.n, gap.size / top)
    dimension = effective_dimension(values, ridge * top)
    return Reading(values, len(values), top, gap, decay(values), dimension, asked)


def frames_later(scene: Scene) -> list[Future[FloatArray]]:
    """Spectra at 21 bandwidths on at most 1 000 sampled rows; empty for a kernel without a bandwidth."""
    kernel = scene.kernel
    if not isinstance(kernel, (Gaussian, Laplacian, InverseDistance)) or scene.multiple is None:
        return []
    sigma = kernel.sigma / math.sqrt(scene.multiple)
    # Kernels that differ from this one by their bandwidth alone share the frames.
    plain = replace(kernel, sigma=1.0)
    key = ("spectrum frames", scene.data.digest, plain, float(f"{sigma:.6g}"))
    X = scene.data.X
    rows = computing.drawn_rows(len(X), FRAME_ROWS)

    def compute(multiple: float) -> FloatArray:
        sample = X[rows]
        return spectrum(sample, replace(kernel, sigma=sigma * math.sqrt(multiple))) / len(sample)

    return [store().later((*key, multiple), partial(compute, multiple)) for multiple in FRAME_MULTIPLES]


@dataclass(frozen=True)
class Distances:
    """‖L_n − L_m‖_HS of uniform samples for k / max k(x, x), (draws, sizes), among n rows."""

    sizes: IntArray
    found: FloatArray
    n: int


def distances_later(scene: Scene) -> Future[Distances]:
    """Measure how far samples' operators are from that of all rows.

    Where K is too large to be held, all rows are the sampled ones that its eigenvalues come from: gap and
    distances are set against one another.
    """

    def compute() -> Distances:
        matrix = computing.matrix_of(scene)
        if not computing.is_exact(scene):
            rows = computing.drawn_rows(scene.data.n, computing.SPECTRUM_ROWS)
            matrix = KernelMatrix(scene.data.X[rows], scene.kernel)
        most = min(matrix.n, SAMPLES)
        sizes = np.unique(np.round(np.geomspace(1, most, 40))).astype(np.intp)
        found = operator_distances(matrix, sizes.tolist(), DRAWS, scene.seed) / largest_entry(scene)
        return Distances(sizes, found, matrix.n)

    return store().later(("operator distances", *scene.key, scene.seed, computing.is_exact(scene)), compute)


def distances_seconds(scene: Scene) -> float:
    """Estimate the time of measuring the distances: K once, and the squares of a sample for each draw."""
    rows = rows_behind(scene)
    squares = DRAWS * min(rows, SAMPLES) ** 2
    return estimates.entry_seconds(scene, rows**2) + estimates.touch_seconds(TOUCHES * squares)


def rows_behind(scene: Scene) -> int:
    """How many rows stand for all: these themselves where K is held, else sampled ones."""
    return scene.data.n if computing.is_exact(scene) else min(scene.data.n, computing.SPECTRUM_ROWS)


def tightness(distances: Distances) -> FloatArray:
    """Bound over the largest measured distance for each size, where the samples differ from all rows."""
    worst = distances.found.max(axis=0)
    seen = worst > 1e-7
    if not seen.any():
        return np.array([math.inf])
    ratios: FloatArray = distance_bound(distances.n, distances.sizes[seen]) / worst[seen]
    return ratios


def sufficient_sample(reading: Reading, distances: Distances) -> int | None:
    """The smallest measured m at which all samples satisfy gap > 3 ‖L_n − L_m‖ itself; None if none does."""
    holds = reading.unit_gap > MARGIN * distances.found.max(axis=0)
    return int(distances.sizes[int(holds.argmax())]) if holds.any() else None
