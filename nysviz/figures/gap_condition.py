"""Theorem 1's condition on the gap, and theorem 5's bound beside what samples do (Yang et al. 2012)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.bands import band
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Theme, axis, colour, frame
from nysviz.spectrum.operators import MARGIN, distance_bound

Drawn = tuple[IntArray, FloatArray]


def condition_chart(
    n: int,
    gap: float,
    asked: int | None,
    measured: Drawn | None,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 330,
) -> go.Figure:
    """Three times theorem 5's bound against m, with the gap as a line across and the m where they meet.

    Parameters
    ----------
    n : int
        All rows.
    gap : float
        The largest (λ_r − λ_{r+1})/n.
    asked : int or None
        The smallest m of theorem 1.
    measured : ((k,) array, (draws, k) array) or None
        Sample sizes and ‖L_n − L_m‖_HS of each draw.
    """
    last = max(10.0 * n, 4.0 * (asked or 0))
    ms = np.geomspace(1.0, last, 120)
    threshold = MARGIN * distance_bound(n, ms)
    traces: list[Any] = []
    if measured is not None:
        sizes, found = measured
        mean = MARGIN * found.mean(axis=0)
        traces.append(_curve(sizes, mean, "3 × measured, mean", colour("uniform", theme), "solid"))
    traces.append(_curve(ms, threshold, "3 × bound (theorem 1)", theme.accent, "solid"))
    traces.append(
        _curve(np.array([1.0, last]), np.array([gap, gap]), "largest gap / n", theme.ink, "longdash")
    )
    note = {"x": math.log10(n), "y": 0.0, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    note |= {"text": "m = n", "showarrow": False, "font": {"size": 12, "color": theme.faint}}
    dots = {"color": theme.faint, "width": 1, "dash": "dot"}
    if asked is not None:
        traces.append(
            scatter(
                x=[asked],
                y=[gap],
                mode="markers",
                marker={"size": 10, "color": theme.accent, "line": {"width": 2, "color": theme.ground}},
                showlegend=False,
                hovertemplate="m = %{x}<extra>the condition holds from here</extra>",
            )
        )
    # A gap of 0 cannot be shown in log scale.
    low = math.log10(min(gap, float(threshold[-1])) if asked is not None else float(threshold[-1])) - 0.4
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=_sizes(math.log10(last), theme),
        yaxis=_norms("gap and threshold", [low, math.log10(float(threshold[0])) + 0.2], theme),
        shapes=[{"type": "line", "x0": n, "x1": n, "yref": "paper", "y0": 0, "y1": 1, "line": dots}],
        annotations=[note],
        showlegend=True,
        legend=_legend(theme),
    )


def distance_chart(
    n: int, sizes: IntArray, found: FloatArray, theme: Theme, title: str, subtitle: str, height: int = 330
) -> go.Figure:
    """‖L_n − L_m‖_HS of uniform samples, a band over all draws, below theorem 5's bound."""
    hue = colour("uniform", theme)
    # A sample of all rows has no distance, which a log axis cannot show.
    seen = found.max(axis=0) > 1e-7
    sizes, found = sizes[seen], np.maximum(found[:, seen], 1e-9)
    bound = distance_bound(n, sizes)
    low, high = found.min(axis=0), found.max(axis=0)
    traces = [
        band(sizes.astype(float), low, high, hue) | {"name": "measured, all draws", "showlegend": True},
        _curve(sizes, found.mean(axis=0), "measured, mean", hue, "solid"),
        _curve(sizes, bound, "bound (theorem 5)", theme.accent, "solid"),
    ]
    ends = (float(low.min()), float(bound.max())) if len(sizes) else (0.1, 1.0)
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=_sizes(math.log10(max(float(sizes.max()), 2.0)) if len(sizes) else 1.0, theme),
        yaxis=_norms(
            "‖L<sub>n</sub> − L<sub>m</sub>‖", [math.log10(ends[0]) - 0.3, math.log10(ends[1]) + 0.2], theme
        ),
        showlegend=True,
        legend=_legend(theme),
    )


def _curve(x: Any, y: FloatArray, name: str, hue: str, dash: str) -> Layer:
    return scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": hue, "width": 2, "dash": dash},
        hovertemplate="m = %{x:.0f}<br>%{y:.3g}<extra>%{fullData.name}</extra>",
    )


def _sizes(last: float, theme: Theme) -> dict[str, Any]:
    return axis(
        "sampled rows m",
        theme,
        type="log",
        dtick=max(1, math.ceil(last / 7)),
        exponentformat="power",
        range=[-0.05, last + 0.05],
    )


def _norms(name: str, limits: list[float], theme: Theme) -> dict[str, Any]:
    return axis(
        name,
        theme,
        type="log",
        dtick=max(1, math.ceil((limits[1] - limits[0]) / 6)),
        exponentformat="power",
        range=limits,
    )


def _legend(theme: Theme) -> dict[str, Any]:
    return {"x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top", "bgcolor": theme.ground}
