"""Errors of several methods against landmarks and seconds with what is recommended, and needed landmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import Layer, scatter, with_layout
from nysviz.figures.look import Theme, axis, colour, frame, stroke, three_digits
from nysviz.figures.ticks import log_ticks

HEIGHT = 540
SMALL_HEIGHT = 360
# What lies this much below the target is of no interest, and is not drawn.
BELOW = 0.25
# The axis of what is learned goes up to this at least: smaller losses are as good as none.
LEAST_LOSS = 0.02


@dataclass(frozen=True)
class Mark:
    """A method at one place: what was measured there (hollow), or what is recommended (filled)."""

    method: str
    x: float
    y: float
    told: str
    filled: bool = False


def error_chart(
    lines: Sequence[Line],
    floor: tuple[FloatArray, FloatArray] | None,
    marks: Sequence[Mark],
    target: float,
    ends: tuple[float, float],
    xaxis: dict[str, Any],
    yname: str,
    theme: Theme,
    title: str,
    subtitle: str,
    limit: float | None = None,
    limit_name: str = "",
    height: int = HEIGHT,
    legend: bool = True,
) -> go.Figure:
    """Draw errors with bands, the target as a line across, the budget as one upright.

    Parameters
    ----------
    lines : sequence of Line
    floor : (x, error) of the best rank, or None
    marks : sequence of Mark
    target : float
    ends : (low, high)
        Of the x axis.
    limit : float, optional
        Where the budget ends on the x axis, with its name.
    legend : bool
        False where a chart beside it has the same lines.
    """
    extra: list[Any] = []
    if floor is not None:
        style = stroke("svd", theme)
        extra.append(
            scatter(
                x=floor[0],
                y=floor[1],
                name="best rank m",
                legendgroup="floor",
                hovertemplate="best rank %{x}<br>%{y:.3g}<extra></extra>",
                **style,
            )
        )
    extra += [_mark(mark, theme) for mark in marks]
    # Where all lines lie far below the target, they are seen nevertheless.
    highest = max((float(line.y[0]) for line in lines if len(line.y)), default=1.0)
    low = math.log10(max(BELOW * min(target, highest), 1e-12))
    figure = band_chart(
        lines,
        theme,
        title,
        subtitle,
        {**xaxis, "range": [math.log10(ends[0]), math.log10(ends[1])]},
        axis(yname, theme, type="log", range=[low, 0.05], **_ticks(10.0**low, 1.0)),
        height,
        extra,
        legend,
    )
    across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": target, "y1": target}
    shapes = [{**across, "line": {"color": theme.ink, "width": 1.2, "dash": "dash"}}]
    notes = [
        {
            "xref": "paper",
            "x": 0,
            "xshift": 6,
            "y": math.log10(target),
            "text": f"target {target:g}",
            "showarrow": False,
            "xanchor": "left",
            "yanchor": "bottom",
            "font": {"size": 12 * theme.scale, "color": theme.ink},
        }
    ]
    if limit is not None and ends[0] < limit < ends[1]:
        upright = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": limit, "x1": limit}
        shapes.append({**upright, "line": {"color": theme.faint, "width": 1.2, "dash": "dot"}})
        place = {"yref": "paper", "y": 1, "x": math.log10(limit), "text": limit_name, "showarrow": False}
        font = {"size": 12 * theme.scale, "color": theme.faint}
        notes.append({**place, "xanchor": "right", "yanchor": "top", "font": font, "xshift": -4})
    return with_layout(figure, shapes=shapes, annotations=notes)


def _ticks(low: float, high: float) -> dict[str, Any]:
    """1, 2 and 5 of each decade, so that a target can be read off."""
    return log_ticks(math.log10(low), math.log10(high), math.inf)


def count_axis(name: str, low: float, high: float, theme: Theme) -> dict[str, Any]:
    """Logarithmic axis with ticks at 1, 2 and 5 of each decade."""
    return axis(name, theme, type="log", **_ticks(low, high))


def _mark(mark: Mark, theme: Theme) -> Layer:
    hue = colour(mark.method, theme)
    fill = hue if mark.filled else theme.ground
    return scatter(
        x=[mark.x],
        y=[mark.y],
        mode="markers",
        marker={
            "symbol": "circle",
            "size": 17 if mark.filled else 12,
            "color": fill,
            "line": {"color": theme.ink if mark.filled else hue, "width": 2.5},
        },
        text=[mark.told],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
        name="recommended" if mark.filled else "measured on all rows",
    )


@dataclass(frozen=True)
class Needed:
    """Landmarks that a bandwidth needs; ``m`` is None where the most that were tried fall short."""

    sigma: float
    m: int | None
    low: int | None
    high: int | None
    told: str
    loss: float = math.nan
    loss_se: float = math.nan


def bandwidth_chart(
    found: Sequence[Needed],
    most: int,
    marked: Sequence[tuple[str, float]],
    ends: tuple[float, float],
    loss_name: str,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = SMALL_HEIGHT,
) -> go.Figure:
    """Draw needed landmarks against σ, and below, where there are labels, what is learned with each.

    Parameters
    ----------
    found : sequence of Needed
    most : int
        Landmarks that were tried at most; an open triangle there says that they fall short.
    marked : sequence of (name, sigma)
        Upright lines.
    ends : (low, high)
        Of the axis of σ.
    loss_name : str
        Name of the lower axis; empty without labels.
    """
    known = sorted((one for one in found if one.m is not None), key=lambda one: one.sigma)
    short = [one for one in found if one.m is None]
    style = stroke("rpcholesky", theme)
    traces: list[Any] = [
        scatter(
            x=[one.sigma for one in known],
            y=[one.m for one in known],
            text=[one.told for one in known],
            hovertemplate="%{text}<extra></extra>",
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [max(0, (one.high or most) - (one.m or 0)) for one in known],
                "arrayminus": [max(0, (one.m or 0) - (one.low or 1)) for one in known],
                "color": style["line"]["color"],
                "thickness": 1.2,
            },
            **style,
        ),
        scatter(
            x=[one.sigma for one in short],
            y=[most] * len(short),
            mode="markers",
            marker={"symbol": "triangle-up-open", "size": 11, "color": colour("rpcholesky", theme)},
            text=[one.told for one in short],
            hovertemplate="%{text}<extra></extra>",
        ),
    ]
    both = bool(loss_name)
    if both:
        learned = sorted((one for one in found if math.isfinite(one.loss)), key=lambda one: one.sigma)
        traces.append(
            scatter(
                x=[one.sigma for one in learned],
                y=[one.loss for one in learned],
                yaxis="y2",
                mode="lines+markers",
                line={"color": theme.ink, "width": 2},
                marker={"color": theme.ink, "size": 7},
                error_y={"type": "data", "array": [one.loss_se for one in learned], "thickness": 1.2},
                text=[one.told for one in learned],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    foot = {"yref": "paper", "y": 0, "yanchor": "bottom"}
    for name, sigma in marked:
        upright = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": sigma, "x1": sigma}
        shapes.append({**upright, "line": {"color": theme.faint, "width": 1.2, "dash": "dot"}})
        # In the gap between the pictures, where no point is, and away from the other line.
        place = {"yref": "paper", "y": 0.46, "yanchor": "middle"} if both else foot
        across = math.log(sigma / ends[0]) / math.log(ends[1] / ends[0])
        left_of = across > 0.75 or (across > 0.2 and sigma == min(other for _, other in marked))
        side: dict[str, Any] = {"xanchor": "right" if left_of else "left", "xshift": -4 if left_of else 4}
        note = {"x": math.log10(sigma), "text": name, "showarrow": False, "bgcolor": theme.ground}
        notes.append({**place, **side, **note, "font": {"size": 12, "color": theme.faint}})
    counts = [one.m for one in known if one.m] + [most]
    low = min(counts) / 2
    xaxis = axis("σ", theme, type="log", range=[math.log10(ends[0]), math.log10(ends[1])])
    xaxis |= _sigma_ticks([one.sigma for one in found])
    domain = [0.5, 1.0] if both else [0.0, 1.0]
    layout: dict[str, Any] = {
        "xaxis": {**xaxis, "anchor": "y2" if both else "y"},
        "yaxis": count_axis("landmarks m", low, 1.5 * most, theme)
        | {"range": [math.log10(low), math.log10(1.6 * most)], "domain": domain},
    }
    if both:
        losses = [one.loss + one.loss_se for one in found if math.isfinite(one.loss)]
        top = 1.1 * max([*losses, LEAST_LOSS])
        layout["yaxis2"] = axis(loss_name, theme, range=[0, top], domain=[0.0, 0.42], nticks=4)
    return frame(traces, theme, title, subtitle, height, shapes=shapes, annotations=notes, **layout)


def _sigma_ticks(sigmas: Sequence[float]) -> dict[str, Any]:
    """Ticks at every second tried bandwidth: all would overlap on a narrow screen."""
    chosen = sorted(sigmas)[:: 2 if len(sigmas) > 4 else 1]
    return {"tickvals": chosen, "ticktext": [three_digits(sigma) for sigma in chosen]}


def ends_of(values: Sequence[float], default: tuple[float, float]) -> tuple[float, float]:
    """Ends of a logarithmic axis with some room beside positive values."""
    positive = np.array([value for value in values if value > 0])
    if not len(positive):
        return default
    return float(positive.min()) / 1.3, float(positive.max()) * 1.3
