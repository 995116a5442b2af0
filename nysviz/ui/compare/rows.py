"""The numbers of the page "Compare" as tidy records, and the script that prints them."""

from __future__ import annotations

from nysviz.sweep.ranking import by_method
from nysviz.ui.compare.parts import COST_REPEATS, FLOOR, Question
from nysviz.ui.computing import is_exact
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.runs import Run


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """All that the run has by now, then the means over the repeats on the scale of the chart."""
    records = run.records()
    found = of_records(records, scene.data.name)
    errors = [record for record in records if question.norm in record.values]
    measure, times = _measure(question)
    for m, methods in by_method(errors, measure).items():
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
    exact = is_exact(scene)
    dense = ", dense=kernel(data.X)" if exact else ""
    counts = list(question.counts(scene.data.n))
    methods = list(question.methods)
    if question.scale == "best" and FLOOR not in methods and exact:
        methods = [FLOOR, *methods]
    jobs = []
    if question.view in ("error", "budget"):
        asked = f'{question.repeats}, {scene.seed}, ["{question.norm}"]'
        jobs.append(f"sweep_jobs(problem, dict.fromkeys({methods!r}, ()), counts, {asked})")
    if question.view != "error":
        asked = f"{COST_REPEATS}, {scene.seed}"
        own = list(question.methods)
        jobs.append(f"cost_jobs(problem, dict.fromkeys({own!r}, ()), counts, {asked})")
    added = "".join(f"jobs += {one}\n" for one in jobs)
    return f"""import nysviz as nv
from nysviz.sweep import Problem, cost_jobs, run_jobs, sweep_jobs, tidy
from nysviz.sweep.ranking import by_method

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
problem = Problem(data.name, data.X, kernel, data.digest{dense})
counts = {counts}
jobs = []
{added}records = [record for finished in run_jobs(jobs) for record in finished.records]
{_means(question)}print(tidy(records).to_csv(index=False))"""


def _means(question: Question) -> str:
    if question.view not in ("error", "budget"):
        return ""
    measure, times = _measure(question)
    divided = f' / methods["{FLOOR}"][0]' if times else ""
    return f"""errors = [record for record in records if "{question.norm}" in record.values]
for m, methods in by_method(errors, "{measure}").items():
    for method, runs in methods.items():
        print(f"method={{method}} m={{m}} mean_{times}{measure}", runs.mean(){divided})
"""
