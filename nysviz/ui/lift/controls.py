"""The controls of the page "Lift"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from nysviz.datasets import Dataset
from nysviz.figures.look import inert
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.figures import Bandwidths, bandwidths
from nysviz.papers.oglic2017.lift import (
    BEST,
    LANDMARKS,
    REFERENCE,
    SCHEMES,
    landmark_count,
    rank_for,
    ranks_for,
    sampled,
)
from nysviz.refusal import Refusal
from nysviz.ui.asking import shared
from nysviz.ui.sidebar.scene import Scene, keep_choices
from nysviz.ui.work.needs import square_bytes

# The paper's schemes, its refinement, what it does not have, and the most that any method could gain.
FIRST = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "dpp_10000", "rpcholesky", "greedy", BEST)
VIEWS = {
    "bandwidth": "lift against bandwidth",
    "rank": "lift against rank",
    "seconds": "seconds against error",
}
REPEATS = (1, 3, 6, 10, 20)
# Matrices of ten bandwidths are formed again and again: of more rows a sample is taken.
MOST_ROWS = 3_000
RANKS = (5, 10, 20, 40, 60, 80, 100)
# Seconds are taken from fewer runs, one after the other.
COST_REPEATS = 3


@dataclass(frozen=True)
class Question:
    """What is to be compared, on which rows."""

    view: str
    schemes: tuple[str, ...]
    rank: int
    rule: str
    repeats: int
    seed: int
    title: str
    digest: str
    X: np.ndarray
    range: Bandwidths

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.X)

    @property
    def rivals(self) -> tuple[str, ...]:
        """The chosen methods without the best possible, which nobody can exceed."""
        return tuple(name for name in self.schemes if name != BEST)

    @property
    def values(self) -> tuple[float, ...]:
        """Bandwidths 1/σ² of the view: the range with 1/median in it, or 1/median alone."""
        if self.view == "rank":
            return (self.range.standard,)
        return tuple(sorted({*self.range.values, self.range.standard}))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks of the view."""
        if self.view != "rank":
            return (self.rank,)
        last = rank_for(self.n)
        return tuple(sorted({min(last, rank) for rank in ranks_for(self.n, RANKS)}))

    @property
    def subtitle(self) -> str:
        """Data, kernel, n and rank in one line."""
        rank = f"l = {self.rule} landmarks"
        if self.view != "rank":
            rank = f"rank {self.rank} from {landmark_count(self.rank, self.n, self.rule)} landmarks"
        return f"{inert(self.title)}, n = {self.n}, d = {self.X.shape[1]}; Gaussian kernel; {rank}"


def _bytes(data: Dataset) -> float:
    # The distances of all pairs.
    return square_bytes(min(data.n, MOST_ROWS), 0.5)


@shared(holds=_bytes)
def range_of(data: Dataset) -> Bandwidths:
    """Return the bandwidths of the rows that are measured."""
    return bandwidths(sampled(data, MOST_ROWS, 0)[0])


def choose(scene: Scene) -> Question:
    """Draw the controls of the page.

    Raises
    ------
    ValueError
        Data whose distances suggest no bandwidth, or too few rows.
    """
    X, digest = sampled(scene.data, MOST_ROWS, 0)
    if len(X) < 2:
        raise Refusal("One row alone has no distances; choose data with more rows.")
    found = range_of(scene.data)
    offered = [
        name
        for name, scheme in SCHEMES.items()
        if name != REFERENCE and METHODS[scheme.method].suits(Gaussian(1.0))
    ]
    view = st.selectbox("Show", VIEWS, format_func=VIEWS.__getitem__, key="lift_view", bind="query-params")
    schemes = st.multiselect(
        "Methods against uniform sampling",
        offered,
        default=[name for name in FIRST if name in offered],
        format_func=lambda name: SCHEMES[name].label,
        key="lift_methods",
        bind="query-params",
    )
    # The longest name is that of the landmarks, which must not break in the presentation view.
    widths = {"rank": (0.56, 0.44), "seconds": (0.4, 0.6)}.get(view, (0.28, 0.42, 0.3))
    places = list(st.columns(widths, gap="small", vertical_alignment="bottom"))
    rank, repeats = rank_for(len(X)), COST_REPEATS
    if view != "rank":
        rank = int(
            places.pop(0).number_input(
                "Rank K",
                min_value=1,
                max_value=max(1, min(500, len(X) // 2)),
                value=rank,
                step=10,
                key=f"lift_rank_{min(len(X), MOST_ROWS)}",
                bind="query-params",
            )
        )
    rule = places.pop(0).selectbox(
        "Landmarks l",
        LANDMARKS,
        key="lift_landmarks",
        bind="query-params",
        help="More landmarks than the rank: the best rank K of what they give is measured.",
    )
    if view == "seconds":
        keep_choices(("lift_repeats",))
        if BEST in schemes:
            st.caption(f"No seconds for {SCHEMES[BEST].label}, which is no choice of landmarks.")
    else:
        repeats = places.pop(0).selectbox(
            "Repeats", REPEATS, index=3, key="lift_repeats", bind="query-params"
        )
    if len(X) < scene.data.n:
        st.caption(f"A random sample of {len(X)} of the {scene.data.n} rows is measured.")
    return Question(view, tuple(schemes), rank, rule, repeats, scene.seed, scene.data.title, digest, X, found)
