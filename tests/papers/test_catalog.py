"""The list of claims is complete, and each one says what it needs."""

import pytest

from nysviz.datasets import catalog
from nysviz.papers.claims import CLAIMS, PAPERS, can_run
from nysviz.papers.experiments import EXPERIMENTS
from nysviz.papers.recording import MEASUREMENTS, PLAN, planned
from nysviz.papers.tournament.answers import QUESTIONS

IDS = [*(f"z{k}" for k in range(1, 16)), *(f"f{k}" for k in range(1, 9)), *(f"y{k}" for k in range(1, 11))]
IDS += [*(f"o{k}" for k in range(1, 12)), *(f"e{k}" for k in range(1, 14))]


def test_every_claim_is_there():
    assert list(CLAIMS) == IDS
    assert {claim.paper for claim in CLAIMS.values()} == set(PAPERS)
    letters = {paper: paper[0] for paper in PAPERS} | {"newer": "e"}
    assert all(claim.id[0] == letters[claim.paper] for claim in CLAIMS.values())


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=IDS)
def test_a_claim_can_be_recorded(claim):
    assert claim.experiments
    assert can_run(claim) or claim.id == "z11"
    names = {card.name for card in catalog()}
    assert set(claim.asked) <= names
    assert claim.link.get("data", "digits") in names


def test_the_plan_runs_what_exists():
    assert set(planned()) <= set(EXPERIMENTS) | set(MEASUREMENTS)
    names = {card.name for card in catalog()} | {"line"}
    assert all(set(part.names) <= names and part.repeats >= 1 for part in PLAN)
    asked = [*CLAIMS.values(), *QUESTIONS.values()]
    read = {e for one in asked for e in one.experiments} | {"oglic-rows"}
    assert set(planned()) == read - {"zhang-table1"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"yang-fig1", "yang-fig2"}))
def test_a_single_run_has_a_table(name):
    rows = list(EXPERIMENTS[name].reproduce(["iris"], 1, 0))
    assert {row.experiment for row in rows} == {name}
    assert len(EXPERIMENTS[name].table(rows).splitlines()) > 3
