"""Zhang 2008, table 4: test error of the LS-SVM trained on an approximation, for pairs of digits."""

import itertools
import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nysviz.analysis.learning import ls_svm
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate, checked_count, checked_method
from nysviz.papers.output import aligned, mean_text, published
from nysviz.papers.records import Records, Row, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record, jobs_of
from nysviz.sweep.problem import Options

EXACT = "exact"
KERNEL_NAMES = {"test_error": "exact test kernel", "test_error_restricted": "restricted test kernel"}
MEASURES = tuple(KERNEL_NAMES)
PAPER_METHODS = ("svd", "kmeans", "uniform", "column_norm", "icd")
# The paper's m/n, with its confidence: for m = 0.1 n on seven pairs.
CONFIDENCE = {0.05: 0.995, 0.1: 0.975}
ROUNDING = 1e-9  # errors in per cent whose difference is below this are equal
# In the paper's order.
PAPER_PAIRS = ((1, 7), (2, 3), (2, 5), (3, 8), (5, 8), (6, 8), (8, 9), (2, 7), (3, 5), (4, 7), (5, 6))
# Sets with digits as classes, and the label of digit 0 in their files.
DIGIT_SETS = {"usps": 1, "digits": 0, "mnist": 0}

MethodErrors = dict[str, FloatArray]


class TwoClassTask:
    """Two classes with a kernel, by default of the default width; K and the test kernel are formed once."""

    def __init__(self, pair: ls_svm.TwoClasses, kernel: Kernel | None = None) -> None:
        self.pair = pair
        self.kernel = Gaussian.from_width(default_width(pair.X)) if kernel is None else kernel
        self.problem = Problem(pair.name, pair.X, self.kernel, pair.digest, pair.y)

    def reference(self, C: float) -> NDArray[np.bool_]:
        """Return whether the exact LS-SVM puts each test row into the positive class, (q,) bool."""
        exact = partial(ls_svm.train_exact, self.problem.K, self.pair.y, C)
        return self.problem.once(("reference", C), lambda: self.decide(exact()) >= 0)

    def decide(self, machine: ls_svm.LeastSquaresMachine) -> FloatArray:
        """Return f of the test rows with the exact test kernel."""
        pair = self.pair
        # A test kernel k(X_test, X) with more than 8 million entries (64 MB) is not held.
        if len(pair.X) * len(pair.X_test) > 8_000_000:
            return ls_svm.decide(machine, pair.X, self.kernel, pair.X_test)
        test = self.problem.once("test kernel", lambda: self.kernel(pair.X_test, pair.X))
        return test @ machine.weights + machine.bias


def digit_pairs(data: Dataset) -> list[tuple[float, float]]:
    """Return the labels of the paper's 11 pairs of digits, or at most 11 pairs of other classes."""
    if data.task != "classification" or data.y is None:
        raise Refusal(
            f"{data.name} has no classes; zhang-table4 needs a classification set, digits for example."
        )
    if data.name in DIGIT_SETS:
        zero = DIGIT_SETS[data.name]
        return [(first + zero, second + zero) for first, second in PAPER_PAIRS]
    labels = [float(label) for label in np.unique(data.y)]
    return list(itertools.combinations(labels, 2))[: len(PAPER_PAIRS)]


def jobs(
    task: TwoClassTask,
    methods: Mapping[str, Options],
    ms: Sequence[int],
    repeats: int = 20,
    seed: int = 0,
    C: float = ls_svm.PAPER_C,
) -> list[Job]:
    """Return the runs of the exact LS-SVM and of every method: test errors (%), agreement with it (%)."""
    kind, problem = f"ls-svm, C = {C!r}", task.problem
    counts = sorted({checked_count(m, problem.n) for m in ms})
    series = {entry: checked_method(entry[0], dict(entry[1])).random for entry in methods.items()}
    # The exact run finishes first, so its weight sets the first estimate of the time left.
    exact = jobs_of(kind, problem, {(EXACT, ()): False}, [problem.n], 1, 0, partial(_exact, task, C))
    work = partial(_approximate, task, C, counts[-1])
    return exact + jobs_of(kind, problem, series, counts, repeats, seed, work)


def _exact(
    task: TwoClassTask, C: float, problem: Problem, entry: tuple[str, Options], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    K = problem.K
    started = time.perf_counter()
    machine = ls_svm.train_exact(K, task.pair.y, C)
    seconds = time.perf_counter() - started
    error = ls_svm.error_percent(task.decide(machine), task.pair.y_test)
    values = dict.fromkeys(MEASURES, error) | {"agreement": 100.0}
    return (problem.record(*entry, m, repeat, seed, values, seconds),)


def _approximate(
    task: TwoClassTask,
    C: float,
    largest_m: int,
    problem: Problem,
    entry: tuple[str, Options],
    m: int,
    repeat: int,
    seed: int,
) -> tuple[Record, ...]:
    pair, matrix, (method, options) = task.pair, problem.matrix(), entry
    reference = task.reference(C)
    if method == "svd":
        # One decomposition for every rank.
        matrix.eigen = problem.once(("eigenpairs", largest_m), lambda: matrix.eigenpairs(largest_m))
    started = time.perf_counter()
    a = approximate(pair.X, task.kernel, method, m, seed, matrix=matrix, **dict(options))
    machine = ls_svm.train(a, pair.y, C)
    seconds = time.perf_counter() - started
    exact_test = task.decide(machine)
    restricted = a.transform(pair.X_test) @ (a.factor.T @ machine.weights) + machine.bias
    errors = [ls_svm.error_percent(values, pair.y_test) for values in (exact_test, restricted)]
    agreement = 100.0 * float(((exact_test >= 0) == reference).mean())
    values = dict(zip(MEASURES, errors, strict=True)) | {"agreement": agreement}
    return (problem.record(method, options, m, repeat, seed, values, seconds),)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield ``test_error`` (%), by the exact test kernel, and ``test_error_restricted`` of every pair."""
    data = load(name)
    for first, second in digit_pairs(data):
        task = TwoClassTask(ls_svm.two_classes(data, first, second, published=True))
        ms = [max(1, round(ratio * task.problem.n)) for ratio in CONFIDENCE]
        runs = jobs(task, dict.fromkeys(PAPER_METHODS, ()), ms, repeats, seed)
        yield from rows_of("zhang-table4", runs, *MEASURES)


def collect_errors(records: Records, measure: str) -> dict[float, dict[tuple[str, int], MethodErrors]]:
    """Return the values by m/n, then by data set with its number of training rows, then by method."""
    errors_by_ratio: dict[float, dict[tuple[str, int], MethodErrors]] = {
        ratio: defaultdict(dict) for ratio in CONFIDENCE
    }
    cells = records.where(measure=measure).by("data", "n", "method", "m")
    for (data, n, method, m), values in cells.items():
        nearest = min(CONFIDENCE, key=lambda ratio: abs(m / n - ratio))
        for ratio in CONFIDENCE if method == EXACT else (nearest,):
            errors_by_ratio[ratio][data, n][method] = values
    return errors_by_ratio


def confidence_smaller(ours: FloatArray, theirs: FloatArray) -> float:
    """Return the confidence, 0 to 1, that ``ours`` has the smaller mean: a one-sided Welch t-test.

    A single value of ``theirs`` has no randomness, and the test is that of one sample. Where neither side
    varies, equal means give 0.5, others 0 or 1. NaN with fewer than two values of ``ours``.
    """
    if len(ours) < 2 or len(theirs) < 1:
        return math.nan
    from scipy.stats import ttest_1samp, ttest_ind

    gap = float(ours.mean() - theirs.mean())
    # Values that differ by rounding only count as equal.
    varies = [len(values) > 1 and np.ptp(values) >= ROUNDING for values in (ours, theirs)]
    if all(varies):
        p = ttest_ind(ours, theirs, equal_var=False, alternative="less").pvalue
    elif varies[0]:
        p = ttest_1samp(ours, theirs.mean(), alternative="less").pvalue
    elif varies[1]:
        p = ttest_1samp(theirs, ours.mean(), alternative="greater").pvalue
    else:
        return 0.5 if abs(gap) < ROUNDING else float(gap < 0)
    return 1.0 - float(p)


def table(rows: Sequence[Row]) -> str:
    """Return a text table of test errors (%) by m/n and test kernel, with the printed ones below USPS's."""
    printed = {(f"usps {row['pair']}", float(row["ratio"])): row for row in published("zhang2008_table4")}
    tables = []
    for measure, kernel in KERNEL_NAMES.items():
        for ratio, pairs in collect_errors(Records(rows), measure).items():
            lines: list[dict[str, str]] = []
            for (name, _), cells in pairs.items():
                texts = {method: mean_text(cells[method]) for method in (EXACT, *PAPER_METHODS)}
                lines.append({"pair": name, **texts})
                if row := printed.get((name, ratio)):
                    lines.append({"pair": "  printed", EXACT: row["lssvm"]})
                    for method in PAPER_METHODS:
                        spread = row.get(f"{method}_std")
                        lines[-1][method] = f"{row[method]} ± {spread}" if spread else row[method]
            tables.append(f"LS-SVM test error (%), m = {ratio:g} n, {kernel}\n{aligned(lines)}\n")
    return "\n".join(tables)
