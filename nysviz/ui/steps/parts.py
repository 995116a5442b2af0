"""The parts of the page "Step by step": choices, traces, films and their charts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.blocks import IntArray
from nysviz.figures.drawing import titles, with_layout
from nysviz.figures.look import Theme, inert
from nysviz.figures.steps import Film, bars_film, map_film
from nysviz.figures.steps_left import error_film, residual_film
from nysviz.landmarks import METHODS, Option
from nysviz.matrix import KernelMatrix
from nysviz.projection import row_order
from nysviz.steps import STEPWISE, Trace, trace
from nysviz.ui import computing, page
from nysviz.ui.controls import ORDERS, choose_axes
from nysviz.ui.sidebar.scene import Scene, describe
from nysviz.ui.sidebar.uploads import chart_of
from nysviz.ui.steps import rows as steps_rows
from nysviz.ui.steps import words
from nysviz.ui.steps.player import play
from nysviz.ui.work.store import store

# Rows of the whole demonstration, rows of the residual's picture, steps at most and at first.
ROWS = 500
PICTURE_ROWS = 60
MOST_STEPS = 60
FIRST_STEPS = 50
FIRST_LANDMARKS = 20
# The step that is seen first: late enough for landmarks to be there, early enough for something to be left.
FIRST_SHOWN = 8
NONE = "none"
# Settings that steps take the place of, or that change how a pick is found and not which.
OWN = ("form", "steps", "iterations")
Options = computing.Options


@dataclass(frozen=True)
class Choice:
    """Methods, each with its options; steps; landmarks of the methods that keep their number."""

    methods: tuple[tuple[str, Options], ...]
    steps: int
    landmarks: int
    axes: tuple[int, int] | None


def choose(scene: Scene) -> Choice:
    """Draw the controls in one line."""
    n = min(scene.data.n, ROWS)
    one, two, three, four = st.columns([0.29, 0.29, 0.27, 0.15], gap="small", vertical_alignment="bottom")
    label = {NONE: NONE} | {name: METHODS[name].label for name in STEPWISE}
    first = one.selectbox(
        "Method",
        STEPWISE,
        index=STEPWISE.index("greedy"),
        format_func=label.__getitem__,
        key="steps_method",
        bind="query-params",
    )
    second = two.selectbox(
        "Beside it, from the same seed",
        (NONE, *STEPWISE),
        index=1 + STEPWISE.index("rpcholesky"),
        format_func=label.__getitem__,
        key="steps_second",
        bind="query-params",
    )
    names = [first] if second in (NONE, first) else [first, second]
    most = min(MOST_STEPS, n)
    steps = most
    with three:
        if most > 1:
            steps = _slider("Steps", 1, most, min(FIRST_STEPS, most), "steps_count")
    landmarks = min(FIRST_LANDMARKS, n)
    with four, st.popover("Options", width="stretch"):
        if {"dpp", "kmeans"} & set(names) and n > 1:
            landmarks = _slider("Landmarks that swap or move", 1, min(60, n), landmarks, "steps_landmarks")
        methods = tuple((name, _options(name)) for name in names)
        axes = choose_axes(scene)
    return Choice(methods, steps, landmarks, axes)


def _slider(label: str, low: int, high: int, first: int, key: str) -> int:
    # Other data may have fewer rows than the steps asked for before.
    held = st.session_state.get(key)
    if isinstance(held, int) and not low <= held <= high:
        st.session_state[key] = max(low, min(held, high))
    return int(st.slider(label, low, high, first, key=key, bind="query-params"))


def _options(method: str) -> Options:
    offered = [option for option in METHODS[method].options if option.name not in OWN]
    return tuple((option.name, _option(method, option)) for option in offered)


def _option(method: str, option: Option) -> object:
    label, key = f"{METHODS[method].label}: {option.label}", f"steps_{method}_{option.name}"
    if option.choices:
        return st.selectbox(
            label,
            option.choices,
            index=option.choices.index(option.default),
            key=key,
            help=option.sentence or None,
            bind="query-params",
        )
    low, high = option.bounds or (1, 1_000)
    return int(
        st.number_input(
            label,
            int(low),
            int(high),
            int(option.default),
            step=1,
            key=key,
            help=option.sentence or None,
            bind="query-params",
        )
    )


def sampled_rows(scene: Scene) -> IntArray:
    """Numbers of the rows that the page is about: all, or the same random ones each time."""
    n = scene.data.n
    if n <= ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).permutation(n)[:ROWS])


def _matrix(scene: Scene) -> KernelMatrix:
    X = scene.data.X[sampled_rows(scene)]
    dense = store().get(("steps K", *scene.key), lambda: scene.kernel(X))
    return KernelMatrix(X, scene.kernel, dense=dense)


def _trace(scene: Scene, choice: Choice, method: str, options: Options) -> Trace:
    kept = choice.landmarks if method in ("dpp", "kmeans") else None

    def compute() -> Trace:
        rng = np.random.default_rng(scene.seed)
        return trace(_matrix(scene), method, choice.steps, rng, landmarks=kept, **dict(options))

    key = ("steps trace", *scene.key, scene.seed, method, choice.steps, kept, options)
    return store().get(key, compute)


def films_of(scene: Scene, choice: Choice) -> list[Film]:
    """Trace the methods, and place what they chose in the plane."""
    shown = computing.picture(scene, choice.axes)
    rows = sampled_rows(scene)
    X = scene.data.X[rows]
    traces = [_trace(scene, choice, *method) for method in choice.methods]
    for one in traces:
        if not len(one):
            raise ValueError(f"{METHODS[one.method].label}: {one.notes[-1] if one.notes else 'no steps.'}")
    length = max(len(one) for one in traces)
    films = []
    for one in traces:
        places = [X[step.landmarks] if step.points is None else step.points for step in one.steps]
        films.append(
            Film(
                trace=one,
                label=METHODS[one.method].label,
                criterion=words.CRITERIA[one.method],
                rows=rows,
                positions=(X - shown.centre) @ shown.directions,
                landmarks=tuple((place - shown.centre) @ shown.directions for place in places),
                length=length,
                before=None if one.start is None else (one.start - shown.centre) @ shown.directions,
            )
        )
    return films


def draw(scene: Scene, choice: Choice, films: Sequence[Film]) -> None:
    """Draw the player and the charts that it plays."""
    theme, traced = page.theme(), len(films[0].rows)
    if traced < scene.data.n:
        st.caption(f"The steps are those on {traced} random rows of {scene.data.n}.")
    # After the last step of a short film nothing is left to be seen.
    start = min(FIRST_SHOWN, max(1, films[0].length // 2))
    names = computing.picture(scene, choice.axes).names
    key = ("steps charts", *scene.key, scene.seed, scene.subtitle, choice, names, theme.name)
    token = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    charts = chart_of(scene.data, key, lambda: _charts(scene, choice, films, start, theme, token))
    told = [
        (words.opening(film.label), [words.why(film, t + 1) for t in range(film.length)]) for film in films
    ]
    play(token, start, films[0].length, told)
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
    scene: Scene, choice: Choice, films: Sequence[Film], start: int, theme: Theme, token: str
) -> dict[str, go.Figure]:
    shown = computing.picture(scene, choice.axes)
    # These maps are small: the names of the axes are as short as they can be.
    first, second = (
        name.replace("principal component", "component").replace(" of the variance)", ")")
        if choice.axes is None
        else name
        for name in shown.names
    )
    names = inert(first), inert(second)
    K = _matrix(scene).full()
    order, by = _picture_order(scene)
    spread = [films[0].positions[:, k] for k in range(2)]
    low, high = zip(*((float(v.min()), float(v.max())) for v in spread), strict=True)
    pads = [0.06 * (high[k] - low[k]) or 1.0 for k in range(2)]
    ranges = tuple((low[k] - pads[k], high[k] + pads[k]) for k in range(2))
    which = f"{len(order)} of {len(K)} rows, by {by}" if len(order) < len(K) else f"by {by}"
    narrow = len(films) > 1
    charts: dict[str, go.Figure] = {}
    for i, film in enumerate(films):
        # True at every step, while the player moves on.
        title = f"{words.opening(film.label)}, step by step"
        charts[f"map_{i}"] = map_film(film, start, names, (ranges[0], ranges[1]), theme, title)
        charts[f"bars_{i}"] = bars_film(film, start, theme)
    charts["residual"] = residual_film(films, K, order, start, theme, which, 225 if narrow else 270)
    size = f"n = {len(K)}" if len(K) == scene.data.n else f"{len(K)} rows of {scene.data.n}"
    charts["error"] = error_film(
        films,
        start,
        theme,
        "The error after each step",
        f"{size}; {describe(scene.kernel)}"
        if narrow
        else f"{inert(scene.data.title)}, {size}; {describe(scene.kernel)}",
        300 if narrow else 240,
    )
    for name, figure in charts.items():
        # Markers, lines and bars change in place; a heatmap has to be drawn again.
        told = {"film": token, "redraw": name == "residual", "recolour": name.startswith("map")}
        with_layout(figure, meta=told)
    return charts


def _picture_order(scene: Scene) -> tuple[IntArray, str]:
    """Which of the traced rows the residual's picture shows, in order, and what they are ordered by."""
    rows = sampled_rows(scene)
    by = "label" if scene.data.task == "classification" else "cluster"

    def compute() -> IntArray:
        y = None if scene.data.y is None else scene.data.y[rows]
        return row_order(scene.data.X[rows], y, scene.kernel, by)

    order = store().get(("steps order", *scene.key, by), compute)
    return order[np.linspace(0, len(rows) - 1, min(PICTURE_ROWS, len(rows))).astype(np.intp)], ORDERS[by]


def python_of(scene: Scene, choice: Choice) -> str:
    """Code that gives the numbers on the page."""
    calls = []
    for method, options in choice.methods:
        settings = [f"{name}={value!r}" for name, value in options]
        if method in ("dpp", "kmeans"):
            settings.insert(0, f"landmarks={choice.landmarks}")
        calls.append((method, ", ".join(settings)))
    return steps_rows.python(scene, calls, choice.steps, None if scene.data.n <= ROWS else ROWS)
