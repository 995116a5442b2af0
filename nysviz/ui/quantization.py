"""The parts of the page "Quantization": controls, the runs as points, the run that was clicked."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.experiments.zhang2008.figure2 import METHODS as PUBLISHED
from nysviz.experiments.zhang2008.figure2 import OFFERED, Cloud, jobs
from nysviz.figures.data_map import data_map
from nysviz.figures.encoding import deviation_chart, encoding_chart
from nysviz.figures.look import inert, three_digits
from nysviz.landmarks import METHODS
from nysviz.measures import residual_diagonal
from nysviz.sweep import Job, Problem
from nysviz.ui import computing, page
from nysviz.ui.controls import choose_count
from nysviz.ui.running import Run, running
from nysviz.ui.scene import Scene

FIRST = (*PUBLISHED, "kmeanspp", "rpcholesky")
LABELS = {name: METHODS[name].label for name in OFFERED}
# More colours at once than a reader can tell apart help nobody.
MOST_METHODS = 8
FEWEST_RUNS, FIRST_RUNS, MOST_RUNS = 10, 30, 100


@dataclass(frozen=True)
class Choice:
    """Which methods, how many landmarks, how many runs of each."""

    methods: tuple[str, ...]
    m: int
    repeats: int

    @property
    def runs(self) -> int:
        """All runs: a method without randomness has one."""
        return sum(self.repeats if METHODS[name].random else 1 for name in self.methods)


def choose(scene: Scene) -> Choice:
    """Draw the page's own controls."""
    methods = st.multiselect(
        "Methods",
        OFFERED,
        default=list(FIRST),
        format_func=LABELS.__getitem__,
        key="quantization_methods",
        bind="query-params",
        max_selections=MOST_METHODS,
        placeholder="Choose methods",
    )
    m = choose_count(scene.data.n)
    repeats = st.slider(
        "Runs of each method",
        FEWEST_RUNS,
        MOST_RUNS,
        FIRST_RUNS,
        step=10,
        key="quantization_runs",
        bind="query-params",
        help="Each with a seed of its own. A method without randomness runs once.",
    )
    # One order, however they were clicked: the same choice is the same run.
    return Choice(tuple(name for name in OFFERED if name in methods), m, int(repeats))


def start(scene: Scene, choice: Choice) -> Run:
    """Begin the runs, or join those of another session."""

    def make_jobs() -> list[Job]:
        data = scene.data
        K = computing.kernel_matrix(scene)
        problem = Problem(data.name, data.X, scene.kernel, data.digest, dense=K)
        return jobs(problem, choice.methods, choice.m, choice.repeats, scene.seed)

    return running(_key(scene, choice), make_jobs)


def _key(scene: Scene, choice: Choice) -> tuple[object, ...]:
    return ("quantization", *scene.key, choice.methods, choice.m, choice.repeats, scene.seed)


def picked(scene: Scene, choice: Choice, points: Cloud) -> int | None:
    """Number of the run that was clicked last, if it is among these, else of the one with the least error."""
    if not len(points):
        return None
    asked = st.session_state.get("quantization_picked")
    if asked is not None and asked[0] == (*scene.key, choice.m):
        _, method, seed = asked
        for row in points.of(method) if method in points.methods else ():
            if points.seeds[row] == seed:
                return int(row)
    return int(np.argmin(points.relative))


def draw_runs(
    scene: Scene, choice: Choice, points: Cloud, which: int | None, title: str, subtitle: str
) -> None:
    """Draw the runs as points that can be clicked."""
    figure = encoding_chart(points, LABELS, which, page.theme(), title, subtitle)

    def keep() -> None:
        clicked = st.session_state["quantization_runs_chart"]["selection"]["points"]
        rows = [point["customdata"][0] for point in clicked if point.get("customdata")]
        # Emptied whenever the chart is drawn anew: what was clicked stays until something else is.
        if rows and int(rows[0]) < len(points):
            row = int(rows[0])
            method = points.methods[points.groups[row]]
            st.session_state["quantization_picked"] = (
                (*scene.key, choice.m),
                method,
                int(points.seeds[row]),
            )

    _show_clickable(figure, "quantization_runs_chart", f"Error against quantization error. {title}.", keep)


def _show_clickable(figure: go.Figure, key: str, alt: str, on_click: Any) -> None:
    """Draw as ``page.show`` does, and call ``on_click`` when a point is clicked."""
    title = figure.layout.title
    first, second = (html.escape(html.unescape(text or "")) for text in (title.text, title.subtitle.text))
    st.html(f'<p class="nysviz-title">{first}<br><small>{second}</small></p>')
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        alt=alt,
        config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"], "responsive": True},
        on_select=on_click,
        selection_mode="points",
    )


def draw_landmarks(scene: Scene, choice: Choice, points: Cloud, which: int) -> None:
    """Draw the data with the landmarks of one run, coloured by how badly that run reproduces each point."""
    method, seed = points.methods[points.groups[which]], int(points.seeds[which])
    a = computing.approximation(replace(scene, seed=seed), method, choice.m, ())
    if a.landmarks is None:
        return
    shown = computing.picture(scene, None)
    names = [f"landmark {i + 1}" for i in range(len(a.landmarks))]
    if a.pivots is not None:
        names = [f"{name}, row {row}" for name, row in zip(names, a.pivots, strict=True)]
    title = f"{LABELS[method]}, seed {seed}: relative error {three_digits(float(points.relative[which]))}"
    figure = data_map(
        shown.positions,
        residual_diagonal(scene.data.X, scene.kernel, a)[shown.rows],
        shown.rows,
        [""] * len(shown.rows),
        (a.landmarks - shown.centre) @ shown.directions,
        names,
        METHODS[method].landmarks_are_data,
        float(scene.kernel.diag(scene.data.X).max()) or 1.0,
        (inert(shown.names[0]), inert(shown.names[1])),
        shown.ranges,
        page.theme(),
        title,
        f"The run with the ring; quantization error {three_digits(float(points.quantization[which]))}",
    )
    page.show(figure, "quantization_map", f"Landmarks of one run on the data. {title}.")


def draw_deviations(points: Cloud, title: str, subtitle: str) -> None:
    """Draw what is left of the relation within the methods."""
    figure = deviation_chart(points, LABELS, page.theme(), title, subtitle)
    page.show(figure, "quantization_deviations", f"Deviations from each method's mean. {title}.")


def counted(runs: int) -> str:
    """So many runs, in words."""
    return "1 run" if runs == 1 else f"{runs} runs"


def labelled(methods: Sequence[str]) -> str:
    """Names of methods in a sentence."""
    names = [LABELS[name] for name in methods]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
