"""Residuals by iteration, a number of each method by landmarks, and a process on a line."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.look import Sheet, axis, colour, frame
from nysviz.figures.traces import Line, against_m, band, band_chart, level, line, log_axis, markers
from nysviz.numerics.blocks import FloatArray

PLAIN = "no preconditioner"


def residual_chart(
    lines: Sequence[Line], plain: FloatArray | None, tolerance: float, sheet: Sheet
) -> go.Figure:
    """Draw the residual after each iteration, without a preconditioner only as far as the others go."""
    theme, extra, ends = sheet.theme, [], [len(curve.x) - 1 for curve in lines]
    if plain is not None:
        hover = f"{PLAIN}<br>iteration %{{x}}, residual %{{y:.2e}}"
        extra.append(line(np.arange(len(plain)), plain, theme.ink, PLAIN, hover, dash="dash", width=1.6))
    last = 1.6 * max(ends, default=0) or float(len(plain) - 1 if plain is not None else 10)
    values = np.concatenate([np.r_[curve.y, 1.0] for curve in lines] or [np.ones(1)])
    high = float(np.log10(values.max())) + 0.25
    xaxis = axis("iteration", theme, range=[-0.01 * last, last])
    yaxis = log_axis("residual ‖b − (K + μI)x‖ / ‖b‖", theme, float(np.log10(tolerance)) - 0.6, high)
    return band_chart(lines, sheet, xaxis, yaxis, 480, extra, shapes=[level(tolerance, theme.faint, "dot")])


def by_landmarks(
    lines: Sequence[Line],
    ends: Sequence[tuple[float, str, str]],
    ms: Sequence[int],
    chosen: int,
    y_title: str,
    sheet: Sheet,
    *,
    log: bool = True,
    height: int = 400,
) -> go.Figure:
    """Draw a number of each method against m, beside those of the ends: a number, its name and its dash."""
    theme = sheet.theme
    values = np.concatenate([*(curve.y for curve in lines), np.array([value for value, *_ in ends])])
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    if not len(values):
        values = np.ones(1)
    if log:
        bottom, top = np.log10(values.min()), np.log10(values.max())
        yaxis = log_axis(y_title, theme, float(bottom) - 0.12, float(top) + 0.12)
    else:
        pad = 0.08 * float(np.ptp(values)) or 0.1
        yaxis = axis(y_title, theme, range=[float(values.min()) - pad, float(values.max()) + pad])
    levels = [(value, name, dash, f"{name}: %{{y:.4g}}") for value, name, dash in ends]
    return against_m(lines, levels, sorted(ms), chosen, "landmarks m", yaxis, sheet, height)


def process_chart(
    places: FloatArray,
    ours: tuple[FloatArray, FloatArray],
    exact: tuple[FloatArray, FloatArray] | None,
    points: tuple[FloatArray, FloatArray],
    method: str,
    label: str,
    axes: tuple[str, str],
    sheet: Sheet,
) -> go.Figure:
    """Draw processes, mean and deviation of y along places, each with the band of 95 % of new values."""
    theme = sheet.theme
    traces = [markers(*points, {"size": 4, "color": theme.faint, "opacity": 0.35}, name="training rows")]
    lows, highs = [points[1].min()], [points[1].max()]
    sides = [(ours, colour(method, theme), label, "solid")]
    if exact is not None:
        sides.insert(0, (exact, theme.ink, "exact process", "dot"))
    for (mean, deviation), hue, name, dash in sides:
        low, high = mean - 2 * deviation, mean + 2 * deviation
        lows, highs = [*lows, low.min()], [*highs, high.max()]
        if dash == "solid":
            traces.append(band(places, low, high, hue, legendgroup=name))
        else:
            for edge in (low, high):
                traces.append(line(places, edge, hue, width=1, dash=dash, legendgroup=name, showlegend=False))
        hover = f"{name}<br>{axes[0]} = %{{x:.3g}}, mean %{{y:.3g}}"
        traces.append(line(places, mean, hue, name, hover, dash=dash, legendgroup=name))
    pad = 0.05 * (max(highs) - min(lows))
    xaxis = axis(axes[0], theme, range=[float(places[0]), float(places[-1])])
    yaxis = axis(axes[1], theme, range=[float(min(lows) - pad), float(max(highs) + pad)])
    return frame(traces, sheet, 400, xaxis=xaxis, yaxis=yaxis, below=True)
