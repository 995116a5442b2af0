"""What a visitor has chosen outlives the pages and views that have no control for it, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving import calm, choose, menu, no_exception, parameters, slider
from tests.browser.test_share import DATA, TITLES, to

pytestmark = pytest.mark.slow


def holds(page, label, option):
    box = page.get_by_test_id("stSelectbox").get_by_role("combobox", name=label, exact=True)
    expect(box).to_have_value(option)


def has_kernel(page):
    holds(page, "Kernel", "Laplacian")
    expect(slider(page, "Bandwidth")).to_have_attribute("aria-valuetext", "2 times")


def has_no_kernel(page):
    expect(page.get_by_test_id("stSidebar").get_by_text("Gaussian kernel")).to_be_visible()
    expect(page.get_by_test_id("stSelectbox").get_by_role("combobox", name="Kernel")).to_have_count(0)
    expect(slider(page, "Bandwidth")).to_have_count(0)


def test_the_kernel_outlives_pages_that_have_their_own(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times")
    calm(page)
    to(page, "Lift")
    has_no_kernel(page)
    # A step on that page and back again is none of the kernel's business.
    choose(page, "Show", "lift against rank")
    calm(page)
    menu(page, "More").get_by_role("button", name="Undo").click()
    holds(page, "Show", "lift against bandwidth")
    calm(page)
    to(page, "Tournament")
    to(page, "Approximate")
    has_kernel(page)
    no_exception(page)


def test_the_browsers_back_and_forward_keep_what_the_sidebar_holds(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times&seed=7")
    calm(page)
    for name in ("Spectrum", "Compare"):
        to(page, name)
        calm(page)
    # One step a page, each with all of its parameters.
    for go, name in (
        (page.go_back, "spectrum"),
        (page.go_back, "approximate"),
        (page.go_forward, "spectrum"),
    ):
        go()
        page.wait_for_url(re.compile(rf"/{name}\?.*seed=7"))
        calm(page)
        assert parameters(page) == {
            "data": [TITLES["iris"]],
            "kernel": ["Laplacian"],
            "bandwidth": ["2 times"],
            "seed": ["7"],
        }
        holds(page, "Data set", TITLES["iris"])
        has_kernel(page)
        expect(page.get_by_role("spinbutton", name="Seed").first).to_have_value("7")
    no_exception(page)
