"""The controls of the page "Two balls", which makes its own data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from nysviz.blocks import IntArray
from nysviz.datasets import Dataset, two_balls
from nysviz.learning.feature_comparison import FREQUENCY_SCALES
from nysviz.papers.yang2012 import figure1
from nysviz.text import grouped, three_digits
from nysviz.ui import downloads
from nysviz.ui.asking import shared
from nysviz.ui.sidebar.scene import keep_choices

SIZES = (500, 1_000, 2_000, 4_000, 7_000, 10_000)
COUNTS = (2, 5, 10, 20, 50, 100, 200)
SCALE_LABELS = {"1/σ": "1/σ, as defined", "1": "1", "σ": "σ"}


@dataclass(frozen=True)
class Balls:
    """The data of this page, their kernel and the seed."""

    data: Dataset
    distance: float
    sigma: float
    seed: int

    @property
    def y(self) -> IntArray:
        """Class of each point, -1 or 1."""
        return np.asarray(self.data.y)

    @property
    def redundant(self) -> int:
        """Number of features that say nothing."""
        return self.data.d - 2

    @property
    def content(self) -> tuple[str, float, int]:
        """All that a result of this page depends on."""
        return self.data.digest, self.sigma, self.seed

    @property
    def subtitle(self) -> str:
        """Size and kernel in one line, for charts."""
        return f"n = {grouped(self.data.n)}, r = {self.redundant} redundant, σ = {three_digits(self.sigma)}"


@shared()
def _made(n: int, redundant: int, seed: int, distance: float) -> Dataset:
    return two_balls(n, redundant, seed, distance)


def _number(
    label: str, low: float, high: float, first: float, step: float, key: str, note: str, **more: Any
) -> float:
    settings = {"step": step, "key": key, "help": note, "bind": "query-params", **more}
    return st.number_input(label, low, high, first, **settings)


def own_sidebar() -> Balls:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    keep_choices()
    with st.sidebar:
        st.caption("This page is about two balls and makes its own data; the other pages keep theirs.")
        n = st.select_slider("Points n", SIZES, 2_000, str, key="balls_n", bind="query-params")
        note = "Uniform on [0, 1], the same for both classes."
        redundant = _number("Redundant features r", 0, 500, figure1.REDUNDANT, 10, "balls_redundant", note)
        note = "Of the centres. The radius is 0.5: the balls overlap below 1 and touch at 1."
        distance = st.slider(
            "Distance of the balls", 0.0, 3.0, 1.0, 0.1, key="balls_distance", bind="query-params", help=note
        )
        note = "Of the Gaussian kernel exp(-‖x - y‖² / 2σ²)."
        sigma = _number("Bandwidth σ", 0.05, 1_000.0, figure1.SIGMA, 0.5, "balls_sigma", note, format="%g")
        note = "Start of the random numbers: of the data, the landmarks, the frequencies and the trials."
        seed = _number("Seed", 0, 999_999, 0, 1, "seed", note)
    data = _made(int(n), int(redundant), int(seed), float(distance))
    downloads.about(data.title)
    return Balls(data, float(distance), float(sigma), int(seed))


def controls(balls: Balls) -> tuple[int, str]:
    """Choose m, as the training half allows, and the standard deviation of the frequencies."""
    offered = [m for m in COUNTS if 2 * m <= balls.data.n]
    if st.session_state.get("balls_m", offered[0]) not in offered:
        st.session_state["balls_m"] = offered[-1]
    label, first = "Landmarks, or frequencies, m", figure1.MS[-1]
    m = int(st.select_slider(label, offered, first, str, key="balls_m", bind="query-params"))
    scale = st.segmented_control(
        "Standard deviation s of the Fourier frequencies",
        FREQUENCY_SCALES,
        default=FREQUENCY_SCALES[0],
        format_func=SCALE_LABELS.__getitem__,
        key="balls_scale",
        bind="query-params",
        wrap=True,
        help="u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel.",
    )
    return m, str(scale or FREQUENCY_SCALES[0])
