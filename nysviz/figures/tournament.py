"""The charts of a tournament: ranks and mean ranks, winners by setting, predictors of the error."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.colors import hex_to_rgb

from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import STROKES, Sheet, Theme, axis, colour, faded, frame, inert
from nysviz.figures.traces import line, markers, note
from nysviz.landmarks import METHODS
from nysviz.papers.tournament.standings import Standing, Win
from nysviz.text import three_digits

BANDWIDTH = "bandwidth (σ: the default)"


def rank_chart(standing: Standing, sheet: Sheet) -> go.Figure:
    """Draw each method's rank on each data set and their mean, and the critical difference as a band."""
    theme, k = sheet.theme, len(standing.methods)
    points, means, shapes, notes = [], [], [], []
    for row, (name, mean) in enumerate(standing.test.means.items()):
        ranks, hue = standing.test.ranks[:, standing.methods.index(name)], colour(name, theme)
        # Equal ranks side by side, not on top of each other.
        shifts = np.zeros(len(ranks))
        for value in np.unique(ranks):
            same = np.flatnonzero(ranks == value)
            shifts[same] = (np.arange(len(same)) - (len(same) - 1) / 2) * min(0.055, 0.66 / len(same))
        places = standing.places[:, standing.methods.index(name)]
        texts = [
            f"{METHODS[name].brief} on {inert(data)}: rank {three_digits(rank)} by the mean "
            f"{three_digits(place)} over its bandwidths and m/n"
            for data, rank, place in zip(standing.sets, ranks, places, strict=True)
        ]
        faint = {"color": hue, "size": 5, "opacity": 0.45}
        points.append(markers(ranks, row + shifts, faint, "%{text}", text=texts))
        symbol = STROKES[name][2] or "circle"
        edge = hue if "open" in symbol else theme.ground
        mark = {"color": hue, "symbol": symbol, "size": 12, "line": {"color": edge, "width": 1}}
        means.append(markers([mean], [row], mark, f"{METHODS[name].brief}: mean rank {three_digits(mean)}"))
    difference, best = standing.test.difference, min(standing.test.means.values())
    if np.isfinite(difference):
        end = min(best + difference, k + 0.4)
        across = {"x0": best, "x1": end, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
        shade = {"fillcolor": theme.ink, "opacity": 0.07, "line": {"width": 0}}
        shapes.append({"type": "rect", **across, **shade})
        text = f"critical difference {three_digits(difference)}"
        notes.append(note(text, theme.faint, (best + end) / 2, -1.0, size=11))
    ticks = [1, *range(5, k + 1, 5)] if k > 9 else list(range(1, k + 1))
    xaxis = axis("rank (1: best)", theme, range=[0.6, k + 0.4], tickvals=ticks)
    labels = [f"{METHODS[name].brief}  {three_digits(mean)}" for name, mean in standing.test.means.items()]
    yaxis = _named(labels, theme, [k - 0.4, -1.4])
    more: dict[str, Any] = {"shapes": shapes, "annotations": notes, "margin": {"l": 142, "t": 62}}
    figure = frame([*points, *means], sheet, 110 + 17 * k, xaxis=xaxis, yaxis=yaxis, **more)
    # The names of the rows stand where the title would begin.
    return with_layout(figure, title={"x": 0.01, "xref": "container"})


def _named(names: Sequence[str], theme: Theme, ends: Sequence[float], title: str = "", **more: Any) -> Any:
    """Return an axis with a name at each place."""
    bare = {"showgrid": False, "ticks": "", "showline": False}
    ticks = {"tickvals": list(range(len(names))), "ticktext": [inert(name) for name in names]}
    return axis(title, theme, range=list(ends), **ticks, **{**bare, **more})


def win_map(
    wins: Sequence[Win],
    sigmas: Mapping[float, str],
    percents: Sequence[float],
    hovers: Sequence[str],
    sheet: Sheet,
) -> go.Figure:
    """Draw the winner of each bandwidth and m/n, pale where it may be chance."""
    theme = sheet.theme
    xs = [list(sigmas).index(win.multiple) for win in wins]
    ys = [list(percents).index(win.percent) for win in wins]
    shapes, inks = [], []
    for win, x, y in zip(wins, xs, ys, strict=True):
        hue = colour(win.first, theme)
        place = {"x0": x - 0.48, "x1": x + 0.48, "y0": y - 0.46, "y1": y + 0.46}
        # A win that may be chance is pale.
        fill = hue if win.sure else faded(hue, 0.16)
        inks.append(ink_on(hue) if win.sure else theme.ink)
        shapes.append({"type": "rect", **place, "fillcolor": fill, "line": {"width": 0}, "layer": "below"})
    marks = [STROKES[win.first][2] or "circle" for win in wins]
    trace = scatter(
        x=xs,
        y=[y + 0.2 for y in ys],
        mode="markers+text",
        marker={"symbol": marks, "size": 10, "color": inks, "line": {"color": inks, "width": 1}},
        # On a telephone a cell is as wide as one word.
        text=[METHODS[win.first].brief.replace(" ", "<br>") for win in wins],
        textposition="bottom center",
        textfont={"size": 12, "color": inks},
        hovertext=list(hovers),
        hovertemplate="%{hovertext}<extra></extra>",
    )
    levels = [f"{percent:g}" for percent in percents]
    xaxis = _named(list(sigmas.values()), theme, [-0.5, len(sigmas) - 0.5], BANDWIDTH)
    yaxis = _named(levels, theme, [-0.5, len(levels) - 0.5], "landmarks m / n (%)")
    margin = {"l": 52, "r": 8, "t": 62}
    return frame([trace], sheet, 390, xaxis=xaxis, yaxis=yaxis, shapes=shapes, margin=margin)


def ink_on(hue: str) -> str:
    """Return black or white, whichever has the larger contrast with this colour (WCAG 2)."""
    c = np.array(hex_to_rgb(hue)) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "#FFFFFF" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def predictor_chart(
    sigmas: Sequence[str], series: Mapping[str, Sequence[tuple[float, float, float]]], sheet: Sheet
) -> go.Figure:
    """Draw mean rank correlations of each predictor at each bandwidth with their 95 % intervals."""
    theme = sheet.theme
    looks = ((theme.ink, "solid", "circle"), (theme.accent, "dash", "square-open"))
    traces = []
    for (name, values), (hue, dash, symbol) in zip(series.items(), looks, strict=False):
        middle, low, high = np.array(values).T
        bars = {"array": np.nan_to_num(high - middle), "arrayminus": np.nan_to_num(middle - low)}
        texts = [f"{name} at {at}: {three_digits(m)}" for at, m in zip(sigmas, middle, strict=True)]
        joined = line(list(range(len(sigmas))), middle, hue, name, "%{text}", dash=dash, text=texts)
        joined |= {"mode": "lines+markers", "marker": {"color": hue, "symbol": symbol, "size": 8}}
        traces.append(joined | {"error_y": {"type": "data", **bars, "width": 4, "thickness": 1.5}})
    grid: dict[str, Any] = {"showgrid": True, "ticks": "outside", "showline": True}
    zero = {"zeroline": True, "zerolinecolor": theme.faint, "range": [-1.05, 1.05]}
    xaxis = _named(sigmas, theme, [-0.3, len(sigmas) - 0.7], BANDWIDTH, **grid)
    yaxis = axis("rank correlation with the error", theme, **zero)
    corner = {"x": 0.99, "y": 0.03, "xanchor": "right", "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"}
    more: dict[str, Any] = {"showlegend": True, "legend": corner, "margin": {"t": 62}}
    return frame(traces, sheet, 390, xaxis=xaxis, yaxis=yaxis, **more)
