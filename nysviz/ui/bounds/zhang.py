"""The first view of the page "Bounds": one approximation with the bound of proposition 3, and its proof."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis import bounds
from nysviz.analysis.bounds.property_eight import distances, entries, on_a_line
from nysviz.analysis.bounds.zhang import needs_ball, radius_of
from nysviz.figures.bounds import bound_chart, entry_map, ladder_chart, property_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import SQUARE_COPIES
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.memory import square_bytes
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import SAMPLED_ROWS, SampledErrors, frobenius, sampled_errors, sampled_rows
from nysviz.papers.zhang2008.figure1 import PERCENTS, bound_jobs
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import grouped, ranged, three_digits
from nysviz.ui import computing, large, page
from nysviz.ui.asking import ask, sentences, shared
from nysviz.ui.computing import Options
from nysviz.ui.controls import Choice, choose_method
from nysviz.ui.downloads import measured, with_runs
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, script

REPEATS, LARGE_REPEATS = 5, 2
PAIRS = 300  # pairs of points drawn against property (8); each is one marker of the browser


@dataclass(frozen=True)
class Report:
    """One approximation, its error, with an interval where estimated, and what proposition 3 says of it."""

    approximation: LowRank
    bound: bounds.ErrorBound
    steps: tuple[bounds.Step, ...]
    error: float
    sampled: SampledErrors | None
    whole: float
    worst: tuple[int, int]
    where: FloatArray
    ratios: FloatArray
    radius: float
    printed: float
    quadruple: bounds.Quadruple

    @property
    def why_no_guarantee(self) -> str:
        """Why proposition 3 gives no number here; empty where it gives one."""
        return bounds.why_no_guarantee(self.bound.total, self.error, self.bound.is_least)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of the 95 % interval of the error; None where it is exact, and where the sample has none."""
        if self.sampled is None or self.sampled.interval is None:
            return None
        low, high = self.sampled.interval
        return low * self.whole, high * self.whole

    @property
    def orders(self) -> FloatArray:
        """log₁₀ of what each step of the proof gives away, from the error up; empty without a guarantee."""
        values = np.array([step.value for step in self.steps])
        # An error below this part of ‖K‖ is rounding.
        if self.why_no_guarantee or self.error <= 1e-10 * self.whole or not (values > 0).all():
            return np.empty(0)
        # Rounding may put two equal steps in the wrong order.
        return np.maximum(np.log10(values[:-1] / values[1:]), 0.0)[::-1]


def _report_bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    # K less K̃ is measured in blocks, beside W and its inverse.
    n = scene.data.n
    held = computing.approximation_bytes(scene, method, m, options) + square_bytes(m, SQUARE_COPIES)
    return held + (square_bytes(n) if computing.is_exact(scene) else 0.0)


@shared(holds=_report_bytes)
def report_of(scene: Scene, method: str, m: int, options: Options) -> Report:
    """Approximate K, bound the error and measure it."""
    a = computing.approximation(scene, method, m, options)
    X, kernel = scene.data.X, scene.kernel
    assert a.landmarks is not None
    bound, radius = bounds.error_bound(X, kernel, a), radius_of(X, a.landmarks)
    K = computing.kernel_matrix(scene)
    if K is not None:
        error, worst = bounds.left_and_worst(K, a.factor)
        steps = bounds.ladder(X, kernel, a, K=K, measured=error, bound=bound)
        sampled, whole = None, frobenius(K)
    else:
        sampled = sampled_errors(X, kernel, a)
        # They stand for all rows of A in the proof, and are searched for the worst entry.
        rows = sampled_rows(len(X), SAMPLED_ROWS)
        error = sampled.frobenius
        steps = bounds.ladder(X, kernel, a, rows=rows, measured=error, bound=bound)
        whole = error / sampled.relative_frobenius if sampled.relative_frobenius > 0 else 0.0
        worst = _worst_entry(X, kernel, a, rows)
    # Property (8) between random pairs of points and the pairs of their landmarks.
    pairs = X[np.random.default_rng(0).integers(len(X), size=(2, PAIRS))]
    code = bounds.encode(np.concatenate(pairs), a.landmarks)
    nearest = code.landmarks[code.labels].reshape(pairs.shape)
    ratios = bounds.change_ratio(kernel, *pairs, *nearest)
    ball = radius if needs_ball(kernel) else None
    where = distances(kernel, *pairs) if ball is None else np.abs(np.einsum("ij,ij->i", *pairs))
    printed, quadruple = bounds.printed_constant(kernel, ball), bounds.violating_quadruple(kernel, ball)
    return Report(a, bound, steps, error, sampled, whole, worst, where, ratios, radius, printed, quadruple)


def _worst_entry(X: FloatArray, kernel: Kernel, a: LowRank, rows: IntArray) -> tuple[int, int]:
    """The off-diagonal entry that is reproduced worst, in the given rows and some random columns of them."""
    columns = computing.drawn_rows(len(X), 20_000)
    against, right = kernel.against(X[rows]), a.take(rows).T
    found: list[tuple[float, int, int]] = []
    for part in np.array_split(columns, max(1, len(columns) // 1000)):
        gap = np.abs(against(X[part]) - a.take(part) @ right)
        gap[part[:, None] == rows] = -1.0
        i, j = divmod(int(gap.argmax()), len(rows))
        low, high = sorted((int(part[i]), int(rows[j])))
        found.append((-float(gap[i, j]), low, high))
    # Of equally large ones the first.
    _, low, high = min(found)
    return low, high


@shared(holds=lambda scene, method, m, options, rows: square_bytes(m, SQUARE_COPIES))
def entry_of(scene: Scene, method: str, m: int, options: Options, rows: tuple[int, int]) -> dict[str, float]:
    """Try proposition 1: measure |K_ij − K̃_ij| with the landmarks as they are, and with both points added."""
    landmarks = computing.approximation(scene, method, m, options).landmarks
    assert landmarks is not None
    points = scene.data.X[list(rows)]
    more = np.concatenate([landmarks, points])
    return {
        "entry": float(entries(scene.kernel, points[:1], points[1:])[0]),
        "entry_error": float(bounds.entry_errors(scene.kernel, landmarks, points)[0, 1]),
        "entry_error_as_landmarks": float(bounds.entry_errors(scene.kernel, more, points)[0, 1]),
    }


def curve_counts(n: int) -> tuple[tuple[int, ...], int]:
    """Return the numbers of landmarks of the curve, m = 1 … 10 % of n, and of repeats; fewer of many rows."""
    return large.counts(n, PERCENTS[-1]), LARGE_REPEATS if large.is_large(n) else REPEATS


TERMS = (
    "total", "encoding_term", "inverse_term", "largest_cluster", "quantization", "inverse_norm", "constant",
)  # fmt: skip
# The steps of the proof, from the error up: a short name, and what is given away.
STEPS = {
    "parts added": "Norms of the four parts of K − K̃ are added, though the parts cancel in part.",
    "‖W⁻¹‖ for W⁻¹": "B W⁻¹ Bᵀ is bounded by ‖B‖² ‖W⁻¹‖₂.",
    "C and e": "The changes A and B are bounded through property (8) and e.",
    "Frobenius ‖W⁻¹‖": "‖W⁻¹‖_F takes the place of ‖W⁻¹‖₂.",
    "all of size T": "Every cluster is taken to be as large as the largest.",
    "blocks added": "Norms of T² blocks are added as numbers, not as squares.",
}


def answer(report: Report) -> str:
    """Answer the page's question in one line, with its numbers."""
    error = f"{'about ' if report.sampled is not None else ''}{three_digits(report.error)}"
    if reason := report.why_no_guarantee:
        return f"Frobenius error **{error}**; proposition 3 guarantees nothing here: {reason}."
    most = three_digits(report.bound.total)
    return f"Frobenius error **{error}**; proposition 3 guarantees at most **{most}**."


def numbers(scene: Scene, report: Report) -> str:
    """Return the parts of the bound as a table."""
    bound, orders = report.bound, report.orders
    least = "≥ " if bound.is_least else ""
    ball = "constant C for ‖x‖ ≤ R" if needs_ball(scene.kernel) else "constant C"
    rows = []
    if report.sampled is not None:
        rows.append(("95 % interval", page.interval(report.interval, report.sampled.no_interval), ""))
    four = report.quadruple
    change, allowed = (four.first - four.second) ** 2, report.printed * four.moved
    rows += [
        ("term with ‖W⁻¹‖", least + three_digits(bound.inverse_term), ""),
        ("term without", three_digits(bound.encoding_term), ""),
        ("largest cluster T", grouped(bound.largest_cluster), f"n/m = {three_digits(bound.n / bound.m)}"),
        ("quantization error", three_digits(bound.quantization), ""),
        ("‖W⁻¹‖<sub>F</sub>", least + three_digits(bound.inverse_norm), ""),
        (ball, three_digits(bound.constant), f"printed {three_digits(report.printed)}"),
        ("at four points", three_digits(change), f"limit {three_digits(allowed)}"),
        ("looseness", f"{orders.sum():.2f} orders" if len(orders) else "–", ""),
    ]
    return page.number_table(("", "", ""), rows)


def rows(scene: Scene, choice: Choice, report: Report, entry: dict[str, float]) -> list[dict[str, object]]:
    """The bound with its parts and steps, the error, and the entry of K that is reproduced worst."""
    pair = report.worst
    begin = choice.head(scene, picture="one_approximation")
    values: dict[str, object] = {term: getattr(report.bound, term) for term in TERMS}
    values |= {"printed_constant": report.printed, "frobenius": report.error}
    values |= {"most_of_pairs": float(report.ratios.max(initial=0.0))}
    if report.interval is not None:
        values["frobenius_low"], values["frobenius_high"] = report.interval
    records = measured(begin, values)
    for step in report.steps:
        records += measured({**begin, "step": step.name}, {"ladder": step.value})
    return records + measured({**begin, "row": pair[0], "column": pair[1]}, entry)


def python(scene: Scene, choice: Choice, pair: tuple[int, int]) -> str:
    """Write the script."""
    radius = ", radius_of(X, a.landmarks)" if needs_ball(scene.kernel) else ""
    ms, repeats = curve_counts(scene.data.n)
    repeats = repeats if METHODS[choice.method].random else 1
    asked = f"{{{choice.method!r}: {choice.options!r}}}, {list(ms)}, {repeats}, {scene.seed}"
    steps = """steps = ladder(X, kernel, a)
print(here, "frobenius", steps[-1].value)"""
    if not computing.is_exact(scene):
        steps = f"""error = sampled_errors(X, kernel, a)
print(here, "frobenius", error.frobenius)
whole = error.frobenius / error.relative_frobenius if error.relative_frobenius > 0 else 0.0
for end, value in zip(("low", "high"), error.interval or ()):
    print(here, f"frobenius_{{end}}", value * whole)
steps = ladder(X, kernel, a, rows=sampled_rows(len(X), {SAMPLED_ROWS}), measured=error.frobenius)"""
    return script(
        scene,
        """import numpy as np
from nysviz.analysis.bounds import change_ratio, encode, entry_errors, error_bound, ladder, printed_constant
from nysviz.analysis.bounds.zhang import radius_of
from nysviz.papers.zhang2008.figure1 import bound_jobs
from nysviz.nystroem.measures import sampled_errors, sampled_rows
from nysviz.sweep import Problem, run_jobs, tidy""",
        f"""X = data.X
{choice.code(scene)}
here = "picture=one_approximation"
bound = error_bound(X, kernel, a)
for term in {TERMS!r}:
    print(here, term, getattr(bound, term))
print(here, "printed_constant", printed_constant(kernel{radius}))
{steps}
for step in steps:
    print(here, f"step={{step.name}} ladder", step.value)

# Property (8) for random pairs of points against their landmarks.
found = encode(X, a.landmarks)
i, j = np.random.default_rng(0).integers(len(X), size=(2, {PAIRS}))
nearest = found.landmarks[found.labels]
print(here, "most_of_pairs", change_ratio(kernel, X[i], X[j], nearest[i], nearest[j]).max())

# One entry of K, with the landmarks as they are and with both of its points among them.
points = X[{list(pair)}]
more = np.concatenate([a.landmarks, points])
print(here, "entry", kernel(points)[0, 1])
print(here, "entry_error", entry_errors(kernel, a.landmarks, points)[0, 1])
print(here, "entry_error_as_landmarks", entry_errors(kernel, more, points)[0, 1])

{computing.problem_code(scene)}
jobs = bound_jobs(problem, {asked})
{computing.RECORDS_CODE}
{computing.TABLE_CODE}""",
    )


@st.fragment
@sentences()
def view(scene: Scene) -> None:
    """Draw the view: the curve over m fills in as runs finish."""
    place, left, right = page.places(0.64)
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options = st.container()
        with controls:
            choice = choose_method(scene, options)
    charts = st.columns(3, gap="medium")
    end = st.container()
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        if choice.method not in OFFERED:
            problem = f"Proposition 3 needs one set of landmarks, which {choice.label} does not have."
            st.info(f"{problem} Choose another method, such as {METHODS['kmeans'].label}.")
            return
        report = ask(report_of, *question, what=f"{choice.label}, m = {choice.m}, and its bound")
        if report is None:
            return
        place.markdown(page.unbroken(answer(report)))
        table.html(numbers(scene, report))
        for note in report.approximation.notes:
            notes.caption(note)
        (ms, repeats), methods = curve_counts(scene.data.n), {choice.method: choice.options}
        run = computing.run_on(
            scene,
            "bounds curve",
            lambda problem: bound_jobs(problem, methods, ms, repeats, scene.seed),
            *(choice.method, choice.options, repeats),
            methods=methods,
            m=ms[-1],
        )
        what = f"{choice.label} at {len(ms)} ratios m/n"
        follow(run, partial(_draw_curve, scene, choice, report), what, beside=True)
    with charts[0]:
        if len(report.orders):
            sheet = page.sheet("Looseness by step of the proof")
            page.show(ladder_chart(STEPS, report.orders, sheet), "ladder")
        else:
            st.caption("The error is 0 up to rounding, or there is no bound: no step of the proof is loose.")
    with charts[1]:
        shown = (report.bound.constant, report.printed), report.quadruple, (report.where, report.ratios)
        sheet = page.sheet("Does the constant hold?", "curve: small moves; dots: data")
        figure = property_chart(on_a_line(scene.kernel), report.radius, *shown, sheet)
        page.show(figure, "property")
    with charts[2]:
        what = "The worst entry with its points as landmarks"
        entry = ask(entry_of, *question, report.worst, what=what)
        if entry is None:
            return
        _draw_entry(scene, choice, report, entry)
    with end:
        written = with_runs(rows(scene, choice, report, entry), run, scene.data.name)
        page.closing("bounds_zhang", python(scene, choice, report.worst), written)


def _draw_curve(scene: Scene, choice: Choice, report: Report, records: Sequence[Record]) -> None:
    n, (ms, _) = scene.data.n, curve_counts(scene.data.n)
    # By the percentage of landmarks.
    values = {
        measure: {100 * m / n: of[choice.method] for m, of in by_method(records, measure).items()}
        for measure in ("frobenius", "bound", "encoding_term", "inverse_term")
    }
    unsettled = {
        100 * record.m / n
        for record in records
        if bounds.why_no_guarantee(*(record.values[name] for name in ("bound", "frobenius", "is_least")))
    }
    for measure in ("bound", "inverse_term"):
        values[measure] = {x: runs for x, runs in values[measure].items() if x not in unsettled}
    term = values["encoding_term"]
    values["encoding_term"] = {x: runs for x, runs in term.items() if np.isfinite(runs).all()}
    repeats = f"{ranged(map(len, values['frobenius'].values()), 'repeat')}, quartiles"
    if not METHODS[choice.method].random:
        repeats = "no randomness"
    if not computing.is_exact(scene):
        repeats += "; errors from 500 sampled rows"
    if unsettled:
        repeats += "; no bound where W is singular or rounding decides"
    sheet = page.sheet("Error and bound against m / n", f"{scene.subtitle}; {repeats}")
    here = (100 * choice.m / n, report.error, math.nan if report.why_no_guarantee else report.bound.total)
    figure = bound_chart(100 * ms[-1] / n, values, report.whole, choice.method, here, sheet)
    page.show(figure, "curve")


def _draw_entry(scene: Scene, choice: Choice, report: Report, entry: dict[str, float]) -> None:
    """Draw the data by the error of their entries with the first point of the worst entry, and the pair."""
    a, X, pair = report.approximation, scene.data.X, report.worst
    i, j = pair
    assert a.landmarks is not None
    shown = computing.picture(scene, None)
    approximate = a.take(shown.rows) @ a.take(np.array([i]))[0]
    title = f"Worst entry ({i}, {j}): off by {three_digits(entry['entry_error'])}"
    after = f"{three_digits(entry['entry_error_as_landmarks'])} with its rows as landmarks"
    sheet = page.sheet(title, f"{after}; colour: row {i}")
    errors = np.abs(scene.kernel(X[i : i + 1], X[shown.rows])[0] - approximate)
    are_data, where = METHODS[choice.method].landmarks_are_data, shown.place(X[[i, j]])
    figure = entry_map(shown, errors, a.landmarks, are_data, pair, where, sheet)
    page.show(figure, "entry", f"{title}; {after}.")
