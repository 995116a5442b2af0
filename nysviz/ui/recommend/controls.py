"""The controls of the page "Recommend", and where it leads: to the approximation, and to a bandwidth."""

from __future__ import annotations

from typing import Any

import streamlit as st

from nysviz.advice.candidates import Budget
from nysviz.advice.curve import EXTREME
from nysviz.advice.question import DEFAULT_METHODS, Question
from nysviz.advice.recommendation import Recommendation
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.text import three_digits
from nysviz.ui import state
from nysviz.ui.controls import stop_for
from nysviz.ui.recommend.result import NORM_NAMES, Asked, better_width
from nysviz.ui.sidebar.scene import Scene

# Evenly spaced in log.
TARGETS = (0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.001)
FIRST_TARGET = 0.1
FLOOR = "svd"


def controls(scene: Scene) -> Asked | None:
    """Draw the controls; None where no method is chosen."""
    left, right = st.columns(2)
    target = left.select_slider(
        "Target error",
        sorted(TARGETS),
        value=FIRST_TARGET,
        format_func=lambda value: f"{value:g}",
        key="recommend_target",
        bind="query-params",
        help="Part of K, in the norm beside, that may be left.",
    )
    norm = right.selectbox(
        "Norm", NORM_NAMES, format_func=NORM_NAMES.__getitem__, key="recommend_norm", bind="query-params"
    )
    limit: dict[str, Any] = {"value": None, "format": "%g", "placeholder": "any", "bind": "query-params"}
    note = "What one approximation of all rows may take on this machine."
    seconds = left.number_input("Seconds at most", 0.001, 1e6, key="recommend_seconds", help=note, **limit)
    note = "What it may hold beside the data while it is made."
    megabytes = right.number_input(
        "Memory at most, MB", 0.01, 1e6, key="recommend_memory", help=note, **limit
    )
    methods = _choose_methods(scene, str(norm))
    if not methods:
        st.info("Choose a method.", icon=":material/touch_app:")
        return None
    data, memory = scene.data, None if megabytes is None else 1e6 * float(megabytes)
    question = Question.of(data.X, scene.kernel, target, str(norm), methods, scene.seed, data.digest)
    return Asked(question, Budget(None if seconds is None else float(seconds), memory), data.y, data.task)


def _choose_methods(scene: Scene, norm: str) -> tuple[str, ...]:
    suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel) and name != FLOOR]
    offered = [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]
    # Parts of the rows do not tell of the methods that go for outliers.
    large = scene.data.n > Question(scene.data.X, scene.kernel).sizes[-1]
    first = [name for name in DEFAULT_METHODS if name in offered and not (large and name in EXTREME)]
    held = st.session_state.get("recommend_methods")
    if held is not None and not set(held) <= set(offered):
        st.session_state["recommend_methods"] = [name for name in held if name in offered]
    with st.popover("Methods that are considered", width="stretch"):
        chosen = st.multiselect(
            "Methods",
            offered,
            default=first,
            format_func=lambda name: METHODS[name].label,
            key="recommend_methods",
            bind="query-params",
            label_visibility="collapsed",
        )
    return tuple(chosen)


def offer(scene: Scene, found: Recommendation) -> None:
    """Draw the buttons that take the recommendation, and a bandwidth that suits better."""
    best, width = found.best, better_width(found)
    if best is not None:
        st.button(
            f"Open in Approximate, m = {best.m}",
            key="recommend_open",
            icon=":material/grid_on:",
            type="primary",
            width="stretch",
            on_click=_open,
            args=(METHODS[best.method].label, stop_for(scene.data.n, best.m)[1]),
        )
    if width is not None:
        st.button(
            f"Take σ = {three_digits(width.sigma)}, for which m = {width.m} is enough in the mean",
            key="recommend_width",
            icon=":material/swap_horiz:",
            width="stretch",
            on_click=_take,
            args=(scene, width.sigma),
        )


def _open(method: str, ratio: str) -> None:
    now = state.current().parameters
    kept = {name: value for name, value in now.items() if name in state.SIDEBAR}
    state.go(state.State("approximate", {**kept, "method": method, "ratio": ratio}))


def _take(scene: Scene, sigma: float) -> None:
    """Go to this page with another bandwidth: the click alone would draw its fragment, not the sidebar."""
    now, width = state.current(), default_width(scene.data.X)
    multiple = f"{2.0 * sigma * sigma / width:.6g}"
    state.go(state.State(now.page, {**now.parameters, "bandwidth": multiple}))
