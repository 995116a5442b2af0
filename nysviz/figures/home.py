"""The living picture of the first page: landmarks, K with the columns that are read, K̃, and the error.

Frames are named by the number of the step, from 1, by which the player asks for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.figures.data_map import landmark_traces, residual_marker
from nysviz.figures.drawing import heatmap, scatter, with_frames
from nysviz.figures.look import KERNEL_RAMP, Sheet, axis, frame, narrow_floats, stroke
from nysviz.figures.traces import line, markers, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.text import three_digits

HEIGHT = 292


@dataclass(frozen=True)
class ApproximationFilm:
    """One method at m = 1, 2, … landmarks on n points.

    ``positions`` (n, 2) and ``landmarks`` [(m, 2)] are places on the map, ``restored`` (steps, n, n) is K̃,
    ``residuals`` (steps, n) the residual diagonal, ``pivots`` [(m,)] the columns read; ``errors`` and
    ``floor`` (steps,) are relative Frobenius errors, the method's and the best possible.
    """

    method: str
    positions: FloatArray
    K: FloatArray
    restored: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    pivots: tuple[IntArray, ...]
    errors: FloatArray
    floor: FloatArray


def film_map(film: ApproximationFilm, start: int, axes: tuple[str, str], sheet: Sheet) -> go.Figure:
    """Draw points by their residuals, with the landmarks of step ``start`` on them."""
    positions, are_data = film.positions, METHODS[film.method].landmarks_are_data
    marker = residual_marker(film.residuals[start], 1.0, sheet.theme) | {"size": 8}
    points = markers(**xy(positions), marker=marker, hover="residual %{marker.color:.2f}")
    marks = landmark_traces(film.landmarks[start], are_data, sheet.theme, [])
    for mark in marks:
        mark.update(showlegend=False, hoverinfo="skip", hovertemplate=None)
    low, high = positions.min(axis=0), positions.max(axis=0)
    pad = 0.08 * (high - low)
    ends, bare = np.transpose([low - pad, high + pad]).tolist(), {"showticklabels": False, "ticks": ""}
    xaxis, yaxis = (axis(axes[i], sheet.theme, range=ends[i], **bare) for i in (0, 1))
    margin = {"l": 28, "r": 10, "t": 54, "b": 30}
    figure = frame([points, *marks], sheet, HEIGHT, xaxis=xaxis, yaxis=yaxis, margin=margin)
    states = [
        [{"marker": {"color": narrow_floats(residual)}}, *[xy(chosen) for _ in marks]]
        for residual, chosen in zip(film.residuals, film.landmarks, strict=True)
    ]
    return with_frames(figure, range(1 + len(marks)), states)


def film_matrix(
    entries: FloatArray, sheet: Sheet, start: int, read: Sequence[IntArray] | None = None
) -> go.Figure:
    """Draw a kernel matrix, entries in [−1, 1], or one a step; or mark the columns read at each step."""
    moving, n = entries.ndim == 3, entries.shape[-1]
    first = entries[start] if moving else entries
    look = {"zmin": 0, "zmax": 100, "colorscale": KERNEL_RAMP, "showscale": False}
    hover = "rows %{y} and %{x}: %{z} %<extra></extra>"
    traces = [heatmap(z=_hundredths(first), hovertemplate=hover, **look)]
    if read is not None:
        traces.append(line(**_columns(read[start], n), hue=sheet.theme.ground))
    # The square stands below its title, at the left.
    hidden = {"visible": False, "constrain": "domain", "constraintoward": "left", "range": [-0.5, n - 0.5]}
    yaxis = {**hidden, "constraintoward": "top", "range": [n - 0.5, -0.5], "scaleanchor": "x"}
    margin = {"l": 10, "r": 10, "t": 54, "b": 24}
    figure = frame(traces, sheet, HEIGHT, xaxis=hidden, yaxis=yaxis, margin=margin)
    if moving:
        return with_frames(figure, [0], [[{"z": _hundredths(part)}] for part in entries])
    return figure if read is None else with_frames(figure, [1], [[_columns(rows, n)] for rows in read])


def film_error(film: ApproximationFilm, start: int, sheet: Sheet) -> go.Figure:
    """Draw relative errors against m = 1, 2, … with a moving mark, and the best possible errors below."""
    theme, errors, floor = sheet.theme, film.errors, film.floor
    ms = list(range(1, len(errors) + 1))
    lines = []
    for name, values, quantity in (("svd", floor, "best possible"), (film.method, errors, "error")):
        hover = f"m = %{{x}}<br>{quantity} %{{y:.3g}}<extra></extra>"
        lines.append(scatter(x=ms, y=values, hovertemplate=hover, **stroke(name, theme) | {"mode": "lines"}))
    # The lines fall: above and to the right of the mark there are none.
    states: list[dict[str, Any]] = [
        {"x": [m], "y": [error], "text": [three_digits(error)], "textposition": "top right"}
        for m, error in zip(ms, map(float, errors), strict=True)
    ]
    spot = {"size": 12, "color": theme.ink, "line": {"width": 2, "color": theme.ground}}
    mark = markers(marker=spot, **states[start], textfont={"size": 14}, cliponaxis=False)
    mark["mode"] = "markers+text"
    lowest = max(min(float(floor.min()), float(errors.min())), 1e-12)
    ends = [float(np.log10(lowest)) - 0.1, 0.18]
    # Beyond the last step there is space for the last error.
    xaxis = axis("landmarks m", theme, range=[0.3, 1.35 * len(ms)], dtick=5, tick0=5, ticks="")
    yaxis = axis("", theme, type="log", range=ends, dtick=1, ticks="")
    margin = {"l": 36, "r": 8, "t": 54, "b": 42}
    figure = frame([*lines, mark], sheet, HEIGHT, xaxis=xaxis, yaxis=yaxis, margin=margin)
    return with_frames(figure, [2], [[state] for state in states])


def _columns(rows: IntArray, n: int) -> dict[str, Any]:
    """Return upright lines at these columns, as one trace."""
    return {
        "x": [part for row in rows for part in (int(row), int(row), None)],
        "y": [part for _ in rows for part in (-0.5, n - 0.5, None)],
    }


def _hundredths(entries: FloatArray) -> NDArray[np.int8]:
    """Return entries in [−1, 1] as whole hundredths: a byte each, finer than the eye on the ramp."""
    return np.rint(100 * np.clip(entries, -1, 1)).astype(np.int8)
