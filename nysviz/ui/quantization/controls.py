"""The controls of the page "Quantization"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.figure2 import METHODS as PUBLISHED
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.ui import large
from nysviz.ui.controls import choose_count
from nysviz.ui.sidebar.scene import Scene

FIRST_METHODS = (*PUBLISHED, "kmeanspp", "rpcholesky")
LABELS = {name: METHODS[name].label for name in OFFERED}
# More colours at once than a reader can tell apart help nobody.
MOST_METHODS = 8
FEWEST_RUNS, FIRST_RUNS, MOST_RUNS = 10, 30, 100
# Where there are many rows a run takes seconds; with few runs the points still say which way the cloud lies.
LARGE_FEWEST, LARGE_FIRST, LARGE_MOST = 3, 5, 20


@dataclass(frozen=True)
class Question:
    """Which methods, how many landmarks, how many runs of each."""

    methods: tuple[str, ...]
    m: int
    repeats: int

    @property
    def runs(self) -> int:
        """All runs: a method without randomness has one."""
        return sum(self.repeats if METHODS[name].random else 1 for name in self.methods)


def choose(scene: Scene) -> Question:
    """Draw the page's own controls."""
    offered, left_out = large.offered(scene, OFFERED)
    methods = st.multiselect(
        "Methods",
        offered,
        default=[name for name in FIRST_METHODS if name in offered],
        format_func=LABELS.__getitem__,
        key="quantization_methods",
        bind="query-params",
        max_selections=MOST_METHODS,
        placeholder="Choose methods",
    )
    m = choose_count(scene.data.n)
    few = large.is_large(scene.data.n)
    fewest, most, first = (
        (LARGE_FEWEST, LARGE_MOST, LARGE_FIRST) if few else (FEWEST_RUNS, MOST_RUNS, FIRST_RUNS)
    )
    repeats = st.slider(
        "Runs of each method",
        fewest,
        most,
        first,
        step=1 if few else 10,
        key="quantization_few_runs" if few else "quantization_runs",
        bind="query-params",
        help="Each with a seed of its own. A method without randomness runs once.",
    )
    if left_out:
        st.caption(large.left_out_sentence(left_out, limited=False))
    if left_out_mixtures := large.mixtures_sentence(methods, (m,)):
        st.caption(left_out_mixtures)
    # One order, however they were clicked: the same choice is the same run.
    return Question(tuple(name for name in OFFERED if name in methods), m, int(repeats))
