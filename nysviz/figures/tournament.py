"""The charts of a tournament: ranks and mean ranks, winners by setting, predictors of the error."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    """Return an axis with a name at each place, which may have several lines."""
    bare = {"showgrid": False, "ticks": "", "showline": False}
    texts = [inert(name).replace("\n", "<br>") for name in names]
    ticks = {"tickvals": list(range(len(names))), "ticktext": texts}
    return axis(title, theme, range=list(ends), **ticks, **{**bare, **more})


class MethodCell(NamedTuple):
    """A cell of a map of methods: its column, row, method and texts; it is pale where it is not sure."""

    x: int
    y: int
    method: str
    is_sure: bool
    text: str
    hover: str


def win_map(
    wins: Sequence[Win],
    sigmas: Mapping[float, str],
    percents: Sequence[float],
    hovers: Sequence[str],
    sheet: Sheet,
) -> go.Figure:
    """Draw the winner of each bandwidth and m/n, pale where it may be chance."""
    columns, rows = list(sigmas), list(percents)
    cells = [
        MethodCell(
            columns.index(win.multiple),
            rows.index(win.percent),
            win.first,
            win.sure,
            METHODS[win.first].brief,
            hover,
        )
        for win, hover in zip(wins, hovers, strict=True)
    ]
    levels = [f"{percent:g}" for percent in percents]
    return method_map(cells, (BANDWIDTH, [*sigmas.values()]), ("landmarks m / n (%)", levels), sheet)


def method_map(
    cells: Sequence[MethodCell],
    x_axis: tuple[str, Sequence[str]],
    y_axis: tuple[str, Sequence[str]],
    sheet: Sheet,
) -> go.Figure:
    """Draw a method in each cell; an axis is given by its title and the names of its places."""
    theme = sheet.theme
    shapes, inks = [], []
    for cell in cells:
        hue = colour(cell.method, theme)
        place = {"x0": cell.x - 0.48, "x1": cell.x + 0.48, "y0": cell.y - 0.46, "y1": cell.y + 0.46}
        fill = hue if cell.is_sure else faded(hue, 0.16)
        inks.append(ink_on(hue) if cell.is_sure else theme.ink)
        shapes.append({"type": "rect", **place, "fillcolor": fill, "line": {"width": 0}, "layer": "below"})
    marks = [STROKES[cell.method][2] or "circle" for cell in cells]
    trace = scatter(
        x=[cell.x for cell in cells],
        y=[cell.y + 0.2 for cell in cells],
        mode="markers+text",
        marker={"symbol": marks, "size": 10, "color": inks, "line": {"color": inks, "width": 1}},
        # On a telephone a cell is as wide as one word.
        text=[cell.text.replace(" ", "<br>") for cell in cells],
        textposition="bottom center",
        textfont={"size": 12, "color": inks},
        hovertext=[cell.hover for cell in cells],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    (x_title, x_names), (y_title, y_names) = x_axis, y_axis
    xaxis = _named(x_names, theme, [-0.5, len(x_names) - 0.5], x_title)
    yaxis = _named(y_names, theme, [-0.5, len(y_names) - 0.5], y_title)
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
