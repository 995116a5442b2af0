"""The decision of a classifier in the plane, and its test error against the number of landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray
from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import Layer, contour, heatmap, scatter, with_layout
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
TICKS = (1, 2, 5, 10, 20, 50, 100)


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
    height: int = 460,
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
    label = METHODS[method].label
    traces: list[Any] = [
        ground,
        _boundary(x, z, exact, theme.ink, "dash", 2.0, "boundary, exact machine"),
        _boundary(x, z, values, colour(method, theme), "solid", 2.5, f"boundary, {label}"),
    ]
    for k, sign in enumerate((-1.0, 1.0)):
        chosen = y == sign
        marker = {
            "symbol": SYMBOLS[k],
            "size": 7,
            "color": CLASSES["dark" if theme.dark else "light"][k],
            "line": {"width": 0.6, "color": theme.ground},
        }
        traces.append(_points(points[chosen], marker, f"class {inert(classes[k])}"))
    ring = {"symbol": "circle-open", "size": 13, "color": theme.ink, "line": {"width": 1.6}}
    traces.append(_points(points[wrong], ring, f"error of {label}"))
    key, key_axes = ramp_bar((-limit, limit), scale, theme, upright=True)
    traces.append(key)
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(axes[0], theme, range=[float(x[0]), float(x[-1])], domain=[0, 0.95], showgrid=False),
        yaxis=axis(axes[1], theme, range=[float(z[0]), float(z[-1])], showgrid=False),
        **key_axes,
        annotations=[_key_name(theme)],
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


def _points(points: FloatArray, marker: dict[str, Any], name: str) -> Layer:
    return scatter(
        x=drawn(points[:, 0]),
        y=drawn(points[:, 1]),
        mode="markers",
        marker=marker,
        name=name,
        hovertemplate=f"{name}<extra></extra>",
    )


def _key_name(theme: Theme) -> dict[str, Any]:
    return {
        "text": "f(x)",
        "xref": "paper",
        "yref": "paper",
        "x": 0.985,
        "y": 0.92,
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": theme.faint},
    }


def error_curves(
    lines: Sequence[Line],
    exact: float | None,
    percents: tuple[float, float],
    chosen: float,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 410,
) -> go.Figure:
    """Draw test error against m/n, a band for each method, with the exact machine's error as a line.

    Parameters
    ----------
    lines : sequence of Line
        x is m/n in per cent, y the test error in per cent.
    exact : float or None
        Test error of the exact machine, in per cent; None while it is computed.
    percents : (float, float)
        Ends of the axis, in per cent.
    chosen : float
        m/n chosen on the page, in per cent.
    """
    top = max([exact or 0.0, *(float(line.high.max()) for line in lines)])
    floor = scatter(
        x=list(percents),
        y=[exact, exact],
        mode="lines",
        line={"color": theme.ink, "width": 1.5},
        name="exact machine",
        hovertemplate="exact machine: %{y:.2f} %<extra></extra>",
    )
    ticks = [tick for tick in TICKS if percents[0] <= tick <= percents[1]]
    ends = [float(np.log10(percents[0])) - 0.04, float(np.log10(percents[1])) + 0.04]
    figure = band_chart(
        lines,
        theme,
        title,
        subtitle,
        axis("landmarks m / n (%)", theme, type="log", range=ends, tickvals=ticks, ticktext=ticks),
        axis("test error (%)", theme, range=[0.0, 1.08 * top or 1.0]),
        height,
        extra=[floor] if exact is not None else [],
    )
    # The present choice, where the numbers beside the map belong.
    upright = {"type": "line", "x0": chosen, "x1": chosen, "y0": 0, "y1": 1, "yref": "y domain"}
    shape = {**upright, "line": {"color": theme.faint, "width": 1, "dash": "dot"}}
    with_layout(figure, shapes=[shape])
    return figure
