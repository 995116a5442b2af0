"""A method's steps as frames that the browser plays: map, criterion, residual matrix and error.

Each chart has one frame a step, named by its number from 1; a step is drawn by ``Plotly.animate`` alone. The
first trace's ``meta`` is the number of the step that is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.data_map import landmark_traces
from nysviz.figures.look import Theme, axis, colour, drawn, frame, ramp, stroke, three_digits
from nysviz.steps import Step, Trace

# Bars of the criterion; a pick further down gets one of its own behind them.
BARS = 16
# The criterion and the residual are sent as one of so many shades.
SHADES = 255
# Characters of a label below a picture that takes half of a narrow column.
LINE = 16
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
    scaled = np.nan_to_num(values, nan=0.0, posinf=top) * (SHADES / (top or 1.0))
    return np.clip(np.rint(scaled), 0, SHADES).astype(np.uint8)


def largest(step: Step) -> float:
    """The largest criterion of a step."""
    return float(np.nanmax(step.criterion))


def _play(
    figure: go.Figure, traces: Sequence[int], states: Sequence[list[dict[str, Any]]], start: int
) -> go.Figure:
    """Give a figure its frames, and draw the first one to be seen."""
    for k, state in enumerate(states, start=1):
        state[0]["meta"] = k
    for index, change in zip(traces, states[start - 1], strict=True):
        figure.data[index].update(change)
    kinds = [figure.data[index].type for index in traces]
    figure.frames = [
        go.Frame(
            name=str(k),
            data=[{"type": kind, **change} for kind, change in zip(kinds, state, strict=True)],
            traces=list(traces),
        )
        for k, state in enumerate(states, start=1)
    ]
    return figure


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
    points = go.Scatter(
        **_xy(film.positions),
        mode="markers",
        marker={
            "cmin": 0,
            "cmax": SHADES,
            "colorscale": ramp(theme.residual),
            "size": 6,
            "line": {"width": 0.6, "color": theme.faint},
            "showscale": False,
        },
        customdata=film.rows.astype(np.int32),
        hovertemplate="row %{customdata}<extra></extra>",
    )
    are_data = film.trace.method != "kmeans"
    marks = landmark_traces(np.zeros((1, 2)), are_data, theme, [])
    for mark in marks:
        mark.update(showlegend=False, hoverinfo="skip", hovertemplate=None, text=None)
    pick = go.Scatter(
        x=[],
        y=[],
        mode="markers",
        marker={"size": 15, "color": hue, "line": {"width": 2, "color": theme.ink}},
        hoverinfo="skip",
    )
    # A swap's other end, or the ways that the centres went.
    other = go.Scatter(
        x=[],
        y=[],
        mode="markers" if are_data else "lines",
        marker={"size": 13, "symbol": "x", "color": theme.ink, "line": {"width": 1.5, "color": theme.ground}},
        line={"width": 2.5, "color": hue},
        hoverinfo="skip",
    )
    figure = frame(
        [points, *marks, pick, other],
        theme,
        title,
        f"the {'lighter' if theme.dark else 'darker'}, the larger: {film.criterion} before the step",
        height,
        xaxis=axis(axes[0], theme, range=list(ranges[0])),
        yaxis=axis(axes[1], theme, range=list(ranges[1])),
        margin=MARGIN,
    )
    states = []
    for t in range(1, film.length + 1):
        k = film.at(t)
        step = film.trace.steps[k]
        now = _xy(film.landmarks[k])
        states.append(
            [
                {"marker": {"color": shades(step.criterion, largest(step))}},
                now,
                dict(now),
                {**_xy(_picked(film, step)), "marker": {"opacity": 1.0 if step.accepted else 0.4}},
                _xy(_other_end(film, k)),
            ]
        )
    return _play(figure, range(5), states, start)


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


def bars_film(film: Film, start: int, theme: Theme, height: int = 190) -> go.Figure:
    """The largest values of the criterion before each pick, in order, with the pick's own."""
    hue = colour(film.trace.method, theme)
    others = go.Bar(x=[], y=[], marker={"color": theme.faint, "opacity": 0.55}, textposition="none")
    pick = go.Bar(
        x=[],
        y=[],
        marker={"color": hue},
        textposition="none",
    )
    for bar in (others, pick):
        bar.update(hovertemplate="%{hovertext}<extra></extra>", hoverinfo="text")
    note = go.Scatter(
        x=[BARS + 1.5],
        y=[1.1],
        mode="text",
        textposition="middle left",
        textfont={"size": 12, "color": theme.ink},
        hoverinfo="skip",
    )
    moved = film.trace.steps[0].moves is not None
    what = "how far each centre moves" if moved else film.criterion
    figure = frame(
        [others, pick, note],
        theme,
        f"{what[0].upper()}{what[1:]}",
        f"the {BARS} largest before the step, largest = 1",
        height,
        barmode="overlay",
        bargap=0.15,
        xaxis=axis("", theme, range=[0.3, BARS + 2.2], tickvals=[1, 4, 8, 12, 16]),
        yaxis=axis("", theme, range=[0, 1.2], tickvals=[0, 0.5, 1]),
        margin={**MARGIN, "b": 24},
    )
    states = [_bars(film, film.trace.steps[film.at(t)]) for t in range(1, film.length + 1)]
    return _play(figure, range(3), states, start)


def _bars(film: Film, step: Step) -> list[dict[str, Any]]:
    """Heights and texts of one step's bars: the others, the pick, and the value of the tallest."""
    values = step.criterion if step.moves is None else step.moves
    names = [f"row {row}" for row in film.rows] if step.moves is None else None
    order = np.argsort(-np.nan_to_num(values, nan=-1.0), kind="stable")[:BARS]
    order = order[values[order] > 0]
    top = float(values[order[0]]) if len(order) else 1.0
    # Of equals the one that was picked stands first.
    if step.pick is not None and step.place == 1:
        order = np.concatenate([[step.pick], order[order != step.pick]])[:BARS]
    texts = [f"{names[i] if names else f'centre {i + 1}'}: {three_digits(float(values[i]))}" for i in order]
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


def residual_film(
    films: Sequence[Film],
    K: FloatArray,
    shown: IntArray,
    start: int,
    theme: Theme,
    subtitle: str,
    height: int = 240,
) -> go.Figure:
    """|K − K̃| after each step, on some rows and the same columns, of one or two methods side by side.

    Parameters
    ----------
    K : (n, n) array
    shown : (s,) int array
        Which of the traced rows are drawn, in order. The ground's colour is 0, the darkest the largest |K|.
    """
    entries = K[np.ix_(shown, shown)]
    top = float(np.abs(entries).max())
    states: list[list[dict[str, Any]]] = [
        [{"z": shades(np.abs(entries - G @ G.T), top)} for G in _factors(films, t, shown)]
        for t in range(1, films[0].length + 1)
    ]
    pictures, places, names = [], {}, []
    for i, film in enumerate(films):
        name = "" if i == 0 else str(i + 1)
        pictures.append(
            go.Heatmap(
                zmin=0,
                zmax=SHADES,
                colorscale=ramp(theme.residual),
                showscale=False,
                hoverinfo="skip",
                xaxis=f"x{name}",
                yaxis=f"y{name}",
            )
        )
        low, high = (i + 0.02) / len(films), (i + 0.98) / len(films)
        bare = {"visible": False, "constrain": "domain", "fixedrange": True}
        places[f"xaxis{name}"] = {**bare, "domain": [low, high], "anchor": f"y{name}"}
        places[f"yaxis{name}"] = {
            **bare,
            "autorange": "reversed",
            "scaleanchor": f"x{name}",
            "anchor": f"x{name}",
            "constraintoward": "top",
        }
        names.append(
            {
                "text": "<br>".join(wrap(film.label, LINE)),
                "x": (low + high) / 2,
                "y": 0,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "center",
                "yanchor": "top",
                "showarrow": False,
                "font": {"size": 12, "color": theme.ink},
            }
        )
    figure = frame(
        pictures,
        theme,
        "What is left, |K − K̃|",
        subtitle,
        height,
        margin={"l": 4, "r": 4, "t": 58, "b": 40},
        annotations=names,
        **places,
    )
    return _play(figure, range(len(films)), states, start)


def _factors(films: Sequence[Film], t: int, shown: IntArray) -> list[FloatArray]:
    return [film.trace.factor(film.at(t) + 1)[shown] for film in films]


def error_film(
    films: Sequence[Film], start: int, theme: Theme, title: str, subtitle: str, height: int = 250
) -> go.Figure:
    """The relative error of each method, drawn as far as its steps have come."""
    moving: list[Any] = []
    whole: list[Any] = []
    for film in films:
        style = stroke(film.trace.method, theme)
        style["mode"] = "lines"
        marker = {**style.pop("marker"), "size": 11}
        moving += [
            go.Scatter(x=[], y=[], hoverinfo="skip", **style),
            go.Scatter(x=[], y=[], mode="markers", marker=marker, hoverinfo="skip"),
        ]
        whole.append(
            go.Scatter(
                x=np.arange(len(film.trace.errors)),
                y=film.trace.errors,
                opacity=0.35,
                name=film.label,
                hovertemplate="step %{x}<br>relative error %{y:.3g}<extra>%{fullData.name}</extra>",
                **style,
            )
        )
    seen = np.concatenate([film.trace.errors for film in films])
    seen = np.log10(np.maximum(seen[seen > 0], 1e-12)) if (seen > 0).any() else np.zeros(1)
    pad = 0.06 * float(np.ptp(seen)) + 0.02
    length = films[0].length
    figure = frame(
        moving + whole,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("step", theme, range=[-0.02 * length, 1.04 * length]),
        yaxis=axis(
            "‖K − K̃‖ / ‖K‖",
            theme,
            type="log",
            range=[float(seen.min()) - pad, float(seen.max()) + pad],
            **_ticks(float(seen.min()), float(seen.max())),
        ),
        margin={**MARGIN, "l": 60},
    )
    states = []
    for t in range(1, length + 1):
        state: list[dict[str, Any]] = []
        for film in films:
            k = film.at(t) + 1
            errors = film.trace.errors
            state += [{"x": np.arange(k + 1), "y": errors[: k + 1]}, {"x": [k], "y": [errors[k]]}]
        states.append(state)
    return _play(figure, range(len(moving)), states, start)


def _ticks(low: float, high: float) -> dict[str, Any]:
    """Name 1, 2 and 5 of each decade where the range is short, and decades alone where it is long."""
    parts = (1, 2, 5) if high - low < 2 else (1,)
    values = [p * 10.0**e for e in range(int(low) - 2, int(high) + 2) for p in parts]
    if len([v for v in values if low <= np.log10(v) <= high]) > 6:
        return {"dtick": max(1, round((high - low) / 5)), "exponentformat": "power"}
    return {"tickvals": values, "ticktext": [f"{value:g}" for value in values]}
