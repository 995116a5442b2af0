"""The findings of the page Claims as rows, and the script that prints them."""

from __future__ import annotations

from collections.abc import Mapping

from nysviz.papers.claims import CLAIMS, PAPERS, Finding
from nysviz.ui.claims import words

PYTHON = """from nysviz.papers.claims import CLAIMS, recorded

records = recorded()
for claim in CLAIMS.values():
    found = claim.judge(records)
    print(claim.id, found.label, found.statistic, found.repeats, sep="\\t")

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
            "sampled": words.sampled(findings[claim.id]) or None,
            "repeats": findings[claim.id].repeats,
            "statistic": findings[claim.id].statistic,
            "verdict": findings[claim.id].label,
            "by_other_choices": "; ".join(
                f"{of}: {options}"
                for of, options in words.by_choice(findings[claim.id], findings[claim.id].others)
            )
            or None,
        }
        for claim in CLAIMS.values()
    ]
