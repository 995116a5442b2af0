"""What a click on the page "Recommend" changes beyond the page's own part, in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import PageFactory
from tests.browser.driving import no_exception
from tests.browser.test_share import DATA, PATIENCE, calm, menu


def test_a_bandwidth_that_is_taken_is_that_of_the_sidebar_and_of_the_address(open_page: PageFactory) -> None:
    page = open_page(
        f"/recommend?{DATA}&recommend_methods=randomly+pivoted+Cholesky&recommend_target=0.01&bandwidth=0.0312"
    )
    calm(page)
    answer = page.get_by_test_id("stMain").get_by_text(re.compile("^(Take|No) ")).first
    before = answer.inner_text()
    button = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("Take σ"))
    expect(button).to_be_visible(timeout=PATIENCE)
    told = re.search(r"σ = ([\d.]+)", button.inner_text())
    assert told is not None
    button.click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text(f"σ = {told[1]}", timeout=PATIENCE)
    page.wait_for_url(lambda url: "bandwidth=0.0312" not in url and "bandwidth=" in url, timeout=PATIENCE)
    expect(answer).not_to_have_text(before, timeout=PATIENCE)
    calm(page)
    # One step of the visitor's: it can be undone, and done again.
    menu(page, "More").get_by_role("button", name="Undo").click()
    page.wait_for_url(re.compile(r"bandwidth=0\.0312(&|$)"), timeout=PATIENCE)
    expect(sidebar).not_to_contain_text(f"σ = {told[1]}", timeout=PATIENCE)
    no_exception(page)
