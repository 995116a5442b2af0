"""A control moved while a run is being drawn: the old drawing must not get in the way of the new one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PageFactory
from tests.browser.driving import chart_data, no_exception

# Each page with a run of some seconds, the key of its chart, and the label of a control beside it.
PAGES = {
    "compare": ("/compare?compare_norm=spectral&compare_repeats=20", "compare", "Repeats"),
    "quantization": ("/quantization", "quantization_map", "Runs of each method"),
    "lift": ("/lift", "lift", "Show"),
    "learning": (
        "/learning?learning_view=Nystr%C3%B6m+against+random+features",
        "learning_features",
        "Numbers at m",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_control_moved_during_a_run(open_page: PageFactory, name: str) -> None:
    path, chart, label = PAGES[name]
    page = open_page(path)
    main = page.get_by_test_id("stMain")
    expect(main.locator(".js-plotly-plot").first).to_be_visible()
    slider = main.get_by_role("slider", name=label)
    box = main.get_by_role("combobox", name=label)
    for _ in range(2):
        expect(slider.or_(box).first).to_be_visible()
        if slider.count():
            slider.first.focus()
            page.keyboard.press("ArrowRight")
        else:
            box.first.click()
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        page.wait_for_timeout(1_500)  # a few polls of the run that has begun
    chart_data(page, chart)
    no_exception(page)
