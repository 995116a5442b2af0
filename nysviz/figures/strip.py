"""The strip: landmarks, residuals and error at growing m, played in the browser without the server."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray
from nysviz.figures.data_map import RESIDUAL, landmark_traces, residual_marker
from nysviz.figures.drawing import played, scatter
from nysviz.figures.look import Theme, axis, drawn, frame, stroke, three_digits

# Errors below this part of the largest one are rounding.
ROUNDING = 1e-8


def strip_chart(
    positions: FloatArray,
    residuals: NDArray[np.floating[Any]],
    landmarks: Sequence[FloatArray],
    ms: Sequence[int],
    errors: FloatArray,
    start: int,
    are_data: bool,
    top: float,
    method: str,
    axes: tuple[str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 560,
    key: str = RESIDUAL,
    counted: str = "landmarks",
) -> go.Figure:
    """Map above, error curve below, and a slider whose steps are frames.

    Parameters
    ----------
    positions : (q, 2) array
    residuals : (steps, q) array
    landmarks : sequence of (m, 2) arrays
    ms : sequence of int
    errors : (steps,) array
        Relative Frobenius errors.
    start : int
        The step shown first.
    key : str
        What ``residuals`` hold: ``RESIDUAL`` or ``ROW_ERROR``.
    counted : str
        What m counts.
    """
    bar = {
        "title": {"text": key, "font": {"size": 12, "color": theme.faint}},
        "tickvals": [0.0, top / 2, top],
        "ticktext": [three_digits(value) for value in (0.0, top / 2, top)],
        "tickfont": {"size": 11, "color": theme.faint},
        "thickness": 10,
        "outlinewidth": 0,
        "x": 0.965,
        "y": 0.42,
        "yanchor": "bottom",
        "len": 0.58,
    }
    base = scatter(
        x=drawn(positions[:, 0]),
        y=drawn(positions[:, 1]),
        mode="markers",
        # Plotly's own colour bar: the heatmap of other keys is lost when a frame is played.
        marker=residual_marker(residuals[start], top, theme)
        | {"size": 5, "showscale": True, "colorbar": bar},
        hovertemplate=f"{'residual' if key == RESIDUAL else key} %{{marker.color:.3g}}<extra></extra>",
        showlegend=False,
    )
    rings = landmark_traces(landmarks[start], are_data, theme, [])[-1]
    rings.update(showlegend=False, hoverinfo="skip", hovertemplate=None)
    style = stroke(method, theme)
    style["mode"] = "lines"
    style.pop("marker", None)
    # Rounding is not an error that the axis gives room to: below it the line runs along the lower end.
    shown = np.maximum(errors, ROUNDING * float(errors.max()))
    heights = _log_range(shown)
    curve = scatter(
        x=list(ms),
        y=shown,
        xaxis="x2",
        yaxis="y2",
        customdata=errors,
        hovertemplate="m = %{x}<br>relative error %{customdata:.3g}<extra></extra>",
        showlegend=False,
        **style,
    )
    here = scatter(
        x=[ms[start]],
        y=[shown[start]],
        xaxis="x2",
        yaxis="y2",
        mode="markers+text",
        marker={"size": 12, "color": theme.ink, "line": {"width": 2, "color": theme.ground}},
        text=[_here(ms[start], errors[start])],
        textposition="top right" if start < len(ms) // 2 else "top left",
        hoverinfo="skip",
        showlegend=False,
    )
    figure = frame(
        [base, rings, curve, here],
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(axes[0], theme, range=list(ranges[0]), domain=[0, 0.95], anchor="y"),
        yaxis=axis(axes[1], theme, range=list(ranges[1]), domain=[0.42, 1]),
        xaxis2=axis(
            f"{counted} m", theme, domain=[0, 0.95], type="log", range=_log_range(ms), anchor="y2", dtick=1
        ),
        yaxis2=axis(
            "relative error",
            theme,
            type="log",
            range=heights,
            domain=[0, 0.24],
            exponentformat="power",
            dtick=max(1, math.ceil((heights[1] - heights[0]) / 4)),
        ),
        margin={"l": 58, "r": 44, "t": 62, "b": 90},
        sliders=[slider([str(m) for m in ms], start, theme, "m = ")],
    )
    states: list[list[dict[str, Any]]] = [
        [
            {"marker": {"color": drawn(residuals[k])}},
            {"x": drawn(landmarks[k][:, 0]), "y": drawn(landmarks[k][:, 1])},
            {
                "x": [m],
                "y": [shown[k]],
                "text": [_here(m, errors[k])],
                "textposition": "top right" if k < len(ms) // 2 else "top left",
            },
        ]
        for k, m in enumerate(ms)
    ]
    return played(figure, [0, 1, 3], states, [str(m) for m in ms])


def _here(m: int, error: float) -> str:
    return f"m = {m}: {three_digits(float(error))}"


def _log_range(values: Sequence[int] | FloatArray) -> list[float]:
    seen = np.asarray(values, dtype=float)
    seen = seen[seen > 0]
    if not len(seen):
        return [-1.0, 1.0]
    low, high = np.log10(seen.min()), np.log10(seen.max())
    margin = 0.12 * (high - low) + 0.05
    return [float(low - margin), float(high + margin)]


def slider(names: Sequence[str], start: int, theme: Theme, prefix: str, suffix: str = "") -> dict[str, Any]:
    """Return a slider over the frames of these names; the browser plays them without the server."""
    instant = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
    font = {"size": 14, "color": theme.ink}
    return {
        "active": start,
        "currentvalue": {"prefix": prefix, "suffix": suffix, "font": font},
        "pad": {"t": 44, "b": 4},
        "font": {"color": theme.faint, "size": 11},
        "bgcolor": theme.grid,
        "activebgcolor": theme.accent,
        "bordercolor": theme.faint,
        "tickcolor": theme.faint,
        "steps": [{"label": name, "method": "animate", "args": [[name], instant]} for name in names],
    }
