"""The numbers of the LS-SVM view as tidy records, and the script that prints them."""

from __future__ import annotations

from dataclasses import dataclass

from nysviz.ui.computing import Options
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.learning.ls_svm_controls import Question
from nysviz.ui.learning.ls_svm_result import MOST_ROWS, SPECTRUM_ROWS, Three, Why, errors_of, in_plane
from nysviz.ui.learning.ls_svm_text import agreement
from nysviz.ui.sidebar.scene import loading_code
from nysviz.ui.work.runs import Run

ALL, PLANE = "all_features", "plane"


@dataclass(frozen=True)
class Curves:
    """The runs behind the curves, and what was asked of them."""

    run: Run
    methods: dict[str, Options]
    ms: tuple[int, ...]
    repeats: int


def rows(
    question: Question, everywhere: Three, flat: Three | None, why: Why | None, curves: Curves
) -> list[dict[str, object]]:
    """Errors of the three machines in all features and in the plane, what they hang on, and every run."""
    pair, asked, kernel = question.pair, question.asked, question.scene.kernel
    begin = {"data": pair.name, "n": len(pair.X), "d": pair.X.shape[1], "kernel": repr(kernel)}
    begin |= {
        "sigma": getattr(kernel, "sigma", None),
        "m": asked.m,
        "seed": question.scene.seed,
        "C": asked.C,
    }
    told = []
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
    for kind in (False, True):
        name = "test_error_restricted" if kind else "test_error_exact_kernel"
        told += measured(begin, {name: errors_of(pair, everywhere[2], kind)})
    if why is not None:
        values = {"relative_frobenius": why.relative_error, "change": why.change, "margin": why.margin}
        values |= {"rank": why.rank}
        told += measured(begin, {**values, "above_ridge": why.above_ridge})
    return told + of_records(curves.run.records(), pair.name)


def python(question: Question, curves: Curves) -> str:
    """Write the script."""
    asked, scene = question.asked, question.scene
    options = "".join(f", {name}={value!r}" for name, value in asked.options)
    first, second = question.labels
    pair = f"{first!r}, {second!r}, share={question.share!r}, seed={question.split}, most={MOST_ROWS}"
    ours = "decide_restricted(machine, a, X_test)" if asked.restricted else "exactly(machine)"
    jobs = f"{curves.methods!r}, {list(curves.ms)}, {curves.repeats}, {scene.seed}, {asked.C!r}"
    why = f"""print("space={ALL} above_ridge", (nv.spectrum(pair.X, kernel) > {1.0 / asked.C!r}).sum())
"""
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
{why if len(question.pair.X) <= SPECTRUM_ROWS else ""}{_plane(question)}
runs = run_jobs(jobs(Task(pair, kernel), {jobs}))
records = [record for finished in runs for record in finished.records]
print(tidy(records).to_csv(index=False))"""


def _plane(question: Question) -> str:
    kernel = in_plane(question.scene, question.pair, question.axes)[0].kernel
    axes = "centre, directions, _ = principal_directions(pair.X)"
    if question.axes is not None:
        i, j = question.axes
        axes = f"centre, directions = 0.0, np.eye(pair.X.shape[1])[:, [{i}, {j}]]"
    return f"""
{axes}
flat, flat_test = ((X - centre) @ directions for X in (pair.X, pair.X_test))
machines("{PLANE}", flat, flat_test, nv.{kernel!r})
"""
