"""What the LS-SVM view of the page "Learning" trains, measures and says, in all features and in the plane."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from nysviz.advice.data import SMALLEST_WIDTH
from nysviz.analysis.learning import ls_svm
from nysviz.analysis.learning.ls_svm import (
    Machine,
    TwoClasses,
    decide,
    decide_restricted,
    error_percent,
    predicted,
    train,
)
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures.learning import Ground
from nysviz.kernels import PerFeature, default_width
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import square_bytes
from nysviz.numerics.timing import Timed, timed
from nysviz.nystroem.measures import frobenius, residual
from nysviz.papers.zhang2008.table4 import PAPER_METHODS
from nysviz.text import counted, in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code, options_code

# m/n of the curves, in per cent.
CURVE_PERCENTS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
TEST_KERNELS = ("exact", "restricted")


# Rows of the two classes at most: the exact machine's factorisation then takes a fraction of a second.
MOST_ROWS = 4_000
# Points of the grid a side.
GRID = 90
Axes = tuple[int, int] | None


@dataclass(frozen=True)
class Asked:
    """A machine: method, m, options of the method, C, and whether it is tested by the restricted kernel."""

    method: str
    m: int
    options: Options
    C: float
    restricted: bool


@dataclass(frozen=True)
class Question:
    """What is trained on what: the page's scene, the training rows as a scene, settings, the plane."""

    source: Scene
    scene: Scene
    pair: TwoClasses
    classes: tuple[str, str]
    labels: tuple[float, float]
    share: float
    split: int
    asked: Asked
    axes: Axes
    repeats: int

    @property
    def methods(self) -> dict[str, Options]:
        """Methods of the curves with their options: those of the paper, and the chosen one."""
        return {**dict.fromkeys(PAPER_METHODS, ()), self.asked.method: self.asked.options}

    @property
    def ms(self) -> list[int]:
        """Numbers of landmarks of the curves."""
        return sorted({max(1, round(percent * len(self.pair.X) / 100)) for percent in CURVE_PERCENTS})


@dataclass(frozen=True)
class Trained:
    """A machine with f of the test rows by both test kernels, which for the exact machine are one."""

    machine: Machine
    values: FloatArray
    restricted: FloatArray

    def decisions(self, restricted: bool) -> FloatArray:
        """Return f of the test rows by the chosen test kernel."""
        return self.restricted if restricted else self.values

    def error(self, pair: TwoClasses, restricted: bool) -> float:
        """Test error in per cent."""
        return error_percent(self.decisions(restricted), pair.y_test)


# The exact machine, the one on the best rank m (None while it is computed), and the approximate one.
Three = tuple[Trained, Trained | None, Trained]
# The times of training the approximate and the exact one.
Spent = tuple[Timed[Machine], Timed[Machine]]


@shared()
def pair_of(data: Dataset, first: float, second: float, share: float, split: int) -> TwoClasses:
    """Take at most ``MOST_ROWS`` rows of the two classes, and split them for training and test."""
    # Equal rows may come from two visitors' files: what is kept has the names of neither.
    return replace(ls_svm.two_classes(data, first, second, share=share, seed=split, most=MOST_ROWS), name="")


@shared()
def _training_rows(pair: TwoClasses) -> Dataset:
    return Dataset.from_arrays("training rows", pair.X, pair.y, task="classification")


def training_scene(scene: Scene, pair: TwoClasses, name: str) -> Scene:
    """The training rows as a scene of their own, the bandwidth in multiples of their own default width."""
    data = replace(_training_rows(pair), name=name, title=name)
    kernel, width = scene.kernel, default_width(pair.X)
    if scene.multiple is not None and width > SMALLEST_WIDTH:
        sigma = float(np.sqrt(scene.multiple * width / 2.0))
        kernel = replace(kernel, sigma=sigma)  # type: ignore[call-arg]
    return replace(scene, data=data, kernel=kernel, settings=())


# K with a copy of it.
@shared(holds=lambda scene, *_: square_bytes(scene.data.n, 2.0))
def exact_machine(scene: Scene, pair: TwoClasses, C: float) -> Trained:
    """Train on K itself."""
    machine = ls_svm.train_exact(computing.matrix_of(scene).full(), pair.y, C)
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return Trained(machine, values, values)


def _bytes(scene: Scene, pair: TwoClasses, asked: Asked, *axes: Axes) -> float:
    if asked.method == "svd":
        return computing.eigenpairs_bytes(scene)
    ours = computing.approximation_bytes(scene, asked.method, asked.m, asked.options)
    return max(square_bytes(scene.data.n, 2.0), ours)


@shared(holds=_bytes)
def low_rank_machine(scene: Scene, pair: TwoClasses, asked: Asked) -> Trained:
    """Train on the approximation."""
    a = computing.approximation(scene, asked.method, asked.m, asked.options)
    machine = train(a, pair.y, asked.C)
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return Trained(machine, values, decide_restricted(machine, a, pair.X_test))


@shared(holds=_bytes)
def times(scene: Scene, pair: TwoClasses, asked: Asked) -> Spent:
    """Take the time of training on the approximation, which is made for it, and on K itself."""
    K = computing.matrix_of(scene).full()

    def exactly() -> tuple[Machine, float]:
        started = time.perf_counter()
        return ls_svm.train_exact(K, pair.y, asked.C), time.perf_counter() - started

    def approximately() -> tuple[Machine, float]:
        a = computing.approximate_again(scene, asked.method, asked.m, asked.options)
        started = time.perf_counter()
        return train(a, pair.y, asked.C), time.perf_counter() - started + a.seconds

    return timed(approximately), timed(exactly)


@shared(holds=_bytes)
def ground(scene: Scene, pair: TwoClasses, asked: Asked, axes: Axes) -> Ground:
    """Train both machines on two features, or two principal components, and evaluate them over the plane."""
    centre, directions, names = computing.plane_of(pair.X, axes)
    X, X_test = ((rows - centre) @ directions for rows in (pair.X, pair.X_test))
    x, y = (np.linspace(*ends, GRID) for ends in computing.ranges_of(np.vstack([X, X_test])))
    points = np.column_stack([grid.ravel() for grid in np.meshgrid(x, y)])
    flat = replace(pair, X=X, X_test=X_test, digest=f"{pair.digest} in the plane {axes}")
    if isinstance(scene.kernel, PerFeature):
        # The two coordinates have no widths of their own.
        scene = replace(scene, kernel=scene.kernel.kernel, multiple=1.0)
    scene = training_scene(scene, flat, "")
    exact, ours = exact_machine(scene, flat, asked.C), low_rank_machine(scene, flat, asked)
    if asked.restricted:
        a = computing.approximation(scene, asked.method, asked.m, asked.options)
        values = decide_restricted(ours.machine, a, points)
    else:
        values = decide(ours.machine, X, scene.kernel, points)
    reference = decide(exact.machine, X, scene.kernel, points)
    wrong = predicted(ours.decisions(asked.restricted)) != pair.y_test
    return Ground(names, (x, y), X_test, wrong, values.reshape(GRID, GRID), reference.reshape(GRID, GRID))


@shared()
def reasons(scene: Scene, pair: TwoClasses, asked: Asked) -> dict[str, float]:
    """Measure K̃'s error, medians of |f̃ − f| and |f| over test rows, and eigenvalues above the ridge 1/C."""
    exact, ours = exact_machine(scene, pair, asked.C), low_rank_machine(scene, pair, asked)
    size, K = computing.norms_of(scene).frobenius, computing.matrix_of(scene).full()
    a = computing.approximation(scene, asked.method, asked.m, asked.options)
    return {
        "relative_frobenius": frobenius(residual(K, a.factor)) / size if size > 0 else 0.0,
        "change": float(np.median(np.abs(ours.decisions(asked.restricted) - exact.values))),
        "margin": float(np.median(np.abs(exact.values))),
        "rank": a.rank,
        "above_ridge": int((computing.eigenvalues(scene.unseeded) > 1.0 / asked.C).sum()),
    }


def agreement(exact: Trained, ours: Trained, restricted: bool) -> float:
    """Return the test rows to which both machines give the same sign, in per cent."""
    return 100.0 * float(((ours.decisions(restricted) >= 0) == (exact.values >= 0)).mean())


def answer(question: Question, exact: Trained, ours: Trained) -> str:
    """Answer the page's question in one line, with its numbers."""
    asked, pair = question.asked, question.pair
    error, floor = (machine.error(pair, asked.restricted) for machine in (ours, exact))
    return (
        f"Test error **{error:.2f} %** with {METHODS[asked.method].in_words(asked.m)} and **{floor:.2f} %** "
        f"with the exact kernel, on {counted(len(pair.y_test), 'test row')}."
    )


def numbers(question: Question, three: Three, why: Mapping[str, float] | None, spent: Spent | None) -> str:
    """Return errors, times, and what the errors depend on, as a table."""
    pair, asked = question.pair, question.asked
    exact, best, ours = three
    floor = "…" if best is None else f"{best.error(pair, asked.restricted):.2f} %"
    other = f"error, {TEST_KERNELS[not asked.restricted]} test kernel"
    same = three_digits(agreement(exact, ours, asked.restricted))
    rows = [
        (f"error, best rank {asked.m}", floor, ""),
        (other, f"{ours.error(pair, not asked.restricted):.2f} %", ""),
        ("same class as exact", f"{same} %", ""),
    ]
    for name, one in zip(("training", "training, exact"), spent or (), strict=False):
        rows.append((name, in_seconds(one.seconds), one.remark))
    if why is not None:
        moved = three_digits(why["change"])
        rows.append(("relative error of K̃", three_digits(why["relative_frobenius"]), ""))
        rows.append(("median change of f", moved, f"|f| {three_digits(why['margin'])}"))
        rows.append(("eigenvalues above 1/C", str(int(why["above_ridge"])), f"rank {why['rank']}"))
    return page.number_table(("", "", ""), rows)


def rows(
    question: Question, three: Three, why: Mapping[str, float] | None, spent: Spent | None, run: Run
) -> list[dict[str, object]]:
    """Errors of the three machines, what they hang on, and every run."""
    pair, asked = question.pair, question.asked
    begin, found_rows = head(question.scene, m=asked.m, C=asked.C), []
    for machine, found in zip(("exact", "best", "approximate"), three, strict=True):
        if found is not None:
            values = {"test_error": found.error(pair, asked.restricted)}
            found_rows += measured({**begin, "machine": machine}, values)
    for machine, one in zip(("approximate", "exact"), spent or (), strict=False):
        found_rows += measured({**begin, "machine": machine}, {"seconds": one.seconds})
    begin |= {"machine": "approximate", "method": asked.method, "options": repr(dict(asked.options))}
    values = {
        "agreement": agreement(three[0], three[2], asked.restricted),
        "test_error_exact_kernel": three[2].error(pair, False),
        "test_error_restricted": three[2].error(pair, True),
        **(why or {}),
    }
    return found_rows + measured(begin, values) + of_records(run.records(), question.scene.data.name)


def python(question: Question) -> str:
    """Write the script."""
    asked, scene = question.asked, question.scene
    options = options_code(asked.options)
    first, second = question.labels
    pair = f"{first!r}, {second!r}, share={question.share!r}, seed={question.split}, most={MOST_ROWS}"
    ours = "decide_restricted(machine, a, X_test)" if asked.restricted else "exactly(machine)"
    jobs = f"{question.methods!r}, {question.ms}, {question.repeats}, {scene.seed}, {asked.C!r}"
    return f"""import numpy as np
import nysviz as nv
from nysviz.analysis.learning.ls_svm import decide, decide_restricted, error_percent
from nysviz.analysis.learning.ls_svm import train, train_exact, two_classes
from nysviz.kernels.matrix import KernelMatrix
from nysviz.papers.zhang2008.table4 import Task, jobs
from nysviz.sweep import run_jobs, tidy

data = {loading_code(question.source)}
pair = two_classes(data, {pair})
X, y, X_test, C = pair.X, pair.y, pair.X_test, {asked.C!r}
kernel = nv.{scene.kernel!r}
K = KernelMatrix(X, kernel, dense=kernel(X))

def exactly(machine):  # f of the test rows by the exact test kernel
    return decide(machine, X, kernel, X_test)

def own(method, **options):
    a = nv.approximate(X, kernel, method, {asked.m}, {scene.seed}, matrix=K, **options)
    machine = train(a, y, C)
    return a, machine, {ours}

exact = exactly(train_exact(kernel(X), y, C))
a, machine, values = own("{asked.method}"{options})
for name, f in (("exact", exact), ("best", own("svd")[2]), ("approximate", values)):
    print(f"machine={{name}} test_error", error_percent(f, pair.y_test))
found = {{
    "agreement": 100.0 * np.mean((values >= 0) == (exact >= 0)),
    "test_error_exact_kernel": error_percent(exactly(machine), pair.y_test),
    "test_error_restricted": error_percent(decide_restricted(machine, a, X_test), pair.y_test),
    "relative_frobenius": nv.errors(X, kernel, a).relative_frobenius,
    "change": np.median(np.abs(values - exact)),
    "margin": np.median(np.abs(exact)),
    "rank": a.rank,
    "above_ridge": (nv.spectrum(X, kernel) > {1.0 / asked.C!r}).sum(),
}}
for measure, value in found.items():
    print("machine=approximate", measure, value)

runs = run_jobs(jobs(Task(pair, kernel), {jobs}))
records = [record for finished in runs for record in finished.records]
print(tidy(records).to_csv(index=False))"""
