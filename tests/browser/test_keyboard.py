"""A control moved to and fro by the keyboard, faster than pages are drawn: the page and its file survive."""

import itertools

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.driving import calm, choose, no_exception, slider
from tests.pairing import quickly

PAGES = ("approximate", "spectrum", "kernel_pca", "quantization")
ROUNDS = 3
# Milliseconds between keys: some come before the answer to the last one, some after it.
PAUSES = (150, 250, 400, 200, 350)


def a_file():
    """Two clusters of 150 points, as CSV."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((150, 4)) + 4 * rng.integers(0, 2, 150)[:, None]
    return ("a,b,c,d\n" + "\n".join(",".join(f"{x:.4f}" for x in row) for row in rows)).encode()


@pytest.mark.parametrize("name", quickly(("approximate",), PAGES))
def test_keys_faster_than_the_page_leave_it_alive_with_its_file(open_page, name):
    page = calm(open_page(f"/{name}?data=Iris+flowers"))
    choose(page, "Data", "Your own file")
    box = page.get_by_test_id("stFileUploaderDropzoneInput")
    box.set_input_files({"name": "points.csv", "mimeType": "text/csv", "buffer": a_file()})
    page.get_by_role("dialog").get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("stSidebar").get_by_text("150 × 4")).to_be_visible()
    pauses = itertools.cycle(PAUSES)
    slider(page, "Bandwidth").focus()
    for key in ROUNDS * (4 * ["ArrowRight"] + 4 * ["ArrowLeft"]):
        page.keyboard.press(key)
        page.wait_for_timeout(next(pauses))
    # A dead page says so at once and is never calm again.
    page.wait_for_timeout(2_000)
    assert page.get_by_text("Connection error").count() == 0
    calm(page)
    expect(page.get_by_test_id("stSidebar").get_by_text("150 × 4")).to_be_visible()
    no_exception(page)
