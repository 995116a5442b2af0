"""Misalignment of kernel PCA against the number of landmarks, and how orthonormal eigenvectors are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bands import band
from nysviz.figures.drawing import Layer, heatmap, scatter
from nysviz.figures.look import (
    LEGEND_PIXELS,
    Theme,
    axis,
    colour,
    drawn,
    frame,
    legend_below,
    ramp,
    ramp_bar,
    stroke,
    three_digits,
)

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
    values: Mapping[str, Mapping[float, Sequence[float]]],
    labels: Mapping[str, str],
    percents: Sequence[float],
    most: float,
    printed: Sequence[Printed],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 400,
) -> go.Figure:
    """Draw the median of each method's runs against m/n, with their quartiles as a band.

    Parameters
    ----------
    values : mapping of method to {m/n in per cent: misalignments of the runs}
    labels : mapping of method to its name in words
    percents : sequence of float
        All that will be drawn, so that the axis does not move while runs come in.
    most : float
        √k, the misalignment where nothing is left.
    """
    traces: list[Any] = []
    seen: list[float] = [mark.mean for mark in printed]
    for method, by_percent in values.items():
        x = np.array(sorted(by_percent))
        if not len(x):
            continue
        low, middle, high = np.array([np.quantile(by_percent[p], (0.25, 0.5, 0.75)) for p in x]).T
        runs = np.array([len(by_percent[p]) for p in x])
        drawable = middle > ROUNDING * most
        x, low, middle, high, runs = (part[drawable] for part in (x, low, middle, high, runs))
        seen += list(low) + list(high)
        if runs.size and runs.max() > 1:
            traces.append(band(x, np.maximum(low, ROUNDING * most), high, colour(method, theme)))
        traces.append(
            scatter(
                x=x,
                y=middle,
                name=labels[method],
                customdata=np.stack([low, high, runs], axis=1),
                hovertemplate="m/n = %{x:g} %<br>median %{y:.3g}, quartiles %{customdata[0]:.3g} – "
                "%{customdata[1]:.3g}<br>%{customdata[2]:.0f} runs<extra>%{fullData.name}</extra>",
                **stroke(method, theme),
            )
        )
    traces += _printed(printed, theme)
    bottom = min([value for value in seen if value > ROUNDING * most], default=0.01 * most)
    ends = np.log10([min(percents), max(percents)])
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(
            "landmarks m / n (%)",
            theme,
            type="log",
            range=[ends[0] - 0.05, ends[1] + 0.05],
            tickvals=list(percents),
            ticktext=[f"{p:g}" if p in NAMED_PERCENTS else "" for p in percents],
            tickangle=0,
        ),
        yaxis=axis(
            "misalignment ‖U − ŨA‖<sub>F</sub>",
            theme,
            type="log",
            # Whole half decades, so that the axis moves rarely while runs come in.
            range=[np.floor(2 * np.log10(bottom / 1.1)) / 2, np.log10(OVERFULL * most)],
            exponentformat="power",
            dtick=1,
        ),
        showlegend=True,
        legend=legend_below(),
        margin={"l": 62, "r": 12, "t": 62, "b": LEGEND_PIXELS},
    )


def _printed(printed: Sequence[Printed], theme: Theme) -> list[Layer]:
    if not printed:
        return []
    spread = [mark.spread for mark in printed]
    return [
        scatter(
            x=[mark.percent for mark in printed],
            y=[mark.mean for mark in printed],
            error_y={"array": spread, "color": theme.ink, "thickness": 1, "width": 4},
            mode="markers",
            marker={"symbol": "diamond-open", "size": 10, "color": theme.ink, "line": {"width": 1.5}},
            text=[mark.label for mark in printed],
            hovertemplate="%{text}: printed %{y:.3g}<extra></extra>",
            name="printed",
        )
    ]


def gram_chart(
    extension: FloatArray,
    orthogonal: FloatArray,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 400,
) -> go.Figure:
    """Draw UᵀU of the plain extension and of the orthogonal form: the identity where U is orthonormal.

    Parameters
    ----------
    extension, orthogonal : (k, k), (l, l) arrays
    """
    # Longer vectors than this take the colour at the end; the 1 of an orthonormal one stays visible.
    top = min(LONGEST, max(1.0, float(np.abs(extension).max(initial=0.0))))
    colours = _diverging(theme)
    traces: list[Any] = []
    layout: dict[str, Any] = {}
    places = (("", extension, [0.0, 0.45]), ("2", orthogonal, [0.5, 0.95]))
    for number, gram, domain in places:
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
    key, key_axes = ramp_bar((-top, top), colours, theme, upright=True)
    # As long as the first matrix is high, whatever the chart's width makes of it.
    key_axes["yaxis9"] |= {
        "domain": [0, 1],
        "scaleanchor": "x",
        "scaleratio": len(extension) / (2 * top),
        "constrain": "domain",
        "constraintoward": "top",
    }
    headings = [
        {
            "text": f"{name}<br>‖UᵀU − I‖ = {three_digits(size)}",
            "align": "left",
            "xref": "paper",
            "yref": "paper",
            "x": x,
            "y": 1.0,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 12, "color": theme.ink},
        }
        for name, size, x in (
            ("plain extension", float(np.linalg.norm(extension - np.eye(len(extension)))), 0.0),
            ("orthogonal", float(np.linalg.norm(orthogonal - np.eye(len(orthogonal)))), 0.5),
        )
    ]
    margin = {"l": 30, "r": 44, "t": 100, "b": 30}
    return frame(
        [*traces, key],
        theme,
        title,
        subtitle,
        height,
        **layout,
        **key_axes,
        annotations=headings,
        margin=margin,
    )


def _diverging(theme: Theme) -> list[tuple[float, str]]:
    """Blue below 0, the ground's colour at 0, orange above."""
    ends = ("#56B4E9", theme.ground, "#FF8A3D") if theme.dark else ("#0072B2", theme.ground, "#D55E00")
    return ramp(ends)
