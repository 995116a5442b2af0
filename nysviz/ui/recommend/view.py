"""The controls and the charts of the page "Recommend", and where it leads."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from nysviz.advice.bandwidths import Width, chosen_width, sigma_of, task_of
from nysviz.advice.candidates import Budget, Candidate
from nysviz.advice.curve import EXTREME
from nysviz.advice.question import DEFAULT_METHODS, FLOOR, Question
from nysviz.advice.recommendation import NORM_NAMES, Recommendation
from nysviz.figures.recommend import Mark, bandwidth_chart, error_chart
from nysviz.figures.traces import Line
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.text import in_seconds, three_digits
from nysviz.ui import page, state
from nysviz.ui.controls import stop_for
from nysviz.ui.inputs import box, number, several, stops
from nysviz.ui.recommend import result
from nysviz.ui.recommend.result import Asked
from nysviz.ui.sidebar.scene import Scene

# Evenly spaced in log.
TARGETS = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


def controls(scene: Scene) -> Asked | None:
    """Draw the controls; None where no method is chosen."""
    left, right = st.columns(2)
    note = "Part of K, in the norm beside, that may be left."
    target = stops("Target error", TARGETS, "recommend_target", 0.1, "{:g}".format, left, help=note)
    norm = box("Norm", NORM_NAMES, "recommend_norm", names=NORM_NAMES, place=right)
    limit: dict[str, Any] = {"format": "%g", "placeholder": "any"}
    limit["help"] = "What one approximation of all rows may take on this machine."
    seconds = number("Seconds at most", 0.001, 1e6, None, "recommend_seconds", left, **limit)
    limit["help"] = "What it may hold beside the data while it is made."
    megabytes = number("Memory at most, MB", 0.01, 1e6, None, "recommend_memory", right, **limit)
    suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel) and name != FLOOR]
    offered = [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]
    # Parts of the rows do not tell of the methods that go for outliers.
    large = scene.data.n > Question(scene.data.X, scene.kernel).sizes[-1]
    first = [name for name in DEFAULT_METHODS if not (large and name in EXTREME)]
    with st.popover("Methods that are considered", width="stretch"):
        methods = several("Methods", offered, "recommend_methods", first, label_visibility="collapsed")
    if not methods:
        st.info("Choose a method.", icon=":material/touch_app:")
        return None
    data, memory = scene.data, None if megabytes is None else 1e6 * megabytes
    question = Question.of(data.X, scene.kernel, target, norm, methods, scene.seed, data.digest)
    return Asked(question, Budget(seconds, memory), data.y, data.task)


def offer(scene: Scene, found: Recommendation) -> None:
    """Draw the buttons that take the recommendation, and a bandwidth that suits better."""
    best, width = found.best, result.better_width(found)
    look: dict[str, Any] = {"width": "stretch", "icon": ":material/grid_on:", "type": "primary"}
    if best is not None:
        where = best.label, stop_for(scene.data.n, best.m)[1]
        label = f"Open in Approximate, m = {best.m}"
        st.button(label, key="recommend_open", on_click=_open, args=where, **look)
    look = {"width": "stretch", "icon": ":material/swap_horiz:"}
    if width is not None:
        label = f"Take σ = {three_digits(width.sigma)}, for which m = {width.m} is enough in the mean"
        st.button(label, key="recommend_width", on_click=_take, args=(scene, width.sigma), **look)


def _open(method: str, ratio: str) -> None:
    now = state.current().parameters
    kept = {name: value for name, value in now.items() if name in state.SIDEBAR}
    state.go(state.State("approximate", {**kept, "method": method, "ratio": ratio}))


def _take(scene: Scene, sigma: float) -> None:
    """Go to this page with another bandwidth: the click alone would draw its fragment, not the sidebar."""
    now, width = state.current(), default_width(scene.data.X)
    multiple = f"{2.0 * sigma * sigma / width:.6g}"
    state.go(state.State(now.page, {**now.parameters, "bandwidth": multiple}))


def draw_errors(scene: Scene, found: Recommendation) -> None:
    """Draw the expected error against the number of landmarks, with the target and what is recommended."""
    asked, floor, lines = found.asked, None, []
    most = asked.most()
    if found.floor is not None:
        ms = np.unique(np.round(np.geomspace(1, min(most, len(found.floor.errors)), 60)))
        floor = ms, np.array([found.floor.at(int(m)) for m in ms])
    for one in found.candidates:
        curve = one.curve
        hover = [
            f"{one.label}, m = {m:.0f}<br>error {error} ({low} to {high})"
            for m, *ends in zip(curve.ms, curve.value, curve.low, curve.high, strict=True)
            for error, low, high in [map(three_digits, ends)]
        ]
        high = curve.high if curve.carries else curve.value
        lines.append(Line(one.method, one.label, curve.ms, curve.value, curve.low, high, hover))
    rows = "all rows" if asked.uses_all_rows else f"parts of {asked.sizes[-1]} rows"
    sheet = page.sheet("Expected error against landmarks", f"{scene.subtitle}; {rows}; bands: 90 % of runs")
    marks = _marks(found, lambda one: float(one.m))
    axes = "landmarks m", (0.9, 1.15 * most), f"relative {NORM_NAMES[asked.norm]} error"
    figure = error_chart(lines, marks, asked.target, *axes, *sheet, floor=floor)
    page.show(figure, "recommend", f"{sheet.title}, by method.")


def draw_seconds(found: Recommendation) -> None:
    """Draw the expected error against the seconds of one approximation of all rows."""
    budget, lines = found.budget.seconds, []
    for one in found.candidates:
        x = np.array([max(1e-4, one.cost.seconds_of(found.asked.n, m)) for m in one.curve.ms])
        y = one.curve.value
        hover = [
            f"{one.label}, m = {m:.0f}<br>error {three_digits(error)} in {in_seconds(seconds)}"
            for m, error, seconds in zip(one.curve.ms, y, x, strict=True)
        ]
        lines.append(Line(one.method, one.label, x, y, y, y, hover))
    marks = _marks(found, lambda one: one.seconds)
    spread = [*(float(x) for line in lines for x in line.x), *(mark.x for mark in marks)]
    spread += [] if budget is None else [budget]
    ends = min(spread, default=1e-3) / 1.3, max(spread, default=1.0) * 1.3
    axes = "seconds of one approximation of all rows", ends, f"relative {NORM_NAMES[found.asked.norm]} error"
    sheet = page.sheet("Expected error against seconds", "from timed runs on this machine; hollow: measured")
    figure = error_chart(lines, marks, found.asked.target, *axes, *sheet, limit=budget, small=True)
    page.show(figure, "recommend_time", f"{sheet.title}, by method.")


def draw_widths(scene: Scene, found: Recommendation, widths: Sequence[Width], _: object = None) -> None:
    """Draw the needed landmarks, and with labels what is learned, against the bandwidth."""
    found = replace(found, widths=tuple(sorted(widths, key=lambda one: one.sigma)))
    asked, sigma, best = found.asked, sigma_of(found.asked.kernel), chosen_width(found.widths)
    if sigma is None or not found.widths:
        return
    learned = any(math.isfinite(one.loss) for one in found.widths)
    marked = [("now", sigma)]
    if best is not None and abs(math.log(best.sigma / sigma)) > 1e-6:
        marked.append(("for the labels", best.sigma))
    task = scene.data.task or task_of(scene.data.y)
    loss = "share of wrong classes" if task == "classification" else "squared error / variance"
    more = f"; loss with m = {found.widths[0].landmarks}" if learned else ""
    short = "; △ not enough" if any(one.m is None for one in found.widths) else ""
    subtitle = f"randomly pivoted Cholesky, mean error {asked.target:g}{more}{short}"
    sheet = page.sheet("Needed landmarks against the bandwidth", subtitle)
    most, ends = asked.most(asked.sizes[-1]), (sigma / 5.0, sigma * 5.0)
    shown = [(one, result.width_hover(one)) for one in found.widths]
    figure = bandwidth_chart(shown, most, marked, ends, loss if learned else "", *sheet)
    page.show(figure, "recommend_bandwidth", f"{sheet.title}.")


def _marks(found: Recommendation, place: Callable[[Candidate], float]) -> list[Mark]:
    """What was measured on all rows, hollow; the recommended one also filled, below it."""
    shown = [(found.best, "recommended")] if found.best else []
    shown += [(one, "measured") for one in found.candidates if one.verified is not None]
    marks = []
    for one, name in shown:
        hover = f"{name}: {one.label}, m = {one.m}<br>error {three_digits(one.error.value)}"
        marks.append(Mark(one.method, place(one), one.error.value, hover, name == "recommended"))
    return marks
