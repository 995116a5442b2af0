"""How good is a Gaussian process with inducing points? Bounds of its evidence, score and predictions."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go

from nysviz.analysis.learning.feature_trial import TEST_PART, single_target, split
from nysviz.analysis.learning.gaussian_process import Process, exact_process, sparse_process
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine, shared
from nysviz.figures.look import inert
from nysviz.figures.solve import by_landmarks, process_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import quoted
from nysviz.nystroem.approximation import approximate
from nysviz.refusal import Refusal
from nysviz.studies import html, matrices
from nysviz.studies.html import Label
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.solving import (
    EXACT,
    FIRST_METHODS,
    SystemStudy,
    checked_choice,
    end_of,
    part_of,
    system_jobs,
)
from nysviz.studies.study import Ink, Part, Runs, chart, complete, theme_of
from nysviz.sweep import Job
from nysviz.text import counted, signed, three_digits

FIRST_NOISE, FIRST_ALONG = 0.1, "kmeans"
# Points on the line along a feature, and training rows that are drawn beside it.
LINE_POINTS, DRAWN_ROWS = 120, 400
# Methods whose K − K̃ has negative eigenvalues, so that there is no bound.
LEFT_OUT = tuple(name for name, entry in METHODS.items() if entry.family == "random features")


@dataclass(frozen=True)
class FittedProcess:
    """A process of one method, or the exact one: its evidence, bounds and score on the test rows."""

    method: str
    m: int
    evidence: float
    upper: float
    trace_term: float
    nlpd: float
    seconds: float

    def gap(self, exact: "FittedProcess | None") -> float:
        """Return the distance from the lower bound up to the evidence, or to its upper bound if unknown."""
        return (self.upper if exact is None else exact.evidence) - self.evidence


@dataclass(frozen=True)
class ProcessLine:
    """Places along a feature, others at their mean: mean and deviation of y there; and the training rows."""

    places: FloatArray
    mean: FloatArray
    deviation: FloatArray
    column: FloatArray
    y: FloatArray


# Training rows with their standardised targets, and test rows with theirs.
Split = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def split_of(scene: Scene) -> Split:
    """Hold out a random fifth of the rows."""
    data = scene.data
    train, test = split(data.n, scene.seed)
    y = single_target(data, train)
    return data.X[train], y[train], data.X[test], y[test]


def training_count(n: int) -> int:
    """Return the number of training rows of n rows."""
    return n - round(TEST_PART * n)


def leading_feature(data: Dataset) -> int:
    """Return the feature whose values vary most with the target."""
    moved = data.X - data.X.mean(axis=0)
    sizes = np.sqrt((moved**2).sum(axis=0))
    correlation = np.abs(single_target(data) @ moved) / np.where(sizes > 0, sizes, np.inf)
    return int(np.argmax(correlation))


def first_along(methods: Sequence[str]) -> str:
    """Return the method whose predictions are drawn by default; "" without methods."""
    return FIRST_ALONG if FIRST_ALONG in methods else next(iter(methods), "")


def make_process(rows: Split, kernel: Kernel, noise: float, seed: int, method: str, m: int) -> Process:
    """Return the process with a method's inducing points, or the exact one."""
    X, y, *_ = rows
    if method == EXACT:
        return exact_process(X, y, kernel, noise)
    return sparse_process(X, y, approximate(X, kernel, method, m, seed), noise)


def fit_process(
    rows: Split, kernel: Kernel, noise: float, seed: int, method: str, m: int
) -> tuple[FittedProcess, ...]:
    """Make the process and score it on the test rows; the seconds do not include the score."""
    started = time.perf_counter()
    process = make_process(rows, kernel, noise, seed, method, m)
    spent = time.perf_counter() - started
    numbers = (process.evidence, process.upper, process.trace_term, process.nlpd(*rows[2:]))
    return (FittedProcess(method, m, *numbers, spent),)


def process_run(scene: Scene, methods: tuple[str, ...], counts: tuple[int, ...], noise: float) -> Run:
    """Return the run of the processes, each of a method at an m, and of the exact one."""
    is_exact = matrices.is_exact(scene)

    def jobs() -> list[Job]:
        work = partial(fit_process, split_of(scene), scene.kernel, noise, scene.seed)
        key = ("gaussian process", *scene.key, scene.data.task, scene.seed, noise)
        return system_jobs(key, methods, counts, (EXACT,) if is_exact else (), work)

    holds = matrices.run_bytes(scene.data.n, methods, max(counts), matrix=is_exact)
    key = ("gaussian process", *scene.key, scene.data.task, noise, methods, counts, scene.seed)
    return engine().run(key, jobs, holds, alone=True)


@shared()
def method_line(scene: Scene, method: str, m: int, noise: float, feature: int) -> ProcessLine:
    """Return the predictions of the process with a method's inducing points along a feature."""
    return _line(scene, method, m, noise, feature)


@shared()
def exact_line(scene: Scene, noise: float, feature: int) -> ProcessLine:
    """Return the predictions of the exact process along a feature."""
    return _line(scene, EXACT, 0, noise, feature)


def _line(scene: Scene, method: str, m: int, noise: float, feature: int) -> ProcessLine:
    X, y, *_ = rows = split_of(scene)
    process = make_process(rows, scene.kernel, noise, scene.seed, method, m)
    column = X[:, feature]
    places = np.linspace(column.min(), column.max(), LINE_POINTS)
    line = np.tile(X.mean(axis=0), (LINE_POINTS, 1))
    line[:, feature] = places
    mean, variance = process.posterior(line)
    return ProcessLine(places, mean, np.sqrt(variance + noise), column, y)


def gaussian_process(
    data: Dataset,
    kernel: Kernel | None = None,
    *,
    methods: Sequence[str] = FIRST_METHODS,
    m: int | None = None,
    noise: float = FIRST_NOISE,
    along_method: str | None = None,
    along_feature: int | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "GaussianProcess":
    """Compare Gaussian processes with each method's landmarks as inducing points, and with the exact one.

    The targets are standardised (of classes, the first against the others), and a random fifth of the rows is
    held out for the test.

    Parameters
    ----------
    data : Dataset
        With a target. Of more than 50 000 rows a random sample is taken.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
        None of the random features, which give no bound.
    m : int, optional
        Number of inducing points, by default 200 or what the training rows allow. Evidence and score are
        computed at 10, 20, 50 … 500 of them too.
    noise : float
        Variance of the noise, in units of the target's.
    along_method : str, optional
        The method whose predictions are drawn, by default kmeans where it is compared, else the first.
    along_feature : int, optional
        Number of the feature along which they are drawn, by default that which varies most with the target.
    seed : int
        Of split and landmarks.
    theme : {"light", "dark"}

    Returns
    -------
    GaussianProcess
        With ``answer``, ``table``, ``figures``; ``processes`` has a record for each method and m:
        ``evidence`` (its lower bound), ``upper``, ``trace_term`` (all in nats), ``nlpd`` and ``seconds``.

    Raises
    ------
    ValueError
        Data without a target or with too few rows, an unknown method, one that gives no bound or is not made
        for the kernel, m or the feature out of range, a noise that is not above 0.

    References
    ----------
    Titsias 2009, eq. 9; Burt, Rasmussen and van der Wilk 2019.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.gaussian_process(nv.load("iris"), methods=["uniform"], m=20)
    >>> sorted(result.figures)
    ['along', 'gap', 'nlpd']
    """
    scene = scene_of(data, kernel, seed)
    part = part_of(scene)
    names, m = checked_choice(scene, methods, m, len(split_of(part)[0]))
    study = GaussianProcess(
        scene=scene,
        methods=names,
        m=m,
        noise=noise,
        along_method=first_along(names) if along_method is None else along_method,
        along_feature=leading_feature(part.data) if along_feature is None else along_feature,
        theme=theme_of(theme),
    )
    if names and study.along_method not in names:
        compared = ", ".join(names)
        raise Refusal(f"along_method = {quoted(along_method)}; one of those compared is needed: {compared}.")
    if study.along_feature not in range(part.data.d):
        allowed_range = f"a number from 0 to {part.data.d - 1}"
        raise Refusal(f"along_feature = {quoted(along_feature)}; {allowed_range} is needed.")
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianProcess(SystemStudy):
    """Gaussian processes with the inducing points of each method, beside the exact one."""

    noise: float = FIRST_NOISE
    along_method: str
    along_feature: int

    name = "gaussian_process"
    question = "What is left of an exact Gaussian process?"

    processes = Runs(process_run, "part methods counts noise", "Processes")
    line = Part(
        method_line,
        "part along_method m noise along_feature",
        "{study.along_label} on a line",
        beside=True,
        when=lambda study: bool(study.methods),
    )
    line_of_exact = Part(
        exact_line,
        "part noise along_feature",
        "Exact process on a line",
        beside=True,
        when=lambda study: bool(study.methods) and study.is_exact,
    )

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of inducing points, of the training rows."""
        return self.counts_of(training_count(self.part.data.n))

    @property
    def along_label(self) -> str:
        """The name of the method whose predictions are drawn."""
        return METHODS[self.along_method].label

    @property
    def exact(self) -> FittedProcess | None:
        """The exact process, None before it is computed."""
        record: FittedProcess | None = end_of(self.processes, EXACT)
        return record

    @property
    def answer(self) -> str:
        """State the score of the best process, beside the exact one."""
        if not self.has("processes"):
            return ""
        records, exact = self.at_count(self.processes), self.exact
        if not records:
            return (
                html.WAITING if exact is None else f"Test NLPD **{signed(exact.nlpd)}** of the exact process."
            )
        best = max(records, key=lambda record: record.evidence)
        beside = "" if exact is None else f", against **{signed(exact.nlpd)}** of the exact process"
        points = f"{counted(self.m, 'inducing point')} by {METHODS[best.method].label}"
        return f"Test NLPD **{signed(best.nlpd)}** with {points}{beside}."

    @property
    def numbers(self) -> html.NumberTable | None:
        """The evidence or its bound, the gap, the trace term and the test score."""
        if not self.has("processes"):
            return None
        rows, exact = list[html.Row](), self.exact
        records = [record for record in self.processes if record.m in (self.m, 0)]
        for record in sorted(records, key=lambda record: -record.evidence):
            label, gap, trace_term = Label("exact process", "exact_process"), "–", "–"
            if record.m:
                label = Label.of_method(record.method)
                gap, trace_term = three_digits(record.gap(exact)), three_digits(record.trace_term)
            rows.append((label, signed(record.evidence), gap, trace_term, signed(record.nlpd)))
        heads = {"evidence": "evidence", "gap": "evidence_gap", "trace term": "trace_term", "NLPD": "nlpd"}
        return html.NumberTable([html.PLAIN, *(Label(text, term) for text, term in heads.items())], rows)

    def run_rows(self) -> list[dict[str, object]]:
        """Return evidence, bounds and score of all processes."""
        rows, part = [], self.part
        for record in sorted(self.processes, key=lambda record: (record.method, record.m)):
            begin = head(part, method=record.method, m=record.m, noise=self.noise)
            values = {"evidence": record.evidence, "nlpd": record.nlpd, "seconds": record.seconds}
            if record.m:
                values |= {"evidence_upper": record.upper, "trace_term": record.trace_term}
            rows += measured(begin, values)
        return rows

    def _explain_gap(self) -> str:
        quantity = "how much of the evidence log p(y) the bound from m inducing points loses"
        if not self.is_exact:
            quantity = "how far apart the two bounds on the evidence log p(y) are"
        return f"Each line is a method: {quantity}, in nats. Lower is better; at 0 nothing would be lost."

    @chart("processes", caption=_explain_gap)
    def gap(self) -> go.Figure:
        """Draw the gap between bound and evidence against m, or between both bounds of many rows."""
        exact = self.exact
        # The gap is unknown before the evidence is.
        records = [] if self.is_exact and exact is None else self.processes
        lines = self.curves(records, lambda record: record.gap(exact), three_digits)
        name = "log p(y) − lower bound (nats)"
        if not self.is_exact:
            name = "upper − lower bound of log p(y) (nats)"
        sheet = self.sheet(
            "Gap between bound and evidence", f"{self.part.subtitle}; noise variance {self.noise:g}"
        )
        return by_landmarks(lines, [], self.counts, self.m, name, sheet, height=440)

    def _explain_nlpd(self) -> str:
        exact = " The level line is the exact process." if self.exact is not None else ""
        return (
            "Each line is a method: how badly its process predicts the test rows, mean and variance. Lower "
            f"is better.{exact}"
        )

    @chart("processes", caption=_explain_nlpd)
    def nlpd(self) -> go.Figure:
        """Draw the score on the test rows against m."""
        levels = [] if self.exact is None else [(self.exact.nlpd, "exact", "dot")]
        lines = self.curves(self.processes, lambda record: record.nlpd, three_digits)
        sheet = self.sheet("Test score by inducing points", "negative log predictive density, held-out fifth")
        return by_landmarks(lines, levels, self.counts, self.m, "NLPD", sheet, log=False)

    def _explain_along(self) -> str:
        text = "A line is the predicted mean, its band has 95 % of new values; points are training rows."
        exact = " The nearer the process is to the dotted exact one, the less is lost."
        return text + (exact if self.has("line_of_exact") else "")

    @chart(
        "line",
        when=lambda study: study.has("line_of_exact") or not study.is_exact,
        caption=_explain_along,
    )
    def along(self) -> go.Figure:
        """Draw the predictions of one method's process and of the exact one along a feature."""
        line, exact = self.line, self.line_of_exact if self.has("line_of_exact") else None
        feature = inert(self.part.data.feature_names[self.along_feature])
        rows = np.sort(np.random.default_rng(0).permutation(len(line.y))[:DRAWN_ROWS])
        return process_chart(
            line.places,
            (line.mean, line.deviation),
            None if exact is None else (exact.mean, exact.deviation),
            (line.column[rows], line.y[rows]),
            self.along_method,
            f"{self.along_label}, m = {self.m}",
            (feature, "target, standardised"),
            self.sheet(f"Predictions along {feature}", "other features at their mean"),
        )
