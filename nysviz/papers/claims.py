"""The papers' claims, each with a test on recorded runs that gives a verdict, and a claim run again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from nysviz.papers.claim import PAPERS, Claim, Outcome, Verdict
from nysviz.papers.experiments import at_hand
from nysviz.papers.farahat2011 import claims as farahat
from nysviz.papers.newer import claims as newer
from nysviz.papers.oglic2017 import claims as oglic
from nysviz.papers.recording import WITHOUT_DATA, planned, run
from nysviz.papers.records import Records, recorded
from nysviz.papers.row import Row, catalog_name
from nysviz.papers.yang2012 import claims as yang
from nysviz.papers.zhang2008 import claims as zhang
from nysviz.sweep import Job

__all__ = ["CLAIMS", "PAPERS", "Claim", "Outcome", "Records", "Verdict", "recorded"]

CLAIMS: dict[str, Claim] = {
    claim.id: claim for paper in (zhang, farahat, yang, oglic, newer) for claim in paper.CLAIMS
}


def judged(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each claim that the rows of one experiment decide."""
    records = Records(rows)
    for claim in CLAIMS.values():
        if all(len(records.of(experiment)) for experiment in claim.experiments):
            outcome = claim.decide(records)
            yield f"{claim.id} {outcome.verdict}: {claim.statement} {outcome.statistic}"


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
    names : sequence of str
        Of ``recorded_sets``, at hand.
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
