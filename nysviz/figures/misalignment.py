"""Misalignment of kernel PCA against the number of landmarks, and how orthonormal eigenvectors are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import heatmap, scatter
from nysviz.figures.look import Theme, axis, drawn, frame, ramp, ramp_bar, three_digits

# A misalignment below this part of the largest possible one is rounding: no line goes there.
ROUNDING = 1e-13
OVERFULL = 1.05
# Labels of the axis that do not run into one another on a narrow screen.
NAMED_PERCENTS = (1.0, 2.0, 3.0, 5.0, 10.0)
LONGEST = 2.0


@dataclass(frozen=True)
class Printed:
    """A published value: where it stands, and its printed standard deviation."""

    label: str
    percent: float
    mean: float
    spread: float


def misalignment_chart(
    lines: Sequence[Line],
    percents: Sequence[float],
    most: float,
    printed: Sequence[Printed],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 400,
) -> go.Figure:
    """Draw the misalignment of each method against m/n in per cent.

    Parameters
    ----------
    lines : sequence of Line
    percents : sequence of float
        All that will be drawn, so that the axis does not move while runs come in.
    most : float
        √k, the misalignment where nothing is left.
    printed : sequence of Printed
    """
    least = ROUNDING * most
    drawable = [_without_rounding(line, least) for line in lines]
    seen = [*(value for line in drawable for value in line.low), *(mark.mean for mark in printed)]
    bottom = min((value for value in seen if value > least), default=0.01 * most)
    ends = np.log10([min(percents), max(percents)])
    marks = scatter(
        x=[mark.percent for mark in printed],
        y=[mark.mean for mark in printed],
        error_y={
            "array": [mark.spread for mark in printed],
            "color": theme.ink,
            "thickness": 1,
            "width": 4,
        },
        mode="markers",
        marker={"symbol": "diamond-open", "size": 10, "color": theme.ink, "line": {"width": 1.5}},
        text=[mark.label for mark in printed],
        hovertemplate="%{text}: printed %{y:.3g}<extra></extra>",
        name="printed",
    )
    named = [f"{percent:g}" if percent in NAMED_PERCENTS else "" for percent in percents]
    return band_chart(
        drawable,
        theme,
        title,
        subtitle,
        axis(
            "landmarks m / n (%)",
            theme,
            type="log",
            range=[ends[0] - 0.05, ends[1] + 0.05],
            tickvals=list(percents),
            ticktext=named,
            tickangle=0,
        ),
        axis(
            "misalignment ‖U − ŨA‖<sub>F</sub>",
            theme,
            type="log",
            # Whole half decades, so that the axis moves rarely while runs come in.
            range=[np.floor(2 * np.log10(bottom / 1.1)) / 2, np.log10(OVERFULL * most)],
            exponentformat="power",
            dtick=1,
        ),
        height,
        [marks] if printed else [],
    )


def _without_rounding(line: Line, least: float) -> Line:
    kept = line.y > least
    hover = [text for text, is_kept in zip(line.told, kept, strict=True) if is_kept]
    return replace(
        line,
        x=line.x[kept],
        y=line.y[kept],
        low=np.maximum(line.low[kept], least),
        high=line.high[kept],
        told=hover,
    )


def gram_chart(
    extension: FloatArray,
    orthogonal: FloatArray,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 400,
) -> go.Figure:
    """Draw UᵀU of the plain extension, (k, k), and of the orthogonal form: the identity for orthonormal U."""
    # Longer vectors than this take the colour at the end; the 1 of an orthonormal one stays visible.
    top = min(LONGEST, max(1.0, float(np.abs(extension).max(initial=0.0))))
    # Blue below 0, the ground's colour at 0, orange above.
    below, above = ("#56B4E9", "#FF8A3D") if theme.dark else ("#0072B2", "#D55E00")
    colours = ramp((below, theme.ground, above))
    traces: list[Any] = []
    layout: dict[str, Any] = {"annotations": []}
    for number, name, gram, left in (
        ("", "plain extension", extension, 0.0),
        ("2", "orthogonal", orthogonal, 0.5),
    ):
        ticks = list(range(1, len(gram) + 1))
        traces.append(
            heatmap(
                z=drawn(gram),
                x=ticks,
                y=ticks,
                zmin=-top,
                zmax=top,
                colorscale=colours,
                showscale=False,
                xgap=1,
                ygap=1,
                hovertemplate="u<sub>%{y}</sub> · u<sub>%{x}</sub> = %{z:.3g}<extra></extra>",
                xaxis=f"x{number}",
                yaxis=f"y{number}",
            )
        )
        plain = {"showgrid": False, "tickvals": ticks, "ticks": "", "showline": False, "constrain": "domain"}
        domain = [left, left + 0.45]
        layout[f"xaxis{number}"] = axis("", theme, **plain, domain=domain, anchor=f"y{number}")
        layout[f"yaxis{number}"] = axis(
            "",
            theme,
            **plain,
            range=[len(gram) + 0.5, 0.5],
            anchor=f"x{number}",
            scaleanchor=f"x{number}",
            constraintoward="top",
            showticklabels=not number,
        )
        departure = three_digits(float(np.linalg.norm(gram - np.eye(len(gram)))))
        layout["annotations"].append(
            {
                "text": f"{name}<br>‖UᵀU − I‖ = {departure}",
                "align": "left",
                "xref": "paper",
                "yref": "paper",
                "x": left,
                "y": 1.0,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12, "color": theme.ink},
            }
        )
    key, key_axes = ramp_bar((-top, top), colours, theme, upright=True)
    # As long as the first matrix is high, whatever the chart's width makes of it.
    key_axes["yaxis9"] |= {
        "domain": [0, 1],
        "scaleanchor": "x",
        "scaleratio": len(extension) / (2 * top),
        "constrain": "domain",
        "constraintoward": "top",
    }
    margin = {"l": 30, "r": 44, "t": 100, "b": 30}
    return frame([*traces, key], theme, title, subtitle, height, **layout, **key_axes, margin=margin)
