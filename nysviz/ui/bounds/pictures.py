"""The pictures of the page "Bounds": the curves, the steps of the proof, property (8), one entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.bounds import Quadruple, derived_constant, printed_constant, violating_quadruple
from nysviz.bounds.property_eight import slope
from nysviz.bounds.zhang import needs_ball
from nysviz.figures.bounds import bound_chart
from nysviz.figures.bounds_proof import ladder_chart, property_chart
from nysviz.figures.entry_map import entry_map
from nysviz.figures.look import inert, three_digits
from nysviz.kernels import Gaussian, InverseDistance, Laplacian, Linear
from nysviz.landmarks import METHODS
from nysviz.sweep import Progress, Record
from nysviz.ui import computing, page
from nysviz.ui.bounds.computing import Entry, Report, curve_counts, curve_values, repeats_of
from nysviz.ui.controls import Choice
from nysviz.ui.sidebar.scene import Scene

# The steps of the proof, from the error up: a short name, and what is given away.
STEPS = {
    "inverse": (
        "parts added",
        "Norms of the four parts of K − K̃ are added, though the parts cancel in part.",
    ),
    "constant": ("‖W⁻¹‖ for W⁻¹", "B W⁻¹ Bᵀ is bounded by ‖B‖² ‖W⁻¹‖₂."),
    "spectral": ("C and e", "The changes A and B are bounded through property (8) and e."),
    "clusters": ("Frobenius ‖W⁻¹‖", "‖W⁻¹‖_F takes the place of ‖W⁻¹‖₂."),
    "blocks": ("all of size T", "Every cluster is taken to be as large as the largest."),
    "printed": ("blocks added", "Norms of T² blocks are added as numbers, not as squares."),
}
# Distances, in units of σ, that the chart of property (8) shows at least and at most.
LEAST_SPAN, MOST_SPAN = 3.0, 12.0
CURVE_POINTS = 200


@dataclass(frozen=True)
class Constants:
    """Property (8) for the scene's kernel: both constants, and the quadruple that decides between them.

    ``unit`` turns a ratio into what the chart shows: × σ², or a part of the derived constant.
    """

    derived: float
    printed: float
    quadruple: Quadruple
    unit: float


def constants(scene: Scene, report: Report) -> Constants:
    """Property (8) for the scene's kernel, on the ball of these data where it needs one."""
    kernel = scene.kernel
    radius = report.radius if needs_ball(kernel) else None
    derived = derived_constant(kernel, radius)
    unit = 1.0 / derived if derived > 0 else 1.0
    if isinstance(kernel, Gaussian | Laplacian | InverseDistance):
        unit = kernel.sigma**2
    return Constants(derived, printed_constant(kernel, radius), violating_quadruple(kernel, radius), unit)


def draw_curve(
    scene: Scene, choice: Choice, report: Report, records: Sequence[Record], progress: Progress
) -> None:
    """Draw error and bound against m/n from the runs that are there."""
    ms, n = curve_counts(scene), scene.data.n
    values = curve_values(list(records), ms)
    here = (100 * choice.m / n, report.error, report.bound.total)
    title = headline(report)
    random = METHODS[choice.method].random
    repeats = f"{repeats_of(scene)} repeats, quartiles as a band" if random else "no randomness"
    if not computing.is_exact(scene):
        repeats += "; errors from 500 sampled rows"
    figure = bound_chart(
        [100 * m / n for m in ms],
        values,
        report.whole,
        choice.method,
        choice.label,
        here,
        page.theme(),
        title,
        f"{scene.subtitle}; {repeats}",
    )
    page.show(figure, "curve", f"Error and bound against the ratio of landmarks. {title}.")
    if progress.total and progress.done == progress.total and len(ms) > 1:
        st.caption(trend(values, ms, n))


def headline(report: Report) -> str:
    """What the main picture shows."""
    orders = report.orders
    if report.is_rounding:
        return "The approximation is exact: the bound has no error to compare with"
    if not len(orders):
        return "There is no guarantee to compare the error with"
    least = "at least " if report.bound.is_least else ""
    return f"The bound lies {least}{orders.sum():.1f} orders of magnitude above the error"


def trend(values: dict[str, FloatArray], ms: tuple[int, ...], n: int) -> str:
    """How error and bound move from the fewest landmarks of the curve to the most."""
    parts = []
    for name, words in (("frobenius", "error"), ("bound", "bound")):
        first, last = (float(np.nanmedian(values[name][k])) for k in (0, -1))
        if first <= 0 or last <= 0:
            return ""
        verb, times = ("rises", last / first) if last > first else ("falls", first / last)
        parts.append(f"the median {words} {verb} {three_digits(times)} times")
    span = f"From m = {ms[0]} to m = {ms[-1]} ({100 * ms[0] / n:.2g} % to {100 * ms[-1] / n:.2g} %)"
    return f"{span} {parts[0]}, and {parts[1]}."


def draw_ladder(report: Report) -> None:
    """Draw which step of the proof gives away how much."""
    orders = report.orders
    if not len(orders):
        st.caption("The error or the bound is 0: there is no looseness to divide among the steps.")
        return
    names, explanations = zip(*STEPS.values(), strict=True)
    title = f"Largest loss: {names[int(orders.argmax())]}"
    figure = ladder_chart(
        names,
        explanations,
        orders,
        page.theme(),
        title,
        "Steps of the proof, from the error up",
    )
    page.show(figure, "ladder", f"Orders of magnitude that each step of the proof gives away. {title}.")


def draw_property(scene: Scene, report: Report, found: Constants) -> None:
    """Draw the ratio of property (8) with both constants and the quadruple."""
    q, unit = found.quadruple, found.unit
    curve, place, names = _envelope(scene, report, found)
    where = report.where / (report.radius**2 or 1.0 if needs_ball(scene.kernel) else _sigma(scene))
    broken = q.ratio > found.printed
    title = "The printed constant fails" if broken else "Both constants hold here"
    figure = property_chart(
        curve,
        (where, report.ratios * unit),
        found.derived * unit,
        found.printed * unit,
        (place, q.ratio * unit),
        names,
        page.theme(),
        title,
        "Line: small moves; dots: points and landmarks",
    )
    page.show(
        figure, "property", f"Ratio of property (8) with the derived and the printed constant. {title}."
    )


def _sigma(scene: Scene) -> float:
    return float(getattr(scene.kernel, "sigma", 1.0))


def _envelope(
    scene: Scene, report: Report, found: Constants
) -> tuple[tuple[FloatArray, FloatArray], float, tuple[str, str]]:
    """The largest ratio of small moves by the place of the pair, the quadruple's place, the axes' names."""
    kernel, q = scene.kernel, found.quadruple
    if not needs_ball(kernel):
        sigma = _sigma(scene)
        reach = float(report.where.max(initial=0.0)) / sigma
        x = np.linspace(0.0, float(np.clip(1.05 * reach, LEAST_SPAN, MOST_SPAN)), CURVE_POINTS)
        y = 2.0 * slope(kernel, x * sigma) ** 2 * found.unit
        place = 0.5 * (abs(q.a - q.b) + abs(q.c - q.d)) / sigma
        return (x, y), place, ("distance of the pair / σ", "ratio × σ²")
    x = np.linspace(0.0, 1.0, CURVE_POINTS)
    y = np.ones_like(x)
    if not isinstance(kernel, Linear):
        degree, offset = getattr(kernel, "degree", 1), getattr(kernel, "epsilon", 0.0)
        scale = report.radius**2
        y = ((x * scale + offset) / (scale + offset)) ** (2 * (degree - 1)) if scale + offset > 0 else y
    place = q.c * q.d / (report.radius**2 or 1.0)
    return (x, y), place, ("inner product of the pair / R²", "ratio / derived C")


def draw_entry(scene: Scene, choice: Choice, report: Report, tried: Entry) -> None:
    """Draw the data by the error of their entries with the first point, and the pair."""
    a = report.approximation
    shown = computing.picture(scene, None)
    i, j = tried.rows
    X = scene.data.X
    errors = np.abs(
        scene.kernel(X[i : i + 1], X[shown.rows])[0] - a.take(shown.rows) @ a.take(np.array([i]))[0]
    )
    assert a.landmarks is not None
    title = f"Entry ({i}, {j}) of K̃ is off by {three_digits(tried.before)}"
    rows = "both rows are landmarks" if i != j else "the row is a landmark"
    figure = entry_map(
        shown.positions,
        errors,
        shown.rows,
        (a.landmarks - shown.centre) @ shown.directions,
        METHODS[choice.method].landmarks_are_data,
        ((X[[i, j]] - shown.centre) @ shown.directions, (i, j)),
        # A low chart has no room for the share of the variance.
        (inert(shown.names[0].split(" (")[0]), inert(shown.names[1].split(" (")[0])),
        shown.ranges,
        page.theme(),
        title,
        f"By {three_digits(tried.after)} once {rows}; colour: entries with row {i}",
    )
    page.show(figure, "entry", f"{title}; by {three_digits(tried.after)} once {rows}.")
