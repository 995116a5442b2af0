"""A method's steps as frames that the browser plays: the map and the criterion.

Each chart has one frame a step, named by its number from 1; a step is drawn by ``Plotly.animate`` alone. The
first trace's ``meta`` is the number of the step that is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.data_map import landmark_traces
from nysviz.figures.drawing import encoded, opened, played
from nysviz.figures.look import Theme, axis, colour, drawn, frame, ramp, three_digits
from nysviz.steps import Step, Trace

# Bars of the criterion; a pick further down gets one of its own behind them.
BARS = 16
# The criterion and the residual are sent as one of so many shades.
SHADES = 255
MARGIN = {"l": 46, "r": 8, "t": 58, "b": 40}


@dataclass(frozen=True)
class Film:
    """A trace, and where its points are drawn.

    Attributes
    ----------
    trace : Trace
    label : str
        The method in words.
    criterion : str
        The name of its criterion.
    rows : (n,) int array
        Numbers of the traced rows in the data set.
    positions : (n, 2) array
    landmarks : tuple of (t, 2) arrays
        After each step.
    before : (m, 2) array or None
        Where centres stood before the first step.
    length : int
        Frames: at least as many as steps. After its last step a film stands still.
    """

    trace: Trace
    label: str
    criterion: str
    rows: IntArray
    positions: FloatArray
    landmarks: tuple[FloatArray, ...]
    length: int
    before: FloatArray | None = None

    def at(self, t: int) -> int:
        """Index of the step that is shown in frame t (from 1)."""
        return min(t, len(self.trace)) - 1


def shades(values: FloatArray, top: float) -> NDArray[np.uint8]:
    """Values from 0 to ``top`` as whole numbers from 0 to ``SHADES``; what is not a number as 0."""
    # The larger and the smaller of a number and of what is none is the number.
    scaled = np.fmin(np.fmax(values * (SHADES / (top or 1.0)), 0.0), SHADES)
    return np.rint(scaled).astype(np.uint8)


def largest(step: Step) -> float:
    """The largest criterion of a step."""
    return float(np.nanmax(step.criterion))


def opened_at(
    traces: Sequence[dict[str, Any]], states: Sequence[list[dict[str, Any]]], start: int
) -> list[dict[str, Any]]:
    """Number the states, and return the traces as they are drawn at first; the last ones may stand still."""
    for k, state in enumerate(states, start=1):
        state[0]["meta"] = k
    first = states[start - 1]
    return [*map(opened, traces, first), *traces[len(first) :]]


def in_frames(figure: go.Figure, states: Sequence[list[dict[str, Any]]]) -> go.Figure:
    """Give a figure a frame for each state, named by its number; the states are of the first traces."""
    return played(figure, range(len(states[0])), states, [str(k + 1) for k in range(len(states))])


def _xy(points: FloatArray) -> dict[str, Any]:
    return {"x": drawn(points[:, 0]), "y": drawn(points[:, 1])}


def map_film(
    film: Film,
    start: int,
    axes: tuple[str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    theme: Theme,
    title: str,
    height: int = 320,
) -> go.Figure:
    """The data by their criterion before each pick, the landmarks after it, and the pick."""
    hue = colour(film.trace.method, theme)
    points = {
        **_xy(film.positions),
        "mode": "markers",
        "marker": {
            "cmin": 0,
            "cmax": SHADES,
            "colorscale": ramp(theme.residual),
            "size": 6,
            "line": {"width": 0.6, "color": theme.faint},
            "showscale": False,
        },
        "customdata": film.rows.astype(np.int32),
        "hovertemplate": "row %{customdata}<extra></extra>",
    }
    are_data = film.trace.method != "kmeans"
    still = {"showlegend": False, "hoverinfo": "skip", "hovertemplate": None, "text": None}
    marks = [{**mark, **still} for mark in landmark_traces(np.zeros((1, 2)), are_data, theme, [])]
    pick = {
        "mode": "markers",
        "marker": {"size": 15, "color": hue, "line": {"width": 2, "color": theme.ink}},
        "hoverinfo": "skip",
    }
    # A swap's other end, or the ways that the centres went.
    other = {
        "mode": "markers" if are_data else "lines",
        "marker": {
            "size": 13,
            "symbol": "x",
            "color": theme.ink,
            "line": {"width": 1.5, "color": theme.ground},
        },
        "line": {"width": 2.5, "color": hue},
        "hoverinfo": "skip",
    }
    states = [_map_state(film, film.at(t)) for t in range(1, film.length + 1)]
    figure = frame(
        opened_at([points, *marks, pick, other], states, start),
        theme,
        title,
        f"the {'lighter' if theme.dark else 'darker'}, the larger: {film.criterion} before the step",
        height,
        xaxis=axis(axes[0], theme, range=list(ranges[0])),
        yaxis=axis(axes[1], theme, range=list(ranges[1])),
        margin=MARGIN,
    )
    return in_frames(figure, states)


def _map_state(film: Film, k: int) -> list[dict[str, Any]]:
    """What step k (from 0) changes: colours, landmarks with their halo, the pick, and its other end."""
    step = film.trace.steps[k]
    # Written once for the two traces that show it.
    now = encoded(_xy(film.landmarks[k]))
    return [
        {"marker": {"color": shades(step.criterion, largest(step))}},
        now,
        dict(now),
        {**_xy(_picked(film, step)), "marker": {"opacity": 1.0 if step.accepted else 0.4}},
        _xy(_other_end(film, k)),
    ]


def _picked(film: Film, step: Step) -> FloatArray:
    return film.positions[[] if step.pick is None else [step.pick]]


def _other_end(film: Film, k: int) -> FloatArray:
    step = film.trace.steps[k]
    if step.leaving is not None:
        return film.positions[[step.leaving]]
    if step.moves is None:
        return np.empty((0, 2))
    before = film.landmarks[k - 1] if k or film.before is None else film.before
    gap = np.full_like(before, np.nan)
    return np.stack([before, film.landmarks[k], gap], axis=1).reshape(-1, 2)


def bars_film(film: Film, start: int, theme: Theme, height: int = 206) -> go.Figure:
    """The largest values of the criterion before each pick, in order, with the pick's own."""
    hue = colour(film.trace.method, theme)
    bare = {
        "type": "bar",
        "textposition": "none",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverinfo": "text",
    }
    others = {**bare, "marker": {"color": theme.faint, "opacity": 0.55}}
    pick = {**bare, "marker": {"color": hue}}
    note = {
        "x": [BARS + 1.5],
        "y": [1.1],
        "mode": "text",
        "textposition": "middle left",
        "textfont": {"size": 12, "color": theme.ink},
        "hoverinfo": "skip",
    }
    states = [_bars(film, film.trace.steps[film.at(t)]) for t in range(1, film.length + 1)]
    moved = film.trace.steps[0].moves is not None
    what = "how far each centre moves" if moved else film.criterion
    figure = frame(
        opened_at([others, pick, note], states, start),
        theme,
        f"{what[0].upper()}{what[1:]}",
        f"the {BARS} largest before the step, largest = 1",
        height,
        barmode="overlay",
        bargap=0.15,
        xaxis=axis("place in the order", theme, range=[0.3, BARS + 2.2], tickvals=[1, 4, 8, 12, 16]),
        yaxis=axis("part of largest", theme, range=[0, 1.2], tickvals=[0, 0.5, 1]),
        margin=MARGIN,
    )
    return in_frames(figure, states)


def _bars(film: Film, step: Step) -> list[dict[str, Any]]:
    """Heights and texts of one step's bars: the others, the pick, and the value of the tallest."""
    values = step.criterion if step.moves is None else step.moves
    order = np.argsort(-np.where(np.isnan(values), -1.0, values), kind="stable")[:BARS]
    order = order[values[order] > 0]
    top = float(values[order[0]]) if len(order) else 1.0
    # Of equals the one that was picked stands first.
    if step.pick is not None and step.place == 1:
        order = np.concatenate([[step.pick], order[order != step.pick]])[:BARS]
    names = (
        [f"row {row}" for row in film.rows[order]]
        if step.moves is None
        else [f"centre {i + 1}" for i in order]
    )
    texts = [
        f"{name}: {three_digits(value)}" for name, value in zip(names, values[order].tolist(), strict=True)
    ]
    places = np.arange(1, len(order) + 1)
    heights = values[order] / top
    mine = order == step.pick
    picked: dict[str, Any] = {"x": places[mine], "y": heights[mine], "hovertext": np.array(texts)[mine]}
    if step.pick is not None and not mine.any():
        text = f"row {film.rows[step.pick]}: {three_digits(step.value)}, number {step.place}"
        picked = {"x": [BARS + 1.5], "y": [step.value / top], "hovertext": [text]}
    return [
        {"x": places[~mine], "y": heights[~mine], "hovertext": np.array(texts)[~mine]},
        picked,
        {"text": [f"largest: {three_digits(top)}"]},
    ]
