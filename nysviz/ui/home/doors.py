"""The doors of the first page: every page with its question, and four steps to begin with."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from nysviz.ui import address, state


@dataclass(frozen=True)
class Door:
    """A page: its file without ``.py``, its name in the menu, its icon and its question."""

    page: str
    title: str
    icon: str
    question: str


@dataclass(frozen=True)
class Trial:
    """A step of the first two minutes: what to look for, and the page in the state that shows it."""

    title: str
    text: str
    page: str
    label: str
    parameters: dict[str, str] = field(default_factory=dict)


DOORS: dict[str, tuple[Door, ...]] = {
    "Explore": (
        Door("playground", "Playground", "touch_app", "Where should a landmark go?"),
        Door("approximate", "Approximate", "grid_on", "How good is this approximation, and where is it bad?"),
        Door("steps", "Step by step", "footprint", "How does the algorithm choose?"),
        Door("spectrum", "Spectrum", "stairs", "How fast do the eigenvalues fall, and where is the gap?"),
        Door("data", "Data", "table_chart", "What do I have, and what bandwidth and m suit it?"),
        Door("recommend", "Recommend", "recommend", "Which method and how many landmarks for my data?"),
    ),
    "The papers": (
        Door("compare", "Compare", "stacked_line_chart", "Which method for which number of landmarks?"),
        Door(
            "quantization", "Quantization", "bubble_chart", "Does a good encoding make a good approximation?"
        ),
        Door(
            "lift",
            "Lift",
            "trending_up",
            "What does a clever choice gain over a random one, by bandwidth and rank?",
        ),
        Door("two_balls", "Two balls", "join", "When do data-dependent bases win?"),
        Door("kernel_pca", "Kernel PCA", "scatter_plot", "Does the embedding survive?"),
        Door("learning", "Learning", "school", "Does the classifier or the regression survive?"),
        Door("solve", "Solve", "calculate", "What does the approximation buy?"),
        Door("bounds", "Bounds", "verified_user", "What is guaranteed, and how loosely?"),
    ),
    "Evidence": (
        Door("claims", "Claims", "fact_check", "Which of the papers' claims hold here?"),
        Door("tournament", "Tournament", "emoji_events", "Who wins when all are put against each other?"),
    ),
    "Learn": (Door("lessons", "Lessons", "menu_book", "Where do I start?"),),
}
# What stands in each column, from the left.
COLUMNS = (("Explore",), ("The papers",), ("Evidence", "Learn"))
TRIALS = (
    Trial(
        "See where it is bad",
        "No landmark explains the points that stand out. Move m: which are explained last?",
        "approximate",
        "Open Approximate",
        {"data": "iris", "method": "uniform sampling", "seed": "0"},
    ),
    Trial(
        "Watch two choices",
        "Press play: greedy looks before it picks, uniform draws at random.",
        "steps",
        "Open Step by step",
        {"steps_method": "greedy", "steps_second": "uniform sampling"},
    ),
    Trial(
        "Why k-means beats uniform",
        "A line is a method, its band the spread over repeats. Which comes nearest to the best possible?",
        "compare",
        "Open Compare",
        {},
    ),
    Trial(
        "Bring your own data",
        "CSV, Excel, NumPy and more. Which method, and how many landmarks?",
        "recommend",
        "Send a file",
        {"data": "Your own file"},
    ),
)


def trials() -> None:
    """Draw the first two minutes: what to look at, each with the page that shows it."""
    if asked := st.session_state.pop("home_asked", None):
        # What the link to this page says of data, kernel and seed stays.
        kept = {
            name: value for name, value in state.current().parameters.items() if not name.startswith("home_")
        }
        state.go(state.State(asked.page, {**kept, **asked.parameters}))
    here = address.page_names()
    st.subheader("The first two minutes", anchor=False)
    for number, (column, trial) in enumerate(
        zip(st.columns(len(TRIALS), gap="medium"), TRIALS, strict=True), start=1
    ):
        with column:
            st.markdown(f"**{number}. {trial.title}.** {trial.text}")
            st.button(
                trial.label,
                key=f"home_trial_{number}",
                icon=":material/arrow_forward:",
                on_click=_ask,
                args=(trial,),
                # A page that runs alone knows no other.
                disabled=trial.page not in here,
            )


def _ask(trial: Trial) -> None:
    st.session_state["home_asked"] = trial


def doors() -> None:
    """Draw a card for each group of pages."""
    st.subheader("All pages", anchor=False)
    with st.container(key="home_doors"):
        for column, groups in zip(st.columns(len(COLUMNS), gap="medium"), COLUMNS, strict=True):
            for group in groups:
                with column.container(border=True, gap="xsmall"):
                    st.markdown(f":small[{group}]")
                    for door in DOORS[group]:
                        _door(door)


def _door(door: Door) -> None:
    with st.container(gap=None):
        if door.page in address.page_names():
            st.page_link(
                f"pages/{door.page}.py", label=door.title, icon=f":material/{door.icon}:", width="stretch"
            )
        else:
            # The page runs alone, without the app that knows the others.
            st.markdown(f"**{door.title}**")
        st.caption(door.question)
