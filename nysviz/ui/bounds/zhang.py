"""The first view of the page "Bounds": one approximation with the bound of proposition 3, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.figures.bounds import bound_chart, entry_map, ladder_chart, property_chart
from nysviz.figures.look import inert
from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.sweep import Progress, Record
from nysviz.text import ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.bounds import zhang_result as result
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
        if choice.method not in OFFERED:
            st.info(
                f"Proposition 3 needs one set of landmarks, which {choice.label} does not have. Choose "
                f"another method, such as {METHODS['kmeans'].label} or {METHODS['uniform'].label}."
            )
            return
        report = ask(result.report, *question, what=f"{choice.label}, m = {choice.m}, and its bound")
        if report is None:
            return
        answer.markdown(page.unbroken(result.answer(report)))
        table.html(result.numbers(scene, report))
        for note in report.approximation.notes:
            notes.caption(note)
        run = result.curve_run(scene, choice)
        what = f"{choice.label} at {len(result.curve_counts(scene))} ratios m/n"
        follow(run, partial(_draw_curve, scene, choice, report), what)
    with charts[0]:
        if len(report.orders):
            title, subtitle = "Where is the bound lost?", "Steps of the proof, from the error up"
            figure = ladder_chart(result.STEPS, report.orders, page.sheet(title, subtitle))
            alt = f"Orders of magnitude that each step of the proof gives away. {title}."
            page.show(figure, "ladder", alt)
        else:
            st.caption("The error or the bound is 0: there is no looseness to divide among the steps.")
    with charts[1]:
        title, constants = "Does the constant hold?", (report.bound.constant, report.printed)
        shown = constants, report.quadruple, (report.where, report.ratios)
        sheet = page.sheet(title, "Line: small moves; dots: points and landmarks")
        figure = property_chart(scene.kernel, report.radius, *shown, sheet)
        alt = f"Ratio of property (8) with the derived and the printed constant. {title}."
        page.show(figure, "property", alt)
    with charts[2]:
        chart = st.container()
        rows = _choose_entry(scene.data.n, report.worst)
        with chart:
            entry = ask(result.entry, *question, rows, what="One entry with its points as landmarks")
            if entry is None:
                return
            _draw_entry(scene, choice, report, rows, entry)
    with end:
        page.closing(
            "bounds_zhang",
            result.python(scene, choice, rows),
            with_runs(result.rows(scene, choice, report, rows, entry), run, scene.data.name),
        )


def _choose_entry(n: int, worst: tuple[int, int]) -> tuple[int, int]:
    """Choose an entry of K: the one that is reproduced worst, or any other."""
    which, first, second = st.columns([0.44, 0.28, 0.28], gap="small", vertical_alignment="bottom")
    if box("Entry of K", ["the worst", "my own"], "bounds_entry", place=which) == "the worst" or n < 2:
        return worst
    for key in ("bounds_row", "bounds_column"):
        # A row number from larger data moves to the last row.
        keep_offered(key, range(n))
    row = number("row", 0, n - 1, worst[0], "bounds_row", first)
    return row, number("column", 0, n - 1, worst[1], "bounds_column", second)


def _draw_curve(
    scene: Scene, choice: Choice, report: Report, records: Sequence[Record], progress: Progress
) -> None:
    ms, n = result.curve_counts(scene), scene.data.n
    values = result.curve_values(records, ms)
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
        page.sheet(title, f"{scene.subtitle}; {repeats}"),
    )
    page.show(figure, "curve", f"Error and bound against the ratio of landmarks. {title}.")


def _draw_entry(
    scene: Scene, choice: Choice, report: Report, pair: tuple[int, int], entry: dict[str, float]
) -> None:
    """Draw the data by the error of their entries with the first point, and the pair."""
    a, X, (i, j) = report.approximation, scene.data.X, pair
    assert a.landmarks is not None
    shown = computing.picture(scene, None)
    landmarks, ends = ((points - shown.centre) @ shown.directions for points in (a.landmarks, X[[i, j]]))
    # A low chart has no room for the share of the variance.
    first, second = (inert(name.split(" (")[0]) for name in shown.names)
    approximate = a.take(shown.rows) @ a.take(np.array([i]))[0]
    title = f"Entry ({i}, {j}) of K̃ is off by {three_digits(entry['entry_error'])}"
    after = f"{three_digits(entry['entry_error_as_landmarks'])} once its rows are landmarks"
    sheet = page.sheet(title, f"By {after}; colour: entries with row {i}")
    figure = entry_map(
        shown.positions,
        np.abs(scene.kernel(X[i : i + 1], X[shown.rows])[0] - approximate),
        shown.rows,
        landmarks,
        METHODS[choice.method].landmarks_are_data,
        (ends, (i, j)),
        (first, second),
        shown.ranges,
        sheet,
    )
    page.show(figure, "entry", f"{title}; by {after}.")
