"""The view "Nyström against random features" of the page "Learning": scores against m, trial by trial."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean, stdev

import numpy as np
import streamlit as st

from nysviz.datasets import Dataset
from nysviz.figures.learning import learning_chart, score_line
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.feature_trial import EXACT, FOLDS, MACHINES, TEST_PART, Paired
from nysviz.papers.yang2012.figure2 import Scores, Series, compare, jobs, scores
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.text import capital, counted, listed, ranged, three_digits
from nysviz.ui import large, page
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.learning.features_controls import Question, choose
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene, head, loading_code

MATHS = r"""
A linear machine $f(x) = w^\top z(x) + b$ is learned on features with $z(x)^\top z(y) \approx k(x, y)$:

$$z_{\text{Nyström}}(x) = P^\top \big(k(z_1, x), \dots, k(z_m, x)\big)^\top, \quad P P^\top = W^{+}, \qquad
z_{\text{RFF}}(x) = \tfrac{1}{\sqrt m}\big(\sin u_i^\top x,\ \cos u_i^\top x\big)_{i \le m}, \quad
u_i \sim N(0, \sigma^{-2} I).$$

Ridge regression minimises $\sum_i (t_i - f(x_i))^2 + p \sum_i \|z(x_i)\|^2\, \|w\|^2$ with a free
intercept; the support vector machine
$\tfrac12 (\|w\|^2 + b^2) + C \sum_i \max(0, 1 - t_i f(x_i))^2$. For classes $t = \pm 1$, one machine a class
where there are more than two. Values to predict are standardised by their mean and deviation in the
training part, so a mean square error of 1 is about that of predicting the mean. The features are not scaled
any further. Of the rows 80 % train and 20 % test, drawn anew in each trial. $p$ (from $10^{-9}$ to $10$) or
$C$ (from 0.1 to 1000, on at most 3000 rows) minimises the error of 5 folds of the training part. The
bandwidth is that of the sidebar. Landmarks come from the training rows.

The test at each $m$ is the paired, two-sided t-test over trials at 95 %: both machines of a pair learn
from the same rows. No correction is made for testing at several $m$.
"""
SOURCE = (
    "Yang, Li, Mahdavi, Jin and Zhou, Nyström method vs random Fourier features, NIPS 2012, figure 2. There "
    "the axis counts random samples, and the definition in its section 2 has m frequencies with a sine and a "
    "cosine each: the first reading of m. All parameters are cross-validated there; "
    "`python -m nysviz reproduce yang-fig2` does that for the bandwidth too, this page keeps "
    "the one of the sidebar."
)
EXPLANATION = (
    "Each trial draws its own training rows, landmarks and frequencies. A triangle marks an m at which the "
    "paired t-test over the trials finds the two lines different (95 %). A frequency makes two columns, a "
    "sine and a cosine: at equal m the machine on random features has twice as many as the one on landmarks, "
    "unless m counts columns."
)
NO_TARGET = (
    "These data have no target to learn. Choose data with labels or values in the sidebar, for example the "
    "handwritten digits or the diabetes data."
)


@dataclass(frozen=True)
class Outcome:
    """What the trials that are there say."""

    question: Question
    records: Sequence[Record]

    @property
    def percent(self) -> bool:
        """Whether the score is an accuracy."""
        return self.question.setting.measure == "accuracy"

    @cached_property
    def scores(self) -> Scores:
        """Scores by line, m and trial."""
        return scores(self.records, self.question.setting.measure)

    @cached_property
    def columns(self) -> dict[tuple[str, int], int]:
        """Number of features by line and m; rounded mean over trials, as rank may be lost in some."""
        found: dict[tuple[str, int], list[float]] = defaultdict(list)
        for record in self.records:
            line = Series(record.method, str(dict(record.options)["reading"]))
            found[line.id, record.m].append(record.values["columns"])
        return {key: round(fmean(values)) for key, values in found.items()}

    @cached_property
    def tests(self) -> Mapping[int, Paired]:
        """Paired test at each m, positive where the Nyström features are ahead."""
        question = self.question
        if question.random is None:
            return {}
        pair = question.nystroem.id, question.random.id
        return compare(self.scores, *pair, larger_is_better=self.percent)

    @property
    def ahead(self) -> dict[int, str]:
        """The method that is significantly ahead, by m."""
        if self.question.random is None:
            return {}
        methods = (self.question.nystroem.method, self.question.random.method)
        return {m: methods[test.difference < 0] for m, test in self.tests.items() if test.significant}

    def at(self, line: Series, m: int) -> list[float]:
        """Scores of a line at m."""
        return list(self.scores.get(line.id, {}).get(m, {}).values())

    @property
    def exact(self) -> list[float]:
        """Scores of the exact kernel machine."""
        return [score for at in self.scores.get(EXACT, {}).values() for score in at.values()]

    def written(self, values: Sequence[float]) -> str:
        """Write mean ± deviation of some scores with their unit."""
        if not values:
            return "…"
        scale, unit = (100.0, " %") if self.percent else (1.0, "")
        mean, deviation = (three_digits(scale * value) for value in spread(values))
        return f"{mean} ± {deviation}{unit}" if len(values) > 1 else f"{mean}{unit}"


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation, 0 for one value."""
    return fmean(values) if values else 0.0, stdev(values) if len(values) > 1 else 0.0


def view(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    data = scene.data
    problem = NO_TARGET if data.y is None or data.task is None else _too_few(data)
    if problem:
        st.info(problem, icon=":material/info:")
        return
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = choose(scene)
        numbers = st.container()
    below = st.container()

    def draw(records: Sequence[Record], progress: Progress) -> None:
        found = Outcome(question, records)
        _draw_chart(scene, found)
        if not records:
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, numbers, below):
                place.empty()
            return
        answer.markdown(page.unbroken(_answer(found)))
        numbers.html(_numbers(found))
        with below.container():
            script, rows = _python(scene, question), partial(_rows, scene, found)
            page.closing(EXPLANATION, MATHS, script, SOURCE, rows)

    with left, page.sentences():
        # Trials on many rows take turns for the sake of the memory.
        asked = (question.setting, question.lines, question.ms, question.trials, question.exact)
        key = ("features", *scene.key, asked, scene.seed)
        run = running(key, partial(_jobs, scene, question), alone=large.is_large(data.n), rows=data.n)
        follow(run, draw, what="trials")


def _jobs(scene: Scene, question: Question) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, data.y)
    lines = question.lines + ((Series(EXACT),) if question.exact else ())
    return jobs(problem, question.setting, lines, question.ms, question.trials, scene.seed)


def _draw_chart(scene: Scene, found: Outcome) -> None:
    question = found.question
    scale, most = (100.0, 100.0) if found.percent else (1.0, np.inf)
    lines = []
    for series in question.lines:
        ms = sorted(found.scores.get(series.id, {}))
        if not ms:
            continue
        of_trials = [found.at(series, m) for m in ms]
        label = _label_of(series)
        told = [
            f"{label}, m = {m}, {found.columns[series.id, m]} columns<br>{found.written(values)}, "
            f"{counted(len(values), 'trial')}"
            for m, values in zip(ms, of_trials, strict=True)
        ]
        runs = [[scale * value for value in values] for values in of_trials]
        lines.append(score_line(series.method, label, ms, runs, told, most))
    exact = None
    if found.exact:
        exact = scale * spread(found.exact)[0], f"exact machine: {found.written(found.exact)}"
    ends = [
        *(float(v) for line in lines for v in (line.low.min(), line.high.max())),
        *([exact[0]] if exact else []),
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, scale)
    room = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
    title = _headline(found)
    trials = ranged(Counter((r.method, r.options, r.m) for r in found.records).values(), "trial")
    figure = learning_chart(
        lines,
        exact,
        question.ms,
        (question.ms[0], question.ms[-1]),
        question.m,
        (
            f"landmarks or {question.random.reading if question.random else 'frequencies'} m",
            "test accuracy (%)" if found.percent else "test mean square error / variance",
        ),
        (max(0.0, low - room), min(100.5, high + room) if found.percent else high + room),
        page.theme(),
        title,
        f"{scene.subtitle}; {MACHINES[question.setting.machine]}; {trials}, mean ± deviation",
        500,
        found.ahead,
    )
    page.show(figure, "learning_features", title)


def _label_of(line: Series) -> str:
    if line.method not in RANDOM_FEATURES:
        return f"Nyström, {METHODS[line.method].label}"
    return RANDOM_FEATURES[line.method] + ("" if line.reading == "frequencies" else ", m columns")


def _too_few(data: Dataset) -> str:
    """Say why nothing can be learned from so few rows or classes; empty where it can."""
    if data.task == "classification" and len(data.classes) < 2:
        return "All rows have the same label: there are no classes to tell apart."
    least = next(n for n in range(2 * FOLDS, 4 * FOLDS) if n - round(TEST_PART * n) >= 2 * FOLDS)
    if data.n < least:
        verb = "is" if data.n == 1 else "are"
        return (
            f"{counted(data.n, 'row')} {verb} too few: {FOLDS} folds of two rows and a part for the test "
            f"take {least} or more."
        )
    return ""


def _headline(found: Outcome) -> str:
    """Say where which of the two is significantly ahead."""
    question = found.question
    if question.random is None:
        return f"{'Accuracy' if found.percent else 'Error'} of {_label_of(question.nystroem)}"
    if not any(test.pairs > 1 for test in found.tests.values()):
        return "A test of the difference needs two trials"
    parts = []
    for line, verb in ((question.nystroem, "Nyström is"), (question.random, "random features are")):
        if at := [str(m) for m, winner in found.ahead.items() if winner == line.method]:
            parts.append(f"{verb} significantly ahead at m = {', '.join(at)}")
    return capital("; ".join(parts)) or "No significant difference at any m"


def _answer(found: Outcome) -> str:
    question, m = found.question, found.question.m
    lines = [line for line in (question.nystroem, question.random) if line is not None and found.at(line, m)]
    if not lines:
        return f"The trials with m = {m} are under way."
    parts = [f"**{found.written([fmean(found.at(line, m))])}** ({_label_of(line)})" for line in lines]
    if found.exact:
        parts.append(f"{found.written([fmean(found.exact)])} (exact machine)")
    score = "test accuracy" if found.percent else "mean square test error over the target's variance"
    return f"With **m = {m}** the {score} is {listed(parts)}."


def _numbers(found: Outcome) -> str:
    """Return scores and columns of every line at the chosen m, and the difference of the tested two."""
    m = found.question.m
    rows = [
        (
            _label_of(line).removeprefix("Nyström, "),
            found.written(found.at(line, m)),
            str(found.columns.get((line.id, m), "…")),
        )
        for line in found.question.lines
    ]
    if found.exact:
        rows.append(("exact machine", found.written(found.exact), str(next(iter(found.scores[EXACT])))))
    test = found.tests.get(m)
    if test and test.pairs > 1:
        scale, unit = (100.0, " pts") if found.percent else (1.0, "")
        gap = f"{scale * test.difference:+.2g} ± {scale * test.half_width:.2g}{unit}".replace("-", "−")
        rows.append(("Nyström ahead by, 95 %", gap, ""))
        rows.append(("p of the paired t-test", three_digits(test.p), f"{test.pairs} trials"))
    return page.number_table((f"m = {m}", "accuracy" if found.percent else "error", "columns"), rows)


def _rows(scene: Scene, found: Outcome) -> list[dict[str, object]]:
    """Every trial, the means at each m, and the paired test of the two lines."""
    name = found.question.setting.measure
    told = of_records(found.records, scene.data.name)
    for line, of_line in found.scores.items():
        for m, of_trials in of_line.items():
            mean, deviation = spread(list(of_trials.values()))
            values = {f"mean_{name}": mean, f"deviation_{name}": deviation}
            told += measured(head(scene, line=line, m=m), values)
    for m, test in found.tests.items():
        values = {"difference": test.difference, "half_width": test.half_width, "p": test.p}
        told += measured(head(scene, m=m), values)
    return told


def _python(scene: Scene, question: Question) -> str:
    setting = question.setting
    lines = [(line.method, line.reading) for line in question.lines]
    if question.exact:
        lines.append((EXACT, Series(EXACT).reading))
    test = ""
    if question.random is not None:
        larger = setting.measure == "accuracy"
        pair = f'"{question.nystroem.id}", "{question.random.id}", larger_is_better={larger}'
        test = f"""for m, test in compare(found, {pair}).items():
    print(f"m={{m}} difference", test.difference)
    print(f"m={{m}} half_width", test.half_width)
    print(f"m={{m}} p", test.p)
"""
    return f"""from statistics import fmean, stdev
import nysviz as nv
from nysviz.papers.yang2012.figure2 import Series, compare, jobs, scores
from nysviz.learning.feature_trial import Setting
from nysviz.sweep import Problem, run_jobs, tidy

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
setting = Setting("{setting.task}", "{setting.machine}")
problem = Problem(data.name, data.X, kernel, data.digest, data.y)
lines = [Series(method, reading) for method, reading in {lines!r}]
asked = jobs(problem, setting, lines, {list(question.ms)}, {question.trials}, {scene.seed})
records = [record for finished in run_jobs(asked) for record in finished.records]
found = scores(records, setting.measure)
for line, counts in found.items():
    for m, of_trials in counts.items():
        values = list(of_trials.values())
        print(f"line={{line}} m={{m}} mean_{{setting.measure}}", fmean(values))
        print(f"line={{line}} m={{m}} deviation_{{setting.measure}}", stdev(values) if values[1:] else 0.0)
{test}print(tidy(records).to_csv(index=False))"""
