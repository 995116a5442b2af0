"""The charts of the page "Lift"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.figures.bands import Line
from nysviz.figures.drawing import with_traces
from nysviz.figures.lift import Ground, Zone, lift_chart, line_chart
from nysviz.figures.look import Theme, three_digits
from nysviz.kernels import Gaussian
from nysviz.papers.oglic2017.lift import (
    BEST,
    REFERENCE,
    SCHEMES,
    Cell,
    Lifts,
    cell_of,
    gain,
    lifts,
    relative_errors,
    scheme_of,
)
from nysviz.sweep import Record
from nysviz.ui import page
from nysviz.ui.lift.parts import COST_REPEATS, Question

# No choice can gain this much where K is close to the identity; anything does where uniform rows leave
# this little.
NO_GAIN = 1.25
SMALL_ERROR = 0.01


def position(question: Question, cell: Cell) -> float:
    """Where a cell stands on the x axis."""
    return float(cell.rank) if question.view == "rank" else cell.bandwidth


def zones(question: Question, records: Sequence[Record]) -> list[Zone]:
    """Ranges of bandwidths where no choice of landmarks matters, from the runs that are there."""
    if question.view != "bandwidth":
        return []
    errors, found = relative_errors(records), lifts(records)
    hopeless = [
        cell.bandwidth for cell in found if BEST in found[cell] and gain(found[cell][BEST]).mean < NO_GAIN
    ]
    easy = [
        cell.bandwidth
        for cell in errors
        if REFERENCE in errors[cell] and float(errors[cell][REFERENCE].mean()) < SMALL_ERROR
    ]
    low, high = question.values[0], question.values[-1]
    found_zones = []
    if easy:
        found_zones.append(
            Zone(low, _between(question, max(easy)), f"uniform leaves < {100 * SMALL_ERROR:.0f} %")
        )
    if hopeless:
        found_zones.append(Zone(_between(question, min(hopeless), -1), high, "no room to gain"))
    return found_zones


def _between(question: Question, value: float, step: int = 1) -> float:
    """Halfway from a bandwidth to its neighbour, in the logarithm."""
    values = question.values
    at = values.index(min(values, key=lambda v: abs(np.log(v / value)))) + step
    other = values[at] if 0 <= at < len(values) else value
    return float(np.sqrt(value * other))


def lift_lines(question: Question, found: Lifts) -> list[Line]:
    """Geometric mean of each scheme's lift, with a band of one standard deviation of its logarithm."""
    lines = []
    for name in question.schemes:
        at = [(cell, gain(found[cell][name])) for cell in found if name in found[cell]]
        if not at:
            continue
        x, y, low, high = (
            np.array(values)
            for values in zip(*((position(question, c), g.mean, g.low, g.high) for c, g in at), strict=True)
        )
        scheme = SCHEMES[name]
        label = "best possible" if name == BEST else scheme.label
        told = [_told(label, cell, one.mean, (one.low, one.high), "lift", one.runs) for cell, one in at]
        lines.append(Line(scheme.method, label, x, y, low, high, told))
    return lines


def error_lines(question: Question, records: Sequence[Record]) -> list[Line]:
    """Median relative error of every scheme and of uniform sampling, with its range."""
    errors = relative_errors(records)
    lines = []
    for name in (REFERENCE, *question.schemes):
        at = [(cell, errors[cell][name]) for cell in errors if name in errors[cell]]
        if not at:
            continue
        scheme = SCHEMES[name]
        label = "best possible" if name == BEST else scheme.label
        x = np.array([position(question, cell) for cell, _ in at])
        y, low, high = (
            np.array([float(pick(runs)) for _, runs in at]) for pick in (np.median, np.min, np.max)
        )
        told = [
            _told(label, cell, v, (a, b), "relative error", len(runs))
            for (cell, runs), v, a, b in zip(at, y, low, high, strict=True)
        ]
        lines.append(Line(scheme.method, label, x, y, low, high, told))
    return lines


def _told(label: str, cell: Cell, value: float, band: tuple[float, float], what: str, runs: int) -> str:
    spread = f" ({three_digits(band[0])} – {three_digits(band[1])})" if band[1] > band[0] else ""
    count = "one run" if runs == 1 else f"{runs} runs"
    where = f"1/σ² = {three_digits(cell.bandwidth)}, K = {cell.rank}, l = {cell.landmarks}"
    return f"{label}<br>{where}<br>{what} {three_digits(value)}{spread}, {count}"


def _names(question: Question) -> dict[str, str]:
    return {SCHEMES[name].label: name for name in question.schemes}


def _ground(question: Question, title: str, y_title: str, zones: Sequence[Zone] = (), *, one: bool) -> Ground:
    if question.view == "rank":
        last = question.ranks[-1]
        return Ground(title, question.subtitle, "rank K", y_title, (0.0, 1.03 * last), x_log=False, one=one)
    return Ground(
        title,
        question.subtitle,
        "1/σ² (large: narrow kernel)",
        y_title,
        (question.values[0], question.values[-1]),
        mark=(question.range.standard, "1/median"),
        zones=zones,
        one=one,
    )


def draw_lift(question: Question, records: Sequence[Record], title: str, theme: Theme) -> go.Figure:
    """Draw lift against bandwidth (figure 1) or rank (figure 3)."""
    y_title = "lift: error of uniform / of the method"
    ground = _ground(question, title, y_title, zones(question, records), one=True)
    return lift_chart(lift_lines(question, lifts(records)), _names(question), ground, theme)


def draw_errors(question: Question, records: Sequence[Record], theme: Theme) -> go.Figure:
    """Draw the errors behind the lift."""
    ground = _ground(
        # Short: a legend of all methods leaves the chart half of its height.
        question,
        "The errors behind the lift",
        "relative error ‖K − K̃‖ / ‖K‖",
        one=False,
    )
    return lift_chart(error_lines(question, records), _names(question), ground, theme, 460)


def draw_effective_rank(question: Question, records: Sequence[Record], theme: Theme) -> go.Figure:
    """Draw how many eigenvalues K has, in effect, at every bandwidth."""
    found = effective_ranks(records)
    ground = _ground(
        question,
        "From a matrix of ones to the identity",
        "effective rank (Σλ)² / Σλ²",
        one=False,
    )
    ground = replace(ground, subtitle=f"n for the identity, here {question.n}; 1 for a matrix of ones")
    x, y = list(found), list(found.values())
    told = [
        f"1/σ² = {three_digits(a)}<br>effective rank {three_digits(b)} of {question.n}"
        for a, b in found.items()
    ]
    return line_chart(x, y, told, ground, theme, 420)


def effective_ranks(records: Sequence[Record]) -> dict[float, float]:
    """Effective rank of K by bandwidth."""
    found = {}
    for record in records:
        if isinstance(record.kernel, Gaussian):
            found[record.kernel.inverse_square] = record.values["effective_rank"]
    return dict(sorted(found.items()))


def draw_seconds(question: Question, records: Sequence[Record], title: str, theme: Theme) -> go.Figure:
    """Draw seconds against error, a point a bandwidth (figure 2)."""
    errors, seconds = relative_errors(records), seconds_of(records)
    lines = []
    for name in (REFERENCE, *question.schemes):
        cells = [cell for cell in errors if name in errors[cell]]
        if not cells:
            continue
        label = SCHEMES[name].label
        x = np.array([float(np.median(seconds[cell][name])) for cell in cells])
        y = np.array([float(np.median(errors[cell][name])) for cell in cells])
        told = [
            f"{label}<br>1/σ² = {three_digits(cell.bandwidth)}<br>"
            f"relative error {three_digits(float(b))} in {three_digits(float(a))} s"
            for cell, a, b in zip(cells, x, y, strict=True)
        ]
        lines.append(Line(SCHEMES[name].method, label, x, y, y, y, told))
    taken = np.concatenate([line.x for line in lines]) if lines else np.array([1e-3, 1.0])
    size = f"median of {min(question.repeats, COST_REPEATS)} runs" if question.repeats > 1 else "one run"
    ground = Ground(
        title,
        f"{question.subtitle.rpartition(';')[0]}; {size}",
        "seconds of one approximation on this server",
        "relative Frobenius error ‖K − K̃‖ / ‖K‖",
        (max(1e-5, float(taken.min())), max(1e-4, float(taken.max()))),
        one=False,
    )
    # Points without lines: along the bandwidths only the error changes, seconds are noise.
    return with_traces(lift_chart(lines, _names(question), ground, theme), lambda *_: {"mode": "markers"})


def seconds_of(records: Sequence[Record]) -> dict[Cell, dict[str, list[float]]]:
    """Seconds of every run: cell → scheme."""
    found: dict[Cell, dict[str, list[float]]] = {}
    for record in records:
        found.setdefault(cell_of(record), {}).setdefault(scheme_of(record), []).append(record.seconds)
    return found


def show_errors(question: Question, records: Sequence[Record]) -> None:
    """Show the errors behind the lift and, over bandwidths, how K changes from ones to the identity."""
    theme, title = page.theme(), "The errors behind the lift"
    if question.view == "rank":
        page.show(draw_errors(question, records, theme), "lift_errors", title)
        return
    left, right = st.columns([0.6, 0.4], gap="medium")
    with left:
        page.show(draw_errors(question, records, theme), "lift_errors", title)
    with right:
        figure = draw_effective_rank(question, records, theme)
        page.show(figure, "lift_effective_rank", "Effective rank of K against bandwidth")
