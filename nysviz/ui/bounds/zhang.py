"""The first view of the page "Bounds": one approximation with the bound of proposition 3, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.figures.bounds import bound_chart, entry_map, ladder_chart, property_chart
from nysviz.figures.look import inert
from nysviz.landmarks import METHODS
from nysviz.sweep import Progress, Record
from nysviz.text import ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.bounds import zhang_result
from nysviz.ui.bounds.zhang_result import Report
from nysviz.ui.controls import Choice, choose_method
from nysviz.ui.downloads import with_runs
from nysviz.ui.inputs import box, keep_offered, number
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene


def show(scene: Scene) -> None:
    """Draw the view: the curve over m fills in as runs finish."""
    answer = page.answer_place()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options = st.container()
        with controls:
            choice = choose_method(scene, options)
    charts = st.columns(3, gap="medium")
    end = st.container()
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        if reason := zhang_result.no_bound(choice.method):
            st.info(reason)
            return
        report = ask(zhang_result.report, *question, what=f"{choice.label}, m = {choice.m}, and its bound")
        if report is None:
            return
        answer.markdown(page.unbroken(zhang_result.answer(report)))
        table.html(zhang_result.numbers(scene, report))
        for note in report.approximation.notes:
            notes.caption(note)
        run = zhang_result.curve_run(scene, choice)
        what = f"{choice.label} at {len(zhang_result.curve_counts(scene))} ratios m/n"
        follow(run, partial(_draw_curve, scene, choice, report), what)
    with charts[0]:
        _draw_ladder(report)
    with charts[1]:
        _draw_property(scene, report)
    with charts[2]:
        chart = st.container()
        rows = _choose_entry(scene.data.n, report.worst)
        with chart:
            entry = ask(zhang_result.entry, *question, rows, what="One entry with its points as landmarks")
            if entry is None:
                return
            _draw_entry(scene, choice, report, rows, entry)
    with end:
        page.closing(
            "bounds_zhang",
            zhang_result.python(scene, choice, rows),
            with_runs(zhang_result.rows(scene, choice, report, rows, entry), run, scene.data.name),
        )


def _choose_entry(n: int, worst: tuple[int, int]) -> tuple[int, int]:
    """Choose an entry of K: the one that is reproduced worst, or any other."""
    which, *places = st.columns([0.44, 0.28, 0.28], gap="small", vertical_alignment="bottom")
    if box("Entry of K", ["the worst", "my own"], "bounds_entry", place=which) == "the worst" or n < 2:
        return worst
    chosen = []
    for place, label, start in zip(places, ("row", "column"), worst, strict=True):
        # A row number from larger data moves to the last row.
        keep_offered(f"bounds_{label}", range(n))
        chosen.append(number(label, 0, n - 1, start, f"bounds_{label}", place))
    return chosen[0], chosen[1]


def _draw_curve(
    scene: Scene, choice: Choice, report: Report, records: Sequence[Record], progress: Progress
) -> None:
    ms, n = zhang_result.curve_counts(scene), scene.data.n
    values = zhang_result.curve_values(records, ms)
    runs = np.isfinite(values["frobenius"]).sum(axis=1)
    repeats = f"{ranged(runs[runs > 0].tolist(), 'repeat')}, quartiles as a band"
    if not METHODS[choice.method].random:
        repeats = "no randomness"
    if not computing.is_exact(scene):
        repeats += "; errors from 500 sampled rows"
    title = "Error and bound against m / n"
    figure = bound_chart(
        [100 * m / n for m in ms],
        values,
        report.whole,
        choice.method,
        choice.label,
        (100 * choice.m / n, report.error, report.bound.total),
        page.theme(),
        title,
        f"{scene.subtitle}; {repeats}",
    )
    page.show(figure, "curve", f"Error and bound against the ratio of landmarks. {title}.")


def _draw_ladder(report: Report) -> None:
    orders = report.orders
    if not len(orders):
        st.caption("The error or the bound is 0: there is no looseness to divide among the steps.")
        return
    title = "Where is the bound lost?"
    figure = ladder_chart(zhang_result.STEPS, orders, page.theme(), title)
    page.show(figure, "ladder", f"Orders of magnitude that each step of the proof gives away. {title}.")


def _draw_property(scene: Scene, report: Report) -> None:
    title = "Does the constant hold?"
    constants = (report.bound.constant, report.printed)
    pairs = (report.where, report.ratios)
    figure = property_chart(
        scene.kernel, report.radius, constants, report.quadruple, pairs, page.theme(), title
    )
    alt = f"Ratio of property (8) with the derived and the printed constant. {title}."
    page.show(figure, "property", alt)


def _draw_entry(
    scene: Scene, choice: Choice, report: Report, pair: tuple[int, int], entry: dict[str, float]
) -> None:
    """Draw the data by the error of their entries with the first point, and the pair."""
    a, X, (i, j) = report.approximation, scene.data.X, pair
    assert a.landmarks is not None
    shown = computing.picture(scene, None)

    def placed(points: FloatArray) -> FloatArray:
        return (points - shown.centre) @ shown.directions

    approximate = a.take(shown.rows) @ a.take(np.array([i]))[0]
    title = f"Entry ({i}, {j}) of K̃ is off by {three_digits(entry['entry_error'])}"
    after = three_digits(entry["entry_error_as_landmarks"])
    after += " once both rows are landmarks" if i != j else " once it is a landmark"
    figure = entry_map(
        shown.positions,
        np.abs(scene.kernel(X[i : i + 1], X[shown.rows])[0] - approximate),
        shown.rows,
        placed(a.landmarks),
        METHODS[choice.method].landmarks_are_data,
        (placed(X[[i, j]]), (i, j)),
        # A low chart has no room for the share of the variance.
        (inert(shown.names[0].split(" (")[0]), inert(shown.names[1].split(" (")[0])),
        shown.ranges,
        page.theme(),
        title,
        f"By {after}; colour: entries with row {i}",
    )
    page.show(figure, "entry", f"{title}; by {after}.")
