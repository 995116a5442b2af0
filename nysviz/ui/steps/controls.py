"""The controls of the page "Step by step"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nysviz.landmarks import METHODS, Option
from nysviz.steps import STEPWISE
from nysviz.ui.computing import Options
from nysviz.ui.controls import choose_axes
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.steps.result import FIXED, ROWS

# Steps at most and at first, and landmarks of the methods that keep their number.
MOST_STEPS = 60
FIRST_STEPS = 50
FIRST_LANDMARKS = 20
NONE = "none"
# Settings that steps take the place of, or that change how a pick is found and not which.
OWN = ("form", "steps", "iterations")


@dataclass(frozen=True)
class Question:
    """Methods, each with its options; steps; landmarks of the methods that keep their number."""

    methods: tuple[tuple[str, Options], ...]
    steps: int
    landmarks: int
    axes: tuple[int, int] | None


def controls(scene: Scene) -> Question:
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
    steps = most = min(MOST_STEPS, n)
    with three:
        if most > 1:
            steps = _slider("Steps", most, min(FIRST_STEPS, most), "steps_count")
    landmarks = min(FIRST_LANDMARKS, n)
    with four, st.popover("Options", width="stretch"):
        if set(FIXED) & set(names) and n > 1:
            landmarks = _slider("Landmarks that swap or move", min(60, n), landmarks, "steps_landmarks")
        methods = tuple((name, _options(name)) for name in names)
        axes = choose_axes(scene)
    return Question(methods, steps, landmarks, axes)


def _slider(label: str, most: int, first: int, key: str) -> int:
    # Other data may have fewer rows than the steps asked for before.
    held = st.session_state.get(key)
    if isinstance(held, int) and not 1 <= held <= most:
        st.session_state[key] = max(1, min(held, most))
    return int(st.slider(label, 1, most, first, key=key, bind="query-params"))


def _options(method: str) -> Options:
    offered = [option for option in METHODS[method].options if option.name not in OWN]
    return tuple((option.name, _option(method, option)) for option in offered)


def _option(method: str, option: Option) -> object:
    label, key = f"{METHODS[method].label}: {option.label}", f"steps_{method}_{option.name}"
    note = option.sentence or None
    if option.choices:
        index = option.choices.index(option.default)
        return st.selectbox(label, option.choices, index, key=key, help=note, bind="query-params")
    low, high = (int(end) for end in option.bounds or (1, 1_000))
    first = int(option.default)
    return int(st.number_input(label, low, high, first, 1, key=key, help=note, bind="query-params"))
