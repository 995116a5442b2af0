"""Who wins where, bandwidth against m/n, and the ranks of every method on every data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import heatmap, scatter
from nysviz.figures.look import STROKES, Theme, axis, colour, frame, inert, three_digits
from nysviz.figures.tournament import Title
from nysviz.papers.tournament.standings import Standing, Win

# A win that may be chance keeps so much of the winner's colour.
PALE = 0.16


@dataclass(frozen=True)
class Grid:
    """Bandwidths and m/n of the map, as their axes name them, with cells that are to be ringed."""

    multiples: Sequence[float]
    names: Sequence[str]
    percents: Sequence[float]
    ringed: frozenset[tuple[float, float]] = field(default=frozenset())


def win_map(
    wins: Sequence[Win],
    grid: Grid,
    short: Mapping[str, str],
    told: Mapping[tuple[float, float], str],
    title: Title,
    theme: Theme,
    height: int = 390,
) -> go.Figure:
    """Draw the winner of each bandwidth and m/n: full colour where the win is more than chance, else pale.

    Parameters
    ----------
    short : mapping
        Method → a name of a few letters for the cell.
    told : mapping
        (multiple, percent) → what the hover says.
    """
    shapes, xs, ys, marks, inks, texts, hovers = [], [], [], [], [], [], []
    for win in wins:
        x, y = list(grid.multiples).index(win.multiple), list(grid.percents).index(win.percent)
        hue = colour(win.first, theme)
        ringed = (win.multiple, win.percent) in grid.ringed
        shapes.append(
            {
                "type": "rect",
                "x0": x - 0.48,
                "x1": x + 0.48,
                "y0": y - 0.46,
                "y1": y + 0.46,
                "fillcolor": hue if win.sure else _mixed(hue, theme.ground, PALE),
                "line": {"width": 3 if ringed else 0, "color": theme.ink},
                "layer": "below",
            }
        )
        xs.append(x)
        ys.append(y)
        marks.append(STROKES[win.first][2] or "circle")
        inks.append(_on(hue) if win.sure else theme.ink)
        # On a telephone a cell is as wide as one word.
        texts.append(inert(short[win.first]).replace(" ", "<br>"))
        hovers.append(told[win.multiple, win.percent])
    trace = scatter(
        x=xs,
        y=[y + 0.2 for y in ys],
        mode="markers+text",
        marker={"symbol": marks, "size": 10, "color": inks, "line": {"color": inks, "width": 1}},
        text=texts,
        textposition="bottom center",
        textfont={"size": 12, "color": inks},
        hovertext=hovers,
        hovertemplate="%{hovertext}<extra></extra>",
    )
    bare = {"showgrid": False, "ticks": "", "showline": False}
    return frame(
        [trace],
        theme,
        title.text,
        title.subtitle,
        height,
        xaxis=axis(
            "width 2σ², in multiples of the default",
            theme,
            range=[-0.5, len(grid.multiples) - 0.5],
            tickvals=list(range(len(grid.multiples))),
            ticktext=list(grid.names),
            **bare,
        ),
        yaxis=axis(
            "landmarks m / n (%)",
            theme,
            range=[-0.5, len(grid.percents) - 0.5],
            tickvals=list(range(len(grid.percents))),
            ticktext=[f"{percent:g}" for percent in grid.percents],
            **bare,
        ),
        shapes=shapes,
        margin={"l": 52, "r": 8, "t": 62, "b": 48},
    )


def _rgb(hue: str) -> tuple[int, int, int]:
    return int(hue[1:3], 16), int(hue[3:5], 16), int(hue[5:7], 16)


def _mixed(hue: str, ground: str, part: float) -> str:
    """A colour on the ground with this part of its ink."""
    parts = [round(part * a + (1 - part) * b) for a, b in zip(_rgb(hue), _rgb(ground), strict=True)]
    return f"rgb({parts[0]},{parts[1]},{parts[2]})"


def luminance(hue: str) -> float:
    """Relative luminance of a colour, 0 for black, 1 for white (WCAG 2)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (p / 255 for p in _rgb(hue))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _on(hue: str) -> str:
    """Black or white, whichever is read better on this colour."""
    light = luminance(hue)
    return "#FFFFFF" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


def set_map(found: Standing, short: Mapping[str, str], title: Title, theme: Theme) -> go.Figure:
    """Draw the mean rank of every method on every data set as a heat map with its numbers."""
    names = list(found.test.means)
    columns = [found.methods.index(name) for name in names]
    places = found.places[:, columns]
    # Data sets on which the same methods win stand together.
    order = np.argsort(places @ np.arange(len(names)), kind="stable")
    z = places[order]
    heat = heatmap(
        z=z,
        zmin=1,
        zmax=len(names),
        colorscale=_ramp(theme),
        showscale=False,
        hovertemplate="%{customdata}<extra></extra>",
        customdata=[
            [
                f"{inert(found.sets[row])}, {short[name]}: mean rank {three_digits(float(value))}"
                for name, value in zip(names, values, strict=True)
            ]
            for row, values in zip(order, z, strict=True)
        ],
        xgap=1,
        ygap=1,
        text=[[f"{value:.1f}" for value in values] for values in z],
        texttemplate="%{text}",
        textfont={"size": 11},
    )
    bare = {"showgrid": False, "ticks": "", "showline": False}
    count = len(order)
    return frame(
        [heat],
        theme,
        title.text,
        title.subtitle,
        max(230, 130 + 19 * count),
        xaxis=axis(
            "",
            theme,
            tickvals=list(range(len(names))),
            ticktext=[short[name] for name in names],
            side="bottom",
            tickangle=-40,
            **bare,
        ),
        yaxis=axis(
            "",
            theme,
            tickvals=list(range(count)),
            ticktext=[inert(found.sets[row]) for row in order],
            range=[count - 0.5, -0.5],
            **bare,
        ),
        margin={"l": 112, "r": 8, "t": 62, "b": 74},
    )


def _ramp(theme: Theme) -> list[tuple[float, str]]:
    """From the accent for the first rank to the ground for the last."""
    return [(0.0, _mixed(theme.accent, theme.ground, 0.62)), (1.0, theme.ground)]
