"""The two balls: their points, and the first two eigenvectors of three kernel matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Theme, axis, drawn, frame

# The two classes: none of a method's hues, and told apart by the marker as well.
CLASSES = {-1: ("#0072B2", "#56B4E9", "circle"), 1: ("#E69F00", "#FFC24D", "diamond")}
# Axis ends that are easy to read.
ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
GAP = 0.035


@dataclass(frozen=True)
class Panel:
    """The first two eigenvectors of one matrix at the drawn points, (b, 2), under a name and a remark."""

    name: str
    remark: str
    vectors: FloatArray


def round_up(value: float) -> float:
    """The next number, with at most two digits, that is not smaller."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return power * next(step for step in ROUND if step * power >= value * (1 - 1e-12))


def balls_chart(positions: FloatArray, y: IntArray, theme: Theme, title: str, subtitle: str) -> go.Figure:
    """Draw the first two dimensions, (b, 2), coloured by class."""
    reach = round_up(1.04 * float(np.abs(positions[:, 0]).max()))
    return frame(
        _classes(positions, y, theme, 4.5, "x", "y", legend=True),
        theme,
        title,
        subtitle,
        310,
        xaxis=axis("dimension 1", theme, range=[-reach, reach]),
        yaxis=axis("dimension 2", theme, range=[-0.1, 1.1], dtick=0.5),
    )


def eigenvector_chart(
    panels: Sequence[Panel], y: IntArray, rows: IntArray, theme: Theme, title: str, subtitle: str
) -> go.Figure:
    """Draw second against first eigenvector for each matrix, side by side, on the same ranges.

    Parameters
    ----------
    panels : sequence of Panel
    y : (b,) array of -1 and 1
    rows : (b,) array
        Row numbers, for the hover.
    """
    every = np.concatenate([panel.vectors for panel in panels])
    low, high = _nice_range(float(every[:, 0].min()), float(every[:, 0].max()))
    reach = round_up(1.04 * float(np.abs(every[:, 1]).max()))
    width = (1.0 - GAP * (len(panels) - 1)) / len(panels)
    traces: list[Layer] = []
    layout: dict[str, Any] = {"annotations": []}
    for i, panel in enumerate(panels):
        suffix = "" if i == 0 else str(i + 1)
        x, up = f"x{suffix}", f"y{suffix}"
        start = i * (width + GAP)
        traces += _classes(panel.vectors, y, theme, 4.5, x, up, legend=i == 0, rows=rows)
        layout[f"xaxis{suffix}"] = axis(
            "first, u<sub>1</sub>",
            theme,
            range=[low, high],
            domain=[start, start + width],
            anchor=up,
            tickvals=_ticks(low, high),
        )
        layout[f"yaxis{suffix}"] = axis(
            "second eigenvector u<sub>2</sub>" if i == 0 else "",
            theme,
            range=[-reach, reach],
            anchor=x,
            showticklabels=i == 0,
        )
        layout["annotations"].append(
            {
                "x": start,
                "y": 1.0,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "align": "left",
                "text": f"<b>{panel.name}</b><br>"
                f"<span style='font-size:{11 * theme.scale:g}px'>{panel.remark}</span>",
                "showarrow": False,
                "font": {"size": 13, "color": theme.ink},
            }
        )
    margin = {"l": 64, "r": 10, "t": 104, "b": 48}
    legend = {"x": 1, "y": 1.17, "xanchor": "right", "yanchor": "bottom", "orientation": "h"}
    return frame(traces, theme, title, subtitle, 430, margin=margin, showlegend=True, legend=legend, **layout)


def _classes(
    points: FloatArray,
    y: IntArray,
    theme: Theme,
    size: float,
    x_axis: str,
    y_axis: str,
    *,
    legend: bool,
    rows: IntArray | None = None,
) -> list[Layer]:
    traces = []
    for label, (light, dark, symbol) in CLASSES.items():
        hue = dark if theme.dark else light
        mine = y == label
        traces.append(
            scatter(
                x=drawn(points[mine, 0]),
                y=drawn(points[mine, 1]),
                text=None if rows is None else [f"row {row}" for row in rows[mine]],
                mode="markers",
                name=f"class {label:+d}".replace("-", "\N{MINUS SIGN}"),
                legendgroup=f"{label}",
                showlegend=legend,
                hovertemplate="(%{x:.3g}, %{y:.3g})<br>%{text}<extra>%{fullData.name}</extra>"
                if rows is not None
                else "(%{x:.3g}, %{y:.3g})<extra>%{fullData.name}</extra>",
                marker={
                    "color": hue,
                    "symbol": symbol,
                    "size": size,
                    "opacity": 0.75,
                },
                xaxis=x_axis,
                yaxis=y_axis,
            )
        )
    return traces


def _nice_range(low: float, high: float) -> tuple[float, float]:
    """Ends a little outside, on a grid of a tenth of the width, so that they seldom move."""
    width = round_up(max(high - low, 1e-3 * max(abs(low), abs(high), 1e-300)))
    step = width / 10.0
    return step * math.floor(low / step - 0.3), step * math.ceil(high / step + 0.3)


def _ticks(low: float, high: float) -> list[float]:
    """Two or three round numbers, away from the ends: there the neighbouring panel's labels begin."""
    wanted, inside = 0.4 * (high - low), 0.1 * (high - low)
    power = 10.0 ** math.floor(math.log10(wanted))
    # As far apart as leaves two of them.
    for step in (10.0 * power, 5.0 * power, 2.5 * power, 2.0 * power, power):
        first, last = math.ceil((low + inside) / step), math.floor((high - inside) / step)
        if last > first:
            break
    return [float(f"{k * step:.6g}") for k in range(first, last + 1)]
