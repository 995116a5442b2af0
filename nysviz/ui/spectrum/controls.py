"""The controls of the page "Spectrum"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.ui import computing, large
from nysviz.ui.controls import choose_count
from nysviz.ui.sidebar.scene import Scene

FIRST_METHODS = ("uniform", "kmeans", "rff")
MOST_METHODS = 7
# λ of the effective dimension: quarters of a decade.
RIDGES = tuple(float(f"{10.0 ** (k / 4):.2g}") for k in range(-32, 1))
FIRST_RIDGE = 1e-3
LOG, LINEAR = "log", "linear"


@dataclass(frozen=True)
class Question:
    """Approximations with m landmarks beside K, and the λ of the effective dimension."""

    methods: tuple[str, ...]
    m: int
    log_ranks: bool
    ridge: float


def choose(scene: Scene) -> Question:
    """Draw the controls of this page."""
    # The best rank m has the leading eigenvalues of K itself: nothing to see.
    offered, left_out = ([name for name in names if name != "svd"] for names in computing.offered(scene))
    methods = st.multiselect(
        "Approximations",
        offered,
        default=[name for name in FIRST_METHODS if name in offered],
        format_func=lambda name: METHODS[name].label,
        # Kernels with other methods have a choice of their own: it may not hold what is not offered.
        key="spectrum_methods" if "rff" in offered else "spectrum_landmark_methods",
        bind="query-params",
        max_selections=MOST_METHODS,
        wrap=True,
    )
    if left_out:
        st.caption(large.left_out_sentence(left_out, limited=False))
    m = choose_count(scene.data.n)
    ranks = st.segmented_control(
        "Axis of the ranks",
        [LOG, LINEAR],
        default=LOG,
        required=True,
        key="spectrum_ranks",
        bind="query-params",
    )
    ridge = st.select_slider(
        "λ of the effective dimension d(λ)",
        RIDGES,
        value=FIRST_RIDGE,
        format_func=lambda value: f"{value:.2g}",
        key="spectrum_ridge",
        bind="query-params",
    )
    return Question(tuple(methods), m, ranks == LOG, float(ridge))
