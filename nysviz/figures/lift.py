"""Lift against bandwidth or rank, with its line at 1 and the ranges where no choice matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import Layer, scatter, with_layout, with_traces
from nysviz.figures.look import Theme, axis, frame, inert
from nysviz.figures.ticks import log_ticks

# Chains of swaps share hue and family: a start has its dash and marker, and many steps a hollow one.
VARIANTS: dict[str, tuple[str, str]] = {
    "dpp": ("solid", "hexagon"),
    "dpp_10000": ("dash", "hexagon-open"),
    "dpp_kmeanspp": ("dot", "hexagram"),
    "dpp_kmeanspp_10000": ("dashdot", "hexagram-open"),
}
# Of less than so many decades an axis names round numbers.
WIDE_DECADES = 2.6
SHADE = 0.45
PAD = 0.06
# Part of the height in which zones are named.
FOOT = 0.1


@dataclass(frozen=True)
class Zone:
    """A range of the x axis and what holds in it, in a few words."""

    low: float
    high: float
    text: str


@dataclass(frozen=True, eq=False)
class Ground:
    """What a lift chart is drawn on.

    Attributes
    ----------
    title, subtitle, x_title, y_title : str
    x_range : (float, float)
        Values, not exponents.
    x_log : bool
    mark : (float, str) or None
        A value of x with its name.
    zones : sequence of Zone
    one : bool
        Whether the line of lift 1 is drawn.
    """

    title: str
    subtitle: str
    x_title: str
    y_title: str
    x_range: tuple[float, float]
    x_log: bool = True
    mark: tuple[float, str] | None = None
    zones: Sequence[Zone] = field(default=())
    one: bool = True


def lift_chart(
    lines: Sequence[Line], names: Mapping[str, str], ground: Ground, theme: Theme, height: int = 620
) -> go.Figure:
    """Draw methods as lines with bands.

    Parameters
    ----------
    lines : sequence of Line
        ``label`` tells the schemes of one method apart.
    names : mapping
        Label → scheme, for the chains of swaps.
    """
    figure = band_chart(
        lines,
        theme,
        ground.title,
        ground.subtitle,
        _x_axis(ground, theme),
        value_axis(lines, ground.y_title, theme, with_one=ground.one),
        height,
    )
    variants = {inert(label): VARIANTS[name] for label, name in names.items() if name in VARIANTS}

    def told_apart(_: int, trace: Layer) -> Layer:
        dash, symbol = variants.get(trace.get("name", ""), ("", ""))
        return {"line": {"dash": dash}, "marker": {"symbol": symbol}} if dash else {}

    with_traces(figure, told_apart)
    _mark(figure, ground, theme)
    return figure


def line_chart(
    x: Sequence[float], y: Sequence[float], told: Sequence[str], ground: Ground, theme: Theme, height: int
) -> go.Figure:
    """Draw one curve in ink: a property of the matrix itself."""
    curve = scatter(
        x=list(x),
        y=list(y),
        mode="lines+markers",
        line={"color": theme.ink, "width": 2},
        marker={"color": theme.ink, "size": 5},
        text=list(told),
        hovertemplate="%{text}<extra></extra>",
    )
    ends = np.asarray(y, dtype=float)
    drawn = [Line("svd", "", np.asarray(x, dtype=float), ends, ends, ends)]
    figure = frame(
        [curve],
        theme,
        ground.title,
        ground.subtitle,
        height,
        xaxis=_x_axis(ground, theme),
        yaxis=value_axis(drawn if len(x) else [], ground.y_title, theme, with_one=ground.one),
    )
    _mark(figure, ground, theme)
    return figure


def _x_axis(ground: Ground, theme: Theme) -> dict[str, object]:
    low, high = ground.x_range
    if not ground.x_log:
        return axis(ground.x_title, theme, range=[low, high])
    ends = np.log10([low, high])
    pad = PAD / 2 * max(1.0, ends[1] - ends[0])
    span = [float(ends[0] - pad), float(ends[1] + pad)]
    return axis(ground.x_title, theme, type="log", range=span, **log_ticks(span[0], span[1], WIDE_DECADES))


def value_axis(lines: Sequence[Line], title: str, theme: Theme, *, with_one: bool) -> dict[str, object]:
    """Log axis over whole thirds of a decade, so that it rarely moves while runs come in."""
    values = np.concatenate([np.r_[line.low, line.high] for line in lines]) if lines else np.empty(0)
    values = values[np.isfinite(values) & (values > 0)]
    drawn = np.log10(np.r_[values, 1.0] if with_one or not len(values) else values)
    low, high = float(drawn.min()), float(drawn.max())
    span = [np.floor(3 * low - 0.05) / 3, np.ceil(3 * high + 0.05) / 3]
    span = [float(span[0]), float(max(span[1], span[0] + 2 / 3))]
    return axis(title, theme, type="log", range=span, **log_ticks(span[0], span[1], WIDE_DECADES))


def _mark(figure: go.Figure, ground: Ground, theme: Theme) -> None:
    """Add the line of lift 1, the marked bandwidth and the zones: as shapes, below the lines."""
    shapes: list[dict[str, object]] = []
    notes: list[dict[str, object]] = []
    place = np.log10 if ground.x_log else float
    for zone in ground.zones:
        shapes.append(
            {
                "type": "rect",
                "x0": zone.low,
                "x1": zone.high,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "fillcolor": theme.grid,
                "opacity": SHADE,
                "line": {"width": 0},
                "layer": "below",
            }
        )
        # Words run from the end of the axis into the chart, however narrow the zone is.
        at_left = zone.low <= ground.x_range[0]
        end, side, shift = (zone.low, "left", 4) if at_left else (zone.high, "right", -4)
        notes.append(_note(float(place(end)), 0.02, zone.text, theme, "bottom", xanchor=side, xshift=shift))
    if ground.one:
        shapes.append(
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 1,
                "y1": 1,
                "line": {"color": theme.ink, "width": 1.5},
                "layer": "below",
            }
        )
    if ground.mark is not None:
        value, name = ground.mark
        line = {"color": theme.faint, "width": 1, "dash": "dot"}
        shapes.append(
            {
                "type": "line",
                "x0": value,
                "x1": value,
                "yref": "paper",
                # Above the zones' words, which it would cross.
                "y0": FOOT if ground.zones else 0,
                "y1": 1,
                "line": line,
                "layer": "below",
            }
        )
        notes.append(_note(float(place(value)), 0.99, name, theme, "top", xanchor="left", xshift=4))
    with_layout(figure, shapes=shapes, annotations=notes)


def _note(x: float, y: float, text: str, theme: Theme, anchor: str, **more: object) -> dict[str, object]:
    return {
        "x": x,
        "y": y,
        "yref": "paper",
        "text": text,
        "showarrow": False,
        "yanchor": anchor,
        # Set after the frame, which enlarges the rest.
        "font": {"size": 12 * theme.scale, "color": theme.faint},
        **more,
    }
