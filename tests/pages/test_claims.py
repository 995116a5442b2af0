"""The page Claims: every claim with the verdict that its records give, filters, and a run made again."""

import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

import nysviz as nv
from nysviz.papers.claims import CLAIMS, ClaimVerdict
from nysviz.ui import claims
from nysviz.ui.claims import MARKS
from tests.pages.driving import TITLES, answer, opened, settled

ROOT = Path(__file__).resolve().parents[2]


def blocks(at):
    return [block.proto.body for block in at.get("html")]


def shown(at):
    row = r'<tr><td>(\w+)</td><td><span role="img" title="([\w ]+)" aria-label="\2">(.)</span></td>(.*?)</tr>'
    rows = [found for body in blocks(at) for found in re.findall(row, body, flags=re.S)]
    return {claim: (f"{mark} {verdict}", rest) for claim, verdict, mark, rest in rows}


def link_of(at, claim):
    """Return page, settings and note of the link to the live page, below an opened claim."""
    (link,) = [link.proto for link in at.get("page_link") if link.proto.label.endswith(f"state of {claim}")]
    return link.page, parse_qs(link.query_string), link.help


@pytest.fixture(scope="module")
def findings():
    return nv.studies.claims().outcomes


def test_every_claim_with_its_own_verdict_its_link_and_their_counts(findings):
    first = opened("claims")
    table = shown(first)
    assert list(table) == list(CLAIMS)
    for name, (verdict, rest) in table.items():
        assert verdict == f"{MARKS[findings[name].verdict]} {findings[name].label}"
        assert CLAIMS[name].statement.split("‖")[0][:30].replace("'", "&#x27;") in rest
        assert (ROOT / "pages" / f"{CLAIMS[name].page}.py").exists()
    count = {verdict: sum(f.verdict is verdict for f in findings.values()) for verdict in ClaimVerdict}
    assert answer(first, f"**{count[ClaimVerdict.REPRODUCED]} of {len(CLAIMS)} claims are reproduced**")
    marks = next(body for body in blocks(first) if "nysviz-marks" in body)
    linked = re.findall(r'claims_open=(\w+)" .*?>(.)</a>', marks)
    assert dict(linked) == {name: verdict[0] for name, (verdict, _) in table.items()}
    assert len(linked) == len(CLAIMS) and len(set(MARKS.values())) == len(ClaimVerdict)
    yang = [name for name, claim in CLAIMS.items() if claim.paper == "yang"]
    assert yang and list(shown(opened("claims", claims_paper="Yang 2012"))) == yang


def test_a_link_names_the_data_set_that_it_opens_in_place_of_one_that_is_not_here(monkeypatch):
    monkeypatch.setattr(claims, "is_offered", lambda card: card.name == "wine")
    name = next(name for name, claim in CLAIMS.items() if claim.link.get("data") not in (None, "wine"))
    page, settings, note = link_of(opened("claims", claims_open=name), name)
    assert page == CLAIMS[name].page and set(settings) == set(CLAIMS[name].link)
    assert settings["data"][0] in (TITLES["wine"], TITLES["digits"])
    missing = TITLES[CLAIMS[name].link["data"]]
    assert note == f"On {settings['data'][0]}: {missing} is not on this server."


def test_a_claim_is_run_again_where_it_is_read(findings):
    at = opened("claims", claims_open="z15", claims_repeats="1")
    assert list(shown(at)) == list(CLAIMS)
    page, settings, note = link_of(at, "z15")
    assert page == CLAIMS["z15"].page and set(settings) == {"data", *CLAIMS["z15"].link}
    card = next(card for card in nv.catalog() if card.name == CLAIMS["z15"].link["data"])
    assert bool(note) is not claims.is_offered(card)
    bodies = blocks(at)
    before = next(i for i, body in enumerate(bodies) if 'data-value="z15" open' in body)
    assert "recorded, all data" in bodies[before + 1] and 'data-value="f1"' in bodies[before + 2]
    at.button(key="claims_run").click()
    settled(at)
    live = next(body for body in blocks(at) if "run here, these data" in body)
    assert ("= the same verdict" in live) != ("≠ changed" in live)
    assert findings["z15"].statistic in live
