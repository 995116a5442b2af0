"""Approximation error against quantization error, one point a run; also with the methods taken out."""

from typing import Any

import plotly.graph_objects as go

from nysviz.figures.look import STROKES, Sheet, Theme, axis, colour, frame
from nysviz.figures.traces import markers
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.zhang2008.figure2 import Cloud

OPACITY = 0.85


def encoding_chart(points: Cloud, picked: int, sheet: Sheet) -> go.Figure:
    """Draw each run by its quantization error and its relative error, and a ring round the picked one."""
    theme = sheet.theme
    # A click on a point must not fade the others, which are still compared.
    unfaded = {"selected": {"marker": {"opacity": OPACITY}}, "unselected": {"marker": {"opacity": OPACITY}}}
    x, y = points.quantization, points.relative
    traces = []
    for method in points.methods:
        rows, label = points.runs_of(method), METHODS[method].brief
        runs = [[int(row), int(points.seeds[row])] for row in rows]
        hover = f"{label}, seed %{{customdata[1]}}<br>quantization error %{{x:.4g}}"
        hover += "<br>relative error %{y:.3g}"
        look = {"customdata": runs, "name": label, "showlegend": True, **unfaded}
        traces.append(markers(x[rows], y[rows], _marker(method, theme), hover, **look))
    ring = {"symbol": "circle-open", "size": 16, "color": theme.ink, "line": {"width": 2}}
    traces.append(markers([x[picked]], [y[picked]], ring, name="shown below; click another", showlegend=True))
    xaxis = axis("quantization error Σ min ‖x − z‖²", theme, range=padded(x))
    yaxis = axis("relative Frobenius error ‖K − K̃‖ / ‖K‖", theme, range=padded(y))
    # The legend stands below: on a narrow screen no corner is free of points.
    more: dict[str, Any] = {"below": True, "margin": {"l": 66}, "clickmode": "event+select"}
    return frame(traces, sheet, 500, xaxis=xaxis, yaxis=yaxis, **more)


def deviation_chart(points: Cloud, sheet: Sheet) -> go.Figure:
    """Draw both errors of each run less the mean of its method: the variation within methods."""
    theme, (x, y) = sheet.theme, points.deviations()
    traces = []
    for method in points.methods:
        rows, label = points.runs_of(method), METHODS[method].brief
        if len(rows) > 1:
            hover = f"{label}<br>%{{x:+.3g}}, %{{y:+.3g}}"
            traces.append(markers(x[rows], y[rows], _marker(method, theme), hover, name=label))
    zero = {"zeroline": True, "zerolinecolor": theme.faint, "zerolinewidth": 1}
    xaxis = axis("quantization error", theme, range=padded(x), **zero)
    yaxis = axis("relative error", theme, range=padded(y), **zero)
    return frame(traces, sheet, 440, xaxis=xaxis, yaxis=yaxis, margin={"l": 66})


def _marker(method: str, theme: Theme) -> dict[str, Any]:
    hue, symbol = colour(method, theme), STROKES[method][2] or "circle"
    return {"color": hue, "symbol": symbol, "size": 8, "opacity": OPACITY, "line": {"color": hue, "width": 1}}


def padded(values: FloatArray) -> list[float]:
    """Return the range of an axis round these values."""
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return [low - margin, high + margin]
