"""The data in two dimensions, coloured by how badly each point is reproduced, with the landmarks on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.datasets import Dataset
from nysviz.figures.look import Sheet, Theme, axis, frame, inert, narrow_floats, ramp, ramp_bar
from nysviz.figures.traces import markers, note, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.lowrank import LowRank

HALOS = 150  # landmarks up to this number get a halo, which sets them off from the points below
# Titles of the colour key: the residual of the diagonal, or the relative error of a whole row.
RESIDUAL = "K<sub>ii</sub> − K̃<sub>ii</sub>"
ROW_ERROR = "row error"


@dataclass(frozen=True)
class Picture:
    """The drawn rows and their positions in a plane, with the names and ends of its axes."""

    rows: IntArray
    centre: FloatArray
    directions: FloatArray
    positions: FloatArray
    names: tuple[str, str]
    ranges: tuple[tuple[float, float], tuple[float, float]]

    def place(self, points: FloatArray) -> FloatArray:
        """Return the positions of points in the plane."""
        return (points - self.centre) @ self.directions


class PointErrors(NamedTuple):
    """Errors of drawn rows, the end of their colour scale, and their name."""

    values: FloatArray
    top: float
    quantity: str


def landmark_size(count: int) -> float:
    """Return the size of the marks of landmarks: many are drawn smaller, so that the points are seen."""
    return 11.0 if count <= HALOS else 11.0 * (HALOS / count) ** 0.4


def landmark_traces(points: FloatArray, are_data: bool, theme: Theme, names: Sequence[str]) -> list[Any]:
    """Return rings with a halo for landmarks that are data points, plus signs for centres that are not."""
    size = landmark_size(len(points))
    if are_data:
        # An open symbol takes the colour of its outline from the marker's own colour.
        symbol, small, label, widths = "circle-open", size, "landmark", (4.5, 2)
    else:
        symbol, small, label, widths = "cross", 0.7 * size, "landmark (centre)", (0, 0)
    halo = {"symbol": symbol, "size": size, "color": theme.ground, "line": {"width": widths[0]}}
    mark = {"symbol": symbol, "size": small, "color": theme.ink, "line": {"width": widths[1]}}
    place, named = xy(points), {"name": label, "text": list(names)}
    rings = markers(**place, marker=mark, hover="%{text}", showlegend=True, **named)
    # Many landmarks are visible without halos, and drawn twice as fast.
    return [markers(**place, marker=halo, showlegend=False), rings] if len(points) <= HALOS else [rings]


def residual_marker(residual: NDArray[np.floating[Any]], top: float, theme: Theme) -> dict[str, Any]:
    """Return markers whose colour is the residual, from 0 (exact) to the largest possible."""
    return {
        "color": narrow_floats(residual),
        "cmin": 0.0,
        "cmax": top,
        "colorscale": ramp(theme.residual),
        "size": 7,
        "line": {"width": 0.6, "color": theme.faint},
        "showscale": False,
    }


def key_title(theme: Theme, text: str) -> dict[str, Any]:
    """Name a colour scale, above its upright key."""
    return note(text, theme.faint, 0.985, 0.92, "xy", xanchor="center", yanchor="bottom")


def data_map(
    picture: Picture,
    residual: FloatArray,
    labels: Sequence[str],
    landmarks: FloatArray | None,
    landmark_names: Sequence[str],
    are_data: bool,
    top: float,
    key: str,
    sheet: Sheet,
    height: int = 500,
) -> go.Figure:
    """Draw points by residual (q,) up to ``top``, and landmarks (m, d); ``key`` names the coloured error."""
    theme, quantity = sheet.theme, "residual" if key == RESIDUAL else key
    points = markers(
        **xy(picture.positions),
        marker=residual_marker(residual, top, theme),
        hover=f"row %{{customdata}}%{{text}}<br>{quantity} %{{marker.color:.3g}}",
        customdata=picture.rows.astype(np.int32),
        text=list(labels),
        name=f"data point, by its {quantity}",
        showlegend=False,
    )
    bar, key_axes = ramp_bar((0.0, top), ramp(theme.residual), theme, upright=True)
    marks = []
    if landmarks is not None:
        marks = landmark_traces(picture.place(landmarks), are_data, theme, landmark_names)
    x, y = map(inert, picture.names)
    # Above the axes, where it covers no point.
    corner = {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return frame(
        [points, bar, *marks],
        sheet,
        height,
        xaxis=axis(x, theme, range=list(picture.ranges[0]), domain=[0, 0.95]),
        yaxis=axis(y, theme, range=list(picture.ranges[1])),
        **key_axes,
        annotations=[key_title(theme, key)],
        margin={"r": 44, "t": 84},
        showlegend=landmarks is not None,
        legend=corner,
    )


def landmark_map(
    data: Dataset, a: LowRank, picture: Picture, errors: PointErrors, sheet: Sheet, height: int = 500
) -> go.Figure:
    """Draw the points of a data set, coloured by these errors, with the landmarks of an approximation."""
    names = [f"landmark {i + 1}" for i in range(0 if a.landmarks is None else len(a.landmarks))]
    if a.pivots is not None:
        names = [f"{name}, row {p}" for name, p in zip(names, a.pivots, strict=True)]
    labels, are_data = labels_of(data, picture.rows), METHODS[a.method].landmarks_are_data
    values, top, quantity = errors
    return data_map(picture, values, labels, a.landmarks, names, are_data, top, quantity, sheet, height)


def labels_of(data: Dataset, rows: IntArray) -> Sequence[str]:
    """Return the text of each row's label for the hover, empty without labels."""
    if data.y is None:
        return [""] * len(rows)
    if data.task == "classification":
        codes = np.searchsorted(np.unique(data.y), data.y[rows])
        texts = [f", label {inert(name)}" for name in data.classes]
        return [texts[code] for code in codes]
    return [f", target {value:.3g}" for value in data.y[rows]]
