"""What only a real browser shows of single pages: runs that go on, clicks, Stop, and the address."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import nysviz as nv
from tests.browser.driving import (
    chart_data,
    chart_expression,
    choose,
    no_exception,
    wait_for_change,
    wait_for_value,
)
from tests.browser.test_share import DATA, PATIENCE, calm, menu

pytestmark = pytest.mark.slow

# Each page with a run of some seconds, the key of its chart, and the label of a control beside it.
PAGES = {
    "compare": ("/compare?compare_norm=spectral&compare_repeats=20", "compare", "Show"),
    "quantization": ("/quantization", "quantization_map", "Runs of each method"),
    "lift": ("/lift", "lift", "Show"),
    "solve": ("/solve", "residuals", "Landmarks m"),
    "learning": (
        "/learning?learning_view=Nystr%C3%B6m+against+random+features",
        "learning_features",
        "Numbers at m",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_control_moved_during_a_run(open_page, name):
    path, chart, label = PAGES[name]
    page = open_page(path)
    main = page.get_by_test_id("stMain")
    expect(main.locator(".js-plotly-plot").first).to_be_visible()
    slider = main.get_by_role("slider", name=label)
    box = main.get_by_role("combobox", name=label)
    for _ in range(2):
        expect(slider.or_(box).first).to_be_visible()
        if slider.count():
            slider.first.focus()
            page.keyboard.press("ArrowRight")
        else:
            box.first.click()
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        page.wait_for_timeout(1_500)  # a few polls of the run that has begun
    chart_data(page, chart)
    no_exception(page)


CHART = "quantization_runs_chart"
IRIS = nv.load("iris")
# A seed that no other test has asked for, so that the runs are not at hand and come in one by one.
PATH = f"/quantization?data={quote(IRIS.title)}&seed=31&quantization_runs=20"


def test_a_click_shows_the_run(open_page):
    page = open_page(PATH)
    runs = re.compile(r"over 100 runs:")
    expect(page.get_by_text(runs)).to_be_visible()
    names = [trace["name"] for trace in chart_data(page, CHART)["data"]]
    assert names[-1] == "shown below; click another"
    for method, which in (("uniform", 3), ("kmeans", 1)):
        curve = names.index(nv.METHODS[method].label)
        trace = chart_data(page, CHART)["data"][curve]
        seed = trace["customdata"][which][1]
        points = page.locator(f".st-key-{CHART} .js-plotly-plot").locator("g.trace.scatter").nth(curve)
        points.locator("path.point").nth(which).click(force=True)
        wait_for_value(page, chart_expression(CHART, "data.at(-1).x[0]"), trace["x"][which])
        a = nv.approximate(IRIS.X, nv.Gaussian.from_width(nv.default_width(IRIS.X)), method, 8, seed)
        if a.pivots is not None:
            # The map follows the ring a moment later.
            rows = chart_expression("quantization_map", "data.at(-1).text")
            wait_for_value(page, f"{rows}?.map(text => Number(text.split(' ').at(-1)))", a.pivots.tolist())
        assert len(chart_data(page, "quantization_map")["data"][-1]["x"]) == 8
    no_exception(page)


def test_a_bandwidth_that_is_taken_is_that_of_the_sidebar_and_of_the_address(open_page):
    page = open_page(
        f"/recommend?{DATA}&recommend_methods=randomly+pivoted+Cholesky&recommend_target=0.01&bandwidth=0.0312"
    )
    calm(page)
    answer = page.get_by_test_id("stMain").get_by_text(re.compile("^(Take|No) ")).first
    before = answer.inner_text()
    button = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("Take σ"))
    expect(button).to_be_visible(timeout=PATIENCE)
    told = re.search(r"σ = ([\d.]+)", button.inner_text())
    assert told is not None
    button.click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text(f"σ = {told[1]}", timeout=PATIENCE)
    page.wait_for_url(lambda url: "bandwidth=0.0312" not in url and "bandwidth=" in url, timeout=PATIENCE)
    expect(answer).not_to_have_text(before, timeout=PATIENCE)
    calm(page)
    # One step of the visitor's: it can be undone, and done again.
    menu(page, "More").get_by_role("button", name="Undo").click()
    page.wait_for_url(re.compile(r"bandwidth=0\.0312(&|$)"), timeout=PATIENCE)
    expect(sidebar).not_to_contain_text(f"σ = {told[1]}", timeout=PATIENCE)
    no_exception(page)


TITLE = next(card.title for card in nv.catalog() if card.name == "clusters")
# K-means with 2 000 centres takes long enough for a hand to reach the button.
LINK = f"/approximate?data={quote(TITLE)}&clusters_n=60000&clusters_d=54&ratio=2+%25"


def test_an_approximation_of_many_rows_is_stopped_and_goes_on(open_page):
    page = open_page(LINK)
    # Streamlit's own button of this name, at the top of the page, ends the script and not the computation.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click(timeout=PATIENCE)
    told, go_on = page.get_by_text("Stopped: k-means centres"), page.get_by_role("button", name="Go on")
    expect(told).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=PATIENCE)
    # It is not begun again by the page itself.
    page.wait_for_timeout(3_000)
    expect(told).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    go_on.click()
    expect(told).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_test_id("stProgress").first).to_be_visible(timeout=PATIENCE)
    no_exception(page)


TITLES = {card.name: card.title for card in nv.catalog()}
# Long enough to be stopped: some 500 spectral norms of a matrix with 1 000 rows.
LONG = f"/compare?data={quote(TITLES['swiss_roll'])}&compare_norm=spectral&compare_repeats=50"
# The numbers of one line of the chart, those of k-means.
KMEANS = "nysviz.plain(nysviz.chartOf('compare')?.data.find(t => t.name === 'k-means centres')?.y)"
SUBTITLE = chart_expression("compare", "layout.title.subtitle.text")


def runs(page):
    """Return how many runs the subtitle of the chart speaks of."""
    text = wait_for_change(page, SUBTITLE, None)
    return int(re.search(r"of (\d+) runs", text).group(1))  # type: ignore[union-attr]


def test_a_run_is_drawn_as_it_goes_stopped_and_resumed(open_page):
    page = open_page(LONG)
    chart_data(page, "compare")
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
