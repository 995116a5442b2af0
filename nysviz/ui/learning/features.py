"""The view "Random features" of the page "Learning": scores against m, trial by trial."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean, stdev
from typing import Any

import numpy as np
import streamlit as st

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.analysis.learning.feature_trial import EXACT, MACHINES, Paired, Setting, exact_rows
from nysviz.engine import Run
from nysviz.figures.learning import ahead_marks
from nysviz.figures.look import axis
from nysviz.figures.traces import Level, Line, against_m, deviation, lines_of
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers.yang2012.figure2 import Scores, Series, compare, jobs, scores, train_size
from nysviz.sweep import Problem, Record
from nysviz.text import listed, ranged, three_digits
from nysviz.ui import large, page
from nysviz.ui.asking import engine, sentences
from nysviz.ui.computing import RECORDS_CODE, TABLE_CODE
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import box, several, stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, head, script

MS = (10, 20, 50, 100, 200, 500, 1000)
TRIALS = (2, 3, 5, 10, 20, 30)
# The exact machine takes longer than all others together: beyond so many training rows only when asked for.
EXACT_AT_FIRST = 2_000
SHORT = {"rff": "Fourier (RFF)", "orf": "orthogonal (ORF)"}
LABELS = {
    name: entry.label
    for name, entry in METHODS.items()
    if entry.family != "floor" and name not in RANDOM_FEATURES
}
KEY = "learning_features_"


@dataclass(frozen=True)
class Question:
    """What is compared: two lines that are tested in pairs, and others beside them."""

    setting: Setting
    nystroem: Series
    random: Series | None
    beside: tuple[Series, ...]
    ms: tuple[int, ...]
    trials: int
    m: int
    exact: bool

    @property
    def lines(self) -> tuple[Series, ...]:
        """All lines, each once, the two that are tested first."""
        tested = (self.nystroem, self.random) if self.random else (self.nystroem,)
        return tuple(dict.fromkeys((*tested, *self.beside)))

    @property
    def trained(self) -> tuple[Series, ...]:
        """All lines, and the exact machine where it is asked for."""
        return (*self.lines, Series(EXACT)) if self.exact else self.lines


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
    def columns(self) -> Scores:
        """Number of features by line, m and trial, as rank may be lost in some."""
        return scores(self.records, "columns")

    @cached_property
    def tests(self) -> Mapping[int, Paired]:
        """Paired test at each m, positive where the Nyström features are ahead."""
        one, other = self.question.nystroem, self.question.random
        return {} if other is None else compare(self.scores, one.id, other.id, larger_is_better=self.percent)

    def at(self, line: Series, m: int) -> list[float]:
        """Scores of a line at m."""
        return list(self.scores.get(line.id, {}).get(m, {}).values())

    @property
    def exact(self) -> list[float]:
        """Scores of the exact kernel machine."""
        return [score for at in self.scores.get(EXACT, {}).values() for score in at.values()]

    def written(self, values: Sequence[float]) -> str:
        """Write mean ± sd of some scores with their unit."""
        if not values:
            return "…"
        scale, unit = (100.0, " %") if self.percent else (1.0, "")
        mean, deviation = (three_digits(scale * value) for value in _spread(values))
        return f"{mean} ± {deviation}{unit}" if len(values) > 1 else f"{mean}{unit}"


@st.fragment
def view(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    data = scene.data
    answer, left, right = page.places(0.66)
    with right:
        question = _choose(scene)
        numbers = st.container()

    def draw(records: Sequence[Record]) -> None:
        found = Outcome(question, records)
        _draw_chart(scene, found)
        answer.markdown(page.unbroken(_answer(found)))
        numbers.html(_numbers(found))

    with left, sentences():
        problem = Problem("", data.X, scene.kernel, data.digest, data.y)
        asked = (question.setting, question.trained, question.ms, question.trials, scene.seed)
        # Trials on many rows take turns for the sake of the memory.
        key, alone = ("features", *scene.key, asked), large.is_large(data.n)
        run = engine().run(key, lambda: jobs(problem, *asked), matrix_bytes(data.n), alone=alone)
        follow(run, draw, what="Trials")
    page.closing("learning_features", _python(scene, question), partial(_rows, scene, question, run))


def _choose(scene: Scene) -> Question:
    gaussian, task = isinstance(scene.kernel, Gaussian), str(scene.data.task)
    # Names that are longer than half the width have a line of their own.
    method = box("Nyström landmarks", LABELS, f"{KEY}landmarks", "uniform", LABELS)
    first, second = st.columns(2, gap="small")
    note = "RFF: random Fourier features. ORF: orthogonal random features, a variant of them."
    shut: Any = {"disabled": not gaussian}
    kind = box("Random features", SHORT, f"{KEY}random", None, SHORT, first, help=note, **shut)
    note = "A frequency, as the paper counts, gives two columns; with m columns the machines have one size."
    reading = box("m counts their", READINGS, f"{KEY}reading", place=second, help=note, **shut)
    note = "Penalty or cost by 5-fold cross-validation on the training rows. Ridge regression: targets ±1."
    machines = MACHINES if task == "classification" else {"ridge": MACHINES["ridge"]}
    machine = box("Learner", machines, f"{KEY}machine", None, machines, help=note)
    if not gaussian:
        st.caption("Random Fourier features need the Gaussian kernel.")
    setting = Setting(task, machine)
    train = train_size(scene.data.n, setting)
    # Controls that are seldom moved: other lines, trials (few of many rows), largest m, exact machine.
    named = LABELS | dict(RANDOM_FEATURES if gaussian else {})
    possible = tuple(m for m in MS if m <= train) or (train,)
    with st.popover("Lines, trials and largest m", width="stretch"):
        key = f"{KEY}beside" if gaussian else f"{KEY}beside_landmarks"
        beside = several("Beside them", named, key, ("kmeans",), named)
        note = "Each draws its own split, landmarks and frequencies; all lines share the split."
        key, usual = (f"{KEY}few_trials", 3) if large.is_large(scene.data.n) else (f"{KEY}trials", 10)
        trials = stops("Trials", TRIALS, key, usual, help=note)
        largest = stops("Largest m", possible, f"{KEY}largest_{possible[-1]}", min(200, possible[-1]))
        exact = st.checkbox(
            "Exact kernel",
            value=train <= min(EXACT_AT_FIRST, exact_rows()),
            disabled=train > exact_rows(),
            key=f"{KEY}exact_{'on' if train <= EXACT_AT_FIRST else 'off'}",
            bind="query-params",
            help=f"Holds the kernel matrix of up to {exact_rows()} training rows; the slowest line.",
        )
    ms = tuple(m for m in possible if m <= largest)
    m = stops("Numbers at m", ms, f"{KEY}m_{ms[-1]}", min(50, ms[-1]))
    extra = tuple(Series(name, reading if name in RANDOM_FEATURES else "frequencies") for name in beside)
    random = Series(kind, reading) if gaussian else None
    return Question(setting, Series(method), random, extra, ms, trials, m, exact and train <= exact_rows())


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation, 0 for one value."""
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def _label_of(line: Series) -> str:
    if line.method not in RANDOM_FEATURES:
        return METHODS[line.method].label
    return RANDOM_FEATURES[line.method] + ("" if line.reading == "frequencies" else ", m columns")


def _draw_chart(scene: Scene, found: Outcome) -> None:
    question, ms = found.question, found.question.ms
    scale, most, unit = (100.0, 100.0, " %") if found.percent else (1.0, np.inf, "")
    lines: list[Line] = []
    for series in question.lines:
        labels, reached = {series.method: _label_of(series)}, found.scores.get(series.id, {})
        runs = {m: {series.method: scale * np.array(list(of.values()))} for m, of in reached.items()}
        lines += lines_of(runs, labels, deviation, float, ends=(0.0, most), unit=unit)
    levels: list[Level] = []
    ends = [float(value) for line in lines for value in (line.low.min(), line.high.max())]
    if found.exact:
        mean, text = scale * fmean(found.exact), f"exact kernel: {found.written(found.exact)}"
        levels.append((mean, "exact kernel", "solid", text))
        ends.append(mean)
    low, high = (min(ends), max(ends)) if ends else (0.0, scale)
    margin = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
    # The method that is significantly ahead, by m.
    pair = [series.method for series in (question.nystroem, question.random) if series]
    ahead = {m: pair[test.difference < 0] for m, test in found.tests.items() if test.significant}
    title = f"{'Test accuracy' if found.percent else 'Test error'} against m"
    count = ranged(Counter((r.method, r.options, r.m) for r in found.records).values(), "trial")
    reading = question.random.reading if question.random else "frequencies"
    score = "test accuracy (%)" if found.percent else "test mean square error / variance"
    about = f"{scene.subtitle}; {count}, mean ± sd"
    span = [max(0.0, low - margin), min(100.5, high + margin) if found.percent else high + margin]
    sheet = page.sheet(title, about)
    marks = ahead_marks(ahead, span[0] + 0.035 * (span[1] - span[0]), sheet.theme)
    yaxis, x_title = axis(score, sheet.theme, range=span), f"landmarks or {reading} m"
    page.show(
        against_m(lines, levels, ms, question.m, x_title, yaxis, sheet, 500, marks), "learning_features"
    )


def _answer(found: Outcome) -> str:
    question, m = found.question, found.question.m
    lines = [line for line in (question.nystroem, question.random) if line is not None and found.at(line, m)]
    if not lines:
        return f"The trials with m = {m} are under way."
    scores = [f"**{found.written([fmean(found.at(line, m))])}** for {_label_of(line)}" for line in lines]
    score = "Test accuracy" if found.percent else "Mean square test error over the target's variance"
    return f"{score} at m = {m}: {listed(scores)}."


def _numbers(found: Outcome) -> str:
    """Return scores and columns of every line at the chosen m, and the difference of the tested two."""
    m, rows = found.question.m, []
    for line in found.question.lines:
        counts = found.columns.get(line.id, {}).get(m, {}).values()
        columns = str(round(fmean(counts))) if counts else "…"
        rows.append((_label_of(line), found.written(found.at(line, m)), columns))
    if found.exact:
        rows.append(("exact kernel", found.written(found.exact), str(next(iter(found.scores[EXACT])))))
    test = found.tests.get(m)
    if test and test.pairs > 1:
        scale, unit = (100.0, " pts") if found.percent else (1.0, "")
        # Equal means differ by rounding.
        ahead = test.difference if abs(test.difference) > 1e-9 * test.half_width else 0.0
        gap = f"{scale * ahead:+.2g} ± {scale * test.half_width:.2g}{unit}".replace("-", "−")
        rows.append(("Nyström ahead by, 95\N{NO-BREAK SPACE}%", gap, f"p {three_digits(test.p)}"))
    return page.number_table((f"m = {m}", "accuracy" if found.percent else "error", "columns"), rows)


def _rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Every trial, the means at each m, and the paired test of the two lines."""
    found, name = Outcome(question, run.records()), question.setting.measure
    rows = of_records(found.records, scene.data.name)
    for line, of_line in found.scores.items():
        for m, of_trials in of_line.items():
            mean, deviation = _spread(list(of_trials.values()))
            values = {f"mean_{name}": mean, f"deviation_{name}": deviation}
            rows += measured(head(scene, line=line, m=m), values)
    for m, test in found.tests.items():
        values = {"difference": test.difference, "half_width": test.half_width, "p": test.p}
        rows += measured(head(scene, m=m), values)
    return rows


def _python(scene: Scene, question: Question) -> str:
    setting = question.setting
    lines = [(line.method, line.reading) for line in question.trained]
    test = ""
    if question.random is not None:
        larger = setting.measure == "accuracy"
        pair = f'"{question.nystroem.id}", "{question.random.id}", larger_is_better={larger}'
        test = f"""for m, test in compare(found, {pair}).items():
    for name in ("difference", "half_width", "p"):
        print(f"m={{m}} {{name}}", getattr(test, name))
"""
    return script(
        scene,
        """from statistics import fmean, stdev
from nysviz.papers.yang2012.figure2 import Series, compare, jobs, scores
from nysviz.analysis.learning.feature_trial import Setting
from nysviz.sweep import Problem, run_jobs, tidy""",
        f"""setting = Setting("{setting.task}", "{setting.machine}")
problem = Problem(data.name, data.X, kernel, data.digest, data.y)
lines = [Series(method, reading) for method, reading in {lines!r}]
jobs = jobs(problem, setting, lines, {list(question.ms)}, {question.trials}, {scene.seed})
{RECORDS_CODE}
found = scores(records, setting.measure)
for line, counts in found.items():
    for m, of_trials in counts.items():
        values = list(of_trials.values())
        print(f"line={{line}} m={{m}} mean_{{setting.measure}}", fmean(values))
        print(f"line={{line}} m={{m}} deviation_{{setting.measure}}", stdev(values) if values[1:] else 0.0)
{test}{TABLE_CODE}""",
    )
