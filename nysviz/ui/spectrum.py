"""The page "Spectrum": its controls, computations, charts, sentences and script."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.spectrum import factor_spectrum, gram_spectrum, spectrum
from nysviz.analysis.spectrum.gaps import Gap, Law, decay, effective_dimension, largest_gaps, rounding
from nysviz.analysis.spectrum.operators import MARGIN, distance_bound, operator_distances, smallest_sample
from nysviz.datasets import Dataset
from nysviz.figures.spectra import LAW_NAMES, bandwidth_chart, distance_chart, spectrum_chart
from nysviz.kernels import Radial
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.text import counted, grouped, three_digits
from nysviz.ui import computing, large, page
from nysviz.ui.asking import ask, shared
from nysviz.ui.bandwidth import MULTIPLES
from nysviz.ui.computing import Options, is_exact
from nysviz.ui.controls import choose_count
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import segments, several, stops
from nysviz.ui.sidebar.scene import Scene, head, script


@dataclass(frozen=True)
class Question:
    """Approximations with m landmarks beside K, and the λ of the effective dimension."""

    methods: tuple[str, ...]
    m: int
    log_ranks: bool
    ridge: float


FRAME_MULTIPLES = MULTIPLES[::2]  # every other stop of the sidebar's slider
DRAWS, SAMPLES = 100, 500  # uniform samples of each size, and the largest size
MANY_ROWS = 10**9  # more than anybody has, as a small gap asks for: then three digits are shown


@dataclass(frozen=True)
class Reading:
    """What the eigenvalues λ_i/n say; the theorems are about kernels of at most 1: gaps are over ``top``."""

    values: FloatArray
    top: float
    gap: Gap | None
    laws: tuple[Law, ...]
    dimension: float
    asked: int | None

    @property
    def unit_gap(self) -> float:
        """The largest gap over n of k / max k(x, x)."""
        return 0.0 if self.gap is None else self.gap.size / self.top


# Sizes of uniform samples, and ‖L_n − L_m‖_HS of each sample for k / max k(x, x), (draws, sizes).
Distances = tuple[IntArray, FloatArray]


def largest_entry(scene: Scene) -> float:
    """Return the largest k(x, x), or 1 where it is 0."""
    return float(scene.kernel.diag(scene.data.X).max()) or 1.0


def _defaults(method: str) -> Options:
    return tuple((option.name, option.default) for option in METHODS[method].options)


@shared(holds=lambda scene, method, m: computing.approximation_bytes(scene, method, m, _defaults(method)))
def approximate_eigenvalues(scene: Scene, method: str, m: int) -> FloatArray:
    """Return the eigenvalues of K̃ over n, by a method with its own defaults."""
    a = computing.approximation(scene, method, m, _defaults(method))
    if a.is_held or is_exact(scene):
        # Where K is small its factor is too; random features have twice as many columns as K at most,
        # and the sums of their products would take several such squares.
        return factor_spectrum(a.factor) / scene.data.n
    # A large factor is not held: the small product comes from its blocks of rows.
    return gram_spectrum(a.gram()) / scene.data.n


def read(scene: Scene, values: FloatArray, ridge: float) -> Reading:
    """Read gap, effective dimension, decay and theorem 1's m from λ_i/n."""
    top, gaps = largest_entry(scene), largest_gaps(values)
    gap = gaps[0] if gaps and gaps[0].size > rounding(values) else None
    asked = None if gap is None else smallest_sample(scene.data.n, gap.size / top)
    laws, dimension = decay(values) or (), effective_dimension(values, ridge * top)
    return Reading(values, top, gap, laws, dimension, asked)


@shared()
def spectra(data: Dataset, kernel: Radial) -> list[FloatArray]:
    """Return λ/n on at most 1 000 sampled rows, for multiples of the kernel's width."""
    sample = data.X[computing.drawn_rows(data.n, 1_000)]
    return [
        spectrum(sample, replace(kernel, sigma=kernel.sigma * math.sqrt(multiple))) / len(sample)
        for multiple in FRAME_MULTIPLES
    ]


@shared()
def distances(scene: Scene) -> Distances:
    """Measure how far samples' operators are from that of all rows, or of those behind the eigenvalues."""
    matrix = computing.matrix_of(scene)
    if not is_exact(scene):
        rows = computing.drawn_rows(scene.data.n, computing.SPECTRUM_ROWS)
        matrix = KernelMatrix(scene.data.X[rows], scene.kernel)
    sizes = np.unique(np.round(np.geomspace(1, min(matrix.n, SAMPLES), 40))).astype(np.intp)
    return sizes, operator_distances(matrix, sizes.tolist(), DRAWS, scene.seed) / largest_entry(scene)


def sufficient_sample(reading: Reading, measured: Distances) -> int | None:
    """Return the smallest m at which all samples satisfy gap > 3 ‖L_n − L_m‖ itself; None if none does."""
    sizes, found = measured
    holds = reading.unit_gap > MARGIN * found.max(axis=0)
    return int(sizes[int(holds.argmax())]) if holds.any() else None


def rows(
    scene: Scene,
    question: Question,
    reading: Reading,
    curves: Mapping[str, FloatArray],
    apart: Distances | None,
) -> list[dict[str, object]]:
    """Return gap, laws, dimension, theorem 1's m; eigenvalues over n of K and K̃; distances of operators."""
    begin = head(scene)
    values: dict[str, object] = {"effective_dimension": reading.dimension, "asked_m": reading.asked}
    if gap := reading.gap:
        values |= {"gap_rank": gap.r, "gap": gap.size, "gap_ratio": gap.ratio}
    if apart is not None:
        values["enough_m"] = sufficient_sample(reading, apart)
    found = measured(begin, values)
    for law in reading.laws:
        fit = {"law_rate": law.rate, "law_scale": law.scale, "law_explained": law.explained}
        found += measured({**begin, "law": law.kind}, fit)
    for method, line in {"exact": reading.values, **curves}.items():
        m = None if method == "exact" else question.m
        for i, value in enumerate(line, 1):
            rank = {**begin, "method": method, "m": m, "rank": i}
            found += measured(rank, {"eigenvalue_over_n": float(value)})
    if apart is not None:
        for m, value in zip(apart[0], apart[1].max(axis=0), strict=True):
            found += measured({**begin, "m": int(m)}, {"largest_distance": float(value)})
    return found


def python(scene: Scene, question: Question, methods: Sequence[str]) -> str:
    """Write the script for the approximations that the page shows."""
    exact = is_exact(scene)
    rows, dense = ("data.X", ", dense=kernel(rows)") if exact else ("data.sampled({}).X", "")
    own = "factor_spectrum(a.factor)" if exact else "gram_spectrum(a.gram())"
    return script(
        scene,
        """import numpy as np
from nysviz.kernels.matrix import KernelMatrix
from nysviz.analysis.spectrum import factor_spectrum, gram_spectrum
from nysviz.analysis.spectrum.gaps import decay, effective_dimension, largest_gaps, rounding
from nysviz.analysis.spectrum.operators import operator_distances, smallest_sample""",
        f"""top = kernel.diag(data.X).max()  # the theorems need k(x, x) ≤ 1
rows = {rows.format(computing.SPECTRUM_ROWS)}
values = nv.spectrum(rows, kernel) / len(rows)
print("effective_dimension", effective_dimension(values, {question.ridge!r} * top))
gap = largest_gaps(values)[0]
if gap.size > rounding(values):
    print("gap_rank", gap.r)
    print("gap", gap.size)
    print("gap_ratio", gap.ratio)
    print("asked_m", smallest_sample(data.n, gap.size / top))
for law in decay(values) or ():
    for name in ("rate", "scale", "explained"):
        print(f"law={{law.kind}} law_{{name}}", getattr(law, name))

sizes = np.unique(np.round(np.geomspace(1, min(len(rows), {SAMPLES}), 40))).astype(int)
matrix = KernelMatrix(rows, kernel{dense})
distances = operator_distances(matrix, sizes.tolist(), {DRAWS}, {scene.seed}) / top
worst = distances.max(axis=0)
for m, distance in zip(sizes, worst):
    print(f"m={{m}} largest_distance", distance)
enough = sizes[gap.size / top > {MARGIN!r} * worst]
if len(enough):
    print("enough_m", enough[0])

spectra = {{"exact": values}}
for method in {list(methods)!r}:
    a = nv.approximate(data.X, kernel, method, {question.m}, {scene.seed})
    spectra[method] = {own} / data.n
for method, found in spectra.items():
    for rank, value in enumerate(found, 1):
        print(f"method={{method}} rank={{rank}} eigenvalue_over_n", value)""",
    )


def answer(reading: Reading) -> str:
    """Answer the page's question in one sentence."""
    if reading.gap is None:
        return "All eigenvalues are equal up to rounding: there is no gap."
    above = int((reading.values >= 1e-3 * reading.values[0]).sum())
    return (
        f"**{grouped(above)}** of {grouped(len(reading.values))} eigenvalues are at least λ₁/1000; "
        f"the largest gap, **{three_digits(reading.gap.size)} n**, comes after rank **{reading.gap.r}**."
    )


def numbers(scene: Scene, question: Question, reading: Reading, distances: Distances | None) -> str:
    """Return the table beside the picture."""
    gap, n, rows = reading.gap, scene.data.n, []
    if gap is not None:
        ratio = f"λ<sub>{gap.r}</sub>/λ<sub>{gap.r + 1}</sub> = {three_digits(gap.ratio)}"
        rows.append(("largest gap / n", three_digits(gap.size), ratio))
    held = 100 * reading.values[: question.m].sum() / (reading.values.sum() or 1.0)
    rows.append(("trace of K up to rank m", f"{held:.3g} %", f"m = {question.m}"))
    dimension = three_digits(reading.dimension)
    rows.append((f"d(λ), λ = {question.ridge:.2g}", dimension, f"of {grouped(len(reading.values))}"))
    for law in reading.laws:
        form = f"i<sup>−{law.rate:.2f}</sup>" if law.kind == "power" else f"{law.factor:.4f}<sup>i</sup>"
        rows.append((f"{LAW_NAMES[law.kind]}, R²", f"{law.explained:.3f}", form))
    asked = "–"
    if reading.asked is not None:
        is_short = reading.asked < MANY_ROWS
        asked = grouped(reading.asked) if is_short else three_digits(float(reading.asked))
    rows.append(("theorem 1 asks for m ≥", asked, f"of {grouped(n)}"))
    if distances is not None:
        enough, (sizes, found) = sufficient_sample(reading, distances), distances
        measured = f"> {sizes[-1]}" if enough is None else grouped(enough)
        rows.append(("gap > 3 ‖L<sub>n</sub> − L<sub>m</sub>‖ from m", measured, ""))
        worst = found.max(axis=0)
        apart = worst > 1e-7
        ratios = distance_bound(len(reading.values), sizes[apart]) / worst[apart]
        tightness = float(np.median(ratios)) if apart.any() else math.inf
        rows.append(("bound / largest distance", three_digits(tightness), ""))
    return page.number_table(("", "", ""), rows)


FIRST_METHODS = ("uniform", "kmeans", "rff")
# λ of the effective dimension: quarters of a decade.
RIDGES = tuple(float(f"{10.0 ** (k / 4):.2g}") for k in range(-32, 1))


def choose(scene: Scene) -> Question:
    """Draw the controls of this page."""
    # The best rank m has the leading eigenvalues of K itself: nothing to see.
    offered, left_out = ([name for name in names if name != "svd"] for names in computing.offered(scene))
    # Kernels with other methods have a choice of their own: it may not hold what is not offered.
    key = "spectrum_methods" if "rff" in offered else "spectrum_landmark_methods"
    methods = several("Approximations", offered, key, FIRST_METHODS, max_selections=7)
    if left_out:
        st.caption(large.left_out_sentence(left_out))
    m = choose_count(scene.data.n)
    with st.popover("Axis, λ", width="stretch"):
        ranks = segments("Axis of the ranks", ["log", "linear"], "spectrum_ranks")
        label = "λ of the effective dimension d(λ)"
        ridge = stops(label, RIDGES, "spectrum_ridge", 1e-3, "{:.2g}".format)
    return Question(methods, m, ranks == "log", ridge)


def draw_spectra(
    scene: Scene, question: Question, reading: Reading, curves: Mapping[str, FloatArray]
) -> None:
    """Draw the spectra with the largest gap, the laws of decay and λ."""
    title, rows = "Eigenvalues of K and K̃", len(reading.values)
    sampled = f"; K from {grouped(rows)} sampled rows" if rows < scene.data.n else ""
    figure = spectrum_chart(
        reading.values,
        curves,
        rows,
        question.m,
        page.sheet(title, f"{scene.subtitle}, m = {question.m}{sampled}"),
        gap=reading.gap,
        laws=reading.laws,
        ridge=question.ridge * reading.top,
        log_ranks=question.log_ranks,
    )
    page.show(figure, "spectrum", f"Eigenvalues over n against rank. {title}.")


def draw_bandwidths(scene: Scene, question: Question, spectra: Sequence[FloatArray]) -> None:
    """Draw the spectra at all bandwidths as frames."""
    ridge = question.ridge * largest_entry(scene)
    gaps = [(largest_gaps(values) or [Gap(1, 0.0, 1.0)])[0] for values in spectra]
    dimensions = [effective_dimension(values, ridge) for values in spectra]
    multiples = [math.sqrt(multiple) for multiple in FRAME_MULTIPLES]
    start = int(np.abs(np.log(np.array(FRAME_MULTIPLES) / (scene.multiple or 1.0))).argmin())
    about = f"{counted(len(spectra[0]), 'row')}, λ = {question.ridge:g}"
    sheet = page.sheet("Eigenvalues by bandwidth: drag σ", about)
    page.show(bandwidth_chart(multiples, spectra, gaps, dimensions, start, sheet), "bandwidths")


@st.fragment
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    place, left, right = page.places(0.64)
    with right:
        question = choose(scene)
        table = st.empty()
    bandwidths, theorems = st.columns([0.5, 0.5], gap="medium")
    with left:
        chart, curves = st.container(), {}
        values = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K")
        for method in question.methods:
            what, one = f"{METHODS[method].label}, m = {question.m}", (scene, method, question.m)
            found = ask(approximate_eigenvalues, *one, what=what, beside=True)
            if found is not None:
                curves[method] = found
    if values is None:
        return
    reading = read(scene, values / scene.data.n, question.ridge)
    place.markdown(page.unbroken(answer(reading)))
    with chart:
        draw_spectra(scene, question, reading, curves)
    if reading.gap is None:
        return
    with bandwidths:
        if not isinstance(scene.kernel, Radial) or scene.multiple is None:
            st.caption("This kernel has no bandwidth to change.")
        else:
            # Whatever the width in the sidebar, the answer has one name: by the default width.
            sigma = float(f"{scene.kernel.sigma / math.sqrt(scene.multiple):.12g}")
            kernel = replace(scene.kernel, sigma=sigma)
            if by_width := ask(spectra, scene.data, kernel, what="Spectra by bandwidth", beside=True):
                draw_bandwidths(scene, question, by_width)
    with theorems:
        apart = ask(distances, scene, what="Distances of 100 samples", beside=True)
        about = f"{DRAWS} uniform samples of {grouped(len(reading.values))} rows"
        sheet = page.sheet("When does theorem 1 hold?", about)
        figure = distance_chart(scene.data.n, reading.unit_gap, reading.asked, apart, sheet)
        page.show(figure, "distances")
    table.html(numbers(scene, question, reading, apart))
    written = partial(rows, scene, question, reading, curves, apart)
    page.closing("spectrum", python(scene, question, tuple(curves)), written)
