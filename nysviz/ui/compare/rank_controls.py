"""The controls of the view "Relative accuracy at rank d"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.datasets import Dataset, catalog, load
from nysviz.figures.look import inert
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011 import figure1
from nysviz.ui.sidebar.scene import Scene, keep_choices
from nysviz.ui.work.store import store

# The paper's methods, and those of others that choose columns without weights.
OFFERED = (*figure1.METHODS, "icd", "rpcholesky", "kmeanspp", "kmeanspp_lloyd", "farthest")
HERE = "The sidebar's data and kernel"
# Whether the sidebar was drawn for the paper's data.
OWN = "compare_rank_own_kernel"
UP_TO = (5, 10, 20)
FIRST_UP_TO = 10
REPEATS = (3, 5, 10, 20)
AT_HAND = {"with K at hand": True, "with the entries of K that are asked for": False}


@dataclass(frozen=True)
class Question:
    """What is to be compared, and on which matrix."""

    data: Dataset
    kernel: Kernel
    methods: tuple[str, ...]
    d: int
    up_to: int
    repeats: int
    seed: int
    shown: str
    at_hand: bool

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return min(self.data.n, figure1.ROWS)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of columns, each once."""
        return tuple(figure1.counts_of(self.n, self.d, self.up_to))

    @property
    def seconds_counts(self) -> tuple[int, ...]:
        """Numbers of columns at which seconds are taken."""
        counts = figure1.counts_of(self.n, self.d, self.up_to, figure1.SECONDS_STEPS)
        return tuple(m for m in counts if m >= self.d)

    @property
    def subtitle(self) -> str:
        """Data, size, kernel and d in one line, for charts."""
        rows = f"n = {self.n}"
        if self.n < self.data.n:
            rows += f" of {self.data.n} (sample, seed {figure1.SAMPLE_SEED})"
        return f"{inert(self.data.title)}, {rows}; {self.kernel.describe()}; d = {self.d}"


def own_kernel() -> str:
    """Return what the sidebar says in place of the kernel where the paper's data are chosen, else nothing."""
    chosen = st.session_state.get("compare_rank_data", st.query_params.get("compare_rank_data", HERE))
    st.session_state[OWN] = chosen != HERE
    return "" if chosen == HERE else "This view has the paper's data with their kernel, not this data set."


def choose(scene: Scene) -> Question | None:
    """Draw the controls of the view; None where the data have too few rows for any d."""
    cards = {card.title: card for card in catalog() if card.name in figure1.DATA and card.on_disk}
    setting = st.selectbox(
        "Data",
        [HERE, *cards],
        format_func=lambda title: title if title == HERE else f"As in the paper: {title}",
        key="compare_rank_data",
        bind="query-params",
        help="The paper's pictures have a Gaussian kernel with σ = 10, its documents a linear one.",
    )
    if (setting in cards) != st.session_state.get(OWN, False):
        # The sidebar was drawn for the other case, and the fragment cannot draw it anew.
        st.rerun()
    data, kernel = scene.data, scene.kernel
    if setting in cards:
        name = cards[setting].name
        data = store().get(("data", name, ()), lambda: load(name))
        kernel = figure1.kernel_of(data)
    ds = [d for d in figure1.RANKS if d < min(data.n, figure1.ROWS)]
    if not ds:
        st.info(f"{data.n} rows are too few for rank {figure1.RANKS[0]}; choose larger data.")
        return None
    methods = st.multiselect(
        "Methods",
        [name for name in OFFERED if METHODS[name].suits(kernel)],
        default=figure1.METHODS,
        format_func=lambda name: METHODS[name].label,
        key="compare_rank_methods",
        bind="query-params",
    )
    places = st.columns(3)
    d = places[0].selectbox(
        "Rank d",
        ds,
        index=min(figure1.RANKS.index(figure1.D), len(ds) - 1),
        key="compare_rank_d",
        bind="query-params",
    )
    up_to = _choose_up_to(places[2], min(data.n, figure1.ROWS), d)
    repeats = places[1].selectbox(
        "Repeats", REPEATS, index=1, key="compare_rank_repeats", bind="query-params"
    )
    shown = st.selectbox(
        "Best against classical rank d for",
        methods or ("greedy",),
        index=methods.index("greedy") if "greedy" in methods else 0,
        format_func=lambda name: METHODS[name].label,
        key="compare_rank_shown",
        bind="query-params",
    )
    counted = st.selectbox("Seconds", AT_HAND, key="compare_rank_counted", bind="query-params")
    at_hand = AT_HAND[counted]
    return Question(data, kernel, tuple(methods), d, up_to, repeats, scene.seed, shown, at_hand)


def _choose_up_to(place: DeltaGenerator, n: int, d: int) -> int:
    """Choose how far l / n goes, where it matters: few rows are always followed up to some multiple of d."""
    # Of those that give the same numbers of columns, one is enough.
    offered = list({tuple(figure1.counts_of(n, d, percent)): percent for percent in UP_TO}.values())
    if len(offered) == 1:
        keep_choices(("compare_rank_up_to",))
        return offered[0]
    if st.session_state.get("compare_rank_up_to", offered[0]) not in offered:
        st.session_state["compare_rank_up_to"] = offered[0]
    return place.selectbox(
        "l / n up to",
        offered,
        index=offered.index(FIRST_UP_TO),
        format_func=lambda p: f"{p} %",
        key="compare_rank_up_to",
        bind="query-params",
    )
