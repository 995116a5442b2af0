"""Does the prediction survive? The LS-SVM trained on K̃ beside the one trained on K (Zhang 2008, table 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.learning.ls_svm import PAPER_C, TwoClasses, usable_classes
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.figures.learning import decision_map
from nysviz.figures.look import axis, inert
from nysviz.figures.traces import against_m, deviation, lines_of
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.numerics.counts import from_one, is_finite, quoted
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers.zhang2008.table4 import PAPER_METHODS, TwoClassTask, jobs
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.machines import (
    Axes,
    TrainedMachine,
    exact_machine,
    low_rank_machine,
    names_of,
    pair_of,
    plane_of,
    reasons_of,
    times_of,
    training_of,
)
from nysviz.studies.rows import measured, of_records
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, grouped, in_seconds, ranged, three_digits

CURVE_PERCENTS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)  # m/n of the curves
SHARE, REPEATS = 0.5, 20
TEST_KERNELS = ("exact", "restricted")
# The two digits that a person would confuse.
WISHED = ("3", "8")
DRAWN = 500  # test rows in the plane


def methods_of(choice: Choice) -> dict[str, matrices.Options]:
    """Return the methods of the curves with their options: those of the paper, and the chosen one."""
    return {**dict.fromkeys(PAPER_METHODS, ()), choice.method: choice.options}


def curve_counts(n: int) -> list[int]:
    """Return the numbers of landmarks of the curves."""
    return sorted({max(1, round(percent * n / 100)) for percent in CURVE_PERCENTS})


def curve_run(scene: Scene, pair: TwoClasses, choice: Choice, C: float, repeats: int) -> Run:
    """Return the run of the test errors against m."""
    methods = methods_of(choice)
    settings = (TwoClassTask(pair, scene.kernel), methods, curve_counts(len(pair.X)), repeats, scene.seed, C)
    key = ("learning curves", pair.digest, *scene.key, tuple(methods.items()), C, repeats, scene.seed)
    return engine().run(key, lambda: jobs(*settings), matrix_bytes(scene.data.n))


def default_classes(data: Dataset) -> tuple[float, float]:
    """Return the two classes that are told apart by default."""
    labels = usable_classes(data)
    if len(labels) < 2:
        raise Refusal(f"{data.name} has no two classes of two rows or more; choose other data.")
    chosen: list[str] = []
    for wished in WISHED:
        free_names = [name for name in labels if name not in chosen]
        chosen.append(wished if wished in free_names else free_names[0])
    return labels[chosen[0]].item(), labels[chosen[1]].item()


def classifier(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "kmeans",
    m: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    classes: tuple[float, float] | None = None,
    C: float = PAPER_C,
    share: float = SHARE,
    split: int = 0,
    test_kernel: Literal["exact", "restricted"] = "exact",
    axes: tuple[int, int] | None = None,
    repeats: int = REPEATS,
    seed: int = 0,
    theme: Ink = "light",
) -> "Classifier":
    """Compare the LS-SVM trained on an approximation with the one trained on K, for two classes.

    Parameters
    ----------
    data : Dataset
        With classes. Of the two, 4 000 random rows at most are taken: the exact machine needs all of K.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width. A bandwidth counts as a multiple of that width,
        and the training rows have the same multiple of their own default width.
    method : str
    m : int, optional
        Number of landmarks, by default about 5 % of the training rows.
    options : mapping, optional
        Options of the method.
    classes : pair of numbers, optional
        Values of ``data.y``; by default 3 and 8 of digits, else the first two with two rows or more.
    C : float
        Weight of the squared errors; the ridge added to K is 1/C.
    share : float
        Part of each class that is tested on.
    split : int
        Seed of the choice of test rows.
    test_kernel : {"exact", "restricted"}
        k(x, xᵢ) with every training row; or z(x)ᵀz(xᵢ), that of the approximation itself.
    axes : pair of int, optional
        The two features of the plane in which both machines are drawn; by default principal components.
    repeats : int
        Repeats of the random methods in the curves of test error against m.
    seed : int
        Of the landmarks.
    theme : {"light", "dark"}

    Returns
    -------
    Classifier
        With ``answer``, ``table``, ``figures``; ``exact`` and ``approximate`` with f of the test rows,
        ``pair`` with the rows themselves.

    Raises
    ------
    ValueError
        For data without two classes of two rows or more, unknown names, and numbers out of range.

    References
    ----------
    Zhang, Tsang and Kwok 2008, section 4.3 and table 4.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.classifier(nv.load("iris"), classes=(1, 2), m=5, repeats=1)
    >>> result.answer
    'Test error **4.00 %** with 5 landmarks and **6.00 %** with the exact kernel, on 50 test rows.'
    """
    scene = scene_of(data, kernel, seed)
    if scene.data.task != "classification":
        raise Refusal(f"{scene.data.name} has no classes; choose a classification set, digits for example.")
    pair = default_classes(scene.data) if classes is None else tuple(classes)
    if len(pair) != 2 or not all(map(is_finite, pair)):
        raise Refusal(f"classes = {quoted(classes)}; two values of y are needed.")
    if test_kernel not in TEST_KERNELS:
        raise Refusal(f"test_kernel = {quoted(test_kernel)}; choose one of {', '.join(TEST_KERNELS)}.")
    d = scene.data.d
    if axes is not None and (len(set(axes)) != 2 or not set(axes) <= set(range(d))):
        raise Refusal(f"axes = {quoted(axes)}; two different numbers from 0 to {d - 1} are needed.")
    study = Classifier(
        scene=scene,
        choice=Choice.from_arguments(training_of(scene, pair, share, split), method, m, options),
        classes=pair,
        C=C,
        share=share,
        split=split,
        test_kernel=test_kernel,
        axes=None if axes is None else (axes[0], axes[1]),
        repeats=from_one("repeats", repeats),
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class Classifier(Study):
    """The LS-SVM trained on an approximation, beside that on K."""

    choice: Choice
    classes: tuple[float, float]
    C: float
    share: float
    split: int
    test_kernel: str
    axes: Axes
    repeats: int

    name = "classifier"
    question = "Does the prediction survive?"

    exact = Part(exact_machine, "training pair C", "Training on K", needed=True)
    approximate = Part(
        low_rank_machine, "training pair choice C", "Training, m = {study.choice.m}", needed=True
    )
    plane = Part(plane_of, "training pair choice C test_kernel plane_axes", "Boundaries in the plane")
    best = Part(
        low_rank_machine,
        "training pair best_choice C",
        "Best approximation of rank {study.choice.m}",
        beside=True,
    )
    errors = Runs(
        curve_run,
        "training pair choice C repeats",
        "{study.repeats} repeats of {study.method_count}",
        beside=True,
    )
    reasons = Part(reasons_of, "training pair choice C test_kernel", "Eigenvalues of K", beside=True)
    times = Part(times_of, "training pair choice C", "Time of training", beside=True)

    @lazy_property
    def pair(self) -> TwoClasses:
        """The training and test rows of the two classes."""
        return pair_of(self.scene.data, *self.classes, self.share, self.split)

    @lazy_property
    def training(self) -> Scene:
        """The training rows as a scene, with the bandwidth for them."""
        return training_of(self.scene, self.classes, self.share, self.split)

    @property
    def class_names(self) -> tuple[str, str]:
        """The names of the two classes."""
        return names_of(self.scene.data, self.classes)

    @property
    def plane_axes(self) -> Axes:
        """The features of the plane; None for principal components."""
        return (0, 1) if self.scene.data.d == 2 else self.axes

    @property
    def best_choice(self) -> Choice:
        """The best approximation of the same rank."""
        return Choice("svd", self.choice.m)

    @property
    def method_count(self) -> str:
        """The number of methods of the curves."""
        return counted(len(methods_of(self.choice)), "method")

    @property
    def agreement(self) -> float:
        """Test rows to which both machines give the same sign, in per cent."""
        signs = self.approximate.decisions(self.test_kernel) >= 0
        return 100.0 * float((signs == (self.exact.values >= 0)).mean())

    def error_of(self, machine: TrainedMachine, test_kernel: str = "") -> float:
        """Return a machine's test error in per cent, by default with the chosen test kernel."""
        return machine.error(self.pair, test_kernel or self.test_kernel)

    @property
    def is_trained(self) -> bool:
        """Whether both machines are trained."""
        return self.has("exact") and self.has("approximate")

    @property
    def answer(self) -> str:
        """State the test errors of both machines."""
        if not self.is_trained:
            return ""
        landmarks = METHODS[self.choice.method].in_words(self.choice.m)
        return (
            f"Test error **{self.error_of(self.approximate):.2f} %** with {landmarks} and "
            f"**{self.error_of(self.exact):.2f} %** with the exact kernel, on "
            f"{counted(len(self.pair.y_test), 'test row')}."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """Errors, times, and what the errors depend on."""
        if not self.is_trained:
            return None
        kind = TEST_KERNELS[self.test_kernel == "exact"]
        best = f"{self.error_of(self.best):.2f} %" if self.has("best") else "…"
        other_error = f"{self.error_of(self.approximate, kind):.2f} %"
        rows: list[Row] = [
            (Label(f"test error, best rank {self.choice.m}", "best_rank_error"), best, ""),
            (Label(f"test error, {kind} test kernel", f"{kind}_test_kernel"), other_error, ""),
            (Label("same class as exact", "agreement"), f"{three_digits(self.agreement)} %", ""),
        ]
        if self.has("times"):
            for name, time in (("training", self.times.approximate), ("training, exact", self.times.exact)):
                rows.append((Label(name, "training_seconds"), in_seconds(time.seconds), time.remark))
        if self.has("reasons"):
            reasons, margin = self.reasons, three_digits(self.reasons.margin)
            error = three_digits(reasons.relative_frobenius)
            rows.append((Label("relative error of K̃", "relative_frobenius"), error, ""))
            label = Label("residual ‖K − K̃‖₂ over 1/C", "residual_over_ridge")
            rows.append((label, three_digits(reasons.residual_over_ridge), ""))
            label = Label("median change of f", "change_of_f")
            rows.append((label, three_digits(reasons.change), f"median |f| {margin}"))
            label = Label("eigenvalues above 1/C", "above_ridge")
            rows.append((label, str(reasons.above_ridge), f"rank of K̃ {reasons.rank}"))
        return NumberTable((PLAIN,) * 3, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Report the notes of the approximation, and say what is not computed."""
        if not self.is_trained:
            return []
        choice, pair = self.choice, self.pair
        notes = list(matrices.approximation(self.training, choice.method, choice.m, choice.options).notes)
        total = int(np.isin(np.asarray(self.scene.data.y), self.classes).sum())
        if total > (row_count := len(pair.X) + len(pair.X_test)):
            size = f"{grouped(row_count)} random rows of {grouped(total)}"
            notes.append(f"{size} are taken: the exact classifier needs all of K.")
        return notes

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the errors of the three machines, and what they depend on."""
        begin, rows = head(self.training, m=self.choice.m, C=self.C), []
        for name in ("exact", "best", "approximate"):
            if self.has(name):
                values: dict[str, object] = {"test_error": self.error_of(getattr(self, name))}
                rows += measured({**begin, "machine": name}, values)
        for name in ("approximate", "exact") if self.has("times") else ():
            values = {"seconds": getattr(self.times, name).seconds}
            rows += measured({**begin, "machine": name}, values)
        begin |= {"machine": "approximate", "method": self.choice.method}
        values = {
            "agreement": self.agreement,
            "test_error_exact_kernel": self.error_of(self.approximate, "exact"),
            "test_error_restricted": self.error_of(self.approximate, "restricted"),
            **(vars(self.reasons) if self.has("reasons") else {}),
        }
        return rows + measured({**begin, "options": repr(dict(self.choice.options))}, values)

    def run_rows(self) -> list[dict[str, object]]:
        """Return the rows of the runs so far, under the name of the training rows."""
        return of_records(self.errors, self.training.data.name)

    @chart(
        "exact",
        "approximate",
        "plane",
        caption=(
            "The boundary between the classes by K (dashed) and by K̃ (solid). The colour is f by K̃, whose "
            "sign is the class. Points are test rows, with a circle where K̃ gets them wrong. The closer the "
            "two lines, the less the approximation changes."
        ),
    )
    def decision(self) -> go.Figure:
        """Draw both boundaries in the plane, with test rows."""
        plane, names = self.plane, self.scene.data.feature_names
        axes = self.plane_axes
        # The names of the columns may come from a visitor's file, so they are not cached.
        x, y = plane.names if axes is None else (names[axis] for axis in axes)
        rows = np.sort(np.random.default_rng(0).permutation(len(plane.wrong))[:DRAWN])
        part = "" if len(rows) == len(plane.wrong) else f"; {counted(len(rows), 'test row')} drawn"
        moved = 100.0 * float(((plane.values >= 0) != (plane.reference >= 0)).mean())
        title = f"Approximating K changes the prediction on {three_digits(moved)} % of the plane"
        if self.scene.data.d > 2:
            which = "components" if self.plane_axes is None else "features"
            title = f"A second classifier, on two {which}: {title[0].lower()}{title[1:]}"
        sheet = self.sheet(title, f"trained on these two coordinates{part}")
        labels, y_test = (inert(x), inert(y)), self.pair.y_test
        return decision_map(plane, y_test, rows, self.class_names, self.choice.method, labels, sheet)

    @chart(
        "errors",
        caption=(
            "Each line is a method: the test error of the classifier on all features, and lower is "
            "better. Where a line meets that of the exact kernel, its landmarks are enough. A band is one "
            "standard deviation over repeats."
        ),
    )
    def curves(self) -> go.Figure:
        """Draw the test error over m/n for the paper's methods and the chosen one."""
        n, records, methods = len(self.pair.X), self.errors, methods_of(self.choice)
        ms = curve_counts(n)
        ends = (100 * ms[0] / n, 100 * ms[-1] / n)
        measure = "test_error" if self.test_kernel == "exact" else "test_error_restricted"
        exact = next((r.values[measure] for r in records if r.method == "exact"), None)
        labels, errors = {method: METHODS[method].brief for method in methods}, by_method(records, measure)
        lines = lines_of(errors, labels, deviation, lambda m: 100.0 * m / n, ends=(0.0, np.inf), unit=" %")
        runs = Counter((r.method, r.m) for r in records if r.method in METHODS and METHODS[r.method].random)
        data = self.scene.data
        about = inert(f"{data.title or data.name}, {' and '.join(self.class_names)}")
        about += f", n = {grouped(n)}"
        if runs:
            about += f"; mean ± sd of {ranged(runs.values(), 'repeat')}"
        top = max([exact or 0.0, *(float(line.high.max()) for line in lines)])
        levels = []
        if exact is not None:
            levels.append((exact, "exact kernel", "solid", f"exact kernel: {exact:.2f} %"))
        ticks = [tick for tick in (1, 2, 5, 10, 20) if ends[0] <= tick <= ends[1]]
        sheet, chosen = self.sheet("Test error against landmarks", about), 100 * self.choice.m / n
        yaxis = axis("test error (%)", sheet.theme, range=[0.0, 1.08 * top or 1.0])
        return against_m(lines, levels, ticks, chosen, "landmarks m / n (%)", yaxis, sheet, 410, ends=ends)
