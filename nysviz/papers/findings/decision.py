"""From the decay of the eigenvalues and the cost of a kernel evaluation to a method, and a trial of it.

A task is to reach an error on data of which a kernel evaluation costs some seconds. The advice comes from the
tasks on some data sets, and is tried on those of others.
"""

import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nysviz.landmarks import METHODS
from nysviz.papers.claims import Records
from nysviz.papers.findings.many_rows import CANDIDATES, EXPERIMENT
from nysviz.papers.findings.many_rows_errors import MethodRun, method_runs
from nysviz.papers.findings.numbers import UNIFORM, decay_group
from nysviz.papers.records import catalog_name
from nysviz.papers.tournament.jobs import FLOOR, split_label
from nysviz.papers.tournament.standings import pareto_front

# Relative Frobenius errors to reach, and seconds of a kernel evaluation; 0 is a Gaussian one in blocks.
TARGETS = (0.01, 0.05, 0.1, 0.2)
COSTS = (0.0, 1e-7, 1e-6, 1e-5, 1e-4)
# From this cost on the evaluations are most of the seconds.
EXPENSIVE = 1e-6
# Largest ratio of the advised method's seconds to those of the fastest one that counts as close.
CLOSE = 1.2
# Ratio with which a method counts that does not reach the error.
FAILED = 10.0
QUESTIONS = 10
SMALL_ERROR = 0.1


@dataclass(frozen=True, eq=False)
class ErrorTask:
    """To reach an error, and the seconds that each method takes; infinite where it does not within 400."""

    data: str
    n: int
    d: int
    multiple: float
    decay: int
    cost: float
    target: float
    seconds: Mapping[str, float]

    @property
    def fastest(self) -> str:
        """The method that takes the fewest seconds."""
        return min(self.seconds, key=self.seconds.__getitem__)

    def ratio(self, method: str) -> float:
        """Return the seconds of a method over those of the fastest one."""
        return self.seconds[method] / self.seconds[self.fastest]


def tasks(records: Records, sets: Collection[str]) -> list[ErrorTask]:
    """Return the tasks on these data sets that some method solves, and uniform sampling not with 25 rows."""
    results = []
    for label, mine in records.of_experiments(EXPERIMENT).by_data().items():
        if catalog_name(label) not in sets:
            continue
        floor = mine.where(method=FLOOR).by("measure")
        decay, entry = (float(floor[name].item()) for name in ("relative_frobenius", "entry_seconds"))
        runs = method_runs(mine)
        first = mine.series[0]
        for cost in COSTS:
            totals = {name: _totals(each, max(cost - entry, 0.0)) for name, each in runs.items()}
            for target in TARGETS:
                seconds = {name: seconds_to_reach(each, target) for name, each in totals.items()}
                if min(seconds.values()) < math.inf and runs[UNIFORM][0].error > target:
                    head = split_label(label)[0], first.n, first.d, split_label(label)[1]
                    results.append(ErrorTask(*head, decay_group(decay), cost, target, seconds))
    return results


def _totals(runs: Iterable[MethodRun], added: float) -> list[tuple[float, float]]:
    """Return seconds and error of each run where an evaluation costs ``added`` seconds more."""
    return [(run.seconds + added * run.evaluations, run.error) for run in runs]


def seconds_to_reach(runs: Sequence[tuple[float, float]], target: float) -> float:
    """Return the seconds that a method needs for an error, from runs given as pairs (seconds, error).

    Between two runs the logarithm of the seconds is linear in that of the error; a run that takes longer
    without being better is left out. Infinite where no run is as good.
    """
    spent, errors = np.log(pareto_front(runs)).T
    if errors[-1] > math.log(target):
        return math.inf
    return float(np.exp(np.interp(math.log(target), errors[::-1], spent[::-1])))


@dataclass(frozen=True)
class MethodAdvice:
    """The method for one decay and cost, and the one whose landmarks are rows, which may be the same.

    ``ratio`` is the geometric mean of the method's seconds over those of the fastest, over data sets;
    ``close`` counts the tasks, of ``tasks``, in which it takes at most 1.2 times the fastest one's seconds.
    """

    method: str
    of_rows: str
    ratio: float
    close: int
    tasks: int
    sets: int


def advise(solved: Iterable[ErrorTask]) -> dict[tuple[int, float], MethodAdvice]:
    """Return the advice for each decay and cost that the tasks have."""
    cells: dict[tuple[int, float], list[ErrorTask]] = defaultdict(list)
    for task in solved:
        cells[task.decay, task.cost].append(task)
    return {cell: _advice(each) for cell, each in sorted(cells.items())}


def _advice(cell: Sequence[ErrorTask]) -> MethodAdvice:
    losses = {name: mean_loss(cell, name) for name in CANDIDATES}
    method = min(losses, key=losses.__getitem__)
    of_rows = min((name for name in CANDIDATES if METHODS[name].landmarks_are_data), key=losses.__getitem__)
    close = sum(task.ratio(method) <= CLOSE for task in cell)
    sets = len({catalog_name(task.data) for task in cell})
    return MethodAdvice(method, of_rows, math.exp(losses[method]), close, len(cell), sets)


def mean_loss(cell: Iterable[ErrorTask], method: str) -> float:
    """Return the mean log of a method's seconds over the fastest, first within a data set, then over sets."""
    logs: dict[str, list[float]] = defaultdict(list)
    for task in cell:
        logs[catalog_name(task.data)].append(math.log(min(task.ratio(method), FAILED)))
    return fmean(fmean(each) for each in logs.values())


@dataclass(frozen=True)
class AdviceTrial:
    """A task that the advice has not seen, the method advised for it, and its seconds over the fastest."""

    task: ErrorTask
    method: str
    ratio: float

    @property
    def is_close(self) -> bool:
        """Whether the method takes at most 1.2 times the seconds of the fastest."""
        return self.ratio <= CLOSE


def trials(
    unseen: Iterable[ErrorTask], advice: Mapping[tuple[int, float], MethodAdvice]
) -> list[AdviceTrial]:
    """Return the trials of an advice on these tasks, where it has a method for their decay and cost."""
    answered = ((task, advice.get((task.decay, task.cost))) for task in unseen)
    return [
        AdviceTrial(task, each.method, task.ratio(each.method)) for task, each in answered if each is not None
    ]


def trials_by_error(unseen: Sequence[ErrorTask], seen: Sequence[ErrorTask]) -> list[AdviceTrial]:
    """Return the trials of an advice that also knows whether the error to reach is below ``SMALL_ERROR``."""
    results: list[AdviceTrial] = []
    for is_small in (True, False):
        advice = advise(task for task in seen if (task.target < SMALL_ERROR) == is_small)
        results += trials((task for task in unseen if (task.target < SMALL_ERROR) == is_small), advice)
    return results


def questions(trials_made: Sequence[AdviceTrial]) -> list[AdviceTrial]:
    """Return ten of the trials, drawn at random."""
    return random.Random(0).sample(trials_made, min(QUESTIONS, len(trials_made)))
