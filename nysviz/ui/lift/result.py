"""What the page "Lift" measures: its runs, where the choice matters, the rows of the CSV, the script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.papers.oglic2017.figures import kernel_at
from nysviz.papers.oglic2017.lift import (
    BEST,
    REFERENCE,
    Cell,
    Lifts,
    Matrices,
    cell_of,
    gain,
    gains,
    lift_jobs,
    lifts,
    relative_errors,
    scheme_of,
)
from nysviz.sweep import Job, Record
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.lift.controls import COST_REPEATS, MOST_ROWS, Question
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene, loading_code
from nysviz.ui.work.needs import EIGEN_COPIES, square_bytes
from nysviz.ui.work.runs import Run

# No choice can gain this much where K is close to the identity; anything does where uniform rows leave
# this little.
NO_GAIN = 1.25
SMALL_ERROR = 0.01


def run_of(question: Question) -> Run:
    """Return the run that measures what the view shows."""
    costs, n = question.view == "seconds", question.n
    schemes = question.rivals if costs else question.schemes

    def make() -> Sequence[Job]:
        # Records are shared, and the name of a visitor's file is not.
        matrices = Matrices("", question.X, question.digest)
        kernels = [kernel_at(value) for value in question.values]
        asked = (schemes, question.ranks, question.repeats, question.seed)
        return lift_jobs(matrices, kernels, *asked, rule=question.rule, at_hand=not costs)

    settings = (question.values, question.ranks, question.rule, question.repeats, question.seed)
    # The best rank-K errors come from all eigenvalues. Seconds are those of one run at a time.
    held = square_bytes(n, 1.0 + EIGEN_COPIES)
    return running(("lift", question.digest, schemes, settings, costs), make, alone=costs, rows=n, holds=held)


@dataclass(frozen=True)
class Measured:
    """The records by now, as lifts and errors, with the cells where the choice of landmarks matters.

    ``easy`` are those where uniform sampling leaves next to nothing, ``hopeless`` those where even the best
    possible gains next to nothing.
    """

    records: Sequence[Record]
    lifts: Lifts
    errors: Lifts
    easy: tuple[Cell, ...]
    hopeless: tuple[Cell, ...]

    @property
    def open(self) -> list[Cell]:
        """Cells in no grey range."""
        return [cell for cell in self.lifts if cell not in self.easy and cell not in self.hopeless]

    @property
    def repeats(self) -> int:
        """Repeats that are there by now."""
        return 1 + max((record.repeat for record in self.records), default=-1)


def measured_by(question: Question, records: Sequence[Record]) -> Measured:
    """Sum up the records of a run; only bandwidths can be easy or hopeless."""
    found, errors = lifts(records), relative_errors(records)
    if question.view == "rank":
        return Measured(records, found, errors, (), ())
    easy = [c for c, of in errors.items() if REFERENCE in of and of[REFERENCE].mean() < SMALL_ERROR]
    hopeless = [c for c, of in found.items() if BEST in of and gain(of[BEST]).mean < NO_GAIN]
    # Each range reaches to the end of the axis.
    left, right = (
        max((c.bandwidth for c in easy), default=0.0),
        min((c.bandwidth for c in hopeless), default=np.inf),
    )
    return Measured(
        records,
        found,
        errors,
        tuple(c for c in errors if c.bandwidth <= left),
        tuple(c for c in errors if c.bandwidth >= right),
    )


def at_standard(question: Question, found: Lifts) -> Cell | None:
    """Return the cell at 1/median, None before its first run."""
    return next((c for c in found if abs(c.bandwidth / question.range.standard - 1) < 1e-9), None)


Seconds = dict[str, dict[Cell, list[float]]]


def seconds_of(records: Sequence[Record]) -> Seconds:
    """Seconds of every run: scheme → cell."""
    found: Seconds = {}
    for record in records:
        found.setdefault(scheme_of(record), {}).setdefault(cell_of(record), []).append(record.seconds)
    return found


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Every run by now, then the lift of each scheme with its spread and its p at each bandwidth and rank."""
    found, records = [], run.records()
    for record in records:
        # More ranks than one may have the same number of landmarks, and a method more than one setting.
        more = {"scheme": scheme_of(record), "rank": int(record.values["rank"])}
        found += [r for r in of_records([record], scene.data.name, **more) if r["measure"] != "rank"]
    cells = lifts(records)
    for scheme in _schemes(question):
        for cell, one in gains(cells, scheme).items():
            begin = {"data": scene.data.name, "n": question.n, "d": scene.data.d, "scheme": scheme}
            begin |= {"bandwidth": cell.bandwidth, "rank": cell.rank, "m": cell.landmarks}
            values = {"lift": one.mean, "lift_low": one.low, "lift_high": one.high, "lift_p": one.p}
            found += measured(begin, values)
    return found


def _schemes(question: Question) -> tuple[str, ...]:
    return question.rivals if question.view == "seconds" else question.schemes


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    costs = question.view == "seconds"
    values = "[found.standard]" if question.view == "rank" else "sorted({*found.values, found.standard})"
    repeats = min(question.repeats, COST_REPEATS) if costs else question.repeats
    more = f'repeats={repeats}, seed={question.seed}, rule="{question.rule}"'
    more += ", at_hand=False" if costs else ""
    return f"""import nysviz as nv
from nysviz.papers.oglic2017.figures import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import Matrices, gains, lift_jobs, lifts, sampled, scheme_of
from nysviz.sweep import run_jobs

data = {loading_code(scene)}
X, digest = sampled(data, {MOST_ROWS}, 0)
found = bandwidths(X)
kernels = [kernel_at(value) for value in {values}]
schemes = {list(_schemes(question))!r}
matrices = Matrices(data.name, X, digest)
jobs = lift_jobs(matrices, kernels, schemes, {list(question.ranks)}, {more})
records = [record for finished in run_jobs(jobs) for record in finished.records]
for scheme in schemes:
    for cell, one in gains(lifts(records), scheme).items():
        at = f"scheme={{scheme}} bandwidth={{cell.bandwidth}} rank={{cell.rank}} m={{cell.landmarks}}"
        print(at, "lift", one.mean)
        print(at, "lift_low", one.low)
        print(at, "lift_high", one.high)
        print(at, "lift_p", one.p)
for record in records:
    at = f"scheme={{scheme_of(record)}} kernel={{record.kernel!r}} rank={{record.values.pop('rank'):.0f}}"
    for measure, value in record.values.items():
        print(f"{{at}} repeat={{record.repeat}}", measure, value)"""
