"""The view "Accuracy at rank d" of the page Compare (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.engine import Run
from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import Sheet, axis, inert, stroke
from nysviz.figures.traces import Line, band_chart, deviation, extent
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import held_rows, matrix_bytes
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.text import counted, grouped
from nysviz.ui import page
from nysviz.ui.asking import engine, once, sentences
from nysviz.ui.compare import result
from nysviz.ui.compare.result import repeats_of
from nysviz.ui.compare.view import method_lines, value_axis
from nysviz.ui.computing import RECORDS_CODE, TABLE_CODE
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import box, method_label, several
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, keep_choices, script

# The paper's methods, and those of others that choose columns without weights.
OFFERED = (*figure1.METHODS, "icd", "rpcholesky", "kmeanspp", "kmeanspp_lloyd", "farthest")
AT_HAND = {"with K at hand": True, "with the entries of K that are asked for": False}


@dataclass(frozen=True)
class Question:
    """What is to be compared, and on which matrix."""

    scene: Scene
    methods: tuple[str, ...]
    d: int
    up_to: int
    repeats: int
    shown: str
    at_hand: bool

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return rows_of(self.scene)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of columns, each once."""
        return tuple(figure1.counts_of(self.n, self.d, self.up_to))

    @property
    def seconds_counts(self) -> tuple[int, ...]:
        """Numbers of columns at which seconds are taken."""
        counts = figure1.counts_of(self.n, self.d, self.up_to, figure1.SECONDS_STEPS)
        return tuple(m for m in counts if m >= self.d)

    @property
    def measures(self) -> tuple[str, str]:
        """Accuracy of the best and of the classical rank d, as the records call them."""
        return f"relative_accuracy_{self.d}", f"classical_accuracy_{self.d}"


def rows_of(scene: Scene) -> int:
    """Return how many rows are compared: the paper's number where there are more, or what is held here."""
    return min(scene.data.n, figure1.ROWS, held_rows())


def _problem(question: Question) -> Problem:
    of = figure1.problem_of(question.scene.data, question.scene.kernel, question.n)
    K = once(("K", of.digest, of.kernel), lambda: of.kernel(of.X))
    return Problem("", of.X, of.kernel, of.digest, dense=K)


def percents(records: Sequence[Record], measure: str) -> Values:
    """Return an accuracy of every run in per cent."""
    values = by_method(records, measure)
    return {m: {name: 100.0 * runs for name, runs in of.items()} for m, of in values.items()}


def rows(question: Question, runs: Sequence[Run]) -> list[dict[str, object]]:
    """What the runs have by now, then the means of both accuracies over the repeats at the chart's rank."""
    records = [record for run in runs for record in run.records()]
    data = question.scene.data
    found, begin = of_records(records, data.name), {"data": data.name, "n": question.n, "d": data.d}
    for measure in question.measures:
        for m, methods in by_method(records, measure).items():
            for method, values in methods.items():
                line = {**begin, "method": method, "m": m}
                found += measured(line, {f"mean_{measure}": float(values.mean())})
    return found


def python(question: Question, *, with_seconds: bool) -> str:
    """Write the script."""
    seed = question.scene.seed
    asked = f"{list(question.methods)!r}, {list(question.counts)}, {question.repeats}, {seed}"
    costs = f"{list(question.methods)!r}, {list(question.seconds_counts)}, {question.d}, {question.at_hand}"
    more = f"jobs += figure1.seconds_jobs(problem, {costs}, {seed})\n" if with_seconds else ""
    return script(
        question.scene,
        """from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, run_jobs, tidy
from nysviz.sweep.ranking import by_method""",
        f"""of = figure1.problem_of(data, kernel, {question.n})
problem = Problem(of.name, of.X, of.kernel, of.digest, dense=of.kernel(of.X))
jobs = figure1.jobs(problem, {asked})
{more}{RECORDS_CODE}
for measure in {question.measures!r}:
    for m, methods in by_method(records, measure).items():
        for method, runs in methods.items():
            print(f"method={{method}} m={{m}} mean_{{measure}}", runs.mean())
{TABLE_CODE}""",
    )


def choose(scene: Scene) -> Question | None:
    """Draw the controls of the view; None where the data have too few rows for any d."""
    n = rows_of(scene)
    ds = [d for d in figure1.RANKS if d < n]
    if not ds:
        rows = counted(scene.data.n, "row")
        st.info(f"Rank {figure1.RANKS[0]} needs more than {rows}; choose larger data.")
        return None
    offered = [name for name in OFFERED if METHODS[name].suits(scene.kernel)]
    methods = several("Methods", offered, "compare_rank_methods", figure1.METHODS)
    places = st.columns(3)
    d = box("Rank d", ds, "compare_rank_d", min(figure1.D, ds[-1]), place=places[0])
    # Few rows are always followed up to some multiple of d: one of equal numbers is enough.
    up_tos = list({tuple(figure1.counts_of(n, d, percent)): percent for percent in (5, 10, 20)}.values())
    up_to, key = up_tos[0], "compare_rank_up_to"
    if len(up_tos) == 1:
        keep_choices((key,))
    else:
        up_to = box("m / n up to", up_tos, key, 10, "{:g} %".format, places[2])
    repeats = box("Repeats", (3, 5, 10, 20), "compare_rank_repeats", 5, place=places[1])
    offered = [*methods] or ["greedy"]
    shown = box("Classical rank d for", offered, "compare_rank_shown", "greedy", method_label)
    at_hand = AT_HAND[box("Seconds", AT_HAND, "compare_rank_counted")]
    return Question(scene, methods, d, up_to, repeats, shown, at_hand)


@st.fragment
def view(scene: Scene) -> None:
    """Controls at the right; accuracy at the left, seconds and the two truncations below."""
    answer, left, right = page.places(0.66)
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
    # Of every d: records have the accuracy at each.
    asked = (question.methods, question.counts, question.repeats, scene.seed)
    key = ("compare rank", *scene.key, *asked)
    run = engine().run(key, lambda: figure1.jobs(_problem(question), *asked), matrix_bytes(scene.data.n))

    def draw(records: Sequence[Record]) -> None:
        best, classical = (percents(records, measure) for measure in question.measures)
        what = f"relative accuracy at rank {question.d}"
        text, numbers = result.method_answer(what, best, question.n, largest=True, unit=" %")
        if records and not best:
            text = f"Up to rounding K has rank {question.d} or less; choose a smaller d to compare methods."
        answer.markdown(page.unbroken(text))
        table.html(numbers)
        lines = _lines(question, question.methods, best)
        title = f"Relative accuracy at rank {question.d}"
        rows = f"n = {grouped(question.n)}"
        if question.n < scene.data.n:
            rows += f" of {grouped(scene.data.n)} (sample, seed {figure1.SAMPLE_SEED})"
        about = f"{inert(scene.data.title)}, {rows}; {scene.kernel.describe()}"
        subtitle = f"{about}; mean ± sd of {counted(repeats_of(records), 'run')}"
        figure = _chart(question, lines, page.sheet(title, subtitle), _accuracy_axis(lines), 560)
        page.show(figure, "compare_rank")
        with truncations:
            draw_truncations(question, best, classical)

    with left, sentences():
        follow(run, draw, what="Runs")
    # Seconds are those of one run at a time: they are taken when the others are over.
    runs = [run]
    if run.done and run.error is None:
        runs.append(_seconds(question, below[1]))
    else:
        below[1].caption("Seconds are taken one run at a time, when the runs above are over.")
    code = python(question, with_seconds=len(runs) > 1)
    page.closing("compare_rank", code, partial(rows, question, runs))


def _seconds(question: Question, place: DeltaGenerator) -> Run:
    """Draw the median seconds of one rank-d approximation against m/n, with the range of the runs."""
    scene = question.scene
    asked = (question.methods, question.seconds_counts, question.d, question.at_hand, scene.seed)
    key = ("compare rank seconds", *scene.key, *asked)
    run = engine().run(
        key, lambda: figure1.seconds_jobs(_problem(question), *asked), matrix_bytes(scene.data.n), alone=True
    )

    def draw(records: Sequence[Record]) -> None:
        values, title = by_method(records, "seconds"), "Seconds of one approximation"
        lines = method_lines(question.methods, values, question.n, extent)
        subtitle = f"median and range of {figure1.SECONDS_REPEATS} runs on this server"
        sheet, yaxis = page.sheet(title, subtitle), value_axis(lines, "seconds", page.theme())
        figure = with_layout(_chart(question, lines, sheet, yaxis), showlegend=False)
        page.show(figure, "compare_rank_seconds")

    with place, sentences():
        follow(run, draw, what="Seconds, one run at a time", beside=True)
    return run


def draw_truncations(question: Question, best: Values, classical: Values) -> None:
    """Draw both rank-d approximations from the columns of one method."""
    title = f"Rank {question.d} from the columns of {METHODS[question.shown].label}"
    first, second = (_lines(question, [question.shown], values) for values in (best, classical))
    style = stroke(question.shown, page.theme())
    style["line"]["dash"] = "dot"
    style |= {"name": "classical, from W", "hovertemplate": "%{text}<extra></extra>", "opacity": 0.75}
    dotted = [scatter(x=line.x, y=line.y, text=line.hover, **style) for line in second]
    lines, yaxis = [replace(line, label="best rank d of K̃") for line in first], _accuracy_axis(first + second)
    figure = _chart(question, lines, page.sheet(title), yaxis, extra=dotted)
    page.show(figure, "compare_rank_truncations")


def _lines(question: Question, methods: Sequence[str], values: Values) -> list[Line]:
    def up_to_all(runs: FloatArray) -> tuple[float, float, float]:
        # No run exceeds 100 %, so no band does.
        mean, low, high = deviation(runs)
        return mean, low, min(high, float(runs.max()))

    return method_lines(methods, values, question.n, up_to_all)


def _chart(
    question: Question, lines: Sequence[Line], sheet: Sheet, yaxis: Any, height: int = 400, extra: Any = ()
) -> go.Figure:
    xaxis = axis("columns m / n (%)", sheet.theme, range=[0, 103.0 * max(question.counts) / question.n])
    return band_chart(lines, sheet, xaxis, yaxis, height, extra)


def _accuracy_axis(lines: Sequence[Line]) -> dict[str, Any]:
    """From the ten below the lowest value to 100 %, so that it rarely moves while runs come in."""
    lowest = min((float(line.low.min()) for line in lines), default=0.0)
    bottom = max(0.0, 10.0 * np.floor(lowest / 10.0))
    ends = [bottom - 0.5, 100.0 + 0.03 * (100.0 - bottom)]
    return axis("relative accuracy (%)", page.theme(), range=ends)
