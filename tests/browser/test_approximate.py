"""The page Approximate in a real browser: every control is moved and its effect read off a chart."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import nysviz as nv
from tests.browser.driving import (
    Watched,
    calm,
    chart_expression,
    choose,
    evaluate,
    no_exception,
    parameters,
    set_slider,
    wait_for_change,
    wait_for_value,
)
from tests.browser.test_share import shown_elsewhere
from tests.security.hostile import FILE_NAME, MARK, SCRIPT, TEX, csv_file

TITLES = {card.name: card.title for card in nv.catalog()}
IRIS = f"/approximate?data={quote(TITLES['iris'])}"
# Landmarks on the map: the last trace, whose halo comes before it.
LANDMARKS = chart_expression("map", "data.at(-1).x")
POINTS = chart_expression("map", "data[0].x") + "?.length"
# Elements that would do something, made of a file's words or leading where they say.
ACTING = f"""[...document.querySelectorAll('script, img, iframe, object, embed, a, svg a, .katex')].map(
    e => e.outerHTML).filter(text => /{MARK}/.test(text))"""


@pytest.fixture
def watched(server, context):
    """A page that must not talk to anyone but its server, nor report an error, nor open a dialog."""
    one = Watched(context, server.url + IRIS)

    def dismissed(dialog):
        one.complaints.append(dialog.message)
        dialog.dismiss()

    one.page.on("dialog", dismissed)
    calm(one.page)
    yield one
    no_exception(one.page)
    assert one.foreign == [] and one.complaints == []
    one.page.close()


def moved(page, expression, act):
    """Do something and return the value that it brings."""
    old = evaluate(page, expression)
    act()
    return wait_for_change(page, expression, old)


def test_each_control_moves_its_chart_and_a_link_shows_the_same_elsewhere(watched, open_page):
    page = watched.page
    assert len(evaluate(page, LANDMARKS)) == 8
    row = chart_expression("picture_K", "data[0].z") + "?.[75]"
    assert len(moved(page, row, lambda: choose(page, "Kernel", "Laplacian"))) == 150
    spectrum = chart_expression("spectrum", "data[0].y")
    before = evaluate(calm(page), spectrum)
    after = moved(page, spectrum, lambda: set_slider(page, "Bandwidth", 2))
    assert after[0] > before[0]  # a wider kernel: more of the trace in the first eigenvalue

    def new_seed():
        seed = page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)
        seed.fill("7")
        seed.press("Enter")

    assert len(moved(page, LANDMARKS, new_seed)) == 8
    name = chart_expression("map", "data.at(-1).name")
    assert moved(page, name, lambda: choose(page, "Method", "uniform sampling")) == "landmark"
    set_slider(page, "Landmarks m / n", 2)
    wait_for_value(page, f"{LANDMARKS}?.length", 10)
    wait_for_value(page, chart_expression("spectrum", "layout.annotations[0].text"), "m = 10")

    page.get_by_text("Axes, order").click()
    axis = chart_expression("map", "layout.xaxis.title.text")
    assert "sepal length" in moved(page, axis, lambda: choose(page, "Axes of the map", "two features"))
    axis = chart_expression("map", "layout.yaxis.title.text")
    assert "petal width" in moved(page, axis, lambda: choose(page, "y", "3: petal width (cm)"))
    rows = chart_expression("picture_K", "data[0].x")
    by_file = moved(page, rows, lambda: choose(page, "Order of the rows", "file"))
    assert by_file == [f"row {row}" for row in range(150)]
    page.keyboard.press("Escape")

    calm(page)
    rail = page.locator(".st-key-strip .slider-rail-touch-rect")
    m = chart_expression("strip", "data[3].x[0]")
    moved(page, m, lambda: rail.click(position={"x": 30, "y": 5}, force=True))
    # What was dragged in the browser alone is in the link only.
    assert "approximate_strip" in shown_elsewhere(page, open_page)
    wanted = {"data", "kernel", "bandwidth", "seed", "method", "ratio", "axes", "map_y", "order"}
    assert set(parameters(page)) == wanted


def test_a_file_takes_the_place_of_the_data_and_nothing_of_it_acts(watched):
    page = watched.page
    choose(page, "Data", "Your own file")
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("stFileUploaderDropzone").locator("button").click()
    file: Any = {"name": FILE_NAME, "mimeType": "text/csv", "buffer": csv_file(labels=(SCRIPT, TEX))}
    chooser.value.set_files(file)
    # Nothing changes before the dialog is answered; what it says of the file is text as well.
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("24 rows, 11 columns")
    assert evaluate(page, POINTS) != 24 and evaluate(page, ACTING) == []
    use = dialog.get_by_role("button", name="Use these data")
    assert moved(page, POINTS, use.click) == 24
    expect(dialog).to_have_count(0)
    page.get_by_text("Axes, order").click()
    choose(page, "Axes of the map", "two features")
    wait_for_value(page, chart_expression("map", "layout.yaxis.title.text") + f"?.includes('{MARK}')", True)
    calm(page)
    assert MARK in page.content() and evaluate(page, ACTING) == []


@pytest.mark.slow
def test_dragging_m_in_the_strip_asks_nothing_of_the_server(watched):
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
    line, here = (evaluate(page, chart_expression("strip", f"data[{k}]")) for k in (2, 3))
    assert here["y"][0] == line["y"][line["x"].index(last)]
    assert len(watched.sent) == sent
