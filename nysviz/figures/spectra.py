"""Eigenvalues of K with those of K̃ over them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Theme, axis, frame, stroke

# Eigenvalues below this part of the largest one are rounding and are not drawn.
VISIBLE = 1e-16


def spectrum_chart(
    exact: FloatArray | None,
    approximate: FloatArray,
    n: int,
    m: int,
    method: str,
    method_label: str,
    theme: Theme,
    title: str,
    subtitle: str = "",
    height: int = 300,
) -> go.Figure:
    """Draw λ_i/n against the rank i in log scale, with the number of landmarks marked.

    Parameters
    ----------
    exact : (k,) array or None
        Eigenvalues of K, descending; None while they are being computed.
    approximate : (r,) array
        Eigenvalues of K̃, descending.
    """
    traces: list[Any] = []
    top = float(approximate[0]) if len(approximate) else 1.0
    if exact is not None and len(exact):
        top = max(top, float(exact[0]))
        traces.append(
            _line(exact, n, top, {"mode": "lines", "line": {"color": theme.ink, "width": 2.5}}, "K")
        )
    style = stroke(method, theme)
    style["mode"] = "lines"
    style.pop("marker", None)
    traces.append(_line(approximate, n, top, style, f"K̃, {method_label}"))
    # The range is that of K's own spectrum, so that it stays when m moves.
    low = _log10(top / n) - 16
    if exact is not None and len(exact):
        seen = exact[exact > VISIBLE * top]
        low = max(low, _log10(seen[-1] / n)) if len(seen) else low
    high = _log10(top / n) + 0.3
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("rank i", theme, type="log", range=[-0.05, float(np.log10(max(n, 2))) + 0.05], dtick=1),
        yaxis=axis(
            "eigenvalue λ<sub>i</sub> / n",
            theme,
            type="log",
            range=[low - 0.3, high],
            exponentformat="power",
            dtick=max(1, math.ceil((high - low) / 6)),
        ),
        shapes=[
            {
                "type": "line",
                "x0": m,
                "x1": m,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": theme.faint, "width": 1, "dash": "dot"},
            }
        ],
        annotations=[
            {
                "x": np.log10(m),
                "y": 1.0,
                "yref": "paper",
                "text": f"m = {m}",
                "showarrow": False,
                "xanchor": "right" if m > 3 else "left",
                "yanchor": "top",
                "font": {"size": 12, "color": theme.faint},
            }
        ],
        showlegend=True,
        legend={"x": 0.02, "y": 0.02, "xanchor": "left", "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"},
    )


def _log10(value: float) -> float:
    # A kernel matrix may be 0.
    return float(np.log10(max(value, 1e-300)))


def _line(values: FloatArray, n: int, top: float, style: dict[str, Any], name: str) -> Layer:
    seen = values[values > VISIBLE * top]
    return scatter(
        x=np.arange(1, len(seen) + 1),
        y=seen / n,
        name=name,
        hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra>%{fullData.name}</extra>",
        **style,
    )
