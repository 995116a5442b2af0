"""The list of claims is complete, and each one says what it needs."""

import pytest

from nysviz.datasets import catalog
from nysviz.papers.claims import CLAIMS, PAPERS, can_run
from nysviz.papers.experiments import EXPERIMENTS, LINE
from nysviz.papers.recording import PLANNED

COUNTS = {"z": 15, "f": 8, "y": 10, "o": 11, "e": 13}
IDS = [f"{letter}{k}" for letter, count in COUNTS.items() for k in range(1, count + 1)]
NAMES = {card.name for card in catalog()} | {LINE}


def test_every_claim_is_there():
    assert list(CLAIMS) == IDS
    assert {claim.paper for claim in CLAIMS.values()} == set(PAPERS)
    assert all(claim.id[0] == claim.paper[0] or claim.paper == "newer" for claim in CLAIMS.values())


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=IDS)
def test_a_claim_can_be_recorded(claim):
    assert claim.experiments
    assert can_run(claim) or claim.id == "z11"
    assert {*claim.asked, claim.link.get("data", LINE)} <= NAMES


def test_what_is_recorded_is_what_claims_read():
    for one in EXPERIMENTS.values():
        parts = [(one.data, one.repeats), (one.embedded, 1), *one.recorded]
        assert all(set(names) <= NAMES and repeats >= 1 for names, repeats in parts)
    read = {experiment for claim in CLAIMS.values() for experiment in claim.experiments}
    assert set(PLANNED) == read - {"zhang-table1"} | {"oglic-rows", "tournament"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"yang-fig1", "yang-fig1-seeds", "yang-fig2"}))
def test_a_single_run_has_a_table(name):
    one = EXPERIMENTS[name]
    data = [name for name in one.data if name in (LINE, "eigengap_mixture")] or ["iris"]
    rows = list(one.reproduce(data, 1, 0))
    assert {row.experiment for row in rows} == {name}
    assert one.table(rows)
