"""What is guaranteed, and how loosely?"""

from functools import partial

import streamlit as st

from nysviz.ui import address, page
from nysviz.ui.bounds import computing, mixing, pictures, relative, words
from nysviz.ui.bounds import rows as numbers
from nysviz.ui.controls import Choice, choose_method
from nysviz.ui.downloads import with_runs
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import is_stopped, stop_of
from nysviz.ui.unkept import FORMER
from nysviz.ui.work.runs import Run

VIEWS = (
    "Zhang: from the quantization error",
    "Oglic, Li: against the best rank k",
    "k-DPP: does the chain mix?",
)


def choose_entry(n: int, worst: tuple[int, int]) -> tuple[int, int]:
    """Choose an entry of K: the one that is reproduced worst, or any other."""
    which, first, second = st.columns([0.44, 0.28, 0.28], gap="small", vertical_alignment="bottom")
    kind = which.selectbox("Entry of K", ["the worst", "my own"], key="bounds_entry", bind="query-params")
    if kind == "the worst" or n < 2:
        return worst
    chosen = []
    for place, key, start in ((first, "bounds_row", worst[0]), (second, "bounds_column", worst[1])):
        # A row number from larger data moves to the last row.
        if st.session_state.get(key) is not None and st.session_state[key] > n - 1:
            st.session_state[key] = n - 1
        label = key.removeprefix("bounds_")
        chosen.append(int(place.number_input(label, 0, n - 1, start, key=key, bind="query-params")))
    return chosen[0], chosen[1]


def below(scene: Scene, choice: Choice, report: computing.Report, run: Run) -> None:
    """Draw the second row of pictures, and end the page."""
    ladder, constant, entry = st.columns(3, gap="medium")
    with ladder:
        pictures.draw_ladder(report)
    found = pictures.constants(scene, report)
    with constant:
        pictures.draw_property(scene, report, found)
    with entry:
        chart = st.container()
        chosen = choose_entry(scene.data.n, report.worst)
        trying = computing.entry_later(scene, choice, report.approximation, chosen)
        with chart:
            if not page.ready(trying, page.ANSWER_SECONDS):
                page.wait_for(
                    trying, "One entry with its points as landmarks", computing.entry_seconds(choice)
                )
                return
            tried = trying.result()
            pictures.draw_entry(scene, choice, report, tried)
    told = numbers.rows(scene, choice, report, found, tried)
    rows = with_runs(told, run, scene.data.name)
    words.close(scene, report, found, tried, numbers.python(scene, choice, tried), rows)


def from_quantization(scene: Scene) -> None:
    """One approximation with its bound first; the curve over m fills in as runs finish."""
    answer = st.empty()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options = st.container()
        with controls:
            choice = choose_method(scene, options)
    rest = st.container()
    with left, page.sentences():
        silence = words.silence(choice.method)
        if silence:
            st.info(silence)
            return
        asked, what = (*scene.key, scene.seed, choice), f"{choice.label}, m = {choice.m}, and its bound"
        if is_stopped(("bound", asked), what):
            return
        stop = stop_of(("bound", asked))
        found = computing.report_later(scene, choice, stop)
        if not page.ready(found, page.ANSWER_SECONDS):
            page.wait_for(found, what, computing.report_seconds(scene, choice), stop)
            return
        report = found.result()
        answer.markdown(page.unbroken(words.answer(report)))
        table.html(words.numbers(scene, report))
        for note in report.approximation.notes:
            notes.caption(note)
        run = computing.curve_run(scene, choice)
        draw = partial(pictures.draw_curve, scene, choice, report)
        follow(run, draw, what=f"{choice.label} at {len(computing.curve_counts(scene))} ratios m/n")
        with rest, page.sentences():
            below(scene, choice, report, run)


@st.fragment
def live(scene: Scene) -> None:
    """One of the two kinds of guarantees, or the chain that one of them speaks of."""
    address.translate("bounds_view", FORMER["bounds_view"])
    view = st.segmented_control(
        "Guarantee",
        VIEWS,
        default=VIEWS[0],
        key="bounds_view",
        bind="query-params",
        label_visibility="collapsed",
    )
    if view == VIEWS[1]:
        with page.sentences():
            relative.show(scene)
    elif view == VIEWS[2]:
        with page.sentences():
            mixing.show(scene)
    else:
        from_quantization(scene)


page.open_page("What is guaranteed, and how loosely?")
live(shared_sidebar())
