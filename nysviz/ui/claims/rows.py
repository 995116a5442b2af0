"""The findings of the page Claims as rows, and the script that prints them."""

from __future__ import annotations

from collections.abc import Mapping

from nysviz.claims import CLAIMS, PAPERS, Finding

PYTHON = """from nysviz.claims import CLAIMS, recorded

records = recorded()
for claim in CLAIMS.values():
    found = claim.judge(records)
    print(claim.id, found.verdict, found.statistic, found.repeats, sep="\\t")

# The runs themselves, made anew: make reproduce, or python -m nysviz record zhang-fig1
"""


def rows(findings: Mapping[str, Finding]) -> list[dict[str, object]]:
    """Return a row a claim: where it stands, what was tested on which data, the statistic, the verdict."""
    return [
        {
            "claim": claim.id,
            "paper": PAPERS[claim.paper],
            "place": claim.place,
            "statement": claim.statement,
            "reproduced_when": claim.decides,
            "data": ", ".join(findings[claim.id].data) or None,
            "repeats": findings[claim.id].repeats,
            "statistic": findings[claim.id].statistic,
            "verdict": str(findings[claim.id].verdict),
        }
        for claim in CLAIMS.values()
    ]
