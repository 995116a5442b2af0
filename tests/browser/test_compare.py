"""The page Compare in a real browser: curves sharpen, Stop keeps what is there, Go on ends the run."""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np
from playwright.sync_api import Page, expect

import nysviz as nv
from tests.browser.conftest import PageFactory
from tests.browser.driving import (
    chart_data,
    chart_expression,
    choose,
    evaluate,
    no_exception,
    wait_for_change,
    wait_for_value,
)

TITLES = {card.name: card.title for card in nv.catalog()}
# Long enough to be stopped: some 500 spectral norms of a matrix with 1 000 rows.
LONG = f"/compare?data={quote(TITLES['swiss_roll'])}&compare_norm=spectral&compare_repeats=50"
# The numbers of one line of the chart, those of k-means.
KMEANS = "nysviz.plain(nysviz.chartOf('compare')?.data.find(t => t.name === 'k-means centres')?.y)"


def runs(page: Page) -> int:
    """Return how many runs the subtitle of the chart speaks of."""
    text = evaluate(page, chart_expression("compare", "layout.title.subtitle.text"))
    return int(re.search(r"of (\d+) runs", text).group(1))  # type: ignore[union-attr]


def test_a_run_is_drawn_as_it_goes_stopped_and_resumed(open_page: PageFactory) -> None:
    page = open_page(LONG)
    chart_data(page, "compare")
    progress = page.get_by_test_id("stProgress")
    expect(progress).to_have_count(1)
    expect(progress).to_contain_text(re.compile(r"\d+ of \d+, .* left"))
    first = wait_for_change(page, KMEANS, None)
    assert wait_for_change(page, KMEANS, first) != first  # the mean moves as repeats come in
    page.get_by_role("button", name="Stop", exact=True).last.click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(progress).to_have_count(0)
    expect(page.get_by_text(re.compile(r"Stopped: Runs, \d+ of \d+ are there"))).to_be_visible()
    kept = evaluate(page, KMEANS)
    assert len(kept) > 1 and 1 <= runs(page) < 50
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Go on")).to_have_count(0)
    wait_for_change(page, KMEANS, kept)
    # The rest in a moment: fewer repeats are a part of what is there already.
    choose(page, "Repeats", "3")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    assert runs(page) == 3
    no_exception(page)


def test_the_page_opened_by_a_link_stands_in_the_menu_of_the_app(open_page: PageFactory) -> None:
    page = open_page(f"/compare?data={quote(TITLES['iris'])}&compare_repeats=3")
    chart_data(page, "compare")
    page.get_by_test_id("stTopNavSection").get_by_text("The papers", exact=True).click()
    menu = page.get_by_test_id("stTopNavPopoverBody")
    expect(menu.get_by_text("Compare", exact=True)).to_be_visible()
    expect(menu.get_by_text("Two balls", exact=True)).to_be_visible()
    expect(menu.get_by_text("two balls", exact=True)).to_have_count(0)


def test_views_scales_and_a_phone(open_page: PageFactory) -> None:
    page = open_page(f"/compare?data={quote(TITLES['iris'])}&compare_repeats=3", width=390)
    settled = page.get_by_test_id("stProgress")
    before = chart_data(page, "compare")["layout"]["yaxis"]["title"]["text"]
    assert before.startswith("relative Frobenius error")
    expect(settled).to_have_count(0)
    axis = chart_expression("compare", "layout.yaxis.title.text")
    choose(page, "Scale", "times the best possible")
    wait_for_value(page, axis, "Frobenius error, times the best of rank m")
    lines = {trace.get("name"): trace for trace in chart_data(page, "compare")["data"]}
    np.testing.assert_allclose(lines["best rank m (SVD)"]["y"], 1.0, rtol=1e-6)
    choose(page, "Show", "kernel evaluations against m / n")
    wait_for_value(page, axis, "kernel evaluations / n²")
    expect(settled).to_have_count(0)
    assert evaluate(page, "document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    no_exception(page)
