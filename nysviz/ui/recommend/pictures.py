"""The pictures of the page "Recommend"."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nysviz.advice import Candidate, Recommendation
from nysviz.figures.bands import Line
from nysviz.figures.recommend import (
    SMALL_HEIGHT,
    Mark,
    Needed,
    bandwidth_chart,
    count_axis,
    ends_of,
    error_chart,
)
from nysviz.landmarks import METHODS
from nysviz.text import in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.recommend import words
from nysviz.ui.recommend.parts import NORM_NAMES, first_of
from nysviz.ui.sidebar.scene import Scene


def draw_errors(scene: Scene, found: Recommendation) -> None:
    """Draw the expected error against the number of landmarks, with the target and what is recommended."""
    asked = found.asked
    floor = None
    most = asked.most()
    if found.floor is not None:
        ms = np.unique(np.round(np.geomspace(1, min(most, len(found.floor.errors)), 60)))
        floor = ms, np.array([found.floor.at(int(m)) for m in ms])
    title = words.title(found)
    figure = error_chart(
        [_line(one) for one in found.candidates],
        floor,
        _marks(found, lambda one, m: float(m)),
        asked.target,
        (0.9, 1.15 * most),
        count_axis("landmarks m", 0.9, 1.15 * most, page.theme()),
        f"relative {NORM_NAMES[asked.norm]} error",
        page.theme(),
        title,
        f"{scene.subtitle}; {words.measured_on(found)}; bands: 90 % of runs",
    )
    page.show(figure, "recommend", f"Expected error against landmarks, by method. {title}.")


def draw_seconds(found: Recommendation) -> None:
    """Draw the expected error against the seconds of one approximation of all rows."""
    n, budget = found.asked.n, found.budget.seconds
    lines = []
    for one in found.candidates:
        x = np.array([max(1e-4, one.cost.seconds_of(n, m).value) for m in one.curve.ms])
        value = one.curve.value
        told = [
            f"{one.label}, m = {m:.0f}<br>error {three_digits(y)} in {in_seconds(s)}"
            for m, y, s in zip(one.curve.ms, value, x, strict=True)
        ]
        lines.append(Line(one.method, one.label, x, value, value, value, told))
    spread = [s for line in lines for s in (float(line.x[0]), float(line.x[-1]))]
    spread += [one.seconds.value for one in found.candidates if one.verified is not None]
    ends = ends_of([*spread, *([] if budget is None else [budget])], (1e-3, 1.0))
    title = words.seconds_title(found)
    decades = {"tickvals": None, "ticktext": None, "exponentformat": "power", "dtick": 1}
    in_decades = decades if ends[1] > 100 * ends[0] else {}
    figure = error_chart(
        lines,
        None,
        _marks(found, lambda one, m: one.seconds.value if m == one.m else math.nan),
        found.asked.target,
        ends,
        count_axis("seconds of one approximation of all rows", *ends, page.theme()) | in_decades,
        f"relative {NORM_NAMES[found.asked.norm]} error",
        page.theme(),
        title,
        "from timed runs on this machine; hollow: measured",
        budget,
        f"{budget:g} s" if budget is not None else "",
        SMALL_HEIGHT,
        legend=False,
    )
    page.show(figure, "recommend_time", f"Expected error against seconds, by method. {title}.")


def draw_widths(scene: Scene, found: Recommendation) -> None:
    """Draw the needed landmarks, and with labels what is learned, against the bandwidth."""
    widths, asked = found.widths, found.asked
    sigma = getattr(asked.kernel, "sigma", None)
    if sigma is None:
        return
    learned = any(math.isfinite(one.loss) for one in widths)
    needed = [
        Needed(one.sigma, one.m, one.low, one.high, words.width_told(one), one.loss, one.loss_se)
        for one in widths
    ]
    best = words.learned_best(found)
    marked = [("now", sigma)]
    if best is not None and abs(math.log(best.sigma / sigma)) > 1e-6:
        marked.append(("widest as good", best.sigma))
    title = words.width_title(found)
    more = f"; loss with m = {widths[0].landmarks}" if learned else ""
    short = "; △ not enough" if any(one.m is None for one in needed) else ""
    figure = bandwidth_chart(
        needed,
        asked.most(asked.sizes[-1]),
        marked,
        (sigma / 5.0, sigma * 5.0),
        words.loss_name(scene.data.y, scene.data.task) if learned else "",
        page.theme(),
        title,
        f"randomly pivoted Cholesky, mean error {asked.target:g}{more}{short}",
    )
    page.show(figure, "recommend_bandwidth", f"Needed landmarks against the bandwidth. {title}.")


def _line(one: Candidate) -> Line:
    curve = one.curve
    told = [
        f"{one.label}, m = {m:.0f}<br>error {three_digits(y)} ({three_digits(low)} to {three_digits(high)})"
        for m, y, low, high in zip(curve.ms, curve.value, curve.low, curve.high, strict=True)
    ]
    high = curve.high if curve.carries else curve.value
    return Line(one.method, METHODS[one.method].label, curve.ms, curve.value, curve.low, high, told)


def _marks(found: Recommendation, place: Callable[[Candidate, int], float]) -> list[Mark]:
    """What was measured on all rows, hollow; the recommended one also filled, below it."""
    marks = []
    first = first_of(found)
    if first is not None and first.m and found.best is not None:
        told = f"recommended: {first.label}, m = {first.m}<br>error {three_digits(first.error.value)}"
        marks.append(Mark(first.method, place(first, first.m), first.error.value, told, True))
    for one in found.candidates:
        if one.verified is not None:
            told = f"measured: {one.label}, m = {one.m}<br>error {three_digits(one.error.value)}"
            marks.append(Mark(one.method, place(one, one.m), one.error.value, told))
    return marks
