"""Two kernel PCA embeddings of the same points side by side: in a plane, in pairs of directions, in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures import class_marks
from nysviz.figures.class_marks import Points, legend, legend_place, marker, target_key, told
from nysviz.figures.drawing import Layer, scatter
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
    style = marker(points, theme, 6.0 if len(pairs) == 1 else 4.5)
    columns, layout = (2 if len(pairs) == 1 else len(pairs)), {}
    key, key_axes, key_names = target_key(points, theme)
    # The key of the colours stands on the right.
    whole = BESIDE_KEY if key else 1.0
    traces: list[Any] = legend(points, theme)
    for k, (side, i, j) in enumerate([(side, *pair) for side in range(2) for pair in pairs]):
        number = "" if k == 0 else str(k + 1)
        column = k % columns if len(pairs) > 1 else side
        shown = (exact, other)[side]
        where = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces.append(_dots(shown, i, j, points, style, where))
        if len(pairs) == 1:
            traces += class_marks.middles(shown, i, j, points, theme, where)
        gap = 0.035 if len(pairs) == 1 else 0.06
        width = (whole - gap * (columns - 1)) / columns
        left = column * (width + gap)
        upright = [0.0, 1.0] if len(pairs) == 1 else ([0.56, 1.0] if side == 0 else [0.0, 0.44])
        bare = {"showticklabels": False, "ticks": ""}
        layout[f"xaxis{number}"] = axis(
            f"direction {i + 1}" if len(pairs) == 1 or side else "",
            theme,
            domain=[left, left + width],
            anchor=f"y{number}",
            range=list(limits[:, i]),
            **bare,
        )
        layout[f"yaxis{number}"] = axis(
            f"direction {j + 1}" if len(pairs) > 1 or not side else "",
            theme,
            domain=upright,
            anchor=f"x{number}",
            range=list(limits[:, j]),
            **bare,
        )
    above = [(0.0, 1.0), (0.5 * whole + 0.0175, 1.0)] if len(pairs) == 1 else [(0.0, 1.0), (0.0, 0.44)]
    return frame(
        [*traces, *key],
        theme,
        title,
        subtitle,
        height,
        **layout,
        **key_axes,
        annotations=[*_headings(names, above, theme), *key_names],
        **legend_place(points),
    )


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
    style = marker(points, theme, 3.5)
    style.pop("line")
    traces: list[Any] = []
    for shown, scene in ((exact, "scene"), (other, "scene2")):
        x, y, z = (drawn(shown[:, k]) for k in range(3))
        place = {"x": x, "y": y, "z": z, "scene": scene}
        traces.append({"type": "scatter3d", **place, "marker": style, **told(points)})
    key, key_axes, key_names = target_key(points, theme)
    whole = BESIDE_KEY if key else 1.0
    scenes = {}
    for scene, domain in (("scene", [0.0, 0.49 * whole]), ("scene2", [0.51 * whole, whole])):
        scenes[scene] = {
            f"{name}axis": {
                "title": {"text": str(k + 1)},
                "range": list(limits[:, k]),
                "showticklabels": False,
                "showbackground": False,
                "gridcolor": theme.grid,
                "gridwidth": 2,
                "zeroline": False,
                "linecolor": theme.faint,
                "ticks": "",
                "showspikes": False,
            }
            for k, name in enumerate("xyz")
        } | {
            "domain": {"x": domain, "y": [0, 1]},
            "aspectmode": "cube",
            "dragmode": "orbit",
            "camera": CAMERA,
        }
    return frame(
        [*traces, *legend(points, theme), *key],
        theme,
        title,
        subtitle,
        height,
        **scenes,
        # The legend's empty traces need axes, which nobody needs to see.
        xaxis={"visible": False},
        yaxis={"visible": False},
        **key_axes,
        annotations=[*_headings(names, [(0.0, 1.0), (0.51 * whole, 1.0)], theme), *key_names],
        **legend_place(points),
    )


def _dots(
    shown: FloatArray, i: int, j: int, points: Points, style: dict[str, Any], where: dict[str, str]
) -> Layer:
    return scatter(x=drawn(shown[:, i]), y=drawn(shown[:, j]), marker=style, **told(points), **where)


def _headings(
    names: tuple[str, str], places: Sequence[tuple[float, float]], theme: Theme
) -> list[dict[str, Any]]:
    return [
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
