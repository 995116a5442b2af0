"""The view "Relative accuracy at rank d" of the page Compare (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.datasets import catalog, load
from nysviz.engine import Run
from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import axis, inert, stroke
from nysviz.figures.traces import Line, band_chart
from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011 import figure1
from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.sweep import Progress, Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui import page
from nysviz.ui.asking import once
from nysviz.ui.compare import rank_result
from nysviz.ui.compare.rank_result import (
    Question,
    accuracy_run,
    measures,
    percents,
    python,
    rows,
    seconds_run,
)
from nysviz.ui.compare.result import numbers, repeats_of
from nysviz.ui.compare.view import method_lines, value_axis
from nysviz.ui.inputs import box, method_label, percent_label, several
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, keep_choices, loading_code

# The paper's methods, and those of others that choose columns without weights.
OFFERED = (*figure1.METHODS, "icd", "rpcholesky", "kmeanspp", "kmeanspp_lloyd", "farthest")
HERE = "The sidebar's data and kernel"
# Whether the sidebar was drawn for the paper's data.
OWN = "compare_rank_own_kernel"
UP_TO = (5, 10, 20)
FIRST_UP_TO = 10
REPEATS = (3, 5, 10, 20)
AT_HAND = {"with K at hand": True, "with the entries of K that are asked for": False}


def own_kernel() -> str:
    """Return what the sidebar says in place of the kernel where the paper's data are chosen, else nothing."""
    chosen = st.session_state.get("compare_rank_data", st.query_params.get("compare_rank_data", HERE))
    st.session_state[OWN] = chosen != HERE
    return "" if chosen == HERE else "This view has the paper's data with their kernel, not this data set."


def choose(scene: Scene) -> Question | None:
    """Draw the controls of the view; None where the data have too few rows for any d."""
    cards = {card.title: card for card in catalog() if card.name in figure1.DATA and card.on_disk}
    names = {HERE: HERE} | {title: f"As in the paper: {title}" for title in cards}
    note = "The paper's pictures have a Gaussian kernel with σ = 10, its documents a linear one."
    setting = box("Data", names, "compare_rank_data", names=names, help=note)
    if (setting in cards) != st.session_state.get(OWN, False):
        # The sidebar was drawn for the other case, and the fragment cannot draw it anew.
        st.rerun()
    data, kernel = scene.data, scene.kernel
    if setting in cards:
        name = cards[setting].name
        data = once(("data", name, ()), lambda: load(name))
        kernel = figure1.kernel_of(data)
    n = min(data.n, figure1.ROWS)
    ds = [d for d in figure1.RANKS if d < n]
    if not ds:
        st.info(f"{data.n} rows are too few for rank {figure1.RANKS[0]}; choose larger data.")
        return None
    offered = [name for name in OFFERED if METHODS[name].suits(kernel)]
    methods = several("Methods", offered, "compare_rank_methods", figure1.METHODS)
    places = st.columns(3)
    d = box("Rank d", ds, "compare_rank_d", min(figure1.D, ds[-1]), place=places[0])
    # Few rows are always followed up to some multiple of d: one of equal numbers is enough.
    up_tos = list({tuple(figure1.counts_of(n, d, percent)): percent for percent in UP_TO}.values())
    up_to, key = up_tos[0], "compare_rank_up_to"
    if len(up_tos) == 1:
        keep_choices((key,))
    else:
        up_to = box("m / n up to", up_tos, key, FIRST_UP_TO, percent_label, places[2])
    repeats = box("Repeats", REPEATS, "compare_rank_repeats", 5, place=places[1])
    label, shown = "Best against classical rank d for", methods or ("greedy",)
    one = box(label, shown, "compare_rank_shown", "greedy", method_label)
    at_hand = AT_HAND[box("Seconds", AT_HAND, "compare_rank_counted")]
    return Question(data, kernel, methods, d, up_to, repeats, scene.seed, one, at_hand)


@st.fragment
def view(scene: Scene) -> None:
    """Controls at the right; accuracy at the left, seconds and the two truncations below."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = choose(scene)
        table = st.container()
    if question is None:
        return
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    below = st.columns(2, gap="medium")
    truncations = below[0].container()
    run = accuracy_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        best, classical = (percents(records, measure) for measure in measures(question))
        scale = rank_result.accuracy_of(question)
        answer.markdown(page.unbroken(rank_result.answer(question, best, bool(records))))
        table.html(numbers(scale, best, question.n))
        draw_accuracy(question, records, best)
        with truncations:
            draw_truncations(question, best, classical)

    with left, page.sentences():
        follow(run, draw, what="Runs")
    # Seconds are those of one run at a time: they are taken when the others are over.
    runs = [run]
    if run.done and run.problem is None:
        runs.append(_seconds(question, below[1]))
    else:
        below[1].caption("Seconds are taken one run at a time, when the runs above are over.")
    load = loading_code(scene) if question.data is scene.data else f'nv.load("{question.data.name}")'
    script = python(question, load, with_seconds=len(runs) > 1)
    page.closing("compare_rank", script, partial(rows, question, runs))


def _seconds(question: Question, place: DeltaGenerator) -> Run:
    run = seconds_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        values = by_method(records, "seconds")
        draw_seconds(question, values)

    with place, page.sentences():
        follow(run, draw, what="Seconds, one run at a time")
    return run


MAIN_HEIGHT, LOWER_HEIGHT = 560, 400
LOWER_LEGEND = -0.23


def draw_accuracy(question: Question, records: Sequence[Record], values: Values) -> None:
    """Draw the mean relative accuracy of each method against m/n, with a band of one standard deviation."""
    lines = _lines(question, question.methods, values)
    title = f"Relative accuracy at rank {question.d}"
    subtitle = f"{question.subtitle}; mean ± standard deviation of {repeats_of(records)} runs"
    page.show(_chart(question, lines, title, subtitle, _accuracy_axis(lines)), "compare_rank", title)


def draw_truncations(question: Question, best: Values, classical: Values) -> None:
    """Draw both rank-d approximations from the columns of one method."""
    title = f"Two ways to rank {question.d} from the same columns"
    first, second = (_lines(question, [question.shown], values) for values in (best, classical))
    style = stroke(question.shown, page.theme())
    style["line"] = {**style["line"], "dash": "dot"}
    dotted = [
        scatter(
            x=line.x,
            y=line.y,
            name="classical, from W alone",
            text=line.hover,
            hovertemplate="%{text}<extra></extra>",
            opacity=0.75,
            **style,
        )
        for line in second
    ]
    subtitle = inert(METHODS[question.shown].label)
    lines = [replace(line, label="best rank d of K̃") for line in first]
    yaxis = _accuracy_axis([*first, *second])
    figure = _lower(_chart(question, lines, title, subtitle, yaxis, dotted))
    page.show(figure, "compare_rank_truncations", title)


def draw_seconds(question: Question, values: Values) -> None:
    """Draw the median seconds of one rank-d approximation against m/n, with the range of the runs."""
    lines = method_lines(question.methods, values, question.n, "seconds", median=True)
    title = "Seconds of one approximation"
    subtitle = f"median and range of {SECONDS_REPEATS} runs on this server"
    figure = _lower(_chart(question, lines, title, subtitle, value_axis(lines, "seconds", page.theme())))
    page.show(figure, "compare_rank_seconds", title)


def _lines(question: Question, methods: Sequence[str], values: Values) -> list[Line]:
    # No run exceeds 100 %, so no band does.
    return method_lines(methods, values, question.n, "relative accuracy (%)", top=True)


def _chart(
    question: Question,
    lines: Sequence[Line],
    title: str,
    subtitle: str,
    yaxis: dict[str, Any],
    extra: Sequence[Any] = (),
) -> go.Figure:
    theme = page.theme()
    xaxis = axis("columns m / n (%)", theme, range=[0, 103.0 * max(question.counts) / question.n])
    return band_chart(lines, theme, title, subtitle, xaxis, yaxis, MAIN_HEIGHT, extra)


def _lower(figure: go.Figure) -> go.Figure:
    """Lower the chart, whose legend has to stand farther below than in a high one."""
    height = round(LOWER_HEIGHT * page.theme().scale)
    return with_layout(figure, height=height, legend={"y": LOWER_LEGEND})


def _accuracy_axis(lines: Sequence[Line]) -> dict[str, Any]:
    """From the ten below the lowest value to 100 %, so that it rarely moves while runs come in."""
    lowest = min((float(line.low.min()) for line in lines), default=0.0)
    bottom = max(0.0, 10.0 * np.floor(lowest / 10.0))
    ends = [bottom - 0.5, 100.0 + 0.03 * (100.0 - bottom)]
    return axis("relative accuracy (%)", page.theme(), range=ends)
