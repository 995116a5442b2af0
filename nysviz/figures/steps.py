"""A method's steps as frames that the browser plays: the map, the criterion, the residual and the error.

Each chart has one frame a step, named by its number from 1; a step is drawn by ``Plotly.animate`` alone. The
first trace's ``meta`` is the number of the step that is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.analysis.steps import Trace, TracedStep
from nysviz.figures.data_map import landmark_traces
from nysviz.figures.drawing import encoded, heatmap, merged, scatter, with_frames
from nysviz.figures.look import LEGEND_PIXELS, Sheet, Theme, axis, colour, frame, legend_below, ramp, stroke
from nysviz.figures.traces import line, log_axis, markers, note, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.text import capital, three_digits

BARS = 16  # bars of the criterion; a pick further down gets one of its own behind them
# Number of shades in which the criterion and the residual are sent.
SHADES = 255
MARGIN = {"l": 46, "r": 8, "t": 58, "b": 40}

State = list[dict[str, Any]]  # changes of a frame to each of the first traces


@dataclass(frozen=True)
class StepsFilm:
    """A trace, its method, criterion and landmarks in words, and where its points are drawn.

    ``rows`` are the traced rows' numbers in the data set, ``positions`` (n, 2) their places, ``landmarks``
    those of the landmarks after each step, ``before`` of those that move before the first. Of its ``length``
    frames, at least as many as steps, the last show the last step.
    """

    trace: Trace
    label: str
    criterion: str
    landmark: str
    rows: IntArray
    positions: FloatArray
    landmarks: tuple[FloatArray, ...]
    length: int
    before: FloatArray | None = None

    def at(self, t: int) -> int:
        """Return the index of the step that is shown in frame t (from 1)."""
        return min(t, len(self.trace)) - 1

    def step(self, t: int) -> TracedStep:
        """Return the step that is shown in frame t."""
        return self.trace.steps[self.at(t)]


def shades(values: FloatArray, top: float) -> NDArray[np.uint8]:
    """Return values from 0 to ``top`` as whole numbers from 0 to ``SHADES``; NaN becomes 0."""
    # fmax and fmin ignore NaN.
    scaled = np.fmin(np.fmax(values * (SHADES / (top or 1.0)), 0.0), SHADES)
    return np.rint(scaled).astype(np.uint8)


def _film(
    traces: Sequence[dict[str, Any]],
    states: Sequence[State],
    start: int,
    sheet: Sheet,
    height: int,
    **layout: Any,
) -> go.Figure:
    """Draw the traces in the state of frame ``start``, states as frames; the last traces may stand still."""
    for t, state in enumerate(states, start=1):
        state[0]["meta"] = t
    first = states[start - 1]
    first_traces = [*map(merged, traces, first), *traces[len(first) :]]
    figure = frame(first_traces, sheet, height, **{"margin": MARGIN, **layout})
    return with_frames(figure, range(len(first)), states)


def map_film(
    film: StepsFilm,
    start: int,
    axes: tuple[str, str],
    ranges: tuple[tuple[float, float], tuple[float, float]],
    theme: Theme,
    title: str,
) -> go.Figure:
    """Draw the data by their criterion before each pick, the landmarks after it, and the pick."""
    hue = colour(film.trace.method, theme)
    shade = {"cmin": 0, "cmax": SHADES, "colorscale": ramp(theme.residual), "showscale": False, "size": 6}
    dots = markers(
        **xy(film.positions),
        marker={**shade, "line": {"width": 0.6, "color": theme.faint}},
        hover="row %{customdata}",
        customdata=film.rows.astype(np.int32),
    )
    are_data = METHODS[film.trace.method].landmarks_are_data
    still = {"showlegend": False, "hoverinfo": "skip", "hovertemplate": None, "text": None}
    marks = [{**mark, **still} for mark in landmark_traces(np.zeros((1, 2)), are_data, theme, [])]
    pick = markers(None, None, {"size": 15, "color": hue, "line": {"width": 2, "color": theme.ink}})
    # The row that a swap gives up, or the paths of the landmarks.
    outline = {"width": 1.5, "color": theme.ground}
    cross = {"size": 13, "symbol": "x", "color": theme.ink, "line": outline}
    far_end = line(None, None, hue, width=2.5) | {"mode": "markers" if are_data else "lines", "marker": cross}
    darker = "lighter" if theme.dark else "darker"
    sheet = Sheet(theme, title, f"{darker}: larger {film.criterion}")
    states = [_map_state(film, t) for t in range(1, film.length + 1)]
    xaxis, yaxis = (axis(axes[i], theme, range=list(ranges[i])) for i in (0, 1))
    return _film([dots, *marks, pick, far_end], states, start, sheet, 320, xaxis=xaxis, yaxis=yaxis)


def _map_state(film: StepsFilm, t: int) -> State:
    """Return the changes of frame t: colours, landmarks with their halo, the pick, and its far end."""
    step, k = film.step(t), film.at(t)
    # Encoded once for the two traces that show it.
    now = encoded(xy(film.landmarks[k]))
    far_end = np.empty((0, 2))
    if step.leaving is not None:
        far_end = film.positions[[step.leaving]]
    elif step.moves is not None:
        before = film.before if k == 0 and film.before is not None else film.landmarks[k - 1]
        far_end = np.stack([before, film.landmarks[k], np.full_like(before, np.nan)], axis=1).reshape(-1, 2)
    pick = film.positions[[] if step.pick is None else [step.pick]]
    return [
        {"marker": {"color": shades(step.criterion, float(np.nanmax(step.criterion)))}},
        now,
        dict(now),
        {**xy(pick), "marker": {"opacity": 1.0 if step.accepted else 0.4}},
        xy(far_end),
    ]


def bars_film(film: StepsFilm, start: int, theme: Theme) -> go.Figure:
    """Draw the largest values of the criterion before each pick, in order, with the pick's own."""
    hover = {"hovertemplate": "%{hovertext}<extra></extra>", "hoverinfo": "text"}
    bare = {"type": "bar", "textposition": "none", **hover}
    place = {"x": [BARS + 1.5], "y": [1.1], "mode": "text", "textposition": "middle left"}
    note = {**place, "textfont": {"size": 12, "color": theme.ink}, "hoverinfo": "skip"}
    moved = film.trace.steps[0].moves is not None
    title = capital(f"how far each {film.landmark} moves" if moved else film.criterion)
    return _film(
        [
            {**bare, "marker": {"color": theme.faint, "opacity": 0.55}},
            {**bare, "marker": {"color": colour(film.trace.method, theme)}},
            note,
        ],
        [_bars(film, film.step(t)) for t in range(1, film.length + 1)],
        start,
        Sheet(theme, title, f"{BARS} largest"),
        206,
        barmode="overlay",
        bargap=0.15,
        xaxis=axis("place", theme, range=[0.3, BARS + 2.2], tickvals=[1, 4, 8, 12, 16]),
        yaxis=axis("÷ largest", theme, range=[0, 1.2], tickvals=[0, 0.5, 1]),
    )


def _bars(film: StepsFilm, step: TracedStep) -> State:
    """Return heights and texts of one step's bars: the others, the pick, and the value of the tallest."""
    values = step.criterion if step.moves is None else step.moves
    order = np.argsort(-np.where(np.isnan(values), -1.0, values), kind="stable")[:BARS]
    order = order[values[order] > 0]
    top = float(values[order[0]]) if len(order) else 1.0
    # Among equal values the pick stands first.
    if step.pick is not None and step.place == 1:
        order = np.concatenate([[step.pick], order[order != step.pick]])[:BARS]
    names = [f"row {film.rows[i]}" if step.moves is None else f"{film.landmark} {i + 1}" for i in order]
    texts = np.array([f"{name}: {three_digits(values[i])}" for name, i in zip(names, order, strict=True)])
    places, heights, mine = np.arange(1, len(order) + 1), values[order] / top, order == step.pick
    picked: dict[str, Any] = {"x": places[mine], "y": heights[mine], "hovertext": texts[mine]}
    if step.pick is not None and not mine.any():
        text = f"row {film.rows[step.pick]}: {three_digits(step.value)}, number {step.place}"
        picked = {"x": [BARS + 1.5], "y": [step.value / top], "hovertext": [text]}
    return [
        {"x": places[~mine], "y": heights[~mine], "hovertext": texts[~mine]},
        picked,
        {"text": [f"largest: {three_digits(top)}"]},
    ]


def residual_film(
    films: Sequence[StepsFilm], K: FloatArray, shown_rows: IntArray, start: int, sheet: Sheet
) -> go.Figure:
    """Draw |K − K̃| on ``shown_rows`` after each step, of one or two methods side by side."""
    theme = sheet.theme
    entries = K[np.ix_(shown_rows, shown_rows)]
    top = float(np.abs(entries).max())

    def shade_residual(film: StepsFilm, t: int) -> dict[str, Any]:
        G = film.trace.factor(film.at(t) + 1)[shown_rows]
        return {"z": shades(np.abs(entries - G @ G.T), top)}

    pictures, layout = [], {}
    names: list[dict[str, Any]] = []
    for i, film in enumerate(films):
        name = "" if i == 0 else str(i + 1)
        x, y = f"x{name}", f"y{name}"
        shade = {"zmin": 0, "zmax": SHADES, "colorscale": ramp(theme.residual), "showscale": False}
        pictures.append(heatmap(**shade, hoverinfo="skip", xaxis=x, yaxis=y))
        low, high = (i + 0.02) / len(films), (i + 0.98) / len(films)
        bare = {"visible": False, "constrain": "domain", "fixedrange": True}
        layout[f"xaxis{name}"] = {**bare, "domain": [low, high], "anchor": y}
        square = {"autorange": "reversed", "scaleanchor": x, "anchor": x, "constraintoward": "top"}
        layout[f"yaxis{name}"] = bare | square
        # Each takes half of a narrow column.
        text, middle = "<br>".join(wrap(METHODS[film.trace.method].brief, 16)), (low + high) / 2
        names.append(note(text, theme.ink, middle, 0, "xy", xanchor="center", yanchor="top"))
    return _film(
        pictures,
        [[shade_residual(film, t) for film in films] for t in range(1, films[0].length + 1)],
        start,
        sheet,
        240,
        margin={**MARGIN, "l": 4, "r": 4},
        annotations=names,
        **layout,
    )


def error_film(films: Sequence[StepsFilm], start: int, sheet: Sheet) -> go.Figure:
    """Draw the relative error of each method up to its current step."""
    theme, hidden = sheet.theme, {"hoverinfo": "skip", "showlegend": False}
    moving: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    names: list[dict[str, Any]] = []
    for film in films:
        style, errors = stroke(film.trace.method, theme), film.trace.errors
        names.append({"x": [None], "y": [None], "name": film.label, "hoverinfo": "skip", **style})
        marker = {**style.pop("marker"), "size": 11}
        style["mode"] = "lines"
        moving += [{**hidden, **style}, {**hidden, "mode": "markers", "marker": marker}]
        hover = "step %{x}<br>relative error %{y:.3g}<extra>%{fullData.name}</extra>"
        faint = {"name": film.label, "opacity": 0.35, "showlegend": False, "hovertemplate": hover}
        whole.append(scatter(x=np.arange(len(errors)), y=errors, **faint, **style))

    def state(t: int) -> State:
        changes: State = []
        for film in films:
            k, errors = film.at(t) + 1, film.trace.errors
            changes += [{"x": np.arange(k + 1), "y": errors[: k + 1]}, {"x": [k], "y": [errors[k]]}]
        return changes

    # A single line needs no name.
    several, length = len(films) > 1, films[0].length
    errors = np.concatenate([film.trace.errors for film in films])
    logs = np.log10(np.maximum(errors[errors > 0], 1e-12)) if (errors > 0).any() else np.zeros(1)
    pad = 0.06 * float(np.ptp(logs)) + 0.02
    step = max(1, round(float(np.ptp(logs)) / 5))
    ends = float(logs.min()) - pad, float(logs.max()) + pad
    return _film(
        [*moving, *whole, *(names if several else [])],
        [state(t) for t in range(1, length + 1)],
        start,
        sheet,
        290,
        xaxis=axis("step", theme, range=[-0.02 * length, 1.04 * length]),
        yaxis=log_axis("‖K − K̃‖ / ‖K‖", theme, *ends, dtick=step),
        margin={**MARGIN, "l": 60, "b": LEGEND_PIXELS if several else MARGIN["b"]},
        **({"below": True, "legend": {**legend_below(), "font": {"size": 12}}} if several else {}),
    )
