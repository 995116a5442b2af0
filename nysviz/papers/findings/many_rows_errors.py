"""Errors on many rows: those of each method over that of RPCholesky at equal m and at equal cost."""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nysviz.papers.claims import Records
from nysviz.papers.findings.many_rows import CANDIDATES, COUNTS, EXPERIMENT
from nysviz.papers.findings.numbers import CRITERIA, Mean, geometric_mean
from nysviz.papers.records import catalog_name
from nysviz.papers.tournament.standings import REFERENCE, error_at

# Nobody asks for less: a smaller error counts as this, or those near rounding would make the means.
SMALL_ERROR = 1e-3


@dataclass(frozen=True)
class MethodRun:
    """What a method reaches with m landmarks, over its repeats: mean error and evaluations, least seconds."""

    m: int
    error: float
    evaluations: float
    seconds: float


def method_runs(records: Records) -> dict[str, list[MethodRun]]:
    """Return the runs of each method on one data set at one bandwidth, the fewest landmarks first."""
    errors = records.where(measure="relative_frobenius").by("method", "m")
    evaluations = records.where(measure="kernel_evaluations").by("method", "m")
    seconds = records.where(measure="kernel_evaluations").by("method", "m", array="seconds")
    return {
        name: [
            MethodRun(
                m,
                float(np.exp(np.log(errors[name, m]).mean())),
                float(evaluations[name, m].mean()),
                float(seconds[name, m].min()),
            )
            for m in COUNTS
        ]
        for name in CANDIDATES
    }


@dataclass(frozen=True)
class ManyRowsRatio:
    """A method's error over that of RPCholesky by one criterion, a mean over data sets.

    It rests on the ``begun`` of the ``cells``, a matrix at one m: in the others the method cannot begin for
    what RPCholesky spends. NaN where there are none.
    """

    method: str
    criterion: str
    ratio: Mean
    begun: int
    cells: int


def many_rows_ratios(records: Records, sets: Collection[str]) -> list[ManyRowsRatio]:
    """Return the ratios of each method and criterion on these data sets."""
    logs: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for label, mine in records.of_experiments(EXPERIMENT).by_data().items():
        if catalog_name(label) in sets:
            for name, by_criterion in _log_ratios(method_runs(mine)).items():
                for criterion, ratios in by_criterion.items():
                    logs[name, criterion][catalog_name(label)] += ratios
    results = []
    for (name, criterion), by_data in logs.items():
        finite = {data: [log for log in each if log < math.inf] for data, each in by_data.items()}
        means = [fmean(each) for each in finite.values() if each]
        ratio = geometric_mean(means) if means else Mean(math.nan, math.nan, math.nan)
        begun, cells = (sum(map(len, groups.values())) for groups in (finite, by_data))
        results.append(ManyRowsRatio(name, criterion, ratio, begun, cells))
    return results


def _log_ratios(runs: dict[str, list[MethodRun]]) -> dict[str, dict[str, list[float]]]:
    """Return the logarithms of the ratios at each m of RPCholesky: method → criterion → m."""
    reference = runs[REFERENCE]
    errors = np.maximum([run.error for run in reference], SMALL_ERROR)
    results = {}
    for name in CANDIDATES:
        method_errors = {
            "error": [run.error for run in runs[name]],
            "error_at_equal_evaluations": error_at(
                [(run.evaluations, run.error) for run in runs[name]], [run.evaluations for run in reference]
            ),
            "error_at_equal_seconds": error_at(
                [(run.seconds, run.error) for run in runs[name]], [run.seconds for run in reference]
            ),
        }
        results[name] = {
            key: np.log(np.maximum(np.asarray(method_errors[key]), SMALL_ERROR) / errors).tolist()
            for key in CRITERIA
        }
    return results
