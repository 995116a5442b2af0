"""What the page "Compare" measures and says: errors, costs, the best within a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from nysviz.analysis.learning.feature_trial import paired_test
from nysviz.engine import Run
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.sweep import Job, Problem, Record, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import Values, by_method, significant
from nysviz.text import in_seconds, listed, three_digits
from nysviz.ui import large, page
from nysviz.ui.computing import NORMS, RECORDS_CODE, TABLE_CODE, is_exact, problem_code, run_on
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import method_label
from nysviz.ui.sidebar.scene import Scene, head, script

FLOOR = "svd"
VIEWS = {
    "error": "error against m / n",
    "budget": "error against seconds",
    "seconds": "seconds against m / n",
    "evaluations": "kernel evaluations against m / n",
}
# Seconds are taken from fewer runs: each m is a run of its own there, one after the other.
COST_REPEATS = 3


@dataclass(frozen=True)
class Question:
    """What is to be compared."""

    methods: tuple[str, ...]
    view: str
    norm: str
    scale: str
    up_to: int
    repeats: int

    @property
    def with_errors(self) -> bool:
        """Whether the view shows errors."""
        return self.view in ("error", "budget")

    @property
    def measure(self) -> str:
        """The error as records call it."""
        return f"relative_{self.norm}" if self.scale == "relative" else self.norm

    @property
    def mean(self) -> str:
        """The mean of the chart as the table calls it."""
        return f"mean_times_best_{self.norm}" if self.scale == "best" else f"mean_{self.measure}"


# Relative errors below this are rounding, and so are differences that vary by less than this.
ROUNDING, SAME = 1e-9, 1e-12


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run that measures what the view shows: errors, what an approximation costs, or both."""
    methods, costs = _measured(scene, question), question.view != "error"
    ms = large.counts(scene.data.n, question.up_to)

    def jobs(problem: Problem) -> list[Job]:
        errors, seconds = list[Job](), list[Job]()
        if question.with_errors:
            asked = dict.fromkeys(methods, ())
            errors = sweep_jobs(problem, asked, ms, question.repeats, scene.seed, (question.norm,))
        if costs:
            seconds = cost_jobs(problem, dict.fromkeys(question.methods, ()), ms, COST_REPEATS, scene.seed)
        # In turn: a point of error against seconds needs both.
        return [job for pair in zip_longest(errors, seconds) for job in pair if job is not None]

    settings = (question.repeats, question.norm) if question.with_errors else ()
    asked = (methods, ms, settings, costs)
    # The best possible errors come from eigenvalues, of a copy of K.
    made = [method for method in methods if costs or method != FLOOR]
    return run_on(scene, "compare", jobs, *asked, methods=made, m=ms[-1], alone=costs)


def _measured(scene: Scene, question: Question) -> tuple[str, ...]:
    """The chosen methods; the best possible errors come along for their scale."""
    if question.scale == "best" and FLOOR not in question.methods and is_exact(scene):
        return (FLOOR, *question.methods)
    return question.methods


def repeats_of(records: Sequence[Record]) -> int:
    """Repeats that are there by now, of the method that has most of them."""
    return 1 + max((record.repeat for record in records), default=-1)


def values_of(records: Sequence[Record], question: Question) -> Values:
    """Return the chosen error of every run, on the chosen scale."""
    relative, values = (by_method(records, of) for of in (f"relative_{question.norm}", question.measure))
    # An error that is rounding counts as none, so that nobody is ahead by rounding.
    values = {
        m: {name: np.where(relative[m][name] > ROUNDING, runs, 0.0) for name, runs in methods.items()}
        for m, methods in values.items()
    }
    return _times_best(values) if question.scale == "best" else values


def _times_best(values: Values) -> Values:
    """Divide by the best possible error, where it is known and not 0."""
    return {
        m: {name: runs / methods[FLOOR][0] for name, runs in methods.items()}
        for m, methods in values.items()
        if FLOOR in methods and methods[FLOOR][0] > 0
    }


def points_of(values: Values, costs: Sequence[Record]) -> pd.DataFrame:
    """Return mean error and median seconds where both are known, by method and in the order of m."""
    rows = [
        (name, m, float(values[m][name].mean()), float(np.median(times)))
        for m, methods in by_method(costs, "seconds").items()
        for name, times in methods.items()
        if name in values.get(m, {})
    ]
    return pd.DataFrame(rows, columns=["method", "m", "error", "seconds"])


def best_within_budget(points: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    """Return the shortest time in which every method has a point, and each one's least error within it.

    The floor is left out; the least error comes first.
    """
    competing = points[points.method != FLOOR]
    budget = float(competing.groupby("method").seconds.min().max())
    within = competing[competing.seconds <= budget].sort_values(["error", "method", "m"])
    return budget, within.drop_duplicates("method")


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """All that the run has by now, then the means over the repeats on the scale of the chart."""
    records = run.records()
    found, values = of_records(records, scene.data.name), by_method(records, question.measure)
    for m, methods in (_times_best(values) if question.scale == "best" else values).items():
        for method, runs in methods.items():
            found += measured(head(scene, method=method, m=m), {question.mean: float(runs.mean())})
    return found


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    jobs = means = ""
    if question.with_errors:
        divided = f' / methods["{FLOOR}"][0]' if question.scale == "best" else ""
        methods, more = list(_measured(scene, question)), f'{scene.seed}, ["{question.norm}"]'
        asked = f"dict.fromkeys({methods!r}, ()), counts, {question.repeats}, {more}"
        jobs += f"jobs += sweep_jobs(problem, {asked})\n"
        means = f"""errors = [record for record in records if "{question.norm}" in record.values]
for m, methods in by_method(errors, "{question.measure}").items():
    for method, runs in methods.items():
        print(f"method={{method}} m={{m}} {question.mean}", runs.mean(){divided})
"""
    if question.view != "error":
        asked = f"dict.fromkeys({list(question.methods)!r}, ()), counts, {COST_REPEATS}, {scene.seed}"
        jobs += f"jobs += cost_jobs(problem, {asked})\n"
    return script(
        scene,
        """from nysviz.sweep import Problem, cost_jobs, run_jobs, sweep_jobs, tidy
from nysviz.sweep.ranking import by_method""",
        f"""{problem_code(scene)}
counts = {list(large.counts(scene.data.n, question.up_to))}
jobs = []
{jobs}{RECORDS_CODE}
{means}{TABLE_CODE}""",
    )


def method_answer(
    what: str, values: Values, n: int, *, largest: bool = False, unit: str = ""
) -> tuple[str, str]:
    """Name the best two methods at the middle m of those with all methods; the means there, the best first.

    ≈ marks what does not differ significantly from the first. The best possible is not ranked unless alone.
    """
    if not values:
        return page.WAITING, page.number_table((), ())
    ms = _whole(values)
    m = ms[(len(ms) - 1) // 2]
    methods = values[m]
    ranked = sorted(methods, key=lambda name: float(methods[name].mean()), reverse=largest)
    ranked = [name for name in ranked if name != FLOOR] or ranked
    means = {name: f"{three_digits(float(runs.mean()))}{unit}" for name, runs in methods.items()}
    first, *others = ranked
    best = [f"{means[name]} for {method_label(name)}" for name in ranked[:2]]
    best[0] = f"**{best[0]}**"
    sure = dict(zip(others, significant([difference(methods, first, name) for name in others]), strict=True))
    rows = []
    for name in ([FLOOR] if FLOOR in methods and first != FLOOR else []) + ranked:
        runs, mark = methods[name], "" if sure.get(name, True) else " ≈"
        spread = f"± {three_digits(float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        rows.append((METHODS[name].brief, means[name], f"{spread}{mark}"))
    table = page.number_table((f"m = {m} ({100 * m / n:.3g} %)", "", ""), rows)
    return f"{'Largest' if largest else 'Smallest'} {what} at m = {m}: {', '.join(best)}.", table


def _whole(values: Values) -> list[int]:
    """Numbers of landmarks at which as many methods have runs as anywhere."""
    most = max(map(len, values.values()), default=0)
    return [m for m, methods in values.items() if len(methods) == most]


def difference(methods: Mapping[str, FloatArray], first: str, second: str) -> float:
    """Return Student's two-sided p of the paired differences of two methods; NaN for a single pair.

    A run without randomness is paired with each of the other method. Two numbers without randomness differ
    where they are not equal.
    """
    repeats = [len(methods[name]) for name in (first, second) if METHODS[name].random]
    count = min(repeats, default=1)
    gaps = methods[first][:count] - methods[second][:count]
    if not repeats or (np.ptp(gaps) <= SAME and count > 1):
        return float(abs(gaps[0]) <= SAME)
    return paired_test(methods[first][:count], methods[second][:count]).p


def costs_answer(question: Question, costs: Sequence[Record], n: int) -> tuple[str, str]:
    """Say which methods cost least and most at the largest m that all have; seconds and evaluations there."""
    seconds, entries = by_method(costs, "seconds"), by_method(costs, "kernel_evaluations")
    if not seconds:
        return page.WAITING, page.number_table((), ())
    m = _whole(seconds)[-1]
    times = {name: float(np.median(runs)) for name, runs in seconds[m].items()}
    counts = {name: float(np.median(runs)) for name, runs in entries[m].items()}
    texts = {name: (in_seconds(times[name]), f"{three_digits(counts[name] / n**2)} n²") for name in times}
    is_time = question.view == "seconds"
    ranked = sorted(times, key=(times if is_time else counts).__getitem__)
    ends = " to ".join(f"{texts[k][not is_time]} ({method_label(k)})" for k in (ranked[0], ranked[-1]))
    rows = [(METHODS[name].brief, *texts[name]) for name in sorted(times, key=times.__getitem__)]
    what = "One approximation takes" if is_time else "Kernel evaluations go"
    table = page.number_table((f"at m = {m}", "time", "entries of K"), rows)
    return f"{what} from {ends} at m = {m}.", table


def budget_answer(question: Question, points: pd.DataFrame) -> tuple[str, str]:
    """Say who has the least error within the time that every method needs at least; all, smallest first."""
    budget, found = best_within_budget(points)
    best: list[Any] = list(found.itertuples())
    rows = [(METHODS[p.method].brief, three_digits(p.error), f"m = {p.m}") for p in best]
    table = page.number_table((f"within {in_seconds(budget)}", "mean", ""), rows)
    if not best:
        return "No runs of a method are there yet beside the best possible.", table
    both = listed([f"{three_digits(p.error)} for **{method_label(p.method)}** (m = {p.m})" for p in best[:2]])
    return f"Smallest mean {NORMS[question.norm]} errors within {in_seconds(budget)}: {both}.", table
