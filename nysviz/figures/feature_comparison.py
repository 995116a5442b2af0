"""Landmarks against random features: eigenvalues of each matrix, and accuracy against m."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Theme, axis, colour, frame, stroke

LEGEND = {"xanchor": "right", "bgcolor": "rgba(0,0,0,0)"}
# Accuracy (%) of a guess between two balanced classes.
CHANCE = 50.0
# Eigenvalues of an approximation that are drawn while those of K are not known.
MOST_RANKS = 100


@dataclass(frozen=True)
class Curve:
    """Test accuracy (%) of a method: mean and standard deviation over trials at each m."""

    method: str
    label: str
    ms: Sequence[int]
    mean: Sequence[float]
    deviation: Sequence[float]


def eigenvalue_chart(
    exact: FloatArray,
    others: Mapping[str, tuple[str, FloatArray]],
    n: int,
    theme: Theme,
    title: str,
    subtitle: str,
) -> go.Figure:
    """Draw λ_i/N against the rank in log scale, for K in ink and for each method.

    Parameters
    ----------
    exact : (k,) array
        Leading eigenvalues of K; empty while they are not known.
    others : mapping of method to (label, eigenvalues)
    """
    lines = [exact] if len(exact) else [values[:MOST_RANKS] for _, values in others.values()]
    lines = [line[line > 1e-14 * line[0]] / n for line in lines]
    high, ranks = 0.2, len(exact) or max(len(line) for line in lines)
    # Half a decade below the smallest eigenvalue that counts.
    low = min(-3.5, math.floor(2 * math.log10(min(float(line[-1]) for line in lines))) / 2 - 0.5)
    ink = {"mode": "lines", "line": {"color": theme.ink, "width": 2.5}}
    traces = [_eigenvalues(lines[0], "K", ink)] if len(exact) else []
    for method, (label, values) in others.items():
        style = stroke(method, theme)
        style["mode"] = "lines"
        style.pop("marker", None)
        traces.append(_eigenvalues(values[:ranks] / n, label, style))
    return frame(
        traces,
        theme,
        title,
        subtitle,
        310,
        xaxis=axis("rank i", theme, type="log", range=[-0.05, math.log10(ranks) + 0.05], dtick=1),
        yaxis=axis(
            "eigenvalue λ<sub>i</sub> / N",
            theme,
            type="log",
            range=[low, high],
            exponentformat="power",
            dtick=max(1, math.ceil((high - low) / 6)),
        ),
        showlegend=True,
        legend={**LEGEND, "x": 1, "y": 1, "yanchor": "top"},
    )


def accuracy_chart(
    curves: Sequence[Curve], ms: Sequence[int], theme: Theme, title: str, subtitle: str
) -> go.Figure:
    """Draw the test accuracy against m in log scale, with one standard deviation as a band."""
    traces: list[Layer] = []
    for curve in curves:
        mean, deviation = np.array(curve.mean), np.array(curve.deviation)
        traces.append(
            scatter(
                x=[*curve.ms, *reversed(curve.ms)],
                y=np.concatenate([np.minimum(mean + deviation, 100.0), (mean - deviation)[::-1]]),
                fill="toself",
                mode="none",
                fillcolor=_faint(colour(curve.method, theme)),
                hoverinfo="skip",
                showlegend=False,
            )
        )
        traces.append(
            scatter(
                x=list(curve.ms),
                y=mean,
                customdata=deviation,
                name=curve.label,
                hovertemplate="m = %{x}<br>%{y:.1f} ± %{customdata:.1f} %<extra>%{fullData.name}</extra>",
                **_visible(stroke(curve.method, theme)),
            )
        )
    chance = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": CHANCE, "y1": CHANCE}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        310,
        xaxis=axis(
            "landmarks or frequencies m",
            theme,
            type="log",
            range=[math.log10(ms[0]) - 0.06, math.log10(ms[-1]) + 0.06],
            tickvals=list(ms),
            ticktext=[str(m) for m in ms],
        ),
        yaxis=axis("test accuracy (%)", theme, range=[40, 102], dtick=10),
        shapes=[{**chance, "line": {"color": theme.faint, "width": 1, "dash": "dot"}}],
        showlegend=True,
        legend={**LEGEND, "x": 1, "y": 0.19, "yanchor": "bottom"},
    )


def _visible(style: dict[str, Any]) -> dict[str, Any]:
    # A marker of bare strokes has only its outline to be seen by.
    if "marker" in style:
        style["marker"] = {**style["marker"], "line": {**style["marker"]["line"], "width": 1.5}}
    return style


def _faint(hue: str) -> str:
    red, green, blue = (int(hue[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def _eigenvalues(values: FloatArray, name: str, style: dict[str, Any]) -> Layer:
    hover = "rank %{x}<br>λ/N = %{y:.3g}<extra>%{fullData.name}</extra>"
    return scatter(x=np.arange(1, len(values) + 1), y=values, name=name, hovertemplate=hover, **style)
