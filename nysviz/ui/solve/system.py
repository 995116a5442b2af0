"""The view "Linear system" of the page "Solve": residuals by iteration, iterations and seconds against m."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.learning.conjugate_gradients import (
    TOLERANCE,
    Solution,
    condition_bound,
    solve,
    solve_exactly,
)
from nysviz.analysis.learning.feature_trial import single_target
from nysviz.engine import Run
from nysviz.figures.drawing import with_layout
from nysviz.figures.solve import PLAIN, by_landmarks, residual_chart
from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.timing import RULE, timed
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import LowRank
from nysviz.sweep import Job, Problem
from nysviz.text import counted, grouped, in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import sentences
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, head, script
from nysviz.ui.solve.choices import EXACT, NONE, Question, at, choose, curves, end_of, part_of
from nysviz.ui.warming import load_loops

LABELS = {NONE: PLAIN, EXACT: "exact (Cholesky)"}
SHARES = {1e-8: "10⁻⁸", 1e-7: "10⁻⁷", 1e-6: "10⁻⁶", 1e-5: "10⁻⁵", 1e-4: "10⁻⁴", 1e-3: "10⁻³", 1e-2: "10⁻²"}


@dataclass(frozen=True, eq=False)
class Solved:
    """One way to solve the system: what ``Solution`` has but for x, and the seconds of the landmarks."""

    method: str
    m: int
    residuals: FloatArray
    converged: bool
    condition: float
    bound: float
    seconds: float

    @property
    def iterations(self) -> int:
        """Products with K."""
        return len(self.residuals) - 1

    @property
    def written(self) -> str:
        """Iterations as a table has them."""
        return str(self.iterations) if self.converged else f"> {self.iterations}"


@st.fragment
def view(whole: Scene) -> None:
    """Solve (K + μI) x = b with each method's approximation as preconditioner."""
    answer, left, right = page.places(0.62)
    with right:
        scene = part_of(whole)
        methods, m, ms = choose(scene, scene.data.n, "solve")
        note = "A small μ makes the system ill conditioned, and the preconditioner worth more."
        share = stops("μ / tr K", SHARES, "solve_shift", 1e-6, SHARES, help=note)
        # Where K is not held each iteration evaluates all of it.
        question = Question(methods, m, ms if computing.is_exact(scene) else (m,), share)
        table = st.container()
        st.caption(page.unbroken(f"Times: {RULE}."))
    below = st.empty()

    def draw(records: Sequence[Solved]) -> None:
        answer.markdown(page.unbroken(_answer(question, records)))
        table.html(_numbers(question, records))
        _draw_residuals(scene, question, records)
        if computing.is_exact(scene):
            with below.container():
                _draw_curves(scene, question, records)

    run = _run_of(scene, question)
    with left, sentences():
        follow(run, draw, what="Systems solved")
    page.closing("solve_system", _python(scene, question), partial(_rows, scene, question, run))


def _run_of(scene: Scene, question: Question) -> Run:
    methods, ms = question.methods, question.ms

    def jobs(problem: Problem) -> list[Job]:
        work = partial(_solved, problem, _right_side(scene), _shift_of(scene, question), scene.seed)
        ends = (NONE, EXACT) if computing.is_exact(scene) else (NONE,)
        return question.jobs(("linear system", problem.digest, problem.kernel, scene.seed), ends, work)

    asked = question.level, methods, ms
    return computing.run_on(scene, "linear system", jobs, *asked, methods=methods, m=max(ms), alone=True)


def _shift_of(scene: Scene, question: Question) -> float:
    """Return μ."""
    return question.level * float(scene.kernel.diag(scene.data.X).sum())


def _right_side(scene: Scene) -> FloatArray:
    """Return the target of the data, or random numbers where there is none."""
    if scene.data.y is None or scene.data.task is None:
        return np.random.default_rng(scene.seed).standard_normal(scene.data.n)
    return single_target(scene.data)


def _solved(
    problem: Problem, b: FloatArray, shift: float, seed: int, method: str, m: int
) -> tuple[Solved, ...]:
    K = problem.matrix()
    if m:
        load_loops(method)

    def exactly() -> tuple[None, float]:
        started = time.perf_counter()
        solve_exactly(K, b, shift)
        return None, time.perf_counter() - started

    if method == EXACT:
        return (Solved(method, m, np.ones(1), True, math.nan, math.nan, timed(exactly).seconds),)

    def iterate() -> tuple[tuple[LowRank | None, Solution], float]:
        a = None if method == NONE else approximate(problem.X, problem.kernel, method, m, seed)
        found = solve(K, b, shift, a, most=_most(problem.is_exact))
        return (a, found), found.seconds + (0.0 if a is None else a.seconds)

    system = timed(iterate)
    a, found = system.result
    bound = math.nan if a is None else condition_bound(K, a, shift)
    return (Solved(method, m, found.residuals, found.converged, found.condition, bound, system.seconds),)


def _most(is_exact: bool) -> int:
    # Where K is not held an iteration takes half a second or so, for 20 000 rows.
    return 1_000 if is_exact else 200


def _draw_residuals(scene: Scene, question: Question, records: Sequence[Solved]) -> None:
    plain, lines = end_of(records, NONE), []
    for one in [one for one in records if one.m == question.m]:
        y, label = one.residuals, METHODS[one.method].brief
        hover = [
            f"{label}, m = {one.m}<br>iteration {i}, residual {three_digits(float(value))}"
            for i, value in enumerate(y)
        ]
        lines.append(Line(one.method, label, np.arange(len(y), dtype=np.float64), y, y, y, hover))
    title = "Residual by iteration"
    sheet = page.sheet(title, f"{scene.subtitle}; μ = {three_digits(_shift_of(scene, question))}")
    figure = residual_chart(lines, plain and plain.residuals, TOLERANCE, sheet)
    page.show(figure, "residuals")


def _draw_curves(scene: Scene, question: Question, records: Sequence[Solved]) -> None:
    ends = {one.method: one for one in records if not one.m}
    across = question.ms, question.m
    first, second = st.columns(2, gap="medium")
    with first:
        lines = curves(question, records, lambda one: one.iterations, "{:.0f}".format)
        plain = [(float(ends[NONE].iterations), PLAIN, "dash")] if NONE in ends else []
        sheet = page.sheet(f"Iterations to a residual of {SHARES[TOLERANCE]}")
        figure = by_landmarks(lines, plain, *across, "iterations", sheet)
        page.show(with_layout(figure, showlegend=False), "iterations")
    with second:
        lines = curves(question, records, lambda one: one.seconds, in_seconds)
        dashes = {EXACT: "dot", NONE: "dash"}
        levels = [(one.seconds, LABELS[name], dashes[name]) for name, one in ends.items()]
        sheet = page.sheet("Time, choice of landmarks included")
        page.show(by_landmarks(lines, levels, *across, "seconds", sheet), "seconds")


def _answer(question: Question, records: Sequence[Solved]) -> str:
    ours, plain = [one for one in records if one.m == question.m], end_of(records, NONE)
    if not ours:
        return page.WAITING if plain is None else f"(K + μI) x = b takes **{plain.written} iterations**."
    best = min(ours, key=lambda one: (not one.converged, one.iterations))
    without = "" if plain is None else f", **{plain.written}** without a preconditioner"
    spent = ("" if best.converged else "more than ") + counted(best.iterations, "iteration")
    of = f"{counted(question.m, 'landmark')} ({METHODS[best.method].label})"
    return f"(K + μI) x = b takes **{spent}** with {of}{without}."


def _numbers(question: Question, records: Sequence[Solved]) -> str:
    """Return the table: iterations, seconds and condition number, with its bound."""
    rows = []
    for one in sorted(at(records, question.m), key=lambda one: one.seconds):
        shown = "–" if one.method == EXACT else one.written
        name = METHODS[one.method].brief if one.m else LABELS[one.method]
        rows.append((name, shown, three_digits(1e3 * one.seconds), _short(one.condition), _short(one.bound)))
    return page.number_table(("", "iterations", "ms", "κ", "κ ≤"), rows)


def _short(value: float) -> str:
    return grouped(round(float(f"{value:.2e}"))) if 1000 <= value < 1e6 else three_digits(value)


def _rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Return iterations, condition numbers and seconds of all runs, and the residuals of those shown."""
    found = []
    for one in sorted(run.records(), key=lambda one: (one.method, one.m)):
        begin = head(scene, method=one.method, m=one.m, mu=_shift_of(scene, question))
        found += measured(begin, {"seconds": one.seconds})
        if one.method == EXACT:
            continue
        bound = None if math.isnan(one.bound) else one.bound
        values = {"iterations": one.iterations, "condition": one.condition, "condition_bound": bound}
        found += measured(begin, values)
        if one.m in (question.m, 0):
            for i, value in enumerate(one.residuals):
                found += measured({**begin, "iteration": i}, {"residual": float(value)})
    return found


def _python(scene: Scene, question: Question) -> str:
    dense = ", dense=kernel(data.X)" if computing.is_exact(scene) else ""
    b = f"np.random.default_rng({scene.seed}).standard_normal(data.n)"
    if scene.data.y is not None and scene.data.task is not None:
        b = "single_target(data)"
    return script(
        scene,
        """import numpy as np
from nysviz.analysis.learning.conjugate_gradients import condition_bound, solve
from nysviz.analysis.learning.feature_trial import single_target
from nysviz.kernels.matrix import KernelMatrix""",
        f"""K = KernelMatrix(data.X, kernel{dense})
b, shift = {b}, {question.level!r} * float(kernel.diag(data.X).sum())
for method, m in [("{NONE}", 0), *((method, m) for method in {list(question.methods)!r} for m in \
{sorted(question.ms)})]:
    a = None if m == 0 else nv.approximate(data.X, kernel, method, m, {scene.seed})
    found = solve(K, b, shift, a, most={_most(computing.is_exact(scene))})
    print(f"method={{method}} m={{m}} iterations", found.iterations)
    print(f"method={{method}} m={{m}} condition", found.condition)
    if a is not None and not np.isnan(bound := condition_bound(K, a, shift)):
        print(f"method={{method}} m={{m}} condition_bound", bound)
    if m in (0, {question.m}):
        for i, residual in enumerate(found.residuals):
            print(f"method={{method}} m={{m}} iteration={{i}} residual", residual)""",
    )
