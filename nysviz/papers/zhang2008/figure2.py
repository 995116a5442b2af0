"""Zhang, Tsang and Kwok 2008, figure 2: approximation error against quantization error, one point a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nysviz import landmarks
from nysviz.blocks import FloatArray
from nysviz.datasets import load
from nysviz.papers.problems import problem_of
from nysviz.papers.row import Row, rows_of
from nysviz.papers.zhang2008.correlation import ROUNDING, Correlation, correlation, within
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record, sweep_jobs

METHODS = ("kmeans", "uniform", "column_norm")
LANDMARKS = 100
MEASURES = ("frobenius", "quantization")
SHOWN = ("quantization", "frobenius", "relative_frobenius")
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
    """Return the runs of the figure for methods of ``OFFERED``, all once before any is repeated."""
    if unknown := [name for name in methods if name not in OFFERED]:
        raise Refusal(f"{unknown[0]} has no quantization error to compare; take one of {', '.join(OFFERED)}.")
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
    quantization, frobenius, relative = (
        np.array([r.values[measure] for r in kept], dtype=np.float64) for measure in SHOWN
    )
    groups = np.array([methods.index(r.method) for r in kept], dtype=np.intp)
    seeds = np.array([r.seed for r in kept], dtype=np.intp)
    return Cloud(tuple(methods), groups, seeds, quantization, frobenius, relative)


def reproduce(names: Sequence[str], repeats: int = 100, seed: int = 0) -> Iterator[Row]:
    """Yield both errors of every run; m is 100, or a tenth of the rows of a set with fewer than 1 000."""
    for name in names:
        problem = problem_of(load(name))
        m = min(LANDMARKS, max(1, problem.n // 10))
        yield from rows_of("zhang-fig2", jobs(problem, METHODS, m, repeats, seed), *SHOWN)
