"""The parts of the page "Quantization": controls, the runs as points, the run that was clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from nysviz.figures.data_map import data_map
from nysviz.figures.encoding import deviation_chart, encoding_chart
from nysviz.figures.look import inert, three_digits
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.papers.zhang2008.figure2 import METHODS as PUBLISHED
from nysviz.papers.zhang2008.figure2 import OFFERED, Cloud, jobs
from nysviz.sweep import Job, Problem
from nysviz.ui import computing, large, page, state
from nysviz.ui.asking import ask
from nysviz.ui.controls import choose_count
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.needs import run_bytes
from nysviz.ui.work.runs import Run

FIRST = (*PUBLISHED, "kmeanspp", "rpcholesky")
LABELS = {name: METHODS[name].label for name in OFFERED}
# More colours at once than a reader can tell apart help nobody.
MOST_METHODS = 8
FEWEST_RUNS, FIRST_RUNS, MOST_RUNS = 10, 30, 100
# An approximation that takes longer is made once the runs are over, in another thread.
AT_ONCE_SECONDS = 0.3
# The run that was clicked, in the address.
PICKED = "quantization_run"
# Where there are many rows a run takes seconds; with few runs the points still say which way the cloud lies.
LARGE_FEWEST, LARGE_FIRST, LARGE_MOST = 3, 5, 20


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
    offered, left_out = large.offered(scene, OFFERED)
    methods = st.multiselect(
        "Methods",
        offered,
        default=[name for name in FIRST if name in offered],
        format_func=LABELS.__getitem__,
        key="quantization_methods",
        bind="query-params",
        max_selections=MOST_METHODS,
        placeholder="Choose methods",
    )
    m = choose_count(scene.data.n)
    few = large.is_large(scene.data.n)
    fewest, most, first = (
        (LARGE_FEWEST, LARGE_MOST, LARGE_FIRST) if few else (FEWEST_RUNS, MOST_RUNS, FIRST_RUNS)
    )
    repeats = st.slider(
        "Runs of each method",
        fewest,
        most,
        first,
        step=1 if few else 10,
        key="quantization_few_runs" if few else "quantization_runs",
        bind="query-params",
        help="Each with a seed of its own. A method without randomness runs once.",
    )
    if left_out:
        st.caption(large.left_out_sentence(left_out, limited=False))
    if told := large.mixtures_sentence(methods, (m,)):
        st.caption(told)
    # One order, however they were clicked: the same choice is the same run.
    return Choice(tuple(name for name in OFFERED if name in methods), m, int(repeats))


def start(scene: Scene, choice: Choice) -> Run:
    """Begin the runs, or join those of another session."""

    def make_jobs() -> list[Job]:
        data = scene.data
        K = computing.kernel_matrix(scene)
        problem = Problem("", data.X, scene.kernel, data.digest, dense=K)
        return jobs(problem, choice.methods, choice.m, choice.repeats, scene.seed)

    n = scene.data.n
    held = run_bytes(n, choice.methods, choice.m, matrix=computing.is_exact(scene))
    # Runs on many rows take turns for the sake of the memory.
    return running(_key(scene, choice), make_jobs, alone=large.is_large(n), rows=n, holds=held)


def _key(scene: Scene, choice: Choice) -> tuple[object, ...]:
    return ("quantization", *scene.key, choice.methods, choice.m, choice.repeats, scene.seed)


def _run_name(method: str, seed: int, m: int) -> str:
    """Name a run as links do."""
    return f"{method}-{seed}-{m}"


def picked(scene: Scene, choice: Choice, points: Cloud) -> int | None:
    """Number of the run that was clicked last, if it is among these, else of the one with the least error."""
    if not len(points):
        return None
    if asked := st.query_params.get(PICKED):
        for method in points.methods:
            for row in points.of(method):
                if asked == _run_name(method, int(points.seeds[row]), choice.m):
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
            state.put(PICKED, _run_name(method, int(points.seeds[row]), choice.m))

    page.show(figure, "quantization_runs_chart", f"Error against quantization error. {title}.", keep)


def draw_landmarks(scene: Scene, choice: Choice, points: Cloud, which: int, at_rest: bool) -> None:
    """Draw the data with the landmarks of one run, coloured by how badly that run reproduces each point.

    With many rows or landmarks, once the runs are ``at_rest``: until then it would take the cores from them.
    """
    method, seed = points.methods[points.groups[which]], int(points.seeds[which])
    a = _approximation(replace(scene, seed=seed), method, choice.m, at_rest)
    if a is None or a.landmarks is None:
        return
    shown = computing.picture(scene, None)
    names = [f"landmark {i + 1}" for i in range(len(a.landmarks))]
    if a.pivots is not None:
        names = [f"{name}, row {row}" for name, row in zip(names, a.pivots, strict=True)]
    told = f"{LABELS[method]}, seed {seed}: relative error {three_digits(float(points.relative[which]))}"
    title = f"{told[:1].upper()}{told[1:]}"
    figure = data_map(
        shown.positions,
        computing.point_errors(scene, a, shown.rows),
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


def _approximation(scene: Scene, method: str, m: int, at_rest: bool) -> LowRank | None:
    """The approximation of one run, made again; None where it is not there yet, and then that is said."""
    return ask(
        computing.approximation,
        scene,
        method,
        m,
        (),
        what=f"Landmarks of {LABELS[method]}",
        beside=not at_rest,
    )


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
