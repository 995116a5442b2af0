"""Two balls: points, first two eigenvectors of three kernel matrices, eigenvalues, accuracy against m."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Sheet, Theme, axis, frame, stroke
from nysviz.figures.traces import line, log_axis, note, xy
from nysviz.numerics.blocks import FloatArray, IntArray

# The two classes: none of a method's hues, and told apart by the marker as well.
CLASSES = {-1: ("#0072B2", "#56B4E9", "circle"), 1: ("#E69F00", "#FFC24D", "diamond")}


def round_up(value: float) -> float:
    """Return the smallest number of at most two digits that is not below the value."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return power * next(step for step in steps if step * power >= value * (1 - 1e-12))


def balls_chart(positions: FloatArray, y: IntArray, sheet: Sheet) -> go.Figure:
    """Draw the first two dimensions, (b, 2), coloured by class."""
    reach = round_up(1.04 * float(np.abs(positions[:, 0]).max()))
    xaxis = axis("dimension 1", sheet.theme, range=[-reach, reach])
    yaxis = axis("dimension 2", sheet.theme, range=[-0.1, 1.1], dtick=0.5)
    points = _classes(positions, y, np.arange(len(y)), sheet.theme)
    return frame(points, sheet, 310, xaxis=xaxis, yaxis=yaxis)


def eigenvector_chart(
    panels: Sequence[tuple[str, str, FloatArray]], y: IntArray, rows: IntArray, sheet: Sheet
) -> go.Figure:
    """Draw second against first eigenvector, (name, remark, vectors) a panel, on the same ranges."""
    theme = sheet.theme
    every = np.concatenate([vectors for *_, vectors in panels])
    low, high = float(every[:, 0].min()), float(every[:, 0].max())
    # Ends a little outside, on a grid of a tenth of the width, so that they seldom move.
    step = round_up(max(high - low, 1e-3 * max(abs(low), abs(high), 1e-300))) / 10.0
    ends = [step * math.floor(low / step - 0.3), step * math.ceil(high / step + 0.3)]
    reach = round_up(1.04 * float(np.abs(every[:, 1]).max()))
    # Between the panels: half of a number on each side.
    width = (1.0 - 0.07 * (len(panels) - 1)) / len(panels)
    traces: list[Layer] = []
    layout: dict[str, Any] = {"annotations": []}
    for i, (name, remark, vectors) in enumerate(panels):
        suffix = "" if i == 0 else str(i + 1)
        x, y_name, start = f"x{suffix}", f"y{suffix}", i * (width + 0.07)
        traces += _classes(vectors, y, rows, theme, xaxis=x, yaxis=y_name, showlegend=i == 0)
        place = {"range": ends, "domain": [start, start + width], "anchor": y_name}
        ticks = {"nticks": 2, "tickangle": 0, "ticklabeloverflow": "hide past domain"}
        layout[f"xaxis{suffix}"] = axis("first, u<sub>1</sub>", theme, **place, **ticks)
        title = "" if i else "second eigenvector u<sub>2</sub>"
        upwards = {"range": [-reach, reach], "anchor": x, "showticklabels": i == 0}
        layout[f"yaxis{suffix}"] = axis(title, theme, **upwards)
        small = f"<span style='font-size:{11 * theme.scale:g}px'>{remark}</span>"
        corner: dict[str, Any] = {"xanchor": "left", "yanchor": "bottom", "align": "left", "size": 13}
        # Two notes, one above the other: the name stays the same where the remark does not.
        for text, lift in ((f"<b>{name}</b>", 15 * theme.scale), (small, 0)):
            layout["annotations"].append(note(text, theme.ink, start, 1.0, "xy", yshift=lift, **corner))
    legend = {"x": 1, "y": -0.2, "xanchor": "right", "yanchor": "top", "orientation": "h"}
    layout |= {"showlegend": True, "legend": legend}
    return frame(traces, sheet, 480, margin={"l": 64, "r": 10, "t": 96, "b": 90}, **layout)


def _classes(points: FloatArray, y: IntArray, rows: IntArray, theme: Theme, **more: Any) -> list[Layer]:
    return [
        scatter(
            **xy(points[y == label]),
            customdata=rows[y == label],
            mode="markers",
            name=f"class {label:+d}".replace("-", "\N{MINUS SIGN}"),
            legendgroup=f"{label}",
            hovertemplate="(%{x:.3g}, %{y:.3g})<br>row %{customdata}<extra>%{fullData.name}</extra>",
            marker={"color": dark if theme.dark else light, "symbol": symbol, "size": 4.5, "opacity": 0.75},
            **more,
        )
        for label, (light, dark, symbol) in CLASSES.items()
    ]


def eigenvalue_chart(
    exact: FloatArray, approximations: Mapping[str, tuple[str, FloatArray]], sheet: Sheet
) -> go.Figure:
    """Draw λ_i/n of K, in ink, and of each method, with its label, against the rank in log scale."""
    theme, smallest = sheet.theme, float(exact[exact > 1e-14 * exact[0]][-1])
    # Half a decade below the smallest eigenvalue that counts.
    low = min(-3.5, math.floor(2 * math.log10(smallest)) / 2 - 0.5)
    hover = "rank %{x}<br>λ/n = %{y:.3g}<extra>%{fullData.name}</extra>"
    ranks = np.arange(1, len(exact) + 1)
    lines = [line(ranks, exact, theme.ink, "K", hover, width=2.5)]
    for method, (label, values) in approximations.items():
        curve = line(ranks[: len(values)], values[: len(exact)], "", label, hover)
        lines.append(curve | {"line": stroke(method, theme)["line"]})
    xaxis = axis("rank i", theme, type="log", range=[-0.05, math.log10(len(exact)) + 0.05], dtick=1)
    yaxis = log_axis("eigenvalue λ<sub>i</sub> / n", theme, low, 0.2, max_ticks=6)
    legend = {"x": 1, "y": 1, "xanchor": "right", "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"}
    return frame(lines, sheet, 310, xaxis=xaxis, yaxis=yaxis, showlegend=True, legend=legend)
