"""Where the page "Recommend" leads: to the approximation, and to another bandwidth."""

from __future__ import annotations

import math

import streamlit as st

from nysviz.advice import Recommendation, Width, sigma_of
from nysviz.figures.look import three_digits
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.ui import state
from nysviz.ui.controls import stop_for
from nysviz.ui.recommend.words import NEAREST, WIDEST, enough_for_labels, learned_best
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.store import store


def offer(scene: Scene, found: Recommendation) -> None:
    """Draw the buttons that take the recommendation, and a bandwidth that suits better."""
    best = found.best
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
    width = better_width(found)
    if width is not None:
        st.button(
            f"Take σ = {three_digits(width.sigma)}, {_why(found, width)}",
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


def _why(found: Recommendation, width: Width) -> str:
    if found.best is None:
        return f"where m = {width.m} is enough in the mean"
    why = WIDEST if enough_for_labels(found, width) else NEAREST
    return f"{why} with m = {width.m}" if width.m is not None else why


def better_width(found: Recommendation) -> Width | None:
    """A bandwidth to take instead: one that meets the target; where this does, one that predicts better."""
    sigma = sigma_of(found.asked.kernel)
    if sigma is None:
        return None
    if found.best is None:
        return found.wider()
    best = learned_best(found)
    if best is None or abs(math.log(best.sigma / sigma)) <= 1e-6:
        return None
    # A narrower one comes nearest by its many landmarks, which the present one could have as well.
    return best if enough_for_labels(found, best) or best.sigma > sigma else None


def _take(scene: Scene, sigma: float) -> None:
    """Go to this page with another bandwidth: the click alone would draw its fragment, not the sidebar."""
    width = store().get(("default width", scene.data.digest), lambda: default_width(scene.data.X))
    now = state.current()
    multiple = f"{2.0 * sigma * sigma / width:.6g}"
    state.go(state.State(now.page, {**now.parameters, "bandwidth": multiple}))
