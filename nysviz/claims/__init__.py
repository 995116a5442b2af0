"""The papers' claims, each with a test on recorded runs that gives a verdict."""

from nysviz.claims import claims_of_farahat, claims_of_oglic, claims_of_yang, claims_of_zhang
from nysviz.claims.finding import PAPERS, Claim, Finding, Verdict
from nysviz.claims.records import Records, recorded

__all__ = ["CLAIMS", "PAPERS", "Claim", "Finding", "Records", "Verdict", "recorded"]

_OF_PAPERS = (claims_of_zhang, claims_of_farahat, claims_of_yang, claims_of_oglic)
CLAIMS: dict[str, Claim] = {claim.id: claim for paper in _OF_PAPERS for claim in paper.CLAIMS}
