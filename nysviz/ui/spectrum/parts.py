"""The controls and pictures of the page "Spectrum"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.figures.gap_condition import condition_chart, distance_chart
from nysviz.figures.look import grouped, inert, three_digits
from nysviz.figures.spectrum_bandwidth import bandwidth_chart
from nysviz.figures.spectrum_compared import compared_chart
from nysviz.landmarks import METHODS
from nysviz.spectrum.gaps import Gap, effective_dimension, largest_gaps
from nysviz.ui import computing, large, page
from nysviz.ui.controls import choose_count
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.spectrum.computing import (
    DRAWS,
    FRAME_MULTIPLES,
    Distances,
    Reading,
    approximate_later,
    approximate_seconds,
    largest_entry,
    tightness,
)
from nysviz.ui.stopping import is_stopped, stop_of

FIRST_METHODS = ("uniform", "kmeans", "rff")
MOST_METHODS = 7
# λ of the effective dimension: quarters of a decade.
RIDGES = tuple(float(f"{10.0 ** (k / 4):.2g}") for k in range(-32, 1))
FIRST_RIDGE = 1e-3
LOG, LINEAR = "log", "linear"


@dataclass(frozen=True)
class Choice:
    """What this page's own controls say."""

    methods: tuple[str, ...]
    m: int
    log_ranks: bool
    ridge: float


def choose(scene: Scene) -> Choice:
    """Draw the controls of this page."""
    fitting, left_out = computing.offered(scene)
    # The best rank m has the leading eigenvalues of K itself: nothing to see.
    offered, left_out = ([name for name in names if name != "svd"] for names in (fitting, left_out))
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
    return Choice(tuple(methods), m, ranks == LOG, float(ridge))


def ask_for(scene: Scene, choice: Choice) -> dict[str, Future[FloatArray]]:
    """Ask for the approximations' eigenvalues; after a Stop only for those that were there by then."""
    key, methods = _key(scene, choice), choice.methods
    if methods and is_stopped(key, "the approximations that are missing here"):
        there_for, there = st.session_state.get("spectrum_there", (None, ()))
        methods = there if there_for == key else ()
    stop = stop_of(key)
    return {method: approximate_later(scene, method, choice.m, stop) for method in methods}


def _key(scene: Scene, choice: Choice) -> tuple[object, ...]:
    return ("approximated spectra", *scene.key, scene.seed, choice.m, choice.methods)


def found_of(
    scene: Scene, choice: Choice, asked: Mapping[str, Future[FloatArray]]
) -> tuple[dict[str, FloatArray], list[str]]:
    """Return the spectra that are there, and the methods still under way; one that is refused is told."""
    curves: dict[str, FloatArray] = {}
    missing: list[str] = []
    for method, future in asked.items():
        if not page.ready(future):
            missing.append(method)
            continue
        try:
            curves[method] = future.result()
        except (ValueError, MemoryError) as problem:
            why = str(problem) or "there is not enough memory for it; choose fewer landmarks."
            st.error(f"{METHODS[method].label}: {plain(why)}", icon=":material/error:")
    st.session_state["spectrum_there"] = _key(scene, choice), tuple(curves)
    return curves, missing


def wait_for_missing(
    scene: Scene, choice: Choice, asked: Mapping[str, Future[FloatArray]], missing: list[str]
) -> None:
    """Show the progress of the first approximation that is missing, with a button that stops all of them."""
    first = missing[0]
    seconds = approximate_seconds(scene, first, choice.m)
    page.wait_for(asked[first], METHODS[first].label, seconds, stop_of(_key(scene, choice)), name="spectra")


def draw_main(scene: Scene, choice: Choice, reading: Reading | None, curves: dict[str, FloatArray]) -> None:
    """Draw the spectra with the largest gap, the laws of decay and λ."""
    title = "Eigenvalues of K and of its approximations"
    if reading is not None and reading.gap is None and len(reading.values) > 1:
        title = "All eigenvalues of K are equal: there is no gap"
    if reading is not None and reading.gap is not None:
        title = f"After rank {reading.gap.r} comes the largest gap, {three_digits(reading.gap.size)} n"
        if reading.laws is not None and reading.laws[0].explained > reading.laws[1].explained:
            law = {"power": "a power law", "exponential": "an exponential"}[reading.laws[0].kind]
            title += f"; {law} fits the decay better"
    sampled = (
        f"; K from {grouped(reading.rows)} sampled rows" if reading and reading.rows < scene.data.n else ""
    )
    ridge = choice.ridge * largest_entry(scene)
    figure = compared_chart(
        None if reading is None else reading.values,
        {method: (METHODS[method].label, values) for method, values in curves.items()},
        scene.data.n if reading is None else reading.rows,
        None if reading is None else reading.gap,
        None if reading is None else reading.laws,
        ridge,
        page.theme(),
        title,
        f"{scene.subtitle}, m = {choice.m}{sampled}",
        log_ranks=choice.log_ranks,
    )
    page.show(figure, "spectrum", f"Eigenvalues over n against rank. {title}.")


def draw_frames(scene: Scene, choice: Choice, spectra: list[FloatArray]) -> None:
    """Draw the spectra at all bandwidths as frames."""
    top = largest_entry(scene)
    gaps = [(largest_gaps(values) or [Gap(1, 0.0, 1.0)])[0] for values in spectra]
    dimensions = [effective_dimension(values, choice.ridge * top) for values in spectra]
    away = [abs(math.log(multiple / (scene.multiple or 1.0))) for multiple in FRAME_MULTIPLES]
    default, widest = gaps[FRAME_MULTIPLES.index(1.0)].size, gaps[-1].size
    title = f"Gap {three_digits(default)} n at the default width, {three_digits(widest)} n at the widest"
    figure = bandwidth_chart(
        FRAME_MULTIPLES,
        spectra,
        gaps,
        dimensions,
        int(np.argmin(away)),
        page.theme(),
        title,
        f"Drag the width; {inert(scene.data.title)}, {len(spectra[0])} rows, λ = {choice.ridge:g}",
    )
    page.show(figure, "bandwidths", title)


def draw_condition(scene: Scene, reading: Reading, distances: Distances | None) -> None:
    """Draw theorem 1's threshold with the gap."""
    n = scene.data.n
    title = "Theorem 1 asks for a gap, and there is none"
    if reading.asked is not None:
        within = "of" if reading.asked <= n else "more than the"
        title = f"Theorem 1 asks for m ≥ {grouped(reading.asked)}, {within} {grouped(n)} rows"
    measured = None if distances is None else (distances.sizes, distances.found)
    figure = condition_chart(
        n,
        reading.unit_gap,
        reading.asked,
        measured,
        page.theme(),
        title,
        "gap/n > 3 (2 ln(2n³)/m + √(2 ln(2n³)/m))",
    )
    page.show(figure, "condition", title)


def draw_distances(scene: Scene, distances: Distances) -> None:
    """Draw the measured distances of the operators below theorem 5's bound."""
    ratio = float(np.median(tightness(distances)))
    title = "Every sample stands for all rows: no distance is seen"
    if math.isfinite(ratio):
        title = f"The bound is about {three_digits(ratio)} times the largest distance seen"
    figure = distance_chart(
        distances.n,
        distances.sizes,
        distances.found,
        page.theme(),
        title,
        f"n = {grouped(distances.n)}, {DRAWS} uniform samples",
    )
    page.show(figure, "distances", title)
