"""The LS-SVM view of the page "Learning": the plane, and the curves over m/n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, stdev

import numpy as np
import streamlit as st

from nysviz.figures.learning import decision_map, learning_chart, score_line
from nysviz.figures.look import inert
from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.learning.ls_svm import predicted
from nysviz.learning.two_classes import usable_classes
from nysviz.papers.zhang2008.table4 import Task, jobs
from nysviz.sweep import Job, Progress, Record
from nysviz.text import in_seconds, ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask
from nysviz.ui.learning import ls_svm_result as result
from nysviz.ui.learning import ls_svm_text as text
from nysviz.ui.learning.ls_svm_controls import TEST_KERNELS, Question, choose
from nysviz.ui.learning.ls_svm_result import Ground, Three, Trained
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.runs import Run

# m/n that are named on the axis of the curves.
TICKS = (1, 2, 5, 10, 20)
# Test points drawn.
DRAWN_POINTS = 500


@st.fragment
def view(scene: Scene) -> None:
    """Answer whether the classifier survives, for two classes of the scene's data."""
    if scene.data.task != "classification" or len(usable_classes(scene.data)) < 2:
        st.info(text.without_classes(scene), icon=":material/info:")
        return
    with page.sentences():
        _view(scene)


def _view(scene: Scene) -> None:
    answer = st.empty()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        question = choose(scene)
        table, notes = st.empty(), st.container()
    below = st.container()
    training, pair, asked, axes = question.scene, question.pair, question.asked, question.axes
    with left:
        found = ask(result.machines, training, pair, asked, what=f"Training, m = {asked.m}")
        if found is None:
            return
        exact, ours = found
        answer.markdown(page.unbroken(text.answer(question, exact, ours)))
        ground = ask(result.ground, training, pair, asked, axes, what="Boundaries in the plane")
        if ground is not None:
            _draw_plane(question, ground)
    with notes:
        for note in computing.approximation(training, asked.method, asked.m, asked.options).notes:
            st.caption(note)
        what = f"Best approximation of rank {asked.m}"
        floor = ask(result.low_rank_machine, training, pair, asked.best, what=what, beside=True)
        flat: Three | None = None
        if ground is not None:
            in_plane = result.in_plane(training, pair, axes)
            what = f"{what}, in the plane"
            flat_floor = ask(result.low_rank_machine, *in_plane, asked.best, what=what, beside=True)
            flat = (ground.exact, flat_floor, ground.ours)
        _offer_all_rows(question, exact)
    three = (exact, floor, ours)
    table.html(text.numbers(question, three, flat))
    with left:
        run = _draw_curves(question)
    with below:
        why = ask(result.reasons, training, pair, asked, what="Eigenvalues of K", beside=True)
        rows = partial(text.rows, question, three, flat, why, run)
        explanation = text.explanation(question, why)
        page.closing(explanation, text.MATHS, text.python(question), text.SOURCE, rows)


def _draw_plane(question: Question, found: Ground) -> None:
    pair, asked, axes = question.pair, question.asked, question.axes
    plane, (_, flat) = result.plane_of(pair, axes), result.in_plane(question.scene, pair, axes)
    features, names = question.source.data.feature_names, plane.names
    if axes is not None and features:
        # The names of the columns are the visitor's own: they are not kept.
        names = (features[axes[0]], features[axes[1]])
    wrong = predicted(found.ours.decisions(asked.restricted)) != pair.y_test
    shown = np.sort(np.random.default_rng(0).permutation(len(wrong))[:DRAWN_POINTS])
    part = "" if len(shown) == len(wrong) else f", {len(shown)} drawn"
    title = text.map_title(found)
    figure = decision_map(
        plane.ticks,
        found.values,
        found.reference,
        flat.X_test[shown],
        pair.y_test[shown],
        wrong[shown],
        question.classes,
        asked.method,
        (inert(names[0]), inert(names[1])),
        page.theme(),
        title,
        f"Machines trained on these two coordinates alone; {len(wrong)} test points{part}, errors ringed; "
        f"m = {asked.m}, C = {asked.C:g}",
    )
    page.show(figure, "decision", f"{title}. Points of two classes with the boundaries of both machines.")


def _offer_all_rows(question: Question, exact: Trained) -> None:
    """Say that the page takes a sample of the rows, and offer the approximate machine for all of them."""
    pair, source, asked = question.pair, question.source, question.asked
    total = int(np.isin(np.asarray(source.data.y), question.labels).sum())
    taken = len(pair.X) + len(pair.X_test)
    if total <= taken:
        return
    st.caption(
        f"The two classes have {total} rows. The exact machine factorises the matrix of its training rows, "
        f"so the page takes {taken} of them at random. The approximate machine can learn from all."
    )
    label = "The approximate machine on all rows as well"
    if not st.toggle(label, key="learning_all_rows", bind="query-params"):
        return
    # A scene of the same size, for what depends on the size alone.
    many = replace(source, data=replace(source.data, X=source.data.X[:total]))
    if asked.method not in computing.offered(many)[0]:
        st.caption(
            f"{METHODS[asked.method].label} looks at all of K, which is too much of {total} rows; choose "
            "another method."
        )
        return
    parting = (question.labels, question.share, question.split)
    of_all = (source.data, replace(asked, restricted=True), question.scene.kernel, *parting, source.seed)
    whole = ask(result.machine_of_all, *of_all, what=f"Training on {total} rows")
    if whole is None:
        return
    (error, seconds, rows, tested), alone = whole, result.errors_of(pair, exact, False)
    st.markdown(
        f"Trained on **all {rows}** rows: error **{three_digits(error)} %** of {tested} test rows by the "
        f"restricted test kernel, in {in_seconds(seconds)}. The exact machine, trained on {len(pair.X)} "
        f"rows: {three_digits(alone)} % of {len(pair.X_test)}."
    )


def _draw_curves(question: Question) -> Run:
    """Draw the test error over m/n for the paper's methods and the chosen one; return the runs."""
    pair, asked, scene, repeats = question.pair, question.asked, question.scene, question.repeats
    n, ms, methods = len(pair.X), question.ms, question.methods
    ends = (100 * ms[0] / n, 100 * ms[-1] / n)
    measure = "test_error_restricted" if asked.restricted else "test_error"

    def make() -> list[Job]:
        # Records are shared, and the names of a visitor's classes are not.
        return jobs(Task(replace(pair, name=""), scene.kernel), methods, ms, repeats, scene.seed, asked.C)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        of_exact = next((r.values[measure] for r in records if r.method == "exact"), None)
        lines = [line for method in methods if (line := _line(records, method, measure, n)) is not None]
        runs = Counter((r.method, r.m) for r in records if r.method in METHODS and METHODS[r.method].random)
        title = text.curves_title(records, measure, asked.m)
        top = max([of_exact or 0.0, *(float(line.high.max()) for line in lines)])
        figure = learning_chart(
            lines,
            None if of_exact is None else (of_exact, f"exact machine: {of_exact:.2f} %"),
            [tick for tick in TICKS if ends[0] <= tick <= ends[1]],
            ends,
            100 * asked.m / n,
            ("landmarks m / n (%)", "test error (%)"),
            (0.0, 1.08 * top or 1.0),
            page.theme(),
            title,
            f"{inert(text.about_data(question))}, n = {n}; C = {asked.C:g}, "
            f"{TEST_KERNELS[asked.restricted]} test kernel; mean ± deviation of "
            f"{ranged(runs.values(), 'repeat')}",
            410,
        )
        page.show(figure, "learning_curves", title)

    key = ("learning curves", pair.digest, *scene.key, tuple(methods.items()), asked.C, repeats, scene.seed)
    run = running(key, make, rows=scene.data.n)
    follow(run, draw, what=f"{repeats} repeats of {len(methods)} methods")
    return run


def _line(records: Sequence[Record], method: str, measure: str, n: int) -> Line | None:
    """Mean and standard deviation of a method's test errors at each m/n, or None before its first run."""
    found: dict[int, list[float]] = {}
    for record in records:
        if record.method == method:
            found.setdefault(record.m, []).append(record.values[measure])
    if not found:
        return None
    ms, label = sorted(found), METHODS[method].label
    told = [
        f"{label}, m = {m} ({100 * m / n:.2g} %)<br>{fmean(found[m]):.2f} ± "
        f"{stdev(found[m]) if found[m][1:] else 0.0:.2f} %, {len(found[m])} runs"
        for m in ms
    ]
    return score_line(method, label, [100.0 * m / n for m in ms], [found[m] for m in ms], told, np.inf)
