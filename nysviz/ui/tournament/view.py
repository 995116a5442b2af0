"""The controls and the charts of the page, and the tournament run again on the visitor's data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from nysviz.datasets import Dataset, load
from nysviz.datasets.cards import card
from nysviz.figures.look import inert
from nysviz.figures.tournament import predictor_chart, rank_chart, set_map, win_map
from nysviz.papers.experiments import EXPERIMENTS
from nysviz.papers.row import Row
from nysviz.papers.tournament.jobs import (
    CONTESTANTS,
    EXPERIMENT,
    MULTIPLES,
    NAMES,
    PERCENTS,
    ROWS,
    Arena,
    arena_of,
    cost_job,
    error_jobs,
)
from nysviz.papers.tournament.standings import CRITERIA, Board, Standing
from nysviz.sweep import Job, Progress
from nysviz.text import counted
from nysviz.ui import address, page
from nysviz.ui.asking import shared
from nysviz.ui.inputs import box, pills, segments, several
from nysviz.ui.markdown import plain
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.tournament import result
from nysviz.ui.tournament.result import LABELS, SHORT, Question, Result, Series, in_sigma, ranked
from nysviz.ui.unkept import FORMER

LOWER = {"map": "who wins where", "sets": "each data set", "predictors": "what predicts the error"}


def choose() -> Question:
    """Draw the controls of the page."""
    note = (
        "Error is the relative Frobenius error at the same m. Where cost is held equal: the error that a "
        "method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it is last."
    )
    criterion = box("Ranked by", CRITERIA, "tournament_by", names=LABELS, help=note)
    former = {text: NAMES[name] for text, name in FORMER["tournament_methods"].items()}
    address.translate("tournament_methods", former)
    methods = several("Contestants", CONTESTANTS, "tournament_methods", CONTESTANTS, NAMES)
    address.translate("tournament_widths", FORMER["tournament_widths"])
    note = "None chosen: all of them."
    with st.popover("Bandwidth and m / n", width="stretch"):
        multiples = pills("Bandwidth (σ: the default)", MULTIPLES, "tournament_widths", in_sigma, help=note)
        percents = pills("m / n", PERCENTS, "tournament_percents", "{} %".format, help=note)
    return Question(criterion, methods, multiples, percents)


def choose_lower() -> str:
    """Choose what the second picture shows."""
    return segments("Second picture", LOWER, "tournament_third", names=LOWER, label_visibility="collapsed")


def draw_ranks(question: Question, found: Standing) -> None:
    """Draw mean ranks with the critical difference."""
    where = f"{result.in_sets(len(found.sets))}, Gaussian kernel, {question.where}"
    note = "grey: not significantly behind the first"
    title = inert(f"Mean rank by {question.by}"), inert(f"{where}; {note}")
    page.show(rank_chart(found, SHORT, title, page.theme()), "tournament", ": ".join(title))


def draw_map(board: Board, question: Question, found: Result) -> None:
    """Draw who wins where."""
    sigmas = {multiple: in_sigma(multiple) for multiple in board.multiples}
    hovers = [result.hover(win, question) for win in found.wins]
    about = f"by {question.by}, {result.in_sets(found.wins[0].sets)}; faint: not significant"
    title = "The winner at each bandwidth and m / n", inert(about)
    figure = win_map(found.wins, sigmas, PERCENTS, SHORT, hovers, title, page.theme())
    page.show(figure, "tournament_map", title[0])


def draw_sets(question: Question, found: Standing) -> None:
    """Draw the rank of every method on every data set."""
    theme = page.theme()
    strong = "bright" if theme.dark else "dark"
    title = (
        "Rank on each data set",
        f"by {question.by}, {question.where}; means over the sets are the mean ranks; {strong} is ahead",
    )
    page.show(set_map(found, SHORT, title, theme), "tournament_lower", title[0])


def draw_predictors(board: Board, series: Series) -> None:
    """Draw what predicts the error at each bandwidth."""
    sigmas = [in_sigma(multiple) for multiple in board.multiples]
    title = (
        "What predicts the error of a method?",
        f"rank correlation over the methods, mean of {result.in_sets(len(board.sets))}, 95 % intervals",
    )
    page.show(predictor_chart(sigmas, series, title, page.theme()), "tournament_lower", title[0])


HERE, ALONG = "the data set of the sidebar", "all sets that come along"
REPEATS = (1, 3, 5)
OWN = "your data"


@dataclass(frozen=True)
class Asked:
    """What is run again: names of the catalog, or the sidebar's data, with methods, repeats and seed."""

    names: tuple[str, ...]
    digest: str
    methods: tuple[str, ...]
    repeats: int
    seed: int

    @property
    def where(self) -> str:
        """Data, repeats and seed in a few words."""
        sets = self.names[0] if len(self.names) == 1 else result.in_sets(len(self.names))
        return f"{sets}, {counted(self.repeats, 'repeat')}, seed {self.seed}"


def run_again(scene: Scene, recorded: Board, question: Question) -> None:
    """Choose data and repeats, run the chosen methods, and set their winners beside the recorded ones."""
    left, right = st.columns([0.32, 0.68], gap="medium")
    with left:
        asked = _choose(scene, recorded, question.methods)
    with right, page.sentences():
        if asked is None:
            st.caption("Press the button to run the chosen contestants; the record stays as it is.")
            return
        sets = [scene.data] if asked.digest else [load(name) for name in asked.names]
        arenas = [
            replace(_arena(data, asked.seed), name=name) for data, name in zip(sets, asked.names, strict=True)
        ]

        def make() -> Sequence[Job]:
            jobs = [
                job
                for arena in arenas
                for job in error_jobs(arena, methods=asked.methods, repeats=asked.repeats, seed=asked.seed)
            ]
            return [*jobs, *(cost_job(arena, asked.methods, asked.seed) for arena in arenas)]

        def draw(rows: Sequence[Row], progress: Progress) -> None:
            # Until every set is there, the record of all of them is nothing to hold it against.
            whole = 0 < progress.total == progress.done and set(asked.names) <= set(recorded.sets)
            _draw(Board(rows), recorded.of(asked.names) if whole else None, asked, question)

        # One at a time: seconds are among what is measured.
        run = running((EXPERIMENT, "again", asked), make, alone=True)
        follow(run, draw, what=f"{counted(len(asked.methods), 'method')}, {result.in_sets(len(arenas))}")


def _choose(scene: Scene, recorded: Board, methods: tuple[str, ...]) -> Asked | None:
    """Data, repeats and seed of a live run, once the button was pressed for them."""
    where = st.radio("Data", (HERE, ALONG), key="tournament_where", bind="query-params")
    repeats = box("Repeats", REPEATS, "tournament_repeats", 3)
    name = own_name(scene)
    asked = Asked(EXPERIMENTS[EXPERIMENT].embedded, "", methods, repeats, scene.seed)
    if where == HERE:
        asked = Asked((name,), scene.data.digest, methods, repeats, scene.seed)
        if name not in recorded.sets:
            title = plain(scene.data.title or scene.data.name)
            these = " with these settings" if scene.settings else ""
            st.caption(f"{title}{these} is not in the record: it runs by itself.")
    st.caption(f"{plain(asked.where)}: at most {ROWS} random rows of a set, all bandwidths and m/n.")
    if st.button("Run again here", key="tournament_run", icon=":material/replay:"):
        st.session_state["tournament_asked"] = asked
    # Other data or repeats: what was asked for is no longer on the screen.
    return asked if st.session_state.get("tournament_asked") == asked else None


def own_name(scene: Scene) -> str:
    """A name for the records: that of the catalog, none of a file's own, which other sessions could see."""
    if not scene.data.from_catalog:
        return OWN
    knobs = {knob.name: knob.default for knob in card(scene.data.name).parameters}
    # With other knobs they are other data than the recorded ones.
    same = all(knobs[name] == value for name, value in scene.settings)
    return scene.data.name if same else f"{scene.data.name} with other settings"


@shared()
def _arena(data: Dataset, seed: int) -> Arena:
    # The same numbers may be of two visitors: without a name.
    return replace(arena_of(data, seed), name="")


def _draw(live: Board, same: Board | None, asked: Asked, question: Question) -> None:
    if not live.sets:
        st.caption("The first bandwidth of the first set is under way.")
        return
    mine = ranked(live, question).wins
    if not mine:
        st.caption(f"By {question.by} the methods are ranked once the seconds are taken, at the end.")
        return
    wins = () if same is None else ranked(same, question).wins
    record = {(win.multiple, win.percent): win.first for win in wins}
    before = [record.get((win.multiple, win.percent), win.first) for win in mine]
    changed = [win.first != first for win, first in zip(mine, before, strict=True)]
    title = f"{len(mine)} of {len(MULTIPLES) * len(PERCENTS)} cells have a winner"
    if same is not None:
        title = f"The record's winner in {len(mine) - sum(changed)} of {len(mine)} cells; ringed: another"
    hovers = [
        result.hover(win, question) + (f"<br>recorded: {NAMES[first]}" if win.first != first else "")
        for win, first in zip(mine, before, strict=True)
    ]
    sigmas = {multiple: in_sigma(multiple) for multiple in MULTIPLES}
    titles = title, f"{asked.where}, by {question.by}"
    figure = win_map(mine, sigmas, PERCENTS, SHORT, hovers, titles, page.theme(), changed)
    page.show(figure, "tournament_again", title)
