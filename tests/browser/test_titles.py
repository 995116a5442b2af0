"""Titles stay inside their charts and clear of the picture, nothing moves, no page scrolls sideways."""

import pytest

from tests.browser.driving import calm
from tests.browser.test_accessibility import LINK, PAGES

pytestmark = pytest.mark.slow

# Pages with long titles, with few runs.
LONG_TITLES = (
    "/approximate?data=Iris+flowers&kernel=polynomial",
    "/compare?data=Iris+flowers&compare_repeats=3&compare_view=error+against+seconds",
    "/steps?data=Swiss+roll&steps_method=k-means+centres",
    "/spectrum?data=Iris+flowers&bandwidth=0.001",
    "/data?data=Iris+flowers&data_where=to+be+fetched",
    "/home?data=Iris+flowers",
    "/lessons?lesson=1-low-rank&step=5",
)
# What of a chart's words lies outside of it, and titles that run into the picture, in pixels.
OUTSIDE = """() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(chart => {
  const box = chart.getBoundingClientRect(), found = [];
  const words = chart.querySelectorAll('.g-gtitle text, .annotation text, .scatterlayer .textpoint text');
  const title = chart.closest('[data-testid=stElementContainer]')?.previousElementSibling
    ?.querySelector('.nysviz-title');
  for (const text of words) {
    const at = text.getBoundingClientRect();
    if (at.width && (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1))
      found.push(`${text.textContent}: ${at.left - box.left}, ${box.right - at.right}`); }
  if (title) {
    const at = title.getBoundingClientRect();
    const plots = [...chart.querySelectorAll('.nsewdrag')].map(plot => plot.getBoundingClientRect());
    const top = Math.min(...plots.filter(one => one.height).map(one => one.top));
    if (title.scrollWidth > title.clientWidth + 1 || at.bottom > top + 1)
      found.push(`${title.textContent}: ${title.scrollWidth - title.clientWidth}, ${at.bottom - top}`); }
  return found; })"""


@pytest.mark.parametrize("width,height", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("path", LONG_TITLES, ids=lambda path: path[1 : path.index("?")])
def test_words_of_charts_stay_inside_and_no_page_scrolls_sideways(open_page, path, width, height):
    page = calm(open_page(path, width=width, height=height))
    page.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
    assert page.evaluate(OUTSIDE) == []
    for whole in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"() => {whole}.scrollWidth") <= width


# Streamlit draws its own frame, then the sidebar, and loads what applies a page's style while the first
# elements are there already: no page can keep these still. The shifts that count come after its style.
WATCH = """
  window.shifts = [];
  let styled = Infinity;
  new PerformanceObserver(list => window.shifts.push(...list.getEntries()
    .filter(shift => shift.startTime > styled).map(shift => [shift.startTime, shift.value])))
    .observe({type: 'layout-shift', buffered: true});
  const look = () => document.querySelector('.stHtml style')
    ? requestAnimationFrame(() => { styled = performance.now(); }) : requestAnimationFrame(look);
  look();"""


def largest(shifts):
    """The largest sum of shifts within five seconds, less than a second apart."""
    most = total = 0.0
    first = last = -1e9
    for time, value in shifts:
        if time - last > 1_000 or time - first > 5_000:
            total, first = 0.0, time
        total, last = total + value, time
        most = max(most, total)
    return most


@pytest.mark.parametrize("name", PAGES)
def test_what_is_drawn_stays_where_it_is(context, server, name):
    page = context.new_page()
    page.set_viewport_size({"width": 1400, "height": 900})
    page.add_init_script(WATCH)
    page.goto(f"{server.url}/{name}?{LINK}")
    calm(page)
    # Up to 0.1 is called good.
    assert largest(page.evaluate("window.shifts")) <= 0.1
    page.close()
