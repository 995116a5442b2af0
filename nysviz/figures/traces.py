"""Lines with bands, points, levels and notes as all charts draw them, and logarithmic axes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import (
    STROKES,
    Sheet,
    Theme,
    axis,
    colour,
    faded,
    frame,
    inert,
    legend_below,
    narrow_floats,
    stroke,
)
from nysviz.numerics.blocks import FloatArray
from nysviz.text import counted, three_digits

K = TypeVar("K")


def line(x: Any, y: Any, hue: str, name: str | None = None, hover: str | None = None, **more: Any) -> Layer:
    """Return a line of this colour, with a hover text only where ``hover`` is given."""
    stroke = {"color": hue, "width": more.pop("width", 2), "dash": more.pop("dash", None)}
    return scatter(x=x, y=y, mode="lines", line=stroke, name=name, **hover_of(hover), **more)


def markers(x: Any, y: Any, marker: dict[str, Any], hover: str | None = None, **more: Any) -> Layer:
    """Return points with this marker; ``more`` goes to the trace."""
    return scatter(x=x, y=y, mode="markers", marker=marker, **hover_of(hover), **more)


def xy(points: FloatArray) -> dict[str, Any]:
    """Return places (n, 2) as the x and y of a trace."""
    return {"x": narrow_floats(points[:, 0]), "y": narrow_floats(points[:, 1])}


def hover_of(text: str | None) -> dict[str, str]:
    """Return the hover settings of a trace: a template without plotly's second box, or none."""
    if text is None:
        return {"hoverinfo": "skip"}
    return {"hovertemplate": text if "<extra>" in text else f"{text}<extra></extra>"}


def level(y: float, hue: str, dash: str = "dash", width: float = 1.2) -> dict[str, Any]:
    """Return a line across the whole chart."""
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return {"type": "line", **ends, "line": {"color": hue, "width": width, "dash": dash}}


def upright(x: float, hue: str, dash: str = "dot", width: float = 1, foot: float = 0) -> dict[str, Any]:
    """Return a line from the foot of the chart, or a part of the height above it, to the top."""
    ends = {"yref": "paper", "x0": x, "x1": x, "y0": foot, "y1": 1}
    return {"type": "line", **ends, "line": {"color": hue, "width": width, "dash": dash}}


def note(text: str, hue: str, x: float, y: float, paper: str = "", **more: Any) -> dict[str, Any]:
    """Return a text at a place, exponents on a log axis; axes in ``paper`` count in parts of the chart."""
    places = {f"{letter}ref": "paper" for letter in paper}
    font = {"size": more.pop("size", 12), "color": hue}
    return {"text": text, "x": x, "y": y, **places, "showarrow": False, "font": font, **more}


def log_axis(
    title: str, theme: Theme, low: float, high: float, *, max_ticks: int = 8, **more: Any
) -> dict[str, Any]:
    """Return a logarithmic axis between two exponents, with about ``max_ticks`` labelled powers of ten."""
    step = max(1, math.ceil((high - low) / max_ticks))
    settings = {"type": "log", "range": [low, high], "exponentformat": "power", "dtick": step}
    return axis(title, theme, **{**settings, **more})


@dataclass(frozen=True, eq=False)
class Line:
    """Curve of one method: mean of its runs at each x, the ends of its band, and the hover texts."""

    method: str
    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray
    hover: Sequence[str] = ()


# Summary of the runs at one place: a middle, and the ends of the band.
Spread = Callable[[FloatArray], tuple[float, float, float]]


def deviation(runs: FloatArray) -> tuple[float, float, float]:
    """Return mean ± standard deviation, which is 0 for one run."""
    mean, spread = float(np.mean(runs)), float(np.std(runs, ddof=int(len(runs) > 1)))
    return mean, mean - spread, mean + spread


def extent(runs: FloatArray) -> tuple[float, float, float]:
    """Return median and range."""
    return float(np.median(runs)), float(np.min(runs)), float(np.max(runs))


def quartiles(runs: FloatArray) -> tuple[float, float, float]:
    """Return median and quartiles."""
    low, middle, high = np.quantile(runs, (0.25, 0.5, 0.75))
    return float(middle), float(low), float(high)


def lines_of(
    values: Mapping[K, Mapping[str, Any]],
    labels: Mapping[str, str],
    spread: Spread,
    x: Callable[[K], float],
    where: Callable[[K], str] = "m = {}".format,
    *,
    ends: tuple[float, float] = (-math.inf, math.inf),
    unit: str = "",
) -> list[Line]:
    """Return a line for each labelled method that has runs: place → method → runs.

    ``x`` maps a place to its coordinate, ``where`` to its name in the hover; no band crosses ``ends``.
    """
    lines = []
    for method, label in labels.items():
        runs = {
            place: np.asarray(by_method[method]) for place, by_method in values.items() if method in by_method
        }
        if not runs:
            continue
        y, low, high = np.array([spread(sample) for sample in runs.values()]).T
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
        hover = []
        for (place, sample), value, a, b in zip(runs.items(), y, low, high, strict=True):
            band = f" ({three_digits(a)} – {three_digits(b)})" if b > a else ""
            count = counted(len(sample), "run")
            hover.append(f"{inert(label)}, {where(place)}<br>{three_digits(value)}{unit}{band}, {count}")
        lines.append(Line(method, label, np.array([float(x(place)) for place in runs]), y, low, high, hover))
    return lines


def band_chart(
    lines: Sequence[Line],
    sheet: Sheet,
    xaxis: dict[str, Any],
    yaxis: dict[str, Any],
    height: int = 460,
    extra: Sequence[Any] = (),
    **layout: Any,
) -> go.Figure:
    """Draw lines with bands, and ``extra`` traces above them; the legend has families side by side."""
    ordered = sorted(lines, key=lambda line: list(STROKES).index(line.method))
    bands, curves = [], []
    for line in ordered:
        # Only with its band: entries of one group stand in a column, which leaves holes in the legend.
        group = {"legendgroup": line.label}
        if np.any(line.high > line.low):
            bands.append(band(line.x, line.low, line.high, colour(line.method, sheet.theme), **group))
        style = stroke(line.method, sheet.theme)
        if len(line.x) > 14 and "marker" in style:
            # Side by side markers would hide the lines.
            style["marker"]["maxdisplayed"] = 14
        hover = {"text": line.hover, "hovertemplate": "%{text}<extra></extra>"} if line.hover else {}
        curves.append(scatter(x=line.x, y=line.y, name=inert(line.label), **hover, **group, **style))
    traces = [*bands, *curves, *extra]
    layout |= {"legend": {**legend_below(), "tracegroupgap": 0}, "margin": {"l": 66}}
    return frame(traces, sheet, height, xaxis=xaxis, yaxis=yaxis, below=True, **layout)


# A level across a chart: its height, its name, its dash and its hover text.
Level = tuple[float, str, str, str]


def against_m(
    lines: Sequence[Line],
    levels: Sequence[Level],
    ticks: Sequence[float],
    chosen: float,
    x_title: str,
    yaxis: dict[str, Any],
    sheet: Sheet,
    height: int = 400,
    extra: Sequence[Any] = (),
    ends: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw lines against m in log scale, levels in ink, and the chosen m; from the first to the last tick."""
    theme, across = sheet.theme, ends or (min(ticks), max(ticks))
    low, high = math.log10(across[0]) - 0.06, math.log10(across[1]) + 0.06
    ticked = {"tickvals": list(ticks), "ticktext": [f"{tick:g}" for tick in ticks], "minor": {"ticks": ""}}
    xaxis = axis(x_title, theme, type="log", range=[low, high], **ticked)
    drawn_levels = [
        line([10**low, 10**high], [y, y], theme.ink, name, hover, dash=dash, width=1.6)
        for y, name, dash, hover in levels
    ]
    mark = upright(chosen, theme.faint) | {"yref": "y domain"}
    return band_chart(lines, sheet, xaxis, yaxis, height, [*drawn_levels, *extra], shapes=[mark])


def band(x: FloatArray, low: FloatArray, high: FloatArray, hue: str, **more: Any) -> Layer:
    """Draw the spread of runs round a line of this colour, given as #RRGGBB; ``more`` goes to the trace."""
    return scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        # Pale, so that lines on it can be read.
        fillcolor=faded(hue, 0.16),
        hoverinfo="skip",
        showlegend=False,
        **more,
    )
