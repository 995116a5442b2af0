"""What is guaranteed, and how loosely? One approximation with the bound of proposition 3, and its proof."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis import bounds as theory
from nysviz.analysis.bounds.property_eight import distances, entries, on_a_line, unscaled
from nysviz.analysis.bounds.zhang import needs_ball, radius_of
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import shared
from nysviz.figures.bounds import GUARANTEES, bound_chart, entry_map, ladder_chart, property_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import SQUARE_COPIES
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.memory import square_bytes
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import SAMPLED_ROWS, SampledErrors, frobenius, sampled_errors, sampled_rows
from nysviz.papers.zhang2008.figure1 import PERCENTS, bound_jobs
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.refusal import Refusal
from nysviz.studies import html, landmark_counts, matrices
from nysviz.studies.choice import Choice
from nysviz.studies.html import Label
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.sweep.ranking import by_method
from nysviz.text import grouped, ranged, three_digits

REPEATS, LARGE_REPEATS = 5, 2
PAIRS = 300  # pairs of points drawn against property (8); each is one marker of the browser


@dataclass(frozen=True)
class Report:
    """One approximation, its error, with an interval where estimated, and what proposition 3 says of it."""

    approximation: LowRank
    bound: theory.ErrorBound
    steps: tuple[theory.ProofStep, ...]
    error: float
    sampled: SampledErrors | None
    whole: float
    worst: tuple[int, int]
    where: FloatArray
    ratios: FloatArray
    radius: float
    printed: float
    quadruple: theory.Quadruple

    @property
    def why_no_guarantee(self) -> str:
        """The reason why proposition 3 gives no number here; empty where it gives one."""
        return theory.why_no_guarantee(self.bound.total, self.error, self.bound.is_least)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the error; None if the error is exact or the sample has no interval."""
        if self.sampled is None or self.sampled.interval is None:
            return None
        low, high = self.sampled.interval
        return low * self.whole, high * self.whole

    @property
    def orders(self) -> FloatArray:
        """log₁₀ of the looseness of each step of the proof, from the error up; empty without a guarantee."""
        values = np.array([step.value for step in self.steps])
        # An error below this part of ‖K‖ is rounding.
        if self.why_no_guarantee or self.error <= 1e-10 * self.whole or not (values > 0).all():
            return np.empty(0)
        # Rounding may put two equal steps in the wrong order.
        return np.maximum(np.log10(values[:-1] / values[1:]), 0.0)[::-1]


def _report_bytes(scene: Scene, choice: Choice) -> float:
    # K − K̃ is measured in blocks, beside W and its inverse.
    n, m = scene.data.n, choice.m
    held_bytes = matrices.approximation_bytes(scene, choice.method, m, choice.options)
    held_bytes += square_bytes(m, SQUARE_COPIES)
    return held_bytes + (square_bytes(n) if matrices.is_exact(scene) else 0.0)


@shared(holds=_report_bytes)
def report_of(scene: Scene, choice: Choice) -> Report:
    """Approximate K, bound the error and measure it."""
    a = matrices.approximation(scene, choice.method, choice.m, choice.options)
    X, kernel = scene.data.X, scene.kernel
    assert a.landmarks is not None
    bound, radius = theory.error_bound(X, kernel, a), radius_of(X, a.landmarks)
    K = matrices.kernel_matrix(scene)
    if K is not None:
        error, worst = theory.error_and_worst_entry(K, a.factor)
        steps = theory.ladder(X, kernel, a, K=K, measured=error, bound=bound)
        sampled, whole = None, frobenius(K)
    else:
        sampled = sampled_errors(X, kernel, a)
        # These rows represent all rows of A in the proof, and are searched for the worst entry.
        rows = sampled_rows(len(X), SAMPLED_ROWS)
        error = sampled.frobenius
        steps = theory.ladder(X, kernel, a, rows=rows, measured=error, bound=bound)
        whole = error / sampled.relative_frobenius if sampled.relative_frobenius > 0 else 0.0
        worst = _worst_entry(X, kernel, a, rows)
    # Property (8) between random pairs of points and the pairs of their landmarks.
    pairs = X[np.random.default_rng(0).integers(len(X), size=(2, PAIRS))]
    code = theory.encode(np.concatenate(pairs), a.landmarks)
    nearest = code.landmarks[code.labels].reshape(pairs.shape)
    ratios = theory.change_ratio(kernel, *pairs, *nearest)
    ball = radius if needs_ball(kernel) else None
    where = distances(kernel, *pairs) if ball is None else np.abs(np.einsum("ij,ij->i", *pairs))
    printed, quadruple = theory.printed_constant(kernel, ball), theory.violating_quadruple(kernel, ball)
    return Report(a, bound, steps, error, sampled, whole, worst, where, ratios, radius, printed, quadruple)


def _worst_entry(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray) -> tuple[int, int]:
    """Return the off-diagonal entry with the largest error, in these rows and some random columns."""
    columns = matrices.drawn_rows(len(X), 20_000)
    against, right = kernel.against(X[rows]), a.take(rows).T
    candidates: list[tuple[float, int, int]] = []
    for part in np.array_split(columns, max(1, len(columns) // 1000)):
        gap = np.abs(against(X[part]) - a.take(part) @ right)
        gap[part[:, None] == rows] = -1.0
        i, j = divmod(int(gap.argmax()), len(rows))
        low, high = sorted((int(part[i]), int(rows[j])))
        candidates.append((-float(gap[i, j]), low, high))
    # The first of equally large errors.
    _, low, high = min(candidates)
    return low, high


@shared(holds=lambda scene, choice, rows: square_bytes(choice.m, SQUARE_COPIES))
def entry_of(scene: Scene, choice: Choice, rows: tuple[int, int]) -> dict[str, float]:
    """Try proposition 1: measure |K_ij − K̃_ij| with the landmarks as they are, and with both points added."""
    landmarks = matrices.approximation(scene, choice.method, choice.m, choice.options).landmarks
    assert landmarks is not None
    points = scene.data.X[list(rows)]
    more = np.concatenate([landmarks, points])
    return {
        "entry": float(entries(scene.kernel, points[:1], points[1:])[0]),
        "entry_error": float(theory.entry_errors(scene.kernel, landmarks, points)[0, 1]),
        "entry_error_as_landmarks": float(theory.entry_errors(scene.kernel, more, points)[0, 1]),
    }


def curve_counts(n: int) -> tuple[tuple[int, ...], int]:
    """Return the numbers of landmarks of the curve, m = 1 … 10 % of n, and of repeats; fewer of many rows."""
    return landmark_counts.counts(n, PERCENTS[-1]), LARGE_REPEATS if landmark_counts.is_large(n) else REPEATS


def curve_run(scene: Scene, choice: Choice) -> Run:
    """Return the run of error and bound at each number of landmarks of the curve."""
    (counts, repeats), methods = curve_counts(scene.data.n), {choice.method: choice.options}
    return matrices.run_on(
        scene,
        "bounds curve",
        lambda problem: bound_jobs(problem, methods, counts, repeats, scene.seed),
        *(choice.method, choice.options, repeats),
        methods=methods,
        m=counts[-1],
    )


def why_no_bound(choice: Choice) -> str:
    """Say why proposition 3 does not apply to a method; return "" where it applies."""
    if choice.method in OFFERED:
        return ""
    problem = f"Proposition 3 needs one set of landmarks, which {choice.label} does not have."
    return f"{problem} Choose another method, such as {METHODS['kmeans'].label}."


TERMS = (
    "total", "encoding_term", "inverse_term", "largest_cluster", "quantization", "inverse_norm", "constant",
)  # fmt: skip
# The steps of the proof, from the error up: a short name, and its looseness.
STEPS = {
    "parts added": "Norms of the four parts of K − K̃ are added, though the parts cancel in part.",
    "‖W⁻¹‖ for W⁻¹": "B W⁻¹ Bᵀ is bounded by ‖B‖² ‖W⁻¹‖₂.",
    "C and e": "The changes A and B are bounded through property (8) and e.",
    "Frobenius ‖W⁻¹‖": "‖W⁻¹‖_F takes the place of ‖W⁻¹‖₂.",
    "all of size T": "Every cluster is taken to be as large as the largest.",
    "blocks added": "Norms of T² blocks are added as numbers, not as squares.",
}


def bounds(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "kmeans",
    m: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    seed: int = 0,
    theme: Ink = "light",
) -> "Bounds":
    """Set the error of an approximation beside the bound by the quantization error of its landmarks.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    method : str
        A method with one set of landmarks.
    m : int, optional
        Number of landmarks, by default about 5 % of the rows. The curve has 1 to 10 % of them.
    options : mapping, optional
        Options of the method.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Bounds
        With ``answer``, ``table``, ``figures``; ``report.error`` and ``report.bound`` (with ``total`` and its
        parts), ``report.steps`` of the proof.

    Raises
    ------
    ValueError
        An unknown method or option, a method without one set of landmarks or not made for the kernel, m out
        of range.

    Notes
    -----
    n² kernel evaluations for each approximation whose error is exact, that is while K can be held; of larger
    data the error is estimated from 500 sampled rows.

    References
    ----------
    Zhang, Tsang and Kwok 2008: propositions 1 and 3, property (8), section 3.4.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.bounds(nv.load("iris"), method="kmeans", m=8)
    >>> sorted(result.figures)
    ['curve', 'entry', 'ladder', 'property']
    """
    scene = scene_of(data, kernel, seed)
    choice = Choice.from_arguments(scene, method, m, options)
    if problem := why_no_bound(choice):
        raise Refusal(problem)
    return complete(Bounds(scene=scene, choice=choice, theme=theme_of(theme)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Bounds(Study):
    """One approximation and the bound of proposition 3, its proof step by step, and its worst entry."""

    choice: Choice

    name = "bounds"
    question = "What is guaranteed, and how loosely?"

    report = Part(
        report_of, "scene choice", "{study.choice.label}, m = {study.choice.m}, and its bound", needed=True
    )
    runs = Runs(curve_run, "scene choice", "{study.curve_label}", beside=True)
    entry_errors = Part(
        entry_of, "scene choice worst", "The worst entry with its points as landmarks", needed=True
    )

    @property
    def worst(self) -> tuple[int, int]:
        """The entry of K with the largest error."""
        return self.report.worst

    @property
    def curve_label(self) -> str:
        """The runs in a few words."""
        return f"{self.choice.label} at {len(curve_counts(self.scene.data.n)[0])} ratios m/n"

    @property
    def answer(self) -> str:
        """State the error and the guarantee."""
        if not self.has("report"):
            return ""
        report = self.report
        error = f"{'about ' if report.sampled is not None else ''}{three_digits(report.error)}"
        if reason := report.why_no_guarantee:
            return f"Frobenius error **{error}**; proposition 3 guarantees nothing here: {reason}."
        guarantee = three_digits(report.bound.total)
        return f"Frobenius error **{error}**; proposition 3 guarantees at most **{guarantee}**."

    @property
    def numbers(self) -> html.NumberTable | None:
        """The parts of the bound."""
        if not self.has("report"):
            return None
        report, bound, orders = self.report, self.report.bound, self.report.orders
        sign = "≥ " if bound.is_least else ""
        ball = "constant C for ‖x‖ ≤ R" if needs_ball(self.scene.kernel) else "constant C"
        four = report.quadruple
        change, allowed = (four.first - four.second) ** 2, report.printed * four.moved
        rows: list[html.Row] = []
        if report.sampled is not None:
            interval = html.interval(report.interval, report.sampled.no_interval)
            rows.append((Label("95 % interval", "error_interval"), interval, ""))
        clusters = f"n/m = {three_digits(bound.n / bound.m)}"
        looseness = f"10<sup>{orders.sum():.2f}</sup>" if len(orders) else "–"
        rows += [
            (Label("bound / error", "looseness"), looseness, ""),
            (
                Label(GUARANTEES["inverse_term"][0], "inverse_term"),
                sign + three_digits(bound.inverse_term),
                "",
            ),
            (Label(GUARANTEES["encoding_term"][0], "encoding_term"), three_digits(bound.encoding_term), ""),
            (Label("largest cluster T", "largest_cluster"), grouped(bound.largest_cluster), clusters),
            (Label("quantization error e", "quantization"), three_digits(bound.quantization), ""),
            (Label("‖W⁻¹‖<sub>F</sub>", "inverse_norm"), sign + three_digits(bound.inverse_norm), ""),
            (
                Label(ball, "constant"),
                three_digits(bound.constant),
                f"printed{' ≤' if needs_ball(self.scene.kernel) else ''} {three_digits(report.printed)}",
            ),
            (
                Label("change at four points", "four_points"),
                three_digits(change),
                f"allowed {three_digits(allowed)}",
            ),
        ]
        return html.NumberTable((html.PLAIN,) * 3, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Report the notes of the approximation, and say why no step of the proof is drawn."""
        if not self.has("report"):
            return []
        notes = [*self.report.approximation.notes]
        if not len(self.report.orders):
            reason = "The error is 0 up to rounding, or there is no bound"
            notes.append(f"{reason}: no step of the proof is loose.")
        return notes

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the bound with its parts and steps, the error, and the entry with the largest error."""
        report, begin = self.report, self.choice.head(self.scene, picture="one_approximation")
        values: dict[str, object] = {term: getattr(report.bound, term) for term in TERMS}
        values |= {"printed_constant": report.printed, "frobenius": report.error}
        values |= {"most_of_pairs": float(report.ratios.max(initial=0.0))}
        if report.interval is not None:
            values["frobenius_low"], values["frobenius_high"] = report.interval
        rows = measured(begin, values)
        for step in report.steps:
            rows += measured({**begin, "step": step.name}, {"ladder": step.value})
        row, column = self.worst
        return rows + measured({**begin, "row": row, "column": column}, self.entry_errors)

    @chart(
        "report",
        "runs",
        caption=(
            "Measured: the error itself, and smaller is better. Bound: what proposition 3 guarantees, "
            "the sum of its two terms, one of which may lie below it. The grey level ‖K‖ is the error of "
            "K̃ = 0: a bound above it says nothing by its size, only by its form. Lines are medians of "
            "runs with other seeds; rings are the run of the table."
        ),
    )
    def curve(self) -> go.Figure:
        """Draw error and bound against m/n of the runs so far."""
        scene, choice, report = self.scene, self.choice, self.report
        n, (counts, _) = scene.data.n, curve_counts(scene.data.n)
        # By the percentage of landmarks.
        values = {
            measure: {100 * m / n: by[choice.method] for m, by in by_method(self.runs, measure).items()}
            for measure in ("frobenius", "bound", "encoding_term", "inverse_term")
        }
        unsettled = {
            100 * record.m / n
            for record in self.runs
            if theory.why_no_guarantee(*(record.values[name] for name in ("bound", "frobenius", "is_least")))
        }
        for measure in ("bound", "inverse_term"):
            values[measure] = {x: runs for x, runs in values[measure].items() if x not in unsettled}
        term = values["encoding_term"]
        values["encoding_term"] = {x: runs for x, runs in term.items() if np.isfinite(runs).all()}
        counts_of_runs = [len(runs) for runs in values["frobenius"].values()]
        repeats = "runs under way"
        if counts_of_runs:
            repeats = f"{ranged(counts_of_runs, 'repeat')}, quartiles"
        if not METHODS[choice.method].random:
            repeats = "no randomness"
        if not matrices.is_exact(scene):
            repeats += "; errors from 500 sampled rows"
        if unsettled:
            repeats += "; no bound where W is singular or rounding decides"
        sheet = self.sheet("Error and bound against m / n", f"{scene.subtitle}; {repeats}")
        bound = math.nan if report.why_no_guarantee else report.bound.total
        chosen_point = (100 * choice.m / n, report.error, bound)
        return bound_chart(100 * counts[-1] / n, values, report.whole, choice.method, chosen_point, sheet)

    @chart(
        "report",
        when=lambda study: len(study.report.orders) > 0,
        caption=(
            "Each bar is a step of the proof, from the measured error up to the bound. Its length says "
            "how much the step gives away: 2 means a factor of 100. The longest is marked; the maths below "
            "has the steps."
        ),
    )
    def ladder(self) -> go.Figure:
        """Draw the looseness of each step of the proof."""
        return ladder_chart(STEPS, self.report.orders, self.sheet("Looseness by step of the proof"))

    @property
    def entry_words(self) -> tuple[str, str]:
        """The error of the worst entry, and its error with its rows among the landmarks."""
        (i, j), errors = self.worst, self.entry_errors
        title = f"Worst entry ({i}, {j}): off by {three_digits(errors['entry_error'])}"
        return title, f"{three_digits(errors['entry_error_as_landmarks'])} if both rows were landmarks"

    @chart(
        "report",
        "entry_errors",
        alt=lambda study: "; ".join(study.entry_words) + ".",
        caption=(
            "Each point is a row of the data; its colour is the error of its entry with the first of the "
            "two joined rows, which are those of the worst entry."
        ),
    )
    def entry(self) -> go.Figure:
        """Draw the data by the error of their entries with the worst entry's first point, and the pair."""
        scene, a, pair = self.scene, self.report.approximation, self.worst
        assert a.landmarks is not None
        X, (i, j), (title, after) = scene.data.X, pair, self.entry_words
        picture = matrices.picture(scene, None)
        approximate = a.take(picture.rows) @ a.take(np.array([i]))[0]
        errors = np.abs(scene.kernel(X[i : i + 1], X[picture.rows])[0] - approximate)
        are_data, where = METHODS[self.choice.method].landmarks_are_data, picture.place(X[[i, j]])
        sheet = self.sheet(title, f"{after}; colour: row {i}")
        return entry_map(picture, errors, a.landmarks, are_data, pair, where, sheet)

    # Last in the class, because its name hides the decorator.
    @chart(
        "report",
        caption=(
            "C limits how much the kernel changes when points move. A dot or cross above a level line "
            "breaks that constant; far below it the constant is larger than necessary there."
        ),
    )
    def property(self) -> go.Figure:
        """Draw the ratio of property (8) at pairs of points with its constants, and the four points."""
        report = self.report
        constants, points = (report.bound.constant, report.printed), (report.where, report.ratios)
        sheet = self.sheet("Does the constant hold?", "curve: small moves; dots: data")
        kernel, scale = unscaled(on_a_line(self.scene.kernel))
        return property_chart(kernel, scale, report.radius, constants, report.quadruple, points, sheet)
