"""How drawn points are told apart: by class, by the value to predict, or not at all."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.data_map import key_title
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import KERNEL_RAMP, Theme, drawn, inert, ramp_bar
from nysviz.figures.traces import markers

# Paul Tol's "muted" set and a grey, for the light and the dark ground: told apart with any colour vision, and
# none of them the colour of a method.
CLASS_HUES = (
    ("#332288", "#9A8CFF"),
    ("#88CCEE", "#88CCEE"),
    ("#44AA99", "#44AA99"),
    ("#117733", "#4CC76E"),
    ("#999933", "#B5B54A"),
    ("#DDCC77", "#DDCC77"),
    ("#CC6677", "#E58594"),
    ("#882255", "#D4609A"),
    ("#AA4499", "#CF6FC0"),
    ("#7A7A7A", "#C8C8C8"),
)
CLASS_SYMBOLS = ("circle", "diamond", "square", "cross", "x")
# Up to so many classes are named in the legend, and short names at the middle of their points as well.
NAMED_CLASSES = 12


@dataclass(frozen=True)
class Points:
    """Rows of the data and what tells them apart: ``codes`` of classes, values to predict, or nothing."""

    rows: IntArray
    codes: IntArray | None = None
    classes: tuple[str, ...] = ()
    values: FloatArray | None = None


def class_hue(code: int, theme: Theme) -> str:
    """Return the colour of a class; from the eleventh on they come again with another symbol."""
    light, dark = CLASS_HUES[code % len(CLASS_HUES)]
    return dark if theme.dark else light


def class_symbol(code: int) -> str:
    """Return the symbol of a class."""
    return CLASS_SYMBOLS[code // len(CLASS_HUES) % len(CLASS_SYMBOLS)]


def marker(points: Points, theme: Theme, size: float) -> dict[str, Any]:
    """Return size, colours and symbols of the points' markers."""
    look: dict[str, Any] = {"color": theme.accent}
    if points.codes is not None:
        look["color"] = [class_hue(code, theme) for code in points.codes]
        several = len(points.classes) > len(CLASS_HUES)
        look["symbol"] = [class_symbol(code) for code in points.codes] if several else CLASS_SYMBOLS[0]
    elif points.values is not None:
        look = {"color": drawn(points.values), "colorscale": KERNEL_RAMP, "showscale": False}
    return {**look, "size": size, "line": {"width": 0.4, "color": theme.ground}}


def hover_text(points: Points) -> dict[str, Any]:
    """Return what the hover says."""
    text = [f"row {row}" for row in points.rows]
    if points.codes is not None:
        names = [inert(name) for name in points.classes]
        text = [f"{t}, label {names[code]}" for t, code in zip(text, points.codes, strict=True)]
    elif points.values is not None:
        text = [f"{t}, target {value:.3g}" for t, value in zip(text, points.values, strict=True)]
    hover = {"text": text, "hovertemplate": "%{text}<extra></extra>"}
    return {"mode": "markers", **hover, "showlegend": False}


def middles(shown: FloatArray, points: Points, theme: Theme, where: dict[str, str]) -> list[Layer]:
    """Write short class names at the medians of their points, so that not only colour tells them apart."""
    if points.codes is None or not 1 < len(points.classes) <= NAMED_CLASSES:
        return []
    present = [code for code in range(len(points.classes)) if (points.codes == code).any()]
    if any(len(points.classes[code]) > 3 for code in present):
        return []
    places = np.array([np.median(shown[points.codes == code][:, :2], axis=0) for code in present])
    style = {"mode": "text", "textfont": {"size": 16, "color": theme.ink}, "hoverinfo": "skip"}
    text = [f"<b>{inert(points.classes[code])}</b>" for code in present]
    return [scatter(x=places[:, 0], y=places[:, 1], text=text, showlegend=False, **style, **where)]


def legend(points: Points, theme: Theme) -> list[Layer]:
    """Return an empty trace for each class, to stand in the legend."""
    if not has_legend(points):
        return []
    entries = []
    for code, name in enumerate(points.classes):
        look = {"color": class_hue(code, theme), "symbol": class_symbol(code), "size": 9}
        entries.append(markers([None], [None], look, name=inert(name), showlegend=True))
    return entries


def has_key(points: Points) -> bool:
    """Whether colours stand for values to predict."""
    return points.codes is None and points.values is not None and len(points.values) > 0


def target_key(points: Points, theme: Theme) -> tuple[list[Layer], dict[str, Any], list[dict[str, Any]]]:
    """Return the key of the values to predict: a trace, its axes, its name; nothing where there are none."""
    if not has_key(points) or points.values is None:
        return [], {}, []
    limits = float(points.values.min()), float(points.values.max())
    key, axes = ramp_bar(limits, KERNEL_RAMP, theme, upright=True)
    return [key], axes, [key_title(theme, "target")]


def has_legend(points: Points) -> bool:
    """Whether the classes are few enough to be named."""
    return points.codes is not None and 1 < len(points.classes) <= NAMED_CLASSES


def legend_place(points: Points) -> dict[str, Any]:
    """Return the layout of a legend in a line below the chart, and margins that leave it room."""
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yref": "container"}
    legend = {**place, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False}
    right, foot = 44 if has_key(points) else 8, 70 if has_legend(points) else 40
    margin = {"l": 34, "r": right, "t": 84, "b": foot}
    return {"showlegend": has_legend(points), "legend": legend, "margin": margin}
