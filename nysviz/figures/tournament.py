"""Mean ranks of methods over data sets, with their critical difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import Layer, scatter, with_layout
from nysviz.figures.look import STROKES, Theme, axis, colour, frame, inert, three_digits
from nysviz.papers.tournament.standings import Standing

MARKER = 12
# Room at the right for the bars that join methods, in ranks, and what one bar takes of it.
BAR = 0.32


@dataclass(frozen=True)
class Title:
    """What is seen, and on what."""

    text: str
    subtitle: str


def rank_chart(found: Standing, labels: Mapping[str, str], title: Title, theme: Theme) -> go.Figure:
    """Draw a row for each method, the best on top: its rank on each data set, and the mean over them.

    Bars at the right join methods whose mean ranks are less than the critical difference apart; a ruler above
    shows that difference. With a single data set there is neither.
    """
    names, k = list(found.test.means), len(found.methods)
    place = {name: row for row, name in enumerate(names)}
    traces = [_ranks_of_sets(found, name, place[name], labels, theme) for name in names]
    traces += [_mean(name, place[name], found.test.means[name], labels, theme) for name in names]
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    if np.isfinite(found.test.difference):
        ruler, word = _ruler(found.test.difference, k, theme)
        shapes, notes = [*_bars(found, place, theme), *ruler], [word]
    bars = len(found.test.cliques())
    figure = frame(
        traces,
        theme,
        title.text,
        title.subtitle,
        150 + 48 * k,
        xaxis=axis(
            "rank within a data set (1 is the best)",
            theme,
            range=[0.6, k + 0.4 + BAR * (bars + 1)],
            tickvals=list(range(1, k + 1)),
        ),
        yaxis=axis(
            "",
            theme,
            range=[k - 0.4, -1.1],
            tickvals=list(range(k)),
            ticktext=[inert(labels[name]) for name in names],
            showgrid=False,
            ticks="",
            showline=False,
        ),
        shapes=shapes,
        annotations=notes,
        margin={"l": 112, "r": 12, "t": 62, "b": 48},
    )
    # The names of the rows stand where the title would begin.
    return with_layout(figure, title={"x": 0.01, "xref": "container"})


def _marker(method: str, theme: Theme, size: float, opacity: float) -> dict[str, Any]:
    hue = colour(method, theme)
    return {
        "color": hue,
        "symbol": STROKES[method][2] or "circle",
        "size": size,
        "opacity": opacity,
        "line": {"color": hue, "width": 1},
    }


def _ranks_of_sets(found: Standing, name: str, row: int, labels: Mapping[str, str], theme: Theme) -> Layer:
    column = found.methods.index(name)
    ranks = found.test.ranks[:, column]
    # Equal ranks side by side, not on top of each other.
    shifts = np.zeros(len(ranks))
    for value in np.unique(ranks):
        same = np.flatnonzero(ranks == value)
        shifts[same] = (np.arange(len(same)) - (len(same) - 1) / 2) * min(0.055, 0.66 / len(same))
    return scatter(
        x=ranks,
        y=row + shifts,
        mode="markers",
        marker={"color": colour(name, theme), "size": 5, "opacity": 0.45},
        text=[
            f"{inert(labels[name])} on {inert(data)}: rank {three_digits(float(rank))}, mean over its "
            f"bandwidths and m/n {three_digits(float(mean))}"
            for data, rank, mean in zip(found.sets, ranks, found.places[:, column], strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _mean(name: str, row: int, mean: float, labels: Mapping[str, str], theme: Theme) -> Layer:
    marker = _marker(name, theme, MARKER, 1.0)
    marker["line"] = {"color": theme.ground, "width": 1} if "open" not in marker["symbol"] else marker["line"]
    return scatter(
        x=[mean],
        y=[row],
        mode="markers",
        marker=marker,
        hovertemplate=f"{inert(labels[name])}: mean rank {three_digits(mean)}<extra></extra>",
    )


def _bars(found: Standing, place: Mapping[str, int], theme: Theme) -> list[dict[str, Any]]:
    """Bars at the right that join the rows of each group without a significant difference."""
    right = len(found.methods) + 0.4
    shapes = []
    for number, clique in enumerate(found.test.cliques()):
        x = right + BAR * (number + 0.5)
        ends = {"y0": place[clique[0]] - 0.2, "y1": place[clique[-1]] + 0.2}
        shapes.append({"type": "line", "x0": x, "x1": x, **ends, "line": {"color": theme.ink, "width": 4}})
    return shapes


def _ruler(difference: float, k: int, theme: Theme) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A line as long as the critical difference, above the first row."""
    end = min(1.0 + difference, k + 0.4)
    line = {"color": theme.ink, "width": 1.5}
    ruler = [{"type": "line", "x0": 1.0, "x1": end, "y0": -0.8, "y1": -0.8, "line": line}]
    ruler += [{"type": "line", "x0": x, "x1": x, "y0": -0.9, "y1": -0.7, "line": line} for x in (1.0, end)]
    word = {
        "x": (1.0 + end) / 2,
        "y": -0.8,
        "yanchor": "top",
        "yshift": -3,
        "text": f"critical difference {three_digits(difference)}",
        "showarrow": False,
        "bgcolor": theme.ground,
        "font": {"size": 11, "color": theme.faint},
    }
    return ruler, word
