"""The LS-SVM view of the page "Learning": the plane, and the curves over m/n."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from nysviz.figures.bands import Line
from nysviz.figures.decision import decision_map, error_curves
from nysviz.figures.look import inert, three_digits
from nysviz.landmarks import METHODS
from nysviz.learning.ls_svm import predicted
from nysviz.learning.two_classes import usable_classes
from nysviz.papers.zhang2008.table4 import PAPER_METHODS, Task, jobs
from nysviz.ui import computing, page
from nysviz.ui.learning import ls_svm_computing as machines
from nysviz.ui.learning import ls_svm_rows as numbers
from nysviz.ui.learning import ls_svm_whole, ls_svm_words
from nysviz.ui.learning.ls_svm_computing import Three
from nysviz.ui.learning.ls_svm_controls import TEST_KERNELS, Question, ask
from nysviz.ui.learning.ls_svm_reasons import reasons_later
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import is_stopped, stop_of

# m/n of the curves, in per cent.
CURVE_PERCENTS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)


@st.fragment
def view(scene: Scene) -> None:
    """Answer whether the classifier survives, for two classes of the scene's data."""
    if scene.data.task != "classification" or len(usable_classes(scene.data)) < 2:
        st.info(_without_classes(scene), icon=":material/info:")
        return
    with page.sentences():
        _view(scene)


def _without_classes(scene: Scene) -> str:
    if scene.data.task == "regression":
        return (
            "The target of these data is a number: there are no classes to tell apart. The view “Nyström "
            "against random features” above fits a regression to it; a classifier needs a set with classes, "
            "such as “Handwritten digits, 8 × 8”."
        )
    return (
        "There are no classes to tell apart here: two classes are needed, each with two rows or more. "
        "Choose a classification set in the sidebar, such as “Handwritten digits, 8 × 8”, or a target column "
        "when you send a file of your own."
    )


def _view(scene: Scene) -> None:
    answer = st.empty()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        question, repeats = ask(scene)
        table, notes = st.empty(), st.container()
    below = st.container()
    training, asked = question.scene, question.asked
    key = ("ls-svm", question.pair.digest, *training.key, training.seed, asked)
    what = f"training, m = {asked.m}"
    stop = stop_of(key)
    with left:
        if is_stopped(key, what):
            return
        found = machines.machines_later(training, question.pair, asked, stop)
        if not page.ready(found, page.ANSWER_SECONDS):
            seconds = machines.machines_seconds(training, asked, len(question.pair.X_test))
            page.wait_for(found, f"{what[:1].upper()}{what[1:]}", seconds, stop)
            return
        exact, ours = found.result()
        flat = _draw_plane(question, stop)
        best = machines.floor_later(training, question.pair, asked)
        reasons = reasons_later(training, exact, ours, asked)
        floor = best.result() if page.ready(best) else None
        table.html(ls_svm_words.numbers(question, (exact, floor, ours), flat))
        answer.markdown(page.unbroken(ls_svm_words.answer(question, exact, ours)))
        for note in computing.approximation(training, asked.method, asked.m, asked.options).notes:
            notes.caption(note)
        with notes:
            ls_svm_whole.show(question, exact)
        curves = _draw_curves(question, repeats)
        if floor is None:
            seconds = computing.decomposition_seconds(training.data.n, vectors=True)
            page.wait_for(best, "Best approximation of rank m", seconds)
    with below:
        why = reasons.result() if page.ready(reasons, page.ANSWER_SECONDS) else None
        told = partial(numbers.rows, question, (exact, floor, ours), flat, why, curves)
        ls_svm_words.close(
            question, exact, ours, why, numbers.python(question, _flat_kernel(question), curves), told
        )
        if why is None:
            page.wait_for(reasons, "Eigenvalues of K", computing.decomposition_seconds(training.data.n))


def _flat_kernel(question: Question) -> str:
    """The kernel of the machines in the plane."""
    pair, axes = question.pair, question.axes
    flat = machines.in_plane(pair, machines.plane_of(pair, (), axes), axes)
    return repr(machines.training_scene(question.scene, flat).kernel)


def _draw_plane(question: Question, stop: threading.Event) -> Three | None:
    """Draw both boundaries for machines trained on two coordinates; return these machines."""
    pair, asked, axes = question.pair, question.asked, question.axes
    plane = machines.plane_of(pair, question.source.data.feature_names, axes)
    flat = machines.in_plane(pair, plane, axes)
    scene = machines.training_scene(question.scene, flat)
    ground = machines.ground_later(scene, flat, plane, asked, stop)
    if not page.ready(ground, page.ANSWER_SECONDS):
        seconds = machines.machines_seconds(scene, asked, machines.GRID**2)
        # The machine on all rows may be waited for at the same time.
        page.wait_for(ground, "Boundaries in the plane", seconds, stop, name="plane")
        return None
    values, reference = ground.result()
    both = machines.exact_machine(scene, flat, asked.C), machines.low_rank_machine(scene, flat, asked)
    decided = both[1].decisions(asked.restricted)
    wrong = predicted(decided) != pair.y_test
    shown = np.arange(len(wrong))
    if len(shown) > machines.DRAWN_POINTS:
        shown = np.sort(np.random.default_rng(0).permutation(len(shown))[: machines.DRAWN_POINTS])
    moved = 100.0 * float(((values >= 0) != (reference >= 0)).mean())
    title = (
        f"The boundary moves over {three_digits(moved)} % of the plane"
        if moved
        else "Both machines divide the plane alike"
    )
    part = "" if len(shown) == len(wrong) else f", {len(shown)} drawn"
    figure = decision_map(
        plane.ticks,
        values,
        reference,
        flat.X_test[shown],
        pair.y_test[shown],
        wrong[shown],
        question.classes,
        asked.method,
        (inert(plane.names[0]), inert(plane.names[1])),
        page.theme(),
        title,
        f"Machines trained on these two coordinates alone; {len(wrong)} test points{part}, errors ringed; "
        f"m = {asked.m}, C = {asked.C:g}",
    )
    page.show(figure, "decision", f"{title}. Points of two classes with the boundaries of both machines.")
    best = machines.floor_later(scene, flat, asked)
    return both[0], best.result() if page.ready(best) else None, both[1]


def _draw_curves(question: Question, count: int) -> numbers.Curves:
    """Draw the test error over m/n for the paper's methods and the chosen one; return the runs."""
    pair, asked, scene = question.pair, question.asked, question.scene
    methods: dict[str, computing.Options] = dict.fromkeys(PAPER_METHODS, ())
    methods[asked.method] = asked.options
    n = len(pair.X)
    ms = sorted({max(1, round(percent * n / 100)) for percent in CURVE_PERCENTS})
    key = ("learning curves", pair.digest, *scene.key, tuple(methods.items()), asked.C, count, scene.seed)
    measure = "test_error_restricted" if asked.restricted else "test_error"

    def make() -> Any:
        # Records are shared, and the names of a visitor's classes are not.
        return jobs(Task(replace(pair, name=""), scene.kernel), methods, ms, count, scene.seed, asked.C)

    def draw(records: Sequence[Any], progress: Any) -> None:
        exact = next((r.values[measure] for r in records if r.method == "exact"), None)
        lines = [line for method in methods if (line := _line(records, method, measure, n)) is not None]
        title = ls_svm_words.curves_title(records, measure, asked.m)
        figure = error_curves(
            lines,
            exact,
            (100 * ms[0] / n, 100 * ms[-1] / n),
            100 * asked.m / n,
            page.theme(),
            title,
            f"{inert(ls_svm_words.rows_told(question))}, n = {n}; C = {asked.C:g}, "
            f"{TEST_KERNELS[asked.restricted]} test kernel; "
            f"mean ± deviation of {count} repeats",
        )
        page.show(figure, "learning_curves", title)

    run = running(key, make, rows=scene.data.n)
    follow(run, draw, what=f"{count} repeats of {len(methods)} methods")
    return numbers.Curves(run, methods, tuple(ms), count)


def _line(records: Sequence[Any], method: str, measure: str, n: int) -> Line | None:
    """Mean and standard deviation of a method's test errors at each m/n, or None before its first run."""
    found: dict[int, list[float]] = {}
    for record in records:
        if record.method == method:
            found.setdefault(record.m, []).append(record.values[measure])
    if not found:
        return None
    ms = sorted(found)
    means = np.array([np.mean(found[m]) for m in ms])
    spreads = np.array([np.std(found[m], ddof=1) if len(found[m]) > 1 else 0.0 for m in ms])
    label = METHODS[method].label
    told = [
        f"{label}, m = {m} ({100 * m / n:.2g} %)<br>{mean:.2f} ± {spread:.2f} %, {len(found[m])} runs"
        for m, mean, spread in zip(ms, means, spreads, strict=True)
    ]
    x = 100.0 * np.array(ms) / n
    return Line(method, label, x, means, np.maximum(means - spreads, 0.0), means + spreads, told)
