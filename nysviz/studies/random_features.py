"""Does the prediction survive? Machines on Nyström and on random Fourier features (Yang 2012, figure 2)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.analysis.learning.feature_trial import EXACT, MACHINES, Paired, TrialSetting, exact_rows
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.figures.learning import ahead_marks
from nysviz.figures.look import axis
from nysviz.figures.traces import Level, Line, against_m, deviation, lines_of
from nysviz.kernels import Gaussian, Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.counts import from_one, quoted
from nysviz.numerics.memory import matrix_bytes
from nysviz.nystroem.approximation import checked_count, checked_kernel, checked_method
from nysviz.papers.yang2012.figure2 import ScoreLine, Scores, compare, jobs, train_size
from nysviz.papers.yang2012.figure2 import scores as scores_of
from nysviz.refusal import Refusal
from nysviz.studies.html import Label, NumberTable, Row
from nysviz.studies.landmark_counts import is_large
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Runs, Study, chart, complete, theme_of
from nysviz.sweep import Problem
from nysviz.text import listed, ranged, three_digits

MS = (10, 20, 50, 100, 200, 500, 1000)
M, LARGEST, TRIALS = 50, 200, 10
# Most training rows for which the exact machine is trained by default: it takes longer than all other lines.
EXACT_AT_FIRST = 2_000
LANDMARKS = {
    name: entry.label
    for name, entry in METHODS.items()
    if entry.family != "floor" and name not in RANDOM_FEATURES
}


def training_rows(data: Dataset) -> int:
    """Return the number of training rows."""
    return train_size(data.n, TrialSetting(str(data.task)))


def offered_counts(data: Dataset) -> tuple[int, ...]:
    """Return the numbers of landmarks that the training rows allow."""
    rows = training_rows(data)
    return tuple(m for m in MS if m <= rows) or (rows,)


def with_exact(data: Dataset) -> bool:
    """Whether the exact machine is trained by default."""
    return training_rows(data) <= min(EXACT_AT_FIRST, exact_rows())


def trials_run(
    scene: Scene, setting: TrialSetting, lines: tuple[ScoreLine, ...], ms: tuple[int, ...], trials: int
) -> Run:
    """Return the run of the trials of these lines at each m."""
    data, settings = scene.data, (setting, lines, ms, trials, scene.seed)
    problem = Problem("", data.X, scene.kernel, data.digest, data.y)
    # Trials on many rows run one at a time, to limit the memory.
    alone = is_large(data.n)
    return engine().run(
        ("features", *scene.key, settings),
        lambda: jobs(problem, *settings),
        matrix_bytes(data.n),
        alone=alone,
    )


def random_features(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "uniform",
    m: int | None = None,
    *,
    random: str = "rff",
    reading: str = "frequencies",
    machine: str = "ridge",
    beside: Sequence[str] = ("kmeans",),
    trials: int = TRIALS,
    largest: int = LARGEST,
    exact: bool | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "RandomFeatures":
    """Compare linear machines on Nyström features and on random Fourier features.

    Each trial draws its own split (80 % train), landmarks and frequencies; all lines share the split. Penalty
    or cost are chosen by 5-fold cross-validation. The exact machine takes longer than all others together.

    Parameters
    ----------
    data : Dataset
        With a target. An array has none.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width. With another one there are no random features.
    method : str
        Method of the Nyström landmarks.
    m : int, optional
        Landmarks, or frequencies, at which the numbers are stated; by default 50, or what the rows allow.
    random : {"rff", "orf"}
        Random Fourier features, or orthogonal ones.
    reading : {"frequencies", "columns"}
        What m counts of random features: a frequency has two columns.
    machine : {"ridge", "svm"}
        Ridge regression, for classes on targets ±1; or the linear support vector machine, for classes only.
    beside : sequence of str
        Further methods to draw.
    trials : int
    largest : int
        Largest m of the curve, whose steps are 10, 20, 50, …
    exact : bool, optional
        Whether to train the exact kernel machine too; by default with up to 2 000 training rows.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    RandomFeatures
        With ``answer``, ``table``, ``figures``; ``scores`` by line, m and trial, and ``tests``: at each m the
        paired t-test of the two, positive where the Nyström features are ahead.

    Raises
    ------
    ValueError
        For data without a target or with fewer than 12 rows, unknown names, and m out of range.

    References
    ----------
    Yang, Li, Mahdavi, Jin and Zhou 2012, figure 2.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.random_features(nv.load("iris"), m=10, largest=10, trials=2, exact=False)
    >>> sorted(result.scores)
    ['kmeans', 'rff', 'uniform']
    """
    scene = scene_of(data, kernel, seed)
    if scene.data.y is None or scene.data.task is None:
        raise Refusal(f"{scene.data.name} has no target to learn; choose data with labels or values.")
    for name, value, choices in (
        ("method", method, LANDMARKS),
        ("random", random, RANDOM_FEATURES),
        ("reading", reading, READINGS),
        ("machine", machine, MACHINES),
    ):
        if value not in choices:
            raise Refusal(f"{name} = {quoted(value)}; choose one of {', '.join(choices)}.")
    for each in (method, *beside):
        checked_method(each, {})
        checked_kernel(each, scene.kernel)
    counts = [count for count in offered_counts(scene.data) if count <= min(M, largest)]
    study = RandomFeatures(
        scene=scene,
        method=method,
        m=max(counts, default=1) if m is None else checked_count(m, training_rows(scene.data)),
        random=random,
        reading=reading,
        machine=machine,
        beside=tuple(beside),
        trials=from_one("trials", trials),
        largest=from_one("largest", largest),
        exact=with_exact(scene.data) if exact is None else exact,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomFeatures(Study):
    """Scores of two lines that are tested in pairs, and of further lines."""

    method: str
    m: int
    random: str
    reading: str
    machine: str
    beside: tuple[str, ...]
    trials: int
    largest: int
    exact: bool

    name = "random_features"
    question = "Does the prediction survive?"

    records = Runs(trials_run, "scene setting trained ms trials", "Trials")

    @property
    def setting(self) -> TrialSetting:
        """The common settings of all trials."""
        return TrialSetting(str(self.scene.data.task), self.machine)

    @property
    def ms(self) -> tuple[int, ...]:
        """Numbers of landmarks of the curve."""
        steps = (m for m in offered_counts(self.scene.data) if m <= self.largest)
        return tuple(sorted({*steps, self.m}))

    @property
    def tested(self) -> tuple[ScoreLine, ...]:
        """The two lines that are tested; one with a kernel that random features do not know."""
        series = ScoreLine(self.method), ScoreLine(self.random, self.reading)
        return series if isinstance(self.scene.kernel, Gaussian) else series[:1]

    @property
    def lines(self) -> tuple[ScoreLine, ...]:
        """All lines, each once, the two that are tested first."""
        named = ((name, self.reading) if name in RANDOM_FEATURES else (name,) for name in self.beside)
        return tuple(dict.fromkeys((*self.tested, *(ScoreLine(*each) for each in named))))

    @property
    def trained(self) -> tuple[ScoreLine, ...]:
        """All lines, and the exact machine if ``exact`` is set."""
        return (*self.lines, ScoreLine(EXACT)) if self.exact else self.lines

    @property
    def is_percent(self) -> bool:
        """Whether the score is an accuracy."""
        return self.setting.measure == "accuracy"

    @property
    def scores(self) -> Scores:
        """Scores by line, m and trial."""
        return scores_of(self.records, self.setting.measure)

    @property
    def tests(self) -> Mapping[int, Paired]:
        """Paired test at each m, positive where the Nyström features are ahead."""
        if len(self.tested) < 2:
            return {}
        first, second = self.tested
        return compare(self.scores, first.id, second.id, larger_is_better=self.is_percent)

    @property
    def answer(self) -> str:
        """State the mean scores of the tested lines at m."""
        scores, parts = self.scores, []
        for series in self.tested:
            if values := _values(scores, series.id, self.m):
                parts.append(f"**{self._written([fmean(values)])}** for {_label_of(series)}")
        if not parts:
            return f"The trials with m = {self.m} are under way."
        score = "Test accuracy" if self.is_percent else "Mean square test error over the target's variance"
        return f"{score} at m = {self.m}: {listed(parts)}."

    @property
    def numbers(self) -> NumberTable:
        """Scores and columns of every line at m, and the difference of the tested two."""
        # Rank may be lost in some trials.
        scores, columns, m, rows = self.scores, scores_of(self.records, "columns"), self.m, list[Row]()
        for series in self.lines:
            counts = _values(columns, series.id, m)
            count = str(round(fmean(counts))) if counts else "…"
            label = Label(_label_of(series), series.method)
            rows.append((label, self._written(_values(scores, series.id, m)), count))
        for train in scores.get(EXACT, {}):
            rows.append(
                (
                    Label("exact kernel", "exact_machine"),
                    self._written(_values(scores, EXACT, train)),
                    str(train),
                )
            )
        test = self.tests.get(m)
        if test and test.pairs > 1:
            scale, unit = (100.0, " pts") if self.is_percent else (1.0, "")
            # Equal means differ by rounding.
            ahead = test.difference if abs(test.difference) > 1e-9 * test.half_width else 0.0
            gap = f"{scale * ahead:+.2g} ± {scale * test.half_width:.2g}{unit}".replace("-", "−")
            label = Label("Nyström ahead by", "ahead")
            rows.append((label, gap, f"p {three_digits(test.p)}"))
        score = Label("accuracy", "test_accuracy") if self.is_percent else Label("test error", "test_mse")
        return NumberTable((Label(f"m = {m}", "at_m"), score, Label("columns", "feature_columns")), rows)

    def run_rows(self) -> list[dict[str, object]]:
        """Return every trial so far, the means at each m, and the paired test of the two lines."""
        rows, name, scores = super().run_rows(), self.setting.measure, self.scores
        for series in self.trained:
            for m, at_each_trial in scores.get(series.id, {}).items():
                mean, spread = _spread(list(at_each_trial.values()))
                values: dict[str, object] = {f"mean_{name}": mean, f"deviation_{name}": spread}
                rows += measured(head(self.scene, line=series.id, m=m), values)
        for m, test in self.tests.items():
            values = {"difference": test.difference, "half_width": test.half_width, "p": test.p}
            rows += measured(head(self.scene, m=m), values)
        return rows

    def _explain_features(self) -> str:
        better = "Higher" if self.is_percent else "Lower"
        text = f"Each line is a kind of features for a linear model. {better} is better."
        if self.exact:
            text += " Where a line meets that of the exact kernel, m is enough."
        if max(Counter((r.method, r.options, r.m) for r in self.records).values(), default=0) > 1:
            text += " A band is one standard deviation over trials."
        if any(test.significant for test in self.tests.values()):
            text += (
                " A triangle marks an m at which Nyström and random features differ significantly (paired "
                "t-test, 5 %), in the colour of the better."
            )
        return text

    @chart("records", caption=_explain_features)
    def features(self) -> go.Figure:
        """Draw mean and deviation of the scores of each line against m."""
        scores = self.scores
        scale, maximum, unit = (100.0, 100.0, " %") if self.is_percent else (1.0, np.inf, "")
        lines: list[Line] = []
        for series in self.lines:
            reached = scores.get(series.id, {})
            runs = {m: {series.method: scale * np.array(list(at.values()))} for m, at in reached.items()}
            labels = {series.method: _label_of(series)}
            lines += lines_of(runs, labels, deviation, float, ends=(0.0, maximum), unit=unit)
        levels: list[Level] = []
        ends = [float(value) for line in lines for value in (line.low.min(), line.high.max())]
        for train in scores.get(EXACT, {}):
            exact = _values(scores, EXACT, train)
            mean, text = scale * fmean(exact), f"exact kernel: {self._written(exact)}"
            levels.append((mean, "exact kernel", "solid", text))
            ends.append(mean)
        low, high = (min(ends), max(ends)) if ends else (0.0, scale)
        margin = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
        span = [max(0.0, low - margin), min(100.5, high + margin) if self.is_percent else high + margin]
        # The method that is significantly ahead, by m.
        ahead = {
            m: self.tested[test.difference < 0].method for m, test in self.tests.items() if test.significant
        }
        count = ranged(Counter((r.method, r.options, r.m) for r in self.records).values(), "trial")
        title = f"{'Test accuracy' if self.is_percent else 'Test error'} against m"
        sheet = self.sheet(title, f"{self.scene.subtitle}; {count}, mean ± sd")
        score = "test accuracy (%)" if self.is_percent else "test mean square error / variance"
        marks = ahead_marks(ahead, span[0] + 0.035 * (span[1] - span[0]), sheet.theme)
        yaxis, x_title = axis(score, sheet.theme, range=span), f"landmarks or {self.tested[-1].reading} m"
        return against_m(lines, levels, self.ms, self.m, x_title, yaxis, sheet, 500, marks)

    def _written(self, values: Sequence[float]) -> str:
        """Write mean ± sd of some scores with their unit."""
        if not values:
            return "…"
        scale, unit = (100.0, " %") if self.is_percent else (1.0, "")
        mean, spread = (three_digits(scale * value) for value in _spread(values))
        return f"{mean} ± {spread}{unit}" if len(values) > 1 else f"{mean}{unit}"


def _values(scores: Scores, line: str, m: int) -> list[float]:
    """Return the scores of a line at m, a trial each."""
    return list(scores.get(line, {}).get(m, {}).values())


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation, 0 for one value."""
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def _label_of(series: ScoreLine) -> str:
    if series.method not in RANDOM_FEATURES:
        return METHODS[series.method].label
    return RANDOM_FEATURES[series.method] + ("" if series.reading == "frequencies" else ", m columns")
