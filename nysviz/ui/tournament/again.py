"""The tournament run again on the visitor's data, or on the sets that come along, beside the record."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from nysviz.datasets import Dataset, load
from nysviz.datasets.cards import card
from nysviz.figures.tournament import Title
from nysviz.figures.tournament_maps import Grid, win_map
from nysviz.papers.row import Row
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.jobs import cost_job, error_jobs
from nysviz.papers.tournament.setting import (
    EMBEDDED,
    EXPERIMENT,
    MULTIPLES,
    PERCENTS,
    ROWS,
    Arena,
    arena_of,
)
from nysviz.papers.tournament.standings import Win
from nysviz.sweep import Job, Progress
from nysviz.ui import page
from nysviz.ui.markdown import plain
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.tournament import words
from nysviz.ui.tournament.parts import SHORT, Evidence, Question, label, ranked
from nysviz.ui.work.store import store

HERE, ALONG = "the data set of the sidebar", "all sets that come along"
REPEATS = (1, 3, 5)
OWN = "your data"
CELLS = len(MULTIPLES) * len(PERCENTS)


@dataclass(frozen=True)
class Asked:
    """What is run again: names of the catalog, or the sidebar's data, with repeats and seed."""

    names: tuple[str, ...]
    digest: str
    repeats: int
    seed: int


def run_again(scene: Scene, found: Evidence, question: Question) -> None:
    """Choose data and repeats, run all methods, and set their winners beside the recorded ones."""
    st.subheader("Run again here", anchor=False)
    left, right = st.columns([0.32, 0.68], gap="medium")
    with left:
        asked = _ask(scene, found)
    with right, page.sentences():
        if asked is None:
            st.caption("Press the button to run all methods; the record stays as it is.")
            return
        arenas = _arenas(scene, asked)
        same = _of(found.board, asked.names)

        def make() -> Sequence[Job]:
            jobs = [
                job for arena in arenas for job in error_jobs(arena, repeats=asked.repeats, seed=asked.seed)
            ]
            return [*jobs, *(cost_job(arena, seed=asked.seed) for arena in arenas)]

        def draw(rows: Sequence[Row], progress: Progress) -> None:
            # Until every set is there, the record of all of them is nothing to hold it against.
            whole = progress.total > 0 and progress.done == progress.total
            _draw(Board(rows), same if whole else None, asked, question)

        # One at a time: seconds are among what is measured.
        run = running((EXPERIMENT, "again", asked), make, alone=True)
        follow(run, draw, what=f"Every method, {words.sets_told(len(arenas))}")


def _ask(scene: Scene, found: Evidence) -> Asked | None:
    """Data, repeats and seed of a live run, once the button was pressed for them."""
    where = st.radio("Data", (HERE, ALONG), key="tournament_where", bind="query-params")
    repeats = st.selectbox("Repeats", REPEATS, index=1, key="tournament_repeats", bind="query-params")
    names = EMBEDDED if where == ALONG else (_name(scene),)
    asked = Asked(names, scene.data.digest if where == HERE else "", repeats, scene.seed)
    title = plain(scene.data.title or scene.data.name)
    sets = title if where == HERE else words.sets_told(len(names))
    widths = ", ".join(times_width(multiple) for multiple in MULTIPLES)
    st.caption(
        f"{sets}, {words.times(repeats)}, seed {scene.seed}: at most {ROWS} random rows of a set, Gaussian "
        f"kernel at {widths} times the default width."
    )
    if where == HERE and _name(scene) not in found.board.sets:
        these = " with these settings" if scene.settings else ""
        st.caption(f"{title}{these} is not in the record: it runs by itself.")
    if st.button("Run again here", key="tournament_run", icon=":material/replay:"):
        st.session_state["tournament_asked"] = asked
    # Other data or repeats: what was asked for is no longer on the screen.
    return asked if st.session_state.get("tournament_asked") == asked else None


def _name(scene: Scene) -> str:
    """A name for the records: that of the catalog, none of a file's own, which other sessions could see."""
    if not scene.data.from_catalog:
        return OWN
    knobs = {knob.name: knob.default for knob in card(scene.data.name).parameters}
    # With other knobs they are other data than the recorded ones.
    same = all(knobs[name] == value for name, value in scene.settings)
    return scene.data.name if same else f"{scene.data.name} with other settings"


def _arenas(scene: Scene, asked: Asked) -> list[Arena]:
    if asked.digest:
        return [replace(_arena(scene.data, asked.seed), name=asked.names[0])]
    return [_arena(load(name), asked.seed) for name in asked.names]


def _arena(data: Dataset, seed: int) -> Arena:
    return store().get((EXPERIMENT, "arena", data.digest, seed), lambda: arena_of(data, seed))


def _of(board: Board, names: Sequence[str]) -> Board | None:
    """The recorded board of these data sets alone; none where one of them is not recorded."""
    if not set(names) <= set(board.sets):
        return None
    return board.of(names)


def _draw(live: Board, same: Board | None, asked: Asked, question: Question) -> None:
    if not live.sets:
        st.caption("The first bandwidth of the first set is under way.")
        return
    mine = ranked(live, question).wins
    if not mine:
        st.caption(f"By {question.by} the methods are ranked once the seconds are taken, at the end.")
        return
    record = {} if same is None else {_cell(win): win for win in ranked(same, question).wins}
    changed = frozenset(
        _cell(win) for win in mine if _cell(win) in record and record[_cell(win)].first != win.first
    )
    st.markdown(changes(mine, record, changed, asked.repeats, same))
    sets = max(win.sets for win in mine)
    title = Title(
        f"{'Ringed: another winner than in the record' if record else 'Winners of this run'}",
        f"{', '.join(asked.names) if len(asked.names) == 1 else words.sets_told(sets)}, by {question.by}, "
        f"{words.times(asked.repeats)}, seed {asked.seed}",
    )
    grid = Grid(MULTIPLES, [times_width(multiple) for multiple in MULTIPLES], PERCENTS, changed)
    told = {_cell(win): words.told(win, words.value_name(question)) for win in mine}
    figure = win_map(mine, grid, SHORT, told, title, page.theme())
    page.show(figure, "tournament_again", title.text)
    if changed:
        st.html(_table(mine, record, changed))


def _cell(win: Win) -> tuple[float, float]:
    return win.multiple, win.percent


def changes(
    mine: Sequence[Win],
    record: dict[tuple[float, float], Win],
    changed: frozenset[tuple[float, float]],
    repeats: int,
    recorded: Board | None,
) -> str:
    """Say in how many cells the winner of the record won again."""
    if not record or recorded is None:
        return f"{len(mine)} cells have a winner so far." if len(mine) < CELLS else "Every cell has a winner."
    compared = sum(_cell(win) in record for win in mine)
    same = compared - len(changed)
    text = f"The same winner as in the record, on the same data, in **{same} of {compared}** cells"
    if repeats != recorded.repeats:
        return f"{text}; here with {words.times(repeats)}, there with {words.times(recorded.repeats)}."
    return f"{text}."


def _table(
    mine: Sequence[Win], record: dict[tuple[float, float], Win], changed: frozenset[tuple[float, float]]
) -> str:
    rows = "".join(
        f"<tr><td>× {times_width(win.multiple)}, {win.percent:g} %</td>"
        f"<td>{html.escape(label(record[_cell(win)].first))} ({record[_cell(win)].ratio:.3g})</td>"
        f"<td>{html.escape(label(win.first))} ({win.ratio:.3g})</td></tr>"
        for win in mine
        if _cell(win) in changed
    )
    head = "<th>≠ changed</th><th>recorded (second over first)</th><th>here</th>"
    return f'<table class="nysviz-numbers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
