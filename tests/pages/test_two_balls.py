"""The page Two balls: its pictures and curves are there, and so is what has to be said of K."""

import pytest

from nysviz.papers.yang2012 import figure1
from tests.pages.driving import answer, charts, opened, table

CHARTS = {"points", "eigenvectors", "eigenvalues", "accuracy"}


@pytest.fixture(autouse=True)
def few_trials(monkeypatch):
    monkeypatch.setattr(figure1, "TRIALS", 2)
    monkeypatch.setattr(figure1, "MS", (5, 100))


def test_the_page_is_complete():
    at = opened("two_balls", balls_n="500")
    assert set(charts(at)) == CHARTS
    assert sum('"nysviz-title"' in one.proto.body for one in at.get("html")) == len(CHARTS)
    assert f"Nyström with uniform sampling **{table(at)['Nyström, uniform'][0]} %**" in answer(
        at, "Test accuracy at m = 100"
    )
    assert "…" not in table(at)["ORF, s = 1/σ"][0]


def test_a_bandwidth_far_below_all_distances_makes_k_the_identity_in_which_nothing_leads():
    at = opened("two_balls", balls_n="500", balls_sigma="0.05")
    assert set(charts(at)) == CHARTS
    assert any("no leading plane" in text.value for text in at.caption)
