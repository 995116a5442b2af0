"""A lesson walked in a browser: forward, back, hidden controls, and a step that was shared."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.driving import chart_expression, no_exception, wait_for_value

PATIENCE = 90_000
SUBTITLE = chart_expression("map", "layout.title.subtitle.text")


def at_step(page, number, title):
    """Wait until the bar names this step."""
    bar = page.locator(".st-key-lesson_bar")
    expect(bar.get_by_text(f"Lesson · step {number} of ")).to_be_visible(timeout=PATIENCE)
    expect(bar.get_by_text(title, exact=True)).to_be_visible(timeout=PATIENCE)


def press(page, name):
    page.locator(".st-key-lesson_bar").get_by_role("button", name=name, exact=True).click()


def test_a_lesson_is_walked_forward_and_back(open_page):
    page = open_page("/lessons")
    row = page.locator(".st-key-lessons_start_3-greedy")
    row.get_by_role("button", name="Start").click(timeout=PATIENCE)
    at_step(page, 1, "A draw that misses a species")
    page.wait_for_url(re.compile(r"/approximate\?.*lesson=3-greedy&step=1"))
    # The method is hidden, m / n is not.
    expect(page.get_by_role("slider", name="Landmarks m / n")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("combobox", name="Method")).to_be_hidden()
    wait_for_value(page, f"{SUBTITLE}?.startsWith('uniform sampling, m = 8')", True)
    assert page.get_by_role("progressbar", name="Steps of the lesson").get_attribute("aria-valuenow") == "1"

    page.get_by_role("slider", name="Landmarks m / n").press("ArrowRight")
    wait_for_value(page, f"{SUBTITLE}?.startsWith('uniform sampling, m = 9')", True)
    press(page, "This step again")
    wait_for_value(page, f"{SUBTITLE}?.startsWith('uniform sampling, m = 8')", True)

    press(page, "Next")
    at_step(page, 2, "A usual draw")
    expect(page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)).to_have_value("4")
    press(page, "Next")
    at_step(page, 3, "Look before you pick")
    page.wait_for_url(re.compile(r"/steps\?.*step=3"))
    press(page, "Back")
    at_step(page, 2, "A usual draw")
    expect(page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)).to_have_value("4")
    press(page, "Leave")
    expect(page.locator(".st-key-lesson_bar")).to_have_count(0)
    assert "lesson=" not in page.url and "/approximate" in page.url
    expect(page.get_by_role("combobox", name="Method")).to_be_visible()
    no_exception(page)


@pytest.mark.slow
def test_a_shared_step_opened_fresh_shows_the_step(open_page):
    path = "/lessons?lesson=3-greedy&step=4"
    for _ in range(2):
        page = open_page(path)
        at_step(page, 4, "No species is forgotten")
        wait_for_value(page, f"{SUBTITLE}?.startsWith('greedy, m = 8')", True)
        no_exception(page)
        # The address that the browser shows, as a lecturer copies it.
        path = page.url[page.url.index("/approximate") :]
