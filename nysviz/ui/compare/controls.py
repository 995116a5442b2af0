"""The controls of the page "Compare"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.landmarks import METHODS
from nysviz.ui import large
from nysviz.ui.computing import MOST_LANDMARKS, is_exact
from nysviz.ui.sidebar.scene import Scene, keep_choices

# The five schemes of the paper's figure 1, and the one that a specialist asks for today.
FIRST_METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky")
FLOOR = "svd"
VIEWS = {
    "error": "error against m / n",
    "budget": "error against seconds",
    "seconds": "seconds against m / n",
    "evaluations": "kernel evaluations against m / n",
}
NORMS = {"frobenius": "Frobenius", "spectral": "spectral", "trace": "trace"}
SCALES = {"relative": "relative to K", "best": "times the best possible", "absolute": "absolute"}
# Ten ratios up to the largest one, as in the paper; from 1 % to 10 % at first.
UP_TO = (2, 5, 10, 20, 50)
RATIOS = 10
REPEATS = (3, 5, 10, 20, 50)
# Where there are many rows and a run takes seconds.
LARGE_REPEATS = (2, 3, 5, 10)
# Seconds are taken from fewer runs: each m is a run of its own there, one after the other.
COST_REPEATS = 3


@dataclass(frozen=True)
class Question:
    """What is to be compared."""

    methods: tuple[str, ...]
    view: str
    norm: str
    scale: str
    up_to: int
    repeats: int

    @property
    def with_errors(self) -> bool:
        """Whether the view shows errors."""
        return self.view in ("error", "budget")

    def counts(self, n: int) -> tuple[int, ...]:
        """Numbers of landmarks, each once."""
        if large.is_large(n):
            return large.counts(n, self.up_to)
        percents = [self.up_to * (i + 1) / RATIOS for i in range(RATIOS)]
        ms = {min(MOST_LANDMARKS, max(1, round(n * percent / 100))) for percent in percents}
        return tuple(sorted(ms))


def choose(scene: Scene) -> Question:
    """Draw the controls of the page."""
    offered, left_out = large.offered(scene, list(METHODS))
    methods = st.multiselect(
        "Methods",
        offered,
        default=[name for name in FIRST_METHODS if name in offered],
        format_func=lambda name: METHODS[name].label,
        key="compare_methods",
        bind="query-params",
    )
    view = st.selectbox("Show", VIEWS, format_func=VIEWS.__getitem__, key="compare_view", bind="query-params")
    left, right = st.columns(2)
    norm, scale, repeats = _choose_errors(scene, left, right, shown=view in ("error", "budget"))
    up_to = left.selectbox(
        "m / n up to",
        UP_TO,
        index=2,
        format_func=lambda p: f"{p} %",
        key="compare_up_to",
        bind="query-params",
    )
    if left_out:
        st.caption(large.left_out_sentence(left_out))
    question = Question(tuple(methods), view, norm, scale, up_to, repeats)
    if sentence := large.mixtures_sentence(methods, question.counts(scene.data.n)):
        st.caption(sentence)
    return question


def _choose_errors(
    scene: Scene, left: DeltaGenerator, right: DeltaGenerator, *, shown: bool
) -> tuple[str, str, int]:
    """Choose norm, scale and repeats; a view without errors has no use for them, and they wait."""
    few = large.is_large(scene.data.n)
    repeats_key = "compare_few_repeats" if few else "compare_repeats"
    if not shown:
        keep_choices(("compare_norm", "compare_scale", repeats_key))
        return "frobenius", "relative", COST_REPEATS
    exact = is_exact(scene)
    norms = [name for name in NORMS if exact or name != "spectral"]
    scales = [name for name in SCALES if exact or name != "best"]
    norm = left.selectbox(
        "Error", norms, format_func=NORMS.__getitem__, key="compare_norm", bind="query-params"
    )
    scale = right.selectbox(
        "Scale", scales, format_func=SCALES.__getitem__, key="compare_scale", bind="query-params"
    )
    repeats = right.selectbox(
        "Repeats",
        LARGE_REPEATS if few else REPEATS,
        index=0 if few else 2,
        key=repeats_key,
        bind="query-params",
    )
    return norm, scale, repeats
