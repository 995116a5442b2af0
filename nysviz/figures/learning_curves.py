"""Test score of learning machines against the number of landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import Theme, axis, colour


def score_line(
    method: str,
    label: str,
    x: Sequence[float],
    runs: Sequence[Sequence[float]],
    told: Sequence[str],
    most: float,
) -> Line:
    """Mean ± standard deviation of the runs at each x; no band crosses the ends of scores, 0 and most."""
    mean = np.array([np.mean(values) for values in runs])
    spread = np.array([np.std(values, ddof=1) if len(values) > 1 else 0.0 for values in runs])
    low, high = np.maximum(mean - spread, 0.0), np.minimum(mean + spread, most)
    return Line(method, label, np.asarray(x), mean, low, high, told)


def learning_chart(
    lines: Sequence[Line],
    exact: tuple[float, str] | None,
    ticks: Sequence[float],
    ends: tuple[float, float],
    chosen: float,
    names: tuple[str, str],
    span: tuple[float, float],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int,
    ahead: Mapping[int, str] | None = None,
) -> go.Figure:
    """Draw a band for each method, the exact machine as a line, and the number whose values stand beside it.

    Parameters
    ----------
    lines : sequence of Line
    exact : (score, its hover text) or None
        Of the exact machine; None while it is computed.
    ticks : sequence of float
    ends : (float, float)
        First and last number of landmarks, or ratio, of the logarithmic axis.
    chosen : float
    names, span : (str, str), (float, float)
        Names of the axes; ends of the upright one.
    ahead : mapping, optional
        m → method that is significantly ahead there, marked at the lower edge in its colour.
    """
    extra = []
    if exact is not None:
        extra.append(
            scatter(
                x=list(ends),
                y=[exact[0]] * 2,
                mode="lines",
                line={"color": theme.ink, "width": 1.5},
                name="exact machine",
                hovertemplate=f"{exact[1]}<extra></extra>",
            )
        )
    ahead = ahead or {}
    for method in dict.fromkeys(ahead.values()):
        at = [m for m, winner in ahead.items() if winner == method]
        line = {"color": theme.ground, "width": 1}
        extra.append(
            scatter(
                x=at,
                y=[span[0] + 0.035 * (span[1] - span[0])] * len(at),
                mode="markers",
                marker={"symbol": "triangle-up", "size": 11, "color": colour(method, theme), "line": line},
                name=f"{method} significantly ahead",
                hovertemplate="m = %{x}: significantly ahead at 95 %<extra></extra>",
                showlegend=False,
            )
        )
    limits = [float(np.log10(ends[0])) - 0.05, float(np.log10(ends[1])) + 0.05]
    ticked = {"tickvals": list(ticks), "ticktext": [f"{tick:g}" for tick in ticks], "minor": {"ticks": ""}}
    figure = band_chart(
        lines,
        theme,
        title,
        subtitle,
        axis(names[0], theme, type="log", range=limits, **ticked),
        axis(names[1], theme, range=list(span)),
        height,
        extra,
    )
    upright = {"type": "line", "x0": chosen, "x1": chosen, "y0": 0, "y1": 1, "yref": "y domain"}
    return with_layout(
        figure, shapes=[{**upright, "line": {"color": theme.faint, "width": 1, "dash": "dot"}}]
    )
