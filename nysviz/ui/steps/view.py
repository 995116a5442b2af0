"""The controls of the page "Step by step", its player and the charts that it plays."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.figures.drawing import titles, with_layout
from nysviz.figures.look import Theme, inert
from nysviz.figures.steps import Film, bars_film, error_film, map_film, residual_film
from nysviz.landmarks import METHODS
from nysviz.steps import STEPWISE, Trace
from nysviz.text import capital
from nysviz.ui import computing, page
from nysviz.ui.components import component
from nysviz.ui.computing import Options
from nysviz.ui.controls import ORDERS, choose_axes, choose_option
from nysviz.ui.inputs import box, keep_offered
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.sidebar.uploads import chart_of
from nysviz.ui.steps import result
from nysviz.ui.steps.result import FIXED, ROWS, Question, kernel_matrix, order, traced_rows

# Steps at most and at first, and landmarks of the methods that keep their number.
MOST_STEPS = 60
FIRST_STEPS = 50
FIRST_LANDMARKS = 20
NONE = "none"
# Settings that steps take the place of, or that change how a pick is found and not which.
OWN = ("form", "steps", "iterations")


def controls(scene: Scene) -> Question:
    """Draw the controls in one line."""
    n = min(scene.data.n, ROWS)
    one, two, three, four = st.columns([0.29, 0.29, 0.27, 0.15], gap="small", vertical_alignment="bottom")
    names = {NONE: NONE} | {name: METHODS[name].label for name in STEPWISE}
    first = box("Method", STEPWISE, "steps_method", "greedy", names, one)
    label = "Beside it, from the same seed"
    second = box(label, (NONE, *STEPWISE), "steps_second", "rpcholesky", names, two)
    shown = [first] if second in (NONE, first) else [first, second]
    with three:
        steps = _slider("Steps", min(MOST_STEPS, n), FIRST_STEPS, "steps_count")
    landmarks = min(FIRST_LANDMARKS, n)
    with four, st.popover("Options", width="stretch"):
        if set(FIXED) & set(shown):
            label, most = "Landmarks that swap or move", min(60, n)
            landmarks = _slider(label, most, FIRST_LANDMARKS, "steps_landmarks")
        methods = tuple((name, _options(name)) for name in shown)
        for name in shown:
            st.caption(f"{METHODS[name].label}: {METHODS[name].source}.")
        axes = choose_axes(scene)
    return Question(methods, steps, landmarks, axes)


def _slider(label: str, most: int, first: int, key: str) -> int:
    # Other data may have fewer rows than the steps asked for before.
    keep_offered(key, range(1, most + 1))
    if most == 1:
        return 1
    return int(st.slider(label, 1, most, min(first, most), key=key, bind="query-params"))


def _options(method: str) -> Options:
    offered = [option for option in METHODS[method].options if option.name not in OWN]
    label = METHODS[method].label
    return tuple(
        (one.name, choose_option(one, f"{label}: {one.label}", f"steps_{method}_{one.name}"))
        for one in offered
    )


# Milliseconds a step.
SPEEDS = {"slow": 2000, "normal": 900, "fast": 350, "very fast": 100}
# Rows of the residual's picture.
PICTURE_ROWS = 60
# The step that is seen first: late enough for landmarks to be there, early enough for something to be left.
FIRST_SHOWN = 8


# Plays, steps and jumps through the frames of the charts whose ``layout.meta`` has its token, in the browser.
_player = component("player")


def _film(scene: Scene, shown: computing.Picture, one: Trace, length: int) -> Film:
    rows = traced_rows(scene)
    X = scene.data.X[rows]

    def placed(points: np.ndarray) -> np.ndarray:
        return (points - shown.centre) @ shown.directions

    places = [X[step.landmarks] if step.points is None else step.points for step in one.steps]
    return Film(
        one,
        METHODS[one.method].label,
        result.RULES[one.method][1],
        rows,
        placed(X),
        tuple(map(placed, places)),
        length,
        None if one.start is None else placed(one.start),
    )


def draw(scene: Scene, question: Question, traces: Sequence[Trace]) -> None:
    """Draw the player and the charts that it plays."""
    theme, shown = page.theme(), computing.picture(scene, question.axes)
    length = max(map(len, traces))
    films = [_film(scene, shown, one, length) for one in traces]
    # After the last step of a short film nothing is left to be seen.
    start = min(FIRST_SHOWN, max(1, length // 2))
    key = ("steps charts", *scene.key, scene.seed, scene.subtitle, question, shown.names, theme.name)
    token = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    charts = chart_of(scene.data, key, lambda: _charts(scene, question, films, start, theme, token))
    played = [
        {"label": capital(film.label), "sentences": [result.why(film, t + 1) for t in range(length)]}
        for film in films
    ]
    settings = {"token": token, "start": start, "count": length, "speeds": SPEEDS, "pace": SPEEDS["normal"]}
    _player(key="steps_player", data={**settings, "films": played})
    *sides, right = st.columns([0.36] * len(films) + [0.28] if len(films) > 1 else [0.6, 0.4], gap="small")
    for i, (film, column) in enumerate(zip(films, sides, strict=True)):
        with column:
            title = titles(charts[f"map_{i}"])[0]
            page.show(charts[f"map_{i}"], f"steps_map_{i}", f"The data by criterion, step by step. {title}.")
            page.show(charts[f"bars_{i}"], f"steps_bars_{i}", f"The largest criteria of {film.label}.")
    with right:
        page.show(charts["residual"], "steps_residual", "The residual matrix, step by step.")
        page.show(charts["error"], "steps_error", titles(charts["error"])[0])


def _charts(
    scene: Scene, question: Question, films: Sequence[Film], start: int, theme: Theme, token: str
) -> dict[str, go.Figure]:
    first, second = map(inert, computing.picture(scene, question.axes).names)
    if question.axes is None:
        # These maps are small.
        first, second = (
            name.removeprefix("principal ").replace(" of the variance", "") for name in (first, second)
        )
    low, high = films[0].positions.min(axis=0), films[0].positions.max(axis=0)
    pad = np.where(high > low, 0.06 * (high - low), 1.0)
    ranges = tuple(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))
    charts: dict[str, go.Figure] = {}
    for i, film in enumerate(films):
        # True at every step, while the player moves on.
        title = f"{capital(film.label)}, step by step"
        charts[f"map_{i}"] = map_film(film, start, (first, second), (ranges[0], ranges[1]), theme, title)
        charts[f"bars_{i}"] = bars_film(film, start, theme)
    K = kernel_matrix(scene.unseeded)
    by = "label" if scene.data.task == "classification" else "cluster"
    shown = order(scene.unseeded, by)
    shown = shown[np.linspace(0, len(K) - 1, min(PICTURE_ROWS, len(K))).astype(np.intp)]
    which = f"{len(shown)} of {len(K)} rows, by {ORDERS[by]}"
    charts["residual"] = residual_film(films, K, shown, start, theme, which)
    title, subtitle = "The error after each step", scene.kernel.describe()
    charts["error"] = error_film(films, start, theme, title, subtitle)
    for name, figure in charts.items():
        # Markers, lines and bars change in place; a heatmap has to be drawn again.
        meta = {"film": token, "redraw": name == "residual", "recolour": name.startswith("map")}
        with_layout(figure, meta=meta)
    return charts
