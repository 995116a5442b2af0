"""What the page "Two balls" starts from and computes: its own data, controls, and results it keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray, IntArray, cores
from nysviz.datasets import Dataset, two_balls
from nysviz.figures.look import grouped, three_digits
from nysviz.learning.feature_comparison import (
    FOLDS,
    FREQUENCY_SCALES,
)
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.leading_subspace import SURPLUS, LeadingPairs, principal_cosines
from nysviz.learning.squared_hinge import COST_ROWS, COSTS
from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Record
from nysviz.ui import downloads, estimates
from nysviz.ui.sidebar.scene import keep_choices
from nysviz.ui.work.store import store

SIZES = (500, 1_000, 2_000, 4_000, 7_000, 10_000)
COUNTS = (2, 5, 10, 20, 50, 100, 200)
# Passes over K that the search for eigenpairs takes, mostly, steps for an entry in each, and blocks of
# columns that it holds beside those of the passes, with a block of K in each thread.
PAIRS_PASSES, PAIRS_STEPS, PAIRS_BESIDE = 4, 5, 3
SCALE_LABELS = {"1/σ": "1/σ, as defined", "1": "1", "σ": "σ"}
NYSTROEM = "uniform"
# The two machines that the answer names take about 1 s at N = 10 000: progress would hardly be seen.
ANSWER_SECONDS = 1.5
# What the fits of a machine take at least, steps of all its passes over the features for each entry, and how
# often its rows go into a square of its features.
FIT_SECONDS = 0.02
STEPS, SQUARES = 10, 2


@dataclass(frozen=True)
class Balls:
    """The data of this page, their kernel and the seed."""

    data: Dataset
    distance: float
    sigma: float
    seed: int

    @property
    def n(self) -> int:
        """Number of points N."""
        return self.data.n

    @property
    def y(self) -> IntArray:
        """Class of each point, -1 or 1."""
        return np.asarray(self.data.y)

    @property
    def redundant(self) -> int:
        """Number of features that say nothing."""
        return self.data.d - 2

    @property
    def key(self) -> tuple[str, float]:
        """Content that a kernel matrix of this page depends on."""
        return self.data.digest, self.sigma

    @property
    def subtitle(self) -> str:
        """Size and kernel in one line, for charts."""
        return f"N = {grouped(self.n)}, {self.redundant} redundant features, σ = {three_digits(self.sigma)}"


def own_sidebar() -> Balls:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    keep_choices()
    with st.sidebar:
        st.caption("This page is about two balls and makes its own data; the other pages keep theirs.")
        n = st.select_slider(
            "Points N", SIZES, value=2_000, format_func=str, key="balls_n", bind="query-params"
        )
        redundant = st.number_input(
            "Redundant features",
            min_value=0,
            max_value=500,
            value=figure1.REDUNDANT,
            step=10,
            key="balls_redundant",
            bind="query-params",
            help="Uniform on [0, 1], the same for both classes.",
        )
        distance = st.slider(
            "Distance of the balls",
            0.0,
            3.0,
            1.0,
            0.1,
            key="balls_distance",
            bind="query-params",
            help="Of the centres. The radius is 0.5: the balls overlap below 1, touch at 1, part above.",
        )
        sigma = st.number_input(
            "Bandwidth σ",
            min_value=0.05,
            max_value=1_000.0,
            value=figure1.SIGMA,
            step=0.5,
            format="%g",
            key="balls_sigma",
            bind="query-params",
            help="Of the Gaussian kernel exp(-‖x - y‖² / 2σ²).",
        )
        seed = st.number_input(
            "Seed",
            min_value=0,
            max_value=999_999,
            value=0,
            step=1,
            key="seed",
            bind="query-params",
            help="Start of the random numbers: of the data, the landmarks, the frequencies and the trials.",
        )
    settings = (int(n), int(redundant), int(seed), float(distance))
    data = store().get(("two balls", *settings), lambda: two_balls(*settings))
    downloads.about(data.title)
    return Balls(data, float(distance), float(sigma), int(seed))


def choose_count(balls: Balls) -> int:
    """Slider over the numbers of landmarks and of frequencies that the training half allows."""
    offered = [m for m in COUNTS if 2 * m <= balls.n]
    if st.session_state.get("balls_m", offered[0]) not in offered:
        st.session_state["balls_m"] = offered[-1]
    value = figure1.MS[-1]
    return int(
        st.select_slider(
            "Landmarks, or frequencies, m", offered, value, str, key="balls_m", bind="query-params"
        )
    )


def choose_scale() -> str:
    """Choose the standard deviation of the frequencies."""
    chosen = st.segmented_control(
        "Standard deviation of the Fourier frequencies",
        FREQUENCY_SCALES,
        default=FREQUENCY_SCALES[0],
        format_func=SCALE_LABELS.__getitem__,
        key="balls_scale",
        bind="query-params",
        wrap=True,
        help="u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel.",
    )
    return str(chosen or FREQUENCY_SCALES[0])


def label(method: str) -> str:
    """Name of a method in a table or legend."""
    short = {"rff": "RFF", "orf": "ORF", "uniform": "Nyström, uniform", "kmeans": "Nyström, k-means"}
    return short[method]


def exact_later(balls: Balls) -> Future[LeadingPairs]:
    """Leading eigenpairs of K, computed once in another thread and kept; K itself is never held."""
    key = ("leading pairs", *balls.key)
    return store().later(
        key,
        lambda: figure1.exact_pairs(balls.data.X, balls.sigma),
        urgent=True,
        seconds=exact_seconds(balls),
        holds=8.0
        * balls.n
        * ((PAIRS_PASSES + PAIRS_BESIDE) * (figure1.EIGENVALUES + SURPLUS) + 2 * balls.data.d),
    )


def exact_seconds(balls: Balls) -> float:
    """Estimate of that time: some passes over all of K, whose entries are made anew in each."""
    entries, width = balls.n**2, balls.data.d + figure1.EIGENVALUES + SURPLUS
    one = estimates.touch_seconds(PAIRS_STEPS * entries) + estimates.product_seconds(entries * width)
    return PAIRS_PASSES * one / cores()


def pairs(balls: Balls, method: str, m: int, scale: str) -> LeadingPairs:
    """Leading eigenpairs of an approximation from m landmarks or frequencies."""
    scale = scale if method in RANDOM_FEATURES else FREQUENCY_SCALES[0]
    key = ("feature pairs", *balls.key, method, m, balls.seed, scale)
    settings = (balls.data.X, method, m, balls.sigma, balls.seed, scale)
    # Features of all rows, of Fourier frequencies two for each, and what they are made from.
    held = 8.0 * balls.n * (3 * m + balls.data.d)
    return store().get(key, lambda: figure1.feature_pairs(*settings), holds=held)


def accuracies_later(
    balls: Balls, wanted: Sequence[tuple[str, str]], m: int, *, urgent: bool
) -> Future[tuple[float, ...]]:
    """Test accuracies (%) of methods with their scales in the first trial: one split, one draw."""
    problem = figure1.problem_of(balls.data, balls.sigma)

    def one(method: str, scale: str) -> float:
        key = ("linear machine", *balls.key, method, scale, m, balls.seed)
        return store().get(
            key, lambda: accuracy(figure1.accuracy_record(problem, method, scale, m, 0, balls.seed)[0])
        )

    key = ("linear machines", *balls.key, tuple(wanted), m, balls.seed)
    return store().later(key, lambda: tuple(one(*case) for case in wanted), urgent=urgent)


def accuracies_seconds(balls: Balls, wanted: Sequence[tuple[str, str]], m: int) -> float:
    """Estimate the time of these machines: features of all points, and fits on folds and on the half."""
    half = (balls.n + 1) // 2
    rows = len(COSTS) * (FOLDS - 1) * min(half, COST_ROWS) + half
    counts = [2 * m if method in RANDOM_FEATURES else m for method, _ in wanted]
    features = estimates.product_seconds(balls.n * balls.data.d * sum(counts))
    squares = estimates.product_seconds(SQUARES * (FOLDS - 1) * half * sum(count**2 for count in counts))
    touched = estimates.touch_seconds(STEPS * rows * sum(counts))
    return len(wanted) * FIT_SECONDS + features + squares + touched


def accuracy(record: Record) -> float:
    """Test accuracy in per cent."""
    return 100.0 - record.values["test_error"]


@dataclass(frozen=True)
class Comparison:
    """How an approximation's two leading eigenvectors compare with those of K."""

    method: str
    scale: str
    pairs: LeadingPairs
    cosines: FloatArray
    reach: tuple[float, float]

    @property
    def smallest(self) -> float:
        """Cosine of the larger of the two angles; 0 where there is no second eigenvector."""
        return float(self.cosines[-1]) if len(self.cosines) == figure1.LEADING else 0.0


def cases(scale: str) -> list[tuple[str, str]]:
    """Methods with their frequency scales that the table compares; landmarks have no scale."""
    of_fourier = [("rff", each) for each in FREQUENCY_SCALES]
    return [("uniform", ""), ("kmeans", ""), *of_fourier, ("orf", scale)]


def compare(balls: Balls, exact: LeadingPairs, method: str, m: int, scale: str) -> Comparison:
    """Compare the leading subspaces of K and of an approximation."""
    found = pairs(balls, method, m, scale)
    cosines = principal_cosines(exact.vectors, found.vectors)
    return Comparison(method, scale, found, cosines, reach(found))


def reach(found: LeadingPairs) -> tuple[float, float]:
    """Smallest and largest entry of the first eigenvector, times √N; 1 and 1 where all entries are alike."""
    if not found.vectors.size:
        return 0.0, 0.0
    first = found.vectors[:, 0] * math.copysign(math.sqrt(len(found.vectors)), found.vectors[:, 0].sum())
    return float(first.min()), float(first.max())
