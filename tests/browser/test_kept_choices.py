"""What a visitor has chosen outlives the pages and views that have no control for it, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving import calm, choose, menu, no_exception, parameters, slider
from tests.browser.test_share import DATA, TITLES, to

pytestmark = pytest.mark.slow


def box(page, label):
    return page.get_by_test_id("stSelectbox").get_by_role("combobox", name=label, exact=True)


def has_kernel(page):
    expect(box(page, "Kernel")).to_have_value("Laplacian")
    expect(slider(page, "Bandwidth")).to_have_attribute("aria-valuetext", "2 times")


def test_the_kernel_outlives_pages_that_have_their_own(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times")
    calm(page)
    to(page, "Lift")
    expect(page.get_by_test_id("stSidebar").get_by_text("Gaussian kernel")).to_be_visible()
    expect(box(page, "Kernel")).to_have_count(0)
    # A step on that page and back again is none of the kernel's business.
    choose(page, "Show", "lift against rank")
    calm(page)
    menu(page, "More").get_by_role("button", name="Undo").click()
    expect(box(page, "Show")).to_have_value("lift against bandwidth")
    calm(page)
    to(page, "Tournament")
    to(page, "Approximate")
    has_kernel(page)
    # What is reset just after a change of page stays out of the address.
    choose(page, "Kernel", "Gaussian")
    page.wait_for_function("() => !location.search.includes('kernel=')")
    page.wait_for_timeout(1_500)
    assert "kernel" not in parameters(page) and "data" in parameters(page)
    no_exception(page)


def test_the_browsers_back_and_forward_keep_what_the_sidebar_holds(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times&seed=7")
    calm(page)
    for name in ("Spectrum", "Compare"):
        to(page, name)
        calm(page)
    # One step a page, each with all of its parameters.
    walk = (page.go_back, "spectrum"), (page.go_back, "approximate"), (page.go_forward, "spectrum")
    for go, name in walk:
        go()
        page.wait_for_url(re.compile(rf"/{name}\?.*seed=7"))
        calm(page)
        wanted = {"data": TITLES["iris"], "kernel": "Laplacian", "bandwidth": "2 times", "seed": "7"}
        assert parameters(page) == {key: [value] for key, value in wanted.items()}
        expect(box(page, "Data set")).to_have_value(TITLES["iris"])
        has_kernel(page)
        expect(page.get_by_role("spinbutton", name="Seed").first).to_have_value("7")
    no_exception(page)
