"""Zhang, Tsang and Kwok 2008, figure 2: approximation error against quantization error, one point a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nysviz import landmarks
from nysviz.blocks import FloatArray
from nysviz.papers.problems import loaded, problem_of
from nysviz.papers.row import Row
from nysviz.papers.zhang2008.correlation import ROUNDING, Correlation, correlation, within
from nysviz.sweep import Job, Problem, Record, run_jobs, sweep_jobs

EXPERIMENT = "zhang-fig2"
DATA = ("german",)
METHODS = ("kmeans", "uniform", "column_norm")
LANDMARKS = 100
REPEATS = 100
MEASURES = ("frobenius", "quantization")
# An error below this part of ‖K‖_F is rounding.
EXACT = 1e-10
# Without landmarks there is no quantization error; a mixture has m landmarks for each of its parts, so that
# its error at "m" landmarks stands beside no other's.
OFFERED = tuple(
    name
    for name, entry in landmarks.METHODS.items()
    if entry.data_dependent and entry.family != "floor" and name != "ensemble"
)


def jobs(problem: Problem, methods: Sequence[str], m: int, repeats: int, seed: int = 0) -> list[Job]:
    """Return the runs of the figure: all methods once before any is repeated.

    Parameters
    ----------
    problem : Problem
    methods : sequence of str
        Of ``OFFERED``.
    m : int
        Landmarks.
    repeats : int
        Of the methods with randomness; run r has the seed ``seed + r``.
    seed : int
    """
    if unknown := [name for name in methods if name not in OFFERED]:
        raise ValueError(
            f"{unknown[0]} has no quantization error to compare; take one of {', '.join(OFFERED)}."
        )
    return sweep_jobs(problem, dict.fromkeys(methods, ()), [m], repeats, seed, MEASURES)


@dataclass(frozen=True)
class Cloud:
    """Runs as points: quantization error, approximation error, and the method of each.

    Attributes
    ----------
    methods : tuple of str
    groups : (r,) int array
        Number of each run's method in ``methods``.
    seeds : (r,) int array
    quantization, frobenius, relative : (r,) arrays
        e = Σ min ‖x − z‖², ‖K − K̃‖_F, and that over ‖K‖_F.
    """

    methods: tuple[str, ...]
    groups: NDArray[np.intp]
    seeds: NDArray[np.intp]
    quantization: FloatArray
    frobenius: FloatArray
    relative: FloatArray

    def __len__(self) -> int:
        return len(self.groups)

    def settled(self, scatter: float) -> Cloud:
        """Return the runs with 0 for errors that are rounding alone.

        Parameters
        ----------
        scatter : float
            Sum of the squared distances of the rows to their mean, n times ``default_width(X)``: the
            quantization error of one landmark at their mean.
        """
        return replace(
            self,
            quantization=np.where(self.quantization > ROUNDING * scatter, self.quantization, 0.0),
            relative=np.where(self.relative > EXACT, self.relative, 0.0),
        )

    def of(self, method: str) -> NDArray[np.intp]:
        """Rows of a method's runs."""
        return np.flatnonzero(self.groups == self.methods.index(method))

    def overall(self) -> Correlation:
        """Correlation over all runs."""
        return correlation(self.quantization, self.relative, self.groups)

    def of_method(self, method: str) -> Correlation:
        """Correlation over the runs of one method."""
        rows = self.of(method)
        return correlation(self.quantization[rows], self.relative[rows])

    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """Both errors of each run less the mean of its method, (r,) each."""
        return within(self.quantization, self.relative, self.groups)

    def pooled(self) -> Correlation:
        """Correlation of the deviations from each method's mean: the relation with the methods taken out."""
        varied = np.bincount(self.groups, minlength=len(self.methods))[self.groups] > 1
        x, y = self.deviations()
        return correlation(x[varied], y[varied], self.groups[varied])


def cloud(records: Iterable[Record], methods: Sequence[str]) -> Cloud:
    """Collect records, in any order, as points in one order: by method, then by repeat."""
    kept = [r for r in records if r.method in methods and "quantization" in r.values]
    kept.sort(key=lambda r: (methods.index(r.method), r.repeat))
    columns = [
        np.array([r.values[measure] for r in kept], dtype=np.float64)
        for measure in ("quantization", "frobenius", "relative_frobenius")
    ]
    groups = np.array([methods.index(r.method) for r in kept], dtype=np.intp)
    seeds = np.array([r.seed for r in kept], dtype=np.intp)
    return Cloud(tuple(methods), groups, seeds, columns[0], columns[1], columns[2])


def reproduce(names: Sequence[str] = (), repeats: int = REPEATS, seed: int = 0) -> Iterator[Row]:
    """Run the figure's experiment.

    Parameters
    ----------
    names : sequence of str
        Data sets of the catalog; the paper's own, german, where none is named.
    repeats : int
        Of each method; run r has the seed ``seed + r``.
    seed : int

    Yields
    ------
    Row
        ``frobenius``, ``relative_frobenius`` and ``quantization`` of every run, in the order of methods and
        repeats. m is 100, or a tenth of the rows where the set has fewer than 1 000.

    Raises
    ------
    ValueError
        A name that the catalog does not know, or no repeat.
    """
    if repeats < 1:
        raise ValueError(f"repeats = {repeats}; at least 1 is needed.")
    for data in loaded(names or DATA):
        m = landmark_count(data.n)
        done = run_jobs(jobs(problem_of(data), METHODS, m, repeats, seed))
        records = [record for finished in done for record in finished.records]
        records.sort(key=lambda r: (METHODS.index(r.method), r.repeat))
        for record in records:
            head = (EXPERIMENT, data.name, data.n, data.d, record.method, record.m, record.repeat)
            for measure in ("frobenius", "relative_frobenius", "quantization"):
                yield Row(*head, measure, record.values[measure], record.seconds)


def landmark_count(n: int) -> int:
    """Return m = 100 as in the paper, or a tenth of the rows of a smaller set than german's 1 000."""
    return min(LANDMARKS, max(1, n // 10))


HEAD = ("data", "m", "method", "runs", "quantization error", "Frobenius error", "Spearman", "Pearson")
LEGEND = (
    "Mean ± standard deviation over the runs; correlations of the two errors with 95 % bootstrap intervals.",
    "all: over all runs. within: deviations from each method's mean, the methods taken out.",
    "The paper prints figure 2 without numbers; it shows kmeans lowest in both errors.",
)


def table(rows: Sequence[Row]) -> str:
    """Errors of each method and their correlations, as text.

    Parameters
    ----------
    rows : sequence of Row
        As ``reproduce`` yields them.
    """
    lines = [HEAD]
    for data in dict.fromkeys(row.data for row in rows):
        found = [row for row in rows if row.data == data]
        points = _points(found)
        for method in points.methods:
            mine = points.of(method)
            sizes = (_cell(points.quantization[mine]), _cell(points.frobenius[mine]))
            lines.append(
                (data, str(found[0].m), method, str(len(mine)), *sizes, *_pair(points.of_method(method)))
            )
        for name, whole in (("all", points.overall()), ("within", points.pooled())):
            lines.append((data, str(found[0].m), name, str(whole.runs), "", "", *_pair(whole)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(line.rstrip() for line in [*text, "", *LEGEND])


def _points(rows: Sequence[Row]) -> Cloud:
    """The runs of one data set from their tidy rows."""
    methods = tuple(dict.fromkeys(row.method for row in rows))
    values = {(row.method, row.repeat, row.measure): row.value for row in rows}
    runs = list(dict.fromkeys((row.method, row.repeat) for row in rows))
    columns = [
        np.array([values[*run, measure] for run in runs])
        for measure in ("quantization", "frobenius", "relative_frobenius")
    ]
    groups = np.array([methods.index(method) for method, _ in runs], dtype=np.intp)
    repeats = np.array([repeat for _, repeat in runs], dtype=np.intp)
    return Cloud(methods, groups, repeats, columns[0], columns[1], columns[2])


def _cell(values: FloatArray) -> str:
    spread = f" ± {values.std(ddof=1):.2g}" if len(values) > 1 else ""
    return f"{values.mean():.4g}{spread}"


def _pair(found: Correlation) -> tuple[str, str]:
    return (
        interval_text(found.spearman, found.spearman_interval),
        interval_text(found.pearson, found.pearson_interval),
    )


def interval_text(value: float, interval: tuple[float, float]) -> str:
    """Write a correlation with its interval; a dash where there is none."""
    if np.isnan(value):
        return "–"
    shown = f"{value:.2f}"
    return shown if np.isnan(interval[0]) else f"{shown} ({interval[0]:.2f} … {interval[1]:.2f})"
