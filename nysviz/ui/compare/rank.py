"""The view "Relative accuracy at rank d" of the page Compare (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui import page
from nysviz.ui.compare import rank_charts as charts
from nysviz.ui.compare import rank_text as text
from nysviz.ui.compare.rank_controls import Question, choose
from nysviz.ui.compare.rank_controls import own_kernel as own_kernel
from nysviz.ui.compare.text import numbers, title
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene, loading_code
from nysviz.ui.work.runs import Run
from nysviz.ui.work.store import store


@st.fragment
def view(scene: Scene) -> None:
    """Controls at the right; accuracy at the left, seconds and the two truncations below."""
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = choose(scene)
        table = st.container()
    if question is None:
        return
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    below = st.columns(2, gap="medium")
    truncations = below[0].container()
    run = accuracy_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        best, classical = (percents(records, measure) for measure in measures(question))
        scale = text.accuracy_of(question)
        answer.markdown(page.unbroken(text.answer(question, best, bool(records))))
        table.html(numbers(scale, best, question.n))
        charts.draw_accuracy(question, records, best, title(scale, best))
        with truncations:
            charts.draw_truncations(
                question, best, classical, text.truncation_title(question, best, classical)
            )

    with left, page.sentences():
        follow(run, draw, what="Runs")
    # Seconds are those of one run at a time: they are taken when the others are over.
    runs = [run]
    if run.done and run.problem is None:
        runs.append(_seconds(question, below[1]))
    else:
        below[1].caption("Seconds are taken one run at a time, when the runs above are over.")
    load = loading_code(scene) if question.data is scene.data else f'nv.load("{question.data.name}")'
    script = python(question, load, with_seconds=len(runs) > 1)
    page.closing(text.explanation(question), text.MATHS, script, text.SOURCE, partial(rows, question, runs))


def _seconds(question: Question, place: DeltaGenerator) -> Run:
    run = seconds_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        values = by_method(records, "seconds")
        charts.draw_seconds(question, values, text.seconds_title(values))

    with place, page.sentences():
        follow(run, draw, what="Seconds, one run at a time")
    return run


def accuracy_run(question: Question) -> Run:
    """Return the run that measures relative accuracy; it serves every d."""
    asked = (question.methods, question.counts, question.repeats, question.seed)

    def make() -> Sequence[Job]:
        return figure1.jobs(_problem(question), *asked)

    key = ("compare rank", question.data.digest, question.kernel, *asked)
    return running(key, make, rows=question.data.n)


def seconds_run(question: Question) -> Run:
    """Return the run that takes seconds, one at a time."""
    asked = (question.methods, question.seconds_counts, question.d, question.at_hand, question.seed)

    def make() -> Sequence[Job]:
        return figure1.seconds_jobs(_problem(question), *asked)

    key = ("compare rank seconds", question.data.digest, question.kernel, *asked)
    return running(key, make, alone=True, rows=question.data.n)


def _problem(question: Question) -> Problem:
    of = figure1.problem_of(question.data, question.kernel)
    K = store().get(("K", of.digest, of.kernel), lambda: of.kernel(of.X))
    return Problem("", of.X, of.kernel, of.digest, dense=K)


def measures(question: Question) -> tuple[str, str]:
    """Accuracy of the best and of the classical rank d, as the records call them."""
    return f"relative_accuracy_{question.d}", f"classical_accuracy_{question.d}"


def percents(records: Sequence[Record], measure: str) -> Values:
    """Return an accuracy of every run in per cent."""
    values = by_method(records, measure)
    return {m: {name: 100.0 * runs for name, runs in of.items()} for m, of in values.items()}


def rows(question: Question, runs: Sequence[Run]) -> list[dict[str, object]]:
    """What the runs have by now, then the means of both accuracies over the repeats at the chart's rank."""
    records = [record for run in runs for record in run.records()]
    found = of_records(records, question.data.name)
    begin = {"data": question.data.name, "n": question.n, "d": question.data.d}
    for measure in measures(question):
        for m, methods in by_method(records, measure).items():
            for method, values in methods.items():
                line = {**begin, "method": method, "m": m}
                found += measured(line, {f"mean_{measure}": float(values.mean())})
    return found


def python(question: Question, load: str, *, with_seconds: bool) -> str:
    """Write the script."""
    asked = f"{list(question.methods)!r}, {list(question.counts)}, {question.repeats}, {question.seed}"
    costs = f"{list(question.methods)!r}, {list(question.seconds_counts)}, {question.d}, {question.at_hand}"
    more = f"jobs += figure1.seconds_jobs(problem, {costs}, {question.seed})\n" if with_seconds else ""
    return f"""import nysviz as nv
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, run_jobs, tidy
from nysviz.sweep.ranking import Values, by_method

data = {load}
of = figure1.problem_of(data, nv.{question.kernel!r})
problem = Problem(of.name, of.X, of.kernel, of.digest, dense=of.kernel(of.X))
jobs = figure1.jobs(problem, {asked})
{more}records = [record for finished in run_jobs(jobs) for record in finished.records]
for measure in {measures(question)!r}:
    for m, methods in by_method(records, measure).items():
        for method, runs in methods.items():
            print(f"method={{method}} m={{m}} mean_{{measure}}", runs.mean())
print(tidy(records).to_csv(index=False))"""
