"""Two kernel PCA embeddings of the same points side by side: in a plane, in pairs of directions, in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures import class_marks
from nysviz.figures.class_marks import Points, has_key, legend, legend_place, marker, target_key, told
from nysviz.figures.drawing import scatter
from nysviz.figures.look import Theme, axis, drawn, frame

# From a little farther than plotly's own, so that the axes' names are seen.
CAMERA = {"eye": {"x": 1.45, "y": 1.45, "z": 1.05}}
# Part of the width that the pictures have beside the key of the colours.
BESIDE_KEY = 0.94
PAIRS = ((0, 1), (0, 2), (1, 2))


def embedding_chart(
    exact: FloatArray,
    other: FloatArray,
    points: Points,
    limits: FloatArray,
    names: tuple[str, str],
    theme: Theme,
    title: str,
    subtitle: str,
    pairs: Sequence[tuple[int, int]] = PAIRS[:1],
    height: int = 450,
) -> go.Figure:
    """Draw the exact embedding beside another one, in one pair of directions or in several.

    Parameters
    ----------
    exact, other : (q, k) arrays
        Coordinates of the drawn points; the other ones after alignment.
    points : Points
    limits : (2, k) array
        Lower and upper end of each direction, the same on both sides so that a smaller picture looks smaller.
    names : (str, str)
        Above the two sides.
    pairs : sequence of (int, int)
        One: left and right. Several: the exact ones above, the others below.
    """
    one = len(pairs) == 1
    style, width = marker(points, theme, 6.0 if one else 4.5), _width(points)
    columns, gap = (2, 0.035) if one else (len(pairs), 0.06)
    part = (width - gap * (columns - 1)) / columns
    traces: list[Any] = legend(points, theme)
    layout: dict[str, Any] = {}
    for k, (side, i, j) in enumerate([(side, *pair) for side in range(2) for pair in pairs]):
        number, shown = "" if k == 0 else str(k + 1), (exact, other)[side]
        where = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        x, y = drawn(shown[:, i]), drawn(shown[:, j])
        traces.append(scatter(x=x, y=y, marker=style, **told(points), **where))
        if one:
            traces += class_marks.middles(shown, i, j, points, theme, where)
        left = (k % columns) * (part + gap)
        bare = {"showticklabels": False, "ticks": ""}
        layout[f"xaxis{number}"] = axis(
            f"direction {i + 1}" if one or side else "",
            theme,
            domain=[left, left + part],
            anchor=f"y{number}",
            range=list(limits[:, i]),
            **bare,
        )
        layout[f"yaxis{number}"] = axis(
            "" if one and side else f"direction {j + 1}",
            theme,
            domain=[0.0, 1.0] if one else [0.56, 1.0] if side == 0 else [0.0, 0.44],
            anchor=f"x{number}",
            range=list(limits[:, j]),
            **bare,
        )
    places = [(0.0, 1.0), (part + gap, 1.0) if one else (0.0, 0.44)]
    return _framed(traces, points, names, places, theme, title, subtitle, height, layout)


def space_chart(
    exact: FloatArray,
    other: FloatArray,
    points: Points,
    limits: FloatArray,
    names: tuple[str, str],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 450,
) -> go.Figure:
    """Draw both embeddings in three directions, to be turned by hand; else as ``embedding_chart``."""
    style, width = marker(points, theme, 3.5), _width(points)
    style.pop("line")
    traces: list[Any] = legend(points, theme)
    # The legend's empty traces need axes, which nobody needs to see.
    layout: dict[str, Any] = {"xaxis": {"visible": False}, "yaxis": {"visible": False}}
    bare = {
        "showticklabels": False,
        "showbackground": False,
        "gridcolor": theme.grid,
        "gridwidth": 2,
        "zeroline": False,
        "linecolor": theme.faint,
        "ticks": "",
        "showspikes": False,
    }
    for shown, scene, left in ((exact, "scene", 0.0), (other, "scene2", 0.51 * width)):
        place = {name: drawn(shown[:, k]) for k, name in enumerate("xyz")}
        traces.append({"type": "scatter3d", **place, "scene": scene, "marker": style, **told(points)})
        layout[scene] = {
            "domain": {"x": [left, left + 0.49 * width], "y": [0, 1]},
            "aspectmode": "cube",
            "dragmode": "orbit",
            "camera": CAMERA,
        }
        for k, name in enumerate("xyz"):
            layout[scene][f"{name}axis"] = {
                "title": {"text": str(k + 1)},
                "range": list(limits[:, k]),
                **bare,
            }
    places = [(0.0, 1.0), (0.51 * width, 1.0)]
    return _framed(traces, points, names, places, theme, title, subtitle, height, layout)


def _width(points: Points) -> float:
    return BESIDE_KEY if has_key(points) else 1.0


def _framed(
    traces: Sequence[Any],
    points: Points,
    names: tuple[str, str],
    places: Sequence[tuple[float, float]],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int,
    layout: dict[str, Any],
) -> go.Figure:
    """Put the names of the two sides at their places, and the key of the colours on the right."""
    key, key_axes, key_names = target_key(points, theme)
    headings = [
        {
            "text": name,
            "xref": "paper",
            "yref": "paper",
            "x": x,
            "y": y,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "align": "left",
            "font": {"size": 13, "color": theme.ink},
        }
        for name, (x, y) in zip(names, places, strict=True)
    ]
    layout |= {**key_axes, "annotations": [*headings, *key_names], **legend_place(points)}
    return frame([*traces, *key], theme, title, subtitle, height, **layout)
