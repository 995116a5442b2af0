"""A lesson walked in a browser: forward, back, hidden controls, and out of it."""

import re

from playwright.sync_api import expect

from tests.browser.driving import chart_expression, no_exception, wait_for_value

SUBTITLE = chart_expression("map", "layout.title.subtitle.text")


def at_step(page, number, title, subtitle):
    """Wait until the bar names this step, and the map its state."""
    bar = page.locator(".st-key-lesson_bar")
    expect(bar.get_by_text(f"Lesson · step {number} of ")).to_be_visible()
    expect(bar.get_by_text(title, exact=True)).to_be_visible()
    wait_for_value(page, f"{SUBTITLE}?.startsWith('{subtitle}')", True)


def press(page, name):
    page.locator(".st-key-lesson_bar").get_by_role("button", name=name, exact=True).click()


def test_a_lesson_is_walked_forward_and_back(open_page):
    page = open_page("/lessons?lesson=3-greedy&step=2")
    at_step(page, 2, "A usual draw", "uniform sampling, m = 8")
    page.wait_for_url(re.compile(r"/approximate\?.*lesson=3-greedy&step=2"))
    # The method is hidden, m / n is not.
    expect(page.get_by_role("combobox", name="Method")).to_be_hidden()
    assert page.get_by_role("progressbar", name="Steps of the lesson").get_attribute("aria-valuenow") == "2"
    expect(page.get_by_role("slider", name="Landmarks m / n")).to_be_visible()
    press(page, "Next")
    page.wait_for_url(re.compile(r"/steps\?.*step=3"))
    expect(page.locator(".st-key-lesson_bar").get_by_text("Look before you pick")).to_be_visible()
    press(page, "Back")
    at_step(page, 2, "A usual draw", "uniform sampling, m = 8")
    expect(page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)).to_have_value("4")
    press(page, "Leave")
    expect(page.locator(".st-key-lesson_bar")).to_have_count(0)
    assert "lesson=" not in page.url and "/approximate" in page.url
    expect(page.get_by_role("combobox", name="Method")).to_be_visible()
    no_exception(page)
