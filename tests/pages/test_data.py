"""The page Data: its numbers are numpy's, its cards the catalog's, its buttons take a set."""

import math
import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import nysviz as nv
from nysviz.advice.trial import enough_landmarks, trials
from nysviz.refusal import Refusal
from tests.pages.driving import IRIS, charts, follow, m_of, number, settle, settled, start, tables, unopened

SQUARES = pdist(IRIS.X, "sqeuclidean")
SQUARES = SQUARES[SQUARES > 0]


@pytest.fixture(autouse=True)
def _embedded_alone(monkeypatch, tmp_path):
    # Large files would take their time here, and the page has to work without them.
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))


def opened(own=None, **link):
    return settled(unopened("data", {"data_where": "to be fetched", **link}, own))


def shown_answer(at):
    return next(text.value for text in at.markdown if " of the trace of K" in text.value)


# One row, and rows whose squared distances vanish.
@pytest.mark.parametrize("rows", [b"1,2\n", b"".join(b"%de-200,1e-201\n" % k for k in range(1, 9))])
def test_where_no_row_differs_one_landmark_is_enough(rows):
    at = opened(nv.parse(b"a,b\n" + rows, "mine.csv", False))
    text = shown_answer(at)
    assert "No two rows differ" in text and text.endswith("m = 1 leaves at most 10 % of the trace of K.")
    assert "median 0" in charts(at)["distances"]["layout"]["title"]["text"]


def cards(at):
    return [block.proto.body for block in at.get("html") if 'class="nysviz-card"' in block.proto.body]


def test_the_numbers_are_those_of_numpy():
    shown = {name: rest for table in tables(opened()) for name, *rest in table[1:]}
    for name, percent in (
        ("distance, 1st percentile", 1),
        ("median distance", 50),
        ("distance, 99th percentile", 99),
    ):
        assert number(shown[name][0]) == pytest.approx(math.sqrt(np.percentile(SQUARES, percent)), rel=6e-3)
        assert shown[name][1] == ""  # exact: no interval
    assert shown["repeated rows"] == ["1", "rank of K ≤ 149"]  # Fisher's rows 101 and 142
    assert shown["constant columns"] == ["0", "of 4"]
    assert number(shown["smallest and largest value"][0]) == IRIS.X.min()
    assert number(shown["smallest and largest value"][1]) == IRIS.X.max()
    spreads = IRIS.X.std(axis=0)
    assert number(shown["standard deviation of the columns, from"][0]) == pytest.approx(
        spreads.min(), rel=6e-3
    )


def test_the_suggestion_is_the_core_s():
    target = 0.02
    at = opened(data_target=f"{100 * target:g} %", seed="4")
    shown, _ = tables(at)
    sigmas = math.sqrt(nv.default_width(IRIS.X) / 2), *np.sqrt(np.percentile(SQUARES, (50, 99)))
    affordable = []
    for (_, sigma, m), expected in zip(shown[1:], sigmas, strict=True):
        needed = enough_landmarks(trials(IRIS.X, nv.Gaussian(expected), seed=4, least_error=target), target)
        spread = "" if needed.low == needed.high else f" ({needed.low}–{needed.high})"
        assert number(sigma) == pytest.approx(expected, rel=6e-3) and m == f"{needed.m}{spread}"
        if needed.m <= 15:
            affordable.append((sigma, needed.m))
    sigma, m = min(affordable, key=lambda one: number(one[0]))
    assert f"**σ = {sigma}**" in shown_answer(at) and f"**{m} landmarks**" in shown_answer(at)


def test_the_histogram_holds_every_pair_and_every_bandwidth():
    chart = charts(opened(bandwidth="0.25"))["distances"]
    bars, curve = chart["data"]
    end = chart["layout"]["xaxis"]["range"][1]
    assert end == pytest.approx(1.2 * math.sqrt(np.percentile(SQUARES, 99)))
    counts, edges = np.histogram(np.sqrt(SQUARES), len(bars["x"]), (0, end))
    np.testing.assert_allclose(bars["y"], 100 * counts / len(SQUARES), rtol=1e-5)
    np.testing.assert_allclose(bars["x"], (edges[1:] + edges[:-1]) / 2, rtol=1e-5)
    lines = [shape["x0"] for shape in chart["layout"]["shapes"]]
    width = nv.default_width(IRIS.X)
    ends = [math.sqrt(np.percentile(SQUARES, percent)) for percent in (1, 50, 99)]
    # Farahat's 10 lies beyond the flowers' distances.
    assert lines == pytest.approx(sorted([math.sqrt(width / 2), math.sqrt(width / 8), *ends]))
    sigma = math.sqrt(width / 2)
    np.testing.assert_allclose(
        curve["y"], np.exp(-np.square(curve["x"]) / (2 * sigma**2)), rtol=1e-4, atol=1e-6
    )


def test_every_set_has_a_card_which_filter_and_search_find():
    at = opened(data_where="all")
    known = nv.catalog()
    assert len(cards(at)) == len(known)
    for card in known:
        assert any(f"<b>{card.title}</b>" in body for body in cards(at))
    away = [card for card in known if not card.on_disk and "Zhang 2008" in card.papers]
    bodies = cards(opened(data_papers="Zhang 2008"))
    assert len(bodies) == len(away) > 3
    for card, body in zip(away, bodies, strict=True):
        assert card.source in body or "&" in card.source
        assert (f"python -m nysviz fetch {card.name}" in body) == bool(card.addresses)
    for text in ("flowers", "150 × 4"):
        (body,) = cards(opened(data_where="all", data_search=text))
        assert f"<b>{IRIS.title}</b>" in body
    found = cards(opened(data_where="all", data_search="zhang"))
    assert len(found) == sum("Zhang" in card.paper for card in known)


def test_a_card_s_button_takes_its_data():
    at = start(data=IRIS.title, data_where="at hand")
    at.switch_page("../../pages/data.py")
    at = settle(at)
    at.button(key="data_use_wine").click()
    at = settle(at)
    assert at.selectbox(key="data").value == "wine" and at.button(key="data_use_wine").disabled
    assert "n = 178" in charts(at)["distances"]["layout"]["title"]["subtitle"]["text"]
    pictures = [block.proto.body for block in at.get("html") if "data:image/png" in block.proto.body]
    assert len(pictures) == sum(card.on_disk for card in nv.catalog())


def test_a_fetch_that_fails_says_so_and_the_page_stays(monkeypatch):
    def fetch(name, data_folder=None, progress=None):
        progress(name, 10, 100)
        raise Refusal("The archive of *german* is silent; try again later.")

    monkeypatch.setattr("nysviz.ui.data.cards.fetch", fetch)
    at = opened(data_papers="Zhang 2008")
    card = next(card for card in nv.catalog() if card.addresses and "Zhang 2008" in card.papers)
    at.button(key=f"data_fetch_{card.name}").click()
    at = settle(at)
    assert [error.value for error in at.error] == [r"The archive of \*german\* is silent; try again later."]
    assert set(charts(at)) == {"distances", "trials"}


def test_the_suggested_settings_go_along_to_the_page_approximate():
    at = start(data=IRIS.title, data_where="to be fetched")
    at.switch_page("../../pages/data.py")
    at = settle(at)
    at.select_slider(key="data_target").set_value(0.02)
    at = settle(at)
    sigma = number(re.search(r"σ = ([^*]+)\*\*", shown_answer(at)).group(1))
    m = int(re.search(r"\*\*(\d+) landmarks", shown_answer(at)).group(1))
    at = follow(follow(at, "Take these"), "Approximate")
    assert at.selectbox(key="method").value == "rpcholesky"
    multiple = at.select_slider(key="bandwidth").value
    assert math.sqrt(multiple * nv.default_width(IRIS.X) / 2) == pytest.approx(sigma, rel=6e-3)
    assert m <= m_of(at) <= 1.5 * m
