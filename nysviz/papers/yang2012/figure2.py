"""Yang et al. 2012, figure 2: linear machines on Nyström against random Fourier features, score against m.

Choice: m goes up to 500. The paper goes on to 1 000, for its two largest sets to 200. Random features have 2m
columns: at 1 000 a trial would take four to eight times as long as at 500, O(n m²) for the products of the
training rows' features and O(m³) for each decomposition of the cross-validation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

from nysviz.datasets import load
from nysviz.kernels import Gaussian, default_width
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.feature_trial import exact_rows, trial
from nysviz.learning.paired_test import Paired, paired_test
from nysviz.learning.trial_setting import EXACT, TEST_PART, Setting
from nysviz.papers.published import table as published
from nysviz.papers.row import Row
from nysviz.sweep import Job, Problem, Record, run_jobs

EXPERIMENT = "yang-fig2"
NAMES = ("cpu", "adult")
MS = (10, 20, 50, 100, 200, 500)
# Multiples of the default width 2σ² that the cross-validation chooses from.
MULTIPLES = tuple(2.0**k for k in range(-2, 7))


@dataclass(frozen=True)
class Series:
    """A line of the figure: a method, and what m of random features counts (see ``READINGS``)."""

    method: str
    reading: str = "frequencies"

    @property
    def id(self) -> str:
        """The method's id; with "_columns" where m counts columns."""
        return self.method if self.reading == "frequencies" else f"{self.method}_{self.reading}"


LINES = (Series("uniform"), Series("rff"), Series("rff", "columns"))
# series id → m → repeat → score
Scores = Mapping[str, Mapping[int, Mapping[int, float]]]


def jobs(
    problem: Problem,
    setting: Setting,
    lines: Sequence[Series],
    ms: Sequence[int],
    repeats: int,
    seed: int,
) -> list[Job]:
    """Return the trials of a comparison, one a job: every line at every m once before any is repeated.

    Parameters
    ----------
    problem : Problem
        With y.
    setting : Setting
    lines : sequence of Series
        "exact" among the methods is one trial a repeat, at m = number of training rows.
    ms : sequence of int
        Those above the number of training rows are left out.
    repeats : int
        Trial r has the seed ``seed + r``, which decides its split, landmarks and frequencies.
    seed : int
    """
    train = train_size(problem.n, setting)
    asked = []
    for repeat in range(repeats):
        for line in lines:
            counts = [train] if line.method == EXACT else sorted({m for m in ms if 1 <= m <= train})
            asked += [(repeat, m, line) for m in counts]
    # The exact machine is the slowest: each trial of it comes after those of all others.
    asked.sort(key=lambda run: (run[0], run[2].method == EXACT, run[1]))
    return [_job(problem, setting, line, m, repeat, seed + repeat) for repeat, m, line in asked]


def train_size(n: int, setting: Setting) -> int:
    """Number of training rows."""
    return setting.sizes[0] if setting.sizes else n - round(TEST_PART * n)


def _job(problem: Problem, setting: Setting, line: Series, m: int, repeat: int, seed: int) -> Job:
    key = (EXPERIMENT, problem.digest, problem.kernel, setting, line, repeat, m, seed)
    # The pass over the rows and the decomposition, in units of a thousand million operations.
    columns = m * (2 if line.method in RANDOM_FEATURES and line.reading == "frequencies" else 1)
    weight = 1e-9 * columns**2 * (problem.n + 40.0 * columns) + 1e-3
    kind = (EXPERIMENT, problem.digest, setting.machine, line.method == EXACT)
    return Job(key, kind, weight, partial(_run, problem, setting, line, m, repeat, seed))


def _run(
    problem: Problem, setting: Setting, line: Series, m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    if problem.y is None:
        raise ValueError(f"{problem.name} has no target to learn; choose a data set with labels or values.")
    found = trial(problem.X, problem.y, problem.kernel, setting, line.method, m, seed, line.reading)
    values = {
        setting.measure: found.score,
        "penalty": found.penalty,
        "width_multiple": found.multiple,
        "columns": float(found.columns),
    }
    options = (("reading", line.reading), ("machine", setting.machine))
    head = (problem.name, problem.n, problem.d, problem.kernel, line.method, options, m)
    return (Record(*head, repeat, seed, values, found.seconds),)


def scores(records: Iterable[Record], measure: str) -> Scores:
    """Scores by line, m and repeat."""
    found: dict[str, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        line = Series(record.method, str(dict(record.options).get("reading", "frequencies")))
        found[line.id][record.m][record.repeat] = record.values[measure]
    return {line: {m: dict(found[line][m]) for m in sorted(found[line])} for line in found}


def compare(found: Scores, a: str, b: str, *, larger_is_better: bool) -> dict[int, Paired]:
    """Paired t-test of two lines at each m where both have a trial; positive where a is the better one."""
    sign = 1.0 if larger_is_better else -1.0
    tests = {}
    for m in sorted(set(found.get(a, {})) & set(found.get(b, {}))):
        repeats = sorted(set(found[a][m]) & set(found[b][m]))
        first, second = ([sign * found[line][m][r] for r in repeats] for line in (a, b))
        if repeats:
            tests[m] = paired_test(first, second)
    return tests


def published_sizes(name: str, n: int) -> tuple[int, int] | None:
    """Training and test rows of the paper's table 1; in the same proportion where fewer rows are at hand."""
    for row in published("yang2012_table1"):
        if row["data"] == name:
            train, test = int(row["train"]), int(row["test"])
            if train + test <= n:
                return train, test
            return round(n * train / (train + test)), n - round(n * train / (train + test))
    return None


def setting_of(name: str, n: int, task: str | None) -> Setting:
    """The paper's setting: ridge regression or the support vector machine, all by 5-fold cross-validation."""
    if task not in ("classification", "regression"):
        raise ValueError(f"{name} has no target to learn; choose a data set with labels or values.")
    machine = "svm" if task == "classification" else "ridge"
    return Setting(task, machine, published_sizes(name, n), MULTIPLES)


def reproduce(names: Sequence[str] = NAMES, repeats: int = 10, seed: int = 0) -> Iterator[Row]:
    """Run the comparison and yield a row a trial, in the order in which they finish.

    The measure is mse (in units of the training targets' variance) or test_error (%). The method
    "rff_columns" has m columns in all, "exact" is the kernel machine itself, for up to ``exact_rows``
    training rows.

    Parameters
    ----------
    names : sequence of str
        Of the catalog.
    repeats : int
    seed : int
    """
    for name in names or NAMES:
        data = load(name)
        kernel = Gaussian.from_width(default_width(data.X))
        setting = setting_of(name, data.n, data.task)
        problem = Problem(name, data.X, kernel, data.digest, data.y)
        lines = LINES + ((Series(EXACT),) if train_size(data.n, setting) <= exact_rows() else ())
        for finished in run_jobs(jobs(problem, setting, lines, MS, repeats, seed)):
            yield from (_row(record, setting) for record in finished.records)


def _row(record: Record, setting: Setting) -> Row:
    score = record.values[setting.measure]
    told = ("test_error", 100.0 * (1.0 - score)) if setting.measure == "accuracy" else ("mse", score)
    line = Series(record.method, str(dict(record.options)["reading"]))
    head = (EXPERIMENT, record.data, record.n, record.d, line.id, record.m, record.repeat)
    return Row(*head, *told, record.seconds)


def table(rows: Sequence[Row]) -> str:
    """Mean ± deviation at every m, and the paired test of Nyström against random features, as text."""
    parts = []
    for name in dict.fromkeys(row.data for row in rows):
        parts += _part([row for row in rows if row.data == name])
    parts.append(
        "The figure is printed without a table; the text there states that Nyström is significantly ahead at "
        "every m (but for covtype at m = 10). The figure ends at m = 1000, for its two largest sets at 200; "
        f"these runs end at {_ends(rows)}."
    )
    return "\n".join(parts)


def _ends(rows: Sequence[Row]) -> str:
    """The largest m, of each set where they differ."""
    ends: dict[str, int] = {}
    for row in rows:
        if row.method != EXACT:
            ends[row.data] = max(row.m, ends.get(row.data, 0))
    if len(set(ends.values())) == 1:
        return str(next(iter(ends.values())))
    return ", ".join(f"{m} ({name})" for name, m in ends.items()) or "no m"


def _part(rows: Sequence[Row]) -> list[str]:
    found: dict[str, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        found[row.method][row.m][row.repeat] = row.value
    first = rows[0]
    repeats = len({row.repeat for row in rows})
    lines = [line for line in (line.id for line in LINES) if line in found]
    measure = "test_error (%)" if first.measure == "test_error" else first.measure
    text = [
        f"{first.data}, n = {first.n}, d = {first.d}, {measure}, {repeats} trials (mean ± deviation)",
        f"{'m':>6}" + "".join(f"{line:>19}" for line in lines) + "   uniform against rff | rff_columns",
    ]
    for m in sorted({m for line in lines for m in found[line]}):
        cells = [f"{_spread(list(found[line][m].values())):>19}" for line in lines]
        verdicts = [_verdict(found, m, other) for other in ("rff", "rff_columns")]
        text.append(f"{m:>6}{''.join(cells)}   {' | '.join(verdicts)}")
    for m, values in sorted(found.get(EXACT, {}).items()):
        text.append(f"exact kernel machine on {m} rows: {_spread(list(values.values()))}")
    return [*text, ""]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.4f}" + (f" ± {stdev(values):.4f}" if len(values) > 1 else "")


def _verdict(found: Scores, m: int, other: str) -> str:
    # Both measures are errors: the smaller is the better one.
    test = compare(found, "uniform", other, larger_is_better=False).get(m)
    if test is None or test.pairs < 2:
        return "not tested"
    if not test.significant:
        return f"no difference, p = {test.p:.2g}"
    return f"{'Nyström' if test.difference > 0 else other} ahead, p = {test.p:.2g}"
