"""The LS-SVM view of the page "Learning": machines in all features and in the plane, curves over m/n."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.budget import square_bytes
from nysviz.figures.learning import decision_map, learning_chart, score_line
from nysviz.figures.look import inert
from nysviz.kernels import PerFeature, default_width
from nysviz.landmarks import METHODS
from nysviz.learning import ls_svm
from nysviz.learning.ls_svm import (
    PAPER_C,
    Machine,
    TwoClasses,
    decide,
    decide_restricted,
    error_percent,
    predicted,
    train,
    usable_classes,
)
from nysviz.measures import frobenius, residual
from nysviz.papers.zhang2008.table4 import PAPER_METHODS, Task, jobs
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, in_seconds, ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, shared
from nysviz.ui.computing import Options
from nysviz.ui.controls import choose_axes, choose_by_number, choose_method
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import box, number, segments, stops
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.kernel_choice import SMALLEST_WIDTH
from nysviz.ui.sidebar.scene import Scene, head, loading_code, options_code

CS = tuple(float(f"{digit}e{power}") for power in range(-3, 4) for digit in (1, 2, 5))
# Of the digits the two that a person would confuse.
CLASSES = (("Class −1", "learning_first", "3"), ("Class +1", "learning_second", "8"))
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = (5, 10, 20, 50)

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

    @property
    def best(self) -> Self:
        """The same on the best approximation of rank m."""
        return replace(self, method="svd", options=())


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
    seconds: float

    def decisions(self, restricted: bool) -> FloatArray:
        """Return f of the test rows by the chosen test kernel."""
        return self.restricted if restricted else self.values

    def error(self, pair: TwoClasses, restricted: bool) -> float:
        """Test error in per cent."""
        return error_percent(self.decisions(restricted), pair.y_test)


# The exact machine, the one on the best rank m (None while it is computed), and the approximate one.
Three = tuple[Trained, Trained | None, Trained]


@shared()
def _two_classes(
    data: Dataset, first: float, second: float, share: float, split: int, most: int
) -> TwoClasses:
    # Equal rows may come from two visitors' files: what is kept has the names of neither.
    return replace(ls_svm.two_classes(data, first, second, share=share, seed=split, most=most), name="")


def pair_of(scene: Scene, first: float, second: float, share: float, split: int) -> TwoClasses:
    """Take at most ``MOST_ROWS`` rows of the two classes, and part them for training and test."""
    names = {label: name for name, label in ls_svm.usable_classes(scene.data).items()}
    pair = _two_classes(scene.data, first, second, share, split, MOST_ROWS)
    return replace(pair, name=f"{scene.data.name} {names[first]}-{names[second]}")


@shared()
def _training_rows(pair: TwoClasses) -> Dataset:
    return Dataset.from_arrays("training rows", pair.X, pair.y, task="classification")


def training_scene(scene: Scene, pair: TwoClasses) -> Scene:
    """The training rows as a scene of their own, the bandwidth in multiples of their own default width."""
    data = replace(_training_rows(pair), name=pair.name, title=pair.name)
    kernel, width = scene.kernel, default_width(pair.X)
    if scene.multiple is not None and width > SMALLEST_WIDTH:
        sigma = float(np.sqrt(scene.multiple * width / 2.0))
        kernel = replace(kernel, sigma=sigma)  # type: ignore[call-arg]
    return replace(scene, data=data, kernel=kernel, settings=())


# K with a copy of it.
@shared(holds=lambda scene, *_: square_bytes(scene.data.n, 2.0))
def exact_machine(scene: Scene, pair: TwoClasses, C: float) -> Trained:
    """Train on K itself."""
    K = computing.matrix_of(scene).full()
    started = time.perf_counter()
    machine = ls_svm.train_exact(K, pair.y, C)
    seconds = time.perf_counter() - started
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return Trained(machine, values, values, seconds)


def _bytes(scene: Scene, pair: TwoClasses, asked: Asked, *axes: Axes) -> float:
    if asked.method == "svd":
        return computing.eigenpairs_bytes(scene)
    ours = computing.approximation_bytes(scene, asked.method, asked.m, asked.options)
    return max(square_bytes(scene.data.n, 2.0), ours)


@shared(holds=_bytes)
def low_rank_machine(scene: Scene, pair: TwoClasses, asked: Asked) -> Trained:
    """Train on the approximation."""
    a = computing.approximation(scene, asked.method, asked.m, asked.options)
    started = time.perf_counter()
    machine = train(a, pair.y, asked.C)
    seconds = time.perf_counter() - started + a.seconds
    values = decide(machine, pair.X, scene.kernel, pair.X_test)
    return Trained(machine, values, decide_restricted(machine, a, pair.X_test), seconds)


@dataclass(frozen=True)
class Ground:
    """A plane: its axes, places on them, test rows (q, 2) and which are wrong, f by both on (GRID, GRID)."""

    names: tuple[str, str]
    ticks: tuple[FloatArray, FloatArray]
    points: FloatArray
    wrong: NDArray[np.bool_]
    values: FloatArray
    reference: FloatArray


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
    scene = training_scene(scene, flat)
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
        f"with the exact kernel, on {len(pair.y_test)} test rows."
    )


def numbers(question: Question, three: Three, why: Mapping[str, float] | None) -> str:
    """Return errors, seconds, and what the errors depend on, as a table."""
    pair, asked = question.pair, question.asked
    best = METHODS["svd"].label.replace("rank m", f"rank {asked.m}")
    names, exact, ours = ("exact", best, METHODS[asked.method].label), three[0], three[2]
    rows = [
        (f"error, {name}", "…" if found is None else f"{found.error(pair, asked.restricted):.2f} %", "")
        for name, found in zip(names, three, strict=True)
    ]
    other = f"the last, {TEST_KERNELS[not asked.restricted]} test kernel"
    rows.append((other, f"{ours.error(pair, not asked.restricted):.2f} %", ""))
    same = three_digits(agreement(exact, ours, asked.restricted))
    rows.append(("same class as exact", f"{same} %", ""))
    rows.append(("training, exact", in_seconds(exact.seconds), ""))
    rows.append(("training, approximate", in_seconds(ours.seconds), ""))
    if why is not None:
        moved = three_digits(why["change"])
        rows.append(("relative error of K̃", three_digits(why["relative_frobenius"]), ""))
        rows.append(("median change of f", moved, f"|f| {three_digits(why['margin'])}"))
        rows.append(("eigenvalues above 1/C", str(int(why["above_ridge"])), f"rank {why['rank']}"))
    return page.number_table(("", "", ""), rows)


def rows(
    question: Question, three: Three, why: Mapping[str, float] | None, run: Run
) -> list[dict[str, object]]:
    """Errors of the three machines, what they hang on, and every run."""
    pair, asked = question.pair, question.asked
    begin, found_rows = head(question.scene, m=asked.m, C=asked.C), []
    for machine, found in zip(("exact", "best", "approximate"), three, strict=True):
        if found is not None:
            values = {"test_error": found.error(pair, asked.restricted), "seconds": found.seconds}
            found_rows += measured({**begin, "machine": machine}, values)
    begin |= {"machine": "approximate", "method": asked.method, "options": repr(dict(asked.options))}
    values = {
        "agreement": agreement(three[0], three[2], asked.restricted),
        "test_error_exact_kernel": three[2].error(pair, False),
        "test_error_restricted": three[2].error(pair, True),
        **(why or {}),
    }
    return found_rows + measured(begin, values) + of_records(run.records(), pair.name)


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
from nysviz.papers.zhang2008.table4 import Task, jobs
from nysviz.learning.ls_svm import decide, decide_restricted, error_percent, train, train_exact, two_classes
from nysviz.matrix import KernelMatrix
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
    left, right = st.columns(2, gap="small")
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
    pair = pair_of(scene, *codes, share, split)
    training = training_scene(scene, pair)
    with place:
        choice = choose_method(training, right)
        note = "Weight of the squared errors; the ridge added to K is 1/C. The paper has C = 0.5."
        C = stops("C", CS, "learning_c", PAPER_C, "{:g}".format, help=note)
    asked = Asked(choice.method, choice.m, choice.options, C, kernel == TEST_KERNELS[1])
    classes = chosen[0], chosen[1]
    return Question(scene, training, pair, classes, codes, share, split, asked, axes, repeats)


@st.fragment
@page.sentences()
def view(scene: Scene) -> None:
    """Answer whether the classifier survives, for two classes of the scene's data."""
    if scene.data.task != "classification" or len(usable_classes(scene.data)) < 2:
        text = "There are no classes to tell apart. Choose data with two or more, such as handwritten digits."
        if scene.data.task == "regression":
            text += " “Nyström against random features” above learns the numbers of these data."
        st.info(text, icon=":material/info:")
        return
    place = page.answer_place()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        question = choose(scene)
        table, notes = st.empty(), st.container()
    below = st.container()
    training, pair, asked, axes = question.scene, question.pair, question.asked, question.axes
    with left:
        exact = ask(exact_machine, training, pair, asked.C, what="Training on K")
        ours = ask(low_rank_machine, training, pair, asked, what=f"Training, m = {asked.m}")
        if exact is None or ours is None:
            return
        place.markdown(page.unbroken(answer(question, exact, ours)))
        found = ask(ground, training, pair, asked, axes, what="Boundaries in the plane")
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
            st.caption(f"The page takes {taken} random rows of {total}: the exact classifier needs all of K.")
        what = f"Best approximation of rank {asked.m}"
        floor = ask(low_rank_machine, training, pair, asked.best, what=what, beside=True)
    three = (exact, floor, ours)
    with left:
        run = _draw_curves(question)
    with below:
        why = ask(reasons, training, pair, asked, what="Eigenvalues of K", beside=True)
        table.html(numbers(question, three, why))
        written = partial(rows, question, three, why, run)
        page.closing("learning_ls_svm", python(question), written)


def _draw_plane(question: Question, found: Ground) -> None:
    asked, axes, names = question.asked, question.axes, question.source.data.feature_names
    # The names of the columns are the visitor's own: they are not kept.
    x, y = found.names if axes is None or not names else (names[axis] for axis in axes)
    shown = np.sort(np.random.default_rng(0).permutation(len(found.wrong))[:500])
    part = "" if len(shown) == len(found.wrong) else f", {len(shown)} drawn"
    moved = 100.0 * float(((found.values >= 0) != (found.reference >= 0)).mean())
    title = f"Approximating K changes the prediction on {three_digits(moved)} % of the plane"
    about = f"Trained on these two coordinates alone; {len(found.wrong)} test points{part}, errors ringed"
    points = found.points[shown], question.pair.y_test[shown], found.wrong[shown]
    grounds, labels = (found.ticks, found.values, found.reference), (inert(x), inert(y))
    sheet = page.sheet(title, about)
    figure = decision_map(*grounds, *points, question.classes, asked.method, labels, sheet)
    page.show(figure, "decision")


def _draw_curves(question: Question) -> Run:
    """Draw the test error over m/n for the paper's methods and the chosen one; return the runs."""
    pair, asked, scene, repeats = question.pair, question.asked, question.scene, question.repeats
    n, ms, methods = len(pair.X), question.ms, question.methods
    ends = (100 * ms[0] / n, 100 * ms[-1] / n)
    measure = "test_error_restricted" if asked.restricted else "test_error"

    def draw(records: Sequence[Record]) -> None:
        of_exact = next((r.values[measure] for r in records if r.method == "exact"), None)
        lines, errors = [], by_method(records, measure)
        for method in methods:
            label, found = METHODS[method].label, {m: of[method] for m, of in errors.items() if method in of}
            hover = [
                f"{label}, m = {m} ({100 * m / n:.2g} %)<br>{of.mean():.2f} ± "
                f"{of.std(ddof=len(of) > 1):.2f} %, {len(of)} runs"
                for m, of in found.items()
            ]
            if found:
                x = [100.0 * m / n for m in found]
                lines.append(score_line(method, label, x, list(found.values()), hover, np.inf))
        runs = Counter((r.method, r.m) for r in records if r.method in METHODS and METHODS[r.method].random)
        title, data = "Test error against landmarks", question.source.data
        about = inert(f"{data.title or data.name}, classes {' and '.join(question.classes)}")
        about += f", n = {n}; C = {asked.C:g}, {TEST_KERNELS[asked.restricted]} test kernel; "
        about += f"mean ± deviation of {ranged(runs.values(), 'repeat')}"
        top = max([of_exact or 0.0, *(float(line.high.max()) for line in lines)])
        exact = None if of_exact is None else (of_exact, f"exact kernel: {of_exact:.2f} %")
        ticks = [tick for tick in (1, 2, 5, 10, 20) if ends[0] <= tick <= ends[1]]
        names, span = ("landmarks m / n (%)", "test error (%)"), (0.0, 1.08 * top or 1.0)
        across = ticks, ends, 100 * asked.m / n
        figure = learning_chart(lines, exact, *across, names, span, page.sheet(title, about), 410)
        page.show(figure, "learning_curves")

    key = ("learning curves", pair.digest, *scene.key, tuple(methods.items()), asked.C, repeats, scene.seed)
    # Records are shared, and the names of a visitor's classes are not.
    task = Task(replace(pair, name=""), scene.kernel)
    run = running(key, lambda: jobs(task, methods, ms, repeats, scene.seed, asked.C), rows=scene.data.n)
    follow(run, draw, what=f"{repeats} repeats of {len(methods)} methods")
    return run
