"""The view "Gaussian process" of the page "Solve": bounds and test score against m, and predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.figures.look import inert
from nysviz.figures.solve import EXACT as EXACT_END
from nysviz.figures.solve import by_landmarks, process_chart
from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.sweep import Progress
from nysviz.text import three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_by_number
from nysviz.ui.inputs import box, method_label, stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.solve import process_result as result
from nysviz.ui.solve.choices import choose_m, choose_methods, part_of
from nysviz.ui.solve.process_result import EXACT, Fitted, Question, label

NOISES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
FIRST_NOISE = 0.1
# Training rows that are drawn.
DRAWN_ROWS = 400
# Their K − K̃ has negative eigenvalues, and there is no bound.
LEFT_OUT = tuple(name for name, entry in METHODS.items() if entry.family == "random features")


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    methods = choose_methods(scene, "solve_process_methods", LEFT_OUT)
    n = len(result.split_of(scene.data, scene.seed).y)
    m, ms = choose_m(n, "solve_process_m")
    note = "Variance of the noise, in units of the target's. The less noise, the more inducing points."
    noise = stops("Noise σ²", NOISES, "solve_noise", FIRST_NOISE, lambda value: f"{value:g}", help=note)
    return Question(methods, m, ms, noise)


@st.fragment
def view(whole: Scene) -> None:
    """Show what inducing points chosen by each method leave of an exact Gaussian process."""
    if problem := result.problem_with(whole.data):
        st.info(problem, icon=":material/info:")
        return
    answer = page.answer_place()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        scene = part_of(whole)
        question = choose(scene)
        table = st.container()
    first, second = st.columns(2, gap="medium")
    end = st.container()

    def draw(records: Sequence[Fitted], progress: Progress) -> None:
        _draw_gaps(scene, question, records)
        if not records:
            for place in (answer, table, first, end):
                place.empty()
            return
        answer.markdown(page.unbroken(result.answer(question, records)))
        table.html(result.numbers(question, records))
        with first:
            _draw_scores(question, records)
        with end:
            rows = partial(result.rows, scene, question, records)
            page.closing("solve_process", result.python(scene, question), rows)

    with left, page.sentences():
        follow(result.run_of(scene, question), draw, what="Processes")
    if question.methods:
        with second:
            _show_line(scene, question)


def _draw_gaps(scene: Scene, question: Question, records: Sequence[Fitted]) -> None:
    exact = result.exact_of(records)
    # Of many rows, where log p(y) is not known, the distance to its upper bound.
    known = exact is not None or computing.is_exact(scene)
    lines = [] if known and exact is None else _curves(question, records, lambda one: result.gap(one, exact))
    name = "log p(y) − lower bound (nats)" if known else "upper − lower bound of log p(y) (nats)"
    title = "How far is the bound from the evidence?"
    subtitle = f"{scene.subtitle}; σ² = {question.noise:g}"
    page.show(
        by_landmarks(lines, [], question.ms, question.m, name, page.theme(), title, subtitle, height=440),
        "gap",
        title,
    )


def _draw_scores(question: Question, records: Sequence[Fitted]) -> None:
    exact = result.exact_of(records)
    ends = [] if exact is None else [(exact.nlpd, EXACT_END)]
    lines = _curves(question, records, lambda one: one.nlpd)
    title = "Test score against inducing points"
    subtitle = "negative log predictive density of a held-out fifth; lower is better"
    figure = by_landmarks(
        lines, ends, question.ms, question.m, "NLPD", page.theme(), title, subtitle, log=False
    )
    page.show(figure, "nlpd", title)


def _curves(question: Question, records: Sequence[Fitted], value: Callable[[Fitted], float]) -> list[Line]:
    lines = []
    for method in question.methods:
        found = sorted((one for one in records if one.method == method), key=lambda one: one.m)
        if found:
            x, y = np.array([(one.m, value(one)) for one in found], dtype=float).T
            hover = [f"{label(method)}, m = {one.m}<br>{three_digits(value(one))}" for one in found]
            lines.append(Line(method, label(method), x, y, y, y, hover))
    return lines


def _show_line(scene: Scene, question: Question) -> None:
    """Draw the exact process and one method's along a feature."""
    place, controls = st.container(), st.columns(2, gap="small")
    data = scene.data
    features = data.feature_names or [f"feature {i}" for i in range(data.d)]
    method = box(
        "Inducing points of", question.methods, "solve_along_method", "kmeans", method_label, controls[0]
    )
    names, first = dict(enumerate(map(str, features))), result.telling_feature(data)
    with controls[1]:
        feature = choose_by_number("Along", "solve_along", names, first, data.digest[:8])
    with place:
        what = (scene, method, question.m, question.noise, feature)
        ours = ask(result.along, *what, what=f"{label(method)} on a line", beside=True)
        exact = None
        if computing.is_exact(scene):
            exact_what = (scene, EXACT, 0, question.noise, feature)
            exact = ask(result.along, *exact_what, what="Exact process on a line", beside=True)
        if ours is None or (exact is None and computing.is_exact(scene)):
            return
        places, mean, deviation, column, y = ours
        title = f"Predictions along {names[feature]}"
        shown = np.sort(np.random.default_rng(0).permutation(len(y))[:DRAWN_ROWS])
        figure = process_chart(
            places,
            (mean, deviation),
            None if exact is None else (exact[1], exact[2]),
            (column[shown], y[shown]),
            method,
            f"{label(method)}, m = {question.m}",
            (inert(names[feature]), "target, standardised"),
            page.theme(),
            inert(title),
            "other features at their mean; mean ± 2 deviations",
        )
        page.show(figure, "along", title)
