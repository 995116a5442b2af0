"""The runs of the page "Quantization", their correlations, tidy records, and the script that prints them."""

from __future__ import annotations

from dataclasses import dataclass

from nysviz.kernels import default_width
from nysviz.papers.zhang2008.figure2 import Cloud, Correlation, jobs
from nysviz.sweep import Job, Problem
from nysviz.ui import large
from nysviz.ui.computing import is_exact, kernel_matrix
from nysviz.ui.downloads import measured
from nysviz.ui.quantization.controls import Question
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.needs import run_bytes
from nysviz.ui.work.runs import Run
from nysviz.ui.work.store import store

ALL, POOLED = "all_runs", "methods_taken_out"


@dataclass(frozen=True)
class Findings:
    """All correlations of the runs on the screen."""

    overall: Correlation
    pooled: Correlation
    by_method: dict[str, Correlation]


def start(scene: Scene, question: Question) -> Run:
    """Begin the runs, or join those of another session."""

    def make_jobs() -> list[Job]:
        data = scene.data
        problem = Problem("", data.X, scene.kernel, data.digest, dense=kernel_matrix(scene))
        return jobs(problem, question.methods, question.m, question.repeats, scene.seed)

    n = scene.data.n
    held = run_bytes(n, question.methods, question.m, matrix=is_exact(scene))
    # Runs on many rows take turns for the sake of the memory.
    key = ("quantization", *scene.key, question, scene.seed)
    return running(key, make_jobs, alone=large.is_large(n), rows=n, holds=held)


def settled(scene: Scene, points: Cloud) -> Cloud:
    """Return the runs with 0 for errors that are rounding alone, beside ‖K‖ and the scatter of the data."""
    data = scene.data
    width = store().get(("default width", data.digest), lambda: default_width(data.X))
    return points.settled(data.n * width)


def findings(points: Cloud) -> Findings:
    """Correlate both errors over all runs, with the methods taken out, and for each method alone.

    Kept by the runs themselves: 2 000 bootstrap samples take a second or more.
    """

    def compute() -> Findings:
        present = [method for method in points.methods if len(points.of(method))]
        by_method = {method: points.of_method(method) for method in present}
        return Findings(points.overall(), points.pooled(), by_method)

    held = (points.groups, points.quantization, points.relative)
    return store().get(("correlations", points.methods, *(values.tobytes() for values in held)), compute)


def rows(scene: Scene, question: Question, points: Cloud, found: Findings) -> list[dict[str, object]]:
    """Return both errors of every run, and the correlations with their intervals."""
    records = []
    for group, seed, e, error in zip(
        points.groups, points.seeds, points.quantization, points.relative, strict=True
    ):
        begin = head(scene, method=points.methods[group], m=question.m, seed=int(seed))
        records += measured(begin, {"quantization": e, "relative_frobenius": error})
    for which, one in {ALL: found.overall, POOLED: found.pooled, **found.by_method}.items():
        begin = head(scene, runs=which, m=question.m)
        for name in ("spearman", "pearson"):
            low, high = getattr(one, f"{name}_interval")
            values = {name: getattr(one, name), f"{name}_low": low, f"{name}_high": high}
            records += measured(begin, values)
    return records


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    dense = ", dense=kernel(data.X)" if is_exact(scene) else ""
    return f"""import nysviz as nv
from nysviz.papers.zhang2008.figure2 import cloud, jobs
from nysviz.sweep import Problem, run_jobs

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
methods = {list(question.methods)!r}
problem = Problem(data.name, data.X, kernel, data.digest{dense})
asked = jobs(problem, methods, m={question.m}, repeats={question.repeats}, seed={scene.seed})
records = [record for finished in run_jobs(asked) for record in finished.records]
# Errors that are rounding beside ‖K‖ or the scatter of the data count as 0.
points = cloud(records, methods).settled(data.n * nv.default_width(data.X))
for group, seed, e, error in zip(points.groups, points.seeds, points.quantization, points.relative):
    print(f"method={{methods[group]}} seed={{seed}} quantization", e)
    print(f"method={{methods[group]}} seed={{seed}} relative_frobenius", error)

found = {{"{ALL}": points.overall(), "{POOLED}": points.pooled()}}
found |= {{method: points.of_method(method) for method in methods}}
for runs, one in found.items():
    for name in ("spearman", "pearson"):
        low, high = getattr(one, f"{{name}}_interval")
        print(f"runs={{runs}} {{name}}", getattr(one, name))
        print(f"runs={{runs}} {{name}}_low", low)
        print(f"runs={{runs}} {{name}}_high", high)"""
