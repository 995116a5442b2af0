"""The strip: landmarks, residuals and error at growing m, played in the browser without the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.data_map import RESIDUAL, Picture, landmark_traces, residual_marker
from nysviz.figures.drawing import played
from nysviz.figures.look import Sheet, Theme, axis, frame, inert, narrow_floats, stroke
from nysviz.figures.traces import line, log_axis, markers, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.text import three_digits


@dataclass(frozen=True)
class Strip:
    """Relative Frobenius errors, residuals of the drawn rows (steps, points) and landmarks, (m, d) each.

    ``top`` and ``quantity`` are those of ``PointErrors``. ``sampled`` is the number of random rows that all
    this was computed from, 0 for all rows.
    """

    ms: tuple[int, ...]
    errors: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    top: float
    quantity: str
    sampled: int = 0


def strip_chart(picture: Picture, strip: Strip, start: int, method: str, sheet: Sheet) -> go.Figure:
    """Draw a map above, the error curve below, and a slider over m whose steps are frames."""
    theme, ms, about = sheet.theme, strip.ms, METHODS[method]
    landmarks, residuals = list(map(picture.place, strip.landmarks)), strip.residuals
    top, key = strip.top, strip.quantity
    levels = [0.0, top / 2, top]
    bar = {
        "title": {"text": key, "font": {"size": 12, "color": theme.faint}},
        "tickvals": levels,
        "ticktext": list(map(three_digits, levels)),
        "tickfont": {"size": 11, "color": theme.faint},
        "thickness": 10,
        "outlinewidth": 0,
        "x": 0.965,
        "y": 0.42,
        "yanchor": "bottom",
        "len": 0.58,
    }
    # Plotly's own colour bar: the heatmap of other keys is lost when a frame is played.
    marker = residual_marker(residuals[start], top, theme) | {"size": 5, "showscale": True, "colorbar": bar}
    quantity = "residual" if key == RESIDUAL else key
    unnamed: dict[str, Any] = {"showlegend": False}
    below = {"xaxis": "x2", "yaxis": "y2"}
    hover = f"{quantity} %{{marker.color:.3g}}"
    base = markers(**xy(picture.positions), marker=marker, hover=hover, **unnamed)
    rings = landmark_traces(landmarks[start], about.landmarks_are_data, theme, [])[-1]
    rings.update(**unnamed, hoverinfo="skip", hovertemplate=None)
    # Rounding is not an error that the axis gives room to: below it the line runs along the lower end.
    heights = np.maximum(strip.errors, 1e-8 * float(strip.errors.max()))
    hover = "m = %{x}<br>relative error %{customdata:.3g}"
    curve = line(list(ms), heights, "", None, hover, customdata=strip.errors, **below, **unnamed)
    curve["line"] = stroke(method, theme)["line"]
    # The number stands on the side where there is room.
    sides = ["top right" if k < len(ms) // 2 else "top left" for k in range(len(ms))]
    spots: list[dict[str, Any]] = [
        {"x": [m], "y": [at], "text": [f"m = {m}: {three_digits(float(error))}"], "textposition": side}
        for m, at, error, side in zip(ms, heights, strip.errors, sides, strict=True)
    ]
    spot = {"size": 12, "color": theme.ink, "line": {"width": 2, "color": theme.ground}}
    mark = markers(marker=spot, **spots[start], **below, **unnamed) | {"mode": "markers+text"}
    low, high = _log_range(heights)
    counts = axis(f"{about.counted} m", theme, domain=[0, 0.95], type="log", range=_log_range(ms), dtick=1)
    x, y = map(inert, picture.names)
    figure = frame(
        [base, rings, curve, mark],
        sheet,
        560,
        xaxis=axis(x, theme, range=list(picture.ranges[0]), domain=[0, 0.95], anchor="y"),
        yaxis=axis(y, theme, range=list(picture.ranges[1]), domain=[0.42, 1]),
        xaxis2={**counts, "anchor": "y2"},
        yaxis2=log_axis("relative error", theme, low, high, max_ticks=4, domain=[0, 0.24]),
        margin={"r": 44, "t": 62, "b": 90},
        sliders=[slider([str(m) for m in ms], start, theme, "m = ")],
    )
    states: list[list[dict[str, Any]]] = [
        [{"marker": {"color": narrow_floats(residual)}}, xy(points), at]
        for residual, points, at in zip(residuals, landmarks, spots, strict=True)
    ]
    return played(figure, [0, 1, 3], states, [str(m) for m in ms])


def _log_range(values: Sequence[int] | FloatArray) -> list[float]:
    logs = np.log10([value for value in values if value > 0])
    if not len(logs):
        return [-1.0, 1.0]
    margin = 0.12 * np.ptp(logs) + 0.05
    return [float(logs.min() - margin), float(logs.max() + margin)]


def slider(names: Sequence[str], start: int, theme: Theme, prefix: str, suffix: str = "") -> dict[str, Any]:
    """Return a slider over the frames of these names; the browser plays them without the server."""
    return {
        "active": start,
        "currentvalue": {"prefix": prefix, "suffix": suffix, "font": {"size": 14, "color": theme.ink}},
        "pad": {"t": 44, "b": 4},
        "font": {"color": theme.faint, "size": 11},
        "bgcolor": theme.grid,
        "activebgcolor": theme.accent,
        "bordercolor": theme.faint,
        "tickcolor": theme.faint,
        "steps": slider_steps(names, redraw=False),
    }


def slider_steps(names: Sequence[str], redraw: bool) -> list[dict[str, Any]]:
    """Return a slider's steps, one for the frame of each name, shown at once."""
    instant = {"mode": "immediate", "frame": {"duration": 0, "redraw": redraw}, "transition": {"duration": 0}}
    return [{"label": name, "method": "animate", "args": [[name], instant]} for name in names]
