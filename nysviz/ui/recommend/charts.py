"""The charts of the page "Recommend"."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from nysviz.advice.bandwidths import Width, chosen_width, sigma_of
from nysviz.advice.candidates import Candidate
from nysviz.advice.recommendation import Recommendation
from nysviz.figures.recommend import Mark, bandwidth_chart, error_chart
from nysviz.figures.traces import Line
from nysviz.text import in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.recommend import text
from nysviz.ui.recommend.result import NORM_NAMES
from nysviz.ui.sidebar.scene import Scene


def draw_errors(scene: Scene, found: Recommendation) -> None:
    """Draw the expected error against the number of landmarks, with the target and what is recommended."""
    asked, floor, most = found.asked, None, found.asked.most()
    if found.floor is not None:
        ms = np.unique(np.round(np.geomspace(1, min(most, len(found.floor.errors)), 60)))
        floor = ms, np.array([found.floor.at(int(m)) for m in ms])
    lines = []
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
    title = text.title(found)
    figure = error_chart(
        lines,
        _marks(found, lambda one: float(one.m)),
        asked.target,
        "landmarks m",
        (0.9, 1.15 * most),
        f"relative {NORM_NAMES[asked.norm]} error",
        page.theme(),
        title,
        f"{scene.subtitle}; {rows}; bands: 90 % of runs",
        floor=floor,
    )
    page.show(figure, "recommend", f"Expected error against landmarks, by method. {title}.")


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
    title = text.seconds_title(found)
    figure = error_chart(
        lines,
        marks,
        found.asked.target,
        "seconds of one approximation of all rows",
        (min(spread, default=1e-3) / 1.3, max(spread, default=1.0) * 1.3),
        f"relative {NORM_NAMES[found.asked.norm]} error",
        page.theme(),
        title,
        "from timed runs on this machine; hollow: measured",
        limit=budget,
        small=True,
    )
    page.show(figure, "recommend_time", f"Expected error against seconds, by method. {title}.")


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
    title = text.width_title(found)
    more = f"; loss with m = {found.widths[0].landmarks}" if learned else ""
    short = "; △ not enough" if any(one.m is None for one in found.widths) else ""
    figure = bandwidth_chart(
        [(one, text.width_hover(one)) for one in found.widths],
        asked.most(asked.sizes[-1]),
        marked,
        (sigma / 5.0, sigma * 5.0),
        text.loss_name(scene.data.y, scene.data.task) if learned else "",
        page.theme(),
        title,
        f"randomly pivoted Cholesky, mean error {asked.target:g}{more}{short}",
    )
    page.show(figure, "recommend_bandwidth", f"Needed landmarks against the bandwidth. {title}.")


def _marks(found: Recommendation, place: Callable[[Candidate], float]) -> list[Mark]:
    """What was measured on all rows, hollow; the recommended one also filled, below it."""
    marks = []
    for name, candidates in (
        ("recommended", [found.best] if found.best else []),
        ("measured", [one for one in found.candidates if one.verified is not None]),
    ):
        for one in candidates:
            hover = f"{name}: {one.label}, m = {one.m}<br>error {three_digits(one.error.value)}"
            marks.append(Mark(one.method, place(one), one.error.value, hover, name == "recommended"))
    return marks
