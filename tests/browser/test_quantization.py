"""The page Quantization in a real browser: points come in, and a click shows that run's landmarks."""

from __future__ import annotations

import re
from urllib.parse import quote

from playwright.sync_api import Page, expect

import nysviz as nv
from tests.browser.conftest import PageFactory
from tests.browser.driving import chart_data, chart_expression, no_exception, wait_for_value

CHART = "quantization_runs_chart"
IRIS = nv.load("iris")
# A seed that no other test has asked for, so that the runs are not at hand and come in one by one.
PATH = f"/quantization?data={quote(IRIS.title)}&seed=31&quantization_runs=20"


def test_a_click_shows_the_run(open_page: PageFactory) -> None:
    page = open_page(PATH)
    runs = re.compile(r"^Over 100 runs ")
    expect(page.get_by_text(runs)).to_be_visible()
    names = [trace["name"] for trace in chart_data(page, CHART)["data"]]
    assert names[-1] == "shown below"
    for method, which in (("uniform", 3), ("kmeans", 1)):
        curve = names.index(nv.METHODS[method].label)
        trace = chart_data(page, CHART)["data"][curve]
        seed = trace["customdata"][which][1]
        _click(page, curve, which)
        wait_for_value(page, chart_expression(CHART, "data.at(-1).x[0]"), trace["x"][which])
        a = nv.approximate(IRIS.X, nv.Gaussian.from_width(nv.default_width(IRIS.X)), method, 8, seed)
        if a.pivots is not None:
            # The map follows the ring a moment later.
            rows = chart_expression("quantization_map", "data.at(-1).text")
            wait_for_value(page, f"{rows}?.map(text => Number(text.split(' ').at(-1)))", a.pivots.tolist())
        assert len(chart_data(page, "quantization_map")["data"][-1]["x"]) == 8
    no_exception(page)


def _click(page: Page, curve: int, which: int) -> None:
    chart = page.locator(f".st-key-{CHART} .js-plotly-plot")
    chart.locator("g.trace.scatter").nth(curve).locator("path.point").nth(which).click(force=True)
