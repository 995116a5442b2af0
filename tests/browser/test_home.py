"""The first page in a browser: the film plays by itself and is stepped through without the server."""

import pytest
from playwright.sync_api import expect

from tests.browser.driving import (
    calm,
    chart_expression,
    evaluate,
    no_exception,
    open_from_menu,
    wait_for_value,
)
from tests.browser.watching import Watched

M = chart_expression("home_error", "data[2].x[0]")
LANDMARKS = chart_expression("home_map", "data[1].x") + "?.length"
STEP = "window.nysvizHome?.step"


def test_it_plays_by_itself_stops_when_told_and_asks_nothing_of_the_server(context, server):
    watched = Watched(context, server.url)
    page = watched.page
    page.wait_for_function(f"() => {STEP} >= 2")
    page.get_by_role("button", name="Pause").click()
    step = evaluate(page, STEP)
    wait_for_value(page, M, step)
    wait_for_value(page, LANDMARKS, step)
    calm(page)  # longer than a step of the film
    assert evaluate(page, STEP) == step
    sent = len(watched.sent)
    jump = page.get_by_role("slider", name="Landmarks m", exact=True)
    for m in ("12", "1", "7"):
        jump.fill(m)
        wait_for_value(page, M, int(m))
        wait_for_value(page, LANDMARKS, int(m))
        expect(page.get_by_text(f"m = {m}: ")).to_be_visible()
    assert len(watched.sent) == sent
    assert watched.foreign == [] and watched.complaints == []
    no_exception(page)
    page.close()


@pytest.mark.slow
def test_a_link_takes_its_data_along_from_home(context, server):
    page = context.new_page()
    page.goto(f"{server.url}/?data=Iris+flowers&bandwidth=2&seed=5")
    expect(page.locator(".js-plotly-plot")).to_have_count(4)
    open_from_menu(page, "Data")
    expect(page.locator(".st-key-seed input")).to_have_value("5")
    expect(page.locator(".st-key-data input").first).to_have_value("Iris flowers")
    page.wait_for_function("() => location.search.includes('data=Iris')")
    no_exception(page)
