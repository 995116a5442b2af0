"""All claims of the papers by their id, and jobs that run a claim again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from nysviz.papers.claim import Claim, ClaimOutcome, ClaimVerdict
from nysviz.papers.experiments import EXPERIMENTS, Experiment, run
from nysviz.papers.farahat2011 import claims as farahat
from nysviz.papers.newer import claims as newer
from nysviz.papers.oglic2017 import claims as oglic
from nysviz.papers.records import Records, Row, catalog_name, recorded
from nysviz.papers.yang2012 import claims as yang
from nysviz.papers.zhang2008 import claims as zhang
from nysviz.sweep import Job

__all__ = ["CLAIMS", "PAPERS", "Claim", "ClaimOutcome", "ClaimVerdict", "Records", "recorded"]

PAPERS = {
    "zhang": "Zhang, Tsang & Kwok 2008",
    "farahat": "Farahat, Ghodsi & Kamel 2011",
    "yang": "Yang et al. 2012",
    "oglic": "Oglic & Gärtner 2017",
    "newer": "Newer papers",
}
CLAIMS = {
    claim.id: claim
    for paper in (zhang, farahat, yang, oglic, newer)
    for claim in vars(paper).values()
    if isinstance(claim, Claim)
}


def report(experiment: Experiment, rows: Sequence[Row]) -> str:
    """Return an experiment's tables, then a line for each claim that its rows decide, as text."""
    return "\n".join([*experiment.tables(rows), *_verdicts(rows)])


def _verdicts(rows: Sequence[Row]) -> Iterator[str]:
    records = Records(rows)
    for claim in CLAIMS.values():
        if all(len(records.of_experiments(experiment)) for experiment in claim.experiments):
            outcome = claim.decide(records)
            yield f"{claim.id} {outcome.verdict}: {claim.statement} {outcome.statistic}"


def can_run(claim: Claim) -> bool:
    """Return whether this package makes the rows of the claim; a benchmark makes those of zhang-table1."""
    return set(claim.experiments) <= set(EXPERIMENTS)


def recorded_sets(claim: Claim, records: Records) -> tuple[str, ...]:
    """Return the recorded data sets of a claim, the smallest first."""
    claim_records = records.of_experiments(*claim.experiments)
    sizes = {catalog_name(series.data): series.n * max(1, series.d) for series in claim_records.series}
    return tuple(sorted(sizes, key=sizes.__getitem__))


def jobs(claim: Claim, names: Sequence[str], repeats: int, seed: int) -> list[Job]:
    """Return one job for each experiment and data set; its records are rows."""
    return [
        Job(
            ("claim", experiment, name, repeats, seed),
            ("claim", experiment),
            1.0,
            partial(run, experiment, [name], repeats, seed),
        )
        for experiment in claim.experiments
        for name in names
    ]


def on_the_same(claim: Claim, records: Records, names: Sequence[str]) -> ClaimOutcome:
    """Judge the recorded rows of these data sets alone, for comparison with a live run."""
    return replace(claim.decide(records.of_experiments(*claim.experiments).on(names)), absent=())
