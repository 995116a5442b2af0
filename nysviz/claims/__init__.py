"""The papers' claims, each with a test on recorded runs that gives a verdict."""

from nysviz.claims.catalog import CLAIMS
from nysviz.claims.finding import PAPERS, Claim, Finding, Verdict
from nysviz.claims.records import Records, recorded

__all__ = ["CLAIMS", "PAPERS", "Claim", "Finding", "Records", "Verdict", "recorded"]
