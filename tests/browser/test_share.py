"""Links, steps back, bookmarks and the presentation view in a real browser, on the pages as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

import nysviz as nv
from tests.browser.driving import (
    WAIT_SECONDS,
    choose,
    evaluate,
    no_exception,
    open_from_menu,
    set_slider,
    wait_for_value,
)
from tests.pairing import quickly

TITLES = {card.name: card.title for card in nv.catalog()}
DATA = f"data={quote(TITLES['iris'])}"
PATIENCE = WAIT_SECONDS * 1000
# Every chart that is drawn, by its key.
CHARTS = """Object.fromEntries([...document.querySelectorAll('.js-plotly-plot')].map(chart =>
  [[...chart.closest('[class*=st-key-]').classList].find(name => name.startsWith('st-key-')),
   nysviz.plain({data: chart.data, title: chart.layout.title?.text, x: chart.layout.xaxis?.range})]))"""
# Nothing runs, nothing is in progress, every chart is drawn, and all that for a while.
CALM = """() => {
  const drawn = [...document.querySelectorAll('.js-plotly-plot')].filter(chart => chart.data).length;
  const busy = !document.querySelector('[data-test-script-state=notRunning]')
    || document.querySelector('[data-testid=stProgress], [data-stale=true], [data-testid=stSkeleton]')
    || drawn !== document.querySelectorAll('[data-testid=stPlotlyChart]').length;
  if (busy) window.nysvizCalm = performance.now();
  return performance.now() - (window.nysvizCalm ??= performance.now()) > 1200; }"""


def calm(page):
    page.wait_for_selector("[data-testid=stApp] h2", timeout=PATIENCE)
    page.evaluate("delete window.nysvizCalm")
    page.wait_for_function(CALM, timeout=PATIENCE, polling=100)


def charts(page):
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.data", timeout=PATIENCE)
    calm(page)
    found: dict[str, Any] = evaluate(page, CHARTS)
    return found


def shows(page, expected):
    """Wait until exactly these charts are drawn."""
    wait_for_value(page, CHARTS, expected, timeout=PATIENCE / 1000)


def parameters(page):
    return parse_qs(urlsplit(page.url).query)


def menu(page, name):
    """Open one of the two menus beside the question, if it is closed; return what is in it."""
    # The words of help of the button that was pressed last may lie over the next one.
    page.mouse.move(700, 890)
    button = page.get_by_test_id("stMain").get_by_role("button", name=name)
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    return page.get_by_test_id("stPopoverBody")


@pytest.fixture
def elsewhere(chromium, server):
    """Opens a link in a browser that knows nothing of the first one."""
    context = chromium.new_context(viewport={"width": 1400, "height": 900})

    def opened(link):
        page = context.new_page()
        page.goto(link)
        return page

    yield opened
    context.close()


def approximate(page):
    choose(page, "Method", "uniform sampling")
    page.get_by_role("button", name="Axes and order").click()
    choose(page, "Axes of the map", "two features")
    choose(page, "y", "3: petal width (cm)")
    page.keyboard.press("Escape")
    calm(page)
    page.locator(".st-key-strip .slider-rail-touch-rect").click(position={"x": 30, "y": 5}, force=True)


def to(page, name):
    """Go to a page by the menu at the top."""
    open_from_menu(page, name)
    page.wait_for_url(re.compile(f"/{name.lower()}"))
    calm(page)


def segment(page, option):
    page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").get_by_text(option, exact=True).click()


def quantization(page):
    set_slider(page, "Landmarks m / n", 1)
    calm(page)
    points = page.locator(".st-key-quantization_runs_chart g.trace.scatter").first.locator("path.point")
    points.nth(3).click(force=True)


# What a page starts from, what is changed on it with the mouse, and parameters that its link must then have:
# a strip that is dragged in the browser alone, a point that is clicked, a page without the sidebar. That the
# other pages follow their links is checked without a browser.
CHANGES: dict[str, tuple[str, Callable[[Page], Any], set[str]]] = {
    "approximate": (DATA, approximate, {"data", "method", "axes", "map_y", "bandwidth"}),
    "quantization": (
        f"{DATA}&quantization_runs=20&quantization_methods={quote('uniform sampling')}"
        f"&quantization_methods={quote(nv.METHODS['kmeanspp'].label)}",
        quantization,
        {"ratio", "quantization_run", "quantization_methods", "quantization_runs"},
    ),
    "tournament": (
        f"tournament_percents={quote('5 %')}",
        lambda page: segment(page, "what predicts the error"),
        {"tournament_third", "tournament_percents"},
    ),
}


@pytest.mark.parametrize("name", quickly(("approximate",), CHANGES))
def test_a_link_copied_after_changes_shows_the_same_picture_elsewhere(open_page, elsewhere, name):
    start, change, expected = CHANGES[name]
    page = open_page(f"/{name}?{start}")
    before = charts(page)
    if page.get_by_test_id("stSlider").get_by_role("slider", name="Bandwidth").count():
        set_slider(page, "Bandwidth", 2)
        calm(page)
    change(page)
    here = charts(page)
    assert here and here != before
    assert expected <= set(parameters(page))
    menu(page, "Share").get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = page.get_by_label("Link to this page as it is now").input_value()
    # What was dragged in the browser alone is in the link only.
    assert link.startswith(page.url) and ("approximate_strip" in link) == (name == "approximate")
    there = elsewhere(link)
    calm(there)
    # What comes last on a busy machine is here by now as well.
    shows(there, charts(page))
    assert parameters(page).items() <= parameters(there).items()
    no_exception(there)


@pytest.mark.slow
def test_undo_and_reset_take_back_what_was_changed_inside_a_fragment(open_page):
    page = open_page(f"/approximate?{DATA}&method={quote('uniform sampling')}&kernel=Laplacian")
    seen = [charts(page)]
    for change in (
        lambda: choose(page, "Method", "farthest points"),
        lambda: set_slider(page, "Bandwidth", -1),
    ):
        change()
        seen.append(charts(page))
    assert len({str(one["st-key-map"]) for one in seen}) == 3
    for earlier in reversed(seen[:-1]):
        menu(page, "More").get_by_role("button", name="Undo").click()
        shows(page, earlier)
    assert parameters(page) == {
        "data": [TITLES["iris"]],
        "method": ["uniform sampling"],
        "kernel": ["Laplacian"],
    }
    menu(page, "More").get_by_role("button", name="Redo").click()
    shows(page, seen[1])
    menu(page, "More").get_by_role("button", name="Reset").click()
    page.wait_for_url(re.compile(r"\?data=[^&]*$"))
    assert parameters(page) == {"data": [TITLES["iris"]]}
    no_exception(page)


@pytest.mark.slow
def test_evidence_opens_in_its_state_within_a_session_of_other_settings(open_page):
    page = open_page(f"/spectrum?{DATA}&kernel=Laplacian&seed=5")
    calm(page)
    to(page, "Compare")
    choose(page, "Show", "error against seconds")
    calm(page)
    to(page, "Claims")
    claim = page.locator("details[data-parameter=claims_open]").nth(4)
    claim.locator("summary").click(timeout=PATIENCE)
    page.wait_for_url(re.compile(r"claims_open=" + (claim.get_attribute("data-value") or "")))
    calm(page)
    expect(claim).to_have_attribute("open", "")
    link = page.locator("a.nysviz-state[href^='compare?']").first
    wanted = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    link.click()
    page.wait_for_url(re.compile(r"/compare\?"))
    calm(page)
    assert parameters(page) == wanted
    expect(page.get_by_test_id("stSelectbox").get_by_role("combobox", name="Kernel")).to_have_value(
        "Gaussian"
    )
    page.go_back()
    page.wait_for_url(re.compile(r"/claims\?.*claims_open="))
    expect(claim).to_have_attribute("open", "", timeout=PATIENCE)
    no_exception(page)


@pytest.mark.slow
def test_bookmarks_are_saved_loaded_and_opened_elsewhere(open_page, elsewhere, tmp_path):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian")
    calm(page)
    address = page.url
    name = "<b>mine</b> $x$ **y** :red[z]"
    menu(page, "More").get_by_text("Bookmarks", exact=True).click()
    for typed in (name, "second"):
        body = menu(page, "More")
        body.get_by_label("Name of this state").fill(typed)
        body.get_by_label("Name of this state").press("Enter")
        body.get_by_role("button", name="Add", exact=True).click()
        expect(body.get_by_role("button", name=typed, exact=True)).to_be_visible()
        calm(page)
    body.get_by_role("button", name="Remove second").click()
    expect(body.get_by_role("button", name="second", exact=True)).to_have_count(0)
    with page.expect_download() as waiting:
        body.get_by_role("button", name="Save all as a file").click()
    saved = tmp_path / "bookmarks.json"
    waiting.value.save_as(saved)
    there = elsewhere(urlsplit(address)._replace(path="/two_balls", query="balls_n=500").geturl())
    calm(there)
    body = menu(there, "More")
    body.get_by_text("Bookmarks", exact=True).click()
    body.locator("input[type=file]").set_input_files(saved)
    opened = body.get_by_role("button", name=name, exact=True)
    opened.click()
    there.wait_for_url(re.compile(r"/approximate\?"))
    calm(there)
    assert parameters(there) == parameters(page)
    no_exception(there)


@pytest.mark.slow
def test_the_presentation_view_is_large_and_is_left_by_a_key(open_page):
    page = open_page(f"/spectrum?{DATA}")
    small = charts(page)
    menu(page, "More").get_by_role("button", name="Presentation view").click()
    page.wait_for_url(re.compile("presentation=on"))
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    calm(page)
    page.keyboard.press("Escape")  # closes the menu, and nothing more
    large = charts(page)
    assert parameters(page)["presentation"] == ["on"]
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    sizes = evaluate(
        page, "[...document.querySelectorAll('.xtick text')].map(t => parseFloat(t.style.fontSize))"
    )
    assert min(sizes) >= 16
    assert evaluate(page, "parseFloat(getComputedStyle(document.documentElement).fontSize)") >= 24
    assert evaluate(page, "document.querySelector('[data-testid=stMain]').scrollWidth") <= 1400
    assert [trace["y"] for trace in large["st-key-spectrum"]["data"]] == [
        trace["y"] for trace in small["st-key-spectrum"]["data"]
    ]
    page.locator("body").press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    shows(page, small)
    assert "presentation" not in parameters(page)
    # And it is left from a control too.
    page = open_page(f"/approximate?{DATA}&presentation=on")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    calm(page)
    page.get_by_test_id("stMain").get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    calm(page)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "presentation" not in parameters(page)


@pytest.mark.slow
def test_a_link_is_copied_without_the_clipboard_of_https(open_page):
    page = open_page("/two_balls?balls_n=500")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.reload()
    calm(page)
    button = menu(page, "Share").get_by_role("button", name="Copy link")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Copied.")).to_be_visible()
    page.keyboard.press("Escape")
    body = menu(page, "More")
    body.get_by_text("Bookmarks", exact=True).click()
    field = body.get_by_label("Name of this state")
    field.press("Control+V")
    expect(field).to_have_value(re.compile(r"^http://.*/two_balls\?balls_n=500$"))


@pytest.mark.slow
def test_what_is_reset_just_after_a_change_of_page_stays_out_of_the_address(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian")
    calm(page)
    to(page, "Spectrum")
    page.wait_for_url(re.compile("kernel=Laplacian"))
    choose(page, "Kernel", "Gaussian")
    page.wait_for_function("() => !location.search.includes('kernel=')")
    page.wait_for_timeout(1500)
    assert "kernel" not in parameters(page) and "data" in parameters(page)
