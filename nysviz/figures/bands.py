"""Several methods as lines, with the spread of their runs as bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import LEGEND_PIXELS, STROKES, Theme, colour, frame, inert, legend_below, stroke

# Part of the ink that a band keeps, so that lines on it can be read.
BAND_OPACITY = 0.16
# So many markers tell a line from the others.
MOST_MARKERS = 14


@dataclass(frozen=True, eq=False)
class Line:
    """One method: mean of its runs at each x, and the ends of its band.

    ``told`` is what the hover says at each point besides x and y.
    """

    method: str
    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray
    told: Sequence[str] = field(default=())


# Up to so many entries of a legend a chart keeps its height, and each more adds a line: on a phone
# each has a line of its own.
FEW_ENTRIES, ENTRY_PIXELS = 8, 20


def height_for(entries: int, height: int) -> int:
    """Height of a chart with so many lines: known before the lines are, so that it stays as they come in."""
    return height + ENTRY_PIXELS * max(0, entries - FEW_ENTRIES)


def band_chart(
    lines: Sequence[Line],
    theme: Theme,
    title: str,
    subtitle: str,
    xaxis: dict[str, Any],
    yaxis: dict[str, Any],
    height: int = 460,
    extra: Sequence[Any] = (),
    legend: bool = True,
) -> go.Figure:
    """Draw lines with bands; the legend groups by family.

    Parameters
    ----------
    lines : sequence of Line
    xaxis, yaxis : dict
        As ``axis`` returns them; ranges come from the caller, so that nothing jumps while runs come in.
    extra : traces
        Drawn above the lines.
    legend : bool
        False where a chart beside it has the same lines.
    """
    ordered = sorted(lines, key=lambda line: list(STROKES).index(line.method))
    bands = [
        band(line.x, line.low, line.high, colour(line.method, theme), legendgroup=STROKES[line.method][0])
        for line in ordered
        if np.any(line.high > line.low)
    ]
    curves = [
        scatter(
            x=line.x,
            y=line.y,
            name=inert(line.label),
            text=line.told or None,
            hovertemplate="%{text}<extra></extra>" if line.told else None,
            legendgroup=STROKES[line.method][0],
            **_stroke(line, theme),
        )
        for line in ordered
    ]
    return frame(
        [*bands, *curves, *extra],
        theme,
        title,
        subtitle,
        height,
        xaxis=xaxis,
        yaxis=yaxis,
        showlegend=legend,
        legend={**legend_below(), "tracegroupgap": 0},
        margin={"l": 66, "r": 12, "t": 62, "b": LEGEND_PIXELS if legend else 48},
    )


def _stroke(line: Line, theme: Theme) -> dict[str, Any]:
    """Line and marker of a method, with markers at some of many points: side by side they hide the lines."""
    style = stroke(line.method, theme)
    if len(line.x) > MOST_MARKERS and "marker" in style:
        style["marker"] = {**style["marker"], "maxdisplayed": MOST_MARKERS}
    return style


def band(x: FloatArray, low: FloatArray, high: FloatArray, hue: str, **more: Any) -> Layer:
    """Draw the spread of runs round a line of this colour, given as #RRGGBB; ``more`` goes to the trace."""
    red, green, blue = (int(hue[i : i + 2], 16) for i in (1, 3, 5))
    return scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},{BAND_OPACITY})",
        hoverinfo="skip",
        showlegend=False,
        **more,
    )
