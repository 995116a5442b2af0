"""The view "Relative accuracy at rank d" of the page Compare (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, catalog, load
from nysviz.engine import Run
from nysviz.figures.drawing import scatter, with_layout
from nysviz.figures.look import Sheet, axis, inert, stroke
from nysviz.figures.traces import Line, band_chart, deviation, extent
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui import page
from nysviz.ui.asking import once
from nysviz.ui.compare import result
from nysviz.ui.compare.result import repeats_of
from nysviz.ui.compare.view import method_lines, value_axis
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import box, method_label, percent_label, several
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene, keep_choices, loading_code

# The paper's methods, and those of others that choose columns without weights.
OFFERED = (*figure1.METHODS, "icd", "rpcholesky", "kmeanspp", "kmeanspp_lloyd", "farthest")
HERE = "The sidebar's data and kernel"
# Whether the sidebar was drawn for the paper's data.
OWN = "compare_rank_own_kernel"
AT_HAND = {"with K at hand": True, "with the entries of K that are asked for": False}


@dataclass(frozen=True)
class Question:
    """What is to be compared, and on which matrix."""

    data: Dataset
    kernel: Kernel
    methods: tuple[str, ...]
    d: int
    up_to: int
    repeats: int
    seed: int
    shown: str
    at_hand: bool

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return min(self.data.n, figure1.ROWS)

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

    @property
    def subtitle(self) -> str:
        """Data, size, kernel and d in one line, for charts."""
        rows = f"n = {self.n}"
        if self.n < self.data.n:
            rows += f" of {self.data.n} (sample, seed {figure1.SAMPLE_SEED})"
        return f"{inert(self.data.title)}, {rows}; {self.kernel.describe()}; d = {self.d}"


def _problem(question: Question) -> Problem:
    of = figure1.problem_of(question.data, question.kernel)
    K = once(("K", of.digest, of.kernel), lambda: of.kernel(of.X))
    return Problem("", of.X, of.kernel, of.digest, dense=K)


def percents(records: Sequence[Record], measure: str) -> Values:
    """Return an accuracy of every run in per cent."""
    values = by_method(records, measure)
    return {m: {name: 100.0 * runs for name, runs in of.items()} for m, of in values.items()}


def rows(question: Question, runs: Sequence[Run]) -> list[dict[str, object]]:
    """What the runs have by now, then the means of both accuracies over the repeats at the chart's rank."""
    records = [record for run in runs for record in run.records()]
    found = of_records(records, question.data.name)
    begin = {"data": question.data.name, "n": question.n, "d": question.data.d}
    for measure in question.measures:
        for m, methods in by_method(records, measure).items():
            for method, values in methods.items():
                line = {**begin, "method": method, "m": m}
                found += measured(line, {f"mean_{measure}": float(values.mean())})
    return found


def python(question: Question, load: str, *, with_seconds: bool) -> str:
    """Write the script."""
    asked = f"{list(question.methods)!r}, {list(question.counts)}, {question.repeats}, {question.seed}"
    costs = f"{list(question.methods)!r}, {list(question.seconds_counts)}, {question.d}, {question.at_hand}"
    more = f"jobs += figure1.seconds_jobs(problem, {costs}, {question.seed})\n" if with_seconds else ""
    return f"""import nysviz as nv
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, run_jobs, tidy
from nysviz.sweep.ranking import Values, by_method

data = {load}
of = figure1.problem_of(data, nv.{question.kernel!r})
problem = Problem(of.name, of.X, of.kernel, of.digest, dense=of.kernel(of.X))
jobs = figure1.jobs(problem, {asked})
{more}records = [record for finished in run_jobs(jobs) for record in finished.records]
for measure in {question.measures!r}:
    for m, methods in by_method(records, measure).items():
        for method, runs in methods.items():
            print(f"method={{method}} m={{m}} mean_{{measure}}", runs.mean())
print(tidy(records).to_csv(index=False))"""


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
    up_tos = list({tuple(figure1.counts_of(n, d, percent)): percent for percent in (5, 10, 20)}.values())
    up_to, key = up_tos[0], "compare_rank_up_to"
    if len(up_tos) == 1:
        keep_choices((key,))
    else:
        up_to = box("m / n up to", up_tos, key, 10, percent_label, places[2])
    repeats = box("Repeats", (3, 5, 10, 20), "compare_rank_repeats", 5, place=places[1])
    offered = [*methods] or ["greedy"]
    shown = box("Classical rank d for", offered, "compare_rank_shown", "greedy", method_label)
    at_hand = AT_HAND[box("Seconds", AT_HAND, "compare_rank_counted")]
    return Question(data, kernel, methods, d, up_to, repeats, scene.seed, shown, at_hand)


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
    # Of every d: records have the accuracy at each.
    asked = (question.methods, question.counts, question.repeats, question.seed)
    key = ("compare rank", question.data.digest, question.kernel, *asked)
    run = running(key, lambda: figure1.jobs(_problem(question), *asked), rows=question.data.n)

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
        subtitle = f"{question.subtitle}; mean ± standard deviation of {repeats_of(records)} runs"
        figure = _chart(question, lines, page.sheet(title, subtitle), _accuracy_axis(lines), 560)
        page.show(figure, "compare_rank")
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
    """Draw the median seconds of one rank-d approximation against m/n, with the range of the runs."""
    asked = (question.methods, question.seconds_counts, question.d, question.at_hand, question.seed)
    key = ("compare rank seconds", question.data.digest, question.kernel, *asked)
    run = running(
        key, lambda: figure1.seconds_jobs(_problem(question), *asked), alone=True, rows=question.data.n
    )

    def draw(records: Sequence[Record]) -> None:
        values, title = by_method(records, "seconds"), "Seconds of one approximation"
        lines = method_lines(question.methods, values, question.n, extent)
        subtitle = f"median and range of {figure1.SECONDS_REPEATS} runs on this server"
        sheet, yaxis = page.sheet(title, subtitle), value_axis(lines, "seconds", page.theme())
        figure = with_layout(_chart(question, lines, sheet, yaxis), showlegend=False)
        page.show(figure, "compare_rank_seconds")

    with place, page.sentences():
        follow(run, draw, what="Seconds, one run at a time")
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
    return band_chart(lines, *sheet, xaxis, yaxis, height, extra)


def _accuracy_axis(lines: Sequence[Line]) -> dict[str, Any]:
    """From the ten below the lowest value to 100 %, so that it rarely moves while runs come in."""
    lowest = min((float(line.low.min()) for line in lines), default=0.0)
    bottom = max(0.0, 10.0 * np.floor(lowest / 10.0))
    ends = [bottom - 0.5, 100.0 + 0.03 * (100.0 - bottom)]
    return axis("relative accuracy (%)", page.theme(), range=ends)
