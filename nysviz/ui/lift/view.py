"""The controls and the charts of the page "Lift"."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from nysviz.figures.drawing import with_traces
from nysviz.figures.lift import lift_chart
from nysviz.figures.traces import Line, Spread, extent, lines_of
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.oglic2017 import lift as paper
from nysviz.papers.oglic2017.lift import BEST, LANDMARKS, REFERENCE, SCHEMES, Cell, Lifts, gain
from nysviz.refusal import Refusal
from nysviz.sweep import Record
from nysviz.text import of_all, three_digits
from nysviz.ui import page
from nysviz.ui.asking import sentences
from nysviz.ui.inputs import box, number, several
from nysviz.ui.lift import result
from nysviz.ui.lift.result import EVERY, MOST, MOST_ROWS, Measured, Question, label, seconds_of
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.data_choice import OWN_FILE
from nysviz.ui.sidebar.kernel_choice import chosen_kernel
from nysviz.ui.sidebar.scene import Scene, keep_choices

# The paper's schemes, its refinement, what it does not have, and the most that any method could gain.
FIRST = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "dpp_10000", "rpcholesky", "greedy", BEST)
NEEDED = f"auto: {EVERY} of each method, then {MOST} of those that may be the best (paired t-tests, 5 %)."
VIEWS = {
    "bandwidth": "lift against bandwidth",
    "rank": "lift against rank",
    "seconds": "seconds against error",
}


def choose(scene: Scene) -> Question:
    """Draw the controls of the page."""
    X, digest = paper.sampled(scene.data, MOST_ROWS, 0)
    if len(X) < 2:
        raise Refusal("One row alone has no distances; choose data with more rows.")
    found = result.range_of(scene.data)
    names = {name: one.label for name, one in SCHEMES.items() if name != REFERENCE}
    offered = [name for name in names if METHODS[SCHEMES[name].method].suits(Gaussian(1.0))]
    view = box("Show", VIEWS, "lift_view", names=VIEWS)
    schemes = several("Methods", offered, "lift_methods", FIRST, names)
    # The longest name is that of the landmarks, which must not break in the presentation view.
    widths = {"rank": (0.56, 0.44), "seconds": (0.4, 0.6)}.get(view, (0.26, 0.4, 0.34))
    places = list(st.columns(widths, gap="small", vertical_alignment="bottom"))
    rank, every, repeats = paper.rank_for(len(X)), result.COST_REPEATS, result.COST_REPEATS
    if view != "rank":
        most, key = max(1, min(500, len(X) // 2)), f"lift_rank_{min(len(X), MOST_ROWS)}"
        rank = number("Rank k", 1, most, rank, key, places.pop(0), step=10)
    note = "More landmarks than the rank: the best rank k of what they give is measured."
    rule = box("Landmarks m", LANDMARKS, "lift_landmarks", place=places.pop(0), help=note)
    if view == "seconds":
        keep_choices(("lift_repeats",))
        # The best possible is no choice of landmarks.
        schemes = tuple(name for name in schemes if name != BEST)
    else:
        asked: Any = box("Repeats", result.REPEATS, "lift_repeats", place=places.pop(0), help=NEEDED)
        every, repeats = (EVERY, MOST) if asked == result.AS_NEEDED else (asked, asked)
    if len(X) < scene.data.n:
        st.caption(f"A random sample of {of_all(len(X), scene.data.n, 'row')} is measured.")
    return Question(view, schemes, rank, rule, every, repeats, scene.seed, scene.data.title, digest, X, found)


def explain_kernel() -> None:
    """Say which kernel the page has where the visitor has chosen another one."""
    chosen = chosen_kernel()
    if chosen == Gaussian.label:
        return
    points = "your points"
    if st.session_state["data"] == OWN_FILE and "similarities" in st.session_state.get("own_options", {}):
        points = "the points that stand for your similarities"
    st.info(
        f"This page compares bandwidths: it takes the Gaussian kernel of {points}, not the {chosen} kernel. "
        f"Compare and Approximate show the {chosen} kernel.",
        icon=":material/info:",
    )


ERROR = "relative error ‖K − K̃‖ / ‖K‖"


def draw_lift(question: Question, found: Measured) -> None:
    """Draw lift against bandwidth (figure 1) or rank (figure 3)."""
    lines = _lines(question, found.lifts, question.schemes, _gain_of)
    zones, ends = [], (question.values[0], question.values[-1])
    if found.easy:
        last = _between(question, found.easy[-1], 1)
        zones.append((ends[0], last, f"uniform error < {100 * result.SMALL_ERROR:.0f} %"))
    if found.hopeless:
        zones.append((_between(question, found.hopeless[0], -1), ends[1], "little to gain"))
    spread = f"geometric mean ± sd of {found.repeats}"
    sheet = page.sheet("Lift over uniform sampling", f"{question.subtitle}; {spread}")
    page.show(lift_chart(lines, sheet, 550, **_across(question), zones=zones), "lift")


def draw_seconds(question: Question, found: Measured) -> None:
    """Draw seconds against error, a point a bandwidth (figure 2)."""
    seconds, lines = seconds_of(found.records), []
    for line in _lines(question, found.errors, (REFERENCE, *question.schemes), extent):
        times = [
            np.median(seconds[line.method][cell]) for cell, of in found.errors.items() if line.method in of
        ]
        lines.append(replace(line, x=np.array(times), low=line.y, high=line.y))
    taken = np.concatenate([line.x for line in lines]) if lines else np.array([1e-3, 1.0])
    ends = max(1e-5, float(taken.min())), max(1e-4, float(taken.max()))
    sheet = page.sheet("Error against seconds", f"{question.subtitle}; median of {found.repeats}")
    figure = lift_chart(lines, sheet, 550, "seconds of one approximation on this server", ends, ERROR)
    # Points without lines: along the bandwidths only the error changes, seconds are noise.
    page.show(with_traces(figure, {"mode": "markers"}), "lift")


def _lines(question: Question, values: Lifts, schemes: Sequence[str], spread: Spread) -> list[Line]:
    """Return a line a scheme over bandwidths or ranks."""

    def where(cell: Cell) -> str:
        return f"1/σ² = {three_digits(cell.bandwidth)}, k = {cell.rank}, m = {cell.landmarks}"

    def x(cell: Cell) -> float:
        return cell.rank if question.view == "rank" else cell.bandwidth

    return lines_of(values, {name: label(name) for name in schemes}, spread, x, where)


def _gain_of(runs: FloatArray) -> tuple[float, float, float]:
    """Geometric mean of lifts, ± one standard deviation of the logarithm."""
    one = gain(runs)
    return one.mean, one.low, one.high


def _across(question: Question) -> dict[str, Any]:
    """Return the x axis of a chart over bandwidths or ranks."""
    if question.view == "rank":
        return {"x_title": "rank k", "x_range": (0.0, 1.03 * question.ranks[-1]), "x_log": False}
    mark, ends = (question.range.standard, "1/median"), (question.values[0], question.values[-1])
    return {"x_title": "1/σ² (large: narrow kernel)", "x_range": ends, "mark": mark}


def _between(question: Question, cell: Cell, step: int) -> float:
    """Halfway from a cell's bandwidth to its neighbour, in the logarithm."""
    values = question.values
    at = int(np.argmin(np.abs(np.log(np.array(values) / cell.bandwidth))))
    other = values[min(max(at + step, 0), len(values) - 1)]
    # The product itself may underflow.
    return float(np.sqrt(values[at]) * np.sqrt(other))


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    about = st.container()
    answer, left, right = page.places(0.66)
    below = st.container()
    with right, sentences():
        question = choose(scene)
        with about:
            explain_kernel()
        table = st.container()
        if not question.schemes:
            left.info("Choose a method on the right.", icon=":material/touch_app:")
            return
        run = result.run_of(question)
        over = run.done
        more = result.going_on(question, run.records()) if over else ()
        if more:
            run = result.run_of(question, more)

        def draw(records: Sequence[Record]) -> None:
            found = result.measured_by(question, records)
            if question.view == "seconds":
                text, numbers = result.costs_answer(question, found)
                draw_seconds(question, found)
            else:
                text, numbers = result.lift_answer(question, found)
                draw_lift(question, found)
            answer.markdown(page.unbroken(text))
            table.html(numbers)

        with left:
            follow(run, draw, what="Runs", beside=bool(more))
        if run.done and not over:
            # It was over while it was drawn: those that have more repeats are next.
            st.rerun()
        with below:
            if at_rest(run) and question.view != "seconds":
                errors = result.measured_by(question, run.records()).errors
                lines = _lines(question, errors, (REFERENCE, *question.schemes), extent)
                sheet = page.sheet("The errors behind the lift", "median and range")
                figure = lift_chart(lines, sheet, 460, **_across(question), y_title=ERROR)
                page.show(figure, "lift_errors")
            rows = partial(result.rows, scene, question, run)
            page.closing("lift", result.python(scene, question, more), rows)
