"""The LS-SVM view of the page "Learning": its controls, the plane, and the curves over m/n."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.learning.ls_svm import PAPER_C, usable_classes
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures.learning import Ground, decision_map
from nysviz.figures.look import axis, inert
from nysviz.figures.traces import against_m, deviation, lines_of
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers.zhang2008.table4 import Task, jobs
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, grouped, ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, engine, sentences
from nysviz.ui.controls import choose_axes, choose_by_number, choose_method
from nysviz.ui.inputs import box, number, segments, stops
from nysviz.ui.learning import ls_svm_result as result
from nysviz.ui.learning.ls_svm_result import TEST_KERNELS, Asked, Question
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene

CS = tuple(float(f"{digit}e{power}") for power in range(-3, 4) for digit in (1, 2, 5))
# Of the digits the two that a person would confuse.
CLASSES = (("Class −1", "learning_first", "3"), ("Class +1", "learning_second", "8"))
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = (5, 10, 20, 50)


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    labels = usable_classes(scene.data)
    names, mark = dict(enumerate(labels)), scene.data.digest[:8]
    # The labels of a visitor's own file stay out of the link, which has their numbers.
    linked = st.session_state.get("own_data") is not scene.data
    with st.container(horizontal=True):
        chosen: list[str] = []
        for label, key, wished in CLASSES:
            rest = {k: name for k, name in names.items() if name not in chosen}
            first = next((k for k, name in rest.items() if name == wished), next(iter(rest)))
            if linked:
                chosen.append(box(label, rest.values(), key, rest[first]))
            else:
                chosen.append(rest[choose_by_number(label, f"{key}_number", rest, first, mark)])
    if left_out := len(scene.data.classes) - len(names):
        st.caption(f"Left out: {counted(left_out, 'class', 'classes')} with one row.")
    place = st.container()
    left, right = st.columns([0.62, 0.38], gap="small")
    with left, st.popover("Test, axes, repeats", width="stretch"):
        label = "Part of each class that is tested on"
        share = stops(label, SHARES, "learning_share", 0.5, lambda value: f"{100 * value:.0f} %")
        split = number("Seed of the choice of test rows", 0, 999_999, 0, "learning_split")
        repeats = stops("Repeats of the random methods", REPEATS, "learning_repeats", 20)
        note = (
            "Exact: k(x, xᵢ) with every training row. Restricted: z(x)ᵀz(xᵢ), that of the approximation "
            "itself, which needs k(x, ·) at the landmarks only. The paper does not say which it used."
        )
        kernel = segments("Test kernel", TEST_KERNELS, "learning_test_kernel", help=note)
        axes = (0, 1) if scene.data.d == 2 else choose_axes(scene)
    codes = (labels[chosen[0]].item(), labels[chosen[1]].item())
    pair = result.pair_of(scene.data, *codes, share, split)
    training = result.training_scene(scene, pair, f"{scene.data.name} {'-'.join(chosen)}")
    with place:
        choice = choose_method(training, right)
        note = "Weight of the squared errors; the ridge added to K is 1/C. The paper has C = 0.5."
        C = stops("C", CS, "learning_c", PAPER_C, "{:g}".format, help=note)
    asked = Asked(choice.method, choice.m, choice.options, C, kernel == TEST_KERNELS[1])
    classes = chosen[0], chosen[1]
    return Question(scene, training, pair, classes, codes, share, split, asked, axes, repeats)


def why_not(data: Dataset) -> str:
    """Say why no classifier can be trained on these data; empty where one can."""
    if data.task == "regression":
        return "Its two classes need a target with labels, and this one has values."
    if data.task != "classification" or len(usable_classes(data)) < 2:
        return "It needs two classes with two rows or more each."
    return ""


@st.fragment
@sentences()
def view(scene: Scene) -> None:
    """Answer whether the classifier survives, for two classes of the scene's data."""
    place, left, right = page.places(0.64)
    with right:
        question = choose(scene)
        table, notes = st.empty(), st.container()
    below = st.container()
    training, pair, asked, axes = question.scene, question.pair, question.asked, question.axes
    with left:
        exact = ask(result.exact_machine, training, pair, asked.C, what="Training on K")
        ours = ask(result.low_rank_machine, training, pair, asked, what=f"Training, m = {asked.m}")
        if exact is None or ours is None:
            return
        place.markdown(page.unbroken(result.answer(question, exact, ours)))
        found = ask(result.ground, training, pair, asked, axes, what="Boundaries in the plane")
        if found is not None:
            _draw_plane(question, found)
    with notes:
        for note in computing.approximation(training, asked.method, asked.m, asked.options).notes:
            st.caption(note)
        total, taken = (
            int(np.isin(np.asarray(scene.data.y), question.labels).sum()),
            len(pair.X) + len(pair.X_test),
        )
        if total > taken:
            size = f"{grouped(taken)} random rows of {grouped(total)}"
            st.caption(f"The page takes {size}: the exact classifier needs all of K.")
        what = f"Best approximation of rank {asked.m}"
        on_best = replace(asked, method="svd", options=())
        floor = ask(result.low_rank_machine, training, pair, on_best, what=what, beside=True)
    three = (exact, floor, ours)
    with left:
        run = _draw_curves(question)
    with below:
        why = ask(result.reasons, training, pair, asked, what="Eigenvalues of K", beside=True)
        spent = ask(result.times, training, pair, asked, what="Time of training", beside=True)
        table.html(result.numbers(question, three, why, spent))
        written = partial(result.rows, question, three, why, spent, run)
        page.closing("learning_ls_svm", result.python(question), written)


def _draw_plane(question: Question, found: Ground) -> None:
    asked, axes, names = question.asked, question.axes, question.source.data.feature_names
    # The names of the columns are the visitor's own: they are not kept.
    x, y = found.names if axes is None else (names[axis] for axis in axes)
    shown = np.sort(np.random.default_rng(0).permutation(len(found.wrong))[:500])
    part = "" if len(shown) == len(found.wrong) else f"; {counted(len(shown), 'test row')} drawn"
    moved = 100.0 * float(((found.values >= 0) != (found.reference >= 0)).mean())
    title = f"Approximating K changes the prediction on {three_digits(moved)} % of the plane"
    about = f"trained on these two coordinates{part}"
    sheet, labels, y_test = page.sheet(title, about), (inert(x), inert(y)), question.pair.y_test
    figure = decision_map(found, y_test, shown, question.classes, asked.method, labels, sheet)
    page.show(figure, "decision")


def _draw_curves(question: Question) -> Run:
    """Draw the test error over m/n for the paper's methods and the chosen one; return the runs."""
    pair, asked, scene, repeats = question.pair, question.asked, question.scene, question.repeats
    n, ms, methods = len(pair.X), question.ms, question.methods
    ends = (100 * ms[0] / n, 100 * ms[-1] / n)
    measure = "test_error_restricted" if asked.restricted else "test_error"

    def draw(records: Sequence[Record]) -> None:
        of_exact = next((r.values[measure] for r in records if r.method == "exact"), None)
        labels, errors = {method: METHODS[method].brief for method in methods}, by_method(records, measure)
        lines = lines_of(errors, labels, deviation, lambda m: 100.0 * m / n, ends=(0.0, np.inf), unit=" %")
        runs = Counter((r.method, r.m) for r in records if r.method in METHODS and METHODS[r.method].random)
        title, data = "Test error against landmarks", question.source.data
        about = inert(f"{data.title or data.name}, {' and '.join(question.classes)}")
        about += f", n = {grouped(n)}; mean ± sd of {ranged(runs.values(), 'repeat')}"
        top = max([of_exact or 0.0, *(float(line.high.max()) for line in lines)])
        exact = "exact kernel", "solid", f"exact kernel: {of_exact:.2f} %" if of_exact is not None else ""
        levels = [] if of_exact is None else [(of_exact, *exact)]
        ticks = [tick for tick in (1, 2, 5, 10, 20) if ends[0] <= tick <= ends[1]]
        sheet, chosen = page.sheet(title, about), 100 * asked.m / n
        yaxis = axis("test error (%)", sheet.theme, range=[0.0, 1.08 * top or 1.0])
        figure = against_m(lines, levels, ticks, chosen, "landmarks m / n (%)", yaxis, sheet, 410, ends=ends)
        page.show(figure, "learning_curves")

    key = ("learning curves", pair.digest, *scene.key, tuple(methods.items()), asked.C, repeats, scene.seed)
    settings = (Task(pair, scene.kernel), methods, ms, repeats, scene.seed, asked.C)
    run = engine().run(key, lambda: jobs(*settings), matrix_bytes(scene.data.n))
    follow(run, draw, what=f"{repeats} repeats of {counted(len(methods), 'method')}", beside=True)
    return run
