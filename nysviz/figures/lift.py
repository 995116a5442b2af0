"""Lift against bandwidth or rank, with its line at 1 and the ranges where no choice matters."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.look import Sheet, axis, log_ticked_axis
from nysviz.figures.traces import Line, band_chart, level, note, upright

# A range of the x axis and its meaning in a few words.
Zone = tuple[float, float, str]


def lift_chart(
    lines: Sequence[Line],
    sheet: Sheet,
    height: int,
    x_title: str,
    x_range: tuple[float, float],
    y_title: str | None = None,
    *,
    x_log: bool = True,
    mark: tuple[float, str] | None = None,
    zones: Sequence[Zone] = (),
) -> go.Figure:
    """Draw lifts, or values called ``y_title``, as lines with bands; a marked x with its name, and zones."""
    theme, (low, high), is_lift = sheet.theme, x_range, y_title is None
    xaxis = axis(x_title, theme, range=[low, high])
    if x_log:
        ends = np.log10([low, high])
        pad = 0.03 * max(1.0, ends[1] - ends[0])
        xaxis = log_ticked_axis(x_title, theme, ends[0] - pad, ends[1] + pad, 2.6)
    values = np.concatenate([np.r_[line.low, line.high] for line in lines] or [np.empty(0)])
    values = values[np.isfinite(values) & (values > 0)]
    # Whole thirds of a decade, so that the axis rarely moves while runs come in.
    logs = np.log10(np.r_[values, 1.0] if is_lift or not len(values) else values)
    bottom, top = np.floor(3 * logs.min() - 0.05) / 3, np.ceil(3 * logs.max() + 0.05) / 3
    yaxis = log_ticked_axis(y_title or "lift", theme, bottom, max(top, bottom + 2 / 3), 2.6)
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []

    def name(x: float, y: float, text: str, side: str, anchor: str) -> None:
        at = float(np.log10(x)) if x_log else x
        shift = 4 if side == "left" else -4
        notes.append(note(text, theme.faint, at, y, "y", xanchor=side, xshift=shift, yanchor=anchor))

    for left, right, text in zones:
        place = {"x0": left, "x1": right, "yref": "paper", "y0": 0, "y1": 1}
        look = {"fillcolor": theme.grid, "opacity": 0.45, "line": {"width": 0}}
        shapes.append({"type": "rect", **place, **look})
        # Words run from the end of the axis into the chart, however narrow the zone is.
        at_left = left <= low
        # At two heights, since both may be wide.
        side, foot = ("left", 0.02) if at_left else ("right", 0.07)
        name(left if at_left else right, foot, text, side, "bottom")
    if is_lift:
        shapes.append(level(1, theme.ink, "solid", 1.5))
    if mark is not None:
        value, text = mark
        # Above the zones' words, which it would cross.
        shapes.append(upright(value, theme.faint, foot=0.14 if zones else 0))
        name(value, 0.99, text, "left", "top")
    shapes = [{**shape, "layer": "below"} for shape in shapes]
    return band_chart(lines, sheet, xaxis, yaxis, height, shapes=shapes, annotations=notes)
