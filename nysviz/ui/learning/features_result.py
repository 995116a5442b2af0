"""What the view "Nyström against random features" measures and says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev

from nysviz.datasets import Dataset
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.feature_trial import EXACT, FOLDS, TEST_PART, Paired, Setting
from nysviz.papers.yang2012.figure2 import Scores, Series, compare, jobs, scores
from nysviz.sweep import Job, Problem, Record
from nysviz.text import counted, listed, three_digits
from nysviz.ui import page
from nysviz.ui.computing import RECORDS_CODE, TABLE_CODE
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, script


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
        named = (self.nystroem, *((self.random,) if self.random else ()), *self.beside)
        return tuple(dict.fromkeys(named))


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


def _jobs(scene: Scene, question: Question) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, data.y)
    lines = question.lines + ((Series(EXACT),) if question.exact else ())
    return jobs(problem, question.setting, lines, question.ms, question.trials, scene.seed)


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


def _answer(found: Outcome) -> str:
    question, m = found.question, found.question.m
    lines = [line for line in (question.nystroem, question.random) if line is not None and found.at(line, m)]
    if not lines:
        return f"The trials with m = {m} are under way."
    parts = [f"**{found.written([fmean(found.at(line, m))])}** for {_label_of(line)}" for line in lines]
    score = "Test accuracy" if found.percent else "Mean square test error over the target's variance"
    return f"{score} at m = {m}: {listed(parts)}."


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
        rows.append(("exact kernel", found.written(found.exact), str(next(iter(found.scores[EXACT])))))
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
    rows = of_records(found.records, scene.data.name)
    for line, of_line in found.scores.items():
        for m, of_trials in of_line.items():
            mean, deviation = spread(list(of_trials.values()))
            values = {f"mean_{name}": mean, f"deviation_{name}": deviation}
            rows += measured(head(scene, line=line, m=m), values)
    for m, test in found.tests.items():
        values = {"difference": test.difference, "half_width": test.half_width, "p": test.p}
        rows += measured(head(scene, m=m), values)
    return rows


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
    for name in ("difference", "half_width", "p"):
        print(f"m={{m}} {{name}}", getattr(test, name))
"""
    return script(
        scene,
        """from statistics import fmean, stdev
from nysviz.papers.yang2012.figure2 import Series, compare, jobs, scores
from nysviz.learning.feature_trial import Setting
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
