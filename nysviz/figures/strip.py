"""Errors over m or σ: the curve beside the map, and a map that is played over both without the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.data_map import RESIDUAL, Picture, landmark_traces, residual_marker
from nysviz.figures.drawing import Layer, with_frames
from nysviz.figures.look import Sheet, Theme, axis, frame, inert, narrow_floats, stroke
from nysviz.figures.traces import line, log_axis, markers, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.text import three_digits


@dataclass(frozen=True)
class Strip:
    """Relative Frobenius errors, residuals of the drawn rows (steps, points) and landmarks, (m, 2) each.

    A step is a value of ``symbol``, m or σ. ``top`` and ``quantity`` are those of ``PointErrors``.
    ``sampled`` is the number of random rows that all this was computed from, 0 for all rows.
    """

    symbol: str
    values: tuple[float, ...]
    errors: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    top: float
    quantity: str
    sampled: int = 0

    @property
    def names(self) -> list[str]:
        """The values in words."""
        return [str(value) if self.symbol == "m" else three_digits(value) for value in self.values]


def _curve(strip: Strip, method: str, theme: Theme, **where: Any) -> tuple[Layer, FloatArray]:
    """Return the line of the errors, and where it runs: along the lower end where they are rounding."""
    heights = np.maximum(strip.errors, 1e-8 * float(strip.errors.max(initial=0.0)))
    hover = f"{strip.symbol} = %{{x:.4~g}}<br>relative error %{{customdata:.3g}}"
    values = np.array(strip.values, dtype=float)
    curve = line(values, heights, "", None, hover, customdata=strip.errors, showlegend=False, **where)
    curve["line"] = stroke(method, theme)["line"]
    return curve, heights


def _value_axis(strip: Strip, method: str, theme: Theme, **settings: Any) -> dict[str, Any]:
    name = f"{METHODS[method].counted} m" if strip.symbol == "m" else "bandwidth σ"
    return axis(name, theme, type="log", range=_log_range(strip.values), dtick=1, **settings)


def curve_chart(strip: Strip, value: float, error: float, method: str, sheet: Sheet) -> go.Figure:
    """Draw the relative error over m or σ, with a spot at this value and error."""
    theme = sheet.theme
    curve, heights = _curve(strip, method, theme)
    at = max(error, 1e-8 * float(heights.max(initial=error)))
    look = {"size": 11, "color": theme.ink, "line": {"width": 2, "color": theme.ground}}
    spot = markers([value], [at], look, f"{strip.symbol} = %{{x:.4~g}}<br>%{{y:.3g}}", showlegend=False)
    low, high = _log_range(np.append(heights, at))
    return frame(
        [curve, spot],
        sheet,
        190,
        xaxis=_value_axis(strip, method, theme),
        yaxis=log_axis("relative error", theme, low, high, max_ticks=4),
        margin={"l": 56, "t": 62, "b": 44},
    )


def strip_chart(picture: Picture, strip: Strip, start: int, method: str, sheet: Sheet) -> go.Figure:
    """Draw a map above, the error curve below, and a slider over m or σ whose steps are frames."""
    theme, names, about = sheet.theme, strip.names, METHODS[method]
    landmarks, residuals = strip.landmarks, strip.residuals
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
    curve, heights = _curve(strip, method, theme, **below)
    # The number stands on the side where there is room.
    sides = ["top right" if k < len(names) // 2 else "top left" for k in range(len(names))]
    texts = [
        f"{strip.symbol} = {name}: {three_digits(e)}" for name, e in zip(names, strip.errors, strict=True)
    ]
    spots: list[dict[str, Any]] = [
        {"x": [value], "y": [at], "text": [text], "textposition": side}
        for value, at, text, side in zip(strip.values, heights, texts, sides, strict=True)
    ]
    spot = {"size": 12, "color": theme.ink, "line": {"width": 2, "color": theme.ground}}
    mark = markers(marker=spot, **spots[start], **below, **unnamed) | {"mode": "markers+text"}
    low, high = _log_range(heights)
    x, y = map(inert, picture.names)
    figure = frame(
        [base, rings, curve, mark],
        sheet,
        560,
        xaxis=axis(x, theme, range=list(picture.ranges[0]), domain=[0, 0.95], anchor="y"),
        yaxis=axis(y, theme, range=list(picture.ranges[1]), domain=[0.42, 1]),
        xaxis2={**_value_axis(strip, method, theme, domain=[0, 0.95]), "anchor": "y2"},
        yaxis2=log_axis("relative error", theme, low, high, max_ticks=4, domain=[0, 0.24]),
        margin={"r": 44, "t": 62, "b": 90},
        sliders=[slider(names, start, theme, f"{strip.symbol} = ")],
    )
    states: list[list[dict[str, Any]]] = [
        [{"marker": {"color": narrow_floats(residual)}}, xy(points), at]
        for residual, points, at in zip(residuals, landmarks, spots, strict=True)
    ]
    return with_frames(figure, [0, 1, 3], states, names)


def _log_range(values: Sequence[float] | FloatArray) -> list[float]:
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
