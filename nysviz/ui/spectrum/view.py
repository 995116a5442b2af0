"""The controls and the charts of the page "Spectrum"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.figures.spectra import bandwidth_chart, distance_chart, spectrum_chart
from nysviz.landmarks import METHODS
from nysviz.spectrum.gaps import Gap, effective_dimension, largest_gaps
from nysviz.text import grouped
from nysviz.ui import computing, large, page
from nysviz.ui.controls import choose_count
from nysviz.ui.inputs import segments, several, stops
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.spectrum.result import (
    DRAWS,
    FRAME_MULTIPLES,
    Distances,
    Question,
    Reading,
    largest_entry,
)

FIRST_METHODS = ("uniform", "kmeans", "rff")
MOST_METHODS = 7
# λ of the effective dimension: quarters of a decade.
RIDGES = tuple(float(f"{10.0 ** (k / 4):.2g}") for k in range(-32, 1))
FIRST_RIDGE = 1e-3
LOG, LINEAR = "log", "linear"


def choose(scene: Scene) -> Question:
    """Draw the controls of this page."""
    # The best rank m has the leading eigenvalues of K itself: nothing to see.
    offered, left_out = ([name for name in names if name != "svd"] for names in computing.offered(scene))
    # Kernels with other methods have a choice of their own: it may not hold what is not offered.
    key = "spectrum_methods" if "rff" in offered else "spectrum_landmark_methods"
    methods = several("Approximations", offered, key, FIRST_METHODS, max_selections=MOST_METHODS)
    if left_out:
        st.caption(large.left_out_sentence(left_out, limited=False))
    m = choose_count(scene.data.n)
    ranks = segments("Axis of the ranks", [LOG, LINEAR], "spectrum_ranks")
    label = "λ of the effective dimension d(λ)"
    ridge = stops(label, RIDGES, "spectrum_ridge", FIRST_RIDGE, lambda value: f"{value:.2g}")
    return Question(methods, m, ranks == LOG, ridge)


def draw_spectra(
    scene: Scene, question: Question, reading: Reading, curves: Mapping[str, FloatArray]
) -> None:
    """Draw the spectra with the largest gap, the laws of decay and λ."""
    title = "Eigenvalues of K and of its approximations"
    sampled = f"; K from {grouped(reading.rows)} sampled rows" if reading.rows < scene.data.n else ""
    figure = spectrum_chart(
        reading.values,
        {method: (METHODS[method].label, values) for method, values in curves.items()},
        reading.rows,
        question.m,
        page.theme(),
        title,
        f"{scene.subtitle}, m = {question.m}{sampled}",
        gap=reading.gap,
        laws=reading.laws,
        ridge=question.ridge * reading.top,
        log_ranks=question.log_ranks,
    )
    page.show(figure, "spectrum", f"Eigenvalues over n against rank. {title}.")


def draw_bandwidths(scene: Scene, question: Question, spectra: Sequence[FloatArray]) -> None:
    """Draw the spectra at all bandwidths as frames."""
    top = largest_entry(scene)
    gaps = [(largest_gaps(values) or [Gap(1, 0.0, 1.0)])[0] for values in spectra]
    away = [abs(math.log(multiple / (scene.multiple or 1.0))) for multiple in FRAME_MULTIPLES]
    title = "What does the bandwidth change? Drag σ"
    figure = bandwidth_chart(
        [math.sqrt(multiple) for multiple in FRAME_MULTIPLES],
        spectra,
        gaps,
        [effective_dimension(values, question.ridge * top) for values in spectra],
        int(np.argmin(away)),
        page.theme(),
        title,
        f"{len(spectra[0])} rows, λ = {question.ridge:g}",
    )
    page.show(figure, "bandwidths", title)


def draw_distances(scene: Scene, reading: Reading, distances: Distances | None) -> None:
    """Draw the measured distances of the operators, theorem 5's bound, and the gap of theorem 1."""
    n, asked = scene.data.n, reading.asked
    title = "From how many landmarks on does theorem 1 hold?"
    figure = distance_chart(
        n,
        reading.unit_gap,
        asked,
        None if distances is None else (distances.sizes, distances.found),
        page.theme(),
        title,
        f"{DRAWS} uniform samples of {grouped(reading.rows)} rows",
    )
    page.show(figure, "distances", title)
