"""The charts of the page "Bounds": error and bound, the proof's steps, property (8), one entry."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.analysis.bounds.property_eight import Quadruple
from nysviz.figures.data_map import Picture, landmark_traces, residual_marker
from nysviz.figures.drawing import bar, scatter, with_layout
from nysviz.figures.look import Sheet, axis, colour, frame, inert, narrow_floats, ramp, ramp_bar, stroke
from nysviz.figures.traces import (
    band,
    band_chart,
    deviation,
    level,
    line,
    lines_of,
    log_axis,
    markers,
    note,
    xy,
)
from nysviz.kernels import Kernel, Radial
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.text import three_digits

# Dash and width of the proposition's lines; the measured error has the method's own stroke.
GUARANTEES = {
    "bound": ("bound", "solid", 2.5),
    "inverse_term": ("part from near-equal landmarks", "dash", 1.5),
    "encoding_term": ("part from the encoding", "dot", 1.5),
}
# A smaller constant of property (8) has no reciprocal.
SMALLEST_CONSTANT = 1e-300
# Position of the name of a level: above its right end.
ABOVE = {"xanchor": "right", "yanchor": "bottom"}


def bound_chart(
    last: float,
    values: Mapping[str, Mapping[float, FloatArray]],
    whole: float,
    method: str,
    current_point: tuple[float, float, float],
    sheet: Sheet,
) -> go.Figure:
    """Draw measured error and bound with its terms, percentage → runs each, with quartile bands."""
    theme = sheet.theme
    traces: list[Any] = []
    for name, (text, dash, width) in GUARANTEES.items():
        style = {"mode": "lines", "line": {"color": theme.ink, "dash": dash, "width": width}}
        traces += _with_quartiles(values[name], style, text)
    traces += _with_quartiles(values["frobenius"], stroke(method, theme), "measured")
    percent, *pair = current_point
    ring = {"size": 11, "symbol": "circle-open", "color": theme.ink, "line": {"width": 2}}
    ends = [value if value > 0 else None for value in pair]
    hover = "m/n = %{x:.3g} %<br>%{y:.3g}"
    dots = line([percent, percent], ends, theme.faint, None, hover, dash="dot", width=1, showlegend=False)
    traces.append(dots | {"mode": "lines+markers", "marker": ring})
    heights = np.concatenate(
        [*(runs for curve in values.values() for runs in curve.values()), [*pair, whole]]
    )
    logs = np.log10(heights[np.isfinite(heights) & (heights > 0)])
    low, high = (float(logs.min()), float(logs.max())) if len(logs) else (-1.0, 1.0)
    rim, names = [], []
    if whole > 0:
        text = f"‖K‖<sub>F</sub> = {three_digits(whole)}: error of K̃ = 0"
        rim = [level(whole, theme.faint, "longdash")]
        names = [note(text, theme.faint, 1, float(np.log10(whole)), "x", **ABOVE, bgcolor=theme.ground)]
    step = max(1, round((high - low) / 8))
    xaxis = axis("landmarks m / n (%)", theme, range=[0, 1.04 * max(last, percent)])
    yaxis = log_axis("Frobenius error ‖K − K̃‖<sub>F</sub>", theme, low - 0.25, high + 0.25, dtick=step)
    layout: dict[str, Any] = {"shapes": rim, "annotations": names, "margin": {"l": 64}}
    return frame(traces, sheet, 500, xaxis=xaxis, yaxis=yaxis, below=True, **layout)


def _with_quartiles(values: Mapping[float, FloatArray], style: dict[str, Any], name: str) -> list[Any]:
    """Return a median line, with the quartiles as a band where there are repeats."""
    if not values:
        return [scatter(x=[None], y=[None], name=name, **style)]
    x, quartiles = np.array([*values]), [np.quantile(runs, (0.25, 0.5, 0.75)) for runs in values.values()]
    low, middle, high = np.array(quartiles).T
    hover = "m/n = %{x:.3g} %<br>median %{y:.3g}<br>quartiles %{customdata[0]:.3g} – %{customdata[1]:.3g}"
    hover += "<extra>%{fullData.name}</extra>"
    ends = np.stack([low, high], axis=1)
    median = scatter(x=x, y=middle, name=name, customdata=ends, hovertemplate=hover, **style)
    return [band(x, low, high, style["line"]["color"]), median] if (high > low).any() else [median]


def _narrow(traces: list[Any], sheet: Sheet, **layout: Any) -> go.Figure:
    """Draw a low chart for a narrow column; its title begins at the chart's own edge."""
    figure = frame(traces, sheet, 320, **layout)
    return with_layout(figure, title={"xref": "container", "x": 0.02, "font": {"size": 15}})


def ladder_chart(steps: Mapping[str, str], orders: FloatArray, sheet: Sheet) -> go.Figure:
    """Draw how many orders of magnitude each step of the proof gives away, from the error up to the bound."""
    theme = sheet.theme
    hues = [theme.faint] * len(orders)
    hues[int(np.argmax(orders))] = theme.accent
    bars = bar(
        x=orders,
        base=np.cumsum(orders) - orders,
        y=list(steps),
        orientation="h",
        marker={"color": hues},
        text=[f"{value:.2f}" for value in orders],
        textposition="outside",
        cliponaxis=False,
        customdata=list(steps.values()),
        hovertemplate="%{customdata}<br>%{x:.2f} orders of magnitude<extra></extra>",
    )
    span = [0, 1.12 * max(float(orders.sum()), 0.1)]
    xaxis = axis("orders of magnitude above the error", theme, range=span)
    yaxis = axis("", theme, ticks="", showgrid=False)
    return _narrow([bars], sheet, xaxis=xaxis, yaxis=yaxis, bargap=0.35, margin={"l": 118, "r": 24})


def property_chart(
    kernel: Kernel,
    scale: float,
    radius: float,
    constants: tuple[float, float],
    quadruple: Quadruple,
    pairs: tuple[FloatArray, FloatArray],
    sheet: Sheet,
) -> go.Figure:
    """Draw the ratio of property (8) with its constants (the printed one may be NaN), and a quadruple.

    All belong to ``scale`` times the kernel.
    """
    theme, (derived, printed), q = sheet.theme, constants, quadruple
    where, ratios = pairs
    if not isinstance(kernel, Radial):
        size, unit = radius**2 or 1.0, 1.0 / derived if derived > SMALLEST_CONSTANT else 1.0
        names, span, place = ("inner product of the pair / R²", "ratio / derived C"), 1.0, q.c * q.d / size
        x = np.linspace(0.0, 1.0, 200)
        power, offset = 2 * (getattr(kernel, "degree", 1) - 1), getattr(kernel, "epsilon", 0.0)
        y = ((x * size + offset) / (size + offset)) ** power
    else:
        size = float(getattr(kernel, "sigma", 1.0))
        names, unit = ("distance of the pair / σ", "ratio × σ²"), size**2
        place = 0.5 * (abs(q.a - q.b) + abs(q.c - q.d)) / size
        span = float(np.clip(1.05 * where.max(initial=0.0) / size, 3.0, 12.0))
        x = np.linspace(0.0, span, 200)
        y = 2.0 * (scale * kernel.slope(x * size)) ** 2 * unit
    derived, printed, inside = derived * unit, printed * unit, where <= span * size
    dot = {"size": 4, "color": theme.faint, "opacity": 0.6}
    cross = {"size": 12, "symbol": "x", "color": theme.ink}
    at, four = np.c_[where[inside] / size, ratios[inside] * unit], "four points of the text below"
    hover = "ratio %{y:.3g}<extra>two points and their landmarks</extra>"
    traces = [
        markers(**xy(at), marker=dot, hover=hover, name="points and their landmarks"),
        line(narrow_floats(x), narrow_floats(y), theme.accent, "largest for small moves", "at most %{y:.3g}"),
        markers([place], [q.ratio * unit], cross, f"ratio %{{y:.4g}}<extra>{four}</extra>", name=four),
    ]
    top = 1.18 * max(derived, float(y.max()), printed if printed < 3 * derived else 0.0)
    if not 0 < top < np.inf:
        top = 1.0
    levels = [(derived, "derived", "solid")]
    levels += [] if np.isnan(printed) else [(printed, "printed", "dash")]
    named = [(y, f"{name} {three_digits(y)}") for y, name, _ in levels if y <= top]
    return _narrow(
        traces,
        sheet,
        xaxis=axis(names[0], theme, range=[0, span]),
        yaxis=axis(names[1], theme, range=[0, top]),
        shapes=[level(y, theme.ink, dash) for y, _, dash in levels],
        annotations=[note(text, theme.ink, 1, y, "x", **ABOVE) for y, text in named],
    )


def entry_map(
    picture: Picture,
    errors: FloatArray,
    landmarks: FloatArray,
    are_data: bool,
    pair: tuple[int, int],
    where: FloatArray,
    sheet: Sheet,
) -> go.Figure:
    """Draw points by the error of their entry with the first row of a pair, whose places are ``where``."""
    theme, top, (i, j) = sheet.theme, float(errors.max()) or 1.0, pair
    key, key_axes = ramp_bar((0.0, top), ramp(theme.residual), theme, upright=True)
    names = [f"landmark {k + 1}" for k in range(len(landmarks))]
    marks = landmark_traces(picture.place(landmarks), are_data, theme, names)
    for mark in marks:
        mark["marker"]["size"] = 6
    hover = f"entry ({i}, %{{customdata}}) is off by %{{marker.color:.3g}}"
    dots = residual_marker(errors, top, theme) | {"size": 5}
    rings = {"size": 13, "symbol": "circle-open", "color": theme.accent, "line": {"width": 3}}
    joined = line(where[:, 0], where[:, 1], theme.accent) | {"mode": "lines+markers", "marker": rings}
    points = markers(**xy(picture.positions), marker=dots, hover=hover, customdata=picture.rows)
    notes = []
    for row, at, other_place in ((i, *where), (j, *where[::-1])):
        # Beside its point, away from the other one; points below it are covered.
        is_left, is_below = at[0] < other_place[0], at[1] < other_place[1]
        place: dict[str, Any] = {"xanchor": "right" if is_left else "left", "xshift": -9 if is_left else 9}
        place |= {"yanchor": "top" if is_below else "bottom", "bgcolor": theme.ground, "borderpad": 1}
        notes.append(note(f"row {row}", theme.ink, float(at[0]), float(at[1]), size=13, **place))
    # A low chart has no room for the share of the variance.
    x, y = (inert(name.split(" (")[0]) for name in picture.names)
    return _narrow(
        [points, key, *marks, joined],
        sheet,
        xaxis=axis(x, theme, range=list(picture.ranges[0]), domain=[0, 0.94]),
        yaxis=axis(y, theme, range=list(picture.ranges[1])),
        **key_axes,
        annotations=notes,
        margin={"r": 44},
    )


def relative_chart(
    ranks: Sequence[int],
    ratios: Mapping[int, Mapping[str, Sequence[float]]],
    guarantees: Mapping[str, FloatArray],
    current_point: tuple[int, float] | None,
    counted: str,
    sheet: Sheet,
) -> go.Figure:
    """Draw mean errors over the best of the rank, ± one deviation, with each method's guarantee."""
    theme, labels = sheet.theme, {name: METHODS[name].brief for runs in ratios.values() for name in runs}

    lines = lines_of(ratios, labels, deviation, float, "rank {}".format, ends=(1.0, np.inf))
    hover = "rank %{x}<br>%{y:.3g} times the best<extra>%{fullData.name}</extra>"
    extra = []
    for method, bound in guarantees.items():
        name, dash = ("Li et al., k-DPP", "dot") if method == "dpp" else ("theorem 4, Θ = 0", "longdashdot")
        extra.append(line(list(ranks), bound, colour(method, theme), name, hover, width=1.5, dash=dash))
    tops = [float(bound.max()) for bound in guarantees.values()]
    if current_point is not None:
        tops += [current_point[1]] if np.isfinite(current_point[1]) else []
        ring = {"size": 12, "symbol": "circle-open", "color": theme.ink, "line": {"width": 2}}
        hover = "rank %{x}<br>%{y:.3g} times the best<extra>with Θ</extra>"
        extra.append(markers([current_point[0]], [current_point[1]], ring, hover, name="theorem 4 with Θ"))
    top = float(np.log10(max(tops, default=1.0))) + 0.25
    xaxis = axis(counted, theme, range=[0, 1.05 * max(ranks)])
    yaxis = log_axis("error / best error of the rank", theme, -0.05, top, dtick=1)
    return band_chart(lines, sheet, xaxis, yaxis, 420, extra)
