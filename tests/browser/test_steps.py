"""The page Step by step in a browser: its player, its keys, its speed, and what it keeps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving import no_exception

# All charts that the player plays show the step that it names.
TOGETHER = """() => {
  const charts = [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout?.meta?.film);
  const token = new Set(charts.map(c => c.layout.meta.film)), step = window.nysvizSteps?.step;
  return charts.length >= 4 && token.size === 1 && charts.every(c => c.data[0].meta === step) && step; }"""

FILM = "document.querySelector('.st-key-steps_map_0 .js-plotly-plot')?.layout?.meta?.film"


def opened(open_page, query="steps_count=60"):
    page = open_page(f"/steps?data=Iris+flowers&{query}")
    page.wait_for_function(TOGETHER)
    return page


def together(page):
    """Wait until every chart shows the player's step, and return it."""
    return int(page.wait_for_function(TOGETHER).json_value())


def test_keys_step_play_and_pause(open_page):
    page = opened(open_page, "steps_count=12")
    start, first = together(page), page.locator(".why").inner_text()
    page.keyboard.press("ArrowRight")
    assert together(page) == start + 1 == int(page.locator(".where").inner_text().split("/")[0])
    assert page.locator(".why").inner_text() != first
    page.keyboard.press("ArrowLeft")
    assert together(page) == start and page.locator(".why").inner_text() == first
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function(f"() => window.nysvizSteps.step > {start}")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert together(page) > start
    no_exception(page)


@pytest.mark.slow
def test_the_step_is_kept_when_the_sidebar_changes_while_it_plays_and_by_the_link(open_page):
    page = opened(open_page, "steps_count=60&steps_at=30")
    assert together(page) == 30
    before = page.evaluate(FILM)
    page.get_by_role("button", name="Play", exact=True).click()
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.fill("5")
    seed.press("Enter")
    page.wait_for_function(f"old => {{ const now = {FILM}; return now && now !== old; }}", arg=before)
    # It goes on from where it was, in the new charts.
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Step forward").click()
    at = together(page)
    assert at > 30
    page.wait_for_url(re.compile(f"steps_at={at}(&|$)"))
    page.reload()
    page.wait_for_function(TOGETHER)
    assert together(page) == at and "seed=5" in page.url
    no_exception(page)
