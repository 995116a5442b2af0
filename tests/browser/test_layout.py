"""What is drawn stays where it is while a page loads."""

import pytest

from tests.browser.test_accessibility import LINK, PAGES, settled

pytestmark = pytest.mark.slow

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
    settled(page)
    # Up to 0.1 is called good.
    assert largest(page.evaluate("window.shifts")) <= 0.1
    page.close()
