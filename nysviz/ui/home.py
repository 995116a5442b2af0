"""The first page: a small kernel matrix rebuilt from more and more landmarks, and doors to every page."""

from copy import copy
from functools import cache

import plotly.graph_objects as go
import streamlit as st

from nysviz.engine.shared import once
from nysviz.figures.drawing import with_layout
from nysviz.figures.home import ApproximationFilm, film_error, film_map, film_matrix
from nysviz.figures.look import Sheet, Theme
from nysviz.landmarks import METHODS
from nysviz.studies.living_picture import describe_steps, make_film, say_enough
from nysviz.ui import page, settings
from nysviz.ui.components import component
from nysviz.ui.doors import DOORS, script_of
from nysviz.ui.inputs import page_link, segments
from nysviz.ui.watching import part

# The first step drawn; a visitor whose system asks for less motion sees it until they move on.
START = 4
CHOICES = ("greedy", "uniform", "kmeans")

# Plays the charts whose ``layout.meta`` names its film, in the browser; it starts by itself once.
_player = component("home_player")


def _charts(film: ApproximationFilm, theme: Theme, name: str) -> dict[str, go.Figure]:
    """Return the four charts of a film by their keys; the player finds them by the film's name."""
    first, are_data = START - 1, METHODS[film.method].landmarks_are_data
    flowers = Sheet(theme, f"{len(film.K)} flowers", "colour: error left at this flower")
    whole = Sheet(theme, "K", "white lines: computed columns" if are_data else f"all {len(film.K)} columns")
    axes, read = ("petal length", "sepal length"), film.pivots if are_data else None
    restored = Sheet(theme, "K̃", "from m landmarks")
    error = Sheet(theme, "Relative error", "lower line: best")
    charts = {
        "home_map": film_map(film, first, axes, flowers),
        "home_K": film_matrix(film.K, whole, first, read),
        "home_restored": film_matrix(film.restored, restored, first),
        "home_error": film_error(film, first, error),
    }
    for key, chart in charts.items():
        # A heatmap below a moving trace is drawn with it, or it goes out.
        redraw = key in ("home_K", "home_restored")
        with_layout(chart, meta={"film": name, "redraw": redraw})
    return charts


ALTERNATIVES = {
    "home_map": "Sixty flowers in the plane of petal and sepal length, with the landmarks among them; a "
    "point fades as landmarks explain it.",
    "home_K": "The kernel matrix K: three bright blocks along the diagonal, one for each species, with the "
    "columns of the landmarks marked.",
    "home_restored": "K̃, rebuilt from the landmarks alone.",
}
ALIKE = "Entry (i, j) of K says how alike flowers i and j are: 1 if they are equal, near 0 if unlike."
READ = (
    "Only the columns under the white lines are computed: they form E, and W is the part of E that compares "
    "the landmarks with one another. The formula fills in the rest, with W⁺, the inverse of W."
)
AFTER = (
    "A flower loses its colour as the landmarks explain it. The error should fall towards the lower line, "
    "which no matrix of rank m gets below."
)


@part
def living_picture() -> None:
    """Draw the question, the answer, the choice of landmarks, four charts and their player."""
    answer = st.container()
    with st.container(key="home_bar", horizontal=True, vertical_alignment="center", gap="medium"):
        chosen = segments("Landmarks", CHOICES, "home_landmarks", lambda name: METHODS[name].brief)
        film = make_film(chosen)
        place = st.container()
    answer.markdown(
        "A kernel matrix **K** compares all pairs of points. The Nyström method rebuilds it from *m* "
        f"landmarks: **K̃ = E W⁺ Eᵀ**. {say_enough(film)}"
    )
    theme, lines = page.theme(), describe_steps(film)
    name = f"home {chosen} {theme.name}"
    charts = once(("home charts", chosen, theme), lambda: _charts(film, theme, name))
    with st.container(key="home_film"):
        for column, (key, figure) in zip(st.columns([0.31, 0.23, 0.23, 0.23]), charts.items(), strict=True):
            with column:
                page.show(figure, key, ALTERNATIVES.get(key) or lines[-1])
    read = [READ] if METHODS[chosen].landmarks_are_data else []
    if not settings.is_expert():
        st.caption(" ".join([ALIKE, *read, AFTER]))
    with place:
        # K stands still where no columns are read.
        moving = 3 + METHODS[chosen].landmarks_are_data
        film_of_player = {"film": name, "charts": moving, "start": START, "pace": 700}  # ms a step
        _player(key="home_player", data={**film_of_player, "sentences": lines})
    st.page_link(script_of("playground"), label="Place them by hand", icon=":material/touch_app:")


@cache
def _pages() -> dict[str, list[st.Page]]:
    groups = {
        group: [
            st.Page(script_of(door.page), title=door.title, icon=f":material/{door.icon}:") for door in doors
        ]
        for group, doors in DOORS.items()
    }
    groups[""].insert(0, st.Page(script_of("home"), title="Home", icon=":material/home:", default=True))
    return groups


def pages() -> dict[str, list[st.Page]]:
    """Return the app's pages by group: copies, since Streamlit marks the one that a session runs."""
    return {group: [copy(entry) for entry in entries] for group, entries in _pages().items()}


# Groups of each column, from the left.
COLUMNS = (("", "Understand"), ("Use",), ("The papers",))
# First steps: a task, the page and the state that shows it, and the label of its button.
TRIALS: tuple[tuple[str, str, dict[str, str], str], ...] = (
    (
        "**1. Move m.** Which points are explained last?",
        "approximate",
        {"data": "iris", "method": "uniform sampling"},
        "Approximate",
    ),
    (
        "**2. Press play.** How do greedy and uniform choose?",
        "steps",
        {"steps_method": "greedy", "steps_second": "uniform sampling"},
        "Step by step",
    ),
    (
        "**3. Compare.** Why does k-means beat uniform sampling?",
        "compare",
        {},
        "Compare",
    ),
    (
        "**4. Your own data.** Which method, and which m?",
        "recommend",
        {"data": "Your own file"},
        "Send a file",
    ),
)


def trials() -> None:
    """Draw the first steps, each with a link to the page that shows it."""
    st.subheader("Try it", anchor=False)
    with st.container(key="nysviz_go"):
        columns = st.columns(len(TRIALS), gap="medium")
    for column, (text, where, parameters, label) in zip(columns, TRIALS, strict=True):
        with column:
            st.markdown(text)
            state = {**settings.sidebar_parameters(), **parameters}
            page_link(label, where, state, icon=":material/arrow_forward:")


def doors() -> None:
    """Draw a card for each group of pages."""
    st.subheader("All pages", anchor=False)
    with st.container(key="home_doors"):
        for column, groups in zip(st.columns(len(COLUMNS), gap="medium"), COLUMNS, strict=True):
            for group in groups:
                with column.container(border=True, gap="xsmall"):
                    if group:
                        st.markdown(f":small[{group}]")
                    for door in DOORS[group]:
                        with st.container(gap=None):
                            file, icon = script_of(door.page), f":material/{door.icon}:"
                            st.page_link(file, label=door.title, icon=icon, width="stretch")
                            st.caption(door.question)
