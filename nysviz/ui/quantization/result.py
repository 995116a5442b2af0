"""What the page "Quantization" computes and says."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nysviz.engine import Run
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.figure2 import OFFERED, Cloud, Correlation, Interval, jobs
from nysviz.ui import computing, page
from nysviz.ui.asking import once
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, script

LABELS = {name: METHODS[name].label for name in OFFERED}


@dataclass(frozen=True)
class Question:
    """Which methods, how many landmarks, how many runs of each."""

    methods: tuple[str, ...]
    m: int
    repeats: int

    @property
    def runs(self) -> int:
        """All runs: a method without randomness has one."""
        return sum(self.repeats if METHODS[name].random else 1 for name in self.methods)


ALL, POOLED = "all_runs", "methods_taken_out"


@dataclass(frozen=True)
class Findings:
    """All correlations of the runs on the screen."""

    overall: Correlation
    pooled: Correlation
    by_method: dict[str, Correlation]


def start(scene: Scene, question: Question) -> Run:
    """Begin the runs, or join those of another session."""
    methods, m = question.methods, question.m
    return computing.run_on(
        scene,
        "quantization",
        lambda problem: jobs(problem, methods, m, question.repeats, scene.seed),
        question,
        methods=methods,
        m=m,
    )


def settled(scene: Scene, points: Cloud) -> Cloud:
    """Return the runs with 0 for errors that are rounding alone, beside ‖K‖ and the scatter of the data."""
    data = scene.data
    width = once(("default width", data.digest), lambda: default_width(data.X))
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
    return once(("correlations", points.methods, *(values.tobytes() for values in held)), compute)


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
    return script(
        scene,
        """from nysviz.papers.zhang2008.figure2 import cloud, jobs
from nysviz.sweep import Problem, run_jobs""",
        f"""methods = {list(question.methods)!r}
{computing.problem_code(scene)}
jobs = jobs(problem, methods, m={question.m}, repeats={question.repeats}, seed={scene.seed})
{computing.RECORDS_CODE}
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
        print(f"runs={{runs}} {{name}}_high", high)""",
    )


def answer(found: Findings) -> str:
    """Answer the page's question in one sentence."""
    whole = found.overall
    if math.isnan(whole.spearman):
        return "There is no rank correlation to measure: it takes runs that differ in both errors."
    return (
        f"Rank correlation of the two errors over {whole.runs} runs: {_bold(whole)}. Within the methods: "
        f"{_bold(found.pooled)}."
    )


def _bold(found: Correlation) -> str:
    low, high = (signed(end) for end in found.spearman_interval)
    interval = "" if low == "–" else f" (95 % interval {low} to {high})"
    return f"**{signed(found.spearman)}**{interval}"


def signed(value: float) -> str:
    """Write a correlation with two digits and a true minus; a dash where there is none."""
    # Adding 0 takes the sign off a rounded −0.
    return "–" if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def numbers(found: Findings) -> str:
    """Return the table of all correlations."""
    groups = {LABELS[method]: of_method for method, of_method in found.by_method.items()}
    if len(groups) > 1:
        groups = {"all runs": found.overall, "within methods": found.pooled, **groups}
    rows = [
        (name, _cell(one.spearman, one.spearman_interval), _cell(one.pearson, one.pearson_interval))
        for name, one in groups.items()
    ]
    return page.number_table(("correlation", "rank (Spearman)", "Pearson"), rows)


def _cell(value: float, interval: Interval) -> str:
    low, high = map(signed, interval)
    return signed(value) if low == "–" else f"{signed(value)} <small>{low} … {high}</small>"
