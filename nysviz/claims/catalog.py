"""Every checkable claim of the four papers, in our own words, with its test and its evidence."""

from __future__ import annotations

from nysviz.claims import claims_of_farahat, claims_of_oglic, claims_of_yang, claims_of_zhang
from nysviz.claims.finding import Claim

CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for claim in (
        *claims_of_zhang.CLAIMS,
        *claims_of_farahat.CLAIMS,
        *claims_of_yang.CLAIMS,
        *claims_of_oglic.CLAIMS,
    )
}
