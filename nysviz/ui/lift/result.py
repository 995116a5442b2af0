"""What the page "Lift" measures and says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.analysis.learning.feature_trial import half_width
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures.look import inert
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import square_bytes
from nysviz.papers.oglic2017 import lift as paper
from nysviz.papers.oglic2017.figures import Bandwidths, bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import BEST, REFERENCE, SCHEMES, Cell, Lifts, gain
from nysviz.sweep import Job, Record
from nysviz.text import grouped, in_seconds, ranged, three_digits
from nysviz.ui import page
from nysviz.ui.asking import engine, shared
from nysviz.ui.computing import run_bytes
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, script

# As needed: so many of every method, and the most of those that may still have the largest lift.
AS_NEEDED, EVERY, MOST = "auto", 3, 10
REPEATS = (AS_NEEDED, 1, 3, 6, 10, 20)
# Matrices of ten bandwidths are formed again and again: of more rows a sample is taken.
MOST_ROWS = 3_000
RANKS = (5, 10, 20, 40, 60, 80, 100)
# Seconds are taken from fewer runs, one after the other.
COST_REPEATS = 3


@dataclass(frozen=True)
class Question:
    """What is to be compared, on which rows.

    ``every`` are the repeats of all methods, ``repeats`` those of the ones that may have the largest lift.
    """

    view: str
    schemes: tuple[str, ...]
    rank: int
    rule: str
    every: int
    repeats: int
    seed: int
    title: str
    digest: str
    X: np.ndarray
    range: Bandwidths

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.X)

    @property
    def rivals(self) -> tuple[str, ...]:
        """The chosen methods without the best possible, which nobody can exceed."""
        return tuple(name for name in self.schemes if name != BEST)

    @property
    def values(self) -> tuple[float, ...]:
        """Bandwidths 1/σ² of the view: the range with 1/median in it, or 1/median alone."""
        if self.view == "rank":
            return (self.range.standard,)
        return tuple(sorted({*self.range.values, self.range.standard}))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks of the view."""
        if self.view != "rank":
            return (self.rank,)
        last = paper.rank_for(self.n)
        return tuple(sorted({min(last, rank) for rank in paper.ranks_for(self.n, RANKS)}))

    @property
    def subtitle(self) -> str:
        """Data, n, kernel, rank and m in one line."""
        rank = f"m = {self.rule}"
        if self.view != "rank":
            rank = f"rank {self.rank}, m = {paper.landmark_count(self.rank, self.n, self.rule)}"
        return f"{inert(self.title)}, n = {grouped(self.n)}; Gaussian; {rank}"


@shared(holds=lambda data: square_bytes(min(data.n, MOST_ROWS), 0.5))
def range_of(data: Dataset) -> Bandwidths:
    """Return the bandwidths of the rows that are measured, from the distances of all pairs."""
    return bandwidths(paper.sampled(data, MOST_ROWS, 0)[0])


# Anything does where uniform rows leave this little.
SMALL_ERROR = 0.01


def run_of(question: Question, going_on: Sequence[str] = ()) -> Run:
    """Return the run that measures what the view shows; of schemes that go on, all their repeats."""
    costs, n, repeats_of = question.view == "seconds", question.n, _repeats_of(question, going_on)
    asked: Any = {"seed": question.seed, "rule": question.rule, "at_hand": not costs}

    def make() -> Sequence[Job]:
        # Records are shared, and the name of a visitor's file is not.
        matrices = paper.Matrices("", question.X, question.digest)
        kernels = [kernel_at(value) for value in question.values]
        found = {}
        for schemes, repeats in repeats_of.items():
            for job in paper.lift_jobs(matrices, kernels, schemes, question.ranks, repeats, **asked):
                found[job.key] = job
        return list(found.values())

    key = ("lift", question.digest, question.values, question.ranks, *asked.values(), *repeats_of.items())
    most = paper.landmark_count(max(question.ranks), n, question.rule)
    methods = [SCHEMES[name].method for name in question.rivals]
    # The best rank-K errors come from all eigenvalues, of a copy of K.
    held = max(square_bytes(n, 2.0), run_bytes(n, methods, most, matrix=True))
    # Seconds are those of one run at a time.
    return engine().run(key, make, held, alone=costs)


def _repeats_of(question: Question, going_on: Sequence[str]) -> dict[tuple[str, ...], int]:
    more = {tuple(going_on): question.repeats} if going_on else {}
    return {question.schemes: question.every, **more}


def going_on(question: Question, records: Sequence[Record]) -> tuple[str, ...]:
    """Return the schemes that have more repeats: those whose largest lift may be the largest of all.

    None where one is ahead of every other by a paired t-test over the repeats at 5 %.
    """
    if question.every == question.repeats:
        return ()
    found, largest = measured_by(question, records), {}
    for name in question.rivals:
        lifts = [np.log(found.lifts[cell][name]) for cell in found.open if name in found.lifts[cell]]
        if lifts:
            largest[name] = max(lifts, key=lambda logs: float(logs.mean()))
    if not largest:
        return ()
    best = max(largest, key=lambda name: float(largest[name].mean()))
    ahead = {name: largest[best] - logs for name, logs in largest.items() if name != best}
    close = [name for name, gaps in ahead.items() if gaps.mean() <= half_width(gaps)]
    return (best, *close) if close else ()


@dataclass(frozen=True)
class Measured:
    """The records by now, as lifts and errors, with the cells where the choice of landmarks matters.

    ``easy`` are those where uniform sampling leaves next to nothing, ``hopeless`` those where even the best
    possible gains next to nothing.
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
        """How many repeats of a random method are there by now, in words."""
        runs = Counter((paper.scheme_of(record), paper.cell_of(record)) for record in self.records)
        return ranged([count for (name, _), count in runs.items() if SCHEMES[name].random], "repeat")


def measured_by(question: Question, records: Sequence[Record]) -> Measured:
    """Sum up the records of a run; only bandwidths can be easy or hopeless."""
    found, errors = paper.lifts(records), paper.relative_errors(records)
    if question.view == "rank":
        return Measured(records, found, errors, [], [])
    easy = [c for c, of in errors.items() if REFERENCE in of and of[REFERENCE].mean() < SMALL_ERROR]
    # No choice can gain much where K is close to the identity.
    hopeless = [c for c, of in found.items() if BEST in of and gain(of[BEST]).mean < 1.25]
    # Each range reaches to the end of the axis.
    left = max((c.bandwidth for c in easy), default=0.0)
    right = min((c.bandwidth for c in hopeless), default=np.inf)
    easy = [c for c in errors if c.bandwidth <= left]
    return Measured(records, found, errors, easy, [c for c in errors if c.bandwidth >= right])


def at_standard(question: Question, found: Lifts) -> Cell | None:
    """Return the cell at 1/median, None before its first run."""
    return next((c for c in found if abs(c.bandwidth / question.range.standard - 1) < 1e-9), None)


def seconds_of(records: Sequence[Record]) -> dict[str, dict[Cell, list[float]]]:
    """Seconds of every run: scheme → cell."""
    found: dict[str, dict[Cell, list[float]]] = {}
    for record in records:
        cells = found.setdefault(paper.scheme_of(record), {})
        cells.setdefault(paper.cell_of(record), []).append(record.seconds)
    return found


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Every run by now, then the lift of each scheme with its spread and its p at each bandwidth and rank."""

    def more(record: Record) -> dict[str, object]:
        # More ranks than one may have the same number of landmarks, and a method more than one setting.
        return {"scheme": paper.scheme_of(record), "rank": int(record.values["rank"])}

    records = run.records()
    found = [row for row in of_records(records, scene.data.name, more) if row["measure"] != "rank"]
    cells = paper.lifts(records)
    for scheme in question.schemes:
        for cell, one in paper.gains(cells, scheme).items():
            begin = {"data": scene.data.name, "n": question.n, "d": scene.data.d, "scheme": scheme}
            begin |= {"bandwidth": cell.bandwidth, "rank": cell.rank, "m": cell.landmarks}
            values = {"lift": one.mean, "lift_low": one.low, "lift_high": one.high, "lift_p": one.p}
            found += measured(begin, values)
    return found


def python(scene: Scene, question: Question, going_on: Sequence[str] = ()) -> str:
    """Write the script."""
    costs = question.view == "seconds"
    values = "[found.standard]" if question.view == "rank" else "sorted({*found.values, found.standard})"
    more = f'seed={question.seed}, rule="{question.rule}", at_hand={not costs}'
    return script(
        scene,
        """from nysviz.papers.oglic2017.figures import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import Matrices, gains, lift_jobs, lifts, sampled, scheme_of
from nysviz.sweep import run_jobs""",
        f"""X, digest = sampled(data, {MOST_ROWS}, 0)
found = bandwidths(X)
kernels = [kernel_at(value) for value in {values}]
schemes, matrices = {list(question.schemes)!r}, Matrices(data.name, X, digest)
jobs = {{}}
for names, repeats in {_repeats_of(question, going_on)!r}.items():
    for job in lift_jobs(matrices, kernels, names, {list(question.ranks)}, repeats, {more}):
        jobs[job.key] = job
records = [record for finished in run_jobs(jobs.values()) for record in finished.records]
for scheme in schemes:
    for cell, one in gains(lifts(records), scheme).items():
        at = f"scheme={{scheme}} bandwidth={{cell.bandwidth}} rank={{cell.rank}} m={{cell.landmarks}}"
        for name, value in (("", one.mean), ("_low", one.low), ("_high", one.high), ("_p", one.p)):
            print(at, f"lift{{name}}", value)
for record in records:
    at = f"scheme={{scheme_of(record)}} kernel={{record.kernel!r}} rank={{record.values.pop('rank'):.0f}}"
    for measure, value in record.values.items():
        print(f"{{at}} repeat={{record.repeat}}", measure, value)""",
    )


def label(name: str) -> str:
    """Name a scheme in words."""
    one = SCHEMES[name]
    return "best possible" if name == BEST else one.label if one.options else METHODS[one.method].brief


def largest_lift(question: Question, found: Measured) -> tuple[float, str, Cell] | None:
    """Return the largest lift outside grey ranges, with its scheme and cell."""
    every = [
        (gain(found.lifts[cell][name]).mean, name, cell)
        for cell in found.open
        for name in question.rivals
        if name in found.lifts[cell]
    ]
    return max(every, key=lambda entry: entry[0], default=None)


def lift_answer(question: Question, found: Measured) -> tuple[str, str]:
    """Name the largest lift outside grey ranges; lifts at 1/median or the last rank, largest first."""
    if not found.lifts:
        return page.WAITING, page.number_table((), ())
    text = "No chosen method gains over uniform sampling where the choice of landmarks matters."
    if top := largest_lift(question, found):
        largest, best, at = top
        text = (
            f"Largest lift: **{three_digits(largest)}** for **{label(best)}**, at rank {at.rank} and "
            f"1/σ² = {three_digits(at.bandwidth)}."
        )
    cell = [*found.lifts][-1] if question.view == "rank" else at_standard(question, found.lifts)
    if cell is None:
        return text, page.number_table((), ())
    lifts = {name: gain(runs) for name, runs in found.lifts[cell].items() if name in question.schemes}
    rows = []
    for name in sorted(lifts, key=lambda name: (name == BEST, -lifts[name].mean)):
        one = lifts[name]
        band = f"{three_digits(one.low)} – {three_digits(one.high)}" if one.high > one.low else ""
        rows.append((label(name), three_digits(one.mean), "" if name == BEST else band))
    head = page.unbroken(f"at 1/median, k = {cell.rank}"), "lift", "one\N{NO-BREAK SPACE}sd"
    return text, page.number_table(head, rows)


def costs_answer(question: Question, found: Measured) -> tuple[str, str]:
    """Say what seconds buy; median seconds over all bandwidths and errors at 1/median, fastest first."""
    cell = at_standard(question, found.errors)
    errors = {} if cell is None else found.errors[cell]
    costs = {
        name: (float(np.median(np.concatenate(list(of.values())))), float(np.median(errors[name])))
        for name, of in seconds_of(found.records).items()
        if name in errors
    }
    if not costs:
        return page.WAITING, page.number_table((), ())
    costs = dict(sorted(costs.items(), key=lambda pair: pair[1]))
    best, fast = min(costs, key=lambda name: costs[name][1]), next(iter(costs))
    text = (
        f"Smallest error at 1/median: {three_digits(costs[best][1])} with **{label(best)}** in "
        f"{in_seconds(costs[best][0])}. Shortest time: {in_seconds(costs[fast][0])} with **{label(fast)}**."
    )
    rows = [(label(name), in_seconds(spent), three_digits(error)) for name, (spent, error) in costs.items()]
    return text, page.number_table(("each method", "median time", "error at 1/median"), rows)
