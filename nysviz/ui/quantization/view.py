"""The controls and the charts of the page "Quantization"."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from nysviz.figures.encoding import deviation_chart, encoding_chart
from nysviz.papers.zhang2008.figure2 import METHODS as PUBLISHED
from nysviz.papers.zhang2008.figure2 import OFFERED, Cloud
from nysviz.text import capital, three_digits
from nysviz.ui import computing, large, page, state
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_count
from nysviz.ui.inputs import BOUND, several
from nysviz.ui.maps import landmark_map
from nysviz.ui.quantization.result import LABELS, Findings, Question
from nysviz.ui.sidebar.scene import Scene

FIRST_METHODS = (*PUBLISHED, "kmeanspp", "rpcholesky")
# More colours at once than a reader can tell apart help nobody.
MOST_METHODS = 8


def choose(scene: Scene) -> Question:
    """Draw the page's own controls."""
    offered, left_out = large.offered(scene, OFFERED)
    chosen = several("Methods", offered, "quantization_methods", FIRST_METHODS, max_selections=MOST_METHODS)
    m = choose_count(scene.data.n)
    # Where there are many rows a run takes seconds; few points still say which way the cloud lies.
    runs, step, key = ((10, 100, 30), 10, "quantization_runs")
    if large.is_large(scene.data.n):
        runs, step, key = ((3, 20, 5), 1, "quantization_few_runs")
    note = "Each with a seed of its own. A method without randomness runs once."
    repeats = st.slider("Runs of each method", *runs, step, key=key, help=note, **BOUND)
    if left_out:
        st.caption(large.left_out_sentence(left_out, limited=False))
    if left_out_mixtures := large.mixtures_sentence(chosen, (m,)):
        st.caption(left_out_mixtures)
    # One order, however they were clicked: the same choice is the same run.
    return Question(tuple(name for name in OFFERED if name in chosen), m, int(repeats))


CHART = "quantization_runs_chart"
# The run that was clicked, in the address.
PICKED = "quantization_run"


def _run_name(points: Cloud, row: int, m: int) -> str:
    """Name a run as links do."""
    return f"{points.methods[points.groups[row]]}-{points.seeds[row]}-{m}"


def picked(points: Cloud, m: int) -> int:
    """Return the number of the run that was clicked, if it is among these, else of the most accurate one."""
    names = [_run_name(points, row, m) for row in range(len(points))]
    asked = st.query_params.get(PICKED)
    return names.index(asked) if asked in names else int(points.relative.argmin())


def draw_runs(question: Question, points: Cloud, which: int, found: Findings, subtitle: str) -> None:
    """Draw the runs as points that can be clicked."""
    title = "Error against quantization error"
    figure = encoding_chart(points, LABELS, which, page.theme(), title, subtitle)

    def keep() -> None:
        clicked = st.session_state[CHART]["selection"]["points"]
        rows = [int(point["customdata"][0]) for point in clicked if point.get("customdata")]
        # Emptied whenever the chart is drawn anew: what was clicked stays until something else is.
        if rows and rows[0] < len(points):
            state.put(PICKED, _run_name(points, rows[0], question.m))

    page.show(figure, CHART, title, keep)


def draw_landmarks(scene: Scene, question: Question, points: Cloud, which: int, at_rest: bool) -> None:
    """Draw the data with the landmarks of one run, coloured by how badly that run reproduces each point.

    While runs are under way (not ``at_rest``) it gives way to them.
    """
    method, seed = points.methods[points.groups[which]], int(points.seeds[which])
    scene, what = replace(scene, seed=seed), f"Landmarks of {LABELS[method]}"
    a = ask(computing.approximation, scene, method, question.m, (), what=what, beside=not at_rest)
    if a is None or a.landmarks is None:
        return
    error, encoding = (three_digits(float(of[which])) for of in (points.relative, points.quantization))
    title = f"{capital(LABELS[method])}, seed {seed}: relative error {error}"
    subtitle = f"The run with the ring; quantization error {encoding}"
    shown = computing.picture(scene, None)
    errors = computing.point_errors(scene, a, shown.rows)
    figure = landmark_map(scene, a, shown, errors, title, subtitle)
    page.show(figure, "quantization_map", f"Landmarks of one run on the data. {title}.")


def draw_deviations(points: Cloud, found: Findings, subtitle: str) -> None:
    """Draw what is left of the relation within the methods."""
    title = "Within the methods: deviations from each mean"
    figure = deviation_chart(points, LABELS, page.theme(), title, subtitle)
    page.show(figure, "quantization_deviations", f"{title}.")
