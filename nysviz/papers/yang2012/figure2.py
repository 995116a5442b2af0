"""Yang et al. 2012, figure 2: linear machines on Nyström against random Fourier features, score against m.

Choice: m goes up to 500. The paper goes on to 1 000, for its two largest sets to 200; random features have 2m
columns, and a trial at 1 000 would take four to eight times as long, O(n m² + m³).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES
from nysviz.analysis.learning.feature_trial import (
    EXACT,
    TEST_PART,
    Paired,
    TrialSetting,
    exact_rows,
    paired_test,
    trial,
)
from nysviz.datasets import load
from nysviz.papers.data import default_problem
from nysviz.papers.output import published
from nysviz.papers.records import Row, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record

MS = (10, 20, 50, 100, 200, 500)
# Multiples of the default width 2σ² that the cross-validation chooses from.
MULTIPLES = tuple(2.0**k for k in range(-2, 7))


@dataclass(frozen=True)
class ScoreLine:
    """A line of the figure: a method, and what m counts for random features (see ``READINGS``)."""

    method: str
    reading: str = "frequencies"

    @property
    def id(self) -> str:
        """The method's id; with "_columns" where m counts columns."""
        return self.method if self.reading == "frequencies" else f"{self.method}_{self.reading}"


LINES = (ScoreLine("uniform"), ScoreLine("rff"), ScoreLine("rff", "columns"))
Scores = Mapping[str, Mapping[int, Mapping[int, float]]]  # series id → m → repeat → score


def jobs(
    problem: Problem,
    setting: TrialSetting,
    lines: Sequence[ScoreLine],
    ms: Sequence[int],
    repeats: int,
    seed: int,
) -> list[Job]:
    """Return the trials, all lines at every m once before any is repeated; "exact" has m = all rows."""
    train = train_size(problem.n, setting)
    counts = sorted({m for m in ms if 1 <= m <= train})
    # The exact line is the slowest, so each of its trials comes after those of all other lines.
    trials = [(line, m) for m in counts for line in lines if line.method != EXACT]
    trials += [(line, train) for line in lines if line.method == EXACT]
    trial_jobs = []
    for repeat in range(repeats):
        for line, m in trials:
            key = ("yang-fig2", problem.digest, problem.kernel, setting, line, repeat, m, seed + repeat)
            # The pass over the rows and the decomposition, in units of 1e9 operations.
            columns = m * (2 if line.method in RANDOM_FEATURES and line.reading == "frequencies" else 1)
            weight = 1e-9 * columns**2 * (problem.n + 40.0 * columns) + 1e-3
            kind = ("yang-fig2", problem.digest, setting.machine, line.method == EXACT)
            work = partial(_run, problem, setting, line, m, repeat, seed + repeat)
            trial_jobs.append(Job(key, kind, weight, work))
    return trial_jobs


def train_size(n: int, setting: TrialSetting) -> int:
    """Return the number of training rows."""
    return setting.sizes[0] if setting.sizes else n - round(TEST_PART * n)


def _run(
    problem: Problem, setting: TrialSetting, line: ScoreLine, m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    result = trial(problem.X, problem.y, problem.kernel, setting, line.method, m, seed, line.reading)
    values = {
        setting.measure: result.score,
        "penalty": result.penalty,
        "width_multiple": result.multiple,
        "columns": float(result.columns),
    }
    options = (("reading", line.reading), ("machine", setting.machine))
    return (problem.record(line.method, options, m, repeat, seed, values, result.seconds),)


def line_of(record: Record) -> str:
    """Return the id of a run's line."""
    return ScoreLine(record.method, str(dict(record.options).get("reading", "frequencies"))).id


def scores(records: Iterable[Record], measure: str) -> Scores:
    """Return the scores by line, m and repeat."""
    line_scores: dict[str, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        line_scores[line_of(record)][record.m][record.repeat] = record.values[measure]
    return {line: {m: dict(line_scores[line][m]) for m in sorted(line_scores[line])} for line in line_scores}


def compare(line_scores: Scores, a: str, b: str, *, larger_is_better: bool) -> dict[int, Paired]:
    """Test two lines by a paired t-test at each m where both have a trial; positive where a is better."""
    sign = 1.0 if larger_is_better else -1.0
    tests = {}
    for m in sorted(set(line_scores.get(a, {})) & set(line_scores.get(b, {}))):
        if repeats := sorted(set(line_scores[a][m]) & set(line_scores[b][m])):
            tests[m] = paired_test(*([sign * line_scores[line][m][r] for r in repeats] for line in (a, b)))
    return tests


def published_sizes(name: str, n: int) -> tuple[int, int] | None:
    """Return training and test rows of the paper's table 1, or in the same proportion of fewer rows."""
    for row in published("yang2012_table1"):
        if row["data"] == name:
            train, test = int(row["train"]), int(row["test"])
            fewer = round(n * train / (train + test))
            return (train, test) if train + test <= n else (fewer, n - fewer)
    return None


def setting_of(name: str, n: int, task: str | None) -> TrialSetting:
    """Return the paper's setting: ridge regression or a support vector machine, 5-fold cross-validation."""
    if task not in ("classification", "regression"):
        raise Refusal(f"{name} has no target to learn; choose a data set with labels or values.")
    machine = "svm" if task == "classification" else "ridge"
    return TrialSetting(task, machine, published_sizes(name, n), MULTIPLES)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield a row per trial as trials finish: mse or test_error (%); "rff_columns" has m columns in all."""
    data = load(name)
    problem, setting = default_problem(data), setting_of(name, data.n, data.task)
    lines = LINES + ((ScoreLine(EXACT),) if train_size(data.n, setting) <= exact_rows() else ())
    runs = jobs(problem, setting, lines, MS, repeats, seed)
    for row in rows_of("yang-fig2", runs, setting.measure, name=line_of):
        if row.measure == "accuracy":
            row = row._replace(measure="test_error", value=100.0 * (1.0 - row.value))
        yield row
