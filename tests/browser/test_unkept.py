"""The sentence about what a link asks for in vain stays, and goes, with its control, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PageFactory
from tests.browser.driving import choose, no_exception, set_slider
from tests.browser.test_share import calm


def told(page: Page) -> Locator:
    return page.get_by_test_id("stAlert").filter(has_text="The link asks for")


def set_seed(page: Page, seed: int) -> None:
    field = page.get_by_test_id("stSidebar").get_by_role("spinbutton", name="Seed")
    field.fill(str(seed))
    field.press("Enter")


def test_the_sentence_goes_with_the_move_of_its_control_in_a_live_part(open_page: PageFactory) -> None:
    page = open_page("/approximate?data=Iris+flowers&ratio=m+%3D+3000")
    expect(told(page)).to_contain_text("m = 3000, which these data do not have; shown: 5 %.")
    calm(page)
    # The whole page is drawn anew, with the sentence at its top.
    set_seed(page, 3)
    expect(page).to_have_url(re.compile("seed=3"))
    calm(page)
    expect(told(page)).to_have_count(1)
    set_slider(page, "Landmarks m / n", 1)
    expect(told(page)).to_have_count(0)
    calm(page)
    no_exception(page)


@pytest.mark.parametrize(
    "link, words",
    [
        ("approximate?seed=inf", "seed = inf, which is not offered here; shown: 0."),
        ("spectrum?kernel=polynomial&degree=-inf&offset=1e999999", "degree = -inf"),
        (f"two_balls?balls_redundant={'9' * 400}", "balls redundant = 999"),
        (f"quantization?method=kmeans&seed={'1' * 5000}", "seed = 111"),
    ],
)
def test_what_no_control_can_read_leaves_the_address(open_page: PageFactory, link: str, words: str) -> None:
    page = open_page(f"/{link}&data=Iris+flowers")
    expect(told(page)).to_contain_text(words)
    calm(page)
    expect(page).not_to_have_url(re.compile("inf|1e999999|9999|1111"))
    expect(told(page)).to_have_count(1)
    no_exception(page)


@pytest.mark.parametrize("name", ["approximate", "compare"])
def test_the_sentence_stays_while_other_controls_are_moved(open_page: PageFactory, name: str) -> None:
    page = open_page(f"/{name}?data=Iris+flowers&seed=-1")
    expect(told(page)).to_contain_text("seed = -1, which is not offered here; shown: 0.")
    calm(page)
    if name == "approximate":
        choose(page, "Method", "uniform sampling")
    else:
        choose(page, "Error", "spectral")
    calm(page)
    expect(told(page)).to_have_count(1)
    set_seed(page, 4)
    expect(told(page)).to_have_count(0)
    calm(page)
    no_exception(page)
