"""A claim's experiments run again, on few data sets and with few repeats, as jobs for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nysviz.papers.claim import Claim, Outcome
from nysviz.papers.problems import at_hand
from nysviz.papers.recording import WITHOUT_DATA, planned, run
from nysviz.papers.records import Records
from nysviz.papers.row import Row, catalog_name
from nysviz.sweep import Job


def can_run(claim: Claim) -> bool:
    """Whether this package makes the rows of the claim; a benchmark makes those of zhang-table1."""
    return set(claim.experiments) <= set(planned())


def recorded_sets(claim: Claim, records: Records) -> tuple[str, ...]:
    """Recorded data sets of a claim, the smallest first."""
    sizes: dict[str, int] = {}
    for experiment in claim.experiments:
        for row in records.of(experiment):
            sizes.setdefault(catalog_name(row.data), row.n * max(1, row.d))
    return tuple(sorted(sizes, key=sizes.__getitem__))


def loadable(names: Sequence[str]) -> tuple[str, ...]:
    """Those that can be loaded now, in the same order; what is about no data set always can."""
    there = {*at_hand([name for name in names if name not in WITHOUT_DATA])[0], *WITHOUT_DATA}
    return tuple(name for name in names if name in there)


def jobs(claim: Claim, names: Sequence[str], repeats: int, seed: int) -> list[Job]:
    """Return one job for each experiment and data set; their records are rows.

    Parameters
    ----------
    claim : Claim
    names : sequence of str
        Of ``recorded_sets``, at hand.
    repeats, seed : int
    """
    return [
        Job(
            ("claim", experiment, name, repeats, seed),
            ("claim", experiment),
            1.0,
            partial(_rows, experiment, name, repeats, seed),
        )
        for experiment in claim.experiments
        for name in names
    ]


def _rows(experiment: str, name: str, repeats: int, seed: int) -> tuple[Row, ...]:
    return tuple(run(experiment, [name], repeats, seed))


def on_the_same(claim: Claim, records: Records, names: Sequence[str]) -> Outcome:
    """Judge the recorded rows of these data sets alone, for a live run to be held against."""
    mine = (row for row in records if row.experiment in claim.experiments)
    return replace(claim.decide(Records(row for row in mine if catalog_name(row.data) in names)), absent=())
