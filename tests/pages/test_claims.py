"""The page Claims: every claim with the verdict that its records give, filters, and a run made again."""

import re
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from nysviz.datasets import catalog
from nysviz.papers.claim import Outcome
from nysviz.papers.claims import CLAIMS, PAPERS, Verdict, recorded
from nysviz.papers.live import loadable, recorded_sets
from nysviz.papers.tournament.answers import QUESTIONS
from nysviz.ui.claims import text
from nysviz.ui.claims.text import MARKS, PAGE_NAMES
from tests.pages.driving import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
TITLES = {card.name: card.title for card in catalog()}


def opened(**link):
    at = AppTest.from_file(str(ROOT / "pages" / "claims.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= link
    return settled(at)


def settled(at):
    deadline = time.monotonic() + PATIENCE_SECONDS
    at.run()
    while at.get("progress"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
        at.run()
    assert not at.exception and [error.value for error in at.error] == []
    return at


def blocks(at):
    return [block.proto.body for block in at.get("html")]


def shown(at):
    """Verdict and statistic of every claim in the table, by its id."""
    row = r'<tr><td>(\w+)</td><td class="verdict">(. [\w ]+)</td>(.*?)</tr>'
    rows = [found for body in blocks(at) for found in re.findall(row, body, flags=re.S)]
    return {claim: (verdict, rest) for claim, verdict, rest in rows}


def address_of(html):
    return urlsplit(re.search(r'<a class="nysviz-state" href="([^"]+)"', html).group(1).replace("&amp;", "&"))


@pytest.fixture(scope="module")
def first():
    return opened()


@pytest.fixture(scope="module")
def findings():
    records = recorded()
    return {claim.id: claim.judge(records) for claim in CLAIMS.values()}


def test_every_claim_with_its_own_verdict_and_their_counts(first, findings):
    table = shown(first)
    assert list(table) == list(CLAIMS)
    for name, (verdict, rest) in table.items():
        assert verdict == f"{MARKS[findings[name].verdict]} {findings[name].label}"
        assert CLAIMS[name].statement.split("‖")[0][:30].replace("'", "&#x27;") in rest
    count = {verdict: sum(f.verdict is verdict for f in findings.values()) for verdict in Verdict}
    assert any(f"**{count[Verdict.REPRODUCED]} reproduced**" in said.value for said in first.markdown)
    counts = next(body for body in blocks(first) if "<th>Paper</th>" in body)
    totals = [int(x) for x in re.findall(r"<td><b>(\d+)</b></td>", counts)]
    assert totals == [count[v] for v in Verdict if count[v]]
    assert len(set(MARKS.values())) == len(Verdict)


def test_links_lead_to_pages_and_their_own_settings(first):
    for name, (_, rest) in shown(first).items():
        address = address_of(rest)
        assert (ROOT / "pages" / f"{address.path}.py").exists() and address.path in PAGE_NAMES
        settings = parse_qs(address.query)
        assert set(settings) == set(CLAIMS[name].link)
        assert set(settings.get("data", [])) <= set(TITLES.values())


def test_a_link_to_data_that_are_not_here_says_so_and_leads_to_data_that_are(monkeypatch):
    gone = [replace(card, on_disk=card.on_disk and card.name != "german") for card in catalog()]
    monkeypatch.setattr(text, "catalog", lambda: gone)
    link = text.live_link("bounds", {"data": "german"}, ("german", "wine", "iris"))
    assert f"needs {TITLES['german']}, not on this server" in link
    assert parse_qs(address_of(link).query) == {"data": [TITLES["wine"]]}
    alone = address_of(text.live_link("bounds", {"data": "german"}))
    assert parse_qs(alone.query) == {"data": [TITLES["digits"]]}
    assert "needs" not in text.live_link("bounds", {"data": "iris"})


def test_a_set_that_some_claim_has_is_not_called_absent():
    sizes = {"la1": 3204}
    found = {
        "f3": Outcome(Verdict.REPRODUCED, "", sizes=sizes, absent=("pie",)),
        "f6": Outcome(Verdict.REPRODUCED, "", absent=("la1", "pie")),
    }
    said = text.explanation(found)
    assert TITLES["pie"] in said and TITLES["la1"] not in said


def test_filters_from_the_link(findings):
    table = shown(opened(claims_paper="Yang 2012"))
    assert list(table) == [name for name, claim in CLAIMS.items() if claim.paper == "yang"]
    verdict = findings["z3"].verdict
    table = shown(opened(claims_verdict=f"{MARKS[verdict]} {verdict}"))
    assert list(table) == [name for name in CLAIMS if findings[name].verdict is verdict]
    assert set(PAPERS) == {claim.paper for claim in CLAIMS.values()}


@pytest.mark.parametrize("parameter", ["claims_open", "claims_claim"])
def test_a_claim_is_run_again_where_it_is_read(findings, parameter):
    if not loadable(recorded_sets(CLAIMS["z15"], recorded())):
        pytest.skip("z15 is not recorded")
    at = opened(**{parameter: "z15", "claims_repeats": "1"})
    assert list(shown(at)) == list(CLAIMS)
    bodies = blocks(at)
    before = next(i for i, body in enumerate(bodies) if 'data-value="z15" open' in body)
    assert "recorded, all data" in bodies[before + 1] and 'data-value="f1"' in bodies[before + 2]
    at.button(key="claims_run").click()
    settled(at)
    live = next(body for body in blocks(at) if "run here, these data" in body)
    assert ("= the same verdict" in live) != ("≠ changed" in live)
    assert findings["z15"].statistic in live


def test_a_claim_that_cannot_be_run_here_says_how():
    at = opened(claims_open="z11")
    assert any("benchmarks.costs" in said.value for said in at.caption)


def test_the_questions_across_the_papers_lead_to_the_tournament(first):
    body, records = next(body for body in blocks(first) if "<th>Question</th>" in body), recorded()
    for question in QUESTIONS.values():
        found = question.answer(records)
        assert f"<td>{question.id}</td>" in body
        assert (found.sentence or found.statistic)[:40].replace("'", "&#x27;") in body
        link = address_of(text.live_link(question.page, question.link))
        assert link.path == "tournament" and set(parse_qs(link.query)) == set(question.link)
