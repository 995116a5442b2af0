"""How fast the eigenvalues of K and of approximations fall, and where the gap is (Yang 2012, figure 1b)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.spectrum import factor_spectrum, gram_spectrum
from nysviz.analysis.spectrum import spectrum as eigenvalues_of
from nysviz.analysis.spectrum.gaps import Gap, Law, decay, effective_dimension, largest_gaps, rounding
from nysviz.analysis.spectrum.operators import MARGIN, distance_bound, operator_distances, smallest_sample
from nysviz.datasets import Dataset
from nysviz.engine.shared import shared
from nysviz.figures.spectra import LAW_NAMES, distance_chart, gap_chart, spectrum_chart
from nysviz.kernels import Kernel, Radial
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import quoted
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.frames import SIGMA, bandwidth_label, multiples_of, scene_at
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.matrices import is_exact
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.stops import Stops
from nysviz.studies.study import ByMethod, Ink, Part, Study, chart, complete, theme_of
from nysviz.text import counted, grouped, three_digits

FIRST_METHODS = ("uniform", "kmeans", "rff")
# Multiples of the default width 2σ² at which the largest gap is shown: 2^-10 … 2^10.
GAP_MULTIPLES = tuple(float(f"{2.0**k:.3g}") for k in range(-10, 11))
GAP_ROWS = 1_000
DRAWS, SAMPLES = 100, 500  # uniform samples of each size, and the largest size
MANY_ROWS = 10**9  # more than anybody has, as a small gap asks for: then three digits are shown


@dataclass(frozen=True)
class Reading:
    """Gap, laws of decay and effective dimension of the eigenvalues λ_i/n; ``top`` is the largest k(x, x).

    The theorems are about kernels of at most 1: ``unit_gap`` is the gap over ``top``, and ``theorem_m`` the
    least m with which theorem 1's condition holds for it.
    """

    values: FloatArray
    top: float
    gap: Gap | None
    laws: tuple[Law, ...]
    dimension: float
    theorem_m: int | None

    @property
    def unit_gap(self) -> float:
        """The largest gap over n of k / max k(x, x)."""
        return 0.0 if self.gap is None else self.gap.size / self.top


@dataclass(frozen=True)
class Distances:
    """‖L_n − L_m‖_HS of uniform samples for k / max k(x, x), (draws, sizes), by the samples' sizes m."""

    sizes: IntArray
    values: FloatArray

    @property
    def largest(self) -> FloatArray:
        """The largest distance of each size, (sizes,)."""
        largest: FloatArray = self.values.max(axis=0)
        return largest

    def sufficient_size(self, gap: float) -> int | None:
        """Return the least m at which all samples satisfy gap > 3 ‖L_n − L_m‖ itself; None if none does."""
        holds = gap > MARGIN * self.largest
        return int(self.sizes[int(holds.argmax())]) if holds.any() else None

    def tightness(self, rows: int) -> float:
        """Return the median of theorem 5's bound over the largest distance; infinite where all are 0."""
        apart = self.largest > 1e-7
        ratios = distance_bound(rows, self.sizes[apart]) / self.largest[apart]
        return float(np.median(ratios)) if apart.any() else math.inf


def _bytes(scene: Scene, m: int, method: str) -> float:
    return matrices.approximation_bytes(
        scene, method, m, Choice.from_arguments(scene, method, m, None).options
    )


@shared(holds=_bytes)
def approximate_eigenvalues(scene: Scene, m: int, method: str) -> FloatArray:
    """Return the eigenvalues of K̃ over n, by a method with its own defaults."""
    a = matrices.approximation(scene, method, m, Choice.from_arguments(scene, method, m, None).options)
    if a.is_held or is_exact(scene):
        # Where K is small its factor is too; random features have twice as many columns as K at most,
        # and the sums of their products would take several such squares.
        return factor_spectrum(a.factor) / scene.data.n
    # A large factor is not held: the small product comes from its blocks of rows.
    return gram_spectrum(a.gram()) / scene.data.n


@shared()
def spectra_by_bandwidth(data: Dataset, kernel: Radial) -> list[FloatArray]:
    """Return λ/n on at most ``GAP_ROWS`` sampled rows, for multiples of the kernel's width."""
    sample = data.X[matrices.drawn_rows(data.n, GAP_ROWS)]
    return [
        eigenvalues_of(sample, replace(kernel, sigma=kernel.sigma * math.sqrt(multiple))) / len(sample)
        for multiple in GAP_MULTIPLES
    ]


@shared()
def sample_distances(scene: Scene) -> Distances:
    """Measure how far samples' operators are from that of all rows, or of those behind the eigenvalues."""
    matrix = matrices.matrix_of(scene)
    if not is_exact(scene):
        rows = matrices.drawn_rows(scene.data.n, matrices.SPECTRUM_ROWS)
        matrix = KernelMatrix(scene.data.X[rows], scene.kernel)
    sizes = np.unique(np.round(np.geomspace(1, min(matrix.n, SAMPLES), 40))).astype(np.intp)
    values = operator_distances(matrix, sizes.tolist(), DRAWS, scene.seed)
    return Distances(sizes, values / matrices.largest_entry(scene.unseeded))


def spectrum(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    methods: Sequence[str] = FIRST_METHODS,
    m: int | None = None,
    *,
    ridge: float = 1e-3,
    ranks: str = "log",
    seed: int = 0,
    theme: Ink = "light",
) -> "Spectrum":
    """Show how fast the eigenvalues fall, where their largest gap is, and what theory makes of it.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
        Methods whose eigenvalues are drawn beside those of K, each with its default options. Those that are
        not made for the kernel are left out.
    m : int, optional
        Number of landmarks, by default about 5 % of the rows.
    ridge : float
        The λ of the effective dimension, above 0, in units of the largest k(x, x).
    ranks : {"log", "linear"}
        Axis of the ranks.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Spectrum
        With ``answer``, ``table``, ``figures``; ``eigenvalues`` of K, (n,), ``reading`` (``gap``, ``laws``,
        ``dimension``, ``theorem_m``), ``curves``, the eigenvalues of each K̃ over n, and ``samples``, the
        distances of 100 samples' operators for each of some sizes. O(n³); where K is too large to be held,
        all but the approximations is computed on 2 000 sampled rows.

    Raises
    ------
    ValueError
        An unknown method; m or ridge out of range; an approximation that is too large for the memory.

    References
    ----------
    Yang, Li, Mahdavi, Jin and Zhou 2012, figures 1b and 3, theorems 1 and 5.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.spectrum(nv.load("iris"), methods=["rpcholesky"], m=8)
    >>> result.reading.gap.r
    2
    >>> sorted(result.figures)
    ['bandwidths', 'distances', 'spectrum']
    """
    scene = scene_of(data, kernel, seed)
    if ranks not in ("log", "linear"):
        raise Refusal(f"ranks = {quoted(ranks)}; 'log' or 'linear' is needed.")
    effective_dimension(np.ones(1), ridge)  # refuses what is no λ
    methods = [name for name in methods if name not in METHODS or METHODS[name].suits(scene.kernel)]
    choices = [Choice.from_arguments(scene, method, m, None) for method in ("uniform", *methods)]
    study = Spectrum(
        scene=scene,
        methods=tuple(methods),
        m=choices[0].m,
        ridge=ridge,
        ranks=ranks,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spectrum(Study):
    """The eigenvalues of K and of approximations with m landmarks."""

    methods: tuple[str, ...] = FIRST_METHODS
    m: int
    ridge: float = 1e-3
    ranks: str = "log"

    name = "spectrum"
    question = "How fast do the eigenvalues fall?"

    eigenvalues = Part(matrices.eigenvalues, "scene.unseeded", "All eigenvalues of K")
    curves = ByMethod(approximate_eigenvalues, "scene m", "{method}, m = {study.m}", beside=True)
    by_bandwidth = Part(
        spectra_by_bandwidth,
        "scene.data default_kernel",
        "Spectra by bandwidth",
        beside=True,
        when=lambda study: study.has_gap and study.has_bandwidth,
    )
    samples = Part(
        sample_distances,
        "scene",
        f"Distances of {DRAWS} samples",
        beside=True,
        when=lambda study: study.has_gap,
    )

    @property
    def has_bandwidth(self) -> bool:
        """Whether the kernel has a bandwidth to change."""
        return isinstance(self.scene.kernel, Radial) and self.scene.multiple is not None

    @property
    def default_kernel(self) -> Radial:
        """The kernel with the default width."""
        kernel, multiple = self.scene.kernel, self.scene.multiple
        assert isinstance(kernel, Radial) and multiple is not None
        # Whatever the width of the scene, the spectra have one name.
        return replace(kernel, sigma=float(f"{kernel.sigma / math.sqrt(multiple):.12g}"))

    @lazy_property
    def reading(self) -> Reading:
        """Gap, effective dimension, decay and theorem 1's m from λ_i/n."""
        n = self.scene.data.n
        values, top = self.eigenvalues / n, matrices.largest_entry(self.scene.unseeded)
        gaps = largest_gaps(values)
        gap = gaps[0] if gaps and gaps[0].size > rounding(values) else None
        theorem_m = None if gap is None else smallest_sample(n, gap.size / top)
        dimension = effective_dimension(values, self.ridge * top)
        return Reading(values, top, gap, decay(values) or (), dimension, theorem_m)

    @property
    def stops(self) -> Stops | None:
        """The slider over σ; None without a bandwidth. Of many rows it is about a random sample."""
        scene, multiple = self.scene, self.scene.multiple
        if multiple is None or not self.has_bandwidth:
            return None
        n = scene.data.n if is_exact(scene) else matrices.SPECTRUM_ROWS
        m = min(self.m, n)

        def at(value: float) -> "Spectrum":
            moved = scene_at(scene, value)
            part = moved if n == scene.data.n else matrices.part_of(moved, n)
            return replace(self, scene=part, m=m, computed={})

        return Stops(
            replace(self, computed={}),
            SIGMA,
            "the bandwidth",
            multiple,
            multiples_of(scene),
            at,
            partial(bandwidth_label, scene),
            ("spectrum",),
            ("eigenvalues", "curves"),
            matrices.run_bytes(n, self.methods, m, matrix=True),
            about="" if n == scene.data.n else f"on {counted(n, 'random row')}",
            cursors={"bandwidths": math.sqrt},
        )

    @property
    def has_gap(self) -> bool:
        """Whether a largest gap is known, which is more than rounding."""
        return self.has("eigenvalues") and self.reading.gap is not None

    @property
    def answer(self) -> str:
        """Say how many eigenvalues are large, and where the largest gap is."""
        if not self.has("eigenvalues"):
            return ""
        values, gap = self.reading.values, self.reading.gap
        if gap is None:
            return "All eigenvalues are equal up to rounding: there is no gap."
        above = int((values >= 1e-3 * values[0]).sum())
        return (
            f"**{grouped(above)}** of {grouped(len(values))} eigenvalues are at least λ₁/1000; "
            f"the largest gap, **{three_digits(gap.size)} n**, comes after rank **{gap.r}**."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """The gap, what the spectrum amounts to, and what theorem 1 asks for."""
        if not self.has("eigenvalues") or (gap := self.reading.gap) is None:
            return None
        reading, values = self.reading, self.reading.values
        ratio = f"λ<sub>{gap.r}</sub>/λ<sub>{gap.r + 1}</sub> = {three_digits(gap.ratio)}"
        share = 100 * values[: self.m].sum() / (values.sum() or 1.0)
        dimension = three_digits(reading.dimension)
        rows: list[Row] = [
            (Label("trace of K up to rank m", "trace_share"), f"{share:.3g} %", f"m = {self.m}"),
            (Label("largest gap / n", "gap"), three_digits(gap.size), ratio),
            (
                Label(f"effective dimension, λ = {self.ridge:.2g}", "effective_dimension"),
                dimension,
                f"of {grouped(len(values))}",
            ),
        ]
        for law in reading.laws:
            form = f"i<sup>−{law.rate:.2f}</sup>" if law.kind == "power" else f"{law.factor:.4f}<sup>i</sup>"
            label = Label(f"{LAW_NAMES[law.kind]}, R²", f"{law.kind}_law")
            rows.append((label, f"{law.explained:.3f}", form))
        return NumberTable((PLAIN,) * 3, rows, ("Theorems of Yang et al.", self._theory_rows()))

    def _theory_rows(self) -> list[Row]:
        """Return what the theorems ask for and promise, for those who know them."""
        reading, count = self.reading, "–"
        if reading.theorem_m is not None:
            is_short = reading.theorem_m < MANY_ROWS
            count = grouped(reading.theorem_m) if is_short else three_digits(float(reading.theorem_m))
        of_rows = f"of {grouped(self.scene.data.n)}"
        rows: list[Row] = [(Label("theorem 1 asks for m ≥", "theorem_m"), count, of_rows)]
        if self.has("samples"):
            enough = self.samples.sufficient_size(reading.unit_gap)
            count = f"> {self.samples.sizes[-1]}" if enough is None else grouped(enough)
            rows.append((Label("its condition itself holds from m", "enough_m"), count, ""))
            tightness = self.samples.tightness(len(reading.values))
            rows.append((Label("bound / largest distance", "tightness"), three_digits(tightness), ""))
        return rows

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return gap, laws, dimension, theorem 1's m; eigenvalues over n of K and K̃; samples' distances."""
        if not self.has("eigenvalues"):
            return []
        begin, reading = head(self.scene), self.reading
        samples = self.samples if self.has("samples") else None
        values: dict[str, object] = {
            "effective_dimension": reading.dimension,
            "asked_m": reading.theorem_m,
        }
        if gap := reading.gap:
            values |= {"gap_rank": gap.r, "gap": gap.size, "gap_ratio": gap.ratio}
        if samples is not None:
            values["enough_m"] = samples.sufficient_size(reading.unit_gap)
        rows = measured(begin, values)
        for law in reading.laws:
            fit = {"law_rate": law.rate, "law_scale": law.scale, "law_explained": law.explained}
            rows += measured({**begin, "law": law.kind}, fit)
        for method, curve in {"exact": reading.values, **(self.curves or {})}.items():
            m = None if method == "exact" else self.m
            for i, value in enumerate(curve, 1):
                rank = {**begin, "method": method, "m": m, "rank": i}
                rows += measured(rank, {"eigenvalue_over_n": float(value)})
        if samples is not None:
            for m, value in zip(samples.sizes, samples.largest, strict=True):
                rows += measured({**begin, "m": int(m)}, {"largest_distance": float(value)})
        return rows

    @chart(
        "eigenvalues",
        uses=("curves",),
        alt=lambda study: "Eigenvalues over n against rank. Eigenvalues of K and K̃.",
        caption=(
            "Each line has the eigenvalues of one matrix over n, the largest first. The faster that of K "
            "falls, the fewer landmarks are enough: what it has to the right of m is lost at rank m. A "
            "short thick piece marks the largest gap; thin broken lines are two laws fitted to K, and the λ "
            "of the table."
        ),
    )
    def spectrum(self) -> go.Figure:
        """Draw the spectra with the largest gap, the laws of decay and λ."""
        reading, rows = self.reading, len(self.reading.values)
        sampled = f"; K from {grouped(rows)} sampled rows" if rows < self.scene.data.n else ""
        return spectrum_chart(
            reading.values,
            self.curves or {},
            rows,
            self.m,
            self.sheet("Eigenvalues of K and K̃", f"{self.scene.subtitle}, m = {self.m}{sampled}"),
            gap=reading.gap,
            laws=reading.laws,
            ridge=self.ridge * reading.top,
            log_ranks=self.ranks == "log",
        )

    @chart(
        "by_bandwidth",
        caption=(
            "The size of the largest gap at every bandwidth, and a spot at the present one. Of a very "
            "narrow kernel all gaps are near 0, as its eigenvalues are nearly equal. A very wide one has "
            "a single large eigenvalue: its gap is large, and says nothing of groups in the data."
        ),
    )
    def bandwidths(self) -> go.Figure:
        """Draw the largest gap at all bandwidths."""
        spectra, ridge = self.by_bandwidth, self.ridge * self.reading.top
        gaps = [(largest_gaps(values) or [Gap(1, 0.0, 1.0)])[0] for values in spectra]
        dimensions = [effective_dimension(values, ridge) for values in spectra]
        sheet = self.sheet("The largest gap by bandwidth", counted(len(spectra[0]), "row"))
        multiple = math.sqrt(self.scene.multiple or 1.0)
        return gap_chart(np.sqrt(GAP_MULTIPLES), gaps, dimensions, multiple, sheet)

    @chart(
        "eigenvalues",
        uses=("samples",),
        when=lambda study: study.has_gap,
        caption=(
            "How much the operator of a sample of m rows, Lₘ, differs from that of all n rows, Lₙ; lower "
            "is better. The condition of Yang et al.'s theorem 1 on the gap holds where the bound lies "
            "below the dashed level, a third of the largest gap. The measured distances show how much the "
            "bound gives away."
        ),
    )
    def distances(self) -> go.Figure:
        """Draw samples' distances by m with theorem 5's bound, beside a third of the largest gap."""
        reading = self.reading
        about = f"{DRAWS} uniform samples of {grouped(len(reading.values))} rows"
        sheet = self.sheet("When does theorem 1 hold?", about)
        measured_distances = (self.samples.sizes, self.samples.values) if self.has("samples") else None
        return distance_chart(
            self.scene.data.n, reading.unit_gap, reading.theorem_m, measured_distances, sheet
        )
