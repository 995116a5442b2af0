"""The page Approximate in a real browser: every control is moved and its effect read off a chart."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

import nysviz as nv
from tests.browser.driving import (
    chart_data,
    chart_expression,
    choose,
    evaluate,
    no_exception,
    set_slider,
    wait_for_change,
    wait_for_value,
)
from tests.browser.watching import Watched

KEYS = ("map", "picture_K", "picture_approximation", "picture_residual", "spectrum", "strip")
TITLES = {card.name: card.title for card in nv.catalog()}
IRIS = f"/approximate?data={quote(TITLES['iris'])}"
# Landmarks on the map: the last trace, whose halo comes before it.
LANDMARKS = chart_expression("map", "data.at(-1).x")


@pytest.fixture
def open_watched(server, context):
    """Open pages that must not talk to anyone but their server, nor report an error."""
    opened: list[Watched] = []

    def open_one():
        opened.append(Watched(context, server.url + IRIS))
        settled(opened[-1].page)
        return opened[-1]

    yield open_one
    for watched in opened:
        no_exception(watched.page)
        assert watched.foreign == []
        assert watched.complaints == []
        watched.page.close()


def settled(page):
    """Wait until every chart is drawn and nothing is left to compute."""
    for key in KEYS:
        chart_data(page, key)
    expect(page.get_by_test_id("stProgress")).to_have_count(0)


def moved(page, expression, act):
    """Do something and return the value that it brings."""
    old = evaluate(page, expression)
    act()
    return wait_for_change(page, expression, old)


def test_each_control_moves_its_chart(open_watched):
    page = open_watched().page
    K = chart_expression("picture_K", "data[0].z")
    spectrum = chart_expression("spectrum", "data[0].y")

    assert len(evaluate(page, LANDMARKS)) == 8
    entries = moved(page, K, lambda: choose(page, "Kernel", "Laplacian"))
    assert np.shape(entries) == (150, 150)
    before = evaluate(page, spectrum)
    after = moved(page, spectrum, lambda: set_slider(page, "Bandwidth", 2))
    assert after[0] > before[0]  # a wider kernel: more of the trace in the first eigenvalue

    def new_seed():
        seed = page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)
        seed.fill("7")
        seed.press("Enter")

    assert len(moved(page, LANDMARKS, new_seed)) == 8
    name = chart_expression("map", "data.at(-1).name")
    assert "a data point" in moved(page, name, lambda: choose(page, "Method", "uniform sampling"))
    set_slider(page, "Landmarks m / n", 2)
    wait_for_value(page, f"{LANDMARKS}?.length", 10)
    wait_for_value(page, chart_expression("spectrum", "layout.annotations[0].text"), "m = 10")

    page.get_by_text("Axes and order").click()
    axis = chart_expression("map", "layout.xaxis.title.text")
    assert "sepal length" in moved(page, axis, lambda: choose(page, "Axes of the map", "two features"))
    rows = chart_expression("picture_K", "data[0].x")
    by_file = moved(page, rows, lambda: choose(page, "Order of the rows", "file"))
    assert by_file == [f"row {row}" for row in range(150)]
    page.keyboard.press("Escape")

    settled(page)
    points = chart_expression("map", "data[0].x")
    assert len(moved(page, points, lambda: choose(page, "Data set", TITLES["wine"]))) == 178


@pytest.mark.slow
def test_dragging_m_in_the_strip_asks_nothing_of_the_server(open_watched):
    watched = open_watched()
    page = watched.page
    m = chart_expression("strip", "data[3].x[0]")
    landmarks = chart_expression("strip", "data[1].x") + "?.length"
    residuals = chart_expression("strip", "data[0].marker.color")
    before, coloured = evaluate(page, m), evaluate(page, residuals)
    assert evaluate(page, landmarks) == before
    rail = page.locator(".st-key-strip .slider-rail-touch-rect")
    rail.scroll_into_view_if_needed()
    box = rail.bounding_box()
    assert box is not None
    sent = len(watched.sent)
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.down()
    seen = [before]
    for part in (0.6, 0.75, 0.9):
        page.mouse.move(box["x"] + part * box["width"], height, steps=4)
        seen.append(wait_for_change(page, m, seen[-1]))
    page.mouse.up()
    assert seen == sorted(set(seen))
    last = evaluate(page, m)
    wait_for_value(page, landmarks, last)
    wait_for_value(page, chart_expression("strip", "layout.sliders[0].active") + " > 15", True)
    assert sum(evaluate(page, residuals)) < sum(coloured)
    errors = dict(
        zip(
            *evaluate(
                page, f"[{chart_expression('strip', 'data[2].x')}, {chart_expression('strip', 'data[2].y')}]"
            ),
            strict=True,
        )
    )
    assert evaluate(page, chart_expression("strip", "data[3].y[0]")) == errors[last]
    assert len(watched.sent) == sent


def test_a_file_is_uploaded(open_watched):
    page = open_watched().page
    X = np.random.default_rng(1).standard_normal((30, 3))
    tag = "<img src=x onerror=alert(1)>"
    content = f"a,{tag},c,label\n" + "\n".join(f"{a},{b},{c},{tag if a > 0 else 'plain'}" for a, b, c in X)
    choose(page, "Data set", "Your own file")
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("stFileUploaderDropzone").locator("button").click()
    points = chart_expression("map", "data[0].x") + "?.length"
    file: Any = {"name": "points.csv", "mimeType": "text/csv", "buffer": content.encode()}
    chooser.value.set_files(file)
    # Nothing changes before the dialog is answered; what it says of the file is text as well.
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("30 rows, 4 columns")
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert evaluate(page, points) != 30
    use = dialog.get_by_role("button", name="Use these data")
    assert moved(page, points, use.click) == 30
    expect(dialog).to_have_count(0)
    settled(page)
    assert "points.csv" in chart_data(page, "map")["layout"]["title"]["subtitle"]["text"]
    # What a file says is text, also where it looks like a tag.
    page.get_by_text("Axes and order").click()
    choose(page, "Axes of the map", "two features")
    wait_for_value(page, chart_expression("map", "layout.yaxis.title.text") + "?.includes('onerror')", True)
    expect(page.locator("img[src=x]")).to_have_count(0)
