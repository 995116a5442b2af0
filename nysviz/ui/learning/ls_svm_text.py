"""The sentences, the table, the rows and the script of the LS-SVM view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from nysviz.landmarks import METHODS
from nysviz.learning.feature_trial import paired_test
from nysviz.sweep import Record
from nysviz.text import capital, counted, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.learning.ls_svm_controls import TEST_KERNELS, Question
from nysviz.ui.learning.ls_svm_result import (
    MOST_ROWS,
    Ground,
    Three,
    Trained,
    errors_of,
    in_plane,
)
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.runs import Run

MATHS = r"""
With labels $y_i = \pm 1$, $Y = \operatorname{diag}(y)$ and $M = Y(K + I/C)Y$, the least-squares SVM is

$$b = \frac{y^\top M^{-1}\mathbf 1}{y^\top M^{-1} y}, \qquad \alpha = M^{-1}(\mathbf 1 - b\,y), \qquad
f(x) = \sum_i y_i\alpha_i\,k(x, x_i) + b .$$

As $Y^{-1} = Y$, two solutions with $K + I/C$ are enough: with $u = (K + I/C)^{-1}y$ and
$v = (K + I/C)^{-1}\mathbf 1$, $b = \mathbf 1^\top u / \mathbf 1^\top v$ and $Y\alpha = u - b\,v$. For
$\tilde K = GG^\top$ Woodbury's identity gives them in $O(m^2 n)$:

$$(GG^\top + I/C)^{-1} = C\left(I - G\,(I/C + G^\top G)^{-1} G^\top\right).$$

The *exact* test kernel evaluates $k(x, x_i)$ for every training row; the *restricted* one is
$z(x)^\top z(x_i)$ with the Nyström features $z$, the kernel that $\tilde K$ itself extends to new points.
The bandwidth is a multiple of the default width of the training rows, in all features as in the plane.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, "
    "section 4.3 and table 4 (USPS digits, C = 0.5, m = 0.05 n and 0.1 n, 20 repeats). The paper does "
    "not say how m is rounded; here it is to the nearest whole number. From the command line: "
    "`python -m nysviz reproduce zhang-table4`."
)


def without_classes(scene: Scene) -> str:
    """Say why there is nothing to classify, and what to choose."""
    if scene.data.task == "regression":
        return (
            "The target of these data is a number: there are no classes to tell apart. Choose “Nyström "
            "against random features” above for a regression, or a set with classes, such as the handwritten "
            "digits."
        )
    return (
        "There are no classes to tell apart here: two classes are needed, each with two rows or more. Choose "
        "a set with classes in the sidebar, such as the handwritten digits, or a target column of your own "
        "file."
    )


def agreement(exact: Trained, ours: Trained, restricted: bool) -> float:
    """Test rows to which both machines give the same sign, in per cent."""
    return 100.0 * float(((ours.decisions(restricted) >= 0) == (exact.values >= 0)).mean())


def answer(question: Question, exact: Trained, ours: Trained) -> str:
    """Answer the page's question for the present settings in one line, with its numbers."""
    asked, pair = question.asked, question.pair
    error, floor = (errors_of(pair, machine, asked.restricted) for machine in (ours, exact))
    entry = METHODS[asked.method]
    return (
        f"Test error **{error:.2f} %** with {entry.in_words(asked.m)} ({entry.label}) of {len(pair.X)} "
        f"training rows, {floor:.2f} % with the exact machine; both give the same class to "
        f"{three_digits(agreement(exact, ours, asked.restricted))} % of {len(pair.y_test)} test rows."
    )


def numbers(question: Question, everywhere: Three, flat: Three | None) -> str:
    """Return test errors in all features and in the plane, the agreement and the seconds, as a table."""
    pair, asked = question.pair, question.asked
    best = METHODS["svd"].label.replace("rank m", f"rank {asked.m}")
    other = f"the last, {TEST_KERNELS[not asked.restricted]} test kernel"
    machines = ("exact machine", best, METHODS[asked.method].label)
    names = (*(f"error, {name}" for name in machines), other, "same class as exact")

    def column(three: Three | None) -> list[str]:
        if three is None:
            return ["…"] * len(names)
        errors = [found and errors_of(pair, found, asked.restricted) for found in three]
        errors.append(errors_of(pair, three[2], not asked.restricted))
        same = agreement(three[0], three[2], asked.restricted)
        return [*("…" if error is None else f"{error:.2f} %" for error in errors), f"{three_digits(same)} %"]

    rows = list(zip(names, column(everywhere), column(flat), strict=True))
    rows.append(("training, exact", in_seconds(everywhere[0].seconds), ""))
    rows.append(("training, approximate", in_seconds(everywhere[2].seconds), ""))
    return page.number_table(("", f"all {pair.X.shape[1]} features", "in the plane"), rows)


def about_data(question: Question) -> str:
    """Name the data and both classes, for a subtitle."""
    data = question.source.data
    # The hyphen of a class that is a negative number is a minus.
    first, second = (
        f"−{name[1:]}" if name[:1] == "-" and name[1:2].isdigit() else name for name in question.classes
    )
    return f"{data.title or data.name}, classes {first} and {second}"


def map_title(found: Ground) -> str:
    """Say on which part of the plane the two machines differ."""
    moved = 100.0 * float(((found.values >= 0) != (found.reference >= 0)).mean())
    return f"Approximating K changes the prediction on {three_digits(moved)} % of the plane"


def curves_title(records: Sequence[Record], measure: str, m: int) -> str:
    """Name the landmark method that errs least at the number of landmarks nearest to m, if one does."""
    found: dict[str, list[float]] = {}
    tried = {record.m for record in records if record.method not in ("exact", "svd")}
    nearest = min(tried, key=lambda count: abs(count - m), default=m)
    for record in records:
        if record.m == nearest and record.method not in ("exact", "svd"):
            found.setdefault(record.method, []).append(record.values[measure])
    if len(found) < 2:
        return "Test error against landmarks"
    random = [len(values) for method, values in found.items() if METHODS[method].random]
    repeats = min(random, default=2)
    first, second = sorted(found, key=lambda method: fmean(found[method]))[:2]
    # A method without randomness runs once.
    runs = [
        found[method][:repeats] if METHODS[method].random else found[method][:1] * repeats
        for method in (first, second)
    ]
    if not paired_test(*runs).significant:
        return f"At m = {nearest} no landmark method has a clearly lower test error than all others"
    return (
        f"{capital(METHODS[first].label)}: lowest test error of the landmark methods at m = {nearest}, "
        f"{fmean(found[first]):.2f} %"
    )


def explanation(question: Question, why: Mapping[str, float] | None) -> str:
    """Set the error of K̃ beside the change of f, and both beside the ridge."""
    text = f"The test set is {question.pair.how.replace(' for the test', '')}."
    if why is None:
        return text
    missed, change, margin = (three_digits(why[name]) for name in ("relative_frobenius", "change", "margin"))
    return (
        f"{text} K̃ has the relative error {missed}; it moves f by {change} in the median, where |f| of the "
        f"exact machine is {margin}. K has {counted(int(why['above_ridge']), 'eigenvalue')} above the ridge "
        f"1/C = {1 / question.asked.C:g}, K̃ has rank {why['rank']}: what lies below the ridge is damped in "
        "the exact machine too."
    )


ALL, PLANE = "all_features", "plane"


def rows(
    question: Question,
    everywhere: Three,
    flat: Three | None,
    why: Mapping[str, float] | None,
    run: Run,
) -> list[dict[str, object]]:
    """Errors of the three machines in all features and in the plane, what they hang on, and every run."""
    pair, asked = question.pair, question.asked
    begin, told = head(question.scene, m=asked.m, C=asked.C), []
    for space, three in ((ALL, everywhere), (PLANE, flat)):
        if three is None:
            continue
        line = begin if space == ALL else {**begin, "d": 2, "kernel": None, "sigma": None}
        for machine, found in zip(("exact", "best", "approximate"), three, strict=True):
            if found is not None:
                values = {"test_error": errors_of(pair, found, asked.restricted), "seconds": found.seconds}
                told += measured({**line, "space": space, "machine": machine}, values)
        same = agreement(three[0], three[2], asked.restricted)
        told += measured({**line, "space": space}, {"agreement": same})
    begin |= {"space": ALL, "method": asked.method, "options": repr(dict(asked.options))}
    by_kernel = {
        "test_error_exact_kernel": errors_of(pair, everywhere[2], False),
        "test_error_restricted": errors_of(pair, everywhere[2], True),
    }
    return told + measured(begin, {**by_kernel, **(why or {})}) + of_records(run.records(), pair.name)


def python(question: Question) -> str:
    """Write the script."""
    asked, scene = question.asked, question.scene
    options = "".join(f", {name}={value!r}" for name, value in asked.options)
    first, second = question.labels
    pair = f"{first!r}, {second!r}, share={question.share!r}, seed={question.split}, most={MOST_ROWS}"
    ours = "decide_restricted(machine, a, X_test)" if asked.restricted else "exactly(machine)"
    jobs = f"{question.methods!r}, {question.ms}, {question.repeats}, {scene.seed}, {asked.C!r}"
    return f"""import numpy as np
import nysviz as nv
from nysviz.papers.zhang2008.table4 import Task, jobs
from nysviz.learning.ls_svm import decide, decide_restricted, error_percent, train, train_exact
from nysviz.learning.two_classes import two_classes
from nysviz.matrix import KernelMatrix
from nysviz.projection import principal_directions
from nysviz.sweep import run_jobs, tidy

data = {loading_code(question.source)}
pair = two_classes(data, {pair})
y, C = pair.y, {asked.C!r}

def machines(space, X, X_test, kernel):
    def exactly(machine):  # f of the test rows by the exact test kernel
        return decide(machine, X, kernel, X_test)

    def own(method, **options):
        a = nv.approximate(X, kernel, method, {asked.m}, {scene.seed}, matrix=K, **options)
        machine = train(a, y, C)
        return a, machine, {ours}

    K = KernelMatrix(X, kernel, dense=kernel(X))
    exact = exactly(train_exact(kernel(X), y, C))
    a, machine, values = own("{asked.method}"{options})
    for name, f in (("exact", exact), ("best", own("svd")[2]), ("approximate", values)):
        print(f"space={{space}} machine={{name}} test_error", error_percent(f, pair.y_test))
    print(f"space={{space}} agreement", 100.0 * np.mean((values >= 0) == (exact >= 0)))
    if space == "{ALL}":
        restricted = decide_restricted(machine, a, X_test)
        print("test_error_exact_kernel", error_percent(exactly(machine), pair.y_test))
        print(f"space={{space}} test_error_restricted", error_percent(restricted, pair.y_test))
        print(f"space={{space}} relative_frobenius", nv.errors(X, kernel, a).relative_frobenius)
        print(f"space={{space}} change", np.median(np.abs(values - exact)))
        print(f"space={{space}} margin", np.median(np.abs(exact)))
        print(f"space={{space}} rank", a.rank)

kernel = nv.{scene.kernel!r}
machines("{ALL}", pair.X, pair.X_test, kernel)
print("space={ALL} above_ridge", (nv.spectrum(pair.X, kernel) > {1.0 / asked.C!r}).sum())
{_plane(question)}
runs = run_jobs(jobs(Task(pair, kernel), {jobs}))
records = [record for finished in runs for record in finished.records]
print(tidy(records).to_csv(index=False))"""


def _plane(question: Question) -> str:
    axes = "centre, directions, _ = principal_directions(pair.X)"
    if question.axes is not None:
        i, j = question.axes
        axes = f"centre, directions = 0.0, np.eye(pair.X.shape[1])[:, [{i}, {j}]]"
    kernel = in_plane(question.scene, question.pair, question.axes)[0].kernel
    return f"""
{axes}
flat, flat_test = ((X - centre) @ directions for X in (pair.X, pair.X_test))
machines("{PLANE}", flat, flat_test, nv.{kernel!r})
"""
