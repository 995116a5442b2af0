"""The three charts of the view "Relative accuracy at rank d": accuracy, seconds, best against classical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.bands import Line, band_chart
from nysviz.figures.drawing import Layer, scatter, with_layout
from nysviz.figures.look import Theme, axis, inert, stroke, three_digits
from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.sweep.ranking import Values
from nysviz.ui.compare.rank_question import Question

MAIN_HEIGHT = 560
LOWER_HEIGHT = 400
LOWER_LEGEND = -0.23


def draw_accuracy(question: Question, values: Values, theme: Theme, title: str) -> go.Figure:
    """Draw the mean relative accuracy of each method against l/n, with a band of one standard deviation."""
    lines = [line for name in question.methods if (line := accuracy_line(name, question.n, values))]
    return band_chart(
        lines,
        theme,
        title,
        f"{question.subtitle}; mean ± standard deviation of {question.repeats} runs",
        _columns_axis(question, theme),
        _accuracy_axis(lines, theme),
        MAIN_HEIGHT,
    )


def draw_truncations(
    question: Question, best: Values, classical: Values, theme: Theme, title: str
) -> go.Figure:
    """Draw both rank-d approximations from the columns of one method."""
    lines, extra = [], []
    if first := accuracy_line(question.shown, question.n, best):
        lines.append(replace(first, label="best rank d of K̃"))
    if second := accuracy_line(question.shown, question.n, classical):
        style = stroke(question.shown, theme)
        style["line"] = {**style["line"], "dash": "dot"}
        style["opacity"] = 0.75
        extra.append(
            scatter(
                x=second.x,
                y=second.y,
                name="classical, from W alone",
                text=second.told,
                hovertemplate="%{text}<extra></extra>",
                **style,
            )
        )
    spread = [*lines, *([second] if second else [])]
    return _lower(
        lines,
        theme,
        title,
        f"{inert(METHODS[question.shown].label)}; d = {question.d}",
        _columns_axis(question, theme),
        _accuracy_axis(spread, theme),
        extra=extra,
    )


def draw_seconds(question: Question, values: Values, theme: Theme, title: str) -> go.Figure:
    """Draw the median seconds of one rank-d approximation against l/n, with the range of the runs."""
    lines = []
    for name in question.methods:
        at = [(m, methods[name]) for m, methods in values.items() if name in methods]
        if at:
            y = np.array([float(np.median(runs)) for _, runs in at])
            told = [
                f"{METHODS[name].label}, l = {m}<br>{three_digits(1000 * float(np.median(runs)))} ms "
                f"({three_digits(1000 * float(runs.min()))} – {three_digits(1000 * float(runs.max()))})"
                for m, runs in at
            ]
            low, high = (np.array([float(pick(runs)) for _, runs in at]) for pick in (np.min, np.max))
            x = np.array([100.0 * m / question.n for m, _ in at])
            lines.append(Line(name, METHODS[name].label, x, y, low, high, told))
    drawn = np.concatenate([np.r_[line.low, line.high] for line in lines]) if lines else np.array([1e-3, 1.0])
    ends = np.log10([max(1e-6, float(drawn.min())), max(1e-5, float(drawn.max()))])
    return _lower(
        lines,
        theme,
        title,
        f"median and range of {SECONDS_REPEATS} runs on this server",
        _columns_axis(question, theme),
        axis(
            "seconds",
            theme,
            type="log",
            range=[np.floor(2 * ends[0]) / 2 - 0.03, np.ceil(2 * ends[1]) / 2 + 0.03],
            exponentformat="power",
            dtick=1,
        ),
    )


def _lower(
    lines: Sequence[Line],
    theme: Theme,
    title: str,
    subtitle: str,
    xaxis: dict[str, object],
    yaxis: dict[str, object],
    extra: Sequence[Layer] = (),
) -> go.Figure:
    """Draw lines in a lower chart, whose legend has to stand farther below than in a high one."""
    figure = band_chart(lines, theme, title, subtitle, xaxis, yaxis, LOWER_HEIGHT, extra)
    return with_layout(figure, legend={"y": LOWER_LEGEND})


def accuracy_line(name: str, n: int, values: Values) -> Line | None:
    """Return one method's relative accuracy in per cent, with its band; None before its first run."""
    at = [(m, 100.0 * methods[name]) for m, methods in values.items() if name in methods]
    if not at:
        return None
    y = np.array([float(runs.mean()) for _, runs in at])
    spread = np.array([float(runs.std(ddof=1)) if len(runs) > 1 else 0.0 for _, runs in at])
    # No run exceeds 100 %, so no band does.
    high = np.minimum(y + spread, [float(runs.max()) for _, runs in at])
    told = [
        f"{METHODS[name].label}, l = {m}<br>{three_digits(float(value))} %"
        + (f" ± {three_digits(float(s))}, {len(runs)} runs" if len(runs) > 1 else "")
        for (m, runs), value, s in zip(at, y, spread, strict=True)
    ]
    x = np.array([100.0 * m / n for m, _ in at])
    return Line(name, METHODS[name].label, x, y, y - spread, high, told)


def _columns_axis(question: Question, theme: Theme) -> dict[str, object]:
    return axis("columns l / n (%)", theme, range=[0, 103.0 * max(question.counts) / question.n])


def _accuracy_axis(lines: Sequence[Line], theme: Theme) -> dict[str, object]:
    """From the ten below the lowest value to 100 %, so that it rarely moves while runs come in."""
    lowest = min((float(line.low.min()) for line in lines), default=0.0)
    bottom = max(0.0, 10.0 * np.floor(lowest / 10.0))
    return axis("relative accuracy (%)", theme, range=[bottom - 0.5, 100.0 + 0.03 * (100.0 - bottom)])
