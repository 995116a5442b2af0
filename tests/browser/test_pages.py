"""A run that goes on while a control moves, Stop and Go on in a real browser."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.driving import (
    chart_data,
    chart_expression,
    choose,
    no_exception,
    wait_for_change,
    wait_for_value,
)
from tests.browser.test_share import TITLES

pytestmark = pytest.mark.slow

# Long enough to be stopped: some 500 spectral norms of a matrix with 1 000 rows.
LONG = f"/compare?data={quote(TITLES['swiss_roll'])}&compare_norm=spectral&compare_repeats=50"
# The numbers of one line of the chart, those of k-means.
KMEANS = "nysviz.plain(nysviz.chartOf('compare')?.data.find(t => t.name === 'k-means centres')?.y)"
SUBTITLE = chart_expression("compare", "layout.title.subtitle.text")


def runs(page):
    """Return how many runs the subtitle of the chart speaks of."""
    text = wait_for_change(page, SUBTITLE, None)
    return int(re.search(r"of (\d+) runs", text).group(1))  # type: ignore[union-attr]


def test_a_run_is_drawn_as_it_goes_stopped_and_resumed(open_page):
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
    kept = wait_for_change(page, KMEANS, None)
    assert len(kept) > 1 and 1 <= runs(page) < 50
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Go on")).to_have_count(0)
    wait_for_change(page, KMEANS, kept)
    # The rest in a moment: fewer repeats are a part of what is there already.
    page.get_by_role("button", name="Axes, repeats").click()
    choose(page, "Repeats", "3")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    wait_for_value(page, f"{SUBTITLE}?.includes('of 3 runs')", True)
    no_exception(page)
