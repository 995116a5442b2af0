"""Methods against the share of landmarks: errors, costs, accuracies; and errors against seconds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from nysviz.figures.drawing import scatter
from nysviz.figures.look import Sheet, Theme, axis, stroke
from nysviz.figures.traces import Line, Spread, band_chart, deviation, lines_of, log_axis
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.sweep.ranking import Values
from nysviz.text import in_seconds, three_digits


def method_lines(methods: Sequence[str], values: Values, n: int, spread: Spread) -> list[Line]:
    """Return a line a method against the share of the rows."""
    return lines_of(values, {name: METHODS[name].brief for name in methods}, spread, lambda m: 100.0 * m / n)


def budget_lines(points: pd.DataFrame) -> list[Line]:
    """Return a line a method: mean error against median seconds, from one m to the next."""
    lines = []
    groups: Any = points.groupby("method", sort=False)
    for name, rows in groups:
        label, x, y = METHODS[name].brief, rows.seconds.to_numpy(), rows.error.to_numpy()
        hover = [
            f"{label}, m = {point.m}<br>{three_digits(point.error)} in {in_seconds(point.seconds)}"
            for point in rows.itertuples()
        ]
        lines.append(Line(name, label, x, y, y, y, hover))
    return lines


def above_zero(runs: FloatArray) -> tuple[float, float, float]:
    """Return mean ± standard deviation, not below any run, since the axis is logarithmic."""
    mean, low, high = deviation(runs)
    return mean, max(low, float(runs.min())), high


def up_to_all(runs: FloatArray) -> tuple[float, float, float]:
    """Return mean ± standard deviation, not above any run, since none exceeds 100 %."""
    mean, low, high = deviation(runs)
    return mean, low, min(high, float(runs.max()))


def share_axis(title: str, counts: Sequence[int], n: int, theme: Theme) -> dict[str, Any]:
    """Return the axis of m/n in per cent, up to the largest of these m."""
    return axis(title, theme, range=[0, 103.0 * max(counts) / n])


def seconds_axis(points: pd.DataFrame, theme: Theme) -> dict[str, Any]:
    """Return the axis of the seconds of these points."""
    spread = points.seconds if len(points) else pd.Series([1e-3, 1.0])
    ends = np.log10([max(1e-6, spread.min()), max(1e-5, spread.max())])
    return log_axis("seconds of one approximation", theme, ends[0] - 0.15, ends[1] + 0.15, dtick=1)


def value_axis(lines: Sequence[Line], title: str, theme: Theme) -> dict[str, Any]:
    """Return a log axis over whole half decades, so that it rarely moves while runs come in."""
    heights = (
        np.concatenate([np.r_[line.low, line.high] for line in lines]) if lines else np.array([0.1, 1.0])
    )
    heights = heights[np.isfinite(heights) & (heights > 0)]
    if not len(heights):
        # Nothing but zeros, which a log axis cannot show.
        return axis(title, theme, range=[-0.03, 1.0])
    low, high = float(heights.min()), float(heights.max())
    if high < 1.5 * low:
        # On a log axis most of half a decade would be empty: whole multiples of a round step.
        step = 10.0 ** np.floor(np.log10(max(high - low, 0.02 * high)))
        ends = [np.floor(low / step) * step - 0.1 * step, np.ceil(high / step) * step + 0.1 * step]
        return axis(title, theme, range=[float(end) for end in ends])
    # Rounding is not an error that a chart should give room to.
    low = max(low, 1e-9 * high)
    ends = [np.floor(2 * np.log10(low)) / 2 - 0.03, np.ceil(2 * np.log10(high)) / 2 + 0.03]
    return log_axis(title, theme, *ends, dtick=1)


def accuracy_axis(lines: Sequence[Line], theme: Theme) -> dict[str, Any]:
    """Return an axis from the ten below the lowest value to 100 %, which rarely moves while runs come in."""
    lowest = min((float(line.low.min()) for line in lines), default=0.0)
    bottom = max(0.0, 10.0 * np.floor(lowest / 10.0))
    ends = [bottom - 0.5, 100.0 + 0.03 * (100.0 - bottom)]
    return axis("relative accuracy (%)", theme, range=ends)


def truncation_chart(
    method: str, best: Sequence[Line], classical: Sequence[Line], xaxis: dict[str, Any], sheet: Sheet
) -> go.Figure:
    """Draw the accuracies of both rank-d approximations from the columns of one method."""
    style = stroke(method, sheet.theme)
    style["line"]["dash"] = "dot"
    style |= {"name": "classical, from W", "hovertemplate": "%{text}<extra></extra>", "opacity": 0.75}
    dotted = [scatter(x=line.x, y=line.y, text=line.hover, **style) for line in classical]
    lines = [replace(line, label="best rank d of K̃") for line in best]
    return band_chart(lines, sheet, xaxis, accuracy_axis([*best, *classical], sheet.theme), 400, dotted)
