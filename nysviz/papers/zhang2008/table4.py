"""Zhang 2008, table 4: test error of the LS-SVM trained on an approximation, for pairs of digits."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from threading import Event

import numpy as np
from numpy.typing import NDArray

from nysviz.approximation import approximate, checked_count, checked_method
from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.learning.ls_svm import PAPER_C, Machine, decide, error_percent, train, train_exact
from nysviz.learning.two_classes import TwoClasses, two_classes
from nysviz.papers.row import Row
from nysviz.papers.zhang2008.table4_text import EXACT, EXPERIMENT, MEASURES, table
from nysviz.sweep import Job, Problem, Record, run_jobs

__all__ = ["Task", "digit_pairs", "jobs", "reproduce", "table"]

PAPER_METHODS = ("svd", "kmeans", "uniform", "column_norm", "icd")
PAPER_RATIOS = (0.05, 0.1)
# In the paper's order.
PAPER_PAIRS = ((1, 7), (2, 3), (2, 5), (3, 8), (5, 8), (6, 8), (8, 9), (2, 7), (3, 5), (4, 7), (5, 6))
# Sets with digits as classes, and the label of digit 0 in their files.
DIGIT_SETS = {"usps": 1, "digits": 0, "mnist": 0}
# The test kernel k(X_test, X) is held up to so many entries (64 MB) and evaluated anew above.
TEST_ENTRIES = 8_000_000


class Task:
    """Two classes with a kernel: K and the test kernel are formed once for all machines.

    Parameters
    ----------
    pair : TwoClasses
    kernel : Kernel, optional
        The Gaussian kernel with the training rows' default width without it.
    """

    def __init__(self, pair: TwoClasses, kernel: Kernel | None = None) -> None:
        self.pair = pair
        self.kernel = Gaussian.from_width(default_width(pair.X)) if kernel is None else kernel
        self.problem = Problem(pair.name, pair.X, self.kernel, pair.digest, pair.y)
        self._test: FloatArray | None = None
        self._reference: dict[float, NDArray[np.bool_]] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_test": None}

    def reference(self, C: float) -> NDArray[np.bool_]:
        """Signs, as a bool array (q,), that the exact machine gives the test rows."""
        if C not in self._reference:
            self._reference[C] = self.decide(train_exact(self.problem.K, self.pair.y, C)) >= 0
        return self._reference[C]

    def decide(self, machine: Machine) -> FloatArray:
        """Return f of the test rows with the exact test kernel."""
        pair = self.pair
        if len(pair.X) * len(pair.X_test) > TEST_ENTRIES:
            return decide(machine, pair.X, self.kernel, pair.X_test)
        if self._test is None:
            self._test = self.kernel(pair.X_test, pair.X)
        return self._test @ machine.weights + machine.bias


def digit_pairs(data: Dataset) -> list[tuple[float, float]]:
    """Labels of the pairs of classes that the table has for this data set.

    The paper's 11 pairs where the classes are the ten digits; the one pair of a set with two classes;
    otherwise all pairs, at most 11, in the order of the labels.
    """
    if data.task != "classification" or data.y is None:
        raise ValueError(
            f"{data.name} has no classes; zhang-table4 needs a classification set, digits for example."
        )
    if data.name in DIGIT_SETS:
        zero = DIGIT_SETS[data.name]
        return [(first + zero, second + zero) for first, second in PAPER_PAIRS]
    labels = [float(label) for label in np.unique(data.y)]
    return list(itertools.combinations(labels, 2))[: len(PAPER_PAIRS)]


def jobs(
    task: Task,
    methods: Mapping[str, tuple[tuple[str, object], ...]],
    ms: Sequence[int],
    repeats: int = 20,
    seed: int = 0,
    C: float = PAPER_C,
) -> list[Job]:
    """Return the exact machine's run and those of every method, all methods once before any is repeated.

    Parameters
    ----------
    task : Task
    methods : mapping of method to its options
    ms : sequence of int
        Numbers of landmarks, each from 1 to n.
    repeats : int
        Of the methods with randomness; run r has the seed ``seed + r``. Others run once.
    seed : int
    C : float

    Returns
    -------
    list of Job
        Each yields a record an m, with the test error in per cent by both test kernels, ``agreement``, the
        share of test rows (%) on which the sign is that of the exact machine, and the seconds from the
        kernel matrix to the trained machine.
    """
    counts = tuple(sorted({checked_count(m, task.problem.n) for m in ms}))
    content = ("ls-svm", task.pair.digest, task.kernel, C)
    # The exact machine is the first to finish: its weight sets the first estimate of the time left.
    weight = float(sum(counts))
    made = [Job((*content, EXACT), (*content, EXACT), weight, partial(_exact, task, C))]
    for repeat in range(repeats):
        for method, options in methods.items():
            entry = checked_method(method, dict(options))
            if repeat > 0 and not entry.random:
                continue
            work = partial(_approximate, task, method, options, counts, repeat, seed + repeat, C)
            key = (*content, method, options, counts, seed + repeat if entry.random else 0, repeat)
            made.append(Job(key, (*content, method, options), weight, work))
    return made


def _exact(task: Task, C: float) -> tuple[Record, ...]:
    started = time.perf_counter()
    machine = train_exact(task.problem.K, task.pair.y, C)
    seconds = time.perf_counter() - started
    error = error_percent(task.decide(machine), task.pair.y_test)
    values = dict.fromkeys(MEASURES, error) | {"agreement": 100.0}
    return (_record(task, EXACT, (), task.problem.n, 0, 0, values, seconds),)


def _approximate(
    task: Task,
    method: str,
    options: tuple[tuple[str, object], ...],
    counts: tuple[int, ...],
    repeat: int,
    seed: int,
    C: float,
) -> tuple[Record, ...]:
    pair, matrix = task.pair, task.problem.matrix()
    reference = task.reference(C)
    if method == "svd":
        # One decomposition for every rank.
        matrix.eigen = matrix.eigenpairs(counts[-1])
    records = []
    for m in counts:
        started = time.perf_counter()
        a = approximate(pair.X, task.kernel, method, m, seed, matrix=matrix, **dict(options))
        machine = train(a, pair.y, C)
        seconds = time.perf_counter() - started
        exact_test = task.decide(machine)
        restricted = a.transform(pair.X_test) @ (a.factor.T @ machine.weights) + machine.bias
        found = [error_percent(values, pair.y_test) for values in (exact_test, restricted)]
        values = dict(zip(MEASURES, found, strict=True))
        values["agreement"] = 100.0 * float(((exact_test >= 0) == reference).mean())
        records.append(_record(task, method, options, m, repeat, seed, values, seconds))
    return tuple(records)


def _record(
    task: Task,
    method: str,
    options: tuple[tuple[str, object], ...],
    m: int,
    repeat: int,
    seed: int,
    values: dict[str, float],
    seconds: float,
) -> Record:
    problem = task.problem
    return Record(
        problem.name,
        problem.n,
        problem.d,
        task.kernel,
        method,
        options,
        m,
        repeat,
        seed,
        values,
        seconds,
    )


def reproduce(
    names: Sequence[str], repeats: int = 20, seed: int = 0, *, stop: Event | None = None
) -> Iterator[Row]:
    """Run the table and yield its rows.

    Parameters
    ----------
    names : sequence of str
        Classification sets of the catalog.
    repeats : int
        Of the methods with randomness.
    seed : int
        Of the first repeat; the rows are parted into training and test rows once, whatever the seed.
    stop : threading.Event, optional

    Yields
    ------
    Row
        ``test_error`` in per cent with the exact test kernel, ``test_error_restricted`` with the restricted
        one. n is the number of training rows; m of the exact machine is n.
    """
    for name in names:
        data = load(name)
        for first, second in digit_pairs(data):
            task = Task(two_classes(data, first, second, published=True))
            ms = [max(1, round(ratio * task.problem.n)) for ratio in PAPER_RATIOS]
            methods = dict.fromkeys(PAPER_METHODS, ())
            for finished in run_jobs(jobs(task, methods, ms, repeats, seed), stop=stop):
                yield from (row for record in finished.records for row in _rows(record))
            if stop is not None and stop.is_set():
                return


def _rows(record: Record) -> Iterator[Row]:
    for measure in MEASURES:
        value = record.values[measure]
        where = (record.data, record.n, record.d, record.method, record.m, record.repeat)
        yield Row(EXPERIMENT, *where, measure, value, record.seconds)
