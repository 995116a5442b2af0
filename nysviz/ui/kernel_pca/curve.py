"""The second picture of the page "Kernel PCA": misalignment against m for several methods, over repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from nysviz.figures.look import inert, three_digits
from nysviz.figures.misalignment import Printed, misalignment_chart
from nysviz.landmarks import METHODS
from nysviz.learning.kernel_pca import Embedding
from nysviz.papers import published
from nysviz.papers.zhang2008 import table3
from nysviz.sweep import Job, Problem, Record
from nysviz.ui import computing, page
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.runs import Run

PERCENTS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
# Where the paper's table stands.
PRINTED_PERCENT = 5.0
REPEATS = 10
FIRST_METHODS = (*table3.COMPARED, "rpcholesky")
# The best rank m is no choice of landmarks, and needs all of the spectrum for each m.
LEFT_OUT = ("svd",)

# A smaller misalignment is that of rounding: which method has less of it says nothing.
ROUNDING = 1e-9

Runs = Mapping[str, Mapping[float, Sequence[float]]]


def counts(n: int) -> dict[int, float]:
    """Number of landmarks → m/n in per cent, each number once."""
    found: dict[int, float] = {}
    for percent in PERCENTS:
        found.setdefault(max(1, round(n * percent / 100)), percent)
    return found


def show_curve(scene: Scene, exact: Embedding) -> tuple[Run | None, tuple[str, ...]]:
    """Let methods be chosen, and draw their runs as they finish; return the run and its methods."""
    picture = st.container()
    offered = [
        name
        for name in (*METHODS, *table3.VARIANTS)
        if name not in LEFT_OUT and METHODS[table3.asked(name)[0]].suits(scene.kernel)
    ]
    with st.popover("Methods in the curve"):
        methods = st.multiselect(
            "Methods in the curve",
            offered,
            default=list(FIRST_METHODS),
            format_func=table3.label_of,
            key="kernel_pca_methods",
            bind="query-params",
            label_visibility="collapsed",
        )
    if not methods:
        picture.caption("Choose a method to see its misalignment against m.")
        return None, ()
    of_m = counts(scene.data.n)

    def make_jobs() -> list[Job]:
        data = scene.data
        K = computing.kernel_matrix(scene)
        problem = Problem("", data.X, scene.kernel, data.digest, dense=K)
        return table3.misalignment_jobs(problem, exact.vectors, methods, list(of_m), REPEATS, scene.seed)

    def draw(records: Sequence[Record], progress: Any) -> None:
        draw_curve(scene, exact, methods, records)

    key = ("kernel pca curve", *scene.key, tuple(methods), tuple(of_m), REPEATS, scene.seed)
    count = sum(REPEATS if table3.is_random(name) else 1 for name in methods) * len(of_m)
    run = running(key, make_jobs, rows=scene.data.n)
    with picture:
        follow(run, draw, what=f"{count} runs")
    return run, tuple(methods)


def draw_curve(scene: Scene, exact: Embedding, methods: Sequence[str], records: Sequence[Record]) -> None:
    """Draw the runs so far."""
    of_m = counts(scene.data.n)
    values: dict[str, dict[float, list[float]]] = {name: defaultdict(list) for name in methods}
    for record in records:
        values[table3.name_of(record)][of_m[record.m]].append(record.values["misalignment"])
    title = headline(values)
    figure = misalignment_chart(
        values,
        {name: table3.label_of(name) for name in methods},
        list(of_m.values()),
        float(np.sqrt(exact.vectors.shape[1])),
        printed(scene),
        page.theme(),
        title,
        f"{inert(scene.data.title)}, n = {scene.data.n}; median and quartiles of {REPEATS} runs",
    )
    page.show(figure, "misalignment", f"Misalignment against m/n. {title}.")


def headline(values: Runs) -> str:
    """Say which method is nearest to the exact embedding, where most methods have runs near 5 %."""
    at = {
        percent: {name: float(np.median(runs[percent])) for name, runs in values.items() if runs.get(percent)}
        for percent in PERCENTS
    }
    ready = [percent for percent in PERCENTS if len(at[percent]) == len(values)]
    if not ready or len(values) < 2:
        falls = len(values) == 1 and _falls(*values.values())
        return "Misalignment falls as landmarks are added" if falls else "Misalignment against m / n"
    percent = min(ready, key=lambda p: abs(p - PRINTED_PERCENT))
    exact = [name for name, error in at[percent].items() if error < ROUNDING]
    if len(exact) > 1:
        return f"At {percent:g} %, {len(exact)} of {len(values)} methods are exact up to rounding"
    first, error = min(at[percent].items(), key=lambda item: item[1])
    return f"At {percent:g} %, {table3.label_of(first)}: nearest to exact, {three_digits(error)}"


def _falls(runs: Mapping[float, Sequence[float]]) -> bool:
    """Whether the median is smaller at the last m than at the first."""
    medians = [float(np.median(runs[percent])) for percent in sorted(runs)]
    return len(medians) > 1 and medians[-1] < medians[0]


def printed(scene: Scene) -> list[Printed]:
    """Return the paper's values for this data set, where the kernel is the one that it used."""
    gaussian = scene.kernel.label == "Gaussian" and scene.multiple == 1.0
    if not gaussian or not scene.data.from_catalog or not computing.is_exact(scene):
        return []
    return [
        Printed(METHODS[row["method"]].label, PRINTED_PERCENT, float(row["mean"]), float(row["std"] or 0.0))
        for row in published.table("zhang2008_table3_error")
        if row["data"] == scene.data.name
    ]
