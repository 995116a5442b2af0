"""Errors relative to the best of the same rank, with what the papers guarantee of their expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bounds import BAND
from nysviz.figures.drawing import scatter
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, colour, frame, legend_below, stroke


def relative_chart(
    ranks: Sequence[int],
    ratios: Mapping[str, FloatArray],
    guarantees: Mapping[str, FloatArray],
    stated: Mapping[str, str],
    labels: Mapping[str, str],
    here: tuple[int, float] | None,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 420,
    counted: str = "rank and landmarks k",
) -> go.Figure:
    """Draw mean ratios with a band of one standard deviation, and each method's guarantee in its colour.

    Parameters
    ----------
    ranks : sequence of int
    ratios : mapping of method to (len(ranks), repeats) array
        ‖K − K̃‖_F / ‖K − K_k‖_F; NaN where a run is missing.
    guarantees : mapping of method to (len(ranks),) array
        Bounds on the expected ratio.
    stated : mapping of method to str
        What each of these bounds is, for the legend.
    labels : mapping of method to str
    here : (rank, bound) or None
        Theorem 4 with its Θ, at the rank chosen; None where it says nothing.
    counted : str
        Name of the level axis.
    """
    traces: list[Any] = []
    top = here[1] if here is not None and np.isfinite(here[1]) else 1.0
    for method, bound in guarantees.items():
        hue = colour(method, theme)
        top = max(top, float(bound.max()))
        traces.append(
            scatter(
                x=list(ranks),
                y=bound,
                mode="lines",
                line={"color": hue, "width": 1.5, "dash": "dot"},
                name=f"{stated[method]}, {labels[method]}",
                hovertemplate="rank %{x}<br>%{y:.3g} times the best<extra>%{fullData.name}</extra>",
            )
        )
    for method, values in ratios.items():
        ready = [k for k in range(len(ranks)) if np.isfinite(values[k]).any()]
        mean = np.array([np.nanmean(values[k]) for k in ready])
        spread = np.array([np.nanstd(values[k]) for k in ready])
        x = [ranks[k] for k in ready]
        traces.append(
            scatter(
                x=[*x, *x[::-1]],
                y=[*(mean + spread), *np.maximum(mean - spread, 1.0)[::-1]],
                fill="toself",
                fillcolor=colour(method, theme) + BAND,
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
            )
        )
        traces.append(
            scatter(
                x=x,
                y=mean,
                customdata=spread,
                name=f"measured, {labels[method]}",
                hovertemplate="rank %{x}<br>%{y:.3g} ± %{customdata:.2g} times the best"
                "<extra>%{fullData.name}</extra>",
                **stroke(method, theme),
            )
        )
    if here is not None:
        traces.append(
            scatter(
                x=[here[0]],
                y=[here[1]],
                mode="markers",
                marker={"size": 12, "symbol": "circle-open", "color": theme.ink, "line": {"width": 2}},
                name="theorem 4 with its Θ",
                hovertemplate="rank %{x}<br>%{y:.3g} times the best<extra>with Θ</extra>",
            )
        )
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(counted, theme, range=[0, 1.05 * max(ranks)]),
        yaxis=axis(
            "error / best error of the rank",
            theme,
            type="log",
            range=[-0.05, float(np.log10(top)) + 0.25],
            exponentformat="power",
            dtick=1,
        ),
        showlegend=True,
        legend=legend_below(),
        margin={"l": 64, "r": 12, "t": 62, "b": LEGEND_PIXELS},
    )
