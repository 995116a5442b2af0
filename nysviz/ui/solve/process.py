"""The view "Gaussian process" of the page "Solve": bounds and test score against m, and predictions."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.learning.feature_trial import single_target, split
from nysviz.analysis.learning.gaussian_process import Process, exact_process, sparse_process
from nysviz.engine import Run
from nysviz.figures.look import inert
from nysviz.figures.solve import by_landmarks, process_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.sweep import Job
from nysviz.text import counted, signed, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, engine, sentences, shared
from nysviz.ui.controls import choose_by_number, why_not_learned
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import box, method_label, stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, head, script
from nysviz.ui.solve.choices import EXACT, Question, at, choose, curves, end_of, part_of

# Points on the line along a feature, and training rows that are drawn beside it.
ALONG, DRAWN_ROWS = 120, 400
# Their K − K̃ has negative eigenvalues, and there is no bound.
LEFT_OUT = tuple(name for name, entry in METHODS.items() if entry.family == "random features")


@dataclass(frozen=True)
class Fitted:
    """A process of one method, or the exact one: its evidence, bounds and score on the test rows."""

    method: str
    m: int
    evidence: float
    upper: float
    trace_term: float
    nlpd: float
    seconds: float


# Training rows with their standardised targets, and test rows with theirs.
Split = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


@st.fragment
def view(whole: Scene) -> None:
    """Show what inducing points chosen by each method leave of an exact Gaussian process."""
    if problem := why_not_learned(whole.data):
        st.info(problem, icon=":material/info:")
        return
    answer, left, right = page.places(0.62)
    with right:
        scene = part_of(whole)
        methods, m, ms = choose(scene, len(_split_of(scene)[1]), "solve_process", LEFT_OUT)
        note = "Variance of the noise, in units of the target's. The less noise, the more inducing points."
        noises = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
        noise = stops("Noise σ²", noises, "solve_noise", 0.1, "{:g}".format, help=note)
        question = Question(methods, m, ms, noise)
        table = st.container()
    first, second = st.columns(2, gap="medium")

    def draw(records: Sequence[Fitted]) -> None:
        answer.markdown(page.unbroken(_answer(question, records)))
        table.html(_numbers(question, records))
        _draw_gaps(scene, question, records)
        with first:
            _draw_scores(question, records)

    run = _run_of(scene, question)
    with left, sentences():
        follow(run, draw, what="Processes")
    if question.methods:
        with second:
            _show_line(scene, question)
    page.closing("solve_process", _python(scene, question), partial(_rows, scene, question, run))


def _split_of(scene: Scene) -> Split:
    """Hold out a random fifth of the rows."""
    data = scene.data
    train, test = split(data.n, scene.seed)
    y = single_target(data, train)
    return data.X[train], y[train], data.X[test], y[test]


def _run_of(scene: Scene, question: Question) -> Run:
    n, methods, ms = scene.data.n, question.methods, question.ms

    def jobs() -> list[Job]:
        work = partial(_fitted, _split_of(scene), scene.kernel, question.level, scene.seed)
        ends = (EXACT,) if computing.is_exact(scene) else ()
        return question.jobs(("gaussian process", *scene.key, scene.seed), ends, work)

    key = ("gaussian process", *scene.key, question.level, methods, ms, scene.seed)
    holds = computing.run_bytes(n, methods, max(ms), matrix=computing.is_exact(scene))
    return engine().run(key, jobs, holds, alone=True)


def _process_of(rows: Split, kernel: Kernel, noise: float, seed: int, method: str, m: int) -> Process:
    X, y, *_ = rows
    if method == EXACT:
        return exact_process(X, y, kernel, noise)
    return sparse_process(X, y, approximate(X, kernel, method, m, seed), noise)


def _fitted(rows: Split, kernel: Kernel, noise: float, seed: int, method: str, m: int) -> tuple[Fitted, ...]:
    started = time.perf_counter()
    found = _process_of(rows, kernel, noise, seed, method, m)
    spent = time.perf_counter() - started
    return (Fitted(method, m, found.evidence, found.upper, found.trace_term, found.nlpd(*rows[2:]), spent),)


@shared()
def along(scene: Scene, method: str, m: int, noise: float, feature: int) -> tuple[FloatArray, ...]:
    """Return places along a feature, mean and deviation of y there, others at their mean, and the rows."""
    X, y, *_ = rows = _split_of(scene)
    process = _process_of(rows, scene.kernel, noise, scene.seed, method, m)
    column = X[:, feature]
    places = np.linspace(column.min(), column.max(), ALONG)
    line = np.tile(X.mean(axis=0), (ALONG, 1))
    line[:, feature] = places
    mean, variance = process.posterior(line)
    return places, mean, np.sqrt(variance + noise), column, y


def _draw_gaps(scene: Scene, question: Question, records: Sequence[Fitted]) -> None:
    exact = end_of(records, EXACT)
    # Of many rows, where log p(y) is not known, the distance to its upper bound.
    known = exact is not None or computing.is_exact(scene)
    shown = [] if known and exact is None else records
    lines = curves(question, shown, lambda one: _gap(one, exact), three_digits)
    name = "log p(y) − lower bound (nats)" if known else "upper − lower bound of log p(y) (nats)"
    sheet = page.sheet("Gap between bound and evidence", f"{scene.subtitle}; σ² = {question.level:g}")
    page.show(by_landmarks(lines, [], question.ms, question.m, name, sheet, height=440), "gap")


def _draw_scores(question: Question, records: Sequence[Fitted]) -> None:
    exact = end_of(records, EXACT)
    ends = [] if exact is None else [(exact.nlpd, "exact", "dot")]
    lines = curves(question, records, lambda one: one.nlpd, three_digits)
    sheet = page.sheet("Test score by inducing points", "negative log predictive density, held-out fifth")
    page.show(by_landmarks(lines, ends, question.ms, question.m, "NLPD", sheet, log=False), "nlpd")


def _show_line(scene: Scene, question: Question) -> None:
    """Draw the exact process and one method's along a feature."""
    place, controls = st.container(), st.columns(2, gap="small")
    data = scene.data
    label, key = "Inducing points of", "solve_along_method"
    method = box(label, question.methods, key, "kmeans", method_label, controls[0])
    # At first the feature whose values vary most with the target.
    moved = data.X - data.X.mean(axis=0)
    sizes = np.sqrt((moved**2).sum(axis=0))
    correlation = np.abs(single_target(data) @ moved) / np.where(sizes > 0, sizes, np.inf)
    names, first = dict(enumerate(data.feature_names)), int(np.argmax(correlation))
    with controls[1]:
        feature = choose_by_number("Along", "solve_along", names, first, data.digest[:8])
    with place:
        label, where = METHODS[method].label, (question.level, feature)
        ours = ask(along, scene, method, question.m, *where, what=f"{label} on a line", beside=True)
        exact = None
        if computing.is_exact(scene):
            exact = ask(along, scene, EXACT, 0, *where, what="Exact process on a line", beside=True)
        if ours is None or (exact is None and computing.is_exact(scene)):
            return
        places, mean, deviation, column, y = ours
        title, axes = f"Predictions along {names[feature]}", (inert(names[feature]), "target, standardised")
        shown = np.sort(np.random.default_rng(0).permutation(len(y))[:DRAWN_ROWS])
        beside = None if exact is None else (exact[1], exact[2])
        points, name = (column[shown], y[shown]), f"{label}, m = {question.m}"
        sheet = page.sheet(inert(title), "other features at their mean")
        figure = process_chart(places, (mean, deviation), beside, points, method, name, axes, sheet)
        page.show(figure, "along")


def _answer(question: Question, records: Sequence[Fitted]) -> str:
    ours, exact = [one for one in records if one.m == question.m], end_of(records, EXACT)
    if not ours:
        return page.WAITING if exact is None else f"Test NLPD **{signed(exact.nlpd)}** of the exact process."
    best = max(ours, key=lambda one: one.evidence)
    beside = "" if exact is None else f", against **{signed(exact.nlpd)}** of the exact process"
    of = f"{counted(question.m, 'inducing point')} by {METHODS[best.method].label}"
    return f"Test NLPD **{signed(best.nlpd)}** with {of}{beside}."


def _gap(one: Fitted, exact: Fitted | None) -> float:
    """How far the lower bound is below the evidence, or below its upper bound where that is not known."""
    return (one.upper if exact is None else exact.evidence) - one.evidence


def _numbers(question: Question, records: Sequence[Fitted]) -> str:
    """Return the table: the evidence or its bound, the gap, the trace term and the test score."""
    rows, exact = [], end_of(records, EXACT)
    for one in sorted(at(records, question.m), key=lambda one: -one.evidence):
        name, gap, trace_term = "exact process", "–", "–"
        if one.m:
            name = METHODS[one.method].brief
            gap, trace_term = three_digits(_gap(one, exact)), three_digits(one.trace_term)
        rows.append((name, signed(one.evidence), gap, trace_term, signed(one.nlpd)))
    return page.number_table(("", "evidence", "gap", "trace term", "NLPD"), rows)


def _rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Return evidence, bounds and score of all processes."""
    found = []
    for one in sorted(run.records(), key=lambda one: (one.method, one.m)):
        begin = head(scene, method=one.method, m=one.m, noise=question.level)
        values = {"evidence": one.evidence, "nlpd": one.nlpd, "seconds": one.seconds}
        if one.m:
            values |= {"evidence_upper": one.upper, "trace_term": one.trace_term}
        found += measured(begin, values)
    return found


def _python(scene: Scene, question: Question) -> str:
    exact = f'("{EXACT}", 0), ' if computing.is_exact(scene) else ""
    return script(
        scene,
        """from nysviz.analysis.learning.feature_trial import single_target, split
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process""",
        f"""train, test = split(data.n, {scene.seed})
y = single_target(data, train)
X, noise = data.X[train], {question.level!r}
for method, m in [{exact}*((method, m) for method in {list(question.methods)!r} for m in \
{sorted(question.ms)})]:
    if m == 0:
        found = exact_process(X, y[train], kernel, noise)
    else:
        a = nv.approximate(X, kernel, method, m, {scene.seed})
        found = sparse_process(X, y[train], a, noise)
        print(f"method={{method}} m={{m}} evidence_upper", found.upper)
        print(f"method={{method}} m={{m}} trace_term", found.trace_term)
    print(f"method={{method}} m={{m}} evidence", found.evidence)
    print(f"method={{method}} m={{m}} nlpd", found.nlpd(data.X[test], y[test]))""",
    )
