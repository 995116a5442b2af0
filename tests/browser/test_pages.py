"""What only a browser shows of single pages: players, a lesson walked, a run stopped and resumed."""

import math
import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import nysviz as nv
from nysviz.studies.steps import measure_gains
from tests.browser.driving import (
    Watched,
    calm,
    chart_data,
    chart_expression,
    choose,
    evaluate,
    no_exception,
    open_from_menu,
    wait_for_change,
    wait_for_value,
)
from tests.browser.test_share import TITLES

STUDIES: Any = nv.studies
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


OVERLAPS = """(() => { const boxes = [...document.querySelectorAll('.st-key-home_doors p')].map(
    text => ({text: text.innerText, box: text.getBoundingClientRect()}));
  return boxes.flatMap(({text, box}, i) => boxes.slice(i + 1).filter(other =>
    Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 6
    && Math.min(box.right, other.box.right) > Math.max(box.left, other.box.left))
    .map(other => `${text} / ${other.text}`)); })()"""


@pytest.mark.parametrize("width", [1400, 390])
def test_names_and_questions_on_home_do_not_lie_over_each_other(chromium, server, width):
    context = chromium.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(server.url)
    calm(page)
    assert page.locator(".st-key-home_doors p").count() > 30
    assert evaluate(page, OVERLAPS) == []
    context.close()


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


# All charts that the player plays show the step that it names.
TOGETHER = """() => {
  const charts = [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout?.meta?.film);
  const token = new Set(charts.map(c => c.layout.meta.film)), step = window.nysvizSteps?.step;
  return charts.length >= 4 && token.size === 1 && charts.every(c => c.data[0].meta === step) && step; }"""

FILM = "document.querySelector('.st-key-map_0 .js-plotly-plot')?.layout?.meta?.film"


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


MAP = chart_expression("map", "layout.title.subtitle.text")


def at_step(page, number, title, subtitle):
    """Wait until the bar names this step, and the map its state."""
    bar = page.locator(".st-key-lesson_bar")
    expect(bar.get_by_text(f"Lesson · step {number} of ")).to_be_visible()
    expect(bar.get_by_text(title, exact=True)).to_be_visible()
    wait_for_value(page, f"{MAP}?.startsWith('{subtitle}')", True)


def press(page, name):
    bar, role = page.locator(".st-key-lesson_bar"), "button" if name.startswith("Leave") else "link"
    bar.get_by_role(role, name=name, exact=True).click()


def test_a_lesson_is_walked_forward_and_back(open_page):
    page = open_page("/lessons?lesson=3-greedy&step=2")
    at_step(page, 2, "A usual draw", "uniform sampling, m = 8")
    page.wait_for_url(re.compile(r"/approximate\?.*lesson=3-greedy&step=2"))
    # The method is hidden, m is not.
    expect(page.get_by_role("combobox", name="Method")).to_be_hidden()
    assert page.get_by_role("progressbar", name="Steps of the lesson").get_attribute("aria-valuenow") == "2"
    expect(page.get_by_role("slider", name="Drag m")).to_be_visible()
    press(page, "Next")
    page.wait_for_url(re.compile(r"/steps\?.*step=3"))
    expect(page.locator(".st-key-lesson_bar").get_by_text("Look before you pick")).to_be_visible()
    press(page, "Back")
    at_step(page, 2, "A usual draw", "uniform sampling, m = 8")
    expect(page.get_by_test_id("stNumberInput").get_by_label("Seed", exact=True)).to_have_value("4")
    press(page, "Leave the lesson")
    expect(page.locator(".st-key-lesson_bar")).to_have_count(0)
    # The address follows when the page is drawn.
    page.wait_for_url(lambda url: "/approximate" in url and "lesson=" not in url)
    expect(page.get_by_role("combobox", name="Method")).to_be_visible()
    no_exception(page)


def box(page, selector):
    found = page.locator(selector).first.bounding_box()
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


@pytest.mark.parametrize("presented", ["", "&presentation=on"])
def test_a_step_stands_beside_the_picture_and_keeps_its_place(open_page, presented):
    page = open_page(f"/lessons?lesson=3-greedy&step=2{presented}")
    page.set_viewport_size({"width": 1400, "height": 900})
    at_step(page, 2, "A usual draw", "uniform sampling, m = 8")
    if presented:  # drawn anew for the height of the window
        page.wait_for_function("() => document.querySelector('.xtick text')?.style.fontSize === '14.4px'")
    lesson, chart = box(page, ".st-key-lesson_bar"), box(page, ".js-plotly-plot")
    assert lesson[2] <= chart[0] and lesson[0] < 60 and lesson[3] <= 900
    # Most of the picture is in view with the step.
    assert chart[1] + 0.7 * (chart[3] - chart[1]) < 900
    page.mouse.move(900, 500)
    page.mouse.wheel(0, 500)
    top = "document.querySelector('.js-plotly-plot').getBoundingClientRect().top"
    page.wait_for_function(f"() => {top} < 100")
    assert abs(box(page, ".st-key-lesson_bar")[1] - lesson[1]) < 20
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        f"() => {top} > document.querySelector('.st-key-lesson_bar').getBoundingClientRect().bottom - 1"
    )


def test_an_entry_of_the_kernel_matrix_names_its_value_and_its_points(open_page):
    page = open_page("/lessons?lesson=0-kernel-matrix&step=1")
    expect(page.locator(".st-key-lesson_bar").get_by_text("Two points, one entry")).to_be_visible()
    matrix = page.get_by_role("img", name="The kernel matrix K")
    expect(matrix).to_be_visible()
    expect(page.get_by_role("img", name="Its approximation")).to_be_hidden()
    expect(page.get_by_role("radio", name="Points")).to_have_attribute("aria-checked", "true")
    size = matrix.bounding_box()
    for right, value in ((0.75, "0.135"), (0.25, "1.00")):
        matrix.hover(position={"x": right * size["width"], "y": 0.25 * size["height"]})
        expect(page.locator(".entry")).to_have_text(f": k(x, y) = {value}")
    no_exception(page)


# Long enough to be stopped: some 500 spectral norms of a matrix with 1 000 rows.
LONG = f"/compare?data={quote(TITLES['swiss_roll'])}&compare_norm=spectral&compare_repeats=50"
# The numbers of one line of the chart, those of k-means.
KMEANS = "nysviz.plain(nysviz.chartOf('curves')?.data.find(t => t.name === 'k-means')?.y)"
SUBTITLE = chart_expression("curves", "layout.title.subtitle.text")


def runs(page):
    """Return how many runs the subtitle of the chart speaks of."""
    text = wait_for_change(page, SUBTITLE, None)
    return int(re.search(r"of (\d+) runs", text).group(1))  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_run_is_drawn_as_it_goes_stopped_and_resumed(open_page):
    page = open_page(LONG)
    chart_data(page, "curves")
    progress = page.get_by_test_id("stProgress")
    expect(progress).to_have_count(1)
    expect(progress).to_contain_text(re.compile(r"\d+ of \d+, .* left"))
    first = wait_for_change(page, KMEANS, None)
    assert wait_for_change(page, KMEANS, first) != first  # the mean moves as repeats come in
    page.get_by_role("button", name="Stop", exact=True).last.click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(progress).to_have_count(0)
    expect(page.get_by_text(re.compile(r"Stopped: Runs, \d+ of \d+ are there"))).to_be_visible()
    kept = wait_for_change(page, KMEANS, None)
    assert len(kept) > 1 and 1 <= runs(page) < 50
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Go on")).to_have_count(0)
    wait_for_change(page, KMEANS, kept)
    # The rest in a moment: fewer repeats are a part of what is there already.
    page.get_by_role("button", name="Axes, repeats").click()
    choose(page, "Repeats", "3")
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    wait_for_value(page, f"{SUBTITLE}?.includes('of 3 runs')", True)
    no_exception(page)


@pytest.mark.slow
def test_runs_are_drawn_as_they_come_after_a_control_was_moved(open_page):
    page = open_page("/quantization?data=digits&quantization_runs=10&seed=71")
    chart_data(page, "deviations")  # the first runs have ended
    slider = page.locator(".st-key-quantization_runs input[type=range]").first
    slider.focus()
    slider.press("End")
    expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"500 runs: \d+ of 500, .* left"))
    expect(page.locator(".st-key-runs .js-plotly-plot")).to_be_visible()


# Where the points of the first map are in the window, and what each row takes off at the next step.
POINTS = """(() => { const chart = document.querySelector('.st-key-map_0 .js-plotly-plot');
  const {xaxis, yaxis} = chart._fullLayout;
  const {left, top} = chart.querySelector('.svg-container').getBoundingClientRect();
  return chart.calcdata[0].map(({x, y}) =>
    [left + xaxis._offset + xaxis.c2p(x), top + yaxis._offset + yaxis.c2p(y)]); })()"""


def test_the_next_pick_is_predicted_by_a_click_and_by_keyboard(open_page):
    data = nv.load("iris")
    page = calm(open_page("/steps?data=Iris flowers&steps_second=none&steps_predict=true&steps_count=12"))
    player = page.locator(".st-key-steps_player")
    ask, where = player.locator(".ask"), player.locator(".where")
    expect(ask).to_contain_text("Which row comes next?")
    expect(where).to_have_text("6 / 12")
    # It stops before a pick.
    player.get_by_role("button", name="Play").click()
    expect(where).to_have_text("6 / 12")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    result = STUDIES.steps(data, kernel, ["greedy"], 12)
    (gains,) = measure_gains(result.scene, result.choices, 12, None)
    points = evaluate(page, POINTS)
    # A row that no other lies upon.
    far = [min(math.dist(one, two) for two in points if two is not one) for one in points]
    row, pick = far.index(max(far)), int(result.traces[0].picks[6])
    page.mouse.click(*points[row])
    expect(where).to_have_text("7 / 12")
    if row != pick:
        expect(ask).to_contain_text(f"Row {row} would take {100 * gains[6, row]:.3g} % off")
        expect(ask).to_contain_text(f"takes row {pick}, which takes off {100 * gains[6, pick]:.3g} %")
    expect(ask).to_contain_text(f"So far {int(row == pick)} of 1 expected")
    expect(page.locator(".st-key-map_0 .nysviz-guess")).to_have_count(1)
    aim = player.get_by_role("button", name="Choose with the keyboard")
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
        aim.press(key)
    expect(ask).to_contain_text("Enter chooses it")
    aim.press("Enter")
    expect(where).to_have_text("8 / 12")
    expect(ask).to_contain_text("of 2 expected")
    no_exception(page)
