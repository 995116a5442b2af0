"""The controls and the charts of the page "Compare"."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from nysviz.figures.look import Theme, axis
from nysviz.figures.traces import Line, Spread, band_chart, deviation, extent, lines_of, log_axis
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.text import capital, in_seconds, three_digits
from nysviz.ui import computing, large, page
from nysviz.ui.asking import sentences
from nysviz.ui.compare import result
from nysviz.ui.compare.result import COST_REPEATS, VIEWS, Question, repeats_of
from nysviz.ui.computing import NORMS, is_exact
from nysviz.ui.inputs import box, several
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, keep_choices

# The five schemes of the paper's figure 1, and the one that a specialist asks for today.
FIRST_METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky")
SCALES = {"relative": "relative to K", "best": "times the best possible", "absolute": "absolute"}


def choose(scene: Scene) -> Question:
    """Draw the controls of the page."""
    offered, left_out = large.offered(scene, list(METHODS))
    methods = several("Methods", offered, "compare_methods", FIRST_METHODS)
    view = box("Show", VIEWS, "compare_view", names=VIEWS)
    with st.popover("Axes, repeats", width="stretch"):
        left, right = st.columns(2)
    # Where there are many rows a run takes seconds.
    key, runs, first = "compare_repeats", [3, 5, 10, 20, 50], 10
    if large.is_large(scene.data.n):
        key, runs, first = "compare_few_repeats", [2, 3, 5, 10], 2
    norm, scale, repeats = "frobenius", "relative", COST_REPEATS
    if view in ("error", "budget"):
        exact = is_exact(scene)
        norms = [name for name in NORMS if exact or name != "spectral"]
        scales = [name for name in SCALES if exact or name != "best"]
        norm = box("Error", norms, "compare_norm", names=NORMS, place=left)
        scale = box("Scale", scales, "compare_scale", names=SCALES, place=right)
        repeats = box("Repeats", runs, key, first, place=right)
    else:
        # A view without errors has no use for them, and they wait.
        keep_choices(("compare_norm", "compare_scale", key))
    # Ten ratios up to the largest one, as in the paper; from 1 % to 10 % at first.
    up_to = box("m / n up to", (2, 5, 10, 20, 50), "compare_up_to", 10, "{:g} %".format, left)
    if left_out:
        most = f"At most {computing.LARGE_LANDMARKS} landmarks for so many rows. "
        st.caption(most + large.left_out_sentence(left_out))
    question = Question(methods, view, norm, scale, up_to, repeats)
    if sentence := large.mixtures_sentence(methods, large.counts(scene.data.n, question.up_to)):
        st.caption(sentence)
    return question


SYMBOLS = {"frobenius": "F", "spectral": "2", "trace": "*"}


def draw_errors(scene: Scene, question: Question, errors: Sequence[Record], values: Values) -> None:
    """Draw the mean error of each method against m/n, with a band of one standard deviation."""
    sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
    repeats, what = repeats_of(errors), error_name(question)
    subtitle = f"mean ± sd of {repeats} runs" if repeats > 1 else "one run of each"
    lines = method_lines(question.methods, values, scene.data.n, _above_zero)
    _show(scene, question, lines, f"{subtitle}{sampled}", what)


def draw_costs(scene: Scene, question: Question, costs: Sequence[Record]) -> None:
    """Draw seconds, or kernel evaluations, against m/n."""
    n = scene.data.n
    what, values = "seconds of one approximation", by_method(costs, "seconds")
    if question.view != "seconds":
        what, counts = "kernel evaluations / n²", by_method(costs, "kernel_evaluations")
        values = {m: {name: runs / n**2 for name, runs in of.items()} for m, of in counts.items()}
    lines = method_lines(question.methods, values, n, extent)
    subtitle = f"median and range of {COST_REPEATS} runs on this server"
    _show(scene, question, lines, subtitle, what)


def draw_budget(scene: Scene, question: Question, points: pd.DataFrame) -> None:
    """Draw error against seconds: what each method makes of a budget."""
    lines: list[Line] = []
    groups: Any = points.groupby("method", sort=False)
    for name, mine in groups:
        label, x, y = METHODS[name].brief, mine.seconds.to_numpy(), mine.error.to_numpy()
        hover = [
            f"{label}, m = {one.m}<br>{three_digits(one.error)} in {in_seconds(one.seconds)}"
            for one in mine.itertuples()
        ]
        lines.append(Line(name, label, x, y, y, y, hover))
    spread = points.seconds if len(points) else pd.Series([1e-3, 1.0])
    ends = np.log10([max(1e-6, spread.min()), max(1e-5, spread.max())])
    xaxis = log_axis("seconds of one approximation", page.theme(), ends[0] - 0.15, ends[1] + 0.15, dtick=1)
    subtitle = f"mean error, median seconds on this server, m / n up to {question.up_to} %"
    _show(scene, question, lines, subtitle, error_name(question), xaxis)


def error_name(question: Question) -> str:
    """Name the chosen error with its symbol."""
    name, of = f"{NORMS[question.norm]} error", SYMBOLS[question.norm]
    if question.scale == "best":
        return f"{name}, times the best of rank m"
    if question.scale == "relative":
        return f"relative {name} ‖K − K̃‖<sub>{of}</sub> / ‖K‖<sub>{of}</sub>"
    return f"{name} ‖K − K̃‖<sub>{of}</sub>"


def _show(
    scene: Scene, question: Question, lines: Sequence[Line], subtitle: str, what: str, xaxis: Any = None
) -> None:
    """Show lines against m/n, or on another axis."""
    n, title = scene.data.n, capital(VIEWS[question.view])
    sheet = page.sheet(title, f"{scene.subtitle}; {subtitle}")
    if xaxis is None:
        most = max(large.counts(n, question.up_to))
        xaxis = axis("landmarks m / n (%)", sheet.theme, range=[0, 103.0 * most / n])
    # As high as the controls and numbers beside it; on a phone each line has one of its own in the legend.
    height = 480 + 20 * max(0, len(question.methods) - 8)
    figure = band_chart(lines, sheet, xaxis, value_axis(lines, what, sheet.theme), height)
    page.show(figure, "compare")


def method_lines(methods: Sequence[str], values: Values, n: int, spread: Spread) -> list[Line]:
    """Return a line a method against the share of the rows."""
    return lines_of(values, {name: METHODS[name].brief for name in methods}, spread, lambda m: 100.0 * m / n)


def _above_zero(runs: FloatArray) -> tuple[float, float, float]:
    """Mean ± standard deviation, not below any run: the axis is logarithmic."""
    mean, low, high = deviation(runs)
    return mean, max(low, float(runs.min())), high


def value_axis(lines: Sequence[Line], title: str, theme: Theme) -> dict[str, Any]:
    """Log axis over whole half decades, so that it rarely moves while runs come in."""
    drawn = np.concatenate([np.r_[line.low, line.high] for line in lines]) if lines else np.array([0.1, 1.0])
    drawn = drawn[np.isfinite(drawn) & (drawn > 0)]
    if not len(drawn):
        # Nothing but zeros, which a log axis cannot show.
        return axis(title, theme, range=[-0.03, 1.0])
    low, high = float(drawn.min()), float(drawn.max())
    if high < 1.5 * low:
        # On a log axis most of half a decade would be empty: whole multiples of a round step.
        step = 10.0 ** np.floor(np.log10(max(high - low, 0.02 * high)))
        ends = [np.floor(low / step) * step - 0.1 * step, np.ceil(high / step) * step + 0.1 * step]
        return axis(title, theme, range=[float(end) for end in ends])
    # Rounding is not an error that a chart should give room to.
    low = max(low, 1e-9 * high)
    ends = [np.floor(2 * np.log10(low)) / 2 - 0.03, np.ceil(2 * np.log10(high)) / 2 + 0.03]
    return log_axis(title, theme, *ends, dtick=1)


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    answer, left, right = page.places(0.66)
    with right:
        question = choose(scene)
        table = st.container()
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    run = result.run_of(scene, question)

    def draw(records: Sequence[Record]) -> None:
        n, values = scene.data.n, result.values_of(records, question)
        if question.view == "error":
            what = f"mean {NORMS[question.norm]} error"
            text, numbers = result.method_answer(what, values, n)
            draw_errors(scene, question, records, values)
        elif question.view == "budget":
            points = result.points_of(values, records)
            text, numbers = result.budget_answer(question, points)
            draw_budget(scene, question, points)
        else:
            text, numbers = result.costs_answer(question, records, n)
            draw_costs(scene, question, records)
        answer.markdown(page.unbroken(text))
        table.html(numbers)

    with left, sentences():
        follow(run, draw, what="Runs")
    page.closing("compare", result.python(scene, question), partial(result.rows, scene, question, run))
