"""What the view "Relative accuracy at rank d" measures and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures.look import inert
from nysviz.kernels import Kernel
from nysviz.papers.farahat2011 import figure1
from nysviz.sweep import Problem, Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui.asking import once
from nysviz.ui.compare import result
from nysviz.ui.compare.result import Scale
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.running import running


@dataclass(frozen=True)
class Question:
    """What is to be compared, and on which matrix."""

    data: Dataset
    kernel: Kernel
    methods: tuple[str, ...]
    d: int
    up_to: int
    repeats: int
    seed: int
    shown: str
    at_hand: bool

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return min(self.data.n, figure1.ROWS)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of columns, each once."""
        return tuple(figure1.counts_of(self.n, self.d, self.up_to))

    @property
    def seconds_counts(self) -> tuple[int, ...]:
        """Numbers of columns at which seconds are taken."""
        counts = figure1.counts_of(self.n, self.d, self.up_to, figure1.SECONDS_STEPS)
        return tuple(m for m in counts if m >= self.d)

    @property
    def subtitle(self) -> str:
        """Data, size, kernel and d in one line, for charts."""
        rows = f"n = {self.n}"
        if self.n < self.data.n:
            rows += f" of {self.data.n} (sample, seed {figure1.SAMPLE_SEED})"
        return f"{inert(self.data.title)}, {rows}; {self.kernel.describe()}; d = {self.d}"


def accuracy_run(question: Question) -> Run:
    """Return the run that measures relative accuracy; it serves every d."""
    asked = (question.methods, question.counts, question.repeats, question.seed)
    key = ("compare rank", question.data.digest, question.kernel, *asked)
    return running(key, lambda: figure1.jobs(_problem(question), *asked), rows=question.data.n)


def seconds_run(question: Question) -> Run:
    """Return the run that takes seconds, one at a time."""
    asked = (question.methods, question.seconds_counts, question.d, question.at_hand, question.seed)
    key = ("compare rank seconds", question.data.digest, question.kernel, *asked)
    make = lambda: figure1.seconds_jobs(_problem(question), *asked)  # noqa: E731
    return running(key, make, alone=True, rows=question.data.n)


def _problem(question: Question) -> Problem:
    of = figure1.problem_of(question.data, question.kernel)
    K = once(("K", of.digest, of.kernel), lambda: of.kernel(of.X))
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


def accuracy_of(question: Question) -> Scale:
    """Return the scale of relative accuracy, in per cent."""
    return Scale("largest", f"relative accuracy at rank {question.d}", -1.0, " %")


def answer(question: Question, percents: Values, any_run: bool) -> str:
    """Say who comes nearest to the best rank d."""
    if any_run and not percents:
        return f"Up to rounding K has rank {question.d} or less; choose a smaller d to compare methods."
    return result.answer(accuracy_of(question), percents)
