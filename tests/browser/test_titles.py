"""Titles and notes of charts stay inside their charts, whatever they say, and clear of the picture."""

import pytest

from tests.browser.test_accessibility import settled

# Pages with long titles, with few runs.
PAGES = (
    "/approximate?data=Iris+flowers&kernel=polynomial",
    "/compare?data=Iris+flowers&compare_repeats=3&compare_view=error+against+seconds",
    "/steps?data=Swiss+roll&steps_method=k-means+centres",
    "/spectrum?data=Iris+flowers&bandwidth=0.001",
    "/data?data=Iris+flowers&data_where=to+be+fetched",
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


# The narrowest desk; the other screens are looked at in make test-slow.
@pytest.mark.parametrize(
    "width,height",
    [
        (1280, 800),
        pytest.param(1400, 900, marks=pytest.mark.slow),
        pytest.param(390, 844, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path[1 : path.index("?")])
def test_words_of_charts_stay_inside(open_page, path, width, height):
    page = settled(open_page(path, width=width, height=height))
    page.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
    assert page.evaluate(OUTSIDE) == []


def test_a_long_title_breaks_into_lines_above_the_picture(open_page):
    page = settled(open_page(PAGES[0]))
    page.locator(".nysviz-title").first.evaluate(
        "title => { title.firstChild.textContent = 'A title of many words. '.repeat(12); }"
    )
    assert page.locator(".nysviz-title").first.evaluate("title => title.offsetHeight") > 50
    assert page.evaluate(OUTSIDE) == []
