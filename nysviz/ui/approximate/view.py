"""The charts of the page "Approximate": map, matrices, spectrum, strip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import titles
from nysviz.figures.look import inert
from nysviz.figures.matrices import matrix_picture
from nysviz.figures.spectra import spectrum_chart
from nysviz.figures.strip import strip_chart
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.text import counted, percent, three_digits
from nysviz.ui import computing, page
from nysviz.ui.approximate.result import Strip
from nysviz.ui.controls import ORDERS, Choice
from nysviz.ui.maps import landmark_map, scale_of
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.sidebar.uploads import chart_of


def draw_map(scene: Scene, choice: Choice, a: LowRank, axes: tuple[int, int] | None) -> None:
    """Draw the points coloured by their residual, with the landmarks."""
    shown = computing.picture(scene, axes)
    top, key = scale_of(scene, choice.method)
    errors = computing.point_errors(scene, a, shown.rows)
    title = f"Error at {counted(len(errors), 'point')}: at most {percent(float(errors.max()) / top)}"
    subtitle = f"{choice.label}, m = {choice.m}; {scene.subtitle}"
    figure = landmark_map(scene, a, shown, errors, title, subtitle)
    page.show(figure, "map", f"Map of the data coloured by {key}. {title}.")


def draw_matrices(scene: Scene, a: LowRank, by: str, columns: Sequence[DeltaGenerator]) -> None:
    """Draw K, K̃ and |K − K̃| on the same evenly spaced rows of one order."""
    order = computing.order(scene, by)
    count = min(scene.data.n, computing.PICTURE_ROWS)
    rows = order[np.linspace(0, len(order) - 1, count).astype(np.intp)]
    K, G = scene.kernel(scene.data.X[rows]), a.take(rows)
    gap = np.abs(K - G @ G.T)
    limits = min(0.0, float(K.min())), float(K.max()) or 1.0
    most = float(gap.max())
    theme, up_to = page.theme(), f"up to {three_digits(most)}"
    figures = {
        "picture_K": matrix_picture(K, rows, limits, theme, "K", f"{count} rows by {ORDERS[by]}"),
        "picture_approximation": matrix_picture(G @ G.T, rows, limits, theme, "K̃", f"rank {a.rank}"),
        "picture_residual": matrix_picture(
            gap, rows, (0.0, most or 1.0), theme, "|K − K̃|", up_to, magnitude=True
        ),
    }
    for column, (key, figure) in zip(columns, figures.items(), strict=True):
        with column:
            page.show(figure, key, f"Picture of {titles(figure)[0]}, rows ordered by {ORDERS[by]}.")


def draw_spectrum(scene: Scene, choice: Choice, a: LowRank, eigenvalues: FloatArray | None) -> None:
    """Draw the eigenvalues of K with those of K̃ over them."""
    title = "Eigenvalues of K and of K̃"
    sampled = "" if computing.is_exact(scene) else f"K from {computing.SPECTRUM_ROWS} sampled rows"
    if not a.is_held:
        sampled = f"K and K̃ from {computing.SPECTRUM_ROWS} sampled rows"
    n, own = scene.data.n, _own_eigenvalues(a) / scene.data.n
    figure = spectrum_chart(
        None if eigenvalues is None else eigenvalues / n,
        {choice.method: (choice.label, own)},
        n,
        choice.m,
        page.theme(),
        title,
        sampled,
        height=320,
    )
    page.show(figure, "spectrum", title)


def _own_eigenvalues(a: LowRank) -> FloatArray:
    """Eigenvalues of K̃, or of the rows sampled for K, times n/s, where the factor is not held."""
    if not a.rank:
        return np.empty(0)
    scale = 1.0
    if a.is_held:
        G = a.factor
    else:
        rows = computing.drawn_rows(a.n, computing.SPECTRUM_ROWS)
        G, scale = a.take(rows), a.n / len(rows)
    # The smaller of the two Gram matrices: random features may have more columns than there are rows.
    inner = G.T @ G if G.shape[0] >= G.shape[1] else G @ G.T
    values: FloatArray = scale * np.maximum(np.linalg.eigvalsh(inner)[::-1], 0.0)
    return values


def draw_strip(scene: Scene, choice: Choice, axes: tuple[int, int] | None, strip: Strip) -> None:
    """Draw the strip on which m is dragged in the browser."""
    shown, theme, entry = computing.picture(scene, axes), page.theme(), METHODS[choice.method]
    title = f"Drag m: {choice.label} from m = 1 to {strip.ms[-1]}"
    subtitle = f"on {strip.sampled} random rows" if strip.sampled else ""
    top, key = scale_of(scene, choice.method)
    # A link has the m of who copied it.
    linked = st.query_params.get("approximate_strip")
    start = next((k for k, m in enumerate(strip.ms) if str(m) == linked), len(strip.ms) // 2)

    def make() -> go.Figure:
        # The map of the strip is low, and that above it has the names in full.
        first, second = (inert(name.replace(" of the variance)", ")")) for name in shown.names)
        return strip_chart(
            shown.positions,
            strip.residuals,
            strip.landmarks,
            strip.ms,
            strip.errors,
            start,
            entry.landmarks_are_data,
            top,
            choice.method,
            (first, second),
            shown.ranges,
            theme,
            title,
            subtitle,
            key=key,
            counted=entry.counted,
        )

    # The chart does not depend on the m chosen above: it is built once for a method and drawn again as it is.
    name = ("strip chart", scene.content, choice.method, choice.options, axes, shown.names, theme.name, start)
    page.show(chart_of(scene.whole or scene.data, name, make), "strip", title)
