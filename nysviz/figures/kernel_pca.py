"""Kernel PCA: two embeddings side by side, their misalignment against m, how orthonormal the vectors are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.data_map import key_title
from nysviz.figures.drawing import Layer, heatmap, scatter
from nysviz.figures.look import (
    KERNEL_RAMP,
    Sheet,
    axis,
    class_mark,
    frame,
    inert,
    narrow_floats,
    ramp,
    ramp_bar,
)
from nysviz.figures.traces import Line, band_chart, log_axis, markers, note, xy
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.text import three_digits

# Part of the width that the pictures have beside the key of the colours.
BESIDE_KEY = 0.94
# Largest number of classes named in the legend; short names stand at the middle of their points as well.
NAMED_CLASSES = 12


@dataclass(frozen=True)
class Points:
    """Texts of drawn points, and their colours: by codes of classes, by values to predict, or one for all."""

    texts: Sequence[str]
    codes: IntArray | None = None
    classes: tuple[str, ...] = ()
    values: FloatArray | None = None


def embedding_chart(
    exact: FloatArray,
    approximate: FloatArray,
    points: Points,
    limits: FloatArray,
    names: tuple[str, str],
    axes: tuple[str, str],
    sheet: Sheet,
) -> go.Figure:
    """Draw two directions of both embeddings (q, 2) side by side, within ``limits`` (2, 2)."""
    theme, gap, is_keyed = sheet.theme, 0.035, points.values is not None
    part = ((BESIDE_KEY if is_keyed else 1.0) - gap) / 2
    named = points.classes if 1 < len(points.classes) <= NAMED_CLASSES else ()
    traces: list[Any] = []
    for code, name in enumerate(named):
        hue, symbol = class_mark(code, theme)
        entry = {"color": hue, "symbol": symbol, "size": 9}
        traces.append(markers([None], [None], entry, name=inert(name), showlegend=True))
    look: dict[str, Any] = {"color": theme.accent}
    if points.codes is not None:
        look["color"], look["symbol"] = zip(*(class_mark(code, theme) for code in points.codes), strict=True)
    elif points.values is not None:
        look = {"color": narrow_floats(points.values), "colorscale": KERNEL_RAMP, "showscale": False}
    look |= {"size": 6.0, "line": {"width": 0.4, "color": theme.ground}}
    layout: dict[str, Any] = {}
    places = (0.0, part + gap)
    for number, embedding, left in zip(("", "2"), (exact, approximate), places, strict=True):
        where = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        hovers: dict[str, Any] = {"text": points.texts, "hover": "%{text}", "showlegend": False}
        traces.append(markers(**xy(embedding), marker=look, **hovers, **where))
        traces += _middles(embedding, points.codes, named, theme.ink, where)
        bare: dict[str, Any] = {"showticklabels": False, "ticks": ""}
        across = {"domain": [left, left + part], "range": list(limits[:, 0]), "anchor": f"y{number}"}
        layout[f"xaxis{number}"] = axis(axes[0], theme, **across, **bare)
        upwards = {"range": list(limits[:, 1]), "anchor": f"x{number}"}
        layout[f"yaxis{number}"] = axis("" if number else axes[1], theme, **upwards, **bare)
    at: dict[str, Any] = {"xanchor": "left", "yanchor": "bottom", "size": 13}
    notes = [note(name, theme.ink, x, 1.0, "xy", **at) for name, x in zip(names, places, strict=True)]
    if points.values is not None:
        ends = float(points.values.min()), float(points.values.max())
        key, key_axes = ramp_bar(ends, KERNEL_RAMP, theme, upright=True)
        traces.append(key)
        layout |= key_axes
        notes.append(key_title(theme, "target"))
    # The legend is a line below the chart, and the margins leave it room.
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yref": "container"}
    legend = {**place, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False}
    margin = {"l": 34, "r": 44 if is_keyed else 8, "t": 84, "b": 70 if named else 40}
    layout |= {"annotations": notes, "showlegend": bool(named), "legend": legend, "margin": margin}
    return frame(traces, sheet, 450, **layout)


def _middles(
    embedding: FloatArray, codes: Any, named: Sequence[str], ink: str, where: dict[str, str]
) -> list[Layer]:
    """Write short class names at the medians of their points, so that not only colour tells them apart."""
    present = {code: name for code, name in enumerate(named) if (codes == code).any()}
    if not present or max(map(len, present.values())) > 3:
        return []
    x, y = np.array([np.median(embedding[codes == code], axis=0) for code in present]).T
    text = [f"<b>{inert(name)}</b>" for name in present.values()]
    style = {"mode": "text", "textfont": {"size": 16, "color": ink}, "hoverinfo": "skip"}
    return [scatter(x=x, y=y, text=text, showlegend=False, **style, **where)]


# A misalignment below this part of the largest possible one is rounding: no line goes there.
ROUNDING = 1e-13


def misalignment_chart(
    lines: Sequence[Line],
    percents: Sequence[float],
    largest: float,
    printed: Sequence[tuple[str, float, float, float]],
    sheet: Sheet,
) -> go.Figure:
    """Draw the misalignment of each method against m/n in per cent, up to the ``largest`` possible.

    ``printed`` are published values: a label each, m/n in per cent, mean and standard deviation.
    """
    theme, smallest = sheet.theme, ROUNDING * largest
    drawable = [_without_rounding(line, smallest) for line in lines]
    labels, where, means, deviations = zip(*printed, strict=True) if printed else [()] * 4
    lowest = [*(value for line in drawable for value in line.low), *means]
    bottom = min((value for value in lowest if value > smallest), default=0.01 * largest)
    ends = np.log10([min(percents), max(percents)])
    diamond = {"symbol": "diamond-open", "size": 10, "color": theme.ink, "line": {"width": 1.5}}
    spreads = {"array": deviations, "color": theme.ink, "thickness": 1, "width": 4}
    hover = "%{text}: printed %{y:.3g}"
    marks = markers(where, means, diamond, hover, error_y=spreads, text=labels, name="printed")
    # Labels of the axis that do not run into one another on a narrow screen.
    named = [f"{percent:g}" if percent in (1.0, 2.0, 3.0, 5.0, 10.0) else "" for percent in percents]
    ticks = {"tickvals": list(percents), "ticktext": named, "tickangle": 0}
    # Whole half decades, so that the axis moves rarely while runs come in.
    foot, top = np.floor(2 * np.log10(bottom / 1.1)) / 2, np.log10(1.05 * largest)
    across = [ends[0] - 0.05, ends[1] + 0.05]
    xaxis = axis("landmarks m / n (%)", theme, type="log", range=across, **ticks)
    yaxis = log_axis("misalignment ‖U − ŨA‖<sub>F</sub>", theme, foot, top, dtick=1)
    return band_chart(drawable, sheet, xaxis, yaxis, 400, [marks] if printed else [])


def _without_rounding(line: Line, smallest: float) -> Line:
    drawable = line.y > smallest
    hover = [text for text, is_drawable in zip(line.hover, drawable, strict=True) if is_drawable]
    x, y, low, high = (part[drawable] for part in (line.x, line.y, line.low, line.high))
    return replace(line, x=x, y=y, low=np.maximum(low, smallest), high=high, hover=hover)


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
        traces.append(heatmap(z=narrow_floats(gram), hovertemplate=hover, **shade, **place))
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
