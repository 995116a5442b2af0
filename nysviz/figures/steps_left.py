"""What a method's steps leave, as frames that the browser plays: the residual matrix and the error."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, frame, legend_below, ramp, stroke
from nysviz.figures.steps import MARGIN, SHADES, Film, in_frames, opened_at, shades

# Characters of a label below a picture that takes half of a narrow column.
LINE = 16


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
    pictures: list[dict[str, Any]] = []
    places, names = {}, []
    for i, film in enumerate(films):
        name = "" if i == 0 else str(i + 1)
        pictures.append(
            {
                "type": "heatmap",
                "zmin": 0,
                "zmax": SHADES,
                "colorscale": ramp(theme.residual),
                "showscale": False,
                "hoverinfo": "skip",
                "xaxis": f"x{name}",
                "yaxis": f"y{name}",
            }
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
        opened_at(pictures, states, start),
        theme,
        "What is left, |K − K̃|",
        subtitle,
        height,
        margin={"l": 4, "r": 4, "t": 58, "b": 40},
        annotations=names,
        **places,
    )
    return in_frames(figure, states)


def _factors(films: Sequence[Film], t: int, shown: IntArray) -> list[FloatArray]:
    return [film.trace.factor(film.at(t) + 1)[shown] for film in films]


def error_film(
    films: Sequence[Film], start: int, theme: Theme, title: str, subtitle: str, height: int = 250
) -> go.Figure:
    """The relative error of each method, drawn as far as its steps have come."""
    moving: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    for film in films:
        style = stroke(film.trace.method, theme)
        style["mode"] = "lines"
        marker = {**style.pop("marker"), "size": 11}
        moving += [
            {"hoverinfo": "skip", "showlegend": False, **style},
            {"mode": "markers", "marker": marker, "hoverinfo": "skip", "showlegend": False},
        ]
        whole.append(
            {
                "x": np.arange(len(film.trace.errors)),
                "y": film.trace.errors,
                "opacity": 0.35,
                "showlegend": False,
                "name": film.label,
                "hovertemplate": "step %{x}<br>relative error %{y:.3g}<extra>%{fullData.name}</extra>",
                **style,
            }
        )
    # One line alone needs no name.
    names = [
        {
            "x": [None],
            "y": [None],
            "name": film.label,
            "hoverinfo": "skip",
            **stroke(film.trace.method, theme),
        }
        for film in films
        if len(films) > 1
    ]
    key = {"showlegend": True, "legend": {**legend_below(), "font": {"size": 12}}} if names else {}
    seen = np.concatenate([film.trace.errors for film in films])
    seen = np.log10(np.maximum(seen[seen > 0], 1e-12)) if (seen > 0).any() else np.zeros(1)
    pad = 0.06 * float(np.ptp(seen)) + 0.02
    length = films[0].length
    states = [_error_state(films, t) for t in range(1, length + 1)]
    figure = frame(
        opened_at([*moving, *whole, *names], states, start),
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
            exponentformat="power",
            dtick=max(1, round(float(np.ptp(seen)) / 5)),
        ),
        margin={**MARGIN, "l": 60, "b": LEGEND_PIXELS if names else MARGIN["b"]},
        **key,
    )
    return in_frames(figure, states)


def _error_state(films: Sequence[Film], t: int) -> list[dict[str, Any]]:
    """The errors as far as frame t (from 1), and a mark on the last, of each method."""
    state: list[dict[str, Any]] = []
    for film in films:
        k = film.at(t) + 1
        errors = film.trace.errors
        state += [{"x": np.arange(k + 1), "y": errors[: k + 1]}, {"x": [k], "y": [errors[k]]}]
    return state
