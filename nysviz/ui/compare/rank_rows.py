"""The numbers of the view "Relative accuracy at rank d" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.sweep.ranking import by_method
from nysviz.ui.compare.rank_question import Question
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.work.runs import Run


def rows(question: Question, runs: Sequence[Run]) -> list[dict[str, object]]:
    """What the runs have by now, then the means of both accuracies over the repeats at the chart's rank."""
    records = [record for run in runs for record in run.records()]
    found = of_records(records, question.data.name)
    begin = {"data": question.data.name, "n": question.n, "d": question.data.d}
    for measure in _measures(question):
        for m, methods in by_method(records, measure).items():
            for method, values in methods.items():
                line = {**begin, "method": method, "m": m}
                found += measured(line, {f"mean_{measure}": float(values.mean())})
    return found


def _measures(question: Question) -> tuple[str, str]:
    return f"relative_accuracy_{question.d}", f"classical_accuracy_{question.d}"


def python(question: Question, load: str, *, with_seconds: bool) -> str:
    """Write the script."""
    asked = f"{list(question.methods)!r}, {list(question.counts)}, {question.repeats}, {question.seed}"
    costs = f"{list(question.methods)!r}, {list(question.seconds_counts)}, {question.d}, {question.at_hand}"
    more = f"jobs += figure1.seconds_jobs(problem, {costs}, {question.seed})\n" if with_seconds else ""
    return f"""import nysviz as nv
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, run_jobs, tidy
from nysviz.sweep.ranking import by_method

data = {load}
of = figure1.problem_of(data, nv.{question.kernel!r})
problem = Problem(of.name, of.X, of.kernel, of.digest, dense=of.kernel(of.X))
jobs = figure1.jobs(problem, {asked})
{more}records = [record for finished in run_jobs(jobs) for record in finished.records]
for measure in {_measures(question)!r}:
    for m, methods in by_method(records, measure).items():
        for method, runs in methods.items():
            print(f"method={{method}} m={{m}} mean_{{measure}}", runs.mean())
print(tidy(records).to_csv(index=False))"""
