"""The page Approximate in a real browser: every control is moved and its effect read off a chart."""

import math
import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import nysviz as nv
from nysviz.text import signed, three_digits
from tests.browser.driving import (
    Watched,
    calm,
    chart_expression,
    choose,
    come_near,
    evaluate,
    hand,
    move_hand,
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
    assert len(moved(page, row, lambda: choose(page, "Kernel", "Laplacian"))) == 120
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
    move_hand(page, 2)
    wait_for_value(page, f"{LANDMARKS}?.length", 10)
    wait_for_value(page, chart_expression("spectrum", "layout.annotations[0].text"), "m = 10")

    page.get_by_text("Axes, order").click()
    axis = chart_expression("map", "layout.xaxis.title.text")
    assert "sepal length" in moved(page, axis, lambda: choose(page, "Axes of the map", "two features"))
    axis = chart_expression("map", "layout.yaxis.title.text")
    assert "petal width" in moved(page, axis, lambda: choose(page, "y", "3: petal width (cm)"))
    rows = chart_expression("picture_K", "data[0].x")
    by_file = moved(page, rows, lambda: choose(page, "Order of the rows", "file"))
    numbers = [int(row.removeprefix("row ")) for row in by_file]
    assert len(numbers) == 120 and numbers == sorted(numbers)
    page.keyboard.press("Escape")

    calm(page)
    shown_elsewhere(page, open_page)
    wanted = {"data", "kernel", "bandwidth", "seed", "method", "ratio", "axes", "map_y", "order"}
    assert set(parameters(page)) == wanted


# Lets the slider go at its fifth stop and sends the seed that was typed, before the browser has sent either.
IN_ONE_MOMENT = """(seed, slider) => {
  slider.value = 4;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  slider.dispatchEvent(new Event('change', {bubbles: true}));
  seed.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})); }"""


def test_of_two_controls_that_are_moved_in_one_moment_both_count(watched, open_page):
    page = watched.page
    seed = page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)
    seed.fill("7")
    seed.evaluate(IN_ONE_MOMENT, hand(page).element_handle())
    page.wait_for_url("**seed=7**")
    wait_for_value(page, f"{LANDMARKS}?.length", 5)
    shown_elsewhere(calm(page), open_page)


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


# Moves the slider as fast as the browser draws, over all stops and back, for these milliseconds; returns how
# many pictures were drawn a second.
SWEEP = """(slider, milliseconds) => new Promise(done => {
  const hand = window.nysvizHand, drawn = hand.drawn, begun = performance.now(), most = Number(slider.max);
  let step = 0;
  const move = now => {
    if (now - begun > milliseconds) return done(1000 * (hand.drawn - drawn) / (now - begun));
    slider.value = most - Math.abs(step++ % (2 * most) - most);
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    requestAnimationFrame(move); };
  requestAnimationFrame(move); })"""
STANDING = """() => new Promise(done => {
  const begun = performance.now();
  let count = 0;
  const next = now => {
    if (now - begun > 2000) return done(1000 * count / (now - begun));
    count += 1;
    requestAnimationFrame(next); };
  requestAnimationFrame(next); })"""
TO = """(slider, to) => new Promise(done => {
  slider.value = to;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  requestAnimationFrame(() => requestAnimationFrame(done)); })"""
LOOK = "document.querySelector('.st-key-map canvas.nysviz-hand')?.toDataURL()"
FRAMES = "[...window.nysvizHand.frames.values()].at(-1)?.size"
ANSWER = "document.querySelector('.st-key-nysviz_answer').dataset.dragged"
STUDIES: Any = nv.studies
DIGITS = f"/approximate?data={quote(TITLES['digits'])}"


def attribute(slider, name):
    text = slider.get_attribute(name)
    assert text is not None
    return text


def bounds(part):
    box = part.bounding_box()
    assert box is not None
    return box


def drag_over(page, slider):
    """Drag the thumb with the mouse over the whole range, hold it, and return what lets it go."""
    slider.scroll_into_view_if_needed()
    box = bounds(slider)
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.down()
    for part in (*range(50, 101, 5), *range(95, -1, -5), *range(0, 31, 5)):
        page.mouse.move(box["x"] + part / 100 * box["width"], height)
    return page.mouse.up


@pytest.mark.slow
@pytest.mark.parametrize("what", ["m", "σ"])
def test_dragging_follows_at_once_and_asks_nothing_of_the_server(server, context, what):
    watched = Watched(context, server.url + DIGITS + ("" if what == "m" else "&approximate_drag=σ"))
    page = calm(watched.page)
    slider = come_near(page, what)
    expect(page.locator(".st-key-curve .js-plotly-plot")).to_be_attached()
    count = 24 if what == "m" else 16
    wait_for_value(page, FRAMES, count)
    sent, address = len(watched.sent), page.url
    # More than 20 pictures a second while it is dragged over the whole range.
    # Where other programs take the processor the browser draws nothing at all sixty times a second.
    free = page.evaluate(STANDING) / 60
    assert max(slider.evaluate(SWEEP, 3000) for _ in range(3)) >= 20 * min(1, free)
    # At ten stops the numbers are those of the study there.
    stops = int(attribute(slider, "max")) + 1
    data = nv.load("digits")
    width, own, looks = nv.default_width(data.X), 90, set()
    for step in [round(k * (stops - 1) / 9) for k in range(10)]:
        slider.evaluate(TO, step)
        label = page.locator(".st-key-approximate_hand .stop").inner_text()
        number = float(label.split(" = ")[1].split(" ")[0])
        if what == "m":
            kernel, m = nv.Gaussian.from_width(width), int(number)
        else:
            ratio = 2.0 ** ((step - 7) / 2)
            kernel, m = nv.Gaussian(ratio * (width / 2) ** 0.5), own
            assert number == pytest.approx(kernel.sigma, rel=5e-3)
        result = STUDIES.approximate(data, kernel, m=m, drag=what)
        wanted = result.answer.replace("**", "")
        if label in ("m = 90", f"σ = {three_digits(kernel.sigma)} (default)"):
            continue  # there the page itself is shown
        wait_for_value(page, ANSWER, wanted)
        looks.add(evaluate(page, LOOK))
        spoken = attribute(slider, "aria-valuetext")
        relative, times = three_digits(result.errors.relative_frobenius), result.times_best("frobenius")
        best = "" if times == "–" else f", {times} times the best possible"
        assert f"relative error {relative}{best}, rank " in spoken
    assert len(looks) >= 9
    let_go = drag_over(page, slider)
    assert len(watched.sent) == sent and page.url == address
    # On release the page is what was dragged: address, answer, table and charts.
    label = page.locator(".st-key-approximate_hand .stop").inner_text()
    said = evaluate(page, ANSWER)
    let_go()
    page.wait_for_url("**ratio=**" if what == "m" else "**bandwidth=**")
    calm(page)
    assert page.locator(".st-key-nysviz_answer").inner_text() == said
    assert page.locator("canvas.nysviz-hand").count() == 0
    stop = chart_expression("map", "layout.title.subtitle.text")
    assert label.split(" (")[0] in evaluate(page, stop)
    assert page.locator(".st-key-approximate_hand .stop").inner_text() == label
    if what == "σ":
        bandwidth = page.get_by_test_id("stSlider").get_by_role("slider", name="Bandwidth")
        assert bandwidth.get_attribute("aria-valuetext") == parameters(page)["bandwidth"][0]
    no_exception(page)
    page.close()


SEATS = """(() => { const chart = nysviz.chartOf('map'), {xaxis, yaxis} = chart._fullLayout;
  const {left, top} = chart.querySelector('.svg-container').getBoundingClientRect();
  return chart.calcdata[0].map(({x, y}) =>
    [left + xaxis._offset + xaxis.c2p(x), top + yaxis._offset + yaxis.c2p(y)]); })()"""
VEILS = "[...document.querySelectorAll('canvas.nysviz-veil')].map(veil => veil.toDataURL())"


@pytest.mark.slow
def test_rows_are_marked_on_the_map_and_in_the_pictures_and_an_entry_is_worked_out(watched):
    page = watched.page
    come_near(page)
    wait_for_value(page, FRAMES, 24)
    marked = page.locator(".st-key-approximate_marks .marked")
    page.evaluate("document.querySelector('.st-key-map').scrollIntoView({block: 'center'})")
    seats, rows = evaluate(page, SEATS), evaluate(page, chart_expression("map", "data[0].customdata"))
    sent = len(watched.sent)
    lonely = max(range(len(seats)), key=lambda k: sorted(math.dist(seats[k], other) for other in seats)[1])
    page.mouse.click(*seats[lonely])
    expect(marked).to_have_text(f"Row {rows[lonely]} is marked.")
    veils = evaluate(page, VEILS)
    assert len(veils) == 4  # the map, K, K̃ and the residual
    # A lasso around all points on the right half; the map is not zoomed by it.
    page.get_by_role("button", name="Lasso").click()
    middle = sum(x for x, _ in seats) / len(seats)
    (_, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*seats, strict=True))
    before = evaluate(page, chart_expression("map", "layout.xaxis.range"))
    page.mouse.move(middle, top - 4)
    page.mouse.down()
    for corner in ((right + 4, top - 4), (right + 4, bottom + 4), (middle, bottom + 4), (middle, top - 4)):
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    expect(marked).to_have_text(f"{sum(x > middle for x, _ in seats)} points are marked.")
    assert evaluate(page, chart_expression("map", "layout.xaxis.range")) == before
    assert evaluate(page, VEILS) != veils and len(watched.sent) == sent
    # A cell of K̃: the server works its entry out, and draws nothing else anew.
    box = bounds(page.locator(".st-key-picture_approximation .nsewdrag").first)
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.7 * box["height"])
    expect(marked).to_contain_text("its arithmetic is below the pictures")
    i, j = (int(word) for word in re.findall(r"row (\d+)", marked.inner_text()))
    data = nv.load("iris")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    a = nv.approximate(data.X, kernel, "kmeans", 8)
    entry = page.locator(".nysviz-entry")
    expect(entry).to_contain_text(
        f"K̃ between row {i} and row {j} is {signed(float(a.factor[i] @ a.factor[j]))}"
    )
    expect(entry).to_contain_text(f"the true entry of K {signed(float(kernel(data.X[[i, j]])[0, 1]))}")
    expect(entry.locator("table")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(entry).to_have_count(0)
    assert evaluate(page, VEILS) == []


@pytest.mark.slow
def test_on_a_phone_the_slider_is_under_the_map_and_takes_keys(server, chromium):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(server.url + IRIS)
    slider = hand(calm(page))
    page.locator(".st-key-map").scroll_into_view_if_needed()
    page.locator(".st-key-map").evaluate("map => map.scrollIntoView({block: 'start'})")
    box, chart = bounds(slider), bounds(page.locator(".st-key-map"))
    assert box["y"] + box["height"] < 844 and box["height"] >= 40 and box["width"] > 200
    assert box["y"] > chart["y"] + chart["height"] - 1
    before = attribute(slider, "aria-valuetext")
    move_hand(page, 3)
    assert before.startswith("m = 8, relative error") and attribute(slider, "aria-valuetext") != before
    page.wait_for_url("**ratio=**")
    m = int(attribute(slider, "aria-valuetext").split(" = ")[1].split(",")[0])
    wait_for_value(calm(page), f"{LANDMARKS}?.length", m)
    context.close()
