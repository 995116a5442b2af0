"""The decision of a classifier in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import Layer, contour, heatmap, scatter
from nysviz.figures.look import (
    LEGEND_PIXELS,
    Theme,
    axis,
    colour,
    drawn,
    frame,
    inert,
    legend_below,
    ramp,
    ramp_bar,
)
from nysviz.landmarks import METHODS

# From f well below 0 (first class) to f well above it, the ground's colour at 0; no method has these hues.
SIDES = {
    "light": ("#B08D57", "#E3D3B4", "#FFFFFF", "#BFDAD6", "#5E9C97"),
    "dark": ("#8A6A33", "#4A3C22", "#121212", "#1E3E3C", "#3F7D78"),
}
# Fill of the points of both classes, stronger than the ground that they lie on.
CLASSES = {"light": ("#8A6014", "#1F6F69"), "dark": ("#E0B868", "#86D3CB")}
SYMBOLS = ("circle", "triangle-up")


def decision_map(
    ticks: tuple[FloatArray, FloatArray],
    values: FloatArray,
    exact: FloatArray,
    points: FloatArray,
    y: FloatArray,
    wrong: NDArray[np.bool_],
    classes: tuple[str, str],
    method: str,
    axes: tuple[str, str],
    theme: Theme,
    title: str,
    subtitle: str,
) -> go.Figure:
    """Draw f of the approximate machine as ground, both boundaries, and the test points.

    Parameters
    ----------
    ticks : ((g,) array, (h,) array)
        Coordinates of the grid, which are also the ranges of the axes.
    values, exact : (h, g) arrays
        f of the approximate and of the exact machine on the grid.
    points, y, wrong : (q, 2), (q,), (q,) arrays
        Test points, their classes ±1, and whether the approximate machine errs on them.
    """
    x, z = ticks
    limit = float(np.abs(values).max()) or 1.0
    scale = ramp(SIDES["dark" if theme.dark else "light"])
    ground = heatmap(
        x=drawn(x),
        y=drawn(z),
        z=drawn(values),
        zmin=-limit,
        zmax=limit,
        colorscale=scale,
        showscale=False,
        hovertemplate="f = %{z:.3g}<extra></extra>",
        name="f",
    )
    label, shade = METHODS[method].label, "dark" if theme.dark else "light"
    traces: list[Any] = [
        ground,
        _boundary(x, z, exact, theme.ink, "dash", 2.0, "boundary, exact machine"),
        _boundary(x, z, values, colour(method, theme), "solid", 2.5, f"boundary, {label}"),
    ]
    border = {"width": 0.6, "color": theme.ground}
    groups = [
        (
            points[y == sign],
            f"class {inert(name)}",
            {"symbol": symbol, "size": 7, "color": fill, "line": border},
        )
        for sign, name, symbol, fill in zip((-1.0, 1.0), classes, SYMBOLS, CLASSES[shade], strict=True)
    ]
    ring = {"symbol": "circle-open", "size": 13, "color": theme.ink, "line": {"width": 1.6}}
    groups.append((points[wrong], f"error of {label}", ring))
    for where, name, marker in groups:
        place = {"x": drawn(where[:, 0]), "y": drawn(where[:, 1]), "mode": "markers", "marker": marker}
        traces.append(scatter(**place, name=name, hovertemplate=f"{name}<extra></extra>"))
    key, key_axes = ramp_bar((-limit, limit), scale, theme, upright=True)
    note = {"x": 0.985, "y": 0.92, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
    note |= {"text": "f(x)", "showarrow": False, "font": {"size": 12, "color": theme.faint}}
    return frame(
        [*traces, key],
        theme,
        title,
        subtitle,
        460,
        xaxis=axis(axes[0], theme, range=[float(x[0]), float(x[-1])], domain=[0, 0.95], showgrid=False),
        yaxis=axis(axes[1], theme, range=[float(z[0]), float(z[-1])], showgrid=False),
        **key_axes,
        annotations=[note],
        margin={"l": 58, "r": 44, "t": 62, "b": LEGEND_PIXELS},
        showlegend=True,
        legend=legend_below(),
    )


def _boundary(
    x: FloatArray, y: FloatArray, values: FloatArray, hue: str, dash: str, width: float, name: str
) -> Layer:
    return contour(
        x=drawn(x),
        y=drawn(y),
        z=drawn(values),
        contours={"type": "constraint", "operation": "=", "value": 0.0},
        line={"color": hue, "dash": dash, "width": width},
        fillcolor="rgba(0,0,0,0)",
        hoverinfo="skip",
        name=name,
        showlegend=True,
    )
