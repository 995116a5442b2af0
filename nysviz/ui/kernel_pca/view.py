"""The controls and the charts of the page "Kernel PCA"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.datasets import Dataset
from nysviz.figures.class_marks import Points
from nysviz.figures.kernel_pca import PAIRS, embedding_chart, gram_chart, misalignment_chart, space_chart
from nysviz.figures.look import inert
from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.learning.kernel_pca import DIRECTIONS, Embedding, Forms
from nysviz.papers.output import published
from nysviz.papers.zhang2008 import table3
from nysviz.sweep import Record
from nysviz.text import counted, grouped, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.controls import Choice
from nysviz.ui.inputs import BOUND, several
from nysviz.ui.kernel_pca import result
from nysviz.ui.kernel_pca.result import REPEATS, Embedded, counts
from nysviz.ui.sidebar.scene import Scene

VIEWS = {"plane": "two directions", "pairs": "three pairs", "space": "in space"}
FIRST_METHODS = (*table3.COMPARED, "rpcholesky")
# The best rank m is no choice of landmarks, and needs all of the spectrum for each m.
LEFT_OUT = ("svd",)


def choose_rows(scene: Scene) -> Scene:
    """Take a random sample of many rows, or all of them where that is asked for and bearable."""
    part, n = computing.exact_part(scene), grouped(scene.data.n)
    if part is scene:
        return scene
    note = "K is not held then: each of some 40 Lanczos steps evaluates it again."
    if scene.data.n <= computing.READ_ROWS and st.toggle(
        f"All {n} rows", key="kernel_pca_all_rows", help=note, **BOUND
    ):
        return scene
    st.caption(f"The page shows {part.data.n} random rows of {n}: exact eigenvectors need all of K.")
    return part


def choose_methods(scene: Scene) -> tuple[str, ...]:
    """Choose the methods of the curve."""
    every = [name for name in (*METHODS, *table3.VARIANTS) if name not in LEFT_OUT]
    offered = [name for name in every if METHODS[table3.asked(name)[0]].suits(scene.kernel)]
    label, key = "Methods in the curve", "kernel_pca_methods"
    with st.popover(label):
        return several(label, offered, key, FIRST_METHODS, table3.label_of, label_visibility="collapsed")


# Points drawn on each side: together they appear in about a tenth of a second.
DRAWN = {"plane": 400, "pairs": 200, "space": 300}
# Room around the exact points, as a part of their extent.
MARGIN = 0.06


def _drawn_points(data: Dataset, most: int) -> Points:
    """Choose rows to draw, always the same ones of the same data, with what colours them."""
    rows = np.arange(data.n)
    if data.n > most:
        rows = np.sort(np.random.default_rng(0).permutation(data.n)[:most])
    if data.y is None:
        return Points(rows)
    if data.task == "classification":
        return Points(rows, np.searchsorted(np.unique(data.y), data.y[rows]), data.classes)
    return Points(rows, values=data.y[rows])


def draw_embeddings(scene: Scene, choice: Choice, exact: Embedding, run: Embedded, view: str) -> str:
    """Draw the exact embedding and the method's; return what the picture leaves out."""
    n, k = exact.vectors.shape
    points = _drawn_points(scene.data, DRAWN[view])
    # Unit vectors times √n: coordinates of size 1, whatever n is. Missing directions are drawn as 0.
    missing = ((0, 0), (0, DIRECTIONS - k))
    sides = [np.pad(side, missing) * np.sqrt(n) for side in (exact.vectors, run.aligned)]
    low, high = sides[0].min(axis=0), sides[0].max(axis=0)
    room = np.where(high > low, MARGIN * (high - low), 1.0)
    title = f"The embedding by K and by K̃, {VIEWS[view]}"
    # Two lines above a side, one where the sides lie one above the other.
    apart = ", " if view == "pairs" else "<br>"
    flat = partial(embedding_chart, pairs=PAIRS if view == "pairs" else PAIRS[:1])
    figure = (space_chart if view == "space" else flat)(
        sides[0][points.rows],
        sides[1][points.rows],
        points,
        np.stack([low - room, high + room]),
        (f"exact{apart}kernel PCA", f"{inert(choice.label)}{apart}m = {choice.m}, aligned"),
        page.theme(),
        title,
        f"{scene.subtitle}; seed {scene.seed}",
    )
    page.show(figure, f"embedding_{view}", f"Two embeddings side by side. {title}.")
    few = len(points.rows) < n
    return f"The picture draws {len(points.rows)} random points of {grouped(n)}." if few else ""


def show_forms(scene: Scene, choice: Choice, run: Embedded) -> Forms | None:
    """Draw the products of the eigenvectors in both forms once they are there."""
    a = run.approximation
    # One matrix of landmarks to extend from, and K to compare with.
    if not computing.is_exact(scene) or a.landmarks is None or a.shares is not None:
        st.caption(f"The plain extension needs landmarks, and at most {computing.exact_rows(scene)} rows.")
        return None
    question = (scene, choice.method, choice.m, choice.options)
    forms = ask(result.forms, *question, what="Two forms of the eigenvectors")
    if forms is None:
        return None
    title = "Products of the eigenvectors of K̃"
    figure = gram_chart(
        forms.extension.T @ forms.extension,
        forms.orthogonal.T @ forms.orthogonal,
        page.theme(),
        title,
        f"UᵀU of {counted(forms.orthogonal.shape[1], 'vector')}; {inert(choice.label)}, m = {choice.m}",
    )
    page.show(figure, "forms", f"{title} with one another, in both forms.")
    return forms


def draw_curve(
    scene: Scene, k: int, methods: Sequence[str], records: Sequence[Record], _: object = None
) -> None:
    """Draw the misalignment against m/n of the runs so far."""
    percents = counts(scene.data.n)
    values: dict[str, dict[float, list[float]]] = {name: {} for name in methods}
    for record in records:
        by_percent = values[table3.name_of(record)]
        by_percent.setdefault(percents[record.m], []).append(record.values["misalignment"])
    lines = [_line(name, runs) for name, runs in values.items() if runs]
    # The paper's values for this data set, where the kernel is the one that it used.
    gaussian = scene.kernel.label == "Gaussian" and scene.multiple == 1.0
    is_whole = scene.data.from_catalog and computing.is_exact(scene) and not scene.whole
    printed = [
        # Where the paper's table stands.
        (METHODS[row["method"]].label, 5.0, float(row["mean"]), float(row["std"] or 0.0))
        for row in published("zhang2008_table3_error")
        if gaussian and is_whole and row["data"] == scene.data.name
    ]
    title = "Misalignment against m / n"
    figure = misalignment_chart(
        lines,
        list(percents.values()),
        float(np.sqrt(k)),
        printed,
        page.theme(),
        title,
        f"{inert(scene.data.title)}, n = {scene.data.n}; median and quartiles of {REPEATS} runs",
    )
    page.show(figure, "misalignment", f"Misalignment against m/n. {title}.")


def _line(name: str, runs: Mapping[float, Sequence[float]]) -> Line:
    x = np.array(sorted(runs))
    low, middle, high = np.array([np.quantile(runs[percent], (0.25, 0.5, 0.75)) for percent in x]).T
    hover = [
        f"{table3.label_of(name)}, m/n = {percent:g} %<br>median {three_digits(middle[i])}, quartiles "
        f"{three_digits(low[i])} – {three_digits(high[i])}<br>{counted(len(runs[percent]), 'run')}"
        for i, percent in enumerate(x)
    ]
    return Line(name, table3.label_of(name), x, middle, low, high, hover)
