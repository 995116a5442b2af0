"""The view "Linear system" of the page "Solve": residuals by iteration, iterations and seconds against m."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.figures.solve import PLAIN, by_landmarks, residual_chart
from nysviz.figures.traces import Line
from nysviz.learning.conjugate_gradients import TOLERANCE
from nysviz.sweep import Progress
from nysviz.text import in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.inputs import stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.solve import system_result as result
from nysviz.ui.solve.choices import choose_m, choose_methods, part_of
from nysviz.ui.solve.system_result import EXACT, NONE, Question, Solved, label

SHARES = {1e-8: "10⁻⁸", 1e-7: "10⁻⁷", 1e-6: "10⁻⁶", 1e-5: "10⁻⁵", 1e-4: "10⁻⁴", 1e-3: "10⁻³", 1e-2: "10⁻²"}
FIRST_SHARE = 1e-6


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    methods = choose_methods(scene, "solve_methods")
    m, ms = choose_m(scene.data.n, "solve_m")
    if not computing.is_exact(scene):
        # Each iteration evaluates all of K.
        ms = (m,)
    note = "A small μ makes the system ill conditioned, and the preconditioner worth more."
    share = stops("μ / tr K", SHARES, "solve_shift", FIRST_SHARE, SHARES, help=note)
    return Question(methods, m, ms, share)


@st.fragment
def view(whole: Scene) -> None:
    """Solve (K + μI) x = b with each method's approximation as preconditioner."""
    answer = page.answer_place()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        scene = part_of(whole)
        question = choose(scene)
        table = st.container()
    below = st.container()

    def draw(records: Sequence[Solved], progress: Progress) -> None:
        _draw_residuals(scene, question, records)
        if not records:
            for place in (answer, table, below):
                place.empty()
            return
        answer.markdown(page.unbroken(result.answer(question, records)))
        table.html(result.numbers(question, records))
        with below:
            if computing.is_exact(scene):
                _draw_curves(scene, question, records)
            rows = partial(result.rows, scene, question, records)
            page.closing("solve_system", result.python(scene, question), rows)

    with left, page.sentences():
        follow(result.run_of(scene, question), draw, what="Systems solved")


def _draw_residuals(scene: Scene, question: Question, records: Sequence[Solved]) -> None:
    here = result.at(records, question.m)
    plain = next((one.residuals for one in here if one.method == NONE), None)
    lines = []
    for one in here:
        if one.m:
            steps = np.arange(len(one.residuals), dtype=np.float64)
            hover = [
                f"{label(one.method)}, m = {one.m}<br>iteration {i}, residual {three_digits(float(value))}"
                for i, value in enumerate(one.residuals)
            ]
            y = one.residuals
            lines.append(Line(one.method, label(one.method), steps, y, y, y, hover))
    title = "Residual by iteration"
    subtitle = f"{scene.subtitle}; μ = {three_digits(result.shift_of(scene, question))}"
    page.show(residual_chart(lines, plain, TOLERANCE, page.theme(), title, subtitle), "residuals", title)


def _draw_curves(scene: Scene, question: Question, records: Sequence[Solved]) -> None:
    ends = {one.method: one for one in records if not one.m}
    subtitle = f"μ = {three_digits(result.shift_of(scene, question))}, residual below {SHARES[TOLERANCE]}"
    first, second = st.columns(2, gap="medium")
    with first:
        lines = _curves(question, records, lambda one: float(one.iterations), lambda value: f"{value:.0f}")
        plain = [(float(ends[NONE].iterations), PLAIN)] if NONE in ends else []
        title = "Iterations against landmarks"
        figure = by_landmarks(
            lines, plain, question.ms, question.m, "iterations", page.theme(), title, subtitle
        )
        page.show(figure, "iterations", title)
    with second:
        lines = _curves(question, records, lambda one: one.seconds, in_seconds)
        levels = [
            (one.seconds, (label(name), "dot" if name == EXACT else "dash")) for name, one in ends.items()
        ]
        title = "Time, choice of landmarks included"
        figure = by_landmarks(
            lines, levels, question.ms, question.m, "seconds", page.theme(), title, subtitle
        )
        page.show(figure, "seconds", title)


def _curves(
    question: Question,
    records: Sequence[Solved],
    value: Callable[[Solved], float],
    write: Callable[[float], str],
) -> list[Line]:
    lines = []
    for method in question.methods:
        found = sorted((one for one in records if one.method == method), key=lambda one: one.m)
        if found:
            x, y = (
                np.array(side, dtype=float)
                for side in zip(*((one.m, value(one)) for one in found), strict=True)
            )
            hover = [f"{label(method)}, m = {one.m}<br>{write(value(one))}" for one in found]
            lines.append(Line(method, label(method), x, y, y, y, hover))
    return lines
