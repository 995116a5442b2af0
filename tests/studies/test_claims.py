"""The study of the claims, which has no data of its own, and a new run beside the record."""

import json
from collections import Counter
from dataclasses import replace

import pytest

import nysviz as nv
from nysviz.papers.claims import CLAIMS, ClaimOutcome, ClaimVerdict
from nysviz.papers.records import Row
from nysviz.studies.claims import compared
from nysviz.studies.code import notebook_of


def test_a_row_a_claim_and_a_call_without_arguments():
    result = nv.studies.claims()
    assert list(result.table.claim) == list(CLAIMS)
    count = Counter(outcome.verdict for outcome in result.outcomes.values())
    assert f"{count[ClaimVerdict.PARTLY]} partly, {count[ClaimVerdict.NOT]} not" in result.answer
    cells = ["".join(cell["source"]) for cell in json.loads(notebook_of(result, result.chart_names))["cells"]]
    assert cells[1].split() == ["import", "nysviz", "as", "nv"]
    assert cells[2].startswith("result = nv.studies.claims()\n")


@pytest.mark.parametrize(
    "recorded, new, changed",
    [
        (ClaimVerdict.PARTLY, ClaimVerdict.PARTLY, "= the same verdict"),
        (ClaimVerdict.PARTLY, ClaimVerdict.NOT, "≠ changed"),
        (ClaimVerdict.PARTLY, ClaimVerdict.TOO_FEW, "take more repeats to compare"),
    ],
)
def test_a_new_run_is_set_beside_the_record(recorded, new, changed):
    record = ClaimOutcome(recorded, "")
    claim = replace(CLAIMS["z1"], experiments=(), test=lambda rows: ClaimOutcome(new, ""))
    assert [line[2] for line in compared(claim, record, record, ())] == ["", ""]
    *_, (_, outcome, mark) = compared(claim, record, record, [Row("a", "b", 9, 2, "c", 3, 0, "d", 1.0)])
    assert (outcome.verdict, mark) == (new, changed)
