"""The page Approximate on many rows in a real browser: a stopped computation stays stopped, and goes on."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import expect

import nysviz as nv
from tests.browser.conftest import PageFactory
from tests.browser.driving import no_exception

TITLE = next(card.title for card in nv.catalog() if card.name == "clusters")
# K-means with 2 000 centres takes long enough for a hand to reach the button.
LINK = f"/approximate?data={quote(TITLE)}&clusters_n=60000&clusters_d=54&ratio=2+%25"
PATIENCE = 90_000


def test_an_approximation_of_many_rows_is_stopped_and_goes_on(open_page: PageFactory) -> None:
    page = open_page(LINK)
    # Streamlit's own button of this name, at the top of the page, ends the script and not the computation.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click(timeout=PATIENCE)
    told, go_on = page.get_by_text("Stopped: k-means centres"), page.get_by_role("button", name="Go on")
    expect(told).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE)
    # It is not begun again by the page itself.
    page.wait_for_timeout(3_000)
    expect(told).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    go_on.click()
    expect(told).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_test_id("stProgress").first).to_be_visible(timeout=PATIENCE)
    no_exception(page)
