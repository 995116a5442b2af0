"""The living picture of the first page: landmarks, K with the columns that are read, K̃, and the error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.data_map import landmark_traces, residual_marker
from nysviz.figures.drawing import heatmap, played, scatter
from nysviz.figures.look import KERNEL_RAMP, Theme, axis, drawn, frame, stroke, three_digits
from nysviz.figures.traces import line, markers

HEIGHT = 292
# The axis of m goes on beyond the last step, where the last error is written.
ROOM = 1.35
MARGIN = {"l": 10, "r": 10, "t": 54, "b": 24}


def film_map(
    positions: FloatArray,
    residuals: FloatArray,
    landmarks: Sequence[FloatArray],
    start: int,
    are_data: bool,
    axes: tuple[str, str],
    theme: Theme,
    title: str,
    film: str,
) -> go.Figure:
    """Points by their residual with the landmarks on them; a frame a step.

    Parameters
    ----------
    positions : (n, 2) array
    residuals : (steps, n) array
        K_ii − K̃_ii for a kernel with k(x, x) = 1, so that 1 ends the colour scale.
    landmarks : sequence of (m, 2) arrays
    start : int
        The step drawn first.
    film : str
        Name of the film in ``layout.meta``, by which the player finds its charts.
    """
    marker = residual_marker(residuals[start], 1.0, theme) | {"size": 8}
    points = markers(**_places(positions), marker=marker, hover="residual %{marker.color:.2f}")
    marks = landmark_traces(landmarks[start], are_data, theme, [])
    for mark in marks:
        mark.update(showlegend=False, hoverinfo="skip", hovertemplate=None)
    figure = frame(
        [points, *marks],
        theme,
        title,
        "colour: the residual",
        HEIGHT,
        xaxis=axis(axes[0], theme, range=_span(positions[:, 0]), showticklabels=False, ticks=""),
        yaxis=axis(axes[1], theme, range=_span(positions[:, 1]), showticklabels=False, ticks=""),
        margin={**MARGIN, "l": 28, "b": 30},
        meta={"film": film, "redraw": False},
    )
    states = [
        [{"marker": {"color": drawn(residual)}}, *[_places(chosen) for _ in marks]]
        for residual, chosen in zip(residuals, landmarks, strict=True)
    ]
    return played(figure, range(1 + len(marks)), states, _numbers(states))


def film_matrix(
    entries: FloatArray,
    theme: Theme,
    title: str,
    subtitle: str,
    film: str,
    start: int,
    read: Sequence[IntArray] | None = None,
) -> go.Figure:
    """A kernel matrix with entries in [−1, 1]; moving are the entries, or the columns marked as read.

    Parameters
    ----------
    entries : (n, n) array, or (steps, n, n)
    read : sequence of (m,) arrays, optional
        The columns marked at each step.
    """
    moving = entries.ndim == 3
    first = entries[start] if moving else entries
    traces: list[Any] = [
        heatmap(
            z=_hundredths(first),
            zmin=0,
            zmax=100,
            colorscale=KERNEL_RAMP,
            showscale=False,
            hovertemplate="rows %{y} and %{x}: %{z} %<extra></extra>",
        )
    ]
    if read is not None:
        traces.append(line(**_columns(read[start], len(first)), hue=theme.ground))
    n = len(first)
    hidden = {"visible": False, "constrain": "domain", "range": [-0.5, n - 0.5]}
    figure = frame(
        traces,
        theme,
        title,
        subtitle,
        HEIGHT,
        xaxis=hidden,
        yaxis={**hidden, "range": [n - 0.5, -0.5], "scaleanchor": "x"},
        margin=MARGIN,
        # A heatmap below a moving trace is drawn with it, or it goes out.
        meta={"film": film, "redraw": True},
    )
    if moving:
        return played(figure, [0], [[{"z": _hundredths(part)}] for part in entries], _numbers(entries))
    if read is not None:
        return played(figure, [1], [[_columns(rows, n)] for rows in read], _numbers(read))
    return figure


def film_error(
    errors: FloatArray, floor: FloatArray, start: int, method: str, theme: Theme, film: str
) -> go.Figure:
    """Relative error against m = 1, 2, …, with a moving mark and the best possible errors below it.

    Parameters
    ----------
    errors, floor : (steps,) arrays
    """
    ms = list(range(1, len(errors) + 1))
    lines = [
        scatter(
            x=ms,
            y=values,
            hovertemplate=f"m = %{{x}}<br>{word} %{{y:.3g}}<extra></extra>",
            **{**stroke(name, theme), "mode": "lines"},
        )
        for name, values, word in (("svd", floor, "best possible"), (method, errors, "error"))
    ]
    spot = {"size": 12, "color": theme.ink, "line": {"width": 2, "color": theme.ground}}
    here = markers(marker=spot, **_here(errors, start), textfont={"size": 14}, cliponaxis=False)
    here["mode"] = "markers+text"
    lowest = max(min(float(floor.min()), float(errors.min())), 1e-12)
    figure = frame(
        [*lines, here],
        theme,
        "Relative error",
        "lower line: the best",
        HEIGHT,
        xaxis=axis("landmarks m", theme, range=[0.3, ROOM * len(ms)], dtick=5, tick0=5, ticks=""),
        yaxis=axis("", theme, type="log", range=[float(np.log10(lowest)) - 0.1, 0.18], dtick=1, ticks=""),
        margin={"l": 36, "r": 8, "t": 54, "b": 42},
        meta={"film": film, "redraw": False},
    )
    return played(figure, [2], [[_here(errors, step)] for step in range(len(ms))], _numbers(ms))


def _numbers(states: Sequence[Any] | FloatArray) -> list[str]:
    """Names of frames: the player asks for them by the number of the step, from 1."""
    return [str(step + 1) for step in range(len(states))]


def _places(points: FloatArray) -> dict[str, Any]:
    return {"x": drawn(points[:, 0]), "y": drawn(points[:, 1])}


def _columns(rows: IntArray, n: int) -> dict[str, Any]:
    """Upright lines at these columns, in one trace."""
    return {
        "x": [part for row in rows for part in (int(row), int(row), None)],
        "y": [part for _ in rows for part in (-0.5, n - 0.5, None)],
    }


def _here(errors: FloatArray, step: int) -> dict[str, Any]:
    return {
        "x": [step + 1],
        "y": [float(errors[step])],
        "text": [three_digits(float(errors[step]))],
        # The lines fall: above and to the right there are none.
        "textposition": "top right",
    }


def _hundredths(entries: FloatArray) -> NDArray[np.int8]:
    """Entries in [−1, 1] as whole hundredths: a byte each, finer than the eye on the ramp."""
    rounded: NDArray[np.int8] = np.rint(100 * np.clip(entries, -1, 1)).astype(np.int8)
    return rounded


def _span(values: FloatArray) -> list[float]:
    margin = 0.08 * float(np.ptp(values)) or 1.0
    return [float(values.min()) - margin, float(values.max()) + margin]
