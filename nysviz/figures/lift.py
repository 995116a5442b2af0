"""Lift against bandwidth or rank, with its line at 1 and the ranges where no choice matters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.look import Sheet, Theme, axis, log_ticked_axis
from nysviz.figures.traces import Line, band_chart, level, note, upright


@dataclass(frozen=True)
class Zone:
    """A range of the x axis and what holds in it, in a few words."""

    low: float
    high: float
    text: str


@dataclass(frozen=True, eq=False)
class Ground:
    """The axes of a lift chart, ``x_range`` in values, a marked x with its name, and zones."""

    x_title: str
    y_title: str
    x_range: tuple[float, float]
    x_log: bool = True
    mark: tuple[float, str] | None = None
    zones: Sequence[Zone] = ()
    one: bool = False


def lift_chart(lines: Sequence[Line], ground: Ground, sheet: Sheet, height: int = 550) -> go.Figure:
    """Draw methods as lines with bands."""
    low, high = ground.x_range
    xaxis = axis(ground.x_title, sheet.theme, range=[low, high])
    if ground.x_log:
        ends = np.log10([low, high])
        pad = 0.03 * max(1.0, ends[1] - ends[0])
        xaxis = log_ticked_axis(ground.x_title, sheet.theme, ends[0] - pad, ends[1] + pad, 2.6)
    values = np.concatenate([np.r_[line.low, line.high] for line in lines] or [np.empty(0)])
    values = values[np.isfinite(values) & (values > 0)]
    # Whole thirds of a decade, so that the axis rarely moves while runs come in.
    drawn = np.log10(np.r_[values, 1.0] if ground.one or not len(values) else values)
    bottom, top = np.floor(3 * drawn.min() - 0.05) / 3, np.ceil(3 * drawn.max() + 0.05) / 3
    yaxis = log_ticked_axis(ground.y_title, sheet.theme, bottom, max(top, bottom + 2 / 3), 2.6)
    shapes, notes = _marks(ground, sheet.theme)
    return band_chart(lines, sheet, xaxis, yaxis, height, shapes=shapes, annotations=notes)


def _marks(ground: Ground, theme: Theme) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the line of lift 1, the marked bandwidth and the zones as shapes below the lines, and words."""
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []

    def name(x: float, y: float, text: str, side: str, anchor: str) -> None:
        at = float(np.log10(x)) if ground.x_log else x
        shift = 4 if side == "left" else -4
        notes.append(note(text, theme.faint, at, y, "y", xanchor=side, xshift=shift, yanchor=anchor))

    for zone in ground.zones:
        place = {"x0": zone.low, "x1": zone.high, "yref": "paper", "y0": 0, "y1": 1}
        look = {"fillcolor": theme.grid, "opacity": 0.45, "line": {"width": 0}}
        shapes.append({"type": "rect", **place, **look})
        # Words run from the end of the axis into the chart, however narrow the zone is.
        at_left = zone.low <= ground.x_range[0]
        name(zone.low if at_left else zone.high, 0.02, zone.text, "left" if at_left else "right", "bottom")
    if ground.one:
        shapes.append(level(1, theme.ink, "solid", 1.5))
    if ground.mark is not None:
        value, text = ground.mark
        # Above the zones' words, which it would cross.
        shapes.append(upright(value, theme.faint, foot=0.1 if ground.zones else 0))
        name(value, 0.99, text, "left", "top")
    return [{**shape, "layer": "below"} for shape in shapes], notes
