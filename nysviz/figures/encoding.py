"""Approximation error against quantization error, one point a run; also with the methods taken out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.look import Theme, axis, colour, frame, stroke
from nysviz.figures.traces import markers
from nysviz.papers.zhang2008.figure2 import Cloud

MARKER, OPACITY = 8, 0.85


def encoding_chart(
    points: Cloud,
    labels: Mapping[str, str],
    picked: int | None,
    theme: Theme,
    title: str,
    subtitle: str,
) -> go.Figure:
    """Draw each run by its quantization error and its relative Frobenius error.

    Parameters
    ----------
    labels : mapping of method to its name in words
    picked : int or None
        The run with a ring round it. Each point's ``customdata`` is its number in ``points``.
    """
    # Clicking a point must not fade the others: they are still what is looked at.
    unfaded = {"selected": {"marker": {"opacity": OPACITY}}, "unselected": {"marker": {"opacity": OPACITY}}}
    traces: list[Any] = [
        markers(
            points.quantization[rows],
            points.relative[rows],
            _marker(method, theme),
            f"{labels[method]}, seed %{{customdata[1]}}<br>quantization error %{{x:.4g}}"
            "<br>relative error %{y:.3g}",
            customdata=[[int(row), int(points.seeds[row])] for row in rows],
            name=labels[method],
            showlegend=True,
            **unfaded,
        )
        for method, rows in ((method, points.of(method)) for method in points.methods)
    ]
    if picked is not None:
        ring = {"symbol": "circle-open", "size": 2 * MARKER, "color": theme.ink, "line": {"width": 2}}
        place = [points.quantization[picked]], [points.relative[picked]]
        traces.append(markers(*place, ring, name="shown below", showlegend=True))
    return frame(
        traces,
        theme,
        title,
        subtitle,
        500,
        xaxis=axis("quantization error Σ min ‖x − z‖²", theme, range=padded(points.quantization)),
        yaxis=axis("relative Frobenius error ‖K − K̃‖ / ‖K‖", theme, range=padded(points.relative)),
        margin={"l": 66},
        clickmode="event+select",
        # On a narrow screen no corner is free of points.
        below=True,
    )


def deviation_chart(
    points: Cloud, labels: Mapping[str, str], theme: Theme, title: str, subtitle: str
) -> go.Figure:
    """Draw both errors of each run less the mean of its method: what is left within methods."""
    x, y = points.deviations()
    traces = [
        markers(
            x[rows],
            y[rows],
            _marker(method, theme),
            f"{labels[method]}<br>%{{x:+.3g}}, %{{y:+.3g}}",
            name=labels[method],
        )
        for method, rows in ((method, points.of(method)) for method in points.methods)
        if len(rows) > 1
    ]
    zero = {"zeroline": True, "zerolinecolor": theme.faint, "zerolinewidth": 1}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        440,
        xaxis=axis("quantization error, less the method's mean", theme, range=padded(x), **zero),
        yaxis=axis("relative error, less the method's mean", theme, range=padded(y), **zero),
        margin={"l": 66},
    )


def _marker(method: str, theme: Theme) -> dict[str, Any]:
    hue = colour(method, theme)
    symbol = stroke(method, theme).get("marker", {}).get("symbol", "circle")
    line = {"color": hue, "width": 1}
    return {"color": hue, "symbol": symbol, "size": MARKER, "opacity": OPACITY, "line": line}


def padded(values: np.ndarray[Any, Any]) -> list[float]:
    """Range of an axis round these values; round 0 where there are none."""
    if not len(values):
        return [-1.0, 1.0]
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return [low - margin, high + margin]
