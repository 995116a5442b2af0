"""Kernel PCA: two embeddings side by side, their misalignment against m, how orthonormal the vectors are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures import class_marks
from nysviz.figures.class_marks import Points, has_key, hover_text, legend, legend_place, marker, target_key
from nysviz.figures.drawing import heatmap, scatter
from nysviz.figures.look import Sheet, axis, drawn, frame, ramp, ramp_bar, three_digits
from nysviz.figures.traces import Line, band_chart, log_axis, markers, note

# Part of the width that the pictures have beside the key of the colours.
BESIDE_KEY = 0.94


def embedding_chart(
    exact: FloatArray,
    other: FloatArray,
    points: Points,
    limits: FloatArray,
    names: tuple[str, str],
    axes: tuple[str, str],
    sheet: Sheet,
) -> go.Figure:
    """Draw two directions of both embeddings (q, 2) side by side, within ``limits`` (2, 2)."""
    theme, width, gap = sheet.theme, BESIDE_KEY if has_key(points) else 1.0, 0.035
    style, part = marker(points, theme, 6.0), (width - gap) / 2
    traces: list[Any] = legend(points, theme)
    layout: dict[str, Any] = {}
    places = (0.0, part + gap)
    for number, shown, left in zip(("", "2"), (exact, other), places, strict=True):
        where = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        x, y = drawn(shown[:, 0]), drawn(shown[:, 1])
        traces.append(scatter(x=x, y=y, marker=style, **hover_text(points), **where))
        traces += class_marks.middles(shown, points, theme, where)
        bare: dict[str, Any] = {"showticklabels": False, "ticks": ""}
        across = {"domain": [left, left + part], "range": list(limits[:, 0]), "anchor": f"y{number}"}
        layout[f"xaxis{number}"] = axis(axes[0], theme, **across, **bare)
        upwards = {"range": list(limits[:, 1]), "anchor": f"x{number}"}
        layout[f"yaxis{number}"] = axis("" if number else axes[1], theme, **upwards, **bare)
    key, key_axes, key_names = target_key(points, theme)
    at: dict[str, Any] = {"xanchor": "left", "yanchor": "bottom", "size": 13}
    headings = [note(name, theme.ink, x, 1.0, "xy", **at) for name, x in zip(names, places, strict=True)]
    layout |= {**key_axes, "annotations": [*headings, *key_names], **legend_place(points)}
    return frame([*traces, *key], sheet, 450, **layout)


# A misalignment below this part of the largest possible one is rounding: no line goes there.
ROUNDING = 1e-13

# A published value: whose it is, m/n in per cent, mean and standard deviation.
Printed = tuple[str, float, float, float]


def misalignment_chart(
    lines: Sequence[Line],
    percents: Sequence[float],
    most: float,
    printed: Sequence[Printed],
    sheet: Sheet,
) -> go.Figure:
    """Draw the misalignment of each method against m/n in per cent, up to ``most``, where nothing is left."""
    theme, least = sheet.theme, ROUNDING * most
    drawable = [_without_rounding(line, least) for line in lines]
    labels, where, means, deviations = zip(*printed, strict=True) if printed else [()] * 4
    lowest = [*(value for line in drawable for value in line.low), *means]
    bottom = min((value for value in lowest if value > least), default=0.01 * most)
    ends = np.log10([min(percents), max(percents)])
    diamond = {"symbol": "diamond-open", "size": 10, "color": theme.ink, "line": {"width": 1.5}}
    spreads = {"array": deviations, "color": theme.ink, "thickness": 1, "width": 4}
    hover = "%{text}: printed %{y:.3g}"
    marks = markers(where, means, diamond, hover, error_y=spreads, text=labels, name="printed")
    # Labels of the axis that do not run into one another on a narrow screen.
    named = [f"{percent:g}" if percent in (1.0, 2.0, 3.0, 5.0, 10.0) else "" for percent in percents]
    ticks = {"tickvals": list(percents), "ticktext": named, "tickangle": 0}
    # Whole half decades, so that the axis moves rarely while runs come in.
    foot, top = np.floor(2 * np.log10(bottom / 1.1)) / 2, np.log10(1.05 * most)
    across = [ends[0] - 0.05, ends[1] + 0.05]
    xaxis = axis("landmarks m / n (%)", theme, type="log", range=across, **ticks)
    yaxis = log_axis("misalignment ‖U − ŨA‖<sub>F</sub>", theme, foot, top, dtick=1)
    return band_chart(drawable, sheet, xaxis, yaxis, 400, [marks] if printed else [])


def _without_rounding(line: Line, least: float) -> Line:
    kept = line.y > least
    hover = [text for text, is_kept in zip(line.hover, kept, strict=True) if is_kept]
    x, y, low, high = (part[kept] for part in (line.x, line.y, line.low, line.high))
    return replace(line, x=x, y=y, low=np.maximum(low, least), high=high, hover=hover)


def gram_chart(extension: FloatArray, orthogonal: FloatArray, sheet: Sheet) -> go.Figure:
    """Draw UᵀU of the plain extension, (k, k), and of the orthogonal form: the identity for orthonormal U."""
    theme = sheet.theme
    # Longer vectors take the colour at the end; the 1 of an orthonormal one stays visible.
    top = min(2.0, max(1.0, float(np.abs(extension).max(initial=0.0))))
    # Blue below 0, the ground's colour at 0, orange above.
    below, above = ("#56B4E9", "#FF8A3D") if theme.dark else ("#0072B2", "#D55E00")
    colours = ramp((below, theme.ground, above))
    traces, notes = [], []
    layout: dict[str, Any] = {}
    sides = ("", "plain extension", extension, 0.0), ("2", "orthogonal", orthogonal, 0.5)
    for number, name, gram, left in sides:
        x, y, ticks = f"x{number}", f"y{number}", list(range(1, len(gram) + 1))
        shade = {"zmin": -top, "zmax": top, "colorscale": colours, "showscale": False, "xgap": 1, "ygap": 1}
        hover = "u<sub>%{y}</sub> · u<sub>%{x}</sub> = %{z:.3g}<extra></extra>"
        place = {"x": ticks, "y": ticks, "xaxis": x, "yaxis": y}
        traces.append(heatmap(z=drawn(gram), hovertemplate=hover, **shade, **place))
        plain = {"showgrid": False, "tickvals": ticks, "ticks": "", "showline": False, "constrain": "domain"}
        layout[f"xaxis{number}"] = axis("", theme, **plain, domain=[left, left + 0.45], anchor=y)
        square = {"anchor": x, "scaleanchor": x, "constraintoward": "top", "range": [len(gram) + 0.5, 0.5]}
        layout[f"yaxis{number}"] = axis("", theme, **plain, **square, showticklabels=not number)
        departure = three_digits(float(np.linalg.norm(gram - np.eye(len(gram)))))
        text = f"{name}<br>‖UᵀU − I‖ = {departure}"
        corner = {"align": "left", "xanchor": "left", "yanchor": "bottom"}
        notes.append(note(text, theme.ink, left, 1.0, "xy", **corner))
    key, key_axes = ramp_bar((-top, top), colours, theme, upright=True)
    # As long as the first matrix is high, whatever the chart's width makes of it.
    key_axes["yaxis9"] |= {"domain": [0, 1], "constrain": "domain", "constraintoward": "top"}
    key_axes["yaxis9"] |= {"scaleanchor": "x", "scaleratio": len(extension) / (2 * top)}
    layout |= {**key_axes, "annotations": notes, "margin": {"l": 30, "r": 44, "t": 100, "b": 30}}
    return frame([*traces, key], sheet, 400, **layout)
