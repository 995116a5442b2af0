"""Test score of learning machines against the number of landmarks, and a decision in the plane."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.figures.data_map import key_title
from nysviz.figures.drawing import Layer, contour, heatmap
from nysviz.figures.look import Sheet, Theme, axis, colour, frame, inert, narrow_floats, ramp, ramp_bar
from nysviz.figures.traces import markers, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray


def ahead_marks(ahead: Mapping[int, str], foot: float, theme: Theme) -> list[Layer]:
    """Return marks at this height for each m at which a method is significantly ahead."""
    marks = []
    for method in dict.fromkeys(ahead.values()):
        at = [m for m, winner in ahead.items() if winner == method]
        outline = {"color": theme.ground, "width": 1}
        mark = {"symbol": "triangle-up", "size": 11, "color": colour(method, theme), "line": outline}
        named = {"name": f"{method} significantly ahead", "showlegend": False}
        marks.append(markers(at, [foot] * len(at), mark, "m = %{x}: significantly ahead at 95 %", **named))
    return marks


# From f well below 0 (first class) to f well above it, the ground's colour at 0; no method has these hues.
SIDES = {
    "light": ("#B08D57", "#E3D3B4", "#FFFFFF", "#BFDAD6", "#5E9C97"),
    "dark": ("#8A6A33", "#4A3C22", "#121212", "#1E3E3C", "#3F7D78"),
}
# Fill of the points of both classes, stronger than the ground that they lie on.
CLASSES = {"light": ("#8A6014", "#1F6F69"), "dark": ("#E0B868", "#86D3CB")}
SYMBOLS = ("circle", "triangle-up")


@dataclass(frozen=True)
class DecisionPlane:
    """A plane: its axes, places on them, test rows (q, 2) and which are wrong, f by both machines (h, g)."""

    names: tuple[str, str]
    ticks: tuple[FloatArray, FloatArray]
    points: FloatArray
    wrong: NDArray[np.bool_]
    values: FloatArray
    reference: FloatArray


def decision_map(
    ground: DecisionPlane,
    y: FloatArray,
    shown_rows: IntArray,
    classes: tuple[str, str],
    method: str,
    axes: tuple[str, str],
    sheet: Sheet,
) -> go.Figure:
    """Draw f of the approximate machine as ground, both boundaries, and the shown test rows by their y."""
    theme, (x, z), values, y = sheet.theme, ground.ticks, ground.values, y[shown_rows]
    limit = float(np.abs(values).max()) or 1.0
    label, shade = METHODS[method].brief, "dark" if theme.dark else "light"
    scale = ramp(SIDES[shade])
    look = {"zmin": -limit, "zmax": limit, "colorscale": scale, "showscale": False, "name": "f"}
    hover = "f = %{z:.3g}<extra></extra>"
    traces: list[Any] = [
        heatmap(x=narrow_floats(x), y=narrow_floats(z), z=narrow_floats(values), hovertemplate=hover, **look)
    ]
    for f, hue, dash, width, name in (
        (ground.reference, theme.ink, "dash", 2.0, "exact kernel"),
        (values, colour(method, theme), "solid", 2.5, label),
    ):
        zero = {"type": "constraint", "operation": "=", "value": 0.0}
        stroke = {"color": hue, "dash": dash, "width": width}
        edge = {"contours": zero, "line": stroke, "fillcolor": "rgba(0,0,0,0)", "hoverinfo": "skip"}
        traces.append(
            contour(
                x=narrow_floats(x), y=narrow_floats(z), z=narrow_floats(f), name=name, showlegend=True, **edge
            )
        )
    border = {"width": 0.6, "color": theme.ground}
    groups = [
        (y == sign, f"class {inert(name)}", {"symbol": symbol, "size": 7, "color": fill, "line": border})
        for sign, name, symbol, fill in zip((-1.0, 1.0), classes, SYMBOLS, CLASSES[shade], strict=True)
    ]
    ring = {"symbol": "circle-open", "size": 13, "color": theme.ink, "line": {"width": 1.6}}
    for rows, name, marker in [*groups, (ground.wrong[shown_rows], "error", ring)]:
        traces.append(markers(**xy(ground.points[shown_rows][rows]), marker=marker, hover=name, name=name))
    key, key_axes = ramp_bar((-limit, limit), scale, theme, upright=True)
    return frame(
        [*traces, key],
        sheet,
        460,
        xaxis=axis(axes[0], theme, range=[float(x[0]), float(x[-1])], domain=[0, 0.95], showgrid=False),
        yaxis=axis(axes[1], theme, range=[float(z[0]), float(z[-1])], showgrid=False),
        **key_axes,
        annotations=[key_title(theme, "f(x)")],
        below=True,
        margin={"r": 44, "t": 62},
    )
