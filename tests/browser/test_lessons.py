"""A lesson walked in a browser: forward, back, hidden controls, and a step that was shared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageFactory
from tests.browser.driving import chart_expression, evaluate, no_exception, wait_for_value

PATIENCE = 90_000
SUBTITLE = chart_expression("map", "layout.title.subtitle.text")


def at_step(page: Page, number: int, title: str) -> None:
    """Wait until the bar names this step."""
    bar = page.locator(".st-key-lesson_bar")
    expect(bar.get_by_text(f"Lesson · step {number} of ")).to_be_visible(timeout=PATIENCE)
    expect(bar.get_by_text(title, exact=True)).to_be_visible(timeout=PATIENCE)


def press(page: Page, name: str) -> None:
    page.locator(".st-key-lesson_bar").get_by_role("button", name=name, exact=True).click()


def test_a_lesson_is_walked_forward_and_back(open_page: PageFactory) -> None:
    page = open_page("/lessons")
    row = page.locator(".st-key-lessons_start_3-greedy")
    row.get_by_role("button", name="Start").click(timeout=PATIENCE)
    at_step(page, 1, "An unlucky draw")
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


@pytest.mark.parametrize("path", ["/lessons?lesson=3-greedy&step=4", None])
def test_a_shared_step_opened_fresh_shows_the_step(open_page: PageFactory, path: str | None) -> None:
    first = open_page(path or "/lessons?lesson=3-greedy&step=4")
    at_step(first, 4, "No species is forgotten")
    wait_for_value(first, f"{SUBTITLE}?.startsWith('greedy, m = 8')", True)
    if path is None:
        # The address that the browser shows, as a lecturer copies it.
        shown = first.url[first.url.index("/approximate") :]
        second = open_page(shown)
        at_step(second, 4, "No species is forgotten")
        wait_for_value(second, f"{SUBTITLE}?.startsWith('greedy, m = 8')", True)
        no_exception(second)
    no_exception(first)


@pytest.mark.parametrize("width", [390, 1400])
def test_the_bar_is_above_the_chart_and_within_the_screen(open_page: PageFactory, width: int) -> None:
    page = open_page("/lessons?lesson=1-low-rank&step=5", width=width, scheme="dark")
    at_step(page, 5, "The best there is")
    wait_for_value(page, f"{SUBTITLE}?.startsWith('best rank m')", True)
    bar = page.locator(".st-key-lesson_bar").bounding_box()
    chart = page.locator(".st-key-map .js-plotly-plot").bounding_box()
    assert bar is not None and chart is not None
    assert bar["y"] + bar["height"] <= chart["y"]
    assert bar["x"] >= 0 and bar["x"] + bar["width"] <= width
    assert evaluate(page, "document.documentElement.scrollWidth") <= width


def test_the_buttons_take_the_keyboard(open_page: PageFactory) -> None:
    page = open_page("/lessons?lesson=1-low-rank&step=5")
    at_step(page, 5, "The best there is")
    page.locator(".st-key-lesson_bar").get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    at_step(page, 6, "Almost the best, without the eigenpairs")
    page.locator(".st-key-lesson_bar").get_by_role("button", name="Back", exact=True).focus()
    page.keyboard.press("Space")
    at_step(page, 5, "The best there is")


def test_an_own_lesson_is_sent_and_shown(open_page: PageFactory, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'title = "Mine"\nabout = "A"\n[[step]]\ntitle = "Only"\npage = "data"\nhidden = ["sidebar"]\n'
        'text = "See [the spectrum](spectrum?bandwidth=4)."\n'
    )
    page = open_page("/lessons")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file, timeout=PATIENCE)
    page.locator(".st-key-lessons_start_own").get_by_role("button", name="Start").click(timeout=PATIENCE)
    at_step(page, 1, "Only")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    link = page.locator(".st-key-lesson_bar").get_by_role("link", name="the spectrum")
    assert str(link.evaluate("e => e.href")).endswith("/spectrum?bandwidth=4")
    assert str(link.evaluate("e => new URL(e.href).host")) == page.url.split("/")[2]
