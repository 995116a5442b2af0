"""The controls of the page "Tournament"."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import CRITERIA
from nysviz.papers.tournament.jobs import CONTESTANTS, MULTIPLES, NAMES, PERCENTS
from nysviz.ui import address
from nysviz.ui.unkept import FORMER

LABELS = {
    "error": "error",
    "trace": "trace of the residual",
    "quantization": "quantization error",
    "seconds": "seconds",
    "evaluations": "kernel evaluations",
    "error_at_equal_seconds": "error at equal seconds",
    "error_at_equal_evaluations": "error at equal kernel evaluations",
}
THIRD = {"sets": "ranks on each data set", "predictors": "what predicts the error"}
SHORT = {name: METHODS[name].brief for name in CONTESTANTS}


@dataclass(frozen=True)
class Question:
    """By what, among whom and where methods are ranked; no bandwidth or m/n means all of them.

    ``multiples`` are those of the default width 2σ², as recorded.
    """

    criterion: str
    methods: tuple[str, ...]
    multiples: tuple[float, ...] = ()
    percents: tuple[float, ...] = ()

    @property
    def by(self) -> str:
        """The criterion in words."""
        return LABELS[self.criterion]

    @property
    def where(self) -> str:
        """The bandwidths and m/n that are asked for, in a few words."""
        sigmas = ", ".join(map(times_sigma, self.multiples))
        ratios = ", ".join(f"{percent:g}" for percent in self.percents)
        return f"{f'σ × {sigmas}' if sigmas else 'all bandwidths'}, m/n {ratios or '1–10'} %"


def times_sigma(multiple: float) -> str:
    """A multiple of the default width 2σ² as one of the default σ: 1/4, 1/2, 1, 2."""
    return times_width(math.sqrt(multiple))


def in_sigma(multiple: float) -> str:
    """Name a bandwidth by the default σ: σ/4, σ, 2σ."""
    times = math.sqrt(multiple)
    return f"σ/{1 / times:.3g}" if times < 1 else "σ" if times == 1 else f"{times:.3g}σ"


def choose() -> Question:
    """Draw the controls of the page."""
    criterion = st.selectbox(
        "Ranked by",
        CRITERIA,
        format_func=LABELS.__getitem__,
        key="tournament_by",
        bind="query-params",
        help="Error is the relative Frobenius error at the same m. Where cost is held equal: the error "
        "that a method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it "
        "is last.",
    )
    former = FORMER["tournament_methods"]
    address.translate("tournament_methods", {text: NAMES[name] for text, name in former.items()})
    methods = st.multiselect(
        "Contestants",
        CONTESTANTS,
        default=list(CONTESTANTS),
        format_func=NAMES.__getitem__,
        key="tournament_methods",
        bind="query-params",
    )
    left, right = st.columns(2)
    address.translate("tournament_widths", FORMER["tournament_widths"])
    multiples = left.pills(
        "Bandwidth (σ: the default)",
        MULTIPLES,
        selection_mode="multi",
        format_func=in_sigma,
        key="tournament_widths",
        bind="query-params",
        wrap=True,
        help="None chosen: all of them.",
    )
    percents = right.pills(
        "m / n",
        PERCENTS,
        selection_mode="multi",
        format_func=lambda percent: f"{percent} %",
        key="tournament_percents",
        bind="query-params",
        wrap=True,
        help="None chosen: all of them.",
    )
    return Question(criterion, tuple(methods), tuple(multiples or ()), tuple(percents or ()))


def choose_third() -> str:
    """Choose what the third picture shows."""
    return st.segmented_control(
        "Picture below at the right",
        THIRD,
        default="sets",
        required=True,
        format_func=THIRD.__getitem__,
        key="tournament_third",
        bind="query-params",
        wrap=True,
        label_visibility="collapsed",
    )
