"""The page "Tournament": its recorded board, its question, and what follows from both."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.papers.records import FOLDER, ORIGIN, file_of, origins, recorded_of
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import CRITERIA, Board
from nysviz.papers.tournament.setting import CONTESTANTS, EXPERIMENT, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import Standing, Win, standing, wins
from nysviz.ui import address
from nysviz.ui.unkept import FORMER
from nysviz.ui.work.store import store

T = TypeVar("T")

# What reading the record and ranking by every criterion takes on a machine of two cores.
READING_SECONDS = 2.0
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
FEWEST_METHODS = 2


@dataclass(frozen=True, eq=False)
class Evidence:
    """The recorded tournament: its board, and how it was made."""

    board: Board
    origin: dict[str, object] = field(default_factory=dict)
    stamp: tuple[object, ...] = ()


@dataclass(frozen=True)
class Question:
    """By what, among whom and where methods are ranked; no bandwidth or m/n means all of them."""

    criterion: str
    methods: tuple[str, ...]
    multiples: tuple[float, ...]
    percents: tuple[float, ...]

    @property
    def by(self) -> str:
        """The criterion in words."""
        return LABELS[self.criterion]


@dataclass(frozen=True, eq=False)
class Result:
    """What the record says to a question: ranks where it asks, and the winners everywhere."""

    standing: Standing | None
    wins: tuple[Win, ...]


def evidence_later() -> Future[Evidence]:
    """Read the recorded tournament in the background; again when its file changed."""
    path, told = file_of(EXPERIMENT), FOLDER / ORIGIN
    files = [file for file in (path, told) if file.exists()]
    stamp = tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    return store().later((EXPERIMENT, stamp), partial(_read, stamp), urgent=True)


def _read(stamp: tuple[object, ...]) -> Evidence:
    return Evidence(Board(recorded_of(EXPERIMENT)), origins().get(EXPERIMENT, {}), stamp)


def label(method: str) -> str:
    """A contestant's name in words."""
    return NAMES[method]


def ask() -> Question:
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
    former = {text: label(name) for text, name in FORMER["tournament_methods"].items()}
    address.translate("tournament_methods", former)
    methods = st.multiselect(
        "Contestants",
        CONTESTANTS,
        default=list(CONTESTANTS),
        format_func=label,
        key="tournament_methods",
        bind="query-params",
    )
    left, right = st.columns(2)
    multiples = left.pills(
        "Width × default",
        MULTIPLES,
        selection_mode="multi",
        format_func=times_width,
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


def ask_third() -> str:
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


def kept(found: Evidence, name: str, make: Callable[[Evidence], T]) -> T:
    """What depends on the record alone, made once."""
    return store().get((EXPERIMENT, name, found.stamp), lambda: make(found))


def result_of(found: Evidence, question: Question) -> Result:
    """Rank and find the winners, once for each question."""
    key = (EXPERIMENT, "result", found.stamp, question)
    return store().get(key, lambda: ranked(found.board, question))


def ranked(board: Board, question: Question) -> Result:
    """Rank a board as a question asks."""
    if len(question.methods) < FEWEST_METHODS:
        return Result(None, ())
    values = board.values(question.criterion)
    asked = tuple(name for name in board.methods if name in question.methods)
    if len(asked) < FEWEST_METHODS:
        return Result(None, ())
    return Result(
        standing(values, asked, question.multiples, question.percents),
        tuple(wins(board, question.criterion, asked)),
    )
