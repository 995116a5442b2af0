"""The runs behind the study of lift, and their summary."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.analysis.learning.feature_trial import half_width
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine, shared
from nysviz.kernels import Gaussian, check_sparse
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import square_bytes
from nysviz.papers.data import sample_rows
from nysviz.papers.oglic2017 import figures
from nysviz.papers.oglic2017 import lift as paper
from nysviz.papers.oglic2017.lift import BEST, REFERENCE, SCHEMES, Cell, Lifts, gain
from nysviz.refusal import Refusal
from nysviz.studies.matrices import run_bytes
from nysviz.studies.scene import Scene
from nysviz.sweep import Job, Record
from nysviz.text import ranged

# Most rows: matrices of ten bandwidths are formed repeatedly, so of more rows a sample is taken.
MOST_ROWS = 3_000
# Below this error of uniform rows any choice is good enough; below this lift of the best possible none helps.
SMALL_ERROR, SMALL_LIFT = 0.01, 1.25
# Methods, and the number of repeats of each.
Round = tuple[tuple[str, ...], int]


def row_count(data: Dataset) -> int:
    """Return the number of rows that are measured."""
    return min(data.n, MOST_ROWS)


@shared(holds=lambda data: square_bytes(row_count(data), 0.5))
def bandwidth_range(data: Dataset) -> figures.Bandwidths:
    """Return the bandwidths of the rows that are measured, from the distances of all pairs."""
    if data.n < 2:
        raise Refusal("One row alone has no distances; choose data with more rows.")
    check_sparse(data.X, Gaussian(1.0))
    return figures.bandwidths(sample_rows(data, MOST_ROWS, 0)[0])


def lift_run(
    scene: Scene,
    bandwidths: tuple[float, ...],
    ranks: tuple[int, ...],
    rule: str,
    rounds: tuple[Round, ...],
    is_timed: bool,
) -> Run:
    """Return the run of the errors of uniform sampling and all rounds at each bandwidth 1/σ² and rank."""
    X, digest = sample_rows(scene.data, MOST_ROWS, 0)
    settings: Any = {"seed": scene.seed, "rule": rule, "at_hand": not is_timed}

    def make() -> Sequence[Job]:
        # Records are shared, and the name of a visitor's file is not.
        matrices = paper.Matrices("", X, digest)
        kernels = [figures.kernel_at(value) for value in bandwidths]
        jobs = {}
        for methods, repeats in rounds:
            for job in paper.lift_jobs(matrices, kernels, methods, ranks, repeats, **settings):
                jobs[job.key] = job
        return list(jobs.values())

    key = ("lift", digest, bandwidths, ranks, *settings.values(), *rounds)
    last = paper.landmark_count(max(ranks), len(X), rule)
    methods = [SCHEMES[name].method for name in rounds[0][0] if name != BEST]
    # The best rank-K errors come from all eigenvalues, of a copy of K.
    holds = max(square_bytes(len(X), 2.0), run_bytes(len(X), methods, last, matrix=True))
    # Seconds are measured one run at a time.
    return engine().run(key, make, holds, alone=is_timed)


@dataclass(frozen=True)
class LiftSummary:
    """The records so far, as lifts and errors, with the cells where the choice of landmarks hardly matters.

    ``easy`` are the cells where uniform sampling has almost no error, ``hopeless`` those where even the best
    possible approximation gains almost nothing.
    """

    records: Sequence[Record]
    lifts: Lifts
    errors: Lifts
    easy: list[Cell]
    hopeless: list[Cell]

    @property
    def open(self) -> list[Cell]:
        """Cells in no grey range."""
        return [cell for cell in self.lifts if cell not in self.easy and cell not in self.hopeless]

    @property
    def repeats(self) -> str:
        """The number of repeats of a random method so far, in words."""
        runs = Counter((paper.scheme_of(record), paper.cell_of(record)) for record in self.records)
        return ranged([count for (name, _), count in runs.items() if SCHEMES[name].random], "repeat")


def summarise(view: str, records: Sequence[Record]) -> LiftSummary:
    """Sum up the records of a run; only bandwidths can be easy or hopeless."""
    lifts, errors = paper.lifts(records), paper.relative_errors(records)
    if view == "rank":
        return LiftSummary(records, lifts, errors, [], [])
    easy = [c for c, runs in errors.items() if REFERENCE in runs and runs[REFERENCE].mean() < SMALL_ERROR]
    # No choice can gain much where K is close to the identity.
    hopeless = [c for c, runs in lifts.items() if BEST in runs and gain(runs[BEST]).mean < SMALL_LIFT]
    # Each range reaches to the end of the axis.
    easy_end = max((c.bandwidth for c in easy), default=0.0)
    hopeless_end = min((c.bandwidth for c in hopeless), default=np.inf)
    easy = [c for c in errors if c.bandwidth <= easy_end]
    return LiftSummary(records, lifts, errors, easy, [c for c in errors if c.bandwidth >= hopeless_end])


def find_candidates(summary: LiftSummary, methods: Iterable[str]) -> tuple[str, ...]:
    """Return the methods whose largest lift outside the grey ranges may be the largest of all.

    Empty where one is ahead of every other by a paired t-test over the repeats at 5 %.
    """
    largest = {}
    for name in methods:
        lifts = [np.log(summary.lifts[cell][name]) for cell in summary.open if name in summary.lifts[cell]]
        if lifts:
            largest[name] = max(lifts, key=lambda logs: float(logs.mean()))
    if not largest:
        return ()
    best = max(largest, key=lambda name: float(largest[name].mean()))
    ahead = {name: largest[best] - logs for name, logs in largest.items() if name != best}
    close = [name for name, gaps in ahead.items() if gaps.mean() <= half_width(gaps)]
    return (best, *close) if close else ()


def largest_lift(summary: LiftSummary, methods: Iterable[str]) -> tuple[float, str, Cell] | None:
    """Return the largest lift of these methods outside grey ranges, with its method and cell."""
    lifts = [
        (gain(summary.lifts[cell][name]).mean, name, cell)
        for cell in summary.open
        for name in methods
        if name in summary.lifts[cell]
    ]
    return max(lifts, key=lambda entry: entry[0], default=None)


def seconds_of(records: Iterable[Record]) -> dict[str, dict[Cell, list[float]]]:
    """Return the seconds of every run: scheme → cell."""
    seconds: dict[str, dict[Cell, list[float]]] = {}
    for record in records:
        cells = seconds.setdefault(paper.scheme_of(record), {})
        cells.setdefault(paper.cell_of(record), []).append(record.seconds)
    return seconds


def label_of(scheme: str) -> str:
    """Name a scheme in words."""
    entry = SCHEMES[scheme]
    if scheme == BEST:
        return "best possible"
    return entry.label if entry.options else METHODS[entry.method].brief
