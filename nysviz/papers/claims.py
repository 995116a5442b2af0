"""The papers' claims, each with a test on recorded runs that gives a verdict."""

from collections.abc import Iterator, Sequence

from nysviz.papers.claim import PAPERS, Claim, Outcome, Verdict
from nysviz.papers.farahat2011 import claims as farahat
from nysviz.papers.oglic2017 import claims as oglic
from nysviz.papers.records import Records, recorded
from nysviz.papers.row import Row
from nysviz.papers.yang2012 import claims as yang
from nysviz.papers.zhang2008 import claims as zhang

__all__ = ["CLAIMS", "PAPERS", "Claim", "Outcome", "Records", "Verdict", "recorded"]

CLAIMS: dict[str, Claim] = {
    claim.id: claim for paper in (zhang, farahat, yang, oglic) for claim in paper.CLAIMS
}


def judged(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each claim that the rows of one experiment decide."""
    records = Records(rows)
    for claim in CLAIMS.values():
        if all(len(records.of(experiment)) for experiment in claim.experiments):
            outcome = claim.decide(records)
            yield f"{claim.id} {outcome.verdict}: {claim.statement} {outcome.statistic}"
