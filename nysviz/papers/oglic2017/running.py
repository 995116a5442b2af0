"""The experiments as rows, and the tables that all of them share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, load
from nysviz.datasets.scaling import standardise
from nysviz.papers.oglic2017.gains import Gain, gain
from nysviz.papers.oglic2017.lift import ROUNDING, Matrices
from nysviz.papers.oglic2017.schemes import (
    BEST,
    NEWCOMERS,
    PUBLISHED,
    REFERENCE,
    REFINED,
    SCHEMES,
    scheme_of,
)
from nysviz.papers.row import Row
from nysviz.sweep import Job, Record, run_jobs

DATA = ("elevators", "cal_housing")
# The paper takes all rows up to 25 000, whose matrix needs 5 GB; a sample of so many is taken here.
ROWS = 5_000
RANK = 100
NAMES = (*PUBLISHED, *REFINED, *NEWCOMERS, BEST)


def matrices_of(name: str, rows: int = ROWS, seed: int = 0) -> Matrices:
    """Standardised rows of a data set, sampled where there are more, as in section 5."""
    data = load(name)
    if not isinstance(data.X, np.ndarray):
        raise ValueError(f"{name} is a sparse set of documents; the Gaussian kernel takes dense rows.")
    X, digest = sampled(data, rows, seed)
    return Matrices(name, standardise(X), f"{digest}:standardised")


def sampled(data: Dataset, rows: int, seed: int) -> tuple[FloatArray, str]:
    """All rows or as many random ones, and a name for their content."""
    if data.n <= rows:
        return data.X, data.digest
    chosen = np.sort(np.random.default_rng(seed).permutation(data.n)[:rows])
    return data.X[chosen], f"{data.digest}:{rows}:{seed}"


def rank_for(n: int) -> int:
    """Rank 100 as in the paper; a fifth of fewer than 500 rows, of which rank 100 would leave little."""
    return min(RANK, max(1, n // 5))


def lift_rows(experiment: str, jobs: Iterable[Job], data: str = "") -> Iterator[Row]:
    """Relative error and lift of every run, as soon as the run of uniform sampling beside it is there.

    Parameters
    ----------
    experiment : str
    jobs : iterable of Job
        Of one kernel and one rule for the number of landmarks.
    data : str
        What the rows call the data, where it is more than the name.
    """
    uniform: dict[tuple[float, int, int], float] = {}
    waiting: dict[tuple[float, int, int], list[Record]] = defaultdict(list)
    fixed: dict[tuple[float, int], list[Record]] = defaultdict(list)
    for finished in run_jobs(jobs):
        for record in finished.records:
            scheme, error = scheme_of(record), max(record.values["relative_frobenius"], ROUNDING)
            yield _row(experiment, data, record, record.repeat, "relative_frobenius", error)
            cell = (record.values["rank"], record.m)
            here = (*cell, record.repeat)
            if scheme == REFERENCE:
                uniform[here] = error
                ready = [*waiting.pop(here, []), *fixed[cell]]
                yield from (_lift(experiment, data, one, record.repeat, error) for one in ready)
            elif SCHEMES[scheme].random:
                if here in uniform:
                    yield _lift(experiment, data, record, record.repeat, uniform[here])
                else:
                    waiting[here].append(record)
            else:
                fixed[cell].append(record)
                for (*other, repeat), reference in sorted(uniform.items()):
                    if tuple(other) == cell:
                        yield _lift(experiment, data, record, repeat, reference)


def _lift(experiment: str, data: str, record: Record, repeat: int, uniform: float) -> Row:
    value = uniform / max(record.values["relative_frobenius"], ROUNDING)
    return _row(experiment, data, record, repeat, "lift", value)


def _row(experiment: str, data: str, record: Record, repeat: int, measure: str, value: float) -> Row:
    name, seconds = data or record.data, record.seconds
    return Row(
        experiment, name, record.n, record.d, scheme_of(record), record.m, repeat, measure, value, seconds
    )


def gains_of(rows: Sequence[Row]) -> dict[tuple[str, int, str], Gain]:
    """Summaries of the lift by data, landmarks and scheme."""
    found: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.measure == "lift":
            found[row.data, row.m, row.method].append(row.value)
    return {key: gain(np.array(values)) for key, values in found.items()}


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Schemes that have a lift, in the order of the experiment."""
    there = {row.method for row in rows if row.measure == "lift"}
    return [name for name in NAMES if name in there] + sorted(there - set(NAMES))


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Text columns: the first to the left, numbers to the right."""
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]


def told(one: Gain | None) -> str:
    """A lift with its band, for a table."""
    if one is None:
        return "–"
    return f"{one.mean:.3g}" if one.high == one.low else f"{one.mean:.3g} ({one.low:.3g}–{one.high:.3g})"


def size_note(rows: Sequence[Row]) -> str:
    """Say on how many rows and repeats a table rests."""
    sizes = {row.data.partition("@")[0]: row.n for row in rows}
    repeats = 1 + max(row.repeat for row in rows)
    listed = ", ".join(f"{name} {n}" for name, n in sorted(sizes.items()))
    return (
        f"Rows: {listed} (a random sample where the set has more; the paper takes all). Repeats: {repeats}. "
        "The paper prints curves, no numbers."
    )


def lift_note(rows: Sequence[Row]) -> str:
    """Say besides how the lifts of a table are to be read."""
    return (
        f"{size_note(rows)} Geometric mean of the lift (one standard deviation of its logarithm); 'svd' is "
        "the most that any method could gain."
    )
