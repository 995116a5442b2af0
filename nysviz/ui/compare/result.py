"""What the page "Compare" measures: its runs, errors on the chosen scale, the best within a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nysviz.sweep import Job, Problem, Record, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui import large
from nysviz.ui.compare.controls import COST_REPEATS, FLOOR, Question
from nysviz.ui.computing import is_exact, kernel_matrix
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.needs import run_bytes
from nysviz.ui.work.runs import Run

# Relative errors below this are rounding.
ROUNDING = 1e-9


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run that measures what the view shows: errors, what an approximation costs, or both."""
    methods, ms = _measured(scene, question), question.counts(scene.data.n)
    costs, n = question.view != "error", scene.data.n

    def make() -> Sequence[Job]:
        # Runs are shared by sessions, and a file's name is nobody else's business: equal data have no name.
        data = scene.data
        problem = Problem("", data.X, scene.kernel, data.digest, data.y, kernel_matrix(scene))
        jobs: list[Job] = []
        if question.with_errors:
            asked = dict.fromkeys(methods, ())
            jobs += sweep_jobs(problem, asked, ms, question.repeats, scene.seed, (question.norm,))
        if costs:
            jobs += cost_jobs(problem, dict.fromkeys(question.methods, ()), ms, COST_REPEATS, scene.seed)
        return jobs

    settings = (question.repeats, question.norm) if question.with_errors else ()
    key = ("compare", *scene.key, methods, ms, scene.seed, settings, costs)
    held = run_bytes(n, question.methods if costs else methods, ms[-1], matrix=is_exact(scene))
    # Seconds are those of one run at a time; runs on many rows take turns for the sake of the memory.
    return running(key, make, alone=costs or large.is_large(n), rows=n, holds=held)


def _measured(scene: Scene, question: Question) -> tuple[str, ...]:
    """The chosen methods; the best possible errors come along for their scale."""
    if question.scale == "best" and FLOOR not in question.methods and is_exact(scene):
        return (FLOOR, *question.methods)
    return question.methods


def parted(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Part the records of a run: those with errors, and those with costs."""
    costs = [record for record in records if "kernel_evaluations" in record.values]
    return [record for record in records if "kernel_evaluations" not in record.values], costs


def repeats_of(records: Sequence[Record]) -> int:
    """Repeats that are there by now, of the method that has most of them."""
    return 1 + max((record.repeat for record in records), default=-1)


def values_of(errors: Sequence[Record], question: Question) -> Values:
    """Return the chosen error of every run, on the chosen scale."""
    measure = f"relative_{question.norm}" if question.scale == "relative" else question.norm
    values = by_method([_rounded(record, question.norm) for record in errors], measure)
    if question.scale != "best":
        return values
    return {
        m: {name: runs / methods[FLOOR][0] for name, runs in methods.items()}
        for m, methods in values.items()
        if FLOOR in methods and methods[FLOOR][0] > 0
    }


def _rounded(record: Record, norm: str) -> Record:
    """Count an error that is rounding as none, so that nobody is ahead by rounding."""
    if record.values.get(f"relative_{norm}", 1.0) > ROUNDING:
        return record
    return replace(record, values=record.values | {norm: 0.0, f"relative_{norm}": 0.0})


def whole(values: Values) -> list[int]:
    """Numbers of landmarks at which as many methods have runs as anywhere."""
    most = max(map(len, values.values()), default=0)
    return [m for m, methods in values.items() if len(methods) == most]


def middle(values: Values) -> int:
    """The number of landmarks that answer and table speak of: the middle one of those with all methods."""
    ms = whole(values)
    return ms[(len(ms) - 1) // 2]


class Point(NamedTuple):
    """One method with one number of landmarks: its mean error and median seconds."""

    error: float
    method: str
    m: int
    seconds: float


def points_of(values: Values, costs: Sequence[Record]) -> list[Point]:
    """Return what is known of both error and seconds, in the order of m."""
    return [
        Point(float(values[m][name].mean()), name, m, float(np.median(times)))
        for m, methods in by_method(costs, "seconds").items()
        for name, times in methods.items()
        if name in values.get(m, {})
    ]


def best_within_budget(points: Sequence[Point]) -> tuple[float, list[Point]]:
    """Return the shortest time in which every method has a point, and each one's least error within it.

    The floor is left out; the least error comes first.
    """
    competing = sorted(point for point in points if point.method != FLOOR)
    fastest = {point.method: point.seconds for point in sorted(competing, key=lambda p: -p.seconds)}
    budget = max(fastest.values(), default=0.0)
    best: dict[str, Point] = {}
    for point in competing:
        if point.seconds <= budget:
            best.setdefault(point.method, point)
    return budget, list(best.values())


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """All that the run has by now, then the means over the repeats on the scale of the chart."""
    records = run.records()
    found = of_records(records, scene.data.name)
    measure, times = _measure(question)
    for m, methods in by_method(parted(records)[0], measure).items():
        best = methods[FLOOR][0] if times and FLOOR in methods else 1.0
        for method, runs in methods.items():
            begin = head(scene, method=method, m=m)
            if not times or (best > 0 and FLOOR in methods):
                found += measured(begin, {f"mean_{times}{measure}": float(runs.mean() / best)})
    return found


def _measure(question: Question) -> tuple[str, str]:
    """The measure of the chart, and what its name begins with where it is divided by the best possible."""
    if question.scale == "relative":
        return f"relative_{question.norm}", ""
    return question.norm, "times_best_" if question.scale == "best" else ""


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    dense = ", dense=kernel(data.X)" if is_exact(scene) else ""
    jobs = means = ""
    if question.with_errors:
        measure, times = _measure(question)
        divided = f' / methods["{FLOOR}"][0]' if times else ""
        jobs += (
            f"jobs += sweep_jobs(problem, dict.fromkeys({list(_measured(scene, question))!r}, ()), counts, "
            f'{question.repeats}, {scene.seed}, ["{question.norm}"])\n'
        )
        means = f"""errors = [record for record in records if "{question.norm}" in record.values]
for m, methods in by_method(errors, "{measure}").items():
    for method, runs in methods.items():
        print(f"method={{method}} m={{m}} mean_{times}{measure}", runs.mean(){divided})
"""
    if question.view != "error":
        asked = f"dict.fromkeys({list(question.methods)!r}, ()), counts, {COST_REPEATS}, {scene.seed}"
        jobs += f"jobs += cost_jobs(problem, {asked})\n"
    return f"""import nysviz as nv
from nysviz.sweep import Problem, cost_jobs, run_jobs, sweep_jobs, tidy
from nysviz.sweep.ranking import by_method

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
problem = Problem(data.name, data.X, kernel, data.digest{dense})
counts = {list(question.counts(scene.data.n))}
jobs = []
{jobs}records = [record for finished in run_jobs(jobs) for record in finished.records]
{means}print(tidy(records).to_csv(index=False))"""
