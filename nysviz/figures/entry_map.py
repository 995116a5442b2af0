"""Proposition 1 on the data: which entries of a point's row are off, and the pair that is made landmarks."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.bounds_proof import narrow
from nysviz.figures.data_map import landmark_traces, residual_marker
from nysviz.figures.drawing import scatter
from nysviz.figures.look import Theme, axis, drawn, frame, ramp, ramp_bar


def entry_map(
    positions: FloatArray,
    errors: FloatArray,
    rows: IntArray,
    landmarks: FloatArray,
    are_data: bool,
    pair: tuple[FloatArray, tuple[int, int]],
    axes: tuple[str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 320,
) -> go.Figure:
    """Draw points (q, 2) by the error of their entry with the first of two chosen points.

    Parameters
    ----------
    positions : (q, 2) array
    errors : (q,) array
        |K_ij − K̃_ij| for the first chosen row i and each drawn row j.
    rows : (q,) int array
    landmarks : (m, 2) array
    pair : ((2, 2) array, (i, j))
        Positions and numbers of the chosen rows.
    """
    top = float(errors.max()) or 1.0
    key, key_axes = ramp_bar((0.0, top), ramp(theme.residual), theme, upright=True)
    where, (i, j) = pair
    marks = landmark_traces(landmarks, are_data, theme, [f"landmark {k + 1}" for k in range(len(landmarks))])
    traces: list[Any] = [
        scatter(
            x=drawn(positions[:, 0]),
            y=drawn(positions[:, 1]),
            mode="markers",
            marker=residual_marker(errors, top, theme) | {"size": 5},
            customdata=rows,
            hovertemplate=f"entry ({i}, %{{customdata}}) is off by %{{marker.color:.3g}}<extra></extra>",
        ),
        key,
        *marks,
        scatter(
            x=where[:, 0],
            y=where[:, 1],
            mode="lines+markers",
            line={"color": theme.accent, "width": 2},
            marker={"size": 13, "symbol": "circle-open", "color": theme.accent, "line": {"width": 3}},
            hoverinfo="skip",
        ),
    ]
    for mark in marks:
        mark["marker"] = {**mark["marker"], "size": 6}
    figure = frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(axes[0], theme, range=list(ranges[0]), domain=[0, 0.94]),
        yaxis=axis(axes[1], theme, range=list(ranges[1])),
        **key_axes,
        annotations=[_name(where[k], f"row {(i, j)[k]}", where[1 - k], theme) for k in range(2)],
        margin={"l": 58, "r": 44, "t": 62, "b": 48},
    )
    return narrow(figure)


def _name(at: FloatArray, name: str, other: FloatArray, theme: Theme) -> dict[str, Any]:
    """Write a row's name beside its point, away from the other one; points below it are covered."""
    left, below = at[0] < other[0], at[1] < other[1]
    return {
        "x": float(at[0]),
        "y": float(at[1]),
        "text": name,
        "showarrow": False,
        "xanchor": "right" if left else "left",
        "yanchor": "top" if below else "bottom",
        "xshift": -9 if left else 9,
        "bgcolor": theme.ground,
        "borderpad": 1,
        "font": {"color": theme.ink, "size": 13},
    }
