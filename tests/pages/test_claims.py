"""The page Claims: every claim with the verdict that its records give, filters, and a run made again."""

import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from nysviz.datasets import catalog
from nysviz.papers.claims import CLAIMS, PAPERS, Verdict, recorded
from nysviz.papers.live import loadable, recorded_sets
from nysviz.ui.claims.words import MARKS, PAGE_NAMES
from tests.pages.driving import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]


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
    body = next(text for text in blocks(at) if "<th>Claim</th>" in text)
    rows = re.findall(r'<tr><td>(\w+)</td><td class="verdict">(. [\w ]+)</td>(.*?)</tr>', body, flags=re.S)
    return {claim: (verdict, rest) for claim, verdict, rest in rows}


@pytest.fixture(scope="module")
def first():
    return opened()


@pytest.fixture(scope="module")
def findings():
    records = recorded()
    return {claim.id: claim.judge(records) for claim in CLAIMS.values()}


def test_every_claim_with_its_own_verdict(first, findings):
    table = shown(first)
    assert list(table) == list(CLAIMS)
    for name, (verdict, rest) in table.items():
        assert verdict == f"{MARKS[findings[name].verdict]} {findings[name].label}"
        assert CLAIMS[name].statement.split("‖")[0][:30].replace("'", "&#x27;") in rest


def test_the_answer_counts_them(first, findings):
    said = next(text.value for text in first.markdown if text.value.startswith("The recorded runs decide"))
    count = {verdict: sum(f.verdict is verdict for f in findings.values()) for verdict in Verdict}
    assert (
        f"**{count[Verdict.REPRODUCED]} reproduced**, {count[Verdict.PARTLY]} partly, "
        f"{count[Verdict.NOT]} not. The verdict on {count[Verdict.DEPENDS]} depends" in said
    )
    counts = next(text for text in blocks(first) if "<th>Paper</th>" in text)
    shown_counts = [int(x) for x in re.findall(r"<td><b>(\d+)</b></td>", counts)]
    assert shown_counts == [count[v] for v in Verdict if count[v]]


def test_marks_differ_in_shape():
    assert len(set(MARKS.values())) == len(Verdict)


def test_links_lead_to_pages_and_their_own_settings(first):
    titles = {card.title for card in catalog()}
    for name, (_, rest) in shown(first).items():
        address = urlsplit(re.search(r'<a href="([^"]+)"', rest).group(1).replace("&amp;", "&"))
        assert (ROOT / "pages" / f"{address.path}.py").exists()
        assert address.path in PAGE_NAMES
        settings = parse_qs(address.query)
        assert set(settings) <= set(CLAIMS[name].link)
        assert settings.get("data", ["digits"])[0] in titles | {"digits"}
        assert set(settings) == set(CLAIMS[name].link)


def test_filters_from_the_link(findings):
    table = shown(opened(claims_paper="Yang 2012"))
    assert list(table) == [name for name, claim in CLAIMS.items() if claim.paper == "yang"]
    verdict = findings["z3"].verdict
    table = shown(opened(claims_verdict=f"{MARKS[verdict]} {verdict}"))
    assert list(table) == [name for name in CLAIMS if findings[name].verdict is verdict]
    assert set(PAPERS) == {claim.paper for claim in CLAIMS.values()}


def test_a_run_made_again_stands_beside_the_record(findings):
    if not loadable(recorded_sets(CLAIMS["z15"], recorded())):
        pytest.skip("z15 is not recorded")
    at = opened(claims_claim="z15", claims_repeats="1")
    assert not [text for text in blocks(at) if "run here" in text]
    at.button(key="claims_run").click()
    settled(at)
    live = next(text for text in blocks(at) if "run here, these data" in text)
    assert ("= the same verdict" in live) != ("≠ changed" in live)
    assert findings["z15"].statistic in live


def test_a_claim_that_cannot_be_run_here_says_how():
    at = opened(claims_claim="z11")
    assert any("benchmarks.costs" in text.value for text in at.caption)
