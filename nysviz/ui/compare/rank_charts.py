"""The three charts of the view "Relative accuracy at rank d": accuracy, seconds, best against classical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import axis, inert, stroke
from nysviz.figures.traces import Line, band_chart
from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values
from nysviz.ui import page
from nysviz.ui.compare.charts import method_lines, value_axis
from nysviz.ui.compare.rank_controls import Question
from nysviz.ui.compare.result import repeats_of

MAIN_HEIGHT, LOWER_HEIGHT = 560, 400
LOWER_LEGEND = -0.23


def draw_accuracy(question: Question, records: Sequence[Record], values: Values, title: str) -> None:
    """Draw the mean relative accuracy of each method against l/n, with a band of one standard deviation."""
    lines = _lines(question, question.methods, values)
    told = f"{question.subtitle}; mean ± standard deviation of {repeats_of(records)} runs"
    page.show(_chart(question, lines, title, told, _accuracy_axis(lines)), "compare_rank", title)


def draw_truncations(question: Question, best: Values, classical: Values, title: str) -> None:
    """Draw both rank-d approximations from the columns of one method."""
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
    told = f"{inert(METHODS[question.shown].label)}; d = {question.d}"
    lines = [replace(line, label="best rank d of K̃") for line in first]
    yaxis = _accuracy_axis([*first, *second])
    page.show(_lower(_chart(question, lines, title, told, yaxis, dotted)), "compare_rank_truncations", title)


def draw_seconds(question: Question, values: Values, title: str) -> None:
    """Draw the median seconds of one rank-d approximation against l/n, with the range of the runs."""
    lines = method_lines(question.methods, values, question.n, "seconds", "l", median=True)
    told = f"median and range of {SECONDS_REPEATS} runs on this server"
    figure = _lower(_chart(question, lines, title, told, value_axis(lines, "seconds", page.theme())))
    page.show(figure, "compare_rank_seconds", title)


def _lines(question: Question, methods: Sequence[str], values: Values) -> list[Line]:
    # No run exceeds 100 %, so no band does.
    return method_lines(methods, values, question.n, "relative accuracy (%)", "l", top=True)


def _chart(
    question: Question,
    lines: Sequence[Line],
    title: str,
    told: str,
    yaxis: dict[str, Any],
    extra: Sequence[Any] = (),
) -> go.Figure:
    theme = page.theme()
    xaxis = axis("columns l / n (%)", theme, range=[0, 103.0 * max(question.counts) / question.n])
    return band_chart(lines, theme, title, told, xaxis, yaxis, MAIN_HEIGHT, extra)


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
