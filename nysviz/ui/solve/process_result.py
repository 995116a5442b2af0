"""What the view "Gaussian process" of the page "Solve" computes and says."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.learning.feature_trial import FOLDS, TEST_PART, single_target, split
from nysviz.learning.gaussian_process import Process, exact_process, sparse_process
from nysviz.sweep import Job
from nysviz.text import three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene, head, script
from nysviz.ui.work import needs
from nysviz.ui.work.runs import Run

EXACT = "exact"
# Points on the line along a feature.
ALONG = 120


@dataclass(frozen=True)
class Question:
    """Methods at several m, one of which is shown, and the variance of the noise."""

    methods: tuple[str, ...]
    m: int
    ms: tuple[int, ...]
    noise: float


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


def label(method: str) -> str:
    """Name a method, or the exact process."""
    return "exact process" if method == EXACT else METHODS[method].label


def problem_with(data: Dataset) -> str:
    """Say why these data suit no process; empty where they do."""
    if data.y is None or data.task is None:
        return "These data have no target to predict. Choose data with labels or values in the sidebar."
    least = round(2 * FOLDS / (1.0 - TEST_PART)) + 1
    if data.n < least:
        return f"{data.n} rows are too few to hold some out for a test; {least} are needed."
    return ""


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows with their standardised targets."""

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray


def split_of(data: Dataset, seed: int) -> Split:
    """Hold out a random fifth of the rows."""
    train, test = split(data.n, seed)
    y = single_target(data, train)
    return Split(data.X[train], y[train], data.X[test], y[test])


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run of all processes."""
    n, methods, ms = scene.data.n, question.methods, question.ms
    return running(
        ("gaussian process", *scene.key, question.noise, methods, ms, scene.seed),
        partial(_jobs, scene, question),
        alone=True,
        rows=n,
        holds=needs.run_bytes(n, methods, max(ms), matrix=computing.is_exact(scene)),
    )


def _jobs(scene: Scene, question: Question) -> list[Job]:
    parts, kernel = split_of(scene.data, scene.seed), scene.kernel
    first, *others = question.ms
    asked = [(method, first) for method in question.methods]
    asked += [(EXACT, 0)] if computing.is_exact(scene) else []
    asked += [(method, m) for m in others for method in question.methods]
    found = []
    for method, m in asked:
        key = ("gaussian process", *scene.key, method, m, question.noise, scene.seed)
        work = partial(_fitted, parts, kernel, method, m, question.noise, scene.seed)
        found.append(Job(key, ("gaussian process", method == EXACT), 1.0 + m / 100.0, work))
    return found


def process_of(parts: Split, kernel: Kernel, method: str, m: int, noise: float, seed: int) -> Process:
    """Condition the process on the training rows."""
    if method == EXACT:
        return exact_process(parts.X, parts.y, kernel, noise)
    return sparse_process(parts.X, parts.y, approximate(parts.X, kernel, method, m, seed), noise)


def _fitted(parts: Split, kernel: Kernel, method: str, m: int, noise: float, seed: int) -> tuple[Fitted, ...]:
    started = time.perf_counter()
    found = process_of(parts, kernel, method, m, noise, seed)
    spent = time.perf_counter() - started
    nlpd = found.nlpd(parts.X_test, parts.y_test)
    return (Fitted(method, m, found.evidence, found.upper, found.trace_term, nlpd, spent),)


@shared()
def along(scene: Scene, method: str, m: int, noise: float, feature: int) -> tuple[FloatArray, ...]:
    """Return places on a line, mean and deviation of y there, and the training rows beside it.

    The line runs along one feature; the others stay at their mean.
    """
    parts = split_of(scene.data, scene.seed)
    process = process_of(parts, scene.kernel, method, m, noise, scene.seed)
    column = parts.X[:, feature]
    places = np.linspace(column.min(), column.max(), ALONG)
    line = np.tile(parts.X.mean(axis=0), (ALONG, 1))
    line[:, feature] = places
    mean, variance = process.posterior(line)
    return places, mean, np.sqrt(variance + noise), column, parts.y


def telling_feature(data: Dataset) -> int:
    """Return the feature whose values vary most with the target."""
    moved = data.X - data.X.mean(axis=0)
    sizes = np.sqrt((moved**2).sum(axis=0))
    return int(np.argmax(np.abs(single_target(data) @ moved) / np.where(sizes > 0, sizes, np.inf)))


def at(records: Sequence[Fitted], m: int) -> list[Fitted]:
    """Return what is there of the chosen m, and the exact process."""
    return [one for one in records if one.m in (m, 0)]


def exact_of(records: Sequence[Fitted]) -> Fitted | None:
    """Return the exact process where it is there."""
    return next((one for one in records if one.method == EXACT), None)


def best_of(records: Sequence[Fitted]) -> Fitted | None:
    """Return the process with inducing points whose bound is highest."""
    return max((one for one in records if one.m), key=lambda one: one.evidence, default=None)


def answer(question: Question, records: Sequence[Fitted]) -> str:
    """Answer the page's question in one sentence."""
    here = at(records, question.m)
    best, exact = best_of(here), exact_of(here)
    if best is None:
        return f"No process with m = {question.m} inducing points is there yet."
    beside = "" if exact is None else f", against **{_signed(exact.nlpd)}** of the exact process"
    of = f"{question.m} inducing points by {label(best.method)}"
    return f"Test NLPD **{_signed(best.nlpd)}** with {of}{beside}."


def gap(one: Fitted, exact: Fitted | None) -> float:
    """How far the lower bound is below the evidence, or below its upper bound where that is not known."""
    return (one.upper if exact is None else exact.evidence) - one.evidence


def numbers(question: Question, records: Sequence[Fitted]) -> str:
    """Return the table: the evidence or its bound, the gap, the trace term and the test score."""
    rows, exact = [], exact_of(records)
    for one in sorted(at(records, question.m), key=lambda one: -one.evidence):
        parts = ("–", "–")
        if one.method != EXACT:
            parts = (three_digits(gap(one, exact)), three_digits(one.trace_term))
        name = METHODS[one.method].brief if one.m else label(one.method)
        rows.append((name, _signed(one.evidence), *parts, _signed(one.nlpd)))
    return page.number_table(("", "evidence", "gap", "trace term", "NLPD"), rows)


def _signed(value: float) -> str:
    return three_digits(value).replace("-", "−")


def rows(scene: Scene, question: Question, records: Sequence[Fitted]) -> list[dict[str, object]]:
    """Return evidence, bounds and score of all processes."""
    found = []
    for one in sorted(records, key=lambda one: (one.method, one.m)):
        begin = head(scene, method=one.method, m=one.m, noise=question.noise)
        values = {"evidence": one.evidence, "nlpd": one.nlpd, "seconds": one.seconds}
        if one.method != EXACT:
            values |= {"evidence_upper": one.upper, "trace_term": one.trace_term}
        found += measured(begin, values)
    return found


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    exact = f'("{EXACT}", 0), ' if computing.is_exact(scene) else ""
    return script(
        scene,
        """from nysviz.learning.feature_trial import split
from nysviz.learning.gaussian_process import exact_process, sparse_process
from nysviz.learning.feature_trial import single_target""",
        f"""train, test = split(data.n, {scene.seed})
y = single_target(data, train)
X, noise = data.X[train], {question.noise!r}
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
