"""Theorem 5's bound beside what samples do, and the gap that theorem 1 asks for (Yang et al. 2012)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.bands import band
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, colour, frame, legend_below
from nysviz.spectrum.operators import MARGIN, distance_bound

# A sample of all rows has no distance, which a log axis cannot show.
LEAST = 1e-7


def distance_chart(
    n: int,
    gap: float,
    asked: int | None,
    measured: tuple[IntArray, FloatArray] | None,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 640,
) -> go.Figure:
    """Draw ‖L_n − L_m‖_HS of uniform samples, a band over all draws, its bound, and a third of the gap.

    Parameters
    ----------
    n : int
        All rows.
    gap : float
        The largest (λ_r − λ_{r+1})/n.
    asked : int or None
        The smallest m of theorem 1, at which the bound falls below a third of the gap.
    measured : ((k,) array, (draws, k) array) or None
        Sample sizes and the distance of each draw.
    """
    last, third = max(10.0 * n, 4.0 * (asked or 0)), gap / MARGIN
    ms = np.geomspace(1, last, 120)
    bound = distance_bound(n, ms)
    ends = [float(bound[0]), float(bound[-1]), *([third] if asked is not None else [])]
    traces: list[Any] = []
    if measured is not None:
        sizes, found = measured
        apart = found.max(axis=0) > LEAST
        x, found, hue = (
            sizes[apart].astype(float),
            np.maximum(found[:, apart], LEAST),
            colour("uniform", theme),
        )
        low, high = found.min(axis=0), found.max(axis=0)
        ends += [*low[-1:].tolist()]
        traces += [
            band(x, low, high, hue) | {"name": "measured, all draws", "showlegend": True},
            _curve(x, found.mean(axis=0), "measured, mean", hue),
        ]
    traces.append(_curve(ms, bound, "bound (theorem 5)", theme.accent))
    traces.append(_curve(ms[[0, -1]], np.array([third, third]), "largest gap / 3n", theme.ink, "longdash"))
    if asked is not None:
        spot = {"size": 10, "color": theme.accent, "line": {"width": 2, "color": theme.ground}}
        hover = "m = %{x}<extra>theorem 1 holds from here</extra>"
        at = {"x": [asked], "y": [third], "mode": "markers", "marker": spot}
        traces.append(scatter(**at, hovertemplate=hover, showlegend=False))
    note = {"x": math.log10(n), "y": 0.0, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    note |= {"text": "m = n", "showarrow": False, "font": {"size": 12, "color": theme.faint}}
    dots = {"color": theme.faint, "width": 1, "dash": "dot"}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=_log_axis("sampled rows m", [-0.05, math.log10(last) + 0.05], theme),
        yaxis=_log_axis(
            "‖L<sub>n</sub> − L<sub>m</sub>‖",
            [math.log10(min(ends)) - 0.4, math.log10(max(ends)) + 0.2],
            theme,
        ),
        shapes=[{"type": "line", "x0": n, "x1": n, "yref": "paper", "y0": 0, "y1": 1, "line": dots}],
        annotations=[note],
        showlegend=True,
        legend=legend_below(),
        margin={"l": 66, "r": 12, "t": 62, "b": LEGEND_PIXELS},
    )


def _curve(x: FloatArray, y: FloatArray, name: str, hue: str, dash: str = "solid") -> Layer:
    return scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": hue, "width": 2, "dash": dash},
        hovertemplate="m = %{x:.0f}<br>%{y:.3g}<extra>%{fullData.name}</extra>",
    )


def _log_axis(name: str, limits: list[float], theme: Theme) -> dict[str, Any]:
    step = max(1, math.ceil((limits[1] - limits[0]) / 7))
    return axis(name, theme, type="log", dtick=step, exponentformat="power", range=limits)
