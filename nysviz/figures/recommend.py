"""Errors against landmarks with the recommendation, needed landmarks, and losses by bandwidth and m."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.advice.bandwidths import Width
from nysviz.advice.predicting import Losses
from nysviz.advice.recommendation import NORM_NAMES, Recommendation
from nysviz.figures.drawing import Layer, scatter, with_layout
from nysviz.figures.look import Sheet, Theme, axis, colour, frame, log_ticked_axis, stroke
from nysviz.figures.traces import Line, band_chart, hover_of, level, markers, upright
from nysviz.text import three_digits

# Largest number of decades with numbers at 1, 2 and 5 of each, so that a target can be read off.
DECADES = 4.0


def _log_axis(name: str, theme: Theme, low: float, high: float, **more: Any) -> dict[str, Any]:
    return log_ticked_axis(name, theme, math.log10(low), math.log10(high), DECADES, **more)


def error_chart(lines: Sequence[Line], recommendation: Recommendation, sheet: Sheet) -> go.Figure:
    """Draw expected errors with bands, the target, the recommended method, and the measured errors."""
    theme, request, extra = sheet.theme, recommendation.request, list[Any]()
    largest_m, target = request.most_landmarks(), request.target
    if recommendation.floor is not None:
        ms = np.unique(np.round(np.geomspace(1, min(largest_m, len(recommendation.floor.errors)), 60)))
        best = [recommendation.floor.at(int(m)) for m in ms]
        named = {"name": "best rank m", "legendgroup": "floor", **hover_of("best rank %{x}<br>%{y:.3g}")}
        extra.append(scatter(x=ms, y=np.array(best), **named, **stroke("svd", theme)))
    # Errors measured on all rows are hollow; the recommended one is also filled, below it.
    shown_candidates = [(recommendation.best, "recommended")] if recommendation.best else []
    shown_candidates += [
        (candidate, "measured") for candidate in recommendation.candidates if candidate.verified is not None
    ]
    for candidate, name in shown_candidates:
        hue, error = colour(candidate.method, theme), candidate.error.value
        size, fill, edge = (17, hue, theme.ink) if name == "recommended" else (12, theme.ground, hue)
        style = {"symbol": "circle", "size": size, "color": fill, "line": {"color": edge, "width": 2.5}}
        hover = f"{name}: {candidate.label}, m = {candidate.m}<br>error {three_digits(error)}"
        extra.append(markers([candidate.m], [error], style, hover, showlegend=False, name=name))
    # Lines that all lie far below the target stay visible.
    highest = max((float(line.y[0]) for line in lines if len(line.y)), default=1.0)
    # Errors this much below the target are of no interest, and are not drawn.
    low = max(0.25 * min(target, highest), 1e-12)
    place = {"textposition": "start", "xanchor": "left", "yanchor": "bottom"}
    label = _named(f"target {target:g}", theme.ink, **place)
    shapes = [level(target, theme.ink) | {"label": label}]
    xaxis = _log_axis("landmarks m", theme, 0.9, 1.15 * largest_m)
    yaxis = _log_axis(f"relative {NORM_NAMES[recommendation.request.norm]} error", theme, low, 10**0.05)
    return band_chart(lines, sheet, xaxis, yaxis, 540, extra, shapes=shapes)


def _named(text: str, hue: str, **place: str) -> dict[str, Any]:
    return {"text": text, "textangle": 0, "font": {"size": 12, "color": hue}, **place}


def bandwidth_chart(
    widths: Sequence[tuple[Width, str]],
    largest_m: int,
    present: float,
    ends: tuple[float, float],
    sheet: Sheet,
) -> go.Figure:
    """Draw needed landmarks against σ, with the present one."""
    theme, style = sheet.theme, stroke("rpcholesky", sheet.theme)

    def trace(points: Sequence[tuple[Width, str]], y: Any, **more: Any) -> Layer:
        x, texts = [width.sigma for width, _ in points], [text for _, text in points]
        return scatter(x=x, y=y, text=texts, hovertemplate="%{text}<extra></extra>", **more)

    reached = [(width, text) for width, text in widths if width.m is not None]
    short = [(width, text) for width, text in widths if width.m is None]
    # Without a lower limit there is no whisker below; above an unknown upper one it goes up to the most.
    ends_of = [(width.m or 0, width.low or width.m or 0, width.high or largest_m) for width, _ in reached]
    counts, lows, highs = np.array(ends_of, dtype=float).reshape(-1, 3).T
    whiskers = {
        "type": "data",
        "symmetric": False,
        "array": np.maximum(highs - counts, 0.0),
        "arrayminus": np.maximum(counts - lows, 0.0),
        "color": style["line"]["color"],
        "thickness": 1.2,
    }
    triangle = {"symbol": "triangle-up-open", "size": 11, "color": colour("rpcholesky", theme)}
    traces = [
        trace(reached, counts, error_y=whiskers, **style),
        trace(short, [largest_m] * len(short), mode="markers", marker=triangle),
    ]
    low, high = min([*lows, *counts, largest_m]) / 1.6, 1.6 * max([*highs, largest_m])
    layout: dict[str, Any] = {"xaxis": _sigma_axis([width.sigma for width, _ in widths], ends, theme)}
    layout["yaxis"] = _log_axis("landmarks m", theme, low, high)
    return frame(traces, sheet, 360, shapes=_marks([("now", present)], ends, theme), **layout)


def _sigma_axis(sigmas: Sequence[float], ends: tuple[float, float], theme: Theme) -> dict[str, Any]:
    # Numbers at every second bandwidth: all would overlap on a narrow screen.
    named = sigmas[:: 2 if len(sigmas) > 4 else 1]
    ticks = {"tickvals": named, "ticktext": list(map(three_digits, named))}
    return axis("σ", theme, type="log", range=list(map(math.log10, ends)), **ticks)


def _marks(
    marked: Sequence[tuple[str, float]], ends: tuple[float, float], theme: Theme
) -> list[dict[str, Any]]:
    """Return an upright line with its name for each of these bandwidths."""
    shapes = []
    for name, sigma in marked:
        # Away from the other line, and from the end of the axis.
        across = math.log(sigma / ends[0]) / math.log(ends[1] / ends[0])
        left_of = across > 0.75 or (across > 0.2 and sigma == min(marked_sigma for _, marked_sigma in marked))
        label = _named(name, theme.faint, textposition="end", xanchor="right" if left_of else "left")
        shapes.append(upright(sigma, theme.faint, width=1.2) | {"label": label})
    return shapes


def loss_chart(
    losses_with_texts: Sequence[tuple[Losses, str]],
    limit: float | None,
    marked: Sequence[tuple[str, float]],
    ends: tuple[float, float],
    loss_name: str,
    sheet: Sheet,
) -> go.Figure:
    """Draw losses at the same number of landmarks against σ, with the level that is as good as the best."""
    theme = sheet.theme
    points = [point for point in losses_with_texts if math.isfinite(point[0].values[-1])]
    sigmas, texts = [width.sigma for width, _ in points], [text for _, text in points]
    losses, errors = [width.values[-1] for width, _ in points], [width.errors[-1] for width, _ in points]
    spread = {"type": "data", "array": errors, "thickness": 1.2, "color": theme.ink}
    look = {"line": {"color": theme.ink, "width": 2}, "marker": {"color": theme.ink, "size": 8}}
    hover = {"text": texts, "hovertemplate": "%{text}<extra></extra>"}
    traces = [scatter(x=sigmas, y=losses, mode="lines+markers", error_y=spread, **hover, **look)]
    shapes = _marks(marked, ends, theme) + ([] if limit is None else [level(limit, theme.faint)])
    layout: dict[str, Any] = {"xaxis": _sigma_axis(sigmas, ends, theme)}
    layout["yaxis"] = _loss_axis(loss_name, losses, errors, theme)
    return frame(traces, sheet, 460, shapes=shapes, **layout)


def _loss_axis(name: str, losses: Sequence[float], errors: Sequence[float], theme: Theme) -> dict[str, Any]:
    """Return a log axis, on which small losses differ as well, or one from 0 where a loss is 0."""
    top = max([*map(sum, zip(losses, errors, strict=True)), 0.02])
    if min(losses, default=0.0) <= 0.0:
        return axis(name, theme, range=[0, 1.1 * top], nticks=6)
    return _log_axis(name, theme, min(losses) / 1.6, 1.2 * top)


def count_chart(line: Line, m: int, limit: float, loss_name: str, sheet: Sheet) -> go.Figure:
    """Draw the loss at the advised bandwidth against the landmarks, with the advised number of them."""
    theme, hue = sheet.theme, colour(line.method, sheet.theme)
    place = list(line.x).index(m)
    style = {"symbol": "circle", "size": 17, "color": hue, "line": {"color": theme.ink, "width": 2.5}}
    mark = markers([m], [float(line.y[place])], style, line.hover[place], showlegend=False, name="advised")
    xaxis = _log_axis("landmarks m", theme, float(line.x[0]) / 1.2, float(line.x[-1]) * 1.2)
    yaxis = _loss_axis(loss_name, list(line.y), list(line.high - line.y), theme)
    figure = band_chart([line], sheet, xaxis, yaxis, 360, [mark], shapes=[level(limit, theme.faint)])
    return with_layout(figure, showlegend=False)
